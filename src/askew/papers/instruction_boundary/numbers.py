"""Instruction Boundary: accuracy on tense and sparse labels, robustness, output rates, flips.

The paper's formulas did not survive in the text at hand; Section 2.2 and Appendix G say what they
measure. RR, the "robustness rate", is given both ways: as the share of answers that do not change
against vanilla (`rr`), and as the change of accuracy (`acc_change`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from askew.papers.instruction_boundary.number_rows import SUMS, Cells, counted, prepared
from askew.papers.instruction_boundary.paper import FAMILIES, PAPER, SETTINGS, VANILLA, Family
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

LEVELS = ("subset", "family", "setting", "variant")
_DECLARED = {metric.name: metric for metric in PAPER.metrics}


def robustness_score(*rates: float) -> float:
    """Harmonic mean of the rates (RS), in their unit; 0 where one of them is 0.

    Args:
        rates: SR and GR for judging; SR, GR of none and GR of several for choice.
    """
    if not rates or any(math.isnan(rate) for rate in rates):
        return math.nan
    if min(rates) < 0:
        raise ValueError(f"rates {rates}: a rate is not negative")
    if min(rates) == 0:
        return 0.0
    # Scaled by the largest, so that a reciprocal can't overflow.
    most = max(rates)
    return most * len(rates) / math.fsum(most / rate for rate in rates)


def instruction_boundary(
    observations: pd.DataFrame,
    by: Sequence[str] = ("model",),
    interval: Interval | None = DEFAULT_INTERVAL,
    *,
    pooled_only: bool = False,
) -> pd.DataFrame:
    """Instruction Boundary's metrics per subset, family, setting and variant.

    Rows of `subset` "all" pool a family's subsets. Comparisons with vanilla pair the same item in
    the same epoch; `rs_vanilla` and `boundary_cost` stand at setting "all", and once more at the
    family "all", which is judging's.

    Args:
        observations: rows with `family`, `form`, `setting`, `variant`, `correct`, `hedged`,
            `judged` and `suggestion` beside the common columns.
        by: columns to tell apart, a row a metric for each.
        interval: how to make intervals; `None` for point values only.
        pooled_only: leave out the rows of single subsets.
    """
    analyse = partial(_analyse, pooled_only=pooled_only)
    return metric_table(observations, by, LEVELS, analyse, interval)


def _analyse(observations: pd.DataFrame, pooled_only: bool = False) -> Analysis:
    rows = prepared(observations)
    cells = counted(rows)
    scored = rows[rows["scored"]]
    table = unit_table(scored, (*LEVELS, "form"), SUMS, strata=("subset", "stratum"))

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        sums = _Sums(totals, cells)
        quantities: dict[Key, Quantity] = {}
        for subset, family in _places(cells, pooled_only):
            asked = cells.conditions(subset, family)
            for setting, variant in asked:
                view = _View(sums, subset, family, setting, variant)
                for name, quantity in _condition(view):
                    quantities[(name, subset, family, setting, variant)] = quantity
            for name, quantity in _across(sums, subset, family, asked):
                quantities[(name, subset, family, OVERALL, OVERALL)] = quantity
        return quantities | _headline(quantities, len(totals))

    return Analysis(table, statistic, {})


def _places(cells: Cells, pooled_only: bool) -> Iterator[tuple[str, Family]]:
    """Every family over all its subsets, then its subsets one by one."""
    for family in cells.families():
        yield OVERALL, family
        if not pooled_only:
            yield from ((subset, family) for subset in cells.subsets(family))


class _Sums:
    """Sums over cells, and the items behind them."""

    def __init__(self, totals: Totals, cells: Cells) -> None:
        self.totals = totals
        self.cells = cells

    def of(self, name: str, keys: Iterable[Key]) -> Floats:
        parts = [self.totals[(*key, name)] for key in keys]
        return np.sum(parts, axis=0) if parts else np.zeros(len(self.totals))


class _View:
    """One condition of one place: its sums by form."""

    def __init__(
        self, sums: _Sums, subset: str, family: Family, setting: str, variant: str
    ) -> None:
        self._sums = sums
        self._condition = (family, setting, variant)
        self._subsets = sums.cells.subsets(family) if subset == OVERALL else [subset]
        self.family = FAMILIES[family]
        self.setting = setting
        # Most numbers of a condition share their denominators.
        self._summed: dict[tuple[str, Sequence[str] | None], Floats] = {}
        self._counted: dict[tuple[str, Sequence[str] | None], Counts] = {}

    def cells(self, forms: Sequence[str] | None = None) -> list[Key]:
        """Its cells, of the forms given or all."""
        forms = forms or self.family.forms
        return [(s, *self._condition, form) for s in self._subsets for form in forms]

    def sum(self, name: str, forms: tuple[str, ...] | None = None) -> Floats:
        if (name, forms) not in self._summed:
            self._summed[name, forms] = self._sums.of(name, self.cells(forms))
        return self._summed[name, forms]

    def rate(
        self,
        metric: str,
        name: str,
        over: str = "n",
        forms: tuple[str, ...] | None = None,
        reason: str = "no item of this form was asked",
    ) -> tuple[str, Quantity]:
        """A metric that is a share of rows, with the items it rests on."""
        values = ratio(self.sum(name, forms), self.sum(over, forms))
        return _declared(metric, values, reason, self.counts(over, forms))

    def rates(self) -> dict[str, Quantity]:
        """The rates that RS is made of."""
        return dict(
            self.rate(name, "correct", forms=rate.forms) for name, rate in self.family.rates.items()
        )

    def counts(self, over: str, forms: tuple[str, ...] | None = None) -> Counts:
        if (over, forms) not in self._counted:
            self._counted[over, forms] = self._sums.cells.counts(self.cells(forms), over)
        return self._counted[over, forms]


def _declared(metric: str, values: Floats, reason: str, counts: Counts) -> tuple[str, Quantity]:
    """A metric's number, with the bounds and the kind of interval that are declared for it."""
    declared = _DECLARED[metric]
    is_rate = declared.interval == "rate"
    return metric, Quantity(values, is_rate, declared.bounds, reason=reason, counts=counts)


