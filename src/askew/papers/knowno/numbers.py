"""KnowNo: accuracy with and without the right option, and OmniAccuracy (Section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

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

_NONE_WHOLE = "no item was answered in every condition"


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
    seen = set(rows["hint"])
    asked = [h for h in (WITH_GOLD, *WITHOUT_GOLD) if h in seen]
    beside = [h for h, hint in HINTS.items() if hint.counts == "beside" and h in seen]
    # What is counted together, by the words that its cells begin with.
    sets = {"": asked, **{f"beside {h}": [h] for h in beside}}
    if ABLATION in seen:
        sets["paired "] = [WITH_GOLD, ABLATION]
    whole, counts = {}, {}
    for name, hints in sets.items():
        whole[name], counts[name] = _whole_groups(rows[rows["hint"].isin(hints)], hints)
    table = unit_table(pd.concat(_cells(whole)), ("subset", "cell"), ("correct",))

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        found: dict[Key, Quantity] = {}

        def add(
            metric: str, subset: str, values: Floats, of: str = "", reason: str = _NONE_WHOLE
        ) -> None:
            own = counts[of].get(subset, Counts(0)) if of else None
            declared = PAPER.metric(metric)
            found[metric, subset] = Quantity.of(declared, values, reason=reason, counts=own)

        for subset in subsets:
            accuracy = {hint: _right(totals, subset, hint) for hint in asked}
            for hint, values in accuracy.items():
                add(hint, subset, values)
            for metric, values, reason in _omni(accuracy, len(totals)):
                add(metric, subset, values, reason=reason)
            if subset in counts.get("paired ", ()):
                before, after = (
                    _right(totals, subset, f"paired {hint}") for hint in (WITH_GOLD, ABLATION)
                )
                add("ablation_change", subset, after - before, of="paired ")
            for name in PATTERNS if "no_hint" in asked else ():
                n = totals[subset, f"pattern {name}", "n"]
                add(f"pattern_{name}", subset, ratio(n, totals[subset, "no_hint", "n"]))
            if (subset, "leak", "n") in totals:
                add("delimiter_leak", subset, _right(totals, subset, "leak"))
            for hint in beside:
                cell = f"beside {hint}"
                add(hint, subset, _right(totals, subset, cell), of=cell)
        return found | _averages(found, subsets)

    core = counts[""]
    level_counts: dict[Key, Counts] = {(s,): core[s] for s in subsets if s in core}
    level_counts[(OVERALL,)] = _summed(list(core.values()))
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
        dropped = part["item"].nunique() - n_items
        counts[str(subset)] = Counts(n_items, dropped, kept["unit"].nunique())
    return whole, counts


def _cells(whole: Mapping[str, pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """The rows of every sum, under its name as `cell`; a row may stand in several."""
    for name, rows in whole.items():
        yield rows.assign(cell=name if name.startswith("beside ") else name + rows["hint"])
    free = whole[""][whole[""]["hint"] == "no_hint"]
    if "pattern" in free:
        yield free.assign(cell="pattern " + free["pattern"].astype(str))
        leaking = free[free["delimiter_leak"].notna()] if "delimiter_leak" in free else free[:0]
        if len(leaking):
            yield leaking.assign(cell="leak", correct=leaking["delimiter_leak"])


def _right(totals: Totals, subset: str, cell: str) -> Floats:
    return totals.ratio((subset, cell, "correct"), (subset, cell, "n"))


def _omni(accuracy: Mapping[str, Floats], n: int) -> Iterator[tuple[str, Floats, str]]:
    """The metrics over all core hints, with why there is no value where there is none."""
    missing = [h for h in (WITH_GOLD, *WITHOUT_GOLD) if h not in accuracy]
    if missing:
        offered = without = np.full(n, np.nan)
        reason = f"not asked: {', '.join(missing)}"
    else:
        offered = accuracy[WITH_GOLD]
        without = np.mean([accuracy[h] for h in WITHOUT_GOLD], axis=0)
        reason = _NONE_WHOLE
    yield "e_wo_gold", without, reason
    yield "omni_accuracy", (offered + without) / 2, reason
    yield "gap", offered - without, reason


def _averages(quantities: Mapping[Key, Quantity], subsets: Sequence[str]) -> dict[Key, Quantity]:
    """Unweighted means over the subsets that have the metric; nan where one of them is."""
    averages: dict[Key, Quantity] = {}
    for metric in dict.fromkeys(str(metric) for metric, _ in quantities):
        parts = [quantities[metric, s] for s in subsets if (metric, s) in quantities]
        averages[metric, OVERALL] = Quantity.of(
            PAPER.metric(metric),
            np.mean([p.values for p in parts], axis=0),
            mean=len(parts) > 1,
            reason="; ".join(dict.fromkeys(p.reason for p in parts if p.reason)),
            counts=_summed([p.counts for p in parts if p.counts]) if parts[0].counts else None,
        )
    return averages


def _summed(counts: Sequence[Counts]) -> Counts:
    """Counts of a mean over subsets; its units are what a mean of unequal samples is worth."""
    units = [c.n_units for c in counts]
    worth = len(units) ** 2 / math.fsum(1 / n for n in units) if units and all(units) else 0
    n_items, n_dropped = sum(c.n_items for c in counts), sum(c.n_dropped for c in counts)
    return Counts(n_items, n_dropped, round(worth), max(1, len(counts)))
