"""`askew audit`: from one file to logs, a report and an exit code; `askew demo`: a first run."""

from __future__ import annotations

import multiprocessing
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from askew.cli.common import is_json, option, print_results, study_of, with_json

if TYPE_CHECKING:
    from askew.audit import Audit

_INCOMPLETE = 3  # an incomplete audit without a failing rule is inconclusive
# What a demo's folder holds, beside nothing that is anybody else's.
_HOLDS = {"logs", "report.html", "report.md"}
_WORKERS = 2


@with_json
@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@option("--log-dir", help="Where logs go, a folder or s3://...; default the file's.")
@option("-o", "--output", "outputs", multiple=True, help="A report; default the file's.")
@option("--dry-run", is_flag=True, help="Print what would run, and stop.")
@option("--quiet", is_flag=True, help="No progress; only the outcome's line.")
def audit(
    file: str, log_dir: str | None, outputs: tuple[str, ...], dry_run: bool, quiet: bool
) -> None:
    """Run everything in FILE, write its report and check its policy.

    Run it again after an interruption: finished samples are kept. Exit code 0: pass; 1: fail;
    2: error; 3: inconclusive, also if a task could not be run.
    """
    from askew.audit import count_finished, groups, read_audit, run_audit
    from askew.decide.policy import read_policy
    from askew.report.render import REPORTS, kind_of
    from askew.untrusted import mask_secrets, one_line

    audit_file = read_audit(file)
    where = log_dir or audit_file.log_dir
    if not where:
        raise ValueError(f"{file}: give a folder for logs: log_dir in the file, or --log-dir")
    if "\0" in where or ("://" not in where and Path(where).is_file()):
        raise ValueError(f"{one_line(where)}: logs go to a folder, and this is none")
    policy = read_policy(audit_file.policy) if audit_file.policy else None
    reports = outputs or tuple(audit_file.report)
    for path in reports:
        kind_of(path, REPORTS)
    if dry_run:
        runs = [
            {"task": task, "model": model.model, "subset": given.get("subset"), "logs": folder}
            for folder, models in groups(audit_file, where).items()
            for task, given in audit_file.asked
            for model in models
        ]
        print_results(None, {"runs": runs})
        return
    finished, total = count_finished(audit_file, where)
    if finished and not quiet:
        click.echo(f"resumed: {finished} of {total} runs are complete and not repeated", err=True)
    quiet = quiet or is_json()
    asked: list[dict[str, Any]] = []
    for log in run_audit(audit_file, where, quiet=quiet):
        why = one_line(mask_secrets(log.error.message if log.error else log.status), 300)
        why = "" if log.status == "success" else why
        run = {"task": log.eval.task, "model": log.eval.model, "logs": log.location, "error": why}
        asked.append(run)
    for run in (failed := [run for run in asked if run["error"]]):
        click.echo("FAILED: {task}, {model}: {error}".format_map(run), err=True)
    code = _conclude(audit_file, policy, where, reports, quiet, asked)
    sys.exit(code or (_INCOMPLETE if failed else 0))


def _conclude(
    spec: Audit, policy: Any, where: str, reports: Sequence[str], quiet: bool, runs: list[Any]
) -> int:
    """Report and gate, also without a comparison; the worst exit code."""
    from askew.analysis import write_report
    from askew.decide.compare import compare
    from askew.decide.documents import gate_document, summarize_decision
    from askew.decide.gate import gate
    from askew.report.render import terminal_text, terminal_width

    study = study_of((where,), quiet)
    checked = gate(study, policy, quiet=quiet) if policy else None
    compared, why = None, ""
    if spec.baseline:
        try:
            compared = compare(study, spec.baseline, quiet=quiet)
        except ValueError as error:
            why = str(error)
    if reports:
        write_report(study, *reports, decided=summarize_decision(checked, compared), quiet=quiet)
        if not quiet:
            click.echo(f"{len(study.rows)} observations, report in {', '.join(reports)}")
    text, data = "", dict[str, Any](tables={}, about={})
    if checked is not None:
        document = gate_document(checked)
        text = checked.verdict if quiet else terminal_text(document, terminal_width())
        data = {**document.data()}
    print_results(text, {"runs": runs, **data["tables"]}, **data["about"])
    if why:
        click.echo(f"askew: nothing is compared: {why}", err=True)
    return (checked.exit_code if checked else 0) or (_INCOMPLETE if why else 0)


@click.command()
@click.argument("folder", default="demo", type=click.Path(file_okay=False, path_type=Path))
@option("--items", default=60, help="Items of the first task; others in proportion.")
def demo(folder: Path, items: int) -> None:
    """Run all tasks on three simulated models and write a report.

    Replaces what an earlier demo left in FOLDER, and nothing else.
    """
    from askew.analysis import write_report
    from askew.files import yaml_of

    there = {p.name for p in folder.iterdir()} if folder.is_dir() else set()
    if strange := sorted(there - _HOLDS):
        names = ", ".join(strange[:3])
        raise click.UsageError(f"{folder} has files of no demo ({names}): choose another folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    click.echo("== Running three simulated models (no key, no network): about a minute")
    plan = yaml_of("askew.cli", "demo.yaml")
    first, *_ = tasks = plan["tasks"]
    share = items / tasks[first]["items"]
    # The longest first: no worker waits long for another.
    jobs = [
        (task, given | {"items": max(1, round(given["items"] * share))}, model)
        for task, given in sorted(tasks.items(), key=lambda of: -of[1]["items"])
        for model in plan["models"]
    ]
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(_WORKERS, mp_context=spawned) as pool:
        for problem in filter(None, pool.map(_run, jobs, [str(folder / "logs")] * len(jobs))):
            raise click.ClickException(problem)
    click.echo("== Writing the report")
    study = study_of((str(folder / "logs"),), quiet=not sys.stderr.isatty())
    write_report(study, folder / "report.html", folder / "report.md", quiet=True)
    click.echo(f"{len(study.rows)} observations, report in {folder / 'report.html'}")
    click.echo("\n" + plan["look"].format(folder=folder, task=first), nl=False)


def _run(job: tuple[str, dict[str, Any], str], log_dir: str) -> str:
    """Run one task on one model, in a process of its own; what went wrong, or nothing."""
    from inspect_ai import eval as run_eval

    from askew.papers import get_paper

    task, given, model = job
    (log,) = run_eval(
        get_paper(task).make(**given), model=model, log_dir=log_dir, display="none",
        log_realtime=False, score_display=False, fail_on_error=False,
    )  # fmt: skip
    if log.status == "success":
        return ""
    return f"{task} with {model} failed: {log.error.message if log.error else log.status}"
