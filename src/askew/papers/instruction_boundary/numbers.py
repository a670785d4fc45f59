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

from askew.papers.instruction_boundary.number_rows import (
    ANSWER_FORMS,
    FORMS,
    SUMS,
    VANILLA,
    Cells,
    counted,
    prepared,
)
from askew.statistics.intervals import Floats
from askew.statistics.tables import (
    DEFAULT_INTERVAL,
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

ALL = "all"
LEVELS = ("subset", "family", "setting", "variant")
# Settings that a family's robustness score is compared over; the choice family's miscellany has
# questions with one right option only, so it has none.
SETTINGS = (
    VANILLA,
    "multi_turn",
    "conformity",
    "miscellany",
    "few_shot",
    "missing_choices",
    "vagueness",
    "prompt_polishing",
)
_TENSE = {"judging": ("true", "false"), "choice": ("single",)}
_SPARSE: Mapping[str, Mapping[str, str]] = {
    "judging": {"gr": "unknown"},
    "choice": {"gr_none": "none", "gr_multi": "multiple"},
}
# Of the sparse labels, the one that a hedge is read as.
_HEDGED = {"judging": "gr", "choice": "gr_none"}


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
                quantities[(name, subset, family, ALL, ALL)] = quantity
        return quantities | _headline(quantities, len(totals))

    return Analysis(table, statistic, {})


def _places(cells: Cells, pooled_only: bool) -> Iterator[tuple[str, str]]:
    """Every family over all its subsets, then its subsets one by one."""
    for family in cells.families():
        yield ALL, family
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

    def __init__(self, sums: _Sums, subset: str, family: str, setting: str, variant: str) -> None:
        self._sums = sums
        self._condition = (family, setting, variant)
        self._subsets = sums.cells.subsets(family) if subset == ALL else [subset]
        self.family = family
        self.setting = setting
        # Most numbers of a condition share their denominators.
        self._summed: dict[tuple[str, Sequence[str] | None], Floats] = {}
        self._counted: dict[tuple[str, Sequence[str] | None], Counts] = {}

    def cells(self, forms: Sequence[str] | None = None) -> list[Key]:
        """Its cells, of the forms given or all."""
        forms = forms or FORMS[self.family]
        return [(s, *self._condition, form) for s in self._subsets for form in forms]

    def sum(self, name: str, forms: tuple[str, ...] | None = None) -> Floats:
        if (name, forms) not in self._summed:
            self._summed[name, forms] = self._sums.of(name, self.cells(forms))
        return self._summed[name, forms]

    def rate(
        self,
        name: str,
        over: str = "n",
        forms: tuple[str, ...] | None = None,
        reason: str = "no item of this form was asked",
    ) -> Quantity:
        """A share of rows, with the items it rests on."""
        values = ratio(self.sum(name, forms), self.sum(over, forms))
        return Quantity(values, is_rate=True, reason=reason, counts=self.counts(over, forms))

    def counts(self, over: str, forms: tuple[str, ...] | None = None) -> Counts:
        if (over, forms) not in self._counted:
            self._counted[over, forms] = self._sums.cells.counts(self.cells(forms), over)
        return self._counted[over, forms]


def _condition(view: _View) -> Iterator[tuple[str, Quantity]]:
    yield "acc", view.rate("correct")
    rates = {"sr": view.rate("correct", forms=_TENSE[view.family])}
    for name, form in _SPARSE[view.family].items():
        rates[name] = view.rate("correct", forms=(form,))
    yield from rates.items()
    yield "rs", _robustness(view, rates)
    hedged = _HEDGED[view.family]
    form = _SPARSE[view.family][hedged]
    yield f"{hedged}_no_hedge", view.rate("correct_unhedged", forms=(form,))
    yield "hedge_rate", view.rate("hedged", "answered", reason="nothing was answered")
    yield "no_answer", view.rate("unanswered")
    yield "judge_rate", view.rate("judged")
    yield from _output_rates(view)
    if view.setting != VANILLA:
        yield from _against_vanilla(view)
    if view.setting == "conformity":
        yield from _following(view)


def _robustness(view: _View, rates: Mapping[str, Quantity]) -> Quantity:
    missing = [name for name, rate in rates.items() if np.isnan(rate.values).all()]
    reason = f"no item to take {', '.join(missing)} from" if missing else "a rate is undefined"
    return Quantity(
        _harmonic([rate.values for rate in rates.values()]), reason=reason, counts=view.counts("n")
    )


def _harmonic(rates: Sequence[Floats]) -> Floats:
    """`robustness_score` of arrays: nan where a rate is nan, 0 where one is 0."""
    stacked = np.stack(rates)
    positive = np.where(stacked > 0, stacked, 1.0)
    mean: Floats = len(rates) / (1 / positive).sum(axis=0)
    return np.where(np.isnan(stacked).any(axis=0), np.nan, np.where((stacked == 0).any(0), 0, mean))


def _output_rates(view: _View) -> Iterator[tuple[str, Quantity]]:
    """Shares of each label among answers and in the truth, and how far apart the two are."""
    forms = FORMS[view.family]
    said = ANSWER_FORMS[view.family]
    answered = view.sum("answered")
    distance = np.zeros_like(answered)
    for label in said:
        share = view.rate(f"said_{label}", "answered", reason="nothing was answered")
        yield f"or_{label}", share
        truth = np.zeros_like(answered)
        if label in forms:
            truth = ratio(view.sum("n", (label,)), view.sum("n"))
            yield f"truth_{label}", Quantity(truth, is_rate=True, counts=view.counts("n"))
        distance = distance + np.abs(share.values - truth) / 2
    counts = view.counts("answered")
    yield "or_distance", Quantity(distance, reason="nothing was answered", counts=counts)


def _against_vanilla(view: _View) -> Iterator[tuple[str, Quantity]]:
    """Changes on the same items; `rr` is the share of answers that stay as they were."""
    reason = "vanilla was not asked of these items"
    for name, column in (
        ("rr", "same"),
        ("right_to_wrong", "right_to_wrong"),
        ("wrong_to_right", "wrong_to_right"),
    ):
        yield name, view.rate(column, "paired", reason=reason)
    change = ratio(view.sum("wrong_to_right") - view.sum("right_to_wrong"), view.sum("paired"))
    counts = view.counts("paired")
    yield "acc_change", Quantity(change, bounds=(-1.0, 1.0), reason=reason, counts=counts)


def _following(view: _View) -> Iterator[tuple[str, Quantity]]:
    """How often the suggestion is answered, against vanilla, and by answers that it moved."""
    yield "follow_rate", view.rate("follows")
    reason = "vanilla was not asked of these items"
    yield "follow_rate_vanilla", view.rate("followed_before", "paired", reason=reason)
    gain = ratio(view.sum("paired_follows") - view.sum("followed_before"), view.sum("paired"))
    counts = view.counts("paired")
    yield "follow_gain", Quantity(gain, bounds=(-1.0, 1.0), reason=reason, counts=counts)
    free = "every vanilla answer was the suggestion already, or vanilla was not asked"
    yield "moved_rate", view.rate("moved", "could_move", reason=free)


def _across(
    sums: _Sums, subset: str, family: str, asked: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, Quantity]]:
    """Robustness under vanilla, what the worst setting costs of it, and who read the replies."""
    yield "judge_rate", _judge_rate(sums, subset, family, asked)
    compared = [s for s in SETTINGS if family == "judging" or s != "miscellany"]
    absent = [s for s in compared if all(setting != s for setting, _ in asked)]
    if (VANILLA, "") in asked:
        view = _View(sums, subset, family, VANILLA, "")
        rates = {"sr": view.rate("correct", forms=_TENSE[family])}
        rates |= {n: view.rate("correct", forms=(f,)) for n, f in _SPARSE[family].items()}
        yield "rs_vanilla", _robustness(view, rates)
    else:
        yield "rs_vanilla", _undefined(sums.totals, "vanilla was not asked")
    if absent:
        yield "boundary_cost", _undefined(sums.totals, f"not asked: {', '.join(absent)}")
        return
    scores = {
        condition: _whole_score(_View(sums, subset, family, *condition))
        for condition in asked
        if condition[0] in compared
    }
    others = np.min([s for c, s in scores.items() if c[0] != VANILLA], axis=0)
    yield (
        "boundary_cost",
        Quantity(
            scores[(VANILLA, "")] - others,
            bounds=(-1.0, 1.0),
            reason="a form has no item that was scored in every setting",
            counts=_View(sums, subset, family, VANILLA, "").counts("whole"),
        ),
    )


