"""What `askew data` can do for makers of question sets: build, import, check, write chats."""

from __future__ import annotations

import json
import math
import sys
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
    from askew.papers import asked_for
    from askew.untrusted import PASSAGE, one_line
    from askew_authoring.building import write_records
    from askew_authoring.publishers import import_files

    made = import_files(asked_for(task), files, select == "paper", seed)
    for line in made.told:
        click.echo(line)
    for each in made.left_out:
        click.echo(f"left out: {one_line(each.place)}: {one_line(each.why, PASSAGE)}")
    if not made.records:
        raise click.ClickException("no record is left: nothing was written")
    written = write_records(output, made.records)
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


def _started(yes: bool) -> bool:
    return yes or not sys.stdin.isatty() or click.confirm("Start?")


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


@click.command("binary_qa")
@click.option("--model", help="The model that writes the reformulations (any Inspect model).")
@click.option("--checker", default="", help="Another model that answers every rewrite.")
@click.option("--domains", help="Domains to build; default all.")
@click.option("--items", default=200, show_default=True, help="Items a domain, an even number.")
@click.option("--spares", default=0, show_default=True, help="Further items of each kind.")
@click.option("--seed", default=0, show_default=True)
@click.option("--folder", default="binary_qa_build", show_default=True, help="Logs and sheet.")
@click.option("--yes", is_flag=True, help="Start without asking.")
@click.option("--finish", type=click.Path(), help="Write accepted items to this JSONL instead.")
@click.option("--trust-checks", is_flag=True, help="With --finish: accept what every check passed.")
def build_binary_qa(
    model: str | None, checker: str, domains: str | None, items: int, spares: int,
    seed: int, folder: str, yes: bool, finish: str | None, trust_checks: bool,
) -> None:  # fmt: skip
    """Build the data set from the public sources: plan, rewrite, review, finish.

    Run it with --model to get a review sheet; fill in its column `accept`; run it with --finish.
    An interrupted build goes on where it stopped.
    """
    from pathlib import Path

    from askew_authoring.binary_qa.build import finish_build, plan_build, run_build
    from askew_authoring.building import SHEET

    if finish:
        done = finish_build(Path(folder) / SHEET, finish, items or None, trust_checks)
        click.echo(f"{len(done.records)} items in {finish}")
        return
    if not model:
        raise click.UsageError("--model says who writes the reformulations (or use --finish)")
    plan = plan_build(model, folder, checker, domains, items, spares, seed)
    click.echo(plan.describe())
    if not plan.drawn:
        raise click.ClickException("none of the sources could be reached: nothing was built")
    if not _started(yes):
        return
    built = run_build(plan)
    click.echo(f"{built.n_items} items in {built.sheet}, {built.undecided} rows to decide on")
    for domain, number in built.incomplete.items():
        click.echo(f"{domain}: {number} items could not be built; run again to retry them")


@click.command("knowno")
@click.argument("sources", nargs=-1, type=click.Path(exists=True, dir_okay=False))
@click.option("--model", help="The model that writes wrong equations (any Inspect model).")
@click.option("--checker", default="", help="Another model that looks for flaws in them.")
@click.option("--items", type=int, help="At most so many equations, a seeded choice.")
@click.option("--seed", default=0, show_default=True)
@click.option("--folder", default="knowno_build", show_default=True, help="Logs and sheet.")
@click.option("--yes", is_flag=True, help="Start without asking.")
@click.option("--finish", type=click.Path(), help="Write accepted items to this JSONL instead.")
def build_equations(
    sources: tuple[str, ...], model: str | None, checker: str, items: int | None,
    seed: int, folder: str, yes: bool, finish: str | None,
) -> None:  # fmt: skip
    """Build equation items from LaTeX SOURCES: plan, write, review, finish.

    Run it with --model to get a review sheet; fill in its column `accept`; run it with --finish.
    An interrupted build goes on where it stopped.
    """
    from pathlib import Path

    from askew_authoring.building import SHEET
    from askew_authoring.knowno.build import finish_build, plan_build, run_build

    if finish:
        done = finish_build(Path(folder) / SHEET, finish)
        told = f"{len(done.rejected)} rejected, {len(done.pending)} still to decide"
        click.echo(f"{len(done.records)} items in {finish}; {told}")
        return
    if not model or not sources:
        raise click.UsageError("name LaTeX files and say with --model who writes (or use --finish)")
    plan = plan_build(sources, model, folder, checker, items, seed)
    click.echo(plan.describe())
    if not plan.found:
        raise click.ClickException("the sources have no equation that can be asked about")
    if not _started(yes):
        return
    built = run_build(plan)
    click.echo(f"{built.n_items} items in {built.sheet}, {built.undecided} rows to decide on")
    for why, number in built.dropped.items():
        click.echo(f"dropped: {number} equations: {why}")
    if built.given_up:
        click.echo(f"given up: {built.given_up} equations without enough wrong ones")
    if built.incomplete:
        click.echo(f"not built: {built.incomplete} equations; run again to retry them")


