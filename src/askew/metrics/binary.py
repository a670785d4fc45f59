"""Binary QA: performance, bias, consistency and their spread over domains (Section 2.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from askew.metrics.binary_score import (
    CORE,
    DELTAS,
    STABILITY,
    checked_weights,
    largest_stdev,
    normalized,
    normalized_stdev,
    stability_weight,
)
from askew.metrics.stats import Floats, Ints
from askew.metrics.tables import (
    DEFAULT_INTERVAL,
    Analysis,
    Counts,
    Interval,
    Key,
    Quantity,
    Totals,
    UnitTable,
    metric_table,
    ratio,
)

ALL = "all"
LABELS = ("Yes", "No")
FORMS = (
    "original",
    "synonym",
    "hedged",
    "contradictory",
    "false_framing",
    "swapped_options",
    "repeat_2",
    "repeat_3",
)
# The forms that a consistency metric compares with the original.
COMPARED: Mapping[str, tuple[str, ...]] = {
    "prc": ("synonym", "hedged"),
    "nrc": ("contradictory", "false_framing"),
    "arc": ("swapped_options",),
    "sc": ("repeat_2", "repeat_3"),
}
_ON_ORIGINAL = ("f1", *DELTAS, "said_no")
_NOT_ASKED, _NO_ANSWER, _YES, _NO = -1, 0, 1, 2
_CODES: Mapping[str, int] = {"Yes": _YES, "No": _NO}
_WHY_UNDEFINED: Mapping[str, str] = {
    "delta_recall": "the right answers are all Yes or all No",
    "delta_precision": "Yes or No was never the answer",
}
_ONE_DOMAIN = "one domain only: no spread over domains to measure"

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


@dataclass(frozen=True)
class Asked:
    """What was asked, and on how many items each number rests, by metric and domain."""

    subsets: Sequence[str]
    forms: frozenset[str]
    counts: Mapping[Key, Counts]
    weights: Mapping[str, float]
    undefined: frozenset[str] = frozenset()
    """Metrics without a value in some domain: they have no spread over domains."""


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
        _undefined_somewhere(table.point(), subsets),
    )
    return Analysis(table, lambda totals: quantities(totals, asked), {})


def _undefined_somewhere(point: Totals, subsets: Sequence[str]) -> frozenset[str]:
    values = [_core_values(point, (s,)) for s in subsets]
    return frozenset(m for m in CORE if any(np.isnan(v[m][0]) for v in values))


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
    return UnitTable(blocks.reshape(len(units), -1), columns, strata, list(units))


def _counts(groups: pd.DataFrame, answers: Answers, subsets: Sequence[str]) -> dict[Key, Counts]:
    """Items used and left out, by metric and domain; the composites use whole items."""
    used = {metric: _consistency(metric, answers)[0] for metric in COMPARED}
    used.update((metric, answers[:, 0] != _NOT_ASKED) for metric in _ON_ORIGINAL)
    used["no_answer"] = (answers != _NOT_ASKED).any(axis=1)
    whole = np.logical_and.reduce([used[m] for m in CORE])
    used.update((metric, whole) for metric in ("mbs", "mbs_core"))
    places = {s: (groups["subset"] == s).to_numpy() for s in subsets}
    places[ALL] = np.ones(len(groups), dtype=bool)
    ids = pd.factorize(pd.MultiIndex.from_frame(groups[["subset", "item"]]))[0]
    units = pd.factorize(pd.MultiIndex.from_frame(groups[["subset", "unit"]]))[0]
    return {
        (metric, subset): Counts(
            kept := len(np.unique(ids[mask & place])),
            len(np.unique(ids[place])) - kept,
            len(np.unique(units[mask & place])),
        )
        for metric, mask in used.items()
        for subset, place in places.items()
    }


def quantities(totals: Totals, asked: Asked) -> dict[Key, Quantity]:
    """Every metric of every domain and over all, as functions of the sums."""
    found: dict[Key, Quantity] = {}
    core: dict[str, dict[str, Floats]] = {}
    for subset in (*asked.subsets, ALL):
        values = _core_values(totals, asked.subsets if subset == ALL else (subset,))
        core[subset] = {m: values[m] for m in CORE}
        for metric, value in values.items():
            found[metric, subset] = Quantity(
                value,
                is_rate=metric not in _COMPOSITES,
                bounds=(-1.0, 1.0) if metric in DELTAS else (0.0, 1.0),
                reason=_why_undefined(metric, asked),
                counts=asked.counts.get((metric, subset)),
            )
        found["mbs_core", subset] = _score(core[subset], {}, asked, subset)
    spreads = _spreads(core, asked)
    found |= spreads
    stdevs = {m: spreads[f"stdev_{m}", ALL].values for m in CORE}
    found["mbs", ALL] = _score(core[ALL], stdevs, asked, ALL)
    return {key: found[key] for key in _in_order(found, asked.subsets)}


_COMPOSITES = ("f1", *DELTAS)


def _core_values(totals: Totals, subsets: Sequence[str]) -> dict[str, Floats]:
    """The metrics over the items of these domains together."""

    def total(name: str) -> Floats:
        return np.sum([totals[s, name] for s in subsets], axis=0)  # type: ignore[no-any-return]

    n_items = total("is Yes") + total("is No")
    f1 = np.zeros(len(totals))
    recall, precision = {}, {}
    for label in LABELS:
        hits, of_label, said = total(f"hit {label}"), total(f"is {label}"), total(f"said {label}")
        recall[label], precision[label] = ratio(hits, of_label), ratio(hits, said)
        # A label that no item has weighs nothing, so its undefined F1 must not count.
        f1 += np.nan_to_num(ratio(2 * hits, of_label + said)) * np.nan_to_num(
            ratio(of_label, n_items)
        )
    values = {
        "f1": np.where(n_items > 0, f1, np.nan),
        "delta_recall": recall["No"] - recall["Yes"],
        "delta_precision": precision["No"] - precision["Yes"],
    }
    values |= {m: ratio(total(f"{m} hit"), total(f"{m} asked")) for m in COMPARED}
    values["said_no"] = ratio(total("said No"), n_items)
    values["no_answer"] = ratio(total("without answer"), total("replies"))
    return values


def _spreads(core: Mapping[str, Mapping[str, Floats]], asked: Asked) -> dict[Key, Quantity]:
    """Population standard deviations over domains; nan where a domain's value is.

    A resample of few items may draw only one label in a domain: it tells of the spread over the
    others. Discarding it would leave small runs without an interval.
    """
    spreads: dict[Key, Quantity] = {}
    for metric in CORE:
        by_domain = np.stack([core[s][metric] for s in asked.subsets])
        one = len(asked.subsets) < 2
        why = _ONE_DOMAIN if one else _why_undefined(metric, asked, "in some domain")
        spreads[f"stdev_{metric}", ALL] = Quantity(
            np.full(by_domain.shape[1], np.nan)
            if one or metric in asked.undefined
            else _spread_of_known(by_domain),
            bounds=(0.0, largest_stdev(metric)),
            reason=why,
            counts=asked.counts.get((metric, ALL)),
            spread=True,
        )
    return spreads


def _spread_of_known(by_domain: Floats) -> Floats:
    """Standard deviation over the domains that have a value; nan with fewer than two."""
    known = ~np.isnan(by_domain)
    n_known = known.sum(axis=0)
    values = np.where(known, by_domain, 0.0)
    mean = values.sum(axis=0) / np.maximum(n_known, 1)
    squares = np.where(known, (by_domain - mean) ** 2, 0.0).sum(axis=0)
    return np.where(n_known > 1, np.sqrt(squares / np.maximum(n_known, 1)), np.nan)


def _score(
    core: Mapping[str, Floats], stdevs: Mapping[str, Floats], asked: Asked, subset: str
) -> Quantity:
    """MBS, or without spreads its core rescaled to the same range."""
    points = np.sum([w * normalized(m, core[m]) for m, w in asked.weights.items()], axis=0)
    for metric, stdev in stdevs.items():
        weight = stability_weight(asked.weights[metric])
        points = points + weight * normalized_stdev(metric, stdev)
    undefined = [m for m in CORE if np.isnan(core[m][0])]
    reason = f"undefined: {', '.join(undefined)}" if undefined else ""
    if stdevs and len(asked.subsets) < 2:
        reason = f"{_ONE_DOMAIN}; see mbs_core"
    elif stdevs and not undefined:
        spreads = [f"stdev_{m}" for m in CORE if np.isnan(stdevs[m][0])]
        reason = f"undefined: {', '.join(spreads)}"
    return Quantity(
        points if stdevs else points / (1 - STABILITY),
        bounds=(0.0, 100.0),
        reason=reason,
        counts=asked.counts.get(("mbs", subset)),
        reflect=True,
    )


def _why_undefined(metric: str, asked: Asked, where: str = "") -> str:
    forms = ("original", *COMPARED.get(metric, ()))
    missing = [f for f in forms if f not in asked.forms]
    if missing:
        return f"not asked: {', '.join(missing)}"
    why = _WHY_UNDEFINED.get(metric, "no item was asked in every form it needs")
    return f"{why} {where}".strip()


def _in_order(found: Mapping[Key, Quantity], subsets: Sequence[str]) -> Iterator[Key]:
    """All of the overall rows first, MBS in front, then domain by domain."""
    for subset in (ALL, *subsets):
        names = [str(metric) for metric, place in found if place == subset]
        yield from ((n, subset) for n in sorted(names, key=lambda n: (n[:3] != "mbs", n != "mbs")))