def _judge_rate(
    sums: _Sums, subset: str, family: str, asked: Sequence[tuple[str, str]]
) -> Quantity:
    """The share of replies, whatever their setting, that a judge decided."""
    views = [_View(sums, subset, family, *condition) for condition in asked]
    judged, n = (np.sum([v.sum(name) for v in views], axis=0) for name in ("judged", "n"))
    keys = [key for view in views for key in view.cells()]
    counts = sums.cells.counts(keys, "n")
    return Quantity(ratio(judged, n), is_rate=True, reason="nothing was scored", counts=counts)


def _whole_score(view: _View) -> Floats:
    """The robustness score over items that were scored in every setting."""
    groups = [_TENSE[view.family], *((form,) for form in _SPARSE[view.family].values())]
    return _harmonic([ratio(view.sum("whole_correct", g), view.sum("whole", g)) for g in groups])


def _undefined(totals: Totals, reason: str) -> Quantity:
    return Quantity(np.full(len(totals), np.nan), reason=reason, counts=Counts(0))


def _headline(quantities: Mapping[Key, Quantity], size: int) -> dict[Key, Quantity]:
    """Judging's two numbers across settings, where every level says "all"."""
    absent = Quantity(np.full(size, np.nan), reason="no judging item was asked", counts=Counts(0))
    return {
        (name, *(ALL,) * len(LEVELS)): quantities.get((name, ALL, "judging", ALL, ALL), absent)
        for name in ("rs_vanilla", "boundary_cost")
    }
