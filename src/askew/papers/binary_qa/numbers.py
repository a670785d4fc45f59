"""Binary QA: performance, bias, consistency and their spread over domains (Section 2.3).

What is measured is declared in `paper.py`; here answers become sums over items, and sums become
the declared numbers.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pandas as pd

from askew.papers.binary_qa.paper import (
    CORE,
    CORE_METRICS,
    FORMS,
    LABELS,
    MEASURED,
    OPPOSITE,
    ORIGINAL,
    PAPER,
    SPREADS,
    Measured,
    Share,
)
from askew.papers.binary_qa.score import STABILITY, checked_weights, points_of
from askew.stats.exchanges import exchanged_across
from askew.stats.intervals import LEVEL, Floats, percentile_interval
from askew.stats.nulls import NoEffect
from askew.stats.tables import (
    DEFAULT_INTERVAL,
    OVERALL,
    Analysis,
    Counts,
    Interval,
    Key,
    Quantity,
    Rate,
    Totals,
    metric_table,
    ratio,
    unit_table,
)

Codes = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]

_ONE_DOMAIN = "one domain only: no spread over domains to measure"
_EVERYTHING = "every item"
_NOT_ASKED, _NO_ANSWER = -1, 0
_CODES: Mapping[str, int] = {label: code for code, label in enumerate(LABELS, start=1)}
# What each code means where a form flips the answer.
_TURNED = np.array([_NO_ANSWER, *(_CODES[OPPOSITE[label]] for label in LABELS)], dtype=np.int8)
_COLUMN: Mapping[str, int] = {form: i for i, form in enumerate(FORMS)}
# Guessers are drawn in blocks so that memory stays flat however many items there are.
_BLOCK_ANSWERS = 4_000_000


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
    analyse = partial(_analyse, weights=checked_weights(weights))
    return metric_table(observations, by, ("subset",), analyse, interval)


def random_guesser(
    observations: pd.DataFrame,
    draws: int = 1_000,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Binary QA's metrics of a guesser that says Yes and No with equal chance, in every form.

    `value` is the mean over many such guessers, `low` and `high` hold 95% of them.

    Args:
        observations: rows that say which items there are; who answered does not matter.
        draws: how many guessers.
        seed: equal seeds give equal rows.
        weights: weights of MBS; the paper's by default.
    """
    if draws < 1:
        raise ValueError(f"draws={draws}: draw at least one guesser")
    items = observations.drop_duplicates(["subset", "item"])
    domains = items.groupby("subset", sort=False)["truth"]
    truths = {str(subset): truth.to_numpy(str) for subset, truth in domains}
    basis = _Basis(list(truths), frozenset(FORMS), {}, checked_weights(weights))
    rows = []
    for (metric, subset), quantity in _quantities(_guessed(truths, draws, seed), basis).items():
        low, high = percentile_interval(quantity.values, LEVEL)
        # A guesser that happens to give one answer only has no precision; the others stand.
        defined = quantity.values[~np.isnan(quantity.values)]
        rows.append(
            {
                "metric": metric,
                "subset": subset,
                "value": float(defined.mean()) if defined.size else math.nan,
                "low": low,
                "high": high,
                "n_items": sum(len(t) for s, t in truths.items() if subset in (s, OVERALL)),
                "n_dropped": 0,
                "reason": "" if defined.size else quantity.reason,
            }
        )
    return pd.DataFrame(rows)


def counted(truth: npt.NDArray[np.str_], codes: Codes) -> dict[str, Floats]:
    """What the metrics are sums of: by name, how much each item counts, mostly 0 or 1.

    A metric over several forms has two sums of its own: items asked in all of them ("asked"), and
    those answered alike, or the other way round where a form flips ("hit").

    Args:
        truth: the right answer to each original question.
        codes: a row an item, a column a form: a code of `_CODES`, 0 without an answer, -1 where
            it was not asked.
    """
    original = codes[:, _COLUMN[ORIGINAL]]
    has_truth = np.isin(truth, LABELS)
    found: dict[str, npt.NDArray[np.generic]] = {}
    for label, code in _CODES.items():
        found[f"is {label}"] = (truth == label) & (original != _NOT_ASKED)
        found[f"said {label}"] = (original == code) & has_truth
        found[f"hit {label}"] = (original == code) & (truth == label)
    for metric in MEASURED:
        if len(metric.forms) < 2:
            continue
        found[f"{metric.name} asked"] = _asked(codes, *metric.forms)
        meant = [codes[:, _COLUMN[form]] for form in metric.forms]
        for i, form in enumerate(metric.forms):
            if FORMS[form].flips:
                meant[i] = _TURNED[np.maximum(meant[i], 0)]
        agree = np.all([said == meant[0] for said in meant], axis=0)
        found[f"{metric.name} hit"] = agree & (meant[0] > _NO_ANSWER)
    found["replies"] = (codes != _NOT_ASKED).sum(axis=1)
    found["without answer"] = (codes == _NO_ANSWER).sum(axis=1)
    return {name: values.astype(float) for name, values in found.items()}


