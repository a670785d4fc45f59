"""KnowNo: accuracy with and without the right option, and OmniAccuracy (Section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from askew.papers.knowno.paper import (
    ABLATION,
    ALARMS,
    DISCERNMENT,
    HINTS,
    HITS,
    LENGTH,
    PAPER,
    PATTERNS,
    WITH_GOLD,
    WITHOUT_GOLD,
)
from askew.stats import tables
from askew.stats.exchanges import exchanged_within
from askew.stats.intervals import Floats
from askew.stats.quantities import worth_of_mean

_NONE_WHOLE = "no item was answered in every condition"
# What the cells begin with where none-of-them may be said.
_OFFER = "offer "


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
    interval: tables.Interval | None = tables.DEFAULT_INTERVAL,
) -> pd.DataFrame:
    """KnowNo's metrics per subset, and averaged over subsets (`subset` = "all").

    Only whole groups count: an item in one epoch, option order and length of context, with every
    hint that was asked. The ablation is paired with `with_gold` on its own items, and discernment
    holds against each other what was said of an item with its right option and without it. Where
    several lengths were asked, each has rows of its own beside those that pool them.

    Args:
        observations: rows with `hint`, `order`, `pattern`, `correct`, `said_none` beside the
            common columns.
        by: columns to tell apart, a row a metric for each.
        interval: how to make intervals; `None` for point values only.
    """
    swept = LENGTH in observations and observations[LENGTH].notna().any()
    levels = ("subset", LENGTH) if swept else ("subset",)
    return tables.metric_table(observations, by, levels, partial(_analyse, levels), interval)


def _analyse(levels: Sequence[str], rows: pd.DataFrame) -> tables.Analysis:
    if LENGTH in levels:
        rows = _by_length(rows)
    places = list(dict.fromkeys(rows[[*levels]].itertuples(index=False, name=None)))
    seen = set(rows["hint"])
    asked = [h for h in (WITH_GOLD, *WITHOUT_GOLD) if h in seen]
    beside = [h for h, hint in HINTS.items() if hint.counts == "beside" and h in seen]
    # What is counted together, by the words that its cells begin with.
    sets = {"": asked, **{f"beside {h}": [h] for h in beside}}
    if ABLATION in seen:
        sets["paired "] = [WITH_GOLD, ABLATION]
    offers = [*HITS.values(), *ALARMS.values()]
    if seen & set(ALARMS.values()) and "said_none" in rows:
        sets[_OFFER] = offers
    whole, counts = {}, {}
    for name, hints in sets.items():
        whole[name], counts[name] = _whole_groups(rows[rows["hint"].isin(hints)], hints, levels)
    sums = ("correct", "said_none") if _OFFER in sets else ("correct",)
    table = tables.unit_table(pd.concat(_cells(whole)), (*levels, "cell"), sums)

    def statistic(totals: tables.Totals) -> Mapping[tables.Key, tables.Quantity]:
        found: dict[tables.Key, tables.Quantity] = {}

        def add(
            metric: str, place: tables.Key, values: Floats, of: str = "", reason: str = _NONE_WHOLE
        ) -> None:
            own = counts[of].get(place, tables.Counts(0)) if of else None
            declared = PAPER.metric(metric)
            found[metric, *place] = tables.Quantity.of(declared, values, reason=reason, counts=own)

        for place in places:
            accuracy = {hint: _right(totals, place, hint) for hint in asked}
            for hint, values in accuracy.items():
                add(hint, place, values)
            for metric, values, reason in _omni(accuracy, len(totals)):
                add(metric, place, values, reason=reason)
            if place in counts.get("paired ", ()):
                before, after = (
                    _right(totals, place, f"paired {hint}") for hint in (WITH_GOLD, ABLATION)
                )
                add("ablation_change", place, after - before, of="paired ")
            if _OFFER in sets:
                lacking = [hint for hint in offers if hint not in seen]
                why = f"not asked: {', '.join(lacking)}" if lacking else _NONE_WHOLE
                hits, alarms = (_said_none(totals, place, of) for of in (HITS, ALARMS))
                add(DISCERNMENT, place, hits - alarms, of=_OFFER, reason=why)
                add("false_none", place, alarms, of=_OFFER, reason=why)
            for name in PATTERNS if "no_hint" in asked else ():
                n = totals[*place, f"pattern {name}", "n"]
                add(f"pattern_{name}", place, tables.ratio(n, totals[*place, "no_hint", "n"]))
            if (*place, "leak", "n") in totals:
                add("delimiter_leak", place, _right(totals, place, "leak"))
            for hint in beside:
                cell = f"beside {hint}"
                add(hint, place, _right(totals, place, cell), of=cell)
        return found | _averages(found, pooled)

    # What an average over subsets is made of: all lengths of each together.
    pooled = [place for place in places if set(place[1:]) <= {tables.OVERALL}]
    core = counts[""]
    level_counts = {place: core[place] for place in places if place in core}
    whole_counts = [core[place] for place in pooled if place in core]
    level_counts[(tables.OVERALL,) * len(levels)] = _summed(whole_counts)
    return tables.Analysis(table, statistic, level_counts, {"offer": _offer_traded})


def _offer_traded(table: tables.UnitTable, draws: int, seed: int) -> tables.Totals:
    """The sums, had what was said with the right option been said without it, and back."""
    of = {name: (way, of is HITS) for of in (HITS, ALARMS) for way, name in of.items()}

    def split(key: tables.Key) -> tuple[tables.Key, bool, tables.Key] | None:
        *place, cell, name = key
        if not str(cell).startswith(_OFFER):
            return None
        way, is_hit = of[str(cell).removeprefix(_OFFER)]
        return (way,), is_hit, (*place, name)

    return exchanged_within(table, draws, seed, split=split)


def _by_length(rows: pd.DataFrame) -> pd.DataFrame:
    """Every row among those of all lengths and, where it was asked in one, of its own."""
    rows = rows.assign(asked_length=rows[LENGTH])
    own = rows[rows[LENGTH].notna()]
    named = own[LENGTH].astype(int).astype(str)
    return pd.concat([rows.assign(**{LENGTH: tables.OVERALL}), own.assign(**{LENGTH: named})])


def _whole_groups(
    rows: pd.DataFrame, hints: Sequence[str], levels: Sequence[str]
) -> tuple[pd.DataFrame, dict[tables.Key, tables.Counts]]:
    """Rows of groups in which every hint was observed, and per place how many items that is."""
    asked = (*levels, "asked_length", "item", "epoch", "order", "run")
    group = [c for c in asked if c in rows]
    seen = rows.groupby(group, sort=False, dropna=False)["hint"].transform("nunique")
    whole = rows[seen == len(hints)]
    kept = dict(iter(whole.groupby([*levels], sort=False)))
    counts: dict[tables.Key, tables.Counts] = {}
    for place, part in rows.groupby([*levels], sort=False):
        own = kept.get(place, part[:0])
        n_items = own["item"].nunique()
        dropped = part["item"].nunique() - n_items
        counts[tuple(map(str, place))] = tables.Counts(n_items, dropped, own["unit"].nunique())
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


def _said_none(totals: tables.Totals, place: tables.Key, of: Mapping[str, str]) -> Floats:
    """The share of replies that say none, averaged over the ways in which they may."""
    cells = [(*place, f"{_OFFER}{hint}") for hint in of.values()]
    shares = [totals.ratio((*cell, "said_none"), (*cell, "n")) for cell in cells]
    return np.asarray(np.mean(shares, axis=0))


def _right(totals: tables.Totals, place: tables.Key, cell: str) -> Floats:
    return totals.ratio((*place, cell, "correct"), (*place, cell, "n"))


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


def _averages(
    quantities: Mapping[tables.Key, tables.Quantity], subsets: Sequence[tables.Key]
) -> dict[tables.Key, tables.Quantity]:
    """Unweighted means over the subsets that have the metric; nan where one of them is."""
    averages: dict[tables.Key, tables.Quantity] = {}
    for metric in dict.fromkeys(str(metric) for metric, *_ in quantities):
        parts = [quantities[metric, *s] for s in subsets if (metric, *s) in quantities]
        averages[metric, *[tables.OVERALL] * len(subsets[0])] = tables.Quantity.of(
            PAPER.metric(metric),
            np.mean([p.values for p in parts], axis=0),
            mean=len(parts) > 1,
            reason="; ".join(dict.fromkeys(p.reason for p in parts if p.reason)),
            counts=_summed([p.counts for p in parts if p.counts]) if parts[0].counts else None,
        )
    return averages


def _summed(counts: Sequence[tables.Counts]) -> tables.Counts:
    """Counts of a mean over subsets; its units are what a mean of unequal samples is worth."""
    n_items, n_dropped = sum(c.n_items for c in counts), sum(c.n_dropped for c in counts)
    worth = worth_of_mean([c.n_units for c in counts])
    return tables.Counts(n_items, n_dropped, worth, max(1, len(counts)))
