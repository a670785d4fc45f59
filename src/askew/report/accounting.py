"""What stands behind the numbers: outcomes, what was left out, and the runs with their data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from askew.logs.excluded import WHAT, Run
from askew.papers import asked_for
from askew.report.blocks import Table, table_of
from askew.report.ceiling import CEILING_WORDS, Ceilings
from askew.report.estimates import Model, RowKind
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
    return {model: describe_config_diff(diff) for model, diff in apart.items() if diff}


def _by_model(
    rows: Sequence[Mapping[str, str]], models: Sequence[Model], id: str, caption: str, **told: Any
) -> Table | None:
    """A table of records under headings, each of the model whose label it has.

    A log that was not read may have one that no model has.
    """
    known, named = {m.label: m for m in models}, []
    kinds: list[RowKind] = []
    for row in rows:
        model = known.get(row["Model"])
        head = model.short if model else one_line(row["Model"]) or "no model"
        named.append({**row, "Model": head})
        kinds.append(model.kind if model else "measured")
    return table_of(named, id, caption, group="of", kinds=kinds, **told) if rows else None


def outcome_table(counts: pd.DataFrame, models: Sequence[Model]) -> Table | None:
    """Outcomes of the scored replies: what could not be read counts as wrong."""
    seen = set(counts["outcome"])
    shown = [o for o in OUTCOMES if o == "ok" or o in seen]
    shown += sorted(o for o in seen if o not in OUTCOMES)
    rows = []
    for (task, label), own in counts.groupby(["task", "model"], sort=False):
        number = dict(zip(own["outcome"], own["count"], strict=True))
        told = {one_line(o): f"{number.get(o, 0):,}" for o in shown}
        rows.append(
            {"Model": str(label), "of": str(task), **told, "all": f"{own['count'].sum():,}"}
        )
    meanings = {one_line(o): OUTCOMES.get(o, "") for o in shown}
    caption = "Scored replies by outcome (counts)"
    return _by_model(rows, models, "outcomes", caption, meanings=meanings)


def loss_table(lost: pd.DataFrame, models: Sequence[Model]) -> Table | None:
    """Samples and logs that stand in no rate, and notes about those that do."""
    rows = [
        {
            "Model": str(record["model"]),
            "of": f"{what}: {WHAT[what]}" if what in WHAT else one_line(what),
            "Count": f"{record['count']:,}",
            **{k.capitalize(): one_line(record[k]) for k in ("task", "log", "why")},
        }
        for record in lost.to_dict("records")
        for what in [str(record["what"])]
    ]
    caption = "Not among the observations, or worth knowing about them"
    return _by_model(rows, models, "losses", caption, texts=("Task", "Log", "Why"))


def ceiling_table(found: Ceilings, models: Sequence[Model]) -> Table | None:
    """Sets that are too easy to tell models apart, a row each."""
    rows = [
        {
            "Model": one.model,
            "of": asked_for(one.task).name,
            "Right where nothing bends": one.rate,
            "Ceiling": CEILING_WORDS[one.word],
            "Ask instead": one.instead,
        }
        for one in found.found
    ]
    texts = [*rows[0]] if rows else ()
    return _by_model(rows, models, "ceilings", "Sets at their ceiling", texts=texts)


def run_table(found: Sequence[Run], models: Sequence[Model]) -> Table | None:
    """The runs: which questions, which prompts, which settings, which software."""
    tasks = [run.task for run in found]
    rows = [
        {
            "Model": run.model,
            "of": run.task,
            "Data": f"{run.data}, revision {run.revision}",
            "Prompts": run.prompts,
            "Task": run.version,
            "Settings": settings_of(run, 600),
            "Scored": f"{run.scored:,} of {run.planned:,}",
            "Started": run.started,
            "Software": run.software,
            "Logs": one_line("; ".join(run.logs), 400),
        }
        for run in sorted(found, key=lambda run: tasks.index(run.task))
    ]
    meanings = {
        "Prompts": "revision", "Task": "version", "Scored": "of those asked",
        "Started": "UTC as logged",
    }  # fmt: skip
    texts = [name for row in rows[:1] for name in row if name != "Scored"]
    return _by_model(rows, models, "runs", "Runs", texts=texts, meanings=meanings)


def run_record(run: Run) -> dict[str, Any]:
    """A run as plain data, as reports and cards hold it."""
    inside = ("model_name", "subsets", "empty", "failure")
    return {key: value for key, value in asdict(run).items() if key not in inside}


def settings_of(run: Run, most: int) -> str:
    """A run's settings in a line of so many characters at most."""
    told = (f"{setting_name(k)}={v}" for k, v in run.settings.items())
    return one_line(", ".join(told), most) or "none"
