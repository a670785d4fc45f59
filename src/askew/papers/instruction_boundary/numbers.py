"""Instruction Boundary: accuracy on tense and sparse labels, robustness, output rates, flips.

The paper's formulas did not survive in the text at hand; Section 2.2 and Appendix G say what they
measure. RR, the "robustness rate", is given both ways: as the share of answers that do not change
against vanilla (`rr`), and as the change of accuracy (`acc_change`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

import numpy as np
import pandas as pd

from askew.papers.instruction_boundary.paper import (
    ANSWERS,
    FAMILIES,
    PAPER,
    SETTINGS,
    VANILLA,
    Family,
)
from askew.stats.exchanges import exchanged_within, turned
from askew.stats.intervals import Floats, Ints
from askew.stats.tables import (
    DEFAULT_INTERVAL,
    OVERALL,
    Analysis,
    Counts,
    Exchange,
    Interval,
    Key,
    Quantity,
    Rate,
    Totals,
    UnitTable,
    metric_table,
    ratio,
    unit_table,
)

LEVELS = ("subset", "family", "setting", "variant")
EVERYWHERE = (OVERALL,) * len(LEVELS)
# Judging's numbers across settings: they are the paper's.
HEADLINE = (OVERALL, "judging", OVERALL, OVERALL)
_DECLARED = {metric.name: metric for metric in PAPER.metrics}
_SAID = tuple(f"said_{form}" for form in ANSWERS)
_SUMS = (
    *("correct", "correct_unhedged", "hedged", "judged", "answered", "unanswered", *_SAID),
    *("paired", "same", "right_to_wrong", "wrong_to_right"),
    *("follows", "paired_follows", "followed_before", "could_move", "moved"),
    *("whole", "whole_correct"),
)
# Which rows a denominator takes in, and which of them all are eligible: the rest was dropped.
_DENOMINATORS = {
    "n": "n", "answered": "n", "paired": "paired", "could_move": "paired", "whole": "whole",
}  # fmt: skip


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
    rows = _prepared(observations)
    cells = _counted(rows)
    table = unit_table(rows[rows["scored"]], (*LEVELS, "form"), _SUMS, strata=("subset", "stratum"))

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        quantities: dict[Key, Quantity] = {}
        for family in cells.families():
            for subset in [OVERALL, *([] if pooled_only else cells.subsets(family))]:
                vanilla = _View(totals, cells, subset, family)
                asked = [vanilla.at(*condition) for condition in cells.conditions(subset, family)]
                for view in asked:
                    at = (subset, family, view.setting, view.variant)
                    if totals.wants(*at):
                        quantities |= {(m, *at): q for m, q in _of_condition(view)}
                at = (subset, family, OVERALL, OVERALL)
                if totals.wants(*at) or (at == HEADLINE and totals.wants(*EVERYWHERE)):
                    quantities |= {(m, *at): q for m, q in _across(vanilla, asked, cells)}
        return quantities | _headline(quantities, len(totals))

    def truth_traded(table: UnitTable, draws: int, seed: int) -> Totals:
        return turned(table, _truth_for_said(table), draws, seed)

    settings_traded: Exchange = partial(exchanged_within, split=_by_setting)
    exchanges = {"setting": settings_traded, "truth": truth_traded}
    return Analysis(table, statistic, {}, exchanges)


def _by_setting(key: Key) -> tuple[Key, Key, Key] | None:
    """A column's settings trade places within its family, where their scores are compared."""
    subset, family, setting, variant, form, name = key
    # A log may hold settings of any text.
    declared = SETTINGS.get(str(setting))
    if declared is None or family not in declared.scored:
        return None
    return (family,), (setting, variant), (subset, form, name)


def _truth_for_said(table: UnitTable) -> Floats:
    """The sums, had everything that was said been true and everything true been said."""
    other = table.features.copy()
    for key, column in table.columns.items():
        *condition, form, name = key
        said = str(name).removeprefix("said_")
        swapped = (*condition, said, f"said_{form}")
        if name == said or said == form or swapped not in table.columns:
            continue
        moved = table.features[:, table.columns[swapped]]
        other[:, column] = moved
        other[:, table.columns[(*condition, form, "n")]] += moved - table.features[:, column]
    return other