def _condition(view: _View) -> Iterator[tuple[str, Quantity]]:
    yield view.rate("acc", "correct")
    rates = view.rates()
    yield from rates.items()
    yield _robustness("rs", view, rates)
    hedged = view.family.hedged
    forms = view.family.rates[hedged].forms
    yield view.rate(f"{hedged}_no_hedge", "correct_unhedged", forms=forms)
    yield view.rate("hedge_rate", "hedged", "answered", reason="nothing was answered")
    yield view.rate("no_answer", "unanswered")
    yield view.rate("judge_rate", "judged")
    yield from _output_rates(view)
    if view.setting != VANILLA:
        yield from _against_vanilla(view)
    if view.setting == "conformity":
        yield from _following(view)


def _robustness(metric: str, view: _View, rates: Mapping[str, Quantity]) -> tuple[str, Quantity]:
    missing = [name for name, rate in rates.items() if np.isnan(rate.values).all()]
    reason = f"no item to take {', '.join(missing)} from" if missing else "a rate is undefined"
    mean = _harmonic([rate.values for rate in rates.values()])
    return _declared(metric, mean, reason, view.counts("n"))


def _harmonic(rates: Sequence[Floats]) -> Floats:
    """`robustness_score` of arrays: nan where a rate is nan, 0 where one is 0."""
    stacked = np.stack(rates)
    positive = np.where(stacked > 0, stacked, 1.0)
    mean: Floats = len(rates) / (1 / positive).sum(axis=0)
    return np.where(np.isnan(stacked).any(axis=0), np.nan, np.where((stacked == 0).any(0), 0, mean))


def _output_rates(view: _View) -> Iterator[tuple[str, Quantity]]:
    """Shares of each label among answers and in the truth, and how far apart the two are."""
    nothing = "nothing was answered"
    answered = view.sum("answered")
    distance = np.zeros_like(answered)
    for form in view.family.answers:
        name, share = view.rate(f"or_{form}", f"said_{form}", "answered", reason=nothing)
        yield name, share
        truth = np.zeros_like(answered)
        if form in view.family.forms:
            truth = ratio(view.sum("n", (form,)), view.sum("n"))
            yield _declared(f"truth_{form}", truth, "", view.counts("n"))
        distance = distance + np.abs(share.values - truth) / 2
    yield _declared("or_distance", distance, nothing, view.counts("answered"))


