"""`askew demo`: every task on two simulated models, and the report; no key, no network."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from askew.cli.inputs import option, study_of

MODELS = ("respondent/typical", "respondent/agreeable")
# What a demo's folder holds, beside nothing that is anybody else's.
_HOLDS = {"logs", "report.html", "report.md"}


@click.command()
@click.argument("folder", default="demo", type=click.Path(file_okay=False, path_type=Path))
@option("--items", default=24, help="Questions behind a number.")
def demo(folder: Path, items: int) -> None:
    """Run all tasks on two simulated models and write a report.

    Replaces what an earlier demo left in FOLDER, and nothing else.
    """
    from askew.analysis import write_report
    from askew.audit import Audit, run_audit
    from askew.files import yaml_of
    from askew.papers import OWN, task_papers

    _empty_folder(folder)
    click.echo("== Running two simulated models (no key, no network)")
    tasks = [task for task in task_papers() if task in OWN]
    kinds = yaml_of("askew.cli", "demo.yaml")
    several = {task: items * kinds.get(task, 1) for task in tasks}
    audit_tasks = [{"task": task, "parameters": {"items": n}} for task, n in several.items()]
    audit = Audit.model_validate({"version": 1, "models": [*MODELS], "tasks": audit_tasks})
    for log in run_audit(audit, str(folder / "logs"), quiet=not sys.stdout.isatty()):
        if log.status != "success":
            problem = log.error.message if log.error else log.status
            raise click.ClickException(f"{log.eval.task} with {log.eval.model} failed: {problem}")
    click.echo("== Writing the report")
    study = study_of((str(folder / "logs"),), quiet=not sys.stderr.isatty())
    write_report(study, folder / "report.html", folder / "report.md", quiet=True)
    click.echo(f"{len(study.rows)} observations, report in {folder / 'report.html'}")
    click.echo(_LOOK.format(folder=folder, task=tasks[0]))


def _empty_folder(folder: Path) -> None:
    """The folder without what an earlier demo left; one that holds anything else is refused."""
    there = {p.name for p in folder.iterdir()} if folder.is_dir() else set()
    if strange := sorted(there - _HOLDS):
        names = ", ".join(strange[:3])
        raise click.UsageError(f"{folder} has files of no demo ({names}): choose another folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


_LOOK = """
Look first at the top of {folder}/report.html: what bends each model, by how much, how sure.
  Then click a number: the replies behind it, flips first (one question, asked in two ways).
Every prompt and reply: inspect view --log-dir {folder}/logs
The same as text: {folder}/report.md. With a model of yours:
  inspect eval askew/{task} --model openai/gpt-5 -T items=24
  askew report logs -o report.html"""