class _View:
    """One condition of one place: its sums by form."""

    def __init__(
        self,
        totals: Totals,
        cells: _Cells,
        subset: str,
        family: Family,
        setting: str = VANILLA,
        variant: str = "",
    ) -> None:
        self._place = (totals, cells, subset, family)
        self._subsets = cells.subsets(family) if subset == OVERALL else [subset]
        self.family_name, self.setting, self.variant = family, setting, variant
        self.family = FAMILIES[family]
        # Most numbers of a condition share their denominators.
        self._summed: dict[tuple[str, Sequence[str] | None], Floats] = {}

    @property
    def place(self) -> Key:
        """Its subset and family."""
        return self._place[2:]

    def at(self, setting: str, variant: str) -> _View:
        """Another condition of the same place."""
        return _View(*self._place, setting, variant)

    def cells(self, forms: Sequence[str] | None = None) -> list[Key]:
        """Its cells, of the forms given or all."""
        condition = (self.family_name, self.setting, self.variant)
        return [(s, *condition, form) for s in self._subsets for form in forms or self.family.forms]

    def sum(self, name: str, forms: tuple[str, ...] | None = None) -> Floats:
        if (name, forms) not in self._summed:
            parts = [self._place[0][(*key, name)] for key in self.cells(forms)]
            self._summed[name, forms] = np.sum(parts, axis=0)
        return self._summed[name, forms]

    def counts(self, over: str, forms: tuple[str, ...] | None = None) -> Counts:
        cells, key = self._place[1], (*self.place, self.setting, self.variant, over, forms)
        if key not in cells.known:
            cells.known[key] = cells.counts(self.cells(forms), over)
        return cells.known[key]

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
        return _number(metric, values, reason, self.counts(over, forms))

    def rates(self) -> dict[str, Quantity]:
        """The rates that RS is made of."""
        return dict(
            self.rate(name, "correct", forms=rate.forms) for name, rate in self.family.rates.items()
        )

    def undefined(self, metric: str, reason: str) -> tuple[str, Quantity]:
        return _number(metric, np.full(len(self._place[0]), np.nan), reason, Counts(0))


def _number(metric: str, values: Floats, reason: str, counts: Counts) -> tuple[str, Quantity]:
    return metric, Quantity.of(_DECLARED[metric], values, reason=reason, counts=counts)


def _of_condition(view: _View) -> Iterator[tuple[str, Quantity]]:
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
    name, number = _number(metric, mean, reason, view.counts("n"))
    parts = tuple(Rate(r.values, r.counts.n_units if r.counts else 0) for r in rates.values())
    return name, replace(number, parts=parts, made=_harmonic)


def _harmonic(rates: Sequence[Floats] | Floats) -> Floats:
    """`robustness_score` of arrays: nan where a rate is nan, 0 where one is 0."""
    stacked = np.asarray(rates)
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
            yield _number(f"truth_{form}", truth, "", view.counts("n"))
        distance = distance + np.abs(share.values - truth) / 2
    yield _number("or_distance", distance, nothing, view.counts("answered"))


def _against_vanilla(view: _View) -> Iterator[tuple[str, Quantity]]:
    """Changes on the same items; `rr` is the share of answers that stay as they were."""
    reason = "vanilla was not asked of these items"
    yield view.rate("rr", "same", "paired", reason=reason)
    for name in ("right_to_wrong", "wrong_to_right"):
        yield view.rate(name, name, "paired", reason=reason)
    change = ratio(view.sum("wrong_to_right") - view.sum("right_to_wrong"), view.sum("paired"))
    yield _number("acc_change", change, reason, view.counts("paired"))


def _following(view: _View) -> Iterator[tuple[str, Quantity]]:
    """How often the suggestion is answered, against vanilla, and by answers that it moved."""
    yield view.rate("follow_rate", "follows")
    reason = "vanilla was not asked of these items"
    yield view.rate("follow_rate_vanilla", "followed_before", "paired", reason=reason)
    gain = ratio(view.sum("paired_follows") - view.sum("followed_before"), view.sum("paired"))
    yield _number("follow_gain", gain, reason, view.counts("paired"))
    free = "every vanilla answer was the suggestion already, or vanilla was not asked"
    yield view.rate("moved_rate", "moved", "could_move", reason=free)