@click.command("mathcomp")
@click.option("--model", help="The model that writes the pairs (any Inspect model).")
@click.option("--items", default=300, show_default=True, help="Pairs, in the paper's proportions.")
@click.option("--subset", help="Categories to write for; default all.")
@click.option("--folder", default="mathcomp_build", show_default=True, help="Logs and sheet.")
@click.option("--yes", is_flag=True, help="Start without asking.")
@click.option("--finish", type=click.Path(), help="Write accepted pairs to this JSONL instead.")
@click.option("--trust-checks", is_flag=True, help="With --finish: accept what every check passed.")
def build_mathcomp(
    model: str | None, items: int, subset: str | None, folder: str, yes: bool,
    finish: str | None, trust_checks: bool,
) -> None:  # fmt: skip
    """Have pairs of sentences written by Table 6's prompt: write, review, finish.

    Run it with --model to get a review sheet; fill in its column `accept`; run it with --finish.
    An interrupted build goes on where it stopped.
    """
    from pathlib import Path

    from askew_authoring.building import SHEET
    from askew_authoring.mathcomp import build as builder

    if finish:
        done = builder.finish(Path(folder) / SHEET, finish, trust_checks)
        told = f"{len(done.rejected)} rejected, {len(done.pending)} to decide on"
        click.echo(f"{len(done.accepted)} pairs in {finish}; {told}")
        return
    if not model:
        raise click.UsageError("--model says who writes the pairs (or use --finish)")
    asked = builder.cells(items, subset)
    requests = sum(-(-n // builder.BATCH) for n in asked.values())
    click.echo(
        f"{items} pairs, {requests} calls of {model} and up to two more a category and label"
    )
    if not _started(yes):
        return
    left = builder.write_pairs(model, folder, items, subset)
    click.echo(f"{left.sheet}: {left.sound} pairs to decide on, {left.rejected} rejected")
    for cell, missing in left.short.items():
        click.echo(f"{cell}: {missing} pairs are missing; run again with more --items")


@click.command()
@click.option("--from", "logs", multiple=True, required=True, help="Logs of format_bias.")
@click.option("--n", "number", default=1_000, show_default=True, help="How many examples.")
@click.option("--category", default="wrapping", show_default=True)
@click.option("--pool", help="A file of questions to train on; default our own, made by rule.")
@click.option("--model", help="Whose logs, where there are several models.")
@click.option("--seed", default=0, show_default=True)
@click.option("-o", "--output", required=True, help="The JSONL file of chats to write.")
def finetune(
    logs: tuple[str, ...], number: int, category: str, pool: str | None, model: str | None,
    seed: int, output: str,
) -> None:  # fmt: skip
    """Write training chats whose formats come in ratios inverse to their systematic scores."""
    from askew.analysis import read_observations
    from askew_authoring.format_bias.finetune import finetune_set

    observations = read_observations(list(logs))
    rows = observations[observations["task"] == "format_bias"] if len(observations) else None
    if rows is None or not len(rows):
        raise click.ClickException("no observations of format_bias in the logs given")
    present = list(dict.fromkeys(rows["model"]))
    if model is None and len(present) > 1:
        raise click.UsageError(f"--model says whose scores count; there are: {', '.join(present)}")
    chosen = rows[rows["model"] == (model or present[0])]
    if not len(chosen):
        raise click.UsageError(f"no model {model!r}; there are: {', '.join(present)}")
    made = finetune_set(chosen, number, category=category, pool=pool, seed=seed)
    made.write(output)
    for name, count in made.counts.items():
        share, ratio = made.systematic[name], made.ratios[name]
        click.echo(f"{name}: {count} examples (SysE {100 * share:.1f}, ratio {ratio:.2f})")
    for note in made.notes:
        click.echo(note)
    click.echo(f"{len(made.rows)} chats in {output}")
