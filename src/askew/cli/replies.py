"""`askew score-replies` and `askew judge-check`: replies made elsewhere, and judges on trial."""

from __future__ import annotations

from typing import Any

import click

from askew.cli.inputs import PapersCommand


@click.command("score-replies", cls=PapersCommand)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--task", help="The task they answer; default the only one they may answer.")
@click.option("--log-dir", default="logs", show_default=True, help="Where the logs go.")
def score_replies(file: str, task: str | None, log_dir: str, **options: Any) -> None:
    """Score the replies in FILE (JSONL) without calling a model; one Inspect log a model."""
    from askew.logs.replay import score_replies as scored

    def say(model: str, done: int, total: int) -> None:
        if model:
            click.echo(f"scoring {model} ({done + 1} of {total})", err=True)

    given = {name: value for name, value in options.items() if value is not None}
    for path in scored(file, task, log_dir, progress=say, **given):
        click.echo(str(path))


@click.command("judge-check")
@click.option("--grader", required=True, help="The judge, as any Inspect model.")
@click.option("--task", "tasks", help="Whose cases; default all tasks that have a judge.")
@click.option("--log-dir", help="Where its log goes; default Inspect's log folder.")
@click.option("--misses/--no-misses", default=True, help="List the cases it got wrong.")
def judge_check(grader: str, tasks: str | None, log_dir: str | None, misses: bool) -> None:
    """Run a judge over cases whose right verdict is known and report its agreement."""
    from askew.scoring.judge import check_judge

    checked = check_judge(grader, tasks, log_dir=log_dir)
    click.echo(f"Agreement of {checked.grader} with the expected verdicts:\n")
    click.echo(checked.agreement.to_string(index=False, float_format=lambda v: f"{v:.3f}"))
    if misses and len(checked.misses):
        click.echo(f"\nWithout agreement ({len(checked.misses)}):\n")
        click.echo(checked.misses.to_string(index=False, max_colwidth=60))