def _across(
    vanilla: _View, asked: Sequence[_View], cells: _Cells
) -> Iterator[tuple[str, Quantity]]:
    """Robustness under vanilla, what the worst setting costs of it, and who read the replies."""
    judged, n = (np.sum([view.sum(name) for view in asked], axis=0) for name in ("judged", "n"))
    counts = _all_asked(asked, cells)
    yield _number("judge_rate", ratio(judged, n), "nothing was scored", counts)
    compared = [name for name, s in SETTINGS.items() if vanilla.family_name in s.scored]
    absent = [s for s in compared if s not in {view.setting for view in asked}]
    if any((view.setting, view.variant) == (VANILLA, "") for view in asked):
        yield _robustness("rs_vanilla", vanilla, vanilla.rates())
    else:
        yield vanilla.undefined("rs_vanilla", "vanilla was not asked")
    if absent:
        yield vanilla.undefined("boundary_cost", f"not asked: {', '.join(absent)}")
        return
    others = [v for v in asked if v.setting in compared and v.setting != VANILLA]
    costs = [_whole_score(vanilla) - _whole_score(view) for view in others]
    reason = "a form has no item that was scored in every setting"
    counts = vanilla.counts("whole")
    name, cost = _number("boundary_cost", np.max(costs, axis=0), reason, counts)
    yield name, replace(cost, parts=tuple(Rate(values, counts.n_units) for values in costs))


def _all_asked(asked: Sequence[_View], cells: _Cells) -> Counts:
    """What all conditions of a place rest on together."""
    key = (*asked[0].place, len(asked))
    if key not in cells.known:
        cells.known[key] = cells.counts([key for view in asked for key in view.cells()], "n")
    return cells.known[key]


def _whole_score(view: _View) -> Floats:
    """The robustness score over items that were scored in every setting."""
    groups = [rate.forms for rate in view.family.rates.values()]
    return _harmonic([ratio(view.sum("whole_correct", g), view.sum("whole", g)) for g in groups])


def _headline(quantities: Mapping[Key, Quantity], size: int) -> dict[Key, Quantity]:
    """Judging's two numbers across settings, where every level says "all"."""
    absent = Quantity(np.full(size, np.nan), reason="no judging item was asked", counts=Counts(0))
    return {
        (name, *EVERYWHERE): quantities.get((name, *HEADLINE), absent) for name in PAPER.headlines
    }


def _prepared(observations: pd.DataFrame) -> pd.DataFrame:
    """Rows with a column for every sum; `n` is 1 where a row is scored, else all sums are 0."""
    rows = observations.copy()
    for column in ("variant", "suggestion"):
        rows[column] = rows[column].fillna("").astype(str) if column in rows else ""
    for column in ("correct", "hedged", "judged"):
        rows[column] = rows[column].astype(float) if column in rows else 0.0
    rows["scored"] = rows["correct"].notna()
    answer = rows["answer"].astype(object).where(rows["answer"].notna(), "")
    rows["answer"] = answer.astype(str)
    said = _answer_forms(rows["answer"], rows["family"])
    rows["stratum"] = list(map(_stratum, rows["family"], rows["form"]))
    rows["answered"] = (said != "").astype(float)
    rows["unanswered"] = 1.0 - rows["answered"]
    for name in _SAID:
        rows[name] = (said == name.removeprefix("said_")).astype(float)
    rows["correct_unhedged"] = rows["correct"] * (1 - rows["hedged"])
    rows = _whole(_paired(rows))
    rows.loc[~rows["scored"], list(_SUMS)] = 0.0
    return rows.assign(n=rows["scored"].astype(float))


def _stratum(family: str, form: str) -> str:
    """Judging groups mix labels, so they are resampled whole; choice forms are fixed by design."""
    return form if family == "choice" else ""


def _answer_forms(answers: pd.Series, families: pd.Series) -> pd.Series:
    """The form of each answer: its label, or one, none or several options; "" for no answer."""
    judging = answers.where(answers.isin(FAMILIES["judging"].forms), "extra")
    several = answers.str.contains(",", regex=False) | (answers == "several")
    choice = pd.Series("single", index=answers.index).mask(several, "multiple")
    choice = choice.mask(answers == "none", "none")
    return judging.where(families == "judging", choice).mask(answers == "", "")


def _paired(rows: pd.DataFrame) -> pd.DataFrame:
    """Each row beside the vanilla row of its item and epoch."""
    keys = [c for c in ("subset", "item", "epoch", "run") if c in rows]
    vanilla = rows[(rows["setting"] == VANILLA) & rows["scored"]].drop_duplicates(keys)
    before = vanilla[[*keys, "correct", "answer"]].rename(
        columns={"correct": "correct_before", "answer": "answer_before"}
    )
    rows = rows.merge(before, on=keys, how="left")
    paired = rows["correct_before"].notna() & rows["scored"]
    right, was_right = rows["correct"] == 1, rows["correct_before"] == 1
    follows = _follows(rows["answer"], rows["suggestion"])
    followed = _follows(rows["answer_before"].fillna("").astype(str), rows["suggestion"])
    could_move = paired & ~followed & (rows["suggestion"] != "")
    found = {
        "paired": paired,
        "same": paired & (rows["answer"] == rows["answer_before"]),
        "right_to_wrong": paired & was_right & ~right,
        "wrong_to_right": paired & ~was_right & right,
        "follows": follows,
        "paired_follows": paired & follows,
        "followed_before": paired & followed,
        "could_move": could_move,
        "moved": could_move & follows,
    }
    return rows.assign(**pd.DataFrame(found).astype(float))


