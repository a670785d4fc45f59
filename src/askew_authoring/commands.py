"""What `askew data` can do for makers of question sets: build, import, check, write chats."""

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


@click.command("import")
@click.argument("task", type=TaskName())
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option("-o", "--output", required=True, help="The JSONL file to write, for data=FILE.")
@click.option(
    "--select",
    type=click.Choice(["all", "paper"]),
    default="all",
    show_default=True,
    help="All records, or the paper's choice among them.",
)
@click.option("--seed", type=int, help="Of that choice; default the paper's own where it is known.")
def import_data(
    task: str, files: tuple[str, ...], output: str, select: str, seed: int | None
) -> None:  # fmt: skip
    """Make FILES, as their publisher gives them, a file of questions for TASK.

    Taken are JSONL, JSON, CSV and Parquet; which set they are of shows in their records. Sets and
    where they come from: askew data list. Nothing is written where a record is wrong.
    """
    from askew.files import write_whole
    from askew.papers import asked_for
    from askew.untrusted import PASSAGE, one_line
    from askew_authoring.publishers import import_files

    made = import_files(asked_for(task), files, select == "paper", seed)
    for line in made.told:
        click.echo(line)
    for each in made.left_out:
        click.echo(f"left out: {one_line(each.place)}: {one_line(each.why, PASSAGE)}")
    if not made.records:
        raise click.ClickException("no record is left: nothing was written")
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in made.records)
    written = write_whole(output, "".join(lines))
    click.echo(f"{written}; ask it: inspect eval askew/{task} -T data={written}")


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
