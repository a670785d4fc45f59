"""What stands behind the numbers: outcomes, what was left out, and the runs with their data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from askew.logs.excluded import WHAT, Run
from askew.report.document import Column, Group, Row, Table, columns, text_row
from askew.report.estimates import Model
from askew.schema import OUTCOMES
from askew.untrusted import one_line

# Settings that say how a model is loaded, reached and drawn from, not what it is asked.
_NOT_ASKED = ("args.", "endpoint", "config.seed", "config.logprobs", "config.top_logprobs")
_UNSET = "not set"


def config_diff(run: Run, other: Run) -> dict[str, tuple[str, str]]:
    """Compare what two runs of a task asked: what differs, with the value of each.

    Questions are told apart by the revision of their data, which holds what the data set holds.
    """
    questions = [f"{r.data}, revision {r.revision}" for r in (run, other)]
    found = {"data": (questions[0], questions[1])} if run.revision != other.revision else {}
    pairs = {name: (getattr(run, name), getattr(other, name)) for name in ("prompts", "version")}
    for key in dict.fromkeys([*other.settings, *run.settings]):
        if not key.startswith(_NOT_ASKED):
            pairs[key] = (run.settings.get(key, _UNSET), other.settings.get(key, _UNSET))
    return found | {name: pair for name, pair in pairs.items() if not _alike(*pair)}


def _alike(one: str, other: str) -> bool:
    try:
        return one == other or float(one) == float(other)
    except ValueError:
        return False


def setting_name(key: str) -> str:
    """A setting's name without the layer it comes from."""
    return key.partition(".")[2] or key


def describe_config_diff(diff: Mapping[str, tuple[str, str]]) -> str:
    """Describe what differs between two runs, in a line: its own value, then the other's."""
    return ", ".join(
        f"{setting_name(key)} {own} ({'elsewhere' if other == _UNSET else 'not'} {other})"
        for key, (own, other) in diff.items()
    )


def incomparable_runs(found: Sequence[Run]) -> dict[str, str]:
    """Models that were not asked as most of their task's were, with what differs."""
    if not found:
        return {}
    usual = max(found, key=lambda run: sum(not config_diff(other, run) for other in found))
    apart = {run.model: config_diff(run, usual) for run in found}
    return {
        model: describe_config_diff(differing) for model, differing in apart.items() if differing
    }


def outcome_table(counts: pd.DataFrame, models: Sequence[Model]) -> Table | None:
    """Outcomes of the scored replies: what could not be read counts as wrong."""
    if not len(counts):
        return None
    seen = set(counts["outcome"])
    shown = [o for o in OUTCOMES if o == "ok" or o in seen]
    shown += sorted(o for o in seen if o not in OUTCOMES)
    groups = []
    for task, of_task in counts.groupby("task", sort=False):
        rows = []
        for label, of_model in of_task.groupby("model", sort=False):
            number = dict(zip(of_model["outcome"], of_model["count"], strict=True))
            told = [*(number.get(o, 0) for o in shown), int(of_model["count"].sum())]
            rows.append(_row(label, models, [f"{n:,}" for n in told]))
        groups.append(Group(rows, str(task)))
    return Table(
        id="outcomes",
        caption="Scored replies by outcome (counts)",
        head="Model",
        columns=[*(Column(one_line(o), OUTCOMES.get(o, "")) for o in shown), Column("all")],
        groups=groups,
    )


def _row(label: object, models: Sequence[Model], texts: Sequence[str]) -> Row:
    """A row of the model of a label; a log that was not read may have one that no model has."""
    model = next((m for m in models if m.label == str(label)), None)
    head = model.short if model else one_line(label) or "no model"
    return text_row(head, texts, model.kind if model else "measured")


def loss_table(lost: pd.DataFrame, models: Sequence[Model]) -> Table | None:
    """Samples and logs that stand in no rate, and notes about those that do."""
    if not len(lost):
        return None
    rows: dict[str, list[Row]] = {}
    for record in lost.to_dict("records"):
        texts = [f"{record['count']:,}", *(one_line(record[k]) for k in ("task", "log", "why"))]
        rows.setdefault(str(record["what"]), []).append(_row(record["model"], models, texts))
    return Table(
        id="losses",
        caption="Not among the observations, or worth knowing about them",
        head="Model",
        columns=columns("Count", "Task", "Log", "Why", texts=("Task", "Log", "Why")),
        groups=[
            Group(of, f"{what}: {WHAT[what]}" if what in WHAT else one_line(what))
            for what, of in rows.items()
        ],
    )


def run_table(found: Sequence[Run], models: Sequence[Model]) -> Table | None:
    """The runs: which questions, which prompts, which settings, which software."""
    if not found:
        return None
    return Table(
        id="runs",
        caption="Runs",
        head="Model",
        columns=[
            Column("Data", numeric=False),
            Column("Prompts", "revision", numeric=False),
            Column("Task", "version", numeric=False),
            Column("Settings", numeric=False),
            Column("Scored", "of those asked"),
            Column("Started", "UTC as logged", numeric=False),
            *columns("Software", "Logs", texts=("Software", "Logs")),
        ],
        groups=[
            Group([_row(r.model, models, _of_run(r)) for r in found if r.task == task], task)
            for task in dict.fromkeys(r.task for r in found)
        ],
    )


def run_record(run: Run) -> dict[str, Any]:
    """A run as plain data, as reports and cards hold it."""
    inside = ("model_name", "subsets", "empty", "failure")
    return {key: value for key, value in asdict(run).items() if key not in inside}


def settings_of(run: Run, most: int) -> str:
    """A run's settings in a line of so many characters at most."""
    told = (f"{setting_name(k)}={v}" for k, v in run.settings.items())
    return one_line(", ".join(told), most) or "none"


def _of_run(run: Run) -> list[str]:
    return [
        f"{run.data}, revision {run.revision}",
        run.prompts,
        run.version,
        settings_of(run, 600),
        f"{run.scored:,} of {run.planned:,}",
        run.started,
        run.software,
        one_line("; ".join(run.logs), 400),
    ]
