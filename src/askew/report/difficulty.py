"""What a report shows of levels of difficulty: accuracy, effects, thresholds and their shifts.

Conditions are those of the factor that the paper's plain condition names, the control's first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from askew.papers import get_paper
from askew.report.estimates import NUMBERS, Estimate
from askew.report.study import Study
from askew.schema import PERCENT, POINTS, Metric, Paper
from askew.stats.engine import Items, Number, Sums, analysis, share
from askew.stats.intervals import Floats
from askew.stats.tables import OVERALL, Analysis, Interval, metric_table
from askew.stats.thresholds import Threshold, threshold_shifts, thresholds

UNDEFINED = "\u2013"
_RIGHT = Metric("right")
_EFFECT = Metric("effect", unit=POINTS, bounds=(-1.0, 1.0), interval="paired")
_CELLS = ("condition", "difficulty")


def level_rows(paper: Paper, rows: pd.DataFrame) -> Iterator[tuple[pd.DataFrame, str]]:
    """Rows of generated questions with `condition`, `right` and `guess`, and which is the control.

    Where no condition is plain, those that are compared with each other: the first is the control.
    """
    if "difficulty" not in rows or not (paper.chance or paper.chances):
        return
    made = rows[rows["difficulty"].fillna(0).astype(float) > 0]
    factor, within = paper.compared or (next(iter(paper.plain[0])), "task")
    guess = pd.Series(paper.chance, index=made.index)
    for column, chances in paper.chances.items():
        guess = made[column].map(chances).astype(float).fillna(guess)
    made = made.assign(
        condition=made[factor].astype(str), right=made[paper.split_of].astype(float),
        difficulty=made["difficulty"].astype(int), guess=guess,
    )  # fmt: skip
    for _, part in made[made["right"].notna()].groupby(within, sort=False):
        names = part["condition"].unique()
        first = next((n for n in paper.factor(factor).values if n in names), names[0])
        yield part, first if paper.compared else str(paper.plain[0][factor])


def level_records(study: Study, interval: Interval) -> Iterator[Mapping[str, Any]]:
    """Accuracy at each level, and by how much a condition moves it from the control's."""
    for task, paper, rows, control in _asked(study):
        right = metric_table(rows, ("model",), _CELLS, _accuracy, interval)
        items = rows.groupby(["model", "item"])["condition"].transform("nunique")
        whole = rows[items == rows.groupby("model")["condition"].transform("nunique")]

        effects = partial(_effects, control=control)
        moved = metric_table(whole, ("model",), _CELLS, effects, interval)
        found = {
            (r["model"], r["metric"], r["difficulty"]): Estimate(*(r[n] for n in NUMBERS))
            for r in moved.to_dict("records")
        }
        for row in right.to_dict("records"):
            key = row["model"], row["condition"], row["difficulty"]
            effect = found.get(key)
            yield {
                "of": paper.name, "task": task, "model": row["model"],
                "condition": row["condition"], "level": row["difficulty"],
                "accuracy": Estimate(*(row[n] for n in NUMBERS)).text(PERCENT),
                "effect": effect.text(POINTS) if effect else "control",
                "n": row["n_items"],
            }  # fmt: skip


def threshold_records(study: Study, interval: Interval) -> Iterator[Mapping[str, Any]]:
    """Each condition's threshold and its shift from the control's, or why there is none."""
    for task, paper, rows, control in _asked(study):
        for model, own in rows.groupby("model", sort=False):
            others = [c for c in dict.fromkeys(own["condition"]) if c != control]
            at = thresholds(own, [control, *others], interval.level)
            shifts = threshold_shifts(own, control, others, interval.level)
            for found, shift in zip(at, [None, *shifts], strict=True):
                yield {
                    "of": paper.name, "task": task, "model": str(model),
                    "condition": found.condition, "threshold": _text(found),
                    "shift": _text(shift) if shift else "control",
                    "p": f"{shift.p_value:.3f}" if shift and shift.p_value >= 0 else UNDEFINED,
                    "n": found.n_items,
                }  # fmt: skip


def _text(found: Threshold) -> str:
    """A number of levels with its interval, or why there is none."""
    if math.isnan(found.value):
        return f"{UNDEFINED} ({found.reason})"
    return f"{found.value:.1f} ({found.low:.1f} to {found.high:.1f})"


def _asked(study: Study) -> Iterator[tuple[str, Paper, pd.DataFrame, str]]:
    for task, rows in study.by_task.items():
        for made, control in level_rows(get_paper(task), rows.assign(task=task)):
            yield task, get_paper(task), made, control


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
