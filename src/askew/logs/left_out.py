"""What was read and what was left out, as plain data that travels with the observations."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

import pandas as pd

from askew.logs.excluded import _FOREIGN, COLUMNS, STOPPED, Entry, _first_error, _note
from askew.untrusted import one_line

ATTRIBUTE = "askew"
VERSION = 1


def left_out(observations: pd.DataFrame) -> pd.DataFrame:
    """What is not among the observations, and what to know about those that are.

    One row a log, kind and reason; columns `log`, `model`, `task`, `what`, `count`, `why`. The
    kinds are those of `WHAT`.

    Args:
        observations: a table by `read_observations`, or a copy or slice of one, or one that
            `pandas.read_parquet` read from an export.
    """
    told = observations.attrs.get(ATTRIBUTE) or {}
    rows = [
        {**{c: log.get(c, "") for c in ("log", "model", "task")}, **loss}
        for log in told.get("logs", [])
        for loss in log["left_out"]
    ]
    rows += told.get("notes", [])
    # Logs of other tasks stand together, a row a task and reason.
    foreign = [r for r in rows if r["what"] == _FOREIGN]
    counts = Counter((r["task"], r["why"]) for r in foreign)
    rows = [r for r in rows if r["what"] != _FOREIGN]
    rows += [_note("", task, _FOREIGN, why, count) for (task, why), count in counts.items()]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def stopped_early(
    observations: pd.DataFrame, models: Collection[str], tasks: Collection[str] | None = None
) -> list[str]:
    """Runs that asked no more because their headline was known: a sentence each.

    Args:
        observations: see `left_out`.
        models: whose runs.
        tasks: of which tasks; default all.
    """
    lost = left_out(observations)
    told = [
        f"{row['task']}, {one_line(row['model'])}: {row['why']}."
        for row in lost[lost["what"] == STOPPED].to_dict("records")
        if row["model"] in models and (tasks is None or row["task"] in tasks)
    ]
    return [*dict.fromkeys(told)]


def n_read(observations: pd.DataFrame) -> int:
    """How many logs of askew's tasks were read, whatever they hold."""
    told = observations.attrs.get(ATTRIBUTE) or {}
    return sum("run" in log for log in told.get("logs", []))


def without_observations(observations: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Task and model of what was asked and never scored, with what happened to most of it."""
    read = observations.attrs.get(ATTRIBUTE) or {}
    runs: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for log in read.get("logs", []):
        if "run" in log:
            runs[log["task"], log["model"]].append(log)
    told = []
    for (task, model), logs in runs.items():
        losses = [loss for log in logs for loss in log["left_out"]]
        if losses and not any(log["scored"] for log in logs):
            what = losses[0]["what"]
            count = sum(loss["count"] for loss in losses if loss["what"] == what)
            of = next(log for log in logs if losses[0] in log["left_out"])
            why = _first_error(of["location"]) if what == "errored" else ""
            why = why or losses[0]["why"]
            told.append((task, model, f"{count:,} {what}: {why}"))
    return told


def account(logs: Sequence[Entry], notes: Sequence[Entry]) -> Entry:
    """The whole report; only what JSON has, so that it survives copies and files."""
    return {"version": VERSION, "logs": list(logs), "notes": list(notes)}