def _asked(codes: Codes, *forms: str) -> Mask:
    """Which items were asked in all of these forms."""
    asked: Mask = (codes[:, [_COLUMN[form] for form in forms]] != _NOT_ASKED).all(axis=1)
    return asked


def _analyse(rows: pd.DataFrame, weights: Mapping[str, float]) -> Analysis:
    groups, codes = _answers_of(rows)
    sums = counted(groups["truth"].to_numpy(str), codes)
    subsets = list(dict.fromkeys(groups["subset"]))
    # Units are drawn within domains.
    table = unit_table(groups.assign(**sums), ("subset",), list(sums)).in_fixed_order()
    point = table.point()
    basis = _Basis(
        subsets,
        frozenset(form for form, i in _COLUMN.items() if (codes[:, i] >= 0).any()),
        _counts(groups, codes, sums),
        weights,
        # A metric without a value in some domain has no spread over domains.
        frozenset(
            name
            for name, metric in CORE_METRICS.items()
            if any(np.isnan(_value(metric, point, (s,))[0]) for s in subsets)
        ),
    )

    def recombined(found: Mapping[Key, NoEffect], point: Totals) -> dict[Key, float]:
        """MBS of the same answers, with the noise of its spreads taken off."""
        if ("mbs", OVERALL) not in found:
            return {}
        core = {m: _value(CORE_METRICS[m], point, subsets) for m in CORE}
        clean = {m: np.array([found[SPREADS[m].name, OVERALL].without_noise]) for m in CORE}
        return {("mbs", OVERALL): float(np.sum([*points_of(core, clean, weights).values()]))}

    statistic = partial(_quantities, basis=basis)
    # Items trade their domains.
    traded = partial(exchanged_across, split=lambda key: ((), key[0], key[1:]))
    return Analysis(table, statistic, {}, {"domain": traded}, recombined)


def _answers_of(rows: pd.DataFrame) -> tuple[pd.DataFrame, Codes]:
    """Items in each epoch, and how they were answered."""
    keys = [c for c in ("subset", "item", "epoch", "run") if c in rows]
    number = rows.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
    first = np.unique(number, return_index=True)[1]
    groups = rows.iloc[first][["subset", "item", "unit", "truth"]].reset_index(drop=True)
    said = rows["answer"].map(_CODES).fillna(_NO_ANSWER).to_numpy(np.int8)
    form = pd.Index([*FORMS]).get_indexer(pd.Index(rows["form"]))
    codes = np.full((len(groups), len(FORMS)), _NOT_ASKED, dtype=np.int8)
    known = form >= 0
    codes[number[known], form[known]] = said[known]
    return groups, codes


def _counts(groups: pd.DataFrame, codes: Codes, sums: Mapping[str, Floats]) -> dict[Key, Counts]:
    """Items used and left out, by metric and domain; the composites use whole items.

    A difference has counts of each of its two rates too, which rest on different items.
    """
    used: dict[str, Mask] = {m.name: _asked(codes, *m.forms) for m in MEASURED}
    used |= {
        _rate_name(metric, i): np.sum([sums[name] for name in share.of], axis=0) > 0
        for metric in MEASURED
        for i, share in enumerate(metric.shares)
    }
    whole: Mask = np.all([used[m] for m in CORE], axis=0)
    used |= {"mbs": whole, "mbs_core": whole, _EVERYTHING: np.ones(len(groups), dtype=bool)}
    items, units = (_distinct(groups, kind, pd.DataFrame(used)) for kind in ("item", "unit"))
    n_domains = {place: len(items) - 1 if place == OVERALL else 1 for place in items}
    return {
        (name, place): Counts(
            n, items[place][_EVERYTHING] - n, units[place][name], n_domains[place]
        )
        for place, by_name in items.items()
        for name, n in by_name.items()
    }


def _distinct(
    groups: pd.DataFrame, kind: str, used: pd.DataFrame
) -> Mapping[Hashable, Mapping[Hashable, int]]:
    """How many different items, or units, each number rests on: by domain, and in all."""
    each = used.groupby([groups["subset"], groups[kind]], sort=False).any()
    by_domain = each.groupby(level=0, sort=False).sum()
    by_domain.loc[OVERALL] = by_domain.sum()
    return by_domain.to_dict("index")


def _rate_name(metric: Measured, i: int) -> str:
    return f"{metric.name}, rate {i}"


