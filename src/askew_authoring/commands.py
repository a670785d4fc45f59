"""What `askew data` can do for makers of question sets: build, import, check, write chats."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from askew.cli.common import ExtensibleGroup, TaskName, print_results, with_json

if TYPE_CHECKING:
    from askew.schema import Paper

# The papers whose lints stand here; another's is its part `lint`.
LINTED = ("binary_qa", "format_bias", "instruction_boundary", "knowno", "mathcomp")


@click.group(cls=ExtensibleGroup, place="data.build")
def build() -> None:
    """Build TASK's data set: plan, write, review, finish."""


def _option(*names: str, **settings: Any) -> click.Option:
    return click.Option(names, show_default=bool(settings.get("default", "") != ""), **settings)


def _command(name: str, *params: click.Parameter) -> Callable[[Callable[..., None]], click.Command]:
    """A command whose help is its function's docstring."""
    return lambda run: click.Command(name, callback=run, params=[*params], help=run.__doc__)


_TASK = click.Argument(["task"], type=TaskName())
_FILE = click.Path(exists=True, dir_okay=False)


def lint_of(paper: Paper) -> Any:
    """The module that checks a paper's questions."""
    if paper.task in LINTED:
        return import_module(f"askew_authoring.{paper.task}.lint")
    if not paper.has("lint"):
        _ = paper.items  # of a paper without questions, an error
        raise click.UsageError(f"{paper.task} has no part `lint`: its questions can't be checked")
    return paper.part("lint")


@with_json
@_command(
    "import", _TASK, click.Argument(["files"], nargs=-1, required=True, type=_FILE),
    _option("-o", "--output", required=True, help="The JSONL file to write, for data=FILE."),
    _option("--select", type=click.Choice(["all", "paper"]), default="all",
            help="All records, or the paper's choice among them."),
    _option("--seed", type=int, help="Of that choice; default the paper's own where it is known."),
)  # fmt: skip
def import_data(
    task: str, files: tuple[str, ...], output: str, select: str, seed: int | None
) -> None:
    """Make FILES, as their publisher gives them, a file of questions for TASK.

    Taken are JSONL, JSON, CSV and Parquet; which set they are of shows in their records. Sets and
    where they come from: askew data list. Nothing is written where a record is wrong.
    """
    from askew.papers import get_paper
    from askew.untrusted import PASSAGE, one_line
    from askew_authoring.building import write_records
    from askew_authoring.publishers import import_files

    made = import_files(get_paper(task), files, select == "paper", seed)
    left_out: list[dict[str, Any]] = [
        {"place": one_line(each.place), "reason": one_line(each.why, PASSAGE)}
        for each in made.left_out
    ]
    notes = [*made.told]
    lines = [*notes, *map("left out: {place}: {reason}".format_map, left_out)]
    if not made.records:
        raise click.ClickException("\n".join([*lines, "no record is left: nothing was written"]))
    written = str(write_records(output, made.records))
    lines.append(f"{written}; to run it: inspect eval askew/{task} -T data={written}")
    made_file = {"path": written, "n_records": len(made.records)}
    tables = {"files": [made_file], "left_out": left_out}
    print_results("\n".join(lines), tables, notes=notes)


