"""MathComp: directional error, and how far a word drags answers towards itself (Section 4.4).

DirErr(y) is the share of wrong answers y among all questions whose right answer is not y. A
reply without an answer errs in no direction and stays in the denominator; one without a score is
left out. All numbers are fractions; the paper prints percent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from askew.papers.mathcomp.contrasts import (
    LEVELS,
    framing_contrasts,
    identity_contrasts,
    place,
    relief,
)
from askew.papers.mathcomp.paper import FREE_FORM, LABELS, PAPER, STANDARD
from askew.schema import GRADER
from askew.stats.engine import Items, Sums, analysis, share
from askew.stats.tables import (
    DEFAULT_INTERVAL,
    OVERALL,
    Analyse,
    Analysis,
    Counts,
    Interval,
    metric_table,
    table_of,
)

ReadAs = Literal["answer", "strict", "lenient"]

# What is told apart in each set of rates; the levels left out are pooled.
CUTS: Sequence[tuple[str, ...]] = (
    (),
    ("output",),
    ("output", "identity"),
    ("output", "identity", "style", "term", "position"),
    ("subset",),
    ("subset", "output", "identity"),
    ("subset", "output", "identity", "position"),
)


def dir_err(
    gold: Sequence[str], predicted: Sequence[str | None], label: str, *, parsed_only: bool = False
) -> float:
    """DirErr of one label, as a fraction: wrong answers `label` by questions where it is wrong.

    Args:
        gold: the right answers.
        predicted: the answers given, in the same order; `None` where none was read.
        label: the direction.
        parsed_only: leave replies without an answer out of the denominator.
    """
    if len(gold) != len(predicted):
        raise ValueError(f"{len(gold)} right answers and {len(predicted)} given ones: not pairs")
    chances = [
        given
        for right, given in zip(gold, predicted, strict=True)
        if right != label and not (parsed_only and given is None)
    ]
    return sum(given == label for given in chances) / len(chances) if chances else math.nan


def framing_pull(framed: Mapping[str, float], neutral: Mapping[str, float]) -> float:
    """Mean over the three terms of DirErr(t | framed with t) - DirErr(t | neutral).

    Args:
        framed: DirErr of each term in the framings that use it.
        neutral: DirErr of each term in the neutral framing, in the same unit.
    """
    if set(framed) != set(LABELS) or set(neutral) != set(LABELS):
        return math.nan
    return math.fsum(framed[t] - neutral[t] for t in LABELS) / len(LABELS)


def mathcomp(
    observations: pd.DataFrame,
    by: Sequence[str] = ("model",),
    interval: Interval | None = DEFAULT_INTERVAL,
    *,
    parsed_only: bool = False,
    reading: ReadAs = "answer",
    cuts: Sequence[tuple[str, ...]] = CUTS,
) -> pd.DataFrame:
    """MathComp's metrics, pooled and by output, identity, framing and category.

    Levels that a row pools are "all". `framing_pull` rests on items whose replies were scored in
    every framing that it compares, `identity_gap` and `identity_shift` on questions scored for
    every identity, `cot_relief` on items scored under both outputs; the other metrics rest on
    all observations of their cell.

    Args:
        observations: rows with `gold`, `output`, `identity`, `style`, `term` and `position`
            beside the common columns.
        by: columns to tell apart, a row a metric for each.
        interval: how to make intervals; `None` for point values only.
        parsed_only: leave replies without an answer out of the denominators, as some published
            cells do.
        reading: which answer counts: "answer", or the columns `strict_answer` or
            `lenient_answer`.
        cuts: which levels to tell apart in the rates; each is a set of rows.
    """
    if not len(observations):
        return table_of(by, LEVELS, ())
    rows = prepared(observations, reading, parsed_only)
    tables = [metric_table(rows, by, LEVELS, partial(rates, kept=cut), interval) for cut in cuts]
    detailed = ("output", "identity") in cuts
    contrasts: list[Analyse] = [partial(framing_contrasts, detailed=detailed)]
    if FREE_FORM in set(rows["output"]):
        contrasts.append(relief)
    if not rows["identity"].eq(STANDARD).all():
        contrasts.append(partial(identity_contrasts, detailed=detailed))
    tables += [metric_table(rows, by, LEVELS, contrast, interval) for contrast in contrasts]
    return _ordered(pd.concat(tables, ignore_index=True), by)


def _ordered(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Group by group, pooled rows first, the headline in front of them."""
    group = table.groupby(list(by), sort=False, dropna=False).ngroup() if by else 0
    told_apart = (table[list(LEVELS)] != OVERALL).sum(axis=1)
    behind_headline = np.where(table["metric"].str.startswith("framing_pull"), 0, 1)
    keys = pd.DataFrame({"group": group, "told_apart": told_apart, "headline": behind_headline})
    order = keys.sort_values(["group", "told_apart", "headline"], kind="stable").index
    return table.loc[order].reset_index(drop=True)


