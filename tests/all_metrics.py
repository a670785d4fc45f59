"""All metrics of a task, where tests look at more than Inspect's console does."""

from inspect_ai import Task

from askew.papers import get_paper
from askew.scoring.outcome import with_metrics


def show_all(task: Task) -> None:
    """Let Inspect show all metrics of a task, if it is of askew's."""
    told = task.metadata or {}
    if told.get("benchmark") == "askew" and task.scorer:
        home = get_paper(told["paper"]).part("scorer")
        shows = getattr(home, f"{told['paper']}_metrics")
        with_metrics(task.scorer[-1], shows("all", told["primary_metric"]))
