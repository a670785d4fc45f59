"""Binary QA: performance, bias, consistency and their spread over domains (Section 2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from askew.papers.binary_qa.quantities import (
    ALL,
    COMPARED,
    FORMS,
    LABELS,
    Asked,
    quantities,
    undefined_somewhere,
)
from askew.papers.binary_qa.score import CORE, DELTAS, checked_weights
from askew.statistics.intervals import Floats, Ints
from askew.statistics.tables import (
    DEFAULT_INTERVAL,
    Analysis,
    Counts,
    Interval,
    Key,
    UnitTable,
    metric_table,
)

_ON_ORIGINAL = ("f1", *DELTAS, "said_no")
_NOT_ASKED, _NO_ANSWER, _YES, _NO = -1, 0, 1, 2
_CODES: Mapping[str, int] = {"Yes": _YES, "No": _NO}

Answers = npt.NDArray[np.int8]


def binary_qa(
    observations: pd.DataFrame,
    by: Sequence[str] = ("model",),
    interval: Interval | None = DEFAULT_INTERVAL,
    weights: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Binary QA's metrics per domain (`subset`) and over all items (`subset` = "all").

    A consistency metric counts the items that were asked in every form it compares; a reply
    without an answer is inconsistent. `mbs` and the spreads `stdev_...` exist for "all" only.

    Args:
        observations: rows with `form`, `truth` and `answer` beside the common columns.
        by: columns to tell apart, a row a metric for each.
        interval: how to make intervals; `None` for point values only.
        weights: weights of MBS; the paper's by default.
    """
    checked = checked_weights(weights)
    return metric_table(
        observations, by, ("subset",), lambda rows: _analyse(rows, checked), interval
    )


def _analyse(rows: pd.DataFrame, weights: Mapping[str, float]) -> Analysis:
    groups, answers = answer_groups(rows)
    subsets = list(dict.fromkeys(groups["subset"]))
    names, features = tally(groups["truth"].to_numpy(str), answers)
    table = _unit_table(groups, names, features, subsets)
    asked = Asked(
        subsets,
        frozenset(f for i, f in enumerate(FORMS) if (answers[:, i] != _NOT_ASKED).any()),
        _counts(groups, answers, subsets),
        weights,
        undefined_somewhere(table.point(), subsets),
    )
    return Analysis(table, lambda totals: quantities(totals, asked), {})


def answer_groups(rows: pd.DataFrame) -> tuple[pd.DataFrame, Answers]:
    """Items in each epoch, and the codes of their answers: a row an item, a column a form."""
    keys = [c for c in ("subset", "item", "epoch", "run") if c in rows]
    number = rows.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
    first = np.unique(number, return_index=True)[1]
    groups = rows.iloc[first][["subset", "item", "unit", "truth"]].reset_index(drop=True)
    codes = rows["answer"].map(_CODES).fillna(_NO_ANSWER).to_numpy(np.int8)
    form = pd.Categorical(rows["form"], categories=FORMS).codes
    answers = np.full((len(groups), len(FORMS)), _NOT_ASKED, dtype=np.int8)
    known = form >= 0
    answers[number[known], form[known]] = codes[known]
    return groups, answers


def tally(truth: npt.NDArray[np.str_], answers: Answers) -> tuple[list[str], Floats]:
    """What all metrics are sums of: names, and for every item a row of ones and zeros."""
    original = answers[:, 0]
    columns: dict[str, npt.NDArray[np.bool_]] = {}
    for label in LABELS:
        of_label = (truth == label) & (original != _NOT_ASKED)
        columns[f"is {label}"] = of_label
        columns[f"said {label}"] = (original == _CODES[label]) & np.isin(truth, LABELS)
        columns[f"hit {label}"] = of_label & (original == _CODES[label])
    for metric in COMPARED:
        counted, consistent = _consistency(metric, answers)
        columns[f"{metric} asked"] = counted
        columns[f"{metric} hit"] = counted & consistent
    sums = {
        "replies": (answers != _NOT_ASKED).sum(axis=1),
        "without answer": (answers == _NO_ANSWER).sum(axis=1),
    }
    stacked = [np.asarray(c, dtype=float) for c in (*columns.values(), *sums.values())]
    return [*columns, *sums], np.stack(stacked, axis=1)