def _follows(answers: pd.Series, suggestions: pd.Series) -> pd.Series:
    """Whether each answer is what was suggested; "several" is any set of more than one."""
    many = answers.str.contains(",", regex=False)
    several = (suggestions == "several") & many
    return (suggestions != "") & ((answers == suggestions) | several)


def _whole(rows: pd.DataFrame) -> pd.DataFrame:
    """Marks items that were scored in every condition that their family's scores compare."""
    beside = {
        (f, s) for s, setting in SETTINGS.items() for f in FAMILIES if f not in setting.scored
    }
    asked = pd.MultiIndex.from_frame(rows[["family", "setting"]])
    compared = rows["scored"] & ~asked.isin(beside)
    condition = rows["setting"].astype(str) + "/" + rows["variant"]
    keys = [c for c in ("subset", "item", "epoch", "run") if c in rows]
    marked = rows[keys].assign(condition=condition.where(compared))
    seen = marked.groupby(keys, sort=False, dropna=False)["condition"].transform("nunique")
    wanted = condition[compared].groupby(rows.loc[compared, "family"]).nunique()
    whole = compared & (seen == rows["family"].map(wanted))
    return rows.assign(whole=whole.astype(float), whole_correct=whole * rows["correct"].fillna(0.0))


@dataclass(frozen=True)
class _Cells:
    """The items and units of every cell, by denominator; a cell is a condition and a form."""

    members: Mapping[tuple[Key, str], tuple[frozenset[int], frozenset[int]]]
    order: Sequence[Key]
    known: dict[Key, Counts] = field(default_factory=dict, repr=False, compare=False)
    """What was counted once: sums are many, what they are of stays the same."""

    def families(self) -> list[Family]:
        return [f for f in FAMILIES if any(key[1] == f for key in self.order)]

    def subsets(self, family: str) -> list[str]:
        return list(dict.fromkeys(str(key[0]) for key in self.order if key[1] == family))

    def conditions(self, subset: str, family: str) -> list[tuple[str, str]]:
        """Settings with their variants, in the order in which they were first seen."""
        found = (k for k in self.order if k[1] == family and subset in (OVERALL, k[0]))
        return list(dict.fromkeys((str(k[2]), str(k[3])) for k in found))

    def counts(self, keys: Iterable[Key], over: str) -> Counts:
        """Items that a denominator takes in, and items of the same cells that are not eligible."""
        taken: set[int] = set()
        dropped: set[int] = set()
        units: set[int] = set()
        strata: set[Key] = set()
        for key in keys:
            items, their_units = self.members.get((key, over), _NOBODY)
            taken |= items
            units |= their_units
            if their_units:
                strata.add((key[0], _stratum(str(key[1]), str(key[-1]))))
            dropped |= self.members.get((key, "asked"), _NOBODY)[0]
            dropped -= self.members.get((key, _DENOMINATORS[over]), _NOBODY)[0]
        return Counts(len(taken), len(dropped), len(units), max(1, len(strata)))


_NOBODY: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())


def _counted(rows: pd.DataFrame) -> _Cells:
    """The items and units behind every cell of prepared rows."""
    # A number for every distinct item, and unit, within its subset.
    items, units = (
        pd.factorize(rows["subset"].astype(str) + "\n" + rows[name].astype(str))[0]
        for name in ("item", "unit")
    )
    taken = {over: rows[over].to_numpy(dtype=float) > 0 for over in _DENOMINATORS}
    taken["asked"] = np.ones(len(rows), dtype=bool)
    columns = [*LEVELS, "form"]
    found = cast("Mapping[Key, Ints]", rows.groupby(columns, sort=False).indices)
    members = {
        (cell, over): (frozenset(items[inside].tolist()), frozenset(units[inside].tolist()))
        for cell, places in found.items()
        for over, mask in taken.items()
        for inside in [places[mask[places]]]
    }
    order = list(rows[columns].drop_duplicates().itertuples(index=False, name=None))
    return _Cells(members, order)