# The column that holds each reading of a reply.
ANSWERS: Mapping[str, str] = {
    "answer": "answer",
    "strict": "strict_answer",
    "lenient": "lenient_answer",
}
# Shares of the scored replies, by the column they count.
_SHARES: Mapping[str, str] = {
    "unparsed_rate": "unparsed",
    "yes_no_rate": "yes_no",
    "frames_words_rate": "frames_words",
    "frame_echo_rate": "frame_echo",
    "accuracy_strict": "correct_strict",
    "accuracy_lenient": "correct_lenient",
    "judged_rate": "judged",
}


def prepared(observations: pd.DataFrame, reading: str, parsed_only: bool) -> pd.DataFrame:
    """Observations with what every sum needs: chances, errors and marks, as numbers."""
    column = ANSWERS.get(reading)
    if column is None:
        raise ValueError(f"reading={reading!r}: valid are {', '.join(ANSWERS)}")
    missing = [c for c in ("gold", *LEVELS, column) if c not in observations]
    if missing:
        raise ValueError(f"mathcomp: no column {', '.join(missing)} in the observations")
    given, gold = observations[column].fillna(""), observations["gold"]
    answered = given.isin(LABELS)
    counted = answered | (not parsed_only)
    marks = {
        "scored": pd.Series(True, index=observations.index),
        "counted": counted,
        "correct": (given == gold) & counted,
        "unparsed": ~answered,
    }
    for label in LABELS:
        marks[f"possible {label}"] = gold != label
        marks[f"chance {label}"] = marks[f"possible {label}"] & counted
        marks[f"error {label}"] = marks[f"chance {label}"] & (given == label)
    if "decided_by" in observations:
        marks["judged"] = observations["decided_by"] == GRADER
    return observations.assign(**{name: mark.astype(float) for name, mark in marks.items()})


def rates(rows: pd.DataFrame, kept: Sequence[str]) -> Analysis:
    """The rates of every cell of the kept levels, all other levels pooled."""
    nothing = "nothing was scored here"
    # Each metric with what is summed, what that is divided by, and why it may be undefined.
    parts = [
        (f"dir_err_{y}", f"error {y}", f"chance {y}", f"{y} is never wrong here") for y in LABELS
    ]
    parts += [("accuracy", "correct", "counted", nothing)]
    parts += [(m, column, "scored", nothing) for m, column in _SHARES.items() if column in rows]
    wholes = dict.fromkeys(whole for _, _, whole, _ in parts)
    # Items are drawn within their category only where categories are told apart.
    strata = ("subset",) if "subset" in kept else ()
    items = Items(rows, kept, [*wholes, *(part for _, part, _, _ in parts)], strata)
    numbers = [
        replace(
            share(PAPER.metric(metric), part, whole, why),
            counts=partial(_counts, whole=whole, by_subset=bool(strata)),
        )
        for metric, part, whole, why in parts
    ]
    cells = (dict(zip(kept, map(str, cell), strict=True)) for cell in items.cells)
    return analysis(items, LEVELS, {place(**cell): numbers for cell in cells})


def _counts(sums: Sums, whole: str, by_subset: bool) -> Counts:
    """Items behind a denominator; dropped are those that have it beside these cells only."""
    found = sums.counts(whole)
    # An item has no chance of an error towards its own label, wherever it is asked.
    possible = whole.replace("chance", "possible") if whole.startswith("chance") else "n"
    inside = {"subset": sums.items.values("subset", sums.cells)[0]} if by_subset else {}
    asked = sums.items.observed.of(**inside).counts(possible).n_items
    return replace(found, n_dropped=asked - found.n_items)