@with_json
@_command(
    "lint", _TASK,
    _option("--data", "origin",
            default="bundled", help="bundled, paper or a file. Default: bundled."),
    _option("--subset", help="Subsets to look at; default all."),
    _option("--logs", multiple=True, help="Logs of runs on them: lists fields whose "
            "values are answered alike and that are no clusters."),
    _option("--statistics", is_flag=True,
            help="Print instead what guessers get who go by length, overlap, position or words."),
)  # fmt: skip
def lint(
    task: str, origin: str, subset: str | None, logs: tuple[str, ...], statistics: bool
) -> None:
    """List what a machine finds odd in the questions of TASK, with ids."""
    from askew.papers import get_paper
    from askew.report.study import Study
    from askew.untrusted import PASSAGE, one_line
    from askew_authoring.linting import near_duplicates, opposite_pairs, undeclared_in_logs

    checks = lint_of(get_paper(task))
    if statistics and not hasattr(checks, "statistics"):
        raise click.UsageError(f"{task} has no sets of questions that guessers are tried on")
    rows: list[dict[str, Any]] = []
    lines: list[str] = []
    if statistics:
        leaks = []
        for name, baselines in checks.statistics(origin, subset).items():
            rows += [{"set": name, **vars(b), "within_chance": b.within_chance} for b in baselines]
            lines += [click.style(name, bold=True), *(f"  {b.line()}" for b in baselines)]
            leaks += [f"{name} ({b.name})" for b in baselines if not b.within_chance]
        summary = f"leaks: {', '.join(leaks) or 'none'}"
    else:
        items = get_paper(task).items.load(origin, subset).items
        found = [*checks.verify(origin, subset), *near_duplicates(items), *opposite_pairs(items)]
        if logs:
            rows_of = Study.read([*logs]).by_task
            if task not in rows_of:
                raise click.UsageError(f"no scored sample of {task} in --logs")
            found += undeclared_in_logs(items, rows_of[task], get_paper(task).split_of)
        for each in found:
            rows.append(vars(each))
            kept, message = "excluded" if each.excluded else "kept", one_line(each.message, PASSAGE)
            lines.append(f"{one_line(each.item)}: {each.kind}, {kept}: {message}")
        kinds = Counter(each.kind for each in found).most_common()
        summary = ", ".join(f"{n} {kind}" for kind, n in kinds) or "nothing found"
    text = "\n".join([*lines, f"{task} ({origin}): {summary}"])
    print_results(text, {"baselines" if statistics else "findings": rows}, task=task, data=origin)


def _builder(task: str, written: str, help: str, *own: click.Parameter) -> click.Command:
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
            raise click.UsageError(f"give --model, which writes {written}, or use --finish")
        given.pop("trust_checks", None)
        plan = builder.plan_build(model=model, folder=folder, **given)
        click.echo(plan.describe())
        if not plan.tasks:
            raise click.ClickException("no questions are left, so nothing was built")
        if not (yes or not sys.stdin.isatty() or click.confirm("Start?")):
            return
        built = run_build(plan)
        click.echo(f"{built.n_items} items in {built.sheet}, {built.undecided} rows to be decided")
        for what, number in built.left.items():
            click.echo(f"{what}: {number}")

    run.__doc__ = (
        f"{help}\n\nRun it with --model to get a review sheet; fill in its column `accept`; run it "
        "with --finish. An interrupted build goes on where it stopped."
    )
    return _command(
        task,
        _option("--model", help=f"The model that writes {written} (any Inspect model)."),
        *own,
        _option("--folder", default=f"{task}_build", help="Logs and sheet."),
        _option("--yes", is_flag=True, help="Start without confirmation."),
        _option("--finish", type=click.Path(), help="Write accepted items to this JSONL instead."),
    )(run)


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
    click.Argument(["sources"], nargs=-1, type=_FILE),
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


@with_json
@_command(
    "finetune",
    _option("--from", "logs", multiple=True, required=True, help="Logs of format_bias."),
    _option("--n", "number", default=1_000, help="How many examples."),
    _option("--category", default="wrapping"),
    _option("--pool", help="A file of questions to train on; default our own, made by rule."),
    _option("--model", help="Whose logs, where there are several models."),
    _option("--seed", default=0),
    _option("-o", "--output", required=True, help="The JSONL file of chats to write."),
)  # fmt: skip
def finetune(logs: tuple[str, ...], model: str | None, output: str, **options: Any) -> None:
    """Write training chats whose formats come in ratios inverse to their systematic scores."""
    from askew.analysis import read_observations
    from askew_authoring.building import write_records
    from askew_authoring.format_bias.finetune import finetune_set

    rows = read_observations(list(logs))
    rows = rows[rows["task"] == "format_bias"] if len(rows) else rows
    if not len(rows):
        raise click.ClickException("no observations of format_bias in the logs given")
    present = list(dict.fromkeys(rows["model"]))
    if model not in present and (model or len(present) > 1):
        why = f"no model {model!r}" if model else "--model says whose scores count"
        raise click.UsageError(f"{why}; there are: {', '.join(present)}")
    made = finetune_set(rows[rows["model"] == (model or present[0])], **options)
    write_records(output, made.rows)
    formats = [
        {"format": name, "n": n, "mean_score": made.systematic[name], "ratio": made.ratios[name]}
        for name, n in made.counts.items()
    ]
    said = "{format}: {n} examples (mean score {mean_score:.1%}, {ratio:.2f} of the most)"
    lines = [*map(said.format_map, formats), *made.notes, f"{len(made.rows)} chats in {output}"]
    print_results("\n".join(lines), {"formats": formats}, notes=made.notes)