def _consistency(
    metric: str, answers: Answers
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which items were asked in all forms of a metric, and which were answered consistently."""
    original = answers[:, 0]
    others = answers[:, [FORMS.index(f) for f in COMPARED[metric]]]
    counted = (original != _NOT_ASKED) & (others != _NOT_ASKED).all(axis=1)
    wanted = np.where(original == _YES, _NO, _YES) if metric == "nrc" else original
    agree = (others == wanted[:, None]).all(axis=1) & (original > _NO_ANSWER)
    return counted, agree


def _unit_table(
    groups: pd.DataFrame, names: Sequence[str], features: Floats, subsets: Sequence[str]
) -> UnitTable:
    """Sums per bootstrap unit, a block of columns a domain; units are drawn within domains."""
    stratum = pd.Categorical(groups["subset"], categories=list(subsets)).codes.astype(np.int64)
    unit, units = pd.factorize(pd.MultiIndex.from_frame(groups[["subset", "unit"]]))
    blocks = np.zeros((len(units), len(subsets), len(names)))
    np.add.at(blocks, (unit, stratum), features)
    strata: Ints = np.zeros(len(units), dtype=np.int64)
    strata[unit] = stratum
    columns: dict[Key, int] = {
        (s, n): i * len(names) + j for i, s in enumerate(subsets) for j, n in enumerate(names)
    }
    table = UnitTable(blocks.reshape(len(units), -1), columns, strata, list(units))
    return table.in_fixed_order()


def _counts(groups: pd.DataFrame, answers: Answers, subsets: Sequence[str]) -> dict[Key, Counts]:
    """Items used and left out, by metric and domain; the composites use whole items."""
    used = {metric: _consistency(metric, answers)[0] for metric in COMPARED}
    used.update((metric, answers[:, 0] != _NOT_ASKED) for metric in _ON_ORIGINAL)
    for label in LABELS:
        used[f"is {label}"] = (groups["truth"] == label).to_numpy() & used["f1"]
        used[f"said {label}"] = answers[:, 0] == _CODES[label]
    used["no_answer"] = (answers != _NOT_ASKED).any(axis=1)
    whole = np.logical_and.reduce([used[m] for m in CORE])
    used.update((metric, whole) for metric in ("mbs", "mbs_core"))
    stratum = pd.Categorical(groups["subset"], categories=list(subsets)).codes.astype(np.int64)
    items, units = (
        pd.factorize(pd.MultiIndex.from_frame(groups[["subset", name]]))[0]
        for name in ("item", "unit")
    )
    everything = _distinct(items, stratum, np.ones(len(groups), dtype=bool), len(subsets))
    counts: dict[Key, Counts] = {}
    for metric, mask in used.items():
        kept = _distinct(items, stratum, mask, len(subsets))
        n_units = _distinct(units, stratum, mask, len(subsets))
        for place, n, of, u in zip((*subsets, ALL), kept, everything, n_units, strict=True):
            counts[metric, place] = Counts(n, of - n, u)
    return counts


def _distinct(codes: Ints, stratum: Ints, mask: npt.NDArray[np.bool_], n_strata: int) -> list[int]:
    """How many different codes a mask leaves: by stratum (each code lies in one), and in all."""
    stratum_of = np.zeros(codes.max(initial=-1) + 1, dtype=np.int64)
    stratum_of[codes] = stratum
    by_stratum = np.bincount(stratum_of[np.unique(codes[mask])], minlength=n_strata).tolist()
    return [*by_stratum, sum(by_stratum)]
