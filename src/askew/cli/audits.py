"""`askew audit`: from one file to logs, a report and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from askew.cli.inputs import option, study_of
from askew.cli.output import is_json, print_results, with_json

if TYPE_CHECKING:
    from askew.audit import Audit

# An incomplete audit without a failing rule is inconclusive.
_INCOMPLETE = 3


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
        lines = map("{task}, {model} {subset}: {logs}".format_map, runs)
        print_results("\n".join(line.replace(" :", ":") for line in lines), {"runs": runs})
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
