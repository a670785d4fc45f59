"""What a report shows of levels of difficulty: accuracy, effects, thresholds and their shifts.

Conditions are those of the factor that the paper's plain condition names, the control's first.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from askew.papers import get_paper
from askew.report.estimates import NUMBERS, Estimate, format_p_value
from askew.report.study import Study, levels_of
from askew.schema import PERCENT, POINTS, THRESHOLDS, Metric, Paper
from askew.stats.engine import Items, Number, Sums, analysis, share
from askew.stats.intervals import Floats
from askew.stats.tables import OVERALL, Analysis, Interval, metric_table
from askew.stats.thresholds import level_rows, next_levels

UNDEFINED = "\u2013"
_RIGHT = Metric("right")
_EFFECT = Metric("effect", unit=POINTS, bounds=(-1.0, 1.0), interval="paired")
_CELLS = ("condition", "difficulty")


def level_records(study: Study, interval: Interval) -> Iterator[Mapping[str, Any]]:
    """Accuracy at each level, and by how much a condition moves it from the control's."""
    for task, paper, rows, control in _asked(study):
        right = metric_table(rows, ("model",), _CELLS, _accuracy, interval)
        others = [name for name in dict.fromkeys(rows["condition"]) if name != control]
        effects = partial(_effects, control=control)
        found = {
            (r["model"], r["metric"], r["difficulty"]): Estimate(*(r[n] for n in NUMBERS))
            for name in others
            for r in metric_table(
                _paired(rows, name, control), ("model",), _CELLS, effects, interval
            ).to_dict("records")
        }
        for row in right.to_dict("records"):
            key = row["model"], row["condition"], row["difficulty"]
            effect = found.get(key)
            yield {
                "of": paper.name, "task": task, "model": row["model"],
                "condition": row["condition"], "level": row["difficulty"],
                "accuracy": Estimate(*(row[n] for n in NUMBERS)).text(PERCENT),
                "effect": effect.text(POINTS)
                if effect
                else _without(row["condition"] == control),
                "n": row["n_items"],
            }  # fmt: skip


def threshold_records(study: Study, interval: Interval) -> Iterator[Mapping[str, Any]]:
    """Each condition's threshold and its shift from the control's, or why there is none."""
    for task in dict.fromkeys(asked[0] for asked in _asked(study)):
        paper, table = get_paper(task), study.table(task, interval)
        at, by = (declared.name[:-1] for declared in THRESHOLDS)
        rows = table[table["metric"].str.startswith(at)].to_dict("records")
        levels = {(one.model, one.condition): one for one in levels_to_ask(study, task)}
        keys = ("model", *levels_of(table))
        shifts = {(row["metric"], *(row[k] for k in keys)): row for row in rows}
        for row in rows:
            if row["metric"].startswith(by):
                continue
            condition = row["metric"].removeprefix(at)
            shift = shifts.get((by + condition, *(row[k] for k in keys)))
            p_value = shift["p_value"] if shift else math.nan
            asked = levels.get((row["model"], condition))
            yield {
                "of": paper.name, "task": task, "model": row["model"], "condition": condition,
                "threshold": _text(row),
                "shift": _text(shift) if shift else _without(asked is not None),
                "p": format_p_value(p_value)[2:].removeprefix("= ") if p_value >= 0 else UNDEFINED,
                "n": row["n_items"],
                "next": (asked.difficulty or UNDEFINED) if asked else "",
            }  # fmt: skip


@dataclass(frozen=True)
class Levels:
    """The levels that a model's accuracy under a control leads one to ask; empty if none is left.

    A set whose conditions are compared in parts has several controls.
    """

    model: str
    condition: str
    difficulty: str


def levels_to_ask(study: Study, task: str) -> list[Levels]:
    """Per model and control the levels at which effects are to be seen."""
    return [
        Levels(str(model), control, next_levels(own[own["condition"] == control]))
        for _, rows, control in _parts(study, task)
        for model, own in rows[rows["condition"] == control].groupby("model", sort=False)
    ]


def _without(is_control: bool) -> str:
    return "control" if is_control else f"{UNDEFINED} (no items in common with the control)"


def _paired(rows: pd.DataFrame, condition: str, control: str) -> pd.DataFrame:
    """Rows of a model's items under both conditions."""
    own = rows[rows["condition"].isin([condition, control])]
    return own[own.groupby(["model", "item"])["condition"].transform("nunique") == 2]


def _text(row: Mapping[Hashable, Any]) -> str:
    """A number of levels with its interval, or why there is none."""
    if math.isnan(row["low"]):
        return f"{UNDEFINED} ({row['reason']})"
    return f"{row['value']:.1f} ({row['low']:.1f} to {row['high']:.1f})"


def _asked(study: Study) -> Iterator[tuple[str, Paper, pd.DataFrame, str]]:
    for task in study.by_task:
        yield from ((task, *part) for part in _parts(study, task))


def _parts(study: Study, task: str) -> Iterator[tuple[Paper, pd.DataFrame, str]]:
    paper = get_paper(task)
    return ((paper, *part) for part in level_rows(paper, study.by_task[task]))


def _accuracy(rows: pd.DataFrame) -> Analysis:
    items = Items(rows, _CELLS, ("right",), ())
    return analysis(items, _CELLS, {cell: [share(_RIGHT, "right")] for cell in items.cells})


def _effects(rows: pd.DataFrame, control: str) -> Analysis:
    """By metric a condition's difference from the control, at each level."""
    items = Items(rows, _CELLS, ("right",), ())

    def effect(sums: Sums, condition: str) -> Floats:
        mine, plain = (sums.of(condition=c).ratio("right") for c in (condition, control))
        return mine - plain

    others = [c for c in dict.fromkeys(rows["condition"]) if c != control]
    numbers = [Number(replace(_EFFECT, name=c), partial(effect, condition=c)) for c in others]
    levels = sorted(rows["difficulty"].unique())
    return analysis(items, _CELLS, {(OVERALL, level): numbers for level in levels})
