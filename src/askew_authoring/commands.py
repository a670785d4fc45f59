"""What `askew data` can do for makers of question sets: build, check, and write training chats."""

from __future__ import annotations

import json
import math
from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from askew.cli.inputs import ExtensibleGroup, TaskName

if TYPE_CHECKING:
    from askew.schema import Paper

# The papers whose lints stand here; another's is its part `lint`.
LINTED = ("binary_qa", "format_bias", "instruction_boundary", "knowno", "mathcomp")


@click.group(cls=ExtensibleGroup, place="data.build")
def build() -> None:
    """Build TASK's data set: plan, write, review, finish."""


def lint_of(paper: Paper) -> Any:
    """The module that checks a paper's questions."""
    if paper.task in LINTED:
        return import_module(f"askew_authoring.{paper.task}.lint")
    if not paper.has("lint"):
        _ = paper.items  # of a paper without questions, an error
        raise click.UsageError(f"{paper.task} has no part `lint`: its questions can't be checked")
    return paper.part("lint")


@click.command()
@click.argument("task", type=TaskName())
@click.option(
    "--data",
    "origin",
    help="bundled, paper or a file; default paper, with --statistics bundled.",
)
@click.option("--subset", help="Subsets to look at; default all.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a finding.")
@click.option(
    "--statistics",
    is_flag=True,
    help="Print instead what guessers get who go by length, overlap, position or words.",
)
def verify(
    task: str, origin: str | None, subset: str | None, as_json: bool, statistics: bool
) -> None:  # fmt: skip
    """List what a machine finds odd in the questions of TASK, with ids."""
    from askew.papers import asked_for
    from askew.untrusted import PASSAGE, one_line

    if statistics:
        _print_baselines(task, origin or "bundled", subset, as_json)
        return
    origin = origin or "paper"
    found = lint_of(asked_for(task)).verify(origin, subset)
    for finding in found:
        if as_json:
            click.echo(json.dumps(vars(finding), ensure_ascii=False))
        else:
            kept = "excluded" if finding.excluded else "kept"
            message = one_line(finding.message, PASSAGE)
            click.echo(f"{one_line(finding.item)}: {finding.kind}, {kept}: {message}")
    if not as_json:
        kinds = Counter(f.kind for f in found)
        counts = ", ".join(f"{n} {kind}" for kind, n in kinds.most_common()) or "nothing found"
        click.echo(f"{task} ({origin}): {counts}")


def _print_baselines(task: str, origin: str, subset: str | None, as_json: bool) -> None:
    """What guessers who understand nothing get right in each set of TASK."""
    from askew.papers import asked_for

    lint = lint_of(asked_for(task))
    if not hasattr(lint, "statistics"):
        raise click.UsageError(f"{task} has no sets of questions that guessers are tried on")
    sets = lint.statistics(origin, subset)
    for name, baselines in sets.items():
        if as_json:
            for each in baselines:
                told = {"set": name, **vars(each), "within_chance": each.within_chance}
                click.echo(json.dumps({k: None if v == -math.inf else v for k, v in told.items()}))
            continue
        click.secho(name, bold=True)
        for each in baselines:
            click.echo(f"  {each.line()}")
    if not as_json:
        leaks = [
            f"{s} ({b.name})" for s, found in sets.items() for b in found if not b.within_chance
        ]
        click.echo(f"{task} ({origin}): leaks: {', '.join(leaks) or 'none'}")
