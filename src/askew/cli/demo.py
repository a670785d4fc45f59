"""`askew demo`: every task on three simulated models, and the report; no key, no network."""

import multiprocessing
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import click

from askew.cli.inputs import option, study_of

# What a demo's folder holds, beside nothing that is anybody else's.
_HOLDS = {"logs", "report.html", "report.md"}
_WORKERS = 2


@click.command()
@click.argument("folder", default="demo", type=click.Path(file_okay=False, path_type=Path))
@option("--items", default=60, help="Items of the first task; others in proportion.")
def demo(folder: Path, items: int) -> None:
    """Run all tasks on three simulated models and write a report.

    Replaces what an earlier demo left in FOLDER, and nothing else.
    """
    from askew.analysis import write_report
    from askew.files import yaml_of

    _empty_folder(folder)
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


def _empty_folder(folder: Path) -> None:
    """The folder without what an earlier demo left; one that holds anything else is refused."""
    there = {p.name for p in folder.iterdir()} if folder.is_dir() else set()
    if strange := sorted(there - _HOLDS):
        names = ", ".join(strange[:3])
        raise click.UsageError(f"{folder} has files of no demo ({names}): choose another folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
