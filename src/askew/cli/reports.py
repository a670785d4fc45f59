"""From logs to a report, tables and charts; from others' replies to logs; graders on trial."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import click

from askew.cli.common import (
    TaskName,
    is_json,
    option,
    print_results,
    spread,
    study_of,
    task_parameters,
    with_json,
)

if TYPE_CHECKING:
    from askew.report.study import Study

TABLE, EXCHANGE = "table", "every-eval-ever"
_FORMAT = "A table; or runs with their samples for others' databases: -o FOLDER."
_REPORTS = "File to write; its suffix gives the format: .html, .md, .json or .csv (repeatable)."


@with_json
@click.command()
@click.argument("logs", nargs=-1, required=True)
@option("-o", "--output", "outputs", multiple=True, help=_REPORTS)
@option("--policy", "policy_file", help="A policy: its outcome comes first in the report.")
@option("--baseline", metavar="MODEL", help="Compare the others with this model.")
@option("--card", is_flag=True, help="Make a folder of -o: a page a model, as Markdown and JSON.")
@option("--row", is_flag=True, help="Print a Markdown line per model, for a system card.")
@option("--quiet", is_flag=True, help="No progress and no summary.")
@spread
def report(
    logs: tuple[str, ...], outputs: tuple[str, ...], policy_file: str | None, baseline: str | None,
    card: bool, row: bool, quiet: bool, workers: int, cluster: str | None,
) -> None:  # fmt: skip
    """Turn LOGS (files, folders, remote paths) into a report.

    Logs that can't be read are named and skipped; exit code 2 where none can.
    """
    if row and (outputs or card or policy_file or baseline):
        raise click.UsageError("--row prints, and takes no -o, --card, --policy or --baseline")
    if row:
        click.echo("\n".join(_rows(study_of(logs, True, workers, cluster))))
        return
    if not (outputs or is_json()):
        raise click.UsageError("name what to write: -o report.html; or print with --row or --json")
    if card and len(outputs) != 1:
        raise click.UsageError("--card makes one folder: give one -o")
    if card and baseline:
        raise click.UsageError("--card can be combined with --policy, but not with --baseline")
    from askew.analysis import write_cards, write_report
    from askew.decide.documents import decide
    from askew.decide.policy import read_policy
    from askew.notebook import headlines
    from askew.report.accounting import not_read
    from askew.report.render import REPORTS, kind_of

    if card and outputs[0].lower().endswith((".html", ".csv")):
        raise click.UsageError(f"{outputs[0]} is no folder; --card needs one: -o cards")
    for output in () if card else outputs:
        kind_of(output, REPORTS)
    policy = read_policy(policy_file) if policy_file else None
    study = study_of(logs, quiet, workers, cluster, others=not card)
    decided = decide(study, policy, baseline, quiet=quiet)
    others = decided.others.data
    notes = [] if quiet else [*not_read(study), *decided.others.notes]
    n = len(others.get("scores", ()))
    counts = [f"{len(study.rows)} observations"] if len(study.rows) or not n else []
    counts += [f"other tasks: {n} score{'s' * (n > 1)}"] if n else []
    said = ", ".join([*counts, f"report in {', '.join(outputs)}"])
    text = "\n".join([*(f"note: {note}" for note in notes), said])
    if card:
        outputs = tuple(map(str, write_cards(study, outputs[0], decided=decided)))
        text = "\n".join(outputs)
    elif outputs:
        write_report(study, *outputs, decided=decided, quiet=quiet)
    tables = {
        "files": [{"path": path} for path in outputs],
        "headlines": headlines(study).to_dict("records") if is_json() else (),
        "scores": others.get("scores", ()),
        "score_comparisons": others.get("comparisons", ()),
    }
    about = {k: getattr(decided, k) for k in ("outcome", "unmet", "compared")}
    print_results(text, tables, quiet=quiet, **about, notes=notes)


def _rows(study: Study) -> Iterator[str]:
    """Markdown lines: each model's effect metrics with interval, items and verdict."""
    from askew.notebook import headlines
    from askew.papers import get_paper
    from askew.report.estimates import Estimate
    from askew.report.render import text
    from askew.untrusted import one_line

    found = headlines(study)
    for model, of in found[found["verdict"] != ""].groupby("model", sort=False):
        cells = []
        for at in of.to_dict("records"):
            paper = get_paper(at["task"])
            declared, n = paper.headline_declaration(at["metric"]), at["n"]
            number = Estimate(at["value"], at["low"], at["high"], unit=declared.unit)
            measured = f"{number.written} {declared.unit.name}"
            ci = f"95% CI {number.interval}, " if number.interval else ""
            what = text(one_line(f"{paper.name} {at['label']}"))
            cells.append(f"{what}: {measured} ({ci}n = {n}), {at['verdict']}")
        yield f"| {text(one_line(str(model)))} | {' | '.join(cells)} |"


