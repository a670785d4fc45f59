"""Bend a task of your own in Python: `askew.bend.bend("inspect_evals/arc_easy")`, or a `Task`."""

from askew.papers.bend.tasks import bend

__all__ = ["bend"]
