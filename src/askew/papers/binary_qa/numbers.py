"""Binary QA: performance, bias, consistency and their spread over domains (Section 2.3).

What is measured is declared in `paper.py`; here answers become sums over items, and sums become
the declared numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

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
    Count,
    Measured,
    Share,
)
from askew.papers.binary_qa.score import (
    STABILITY,
    checked_weights,
    normalized,
    normalized_stdev,
    stability_weight,
)
from askew.schema import Metric
from askew.statistics.intervals import Floats, Ints
from askew.statistics.tables import (
    DEFAULT_INTERVAL,
    OVERALL,
    Analysis,
    Counts,
    Interval,
    Key,
    Quantity,
    Rate,
    Totals,
    UnitTable,
    metric_table,
    ratio,
)

_ONE_DOMAIN = "one domain only: no spread over domains to measure"
_NOT_ASKED, _NO_ANSWER = -1, 0
CODES: Mapping[str, int] = {label: code for code, label in enumerate(LABELS, start=1)}
_COLUMN: Mapping[str, int] = {form: i for i, form in enumerate(FORMS)}


@dataclass(frozen=True)
class Answers:
    """Items and how they were answered; every method gives a number an item, mostly 0 or 1.

    Attributes:
        truth: the right answer to each original question.
        codes: a row an item, a column a form: a code of `CODES`, 0 without an answer, -1 where
            it was not asked.
    """

    truth: npt.NDArray[np.str_]
    codes: npt.NDArray[np.int8]

    def right(self, label: str) -> Floats:
        """The right answer to the original is this one."""
        return np.asarray(self.truth == label, dtype=float)

    @property
    def has_truth(self) -> Floats:
        return np.asarray(np.isin(self.truth, LABELS), dtype=float)

    def said(self, label: str) -> Floats:
        """This was the answer to the original."""
        return np.asarray(self.codes[:, _COLUMN[ORIGINAL]] == CODES[label], dtype=float)

    def asked(self, *forms: str) -> Floats:
        """It was asked in all of these forms."""
        columns = [_COLUMN[form] for form in forms]
        return np.asarray((self.codes[:, columns] != _NOT_ASKED).all(axis=1), dtype=float)

    def consistent(self, forms: Sequence[str]) -> Floats:
        """All of these forms were answered alike; those that flip, the other way round."""
        turned = np.zeros(max(CODES.values()) + 1, dtype=np.int8)
        for label, code in CODES.items():
            turned[code] = CODES[OPPOSITE[label]]
        meant = np.stack(
            [
                turned[np.maximum(column, 0)] if FORMS[form].flips else column
                for form in forms
                for column in [self.codes[:, _COLUMN[form]]]
            ]
        )
        return np.asarray(((meant == meant[0]) & (meant > _NO_ANSWER)).all(axis=0), dtype=float)

    @property
    def n_replies(self) -> Floats:
        return np.asarray((self.codes != _NOT_ASKED).sum(axis=1), dtype=float)

    @property
    def n_unanswered(self) -> Floats:
        return np.asarray((self.codes == _NO_ANSWER).sum(axis=1), dtype=float)


def counts_of(measured: Sequence[Measured]) -> list[Count]:
    """What metrics are sums of, each once."""
    shares = (share for metric in measured for share in metric.shares)
    return list(dict.fromkeys(count for s in shares for count in (*s.hits, *s.of)))


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
    groups, answers = _answers_of(rows)
    subsets = list(dict.fromkeys(groups["subset"]))
    table = _unit_table(groups, answers, subsets)
    basis = Basis(
        subsets,
        frozenset(form for form, i in _COLUMN.items() if (answers.codes[:, i] >= 0).any()),
        _counts(groups, answers, subsets),
        weights,
        _undefined_somewhere(table.point(), subsets),
    )
    return Analysis(table, lambda totals: quantities(totals, basis), {})


# --- From observations to sums ----------------------------------------------------------------


def _answers_of(rows: pd.DataFrame) -> tuple[pd.DataFrame, Answers]:
    """Items in each epoch, and how they were answered."""
    keys = [c for c in ("subset", "item", "epoch", "run") if c in rows]
    number = rows.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
    first = np.unique(number, return_index=True)[1]
    groups = rows.iloc[first][["subset", "item", "unit", "truth"]].reset_index(drop=True)
    codes = rows["answer"].map(CODES).fillna(_NO_ANSWER).to_numpy(np.int8)
    form = pd.Categorical(rows["form"], categories=list(FORMS)).codes
    answers = np.full((len(groups), len(FORMS)), _NOT_ASKED, dtype=np.int8)
    known = form >= 0
    answers[number[known], form[known]] = codes[known]
    return groups, Answers(groups["truth"].to_numpy(str), answers)


def _unit_table(groups: pd.DataFrame, answers: Answers, subsets: Sequence[str]) -> UnitTable:
    """Sums per bootstrap unit, a block of columns a domain; units are drawn within domains."""
    counts = counts_of(MEASURED)
    stratum = _strata(groups, subsets)
    unit, units = pd.factorize(pd.MultiIndex.from_frame(groups[["subset", "unit"]]))
    blocks = np.zeros((len(units), len(subsets), len(counts)))
    np.add.at(blocks, (unit, stratum), np.stack([c.of(answers) for c in counts], axis=1))
    strata: Ints = np.zeros(len(units), dtype=np.int64)
    strata[unit] = stratum
    names: list[Key] = [(subset, count.name) for subset in subsets for count in counts]
    columns = {name: i for i, name in enumerate(names)}
    table = UnitTable(blocks.reshape(len(units), -1), columns, strata, list(units))
    return table.in_fixed_order()


def _strata(groups: pd.DataFrame, subsets: Sequence[str]) -> Ints:
    return pd.Categorical(groups["subset"], categories=list(subsets)).codes.astype(np.int64)


def _counts(groups: pd.DataFrame, answers: Answers, subsets: Sequence[str]) -> dict[Key, Counts]:
    """Items used and left out, by metric and domain; the composites use whole items.

    A difference has counts of each of its two rates too, which rest on different items.
    """
    used: dict[str, Floats] = {m.name: answers.asked(*m.forms) for m in MEASURED}
    for metric in MEASURED:
        for i, share in enumerate(metric.shares):
            used[_rate_name(metric, i)] = np.sum([c.of(answers) for c in share.of], axis=0)
    whole = np.prod([used[m] for m in CORE], axis=0)
    used |= dict.fromkeys(("mbs", "mbs_core"), whole)
    stratum = _strata(groups, subsets)
    items, units = (
        pd.factorize(pd.MultiIndex.from_frame(groups[["subset", column]]))[0]
        for column in ("item", "unit")
    )
    everything = _distinct(items, stratum, np.ones(len(groups), dtype=bool), len(subsets))
    counts: dict[Key, Counts] = {}
    for name, some in used.items():
        kept = _distinct(items, stratum, some > 0, len(subsets))
        n_units = _distinct(units, stratum, some > 0, len(subsets))
        for place, n, of, u in zip((*subsets, OVERALL), kept, everything, n_units, strict=True):
            counts[name, place] = Counts(n, of - n, u)
    return counts


def _rate_name(metric: Metric, i: int) -> str:
    return f"{metric.name}, rate {i}"


def _distinct(codes: Ints, stratum: Ints, mask: npt.NDArray[np.bool_], n_strata: int) -> list[int]:
    """How many different codes a mask leaves: by stratum (each code lies in one), and in all."""
    stratum_of = np.zeros(codes.max(initial=-1) + 1, dtype=np.int64)
    stratum_of[codes] = stratum
    by_stratum = np.bincount(stratum_of[np.unique(codes[mask])], minlength=n_strata).tolist()
    return [*by_stratum, sum(by_stratum)]


# --- From sums to numbers ---------------------------------------------------------------------


@dataclass(frozen=True)
class Basis:
    """What was asked, and on how many items each number rests, by metric and domain."""

    subsets: Sequence[str]
    forms: frozenset[str]
    counts: Mapping[Key, Counts]
    weights: Mapping[str, float]
    undefined: frozenset[str] = frozenset()
    """Metrics without a value in some domain: they have no spread over domains."""

    def quantity(
        self, metric: Metric, place: str, values: Floats, reason: str, of: str = ""
    ) -> Quantity:
        """A number with the bounds and the kind of interval that its metric declares.

        Args:
            metric: its declaration.
            place: the domain.
            values: the number, from each resample.
            reason: why there is none, where there is none.
            of: the metric whose items it rests on; default its own.
        """
        return Quantity(
            values,
            is_rate=metric.interval == "rate",
            bounds=metric.bounds,
            reason=reason,
            counts=self.counts.get((of or metric.name, place)),
            reflect=metric.interval == "mirrored",
            spread=metric.interval == "spread",
        )

    def rate(self, metric: Metric, i: int, place: str, values: Floats) -> Rate:
        """One of the rates that a metric is made of, with the units that it rests on."""
        return Rate(values, self.counts.get((_rate_name(metric, i), place), Counts(0)).n_units)


def _undefined_somewhere(point: Totals, subsets: Sequence[str]) -> frozenset[str]:
    """Core metrics that some domain has no value of."""
    return frozenset(
        name
        for name, metric in CORE_METRICS.items()
        if any(np.isnan(_value(metric, point, (s,))[0]) for s in subsets)
    )


def quantities(totals: Totals, basis: Basis) -> dict[Key, Quantity]:
    """Every metric of every domain and over all, as functions of the sums."""
    found: dict[Key, Quantity] = {}

    def core(place: str) -> dict[str, Floats]:
        return {m: found[m, place].values for m in CORE}

    for place in (*basis.subsets, OVERALL):
        inside = basis.subsets if place == OVERALL else (place,)
        for metric in MEASURED:
            found[metric.name, place] = _measured(metric, totals, basis, inside, place)
        found["mbs_core", place] = _score(core(place), {}, basis, place)
    by_domain = {m: [found[m, s].values for s in basis.subsets] for m in CORE}
    spreads = {m: _spread(m, values, basis) for m, values in by_domain.items()}
    found |= {(SPREADS[m].name, OVERALL): spread for m, spread in spreads.items()}
    stdevs = {m: spread.values for m, spread in spreads.items()}
    found["mbs", OVERALL] = _score(core(OVERALL), stdevs, basis, OVERALL)
    return {key: found[key] for key in _in_order(found, basis.subsets)}


def _measured(
    metric: Measured, totals: Totals, basis: Basis, inside: Sequence[str], place: str
) -> Quantity:
    """A declared metric over the items of these domains together."""
    values = _value(metric, totals, inside)
    made = basis.quantity(metric, place, values, _why_undefined(metric, basis))
    if metric.interval != "difference":
        return made
    first, second = (
        basis.rate(metric, i, place, _rate(share, totals, inside))
        for i, share in enumerate(metric.shares)
    )
    return replace(made, difference_of=(first, second))


def _value(metric: Measured, totals: Totals, inside: Sequence[str]) -> Floats:
    return metric.made(*(_rate(share, totals, inside) for share in metric.shares))


def _rate(share: Share, totals: Totals, inside: Sequence[str]) -> Floats:
    hits, of = (
        np.sum([totals[subset, c.name] for c in counts for subset in inside], axis=0)
        for counts in (share.hits, share.of)
    )
    return np.where(of == 0, share.empty, ratio(hits, of))


def _spread(metric: str, by_domain: Sequence[Floats], basis: Basis) -> Quantity:
    """Population standard deviation over domains; nan where a domain's value is.

    A resample of few items may draw only one label in a domain: it tells of the spread over the
    others. Discarding it would leave small runs without an interval.
    """
    values = np.stack(by_domain)
    one = len(basis.subsets) < 2
    why = _ONE_DOMAIN if one else _why_undefined(CORE_METRICS[metric], basis, "in some domain")
    if one or metric in basis.undefined:
        spread = np.full(values.shape[1], np.nan)
    else:
        spread = _spread_of_known(values)
    return basis.quantity(SPREADS[metric], OVERALL, spread, why, of=metric)


def _spread_of_known(by_domain: Floats) -> Floats:
    """Standard deviation over the domains that have a value; nan with fewer than two."""
    known = ~np.isnan(by_domain)
    n_known = known.sum(axis=0)
    values = np.where(known, by_domain, 0.0)
    mean = values.sum(axis=0) / np.maximum(n_known, 1)
    squares = np.where(known, (by_domain - mean) ** 2, 0.0).sum(axis=0)
    return np.where(n_known > 1, np.sqrt(squares / np.maximum(n_known, 1)), np.nan)


def _score(
    core: Mapping[str, Floats], stdevs: Mapping[str, Floats], basis: Basis, place: str
) -> Quantity:
    """MBS, or without spreads its core rescaled to the same range."""
    points = np.sum([w * normalized(m, core[m]) for m, w in basis.weights.items()], axis=0)
    for metric, stdev in stdevs.items():
        weight = stability_weight(basis.weights[metric])
        points = points + weight * normalized_stdev(metric, stdev)
    undefined = [m for m in CORE if np.isnan(core[m][0])]
    if stdevs and len(basis.subsets) < 2:
        reason = f"{_ONE_DOMAIN}; see mbs_core"
    else:
        undefined = undefined or [SPREADS[m].name for m in stdevs if np.isnan(stdevs[m][0])]
        reason = f"undefined: {', '.join(undefined)}" if undefined else ""
    if stdevs:
        return basis.quantity(PAPER.metric("mbs"), place, points, reason)
    return basis.quantity(PAPER.metric("mbs_core"), place, points / (1 - STABILITY), reason)


def _why_undefined(metric: Measured, basis: Basis, where: str = "") -> str:
    missing = [form for form in metric.forms if form not in basis.forms]
    if missing:
        return f"not asked: {', '.join(missing)}"
    return f"{metric.undefined} {where}".strip()


def _in_order(found: Mapping[Key, Quantity], subsets: Sequence[str]) -> Iterator[Key]:
    """All of the overall rows first, MBS in front, then domain by domain."""
    for subset in (OVERALL, *subsets):
        names = [str(metric) for metric, place in found if place == subset]
        yield from ((n, subset) for n in sorted(names, key=lambda n: (n[:3] != "mbs", n != "mbs")))
