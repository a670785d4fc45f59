"""Replies that were not read, where a run has many: said before any number, with examples."""

from __future__ import annotations

import pandas as pd

from askew.files import yaml_of
from askew.logs.samples import read_replies
from askew.papers import asked_for
from askew.report.blocks import filled
from askew.report.study import Study
from askew.untrusted import one_line

_EXAMPLES = 3
# An answer is settled at the end of a reply.
_END = 160


def not_read(study: Study, *, texts: bool = True) -> list[str]:
    """A sentence for each task and model of which more than 3 replies in 100 were not read.

    With `texts`, the logs are opened for three of these replies.
    """
    words, told = yaml_of("askew.report", "report.yaml")["not_read"], []
    for task, rows in study.by_task.items():
        paper = asked_for(task)
        for model in study.models:
            own = rows[rows["model"] == model.label]
            if n := len(unread := paper.not_read(own)):
                how = {"n": n, "of": len(own), "model": model.short, "task": paper.name}
                told.append(filled(words, ends=_ends(unread) if texts else [], **how))
    return told


def _ends(rows: pd.DataFrame) -> list[str]:
    """How some of the replies end, each in a line."""
    ends: list[str] = []
    wanted = rows.reindex(columns=["log", "sample_id", "epoch"]).head(_EXAMPLES)
    for log, sample, epoch in wanted.itertuples(index=False):
        asked = [(str(sample), int(epoch))]
        for _, reply in read_replies(log, asked) if isinstance(log, str) else ():
            if not reply.unread:
                ends.append(one_line(reply.reply[-_END:], _END))
    return ends
