"""`askew demo`: every task on two simulated models, and the report; no key, no network."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import click

from askew.cli.inputs import option

MODELS = ("typical", "agreeable")
# What a demo's folder holds, beside nothing that is anybody else's.
_HOLDS = {"logs", "report.html", "report.md", *(f"{model}.txt" for model in MODELS)}


@click.command()
@click.argument("folder", default="demo", type=click.Path(file_okay=False, path_type=Path))
@option("--items", default=24, help="Questions a task.")
def demo(folder: Path, items: int) -> None:
    """Ask two simulated models all tasks, and write FOLDER/report.html.

    Replaces what an earlier demo left in FOLDER, and nothing else.
    """
    _emptied(folder)
    click.echo("== Asking two simulated models side by side (no key, no network)")
    running = {name: _asking(folder, name, items) for name in MODELS}
    try:
        codes = {name: process.wait() for name, process in running.items()}
    finally:
        for process in running.values():
            if process.poll() is None:
                process.terminate()
    for name, code in codes.items():
        if code:
            said = (folder / f"{name}.txt").read_text(encoding="utf-8", errors="replace")
            raise click.ClickException(f"asking respondent/{name} ended with {code}:\n{said}")
    click.echo("== Writing the report")
    _report(folder)
    click.echo(_LOOK.format(folder=folder, task=_tasks()[0]))


def _emptied(folder: Path) -> None:
    """The folder without what an earlier demo left; one that holds anything else is refused."""
    there = {p.name for p in folder.iterdir()} if folder.is_dir() else set()
    if strange := sorted(there - _HOLDS):
        told = ", ".join(strange[:3])
        raise click.UsageError(f"{folder} holds what no demo wrote ({told}): name another folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _tasks() -> list[str]:
    from askew.papers import OWN, asking

    return [task for task in asking() if task in OWN]


def _asking(folder: Path, name: str, items: int) -> subprocess.Popen[bytes]:
    command = [
        *(sys.executable, "-m", "inspect_ai", "eval-set"),
        *(f"askew/{task}" for task in _tasks()),
        *("--model", f"respondent/{name}", "-T", f"items={items}"),
        *("--log-dir", str(folder / "logs" / name), "--display", "plain"),
        *("--log-level", "warning", "--no-log-realtime", "--no-fail-on-error"),
    ]
    # One of them is followed; what the other says is shown where it fails.
    if name == MODELS[0] and sys.stdout.isatty():
        return subprocess.Popen(command)
    with (folder / f"{name}.txt").open("wb") as said:
        return subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)


def _report(folder: Path) -> None:
    from askew.analysis import write_report
    from askew.cli.inputs import study_of

    study = study_of((str(folder / "logs"),), quiet=not sys.stderr.isatty())
    write_report(study, folder / "report.html", folder / "report.md", quiet=True)
    click.echo(f"{len(study.rows)} observations, report in {folder / 'report.html'}")


_LOOK = """
Look first at the top of {folder}/report.html: what bends each model, by how much, how sure.
  Then click a number: the replies behind it, flips first (one question, asked in two ways).
Every prompt and reply: inspect view --log-dir {folder}/logs
The same as text: {folder}/report.md. With a model of yours:
  inspect eval askew/{task} --model openai/gpt-5 -T items=10
  askew report logs -o report.html"""
