"""What `askew data` can do for makers of question sets: build, import, check, write chats."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from importlib import import_module
from inspect import signature
from pathlib import Path
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


def _builder(task: str, written: str, told: str, *own: click.Parameter) -> click.Command:
    """The command that builds a task's set; parameters of its own are those of `plan_build`."""

    def run(model: str | None, folder: str, yes: bool, finish: str | None, **given: Any) -> None:
        from askew_authoring.building import SHEET, builder_of, run_build

        builder = builder_of(task)
        if finish:
            taken = signature(builder.finish_build).parameters
            wanted = {name: value for name, value in given.items() if name in taken}
            done = builder.finish_build(Path(folder) / SHEET, finish, **wanted)
            left = f"{len(done.rejected)} rejected, {len(done.pending)} still to decide"
            click.echo(f"{len(done.records)} items in {finish}; {left}")
            return
        if not model:
            raise click.UsageError(f"--model says who writes {written} (or use --finish)")
        given.pop("trust_checks", None)
        plan = builder.plan_build(model=model, folder=folder, **given)
        click.echo(plan.describe())
        if not plan.tasks:
            raise click.ClickException("there is nothing to ask about: nothing was built")
        if not (yes or not sys.stdin.isatty() or click.confirm("Start?")):
            return
        built = run_build(plan)
        click.echo(f"{built.n_items} items in {built.sheet}, {built.undecided} rows to decide on")
        for what, number in built.left.items():
            click.echo(f"{what}: {number}")

    how = (
        "Run it with --model to get a review sheet; fill in its column `accept`; run it with "
        "--finish. An interrupted build goes on where it stopped."
    )
    shared = (
        _option("--model", help=f"The model that writes {written} (any Inspect model)."),
        *own,
        _option("--folder", default=f"{task}_build", help="Logs and sheet."),
        _option("--yes", is_flag=True, help="Start without asking."),
        _option("--finish", type=click.Path(), help="Write accepted items to this JSONL instead."),
    )
    return click.Command(task, callback=run, params=[*shared], help=f"{told}\n\n{how}")


def _option(name: str, **settings: Any) -> click.Option:
    return click.Option([name], show_default=bool(settings.get("default", "") != ""), **settings)


_TRUST = _option(
    "--trust-checks", is_flag=True, help="With --finish: accept what every check passed."
)
build_binary_qa = _builder(
    "binary_qa", "the reformulations",
    "Build the data set from the public sources: plan, rewrite, review, finish.",
    _option("--checker", default="", help="Another model that answers every rewrite."),
    _option("--domains", help="Domains to build; default all."),
    _option("--items", default=200, help="Items a domain, an even number."),
    _option("--spares", default=0, help="Further items of each kind."),
    _option("--seed", default=0),
    _TRUST,
)  # fmt: skip
build_equations = _builder(
    "knowno", "wrong equations",
    "Build equation items from LaTeX SOURCES: plan, write, review, finish.",
    click.Argument(["sources"], nargs=-1, type=click.Path(exists=True, dir_okay=False)),
    _option("--checker", default="", help="Another model that looks for flaws in them."),
    _option("--items", type=int, help="At most so many equations, a seeded choice."),
    _option("--seed", default=0),
)  # fmt: skip
build_mathcomp = _builder(
    "mathcomp", "the pairs",
    "Have pairs of sentences written by Table 6's prompt: write, review, finish.",
    _option("--items", default=300, help="Pairs, in the paper's proportions."),
    _option("--subset", help="Categories to write for; default all."),
    _TRUST,
)  # fmt: skip


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
