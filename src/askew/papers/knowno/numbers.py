"""KnowNo: accuracy with and without the right option, and OmniAccuracy (Section 3.3)."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from askew.files import yaml_of
from askew.papers.knowno.paper import (
    ABLATION,
    ALARMS,
    HINTS,
    HITS,
    LENGTH,
    PAPER,
    PATTERNS,
    WITH_GOLD,
    WITHOUT_GOLD,
)
from askew.report.blocks import Cell, Table, make_table
from askew.report.estimates import Estimate
from askew.schema import Metric
from askew.stats import tables
from askew.stats.clusters import permute_labels_within
from askew.stats.engine import Function, Items, Number, Sums, analysis, missing_value, share
from askew.stats.intervals import Floats
from askew.stats.quantities import worth_of_mean
from askew.untrusted import one_line

if TYPE_CHECKING:
    from askew.report.evidence import Evidence

_NONE_WHOLE = "no item was answered in every condition"
# Sets of rows that are counted together: those of the core hints with the patterns of `no_hint`,
# those where none-of-them may be said, and those of items that fit no option.
_FREE, _PAIRED, _OFFER, _UNFIT, _BESIDE = ("core", "patterns"), "paired", "offer", "unfit", "beside"
# Hints that OmniAccuracy is made of.
_CORE = (WITH_GOLD, *WITHOUT_GOLD)


def omni_accuracy(with_gold: float, without_gold: Sequence[float]) -> float:
    """Compute OmniAccuracy: the mean of the accuracies with and without the gold option (Eq. 1, 2).

    Args:
        with_gold: Accuracy with the correct option on offer, in percent or as a fraction.
        without_gold: Accuracies without it, one per hint, in the same unit.

    Returns:
        The accuracy, in the same unit.

    Example:
        >>> omni_accuracy(90.0, [40.0, 60.0])
        70.0
    """
    if not without_gold:
        return math.nan
    return (with_gold + math.fsum(without_gold) / len(without_gold)) / 2


def knowno(
    observations: pd.DataFrame,
    by: Sequence[str] = ("model",),
    interval: tables.Interval | None = tables.DEFAULT_INTERVAL,
) -> pd.DataFrame:
    """Compute KnowNo's metrics per subset, and averaged over subsets (`subset` = "all").

    Only complete groups count: an item in one epoch, option order and context length, with every
    hint of the run. The ablation and discernment are paired by item. Several context lengths have
    rows of their own besides the pooled ones. Items that fit no option count in `true_none` alone.

    Args:
        observations: Rows with `hint`, `order`, `pattern`, `correct` and `said_none` besides the
            common columns.
        by: Columns to group by.
        interval: How to compute intervals; `None` for point values only.

    Returns:
        One row per group, metric and level.
    """
    swept = LENGTH in observations and observations[LENGTH].notna().any()
    levels = ("subset", LENGTH) if swept else ("subset",)
    return tables.metric_table(observations, by, levels, partial(_analyse, levels), interval)


def _analyse(levels: Sequence[str], rows: pd.DataFrame) -> tables.Analysis:
    if LENGTH in levels:
        rows = _by_length(rows)
    rows = rows.assign(unfit=rows["gold"] == "" if "gold" in rows else False)
    seen = set(rows["hint"])
    sets = {_FREE[0]: [h for h in _CORE if h in seen]}
    if ABLATION in seen:
        sets[_PAIRED] = [WITH_GOLD, ABLATION]
    if seen & set(ALARMS.values()) and "said_none" in rows:
        sets[_OFFER] = [*HITS.values(), *ALARMS.values()]
    sets[_BESIDE] = [h for h, hint in HINTS.items() if hint.counts == "beside" and h in seen]
    if rows["unfit"].any() and "said_none" in rows:
        sets[_UNFIT] = [h for h in WITHOUT_GOLD if h in seen]
    cells = pd.concat(_cells(rows, sets, levels))
    sums = ("correct", "said_none") if sets.keys() & {_OFFER, _UNFIT} else ("correct",)
    # How many items fit no option is no chance: they are resampled by themselves.
    strata, whole = ("subset", "unfit"), cells["whole"].to_numpy(bool)
    items = Items(cells, (*levels, "set", "cell"), sums, strata, whole)
    numbers = [*_numbers(sets, seen)]
    places: dict[tables.Key, Sequence[Number]] = {}
    pooled: dict[str, Mapping[str, Number]] = {}
    for place in dict.fromkeys(rows[[*levels]].itertuples(index=False, name=None)):
        at = items.observed.of(**dict(zip(levels, place, strict=True)))
        places[place] = [n for n, needed in numbers if not needed or at.of(**needed).cells.any()]
        # An average over subsets is made of all lengths of each together.
        if set(place[1:]) <= {tables.OVERALL}:
            pooled[place[0]] = {number.name: number for number in places[place]}
    names = dict.fromkeys(name for found in pooled.values() for name in found)
    averages = [_average(name, pooled) for name in names]
    places[(tables.OVERALL,) * len(levels)] = averages
    exchanges = {"offer": partial(permute_labels_within, split=_by_offer)}
    return analysis(items, levels, places, exchanges)


def _numbers(
    sets: Mapping[str, Sequence[str]], seen: Collection[str]
) -> Iterator[tuple[Number, Mapping[str, str]]]:
    """The numbers of a subset, each with the levels of a cell that a place must have to have it."""

    def number(metric: str, value: Function, asked: Sequence[str] = (), **within: Any) -> Number:
        missing = [hint for hint in asked if hint not in seen]
        why = f"not asked: {', '.join(missing)}" if missing else _NONE_WHOLE
        value = missing_value if missing else value
        return Number(
            PAPER.metric(metric), value, "whole", why=why, within=within or {"set": _FREE}
        )

    core = sets[_FREE[0]]
    for hint in core:
        yield number(hint, partial(_share, cells=[hint])), {}
    offered, without = (partial(_share, cells=c) for c in ([WITH_GOLD], WITHOUT_GOLD))
    yield number("e_wo_gold", without, _CORE), {}
    yield number("omni_accuracy", lambda s: (offered(s) + without(s)) / 2, _CORE), {}
    yield number("gap", lambda s: offered(s) - without(s), _CORE), {}
    if _PAIRED in sets:
        before, after = (partial(_share, cells=[cell]) for cell in sets[_PAIRED])
        change = number("ablation_change", lambda s: after(s) - before(s), set=_PAIRED)
        yield change, {"set": _PAIRED}
    if _OFFER in sets:
        hits, alarms = (
            partial(_share, cells=[*of.values()], name="said_none") for of in (HITS, ALARMS)
        )
        asked = sets[_OFFER]
        yield number("discernment", lambda s: hits(s) - alarms(s), asked, set=_OFFER), {}
        yield number("false_none", alarms, asked, set=_OFFER), {}
    if _UNFIT in sets:
        none = partial(_share, cells=sets[_UNFIT], name="said_none")
        yield number("true_none", none, set=_UNFIT), {"set": _UNFIT}
    for name in PATTERNS if "no_hint" in core else ():
        yield number(f"pattern_{name}", partial(_pattern, name=name)), {}
    yield number("delimiter_leak", partial(_share, cells=["leak"])), {"cell": "leak"}
    for hint in sets[_BESIDE]:
        yield number(hint, partial(_share, cells=[hint]), set=_BESIDE, cell=hint), {}


def _share(sums: Sums, cells: Sequence[str], name: str = "correct") -> Floats:
    """The share of replies of which something holds, averaged over cells."""
    return np.asarray(np.mean([sums.of(cell=cell).ratio(name) for cell in cells], axis=0))


def _pattern(sums: Sums, name: str) -> Floats:
    return tables.ratio(sums.of(cell=f"pattern {name}")["n"], sums.of(cell="no_hint")["n"])


def _average(name: str, pooled: Mapping[str, Mapping[str, Number]]) -> Number:
    """The unweighted mean over the subsets that have a metric; nan where one of them is."""
    parts = {subset: found[name] for subset, found in pooled.items() if name in found}
    first = next(iter(parts.values()))

    def counts(sums: Sums) -> tables.Counts:
        """Its clusters are what a mean of unequal samples is worth."""
        each = [sums.of(subset=subset, **first.within).counts("whole") for subset in pooled]
        each = [c for c in each if c.n_items or c.n_dropped]
        n_items, n_dropped = sum(c.n_items for c in each), sum(c.n_dropped for c in each)
        worth = worth_of_mean([c.n_clusters for c in each])
        total = sum(c.n_asked for c in each), each[0].group if each else "items"
        return tables.Counts(n_items, n_dropped, worth, max(1, len(each)), *total)

    def value(sums: Sums) -> Floats:
        return np.asarray(np.mean([n.of(sums.of(subset=s)) for s, n in parts.items()], axis=0))

    def shaped(found: tables.Quantity, _: Sums) -> tables.Quantity:
        is_mean = found.interval == "rate" and len(parts) > 1
        return replace(found, interval="composite") if is_mean else found

    return replace(first, value=value, within={}, counts=counts, shaped=shaped)


def _by_offer(key: tables.Key) -> tuple[tables.Key, bool, tables.Key] | None:
    """What is said with the right option and without it trade places, in each way to say none."""
    *place, of, hint, name = key
    if of != _OFFER:
        return None
    return (HINTS[str(hint)].says_none,), HINTS[str(hint)].right == "none", (*place, name)


def _by_length(rows: pd.DataFrame) -> pd.DataFrame:
    """Every row among those of all lengths and, where it was asked in one, of its own."""
    rows = rows.assign(asked_length=rows[LENGTH])
    own = rows[rows[LENGTH].notna()]
    named = own[LENGTH].astype(int).astype(str)
    return pd.concat([rows.assign(**{LENGTH: tables.OVERALL}), own.assign(**{LENGTH: named})])


def _cells(
    rows: pd.DataFrame, sets: Mapping[str, Sequence[str]], levels: Sequence[str]
) -> Iterator[pd.DataFrame]:
    """The rows of every sum, by their set and its cell; a row may stand in several.

    `whole` are those of which every hint of their set was observed in their group.
    """
    columns = (*levels, "asked_length", "item", "epoch", "order", "run")
    group = [c for c in columns if c in rows]
    for name, hints in sets.items():
        own = rows[rows["hint"].isin(hints) & (rows["unfit"] == (name == _UNFIT))]
        seen = own.groupby(group, sort=False, dropna=False)["hint"].transform("nunique")
        whole = (seen == len(hints)) | (name == _BESIDE)
        yield (own := own.assign(whole=whole, set=name, cell=own["hint"]))
        if name == _FREE[0] and "pattern" in own:
            free = own[(own["hint"] == "no_hint") & own["whole"]].assign(set=_FREE[1])
            yield free.assign(cell="pattern " + free["pattern"].astype(str))
            if "delimiter_leak" in free:
                leaking = free[free["delimiter_leak"].notna()]
                yield leaking.assign(cell="leak", correct=leaking["delimiter_leak"])


# --- the chapter's table of the labels that replies give where none fits ---

_MOST_LABELS = 10
_GIVEN, _OF_LABEL = Metric("share"), ("subset", "label")


def attraction(evidence: "Evidence") -> Table | None:
    """The labels that a model gives most where none fits, as shares of replies that could."""
    rows = evidence.observations
    if not {"kind", "pattern"} <= {*rows}:
        return None
    rows = rows[(rows["kind"] == "intent") & rows["hint"].isin(WITHOUT_GOLD)]
    records = []
    for model in evidence.models:
        for subset, own in rows[rows["model"] == model.label].groupby("subset", sort=False):
            given = own["answer"].where(own["pattern"] == "offered")
            counts = given.value_counts().sort_index().sort_values(ascending=False, kind="stable")
            if counts.empty:
                continue
            asked = [
                own.assign(label=label, given=given == label)[own["gold"] != label]
                for label in counts.index[:_MOST_LABELS]
            ]
            shares = tables.metric_table(
                pd.concat(asked), ("model",), _OF_LABEL, _label_shares, evidence.interval
            )
            found = {row["label"]: Estimate(*(row[n] for n in tables.NUMBERS))
                     for row in shares.to_dict("records")}  # fmt: skip
            for label, n in counts[:_MOST_LABELS].items():
                records.append({
                    "kind": model.kind, "cells": {
                        "of": f"{model.short}, {evidence.label('subset', str(subset))}",
                        "Label": one_line(label), "n": f"{n:,}",
                        "Share": Cell(estimate=found[label]),
                    },
                })  # fmt: skip
    words = yaml_of(__package__, "chapter.yaml")["words"]["attraction"]
    return make_table(words, records, words["id"]) if records else None


def _label_shares(rows: pd.DataFrame) -> tables.Analysis:
    items = Items(rows, _OF_LABEL, ("given",))
    return analysis(items, _OF_LABEL, {cell: [share(_GIVEN, "given")] for cell in items.cells})