def _against_vanilla(view: _View) -> Iterator[tuple[str, Quantity]]:
    """Changes on the same items; `rr` is the share of answers that stay as they were."""
    reason = "vanilla was not asked of these items"
    yield view.rate("rr", "same", "paired", reason=reason)
    for name in ("right_to_wrong", "wrong_to_right"):
        yield view.rate(name, name, "paired", reason=reason)
    change = ratio(view.sum("wrong_to_right") - view.sum("right_to_wrong"), view.sum("paired"))
    yield _declared("acc_change", change, reason, view.counts("paired"))


def _following(view: _View) -> Iterator[tuple[str, Quantity]]:
    """How often the suggestion is answered, against vanilla, and by answers that it moved."""
    yield view.rate("follow_rate", "follows")
    reason = "vanilla was not asked of these items"
    yield view.rate("follow_rate_vanilla", "followed_before", "paired", reason=reason)
    gain = ratio(view.sum("paired_follows") - view.sum("followed_before"), view.sum("paired"))
    yield _declared("follow_gain", gain, reason, view.counts("paired"))
    free = "every vanilla answer was the suggestion already, or vanilla was not asked"
    yield view.rate("moved_rate", "moved", "could_move", reason=free)


def _across(
    sums: _Sums, subset: str, family: Family, asked: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, Quantity]]:
    """Robustness under vanilla, what the worst setting costs of it, and who read the replies."""
    yield _judge_rate(sums, subset, family, asked)
    compared = [name for name, setting in SETTINGS.items() if family in setting.scored]
    absent = [s for s in compared if all(setting != s for setting, _ in asked)]
    view = _View(sums, subset, family, VANILLA, "")
    if (VANILLA, "") in asked:
        yield _robustness("rs_vanilla", view, view.rates())
    else:
        yield _undefined("rs_vanilla", sums.totals, "vanilla was not asked")
    if absent:
        yield _undefined("boundary_cost", sums.totals, f"not asked: {', '.join(absent)}")
        return
    scores = {
        condition: _whole_score(_View(sums, subset, family, *condition))
        for condition in asked
        if condition[0] in compared
    }
    others = np.min([s for c, s in scores.items() if c[0] != VANILLA], axis=0)
    reason = "a form has no item that was scored in every setting"
    cost = scores[(VANILLA, "")] - others
    yield _declared("boundary_cost", cost, reason, view.counts("whole"))


def _judge_rate(
    sums: _Sums, subset: str, family: Family, asked: Sequence[tuple[str, str]]
) -> tuple[str, Quantity]:
    """The share of replies, whatever their setting, that a judge decided."""
    views = [_View(sums, subset, family, *condition) for condition in asked]
    judged, n = (np.sum([v.sum(name) for v in views], axis=0) for name in ("judged", "n"))
    keys = [key for view in views for key in view.cells()]
    counts = sums.cells.counts(keys, "n")
    return _declared("judge_rate", ratio(judged, n), "nothing was scored", counts)


def _whole_score(view: _View) -> Floats:
    """The robustness score over items that were scored in every setting."""
    groups = [rate.forms for rate in view.family.rates.values()]
    return _harmonic([ratio(view.sum("whole_correct", g), view.sum("whole", g)) for g in groups])


def _undefined(metric: str, totals: Totals, reason: str) -> tuple[str, Quantity]:
    return _declared(metric, np.full(len(totals), np.nan), reason, Counts(0))


def _headline(quantities: Mapping[Key, Quantity], size: int) -> dict[Key, Quantity]:
    """Judging's two numbers across settings, where every level says "all"."""
    absent = Quantity(np.full(size, np.nan), reason="no judging item was asked", counts=Counts(0))
    return {
        (name, *(OVERALL,) * len(LEVELS)): quantities.get(
            (name, OVERALL, "judging", OVERALL, OVERALL), absent
        )
        for name in PAPER.headlines
    }