@click.command()
@click.argument("logs", nargs=-1, required=True)
@option("-o", "--output", help="Observations: a .parquet or .csv file, one row a reply.")
@option("--format", "form", type=click.Choice([TABLE, EXCHANGE]), default=TABLE, help=_FORMAT)
@option("--organization", default="unstated", help="Who ran it, in every-eval-ever.")
@option("--charts", metavar="FOLDER", help="The report's charts, a file each.")
@option("--chart-format", type=click.Choice(["svg", "png"]), default="svg")
@option("--quiet", is_flag=True, help="No progress and no summary.")
@spread
def export(
    logs: tuple[str, ...], output: str | None, form: str, organization: str, charts: str | None,
    chart_format: Literal["svg", "png"], quiet: bool, workers: int, cluster: str | None,
) -> None:  # fmt: skip
    """Export LOGS: observations as a table, charts as pictures.

    Parquet keeps types and the meaning of each column.
    """
    if not (output or charts):
        what = "say what to write: -o observations.parquet, or --charts FOLDER, or both"
        raise click.UsageError(what)
    from askew.analysis import export_charts, write_exchange, write_observations

    study = study_of(logs, quiet, workers, cluster)
    lines = []
    if output and form == EXCHANGE:
        files = write_exchange(study, output, organization=organization)
        lines.append(f"{len(study.rows)} observations in {len(files)} files below {output}")
    elif output:
        written = write_observations(study, output)
        lines.append(f"{len(study.rows)} observations in {written}")
    if charts:
        drawn = export_charts(study, charts, chart_format, quiet=quiet)
        lines.append(f"{len(drawn)} charts in {charts}")
    if not quiet:
        click.echo("\n".join(lines))


@with_json
@click.command("score-replies")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@option("--task", type=TaskName(), help="Which they answer; default by the conditions they name.")
@option("--log-dir", default="logs", help="Where the logs go.")
@option("--model-name", default="", help="The model of the replies, if FILE does not name it.")
@option("-T", "args", multiple=True, help="A parameter of the task or its scorer: name=value.")
@option("--model-role", "roles", multiple=True, help="The grader, as grader=MODEL.")
def score_replies(
    file: str, task: str | None, log_dir: str, model_name: str, args: tuple[str, ...],
    roles: tuple[str, ...],
) -> None:  # fmt: skip
    """Score the replies in FILE without calling a model.

    FILE is JSONL or CSV; each model gets a log. A record names a sample of the task (with -T as in
    its eval), or its condition and what parsing needs: askew data template TASK --replies.
    """
    from askew.logs.replay import score_replies as scored

    def say(model: str, done: int, total: int) -> None:
        click.echo(f"scoring {model} ({done + 1} of {total})", err=True)

    own = ("file", "task", "log_dir", "quiet", "model_name", "model_roles", "progress", "display")
    given = task_parameters(args, *own)
    bound = dict(text.partition("=")[::2] for text in roles)
    if not all(bound.values()):
        raise click.BadParameter("write it as grader=MODEL", param_hint="--model-role")
    display: Any = "rich" if sys.stdout.isatty() and not is_json() else "none"
    how = {"model_name": model_name, "model_roles": bound, "progress": say, "display": display}
    made = scored(file, task, log_dir, quiet=False, **how, **given)
    print_results(None, {"files": [{"path": str(path)} for path in made]})


@with_json
@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@option("--control", default="", help="The arm to compare with, if no name shows it.")
@option("--log-dir", default="logs", help="Where the logs go.")
@option("--quiet", is_flag=True, help="No progress and no notes.")
def import_results(file: str, control: str, log_dir: str, quiet: bool) -> None:
    """Import published item-level results as logs.

    FILE is JSONL, CSV or Parquet: columns model, item, arm and score (0 to 1); optional reply,
    cluster, epoch and task. askew report then shows the effect of each arm.
    """
    from askew.logs.imports import import_results as imported

    found = imported(file, log_dir, control=control, quiet=quiet)
    for note in () if quiet else (f"control arm: {found.control}", *found.notes):
        click.echo(note, err=True)
    files = [{"path": str(path)} for path in found.logs]
    print_results(None, {"files": files}, control=found.control, notes=found.notes)


@with_json
@click.command("grader-check")
@option("--grader", required=True, help="The grader: any Inspect model.")
@option("--task", "tasks", help="Tasks, with commas. Default: all with labelled cases.")
@option("--log-dir", help="Where its log goes; default Inspect's log folder.")
@option("--misses/--no-misses", default=True, help="List the cases it got wrong.")
def grader_check(grader: str, tasks: str | None, log_dir: str | None, misses: bool) -> None:
    """Measure a grader's agreement on labelled cases."""
    from askew.scoring.grader import check_grader

    checked = check_grader(grader, tasks, log_dir=log_dir)
    text = (
        f"Agreement of {checked.grader} with the expected verdicts:\n\n"
        f"{checked.agreement.to_string(index=False, float_format='{:.3f}'.format)}"
    )
    if misses and len(checked.misses):
        listed = checked.misses.to_string(index=False, max_colwidth=60)
        text += f"\n\nWithout agreement ({len(checked.misses)}):\n\n{listed}"
    tables = {k: getattr(checked, k).to_dict("records") for k in ("agreement", "misses")}
    print_results(text, tables, grader=checked.grader)