def _guessed(truths: Mapping[str, npt.NDArray[np.str_]], draws: int, seed: int) -> Totals:
    """The sums that each guesser gets: one row a guesser, a block of columns a domain."""
    rng = np.random.default_rng(seed)
    sums: dict[Key, Floats] = {}
    for subset, truth in truths.items():
        step = max(1, _BLOCK_ANSWERS // (len(truth) * len(FORMS)))
        blocks = []
        for start in range(0, draws, step):
            n = min(step, draws - start)
            shape = (n * len(truth), len(FORMS))
            said = rng.integers(1, len(LABELS) + 1, size=shape, dtype=np.int8)
            guesses = counted(np.tile(truth, n), said)
            blocks.append({k: v.reshape(n, -1).sum(axis=1) for k, v in guesses.items()})
        sums |= {(subset, name): np.concatenate([b[name] for b in blocks]) for name in blocks[0]}
    return Totals(np.stack(list(sums.values()), axis=1), {key: i for i, key in enumerate(sums)})


@dataclass(frozen=True)
class _Basis:
    """What was asked, and on how many items each number rests, by metric and domain.

    `undefined` are metrics without a value in some domain.
    """

    subsets: Sequence[str]
    forms: frozenset[str]
    counts: Mapping[Key, Counts]
    weights: Mapping[str, float]
    undefined: frozenset[str] = frozenset()

    def why(self, metric: Measured, where: str = "") -> str:
        """Why a metric has no value, where it has none."""
        missing = [form for form in metric.forms if form not in self.forms]
        if missing:
            return f"not asked: {', '.join(missing)}"
        return f"{metric.undefined} {where}".strip()


def _quantities(totals: Totals, basis: _Basis) -> dict[Key, Quantity]:
    """Every metric of every domain and over all, as functions of the sums.

    All of the overall rows first, MBS in front, then domain by domain.
    """
    by_place: dict[str, dict[str, Quantity]] = {}
    for place in (OVERALL, *basis.subsets):
        inside = basis.subsets if place == OVERALL else (place,)
        found = {m.name: _measured(m, totals, basis, inside, place) for m in MEASURED}
        by_place[place] = {"mbs_core": _score(found, {}, basis, place), **found}
    spreads = {m: _spread(m, [by_place[s][m].values for s in basis.subsets], basis) for m in CORE}
    overall = by_place[OVERALL]
    by_place[OVERALL] = {
        "mbs": _score(overall, spreads, basis, OVERALL),
        **overall,
        **{SPREADS[m].name: spread for m, spread in spreads.items()},
    }
    return {(name, place): q for place, found in by_place.items() for name, q in found.items()}


def _measured(
    metric: Measured, totals: Totals, basis: _Basis, inside: Sequence[str], place: str
) -> Quantity:
    """A declared metric over the items of these domains together."""
    made = Quantity.of(
        metric,
        _value(metric, totals, inside),
        reason=basis.why(metric),
        counts=basis.counts.get((metric.name, place)),
    )
    if metric.interval != "difference":
        return made
    first, second = (
        Rate(
            _rate(share, totals, inside),
            basis.counts.get((_rate_name(metric, i), place), Counts(0)).n_units,
        )
        for i, share in enumerate(metric.shares)
    )
    return replace(made, parts=(first, second))


def _value(metric: Measured, totals: Totals, inside: Sequence[str]) -> Floats:
    value: Floats = metric.made(*(_rate(share, totals, inside) for share in metric.shares))
    return value


def _rate(share: Share, totals: Totals, inside: Sequence[str]) -> Floats:
    hits, of = (
        np.sum([totals[subset, name] for name in names for subset in inside], axis=0)
        for names in (share.hits, share.of)
    )
    return np.where(of == 0, share.empty, ratio(hits, of))


def _spread(metric: str, by_domain: Sequence[Floats], basis: _Basis) -> Quantity:
    """Population standard deviation over domains; nan where a domain's value is.

    A resample of few items may draw only one label in a domain: it tells of the spread over the
    others. Discarding it would leave small runs without an interval.
    """
    values = np.stack(by_domain)
    one = len(basis.subsets) < 2
    if one or metric in basis.undefined:
        spread = np.full(values.shape[1], np.nan)
    else:
        deviation = pd.DataFrame(values).std(ddof=0).to_numpy()
        spread = np.where((~np.isnan(values)).sum(axis=0) > 1, deviation, np.nan)
    return Quantity.of(
        SPREADS[metric],
        spread,
        reason=_ONE_DOMAIN if one else basis.why(CORE_METRICS[metric], "in some domain"),
        counts=basis.counts.get((metric, OVERALL)),
    )


def _score(
    core: Mapping[str, Quantity], spreads: Mapping[str, Quantity], basis: _Basis, place: str
) -> Quantity:
    """MBS, or without spreads its core rescaled to the same range."""
    values = {m: core[m].values for m in CORE}
    stdevs = {m: spread.values for m, spread in spreads.items()}
    undefined = [m for m in CORE if np.isnan(values[m][0])]
    if stdevs and len(basis.subsets) < 2:
        reason = f"{_ONE_DOMAIN}; see mbs_core"
    else:
        undefined = undefined or [SPREADS[m].name for m in stdevs if np.isnan(stdevs[m][0])]
        reason = f"undefined: {', '.join(undefined)}" if undefined else ""
    name, whole = ("mbs", 1.0) if spreads else ("mbs_core", 1 - STABILITY)
    points = points_of(values, stdevs, basis.weights)
    return Quantity.of(
        PAPER.metric(name),
        np.sum(list(points.values()), axis=0) / whole,
        reason=reason,
        counts=basis.counts.get((name, place)),
    )
