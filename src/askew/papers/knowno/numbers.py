"""KnowNo: accuracy with and without the right option, and OmniAccuracy (Section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from askew.papers.knowno.paper import ABLATION, HINTS, PAPER, PATTERNS, WITH_GOLD, WITHOUT_GOLD
from askew.statistics.intervals import Floats
from askew.statistics.tables import (
    DEFAULT_INTERVAL,
    OVERALL,
    Analysis,
    Counts,
    Interval,
    Key,
    Quantity,
    Totals,
    metric_table,
    ratio,
    unit_table,
)


def omni_accuracy(with_gold: float, without_gold: Sequence[float]) -> float:
    """Mean of the accuracy with the gold option and the mean accuracy without it (Eq. 1, 2).

    Args:
        with_gold: accuracy where the right option is offered, in percent or as a fraction.
        without_gold: accuracies where it is not, one a hint, in the same unit.
    """
    if not without_gold:
        return math.nan
    return (with_gold + math.fsum(without_gold) / len(without_gold)) / 2


def knowno(
    observations: pd.DataFrame,
    by: Sequence[str] = ("model",),
    interval: Interval | None = DEFAULT_INTERVAL,
) -> pd.DataFrame:
    """KnowNo's metrics per subset, and averaged over subsets (`subset` = "all").

    Only whole groups count: an item in one epoch and option order, with every hint that was
    asked. The ablation is paired with `with_gold` on its own items.

    Args:
        observations: rows with `hint`, `order`, `pattern`, `correct` beside the common columns.
        by: columns to tell apart, a row a metric for each.
        interval: how to make intervals; `None` for point values only.
    """
    return metric_table(observations, by, ("subset",), _analyse, interval)


def _analyse(rows: pd.DataFrame) -> Analysis:
    subsets = list(dict.fromkeys(rows["subset"]))
    asked = [h for h in (WITH_GOLD, *WITHOUT_GOLD) if (rows["hint"] == h).any()]
    core = rows[rows["hint"].isin(asked)]
    whole, counts = _whole_groups(core, asked)
    ablated = rows[rows["hint"].isin((WITH_GOLD, ABLATION))]
    paired, paired_counts = _whole_groups(ablated, [WITH_GOLD, ABLATION])
    has_ablation = bool((rows["hint"] == ABLATION).any())
    beside = [
        h for h, hint in HINTS.items() if hint.counts == "beside" and (rows["hint"] == h).any()
    ]
    beside_counts = {h: _whole_groups(rows[rows["hint"] == h], [h])[1] for h in beside}

    parts = [whole.assign(cell=whole["hint"])]
    if has_ablation:
        parts.append(paired.assign(cell="paired " + paired["hint"]))
    apart = rows[rows["hint"].isin(beside)]
    parts.append(apart.assign(cell="beside " + apart["hint"]))
    if "pattern" in whole:
        free = whole[whole["hint"] == "no_hint"]
        parts.append(free.assign(cell="pattern " + free["pattern"].astype(str)))
        leaking = free[free["delimiter_leak"].notna()] if "delimiter_leak" in free else free[:0]
        if len(leaking):
            parts.append(leaking.assign(cell="leak", correct=leaking["delimiter_leak"]))
    table = unit_table(pd.concat(parts), ("subset", "cell"), ("correct",))

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        quantities: dict[Key, Quantity] = {}
        for subset in subsets:
            ablation = paired_counts.get(subset) if has_ablation else None
            quantities |= _subset_quantities(totals, subset, asked, ablation)
            for hint in beside:
                share = totals.ratio(
                    (subset, f"beside {hint}", "correct"), (subset, f"beside {hint}", "n")
                )
                counts_of = beside_counts[hint].get(subset, Counts(0))
                quantities[hint, subset] = _as_declared(hint, share, counts=counts_of)
        return quantities | _averages(quantities, subsets)

    level_counts: dict[Key, Counts] = {(s,): counts[s] for s in subsets if s in counts}
    level_counts[(OVERALL,)] = _summed(list(counts.values()))
    return Analysis(table, statistic, level_counts)


def _whole_groups(
    rows: pd.DataFrame, hints: Sequence[str]
) -> tuple[pd.DataFrame, dict[str, Counts]]:
    """Rows of groups in which every hint was observed, and per subset how many items that is."""
    group = [c for c in ("subset", "item", "epoch", "order", "run") if c in rows]
    seen = rows.groupby(group, sort=False, dropna=False)["hint"].transform("nunique")
    whole = rows[seen == len(hints)]
    counts = {}
    for subset, part in rows.groupby("subset", sort=False):
        kept = whole[whole["subset"] == subset]
        n_items = kept["item"].nunique()
        counts[str(subset)] = Counts(
            n_items, part["item"].nunique() - n_items, kept["unit"].nunique()
        )
    return whole, counts


def _subset_quantities(
    totals: Totals, subset: str, asked: Sequence[str], ablation: Counts | None
) -> dict[Key, Quantity]:
    accuracy = {h: totals.ratio((subset, h, "correct"), (subset, h, "n")) for h in asked}
    quantities: dict[Key, Quantity] = {
        (hint, subset): _as_declared(hint, values) for hint, values in accuracy.items()
    }
    quantities |= _omni_quantities(accuracy, subset, totals)
    if ablation:
        change = totals.ratio(
            (subset, f"paired {ABLATION}", "correct"), (subset, f"paired {ABLATION}", "n")
        ) - totals.ratio(
            (subset, f"paired {WITH_GOLD}", "correct"), (subset, f"paired {WITH_GOLD}", "n")
        )
        change_of = _as_declared("ablation_change", change, counts=ablation)
        quantities["ablation_change", subset] = change_of
    asked_free = totals[(subset, "no_hint", "n")]
    for pattern in PATTERNS:
        if "no_hint" in asked:
            share = ratio(totals[(subset, f"pattern {pattern}", "n")], asked_free)
            name = f"pattern_{pattern}"
            quantities[name, subset] = _as_declared(name, share)
    if (subset, "leak", "n") in totals:
        leak = totals.ratio((subset, "leak", "correct"), (subset, "leak", "n"))
        quantities["delimiter_leak", subset] = _as_declared("delimiter_leak", leak)
    return quantities


def _omni_quantities(
    accuracy: Mapping[str, Floats], subset: str, totals: Totals
) -> dict[Key, Quantity]:
    missing = [h for h in (WITH_GOLD, *WITHOUT_GOLD) if h not in accuracy]
    if missing:
        why = f"not asked: {', '.join(missing)}"
        undefined = np.full(len(totals), np.nan)
        names = ("e_wo_gold", "omni_accuracy", "gap")
        return {(m, subset): _as_declared(m, undefined, reason=why) for m in names}
    offered = accuracy[WITH_GOLD]
    without = np.mean([accuracy[h] for h in WITHOUT_GOLD], axis=0)
    values = {
        "e_wo_gold": without,
        "omni_accuracy": (offered + without) / 2,
        "gap": offered - without,
    }
    empty = "no item was answered in every condition"
    return {(m, subset): _as_declared(m, v, reason=empty) for m, v in values.items()}


def _as_declared(metric: str, values: Floats, **known: Any) -> Quantity:
    return Quantity.of(PAPER.metric(metric), values, **known)


def _averages(quantities: Mapping[Key, Quantity], subsets: Sequence[str]) -> dict[Key, Quantity]:
    """Unweighted means over the subsets that have the metric; nan where one of them is."""
    averages: dict[Key, Quantity] = {}
    for metric in dict.fromkeys(key[0] for key in quantities):
        parts = [quantities[(metric, s)] for s in subsets if (metric, s) in quantities]
        reasons = dict.fromkeys(p.reason for p in parts if p.reason)
        averages[metric, OVERALL] = _as_declared(
            str(metric),
            np.mean([p.values for p in parts], axis=0),
            mean=len(parts) > 1,
            reason="; ".join(reasons),
            counts=_summed([p.counts for p in parts if p.counts]) if parts[0].counts else None,
        )
    return averages


def _summed(counts: Sequence[Counts]) -> Counts:
    """Counts of a mean over subsets; its units are what a mean of unequal samples is worth."""
    units = [c.n_units for c in counts]
    worth = len(units) ** 2 / math.fsum(1 / n for n in units) if units and all(units) else 0
    return Counts(sum(c.n_items for c in counts), sum(c.n_dropped for c in counts), round(worth))
