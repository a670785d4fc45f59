"""MathComp's contrasts: how far a word drags answers to itself, and what identities shift.

A contrast compares the same items under several conditions, so an item counts where it was
scored in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
import pandas as pd

from askew.papers.mathcomp.paper import (
    FRAMED_STYLES,
    FREE_FORM,
    LABELS,
    METRICS,
    NEUTRAL,
    NO_TERM,
    ONE_WORD,
    PERSON,
    POSITIONS,
    STANDARD,
)
from askew.statistics.intervals import Floats, Ints
from askew.statistics.tables import (
    OVERALL,
    Analysis,
    Counts,
    Key,
    Quantity,
    Totals,
    UnitTable,
)

# What a number is told apart by.
LEVELS = ("subset", "output", "identity", "style", "term", "position")
_DECLARED = {metric.name: metric for metric in METRICS}

# What follows from no observations at all.
NOTHING = Analysis(
    UnitTable(np.zeros((0, 0)), {}, np.zeros(0, dtype=np.int64)), lambda totals: {}, {}
)


def quantity(metric: str, values: Floats, reason: str, counts: Counts | None) -> Quantity:
    """A number with the bounds and the kind of interval that the paper declares of it."""
    return Quantity.of(_DECLARED[metric], values, reason=reason, counts=counts)


def place(**levels: str) -> Key:
    """The levels of a row: those not given are pooled."""
    return tuple(levels.get(level, OVERALL) for level in LEVELS)


Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Grid:
    """Scored replies as arrays: a row a group of askings, a column a condition.

    `errors` and `chances` have a third axis, one a label.
    """

    groups: pd.DataFrame
    at: Mapping[Key, int]
    """Which column a condition has."""
    present: Booleans
    errors: Floats
    chances: Floats

    def whole(self, conditions: Sequence[Key]) -> Booleans:
        """The groups scored in all of these conditions; none where one of them was not asked."""
        if any(c not in self.at for c in conditions):
            return np.zeros(len(self.groups), dtype=bool)
        return np.asarray(self.present[:, [self.at[c] for c in conditions]].all(axis=1), dtype=bool)


def grid_of(rows: pd.DataFrame, group: Sequence[str], condition: Sequence[str]) -> Grid:
    """Rows told apart by the group columns, spread over the values of the condition columns."""
    row, first = _numbered(rows, [c for c in group if c in rows])
    column, at = _numbered(rows, condition)
    conditions = rows.iloc[at][list(condition)].itertuples(index=False, name=None)
    shape = (len(first), len(at))
    present = np.zeros(shape, dtype=bool)
    present[row, column] = True
    errors, chances = np.zeros((*shape, 3)), np.zeros((*shape, 3))
    for i, label in enumerate(LABELS):
        np.add.at(errors[:, :, i], (row, column), rows[f"error {label}"].to_numpy(float))
        np.add.at(chances[:, :, i], (row, column), rows[f"chance {label}"].to_numpy(float))
    groups = rows.iloc[first].reset_index(drop=True)
    return Grid(groups, {c: i for i, c in enumerate(conditions)}, present, errors, chances)


def _numbered(rows: pd.DataFrame, columns: Sequence[str]) -> tuple[Ints, Ints]:
    """Each row's number among the distinct values of the columns, and where each comes first."""
    codes = rows.groupby(list(columns), sort=False, dropna=False).ngroup()
    number = np.asarray(codes, dtype=np.int64)
    return number, np.unique(number, return_index=True)[1].astype(np.int64)


class Sums:
    """Columns of sums over units, added one by one, and the items behind them."""

    def __init__(self, groups: pd.DataFrame) -> None:
        places = pd.MultiIndex.from_frame(groups[["subset", "unit"]])
        self._unit, units = pd.factorize(places)
        self._units: list[Key] = list(units)
        self._n_units = len(units)
        # Pooled over categories: within them there would be too few items to draw from.
        self._strata: Ints = np.zeros(self._n_units, dtype=np.int64)
        self._item = pd.factorize(pd.MultiIndex.from_frame(groups[["subset", "item"]]))[0]
        self._features: list[Floats] = []
        self.columns: dict[Key, int] = {}

    def add(self, key: Key, values: Floats) -> None:
        self.columns[key] = len(self._features)
        summed = np.bincount(self._unit, weights=values, minlength=self._n_units)
        self._features.append(summed.astype(np.float64))

    def counts(self, used: Booleans, asked: Booleans) -> Counts:
        n = len(np.unique(self._item[used]))
        dropped = len(np.unique(self._item[asked])) - n
        return Counts(n, dropped, len(np.unique(self._unit[used])))

    def table(self) -> UnitTable:
        features = np.stack(self._features, axis=1)
        return UnitTable(features, self.columns, self._strata, self._units).in_fixed_order()


# Where a pull pools styles or positions, it needs all of them.
_SCOPES = (
    (OVERALL, OVERALL),
    *((s, OVERALL) for s in FRAMED_STYLES),
    *((OVERALL, p) for p in POSITIONS),
)


@dataclass(frozen=True)
class _Pull:
    """One pull: where it stands, which outputs and identities it pools, and its scope."""

    place: Key
    outputs: tuple[str, ...]
    identities: tuple[str, ...]
    scope: tuple[str, str] = (OVERALL, OVERALL)
    paired_with: str = ""
    """An output in which the item must be whole too, for a fair difference."""

    def compared(self, term: str) -> dict[str, list[Key]]:
        """The framed and the neutral conditions, but for the output, that it compares."""
        style, position = self.scope
        styles = FRAMED_STYLES if style == OVERALL else (style,)
        positions = [*POSITIONS] if position == OVERALL else [position]
        return {
            "framed": [(s, term, p) for s, p in product(styles, positions)],
            "neutral": [(NEUTRAL, NO_TERM, p) for p in positions],
        }


@dataclass(frozen=True)
class _Basis:
    """What a pull rests on: what was not asked, if anything, and items by term and over all."""

    missing: str
    counts: Mapping[str, Counts]


def framing_contrasts(rows: pd.DataFrame, detailed: bool = True) -> Analysis:
    """`framing_pull` with its three terms, pooled and in parts, and `cot_relief`."""
    if not len(rows):
        return NOTHING
    grid = grid_of(
        rows,
        ("subset", "item", "unit", "gold", "epoch", "run", "identity"),
        ("output", "style", "term", "position"),
    )
    asked = list(dict.fromkeys(zip(rows["output"], rows["identity"], strict=True)))
    sums = Sums(grid.groups)
    pulls = {pull: _add_pull(grid, pull, sums) for pull in _pulls(asked, detailed)}

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        quantities: dict[Key, Quantity] = {}
        for pull, basis in pulls.items():
            if not pull.paired_with:
                quantities |= _of_pull(totals, pull, basis)
        if any(output == FREE_FORM for output, _ in asked):
            quantities["cot_relief", *place()] = _relief(totals, pulls)
        return quantities

    return Analysis(sums.table(), statistic, {})


def _pulls(asked: Sequence[tuple[str, str]], detailed: bool) -> Iterator[_Pull]:
    """Every pull of the pairs of output and identity that were asked."""
    outputs = tuple(dict.fromkeys(output for output, _ in asked))
    everyone = tuple(dict.fromkeys(identity for _, identity in asked))
    yield _Pull(place(), outputs, everyone)
    if FREE_FORM in outputs and ONE_WORD in outputs:
        for one, other in ((ONE_WORD, FREE_FORM), (FREE_FORM, ONE_WORD)):
            yield _Pull(place(), (one,), everyone, paired_with=other)
    if not detailed:
        return
    for output in outputs:
        yield _Pull(place(output=output), (output,), everyone)
    for (output, identity), scope in product(asked, _SCOPES):
        at = place(output=output, identity=identity, style=scope[0], position=scope[1])
        yield _Pull(at, (output,), (identity,), scope)


def _add_pull(grid: Grid, pull: _Pull, sums: Sums) -> _Basis:
    """Add a pull's sums."""
    chosen = grid.groups["identity"].isin(pull.identities).to_numpy()
    missing: dict[str, None] = {}
    counts: dict[str, Counts] = {}
    any_used = np.zeros(len(grid.groups), dtype=bool)
    for i, term in enumerate(LABELS):
        compared = pull.compared(term)
        needed = [c for conditions in compared.values() for c in conditions]
        missing |= {
            "/".join(map(str, c)): None
            for c, output in product(needed, pull.outputs)
            if (output, *c) not in grid.at
        }
        # Chances are zero where the term is right, so these groups add nothing.
        eligible = chosen & (grid.groups["gold"] != term).to_numpy()
        used = np.zeros(len(grid.groups), dtype=bool)
        added = {key: np.zeros(len(grid.groups)) for key in product(compared, ("error", "chance"))}
        for output in pull.outputs:
            beside = [output, *filter(None, [pull.paired_with])]
            whole = eligible & grid.whole([(o, *c) for o, c in product(beside, needed)])
            used |= whole
            for part, cells in compared.items() if whole.any() else ():
                at = [grid.at[output, *c] for c in cells]
                added[part, "error"] += grid.errors[:, at, i].sum(axis=1) * whole
                added[part, "chance"] += grid.chances[:, at, i].sum(axis=1) * whole
        for key, values in added.items():
            sums.add((pull, term, *key), values)
        counts[term] = sums.counts(used, eligible)
        any_used |= used
    counts[OVERALL] = sums.counts(any_used, chosen)
    return _Basis(f"not asked: {', '.join(missing)}" if missing else "", counts)


def _of_pull(totals: Totals, pull: _Pull, basis: _Basis) -> dict[Key, Quantity]:
    terms = _by_term(totals, pull, basis)
    reasons = {t: basis.missing or _why_undefined(t, basis.counts[t]) for t in LABELS}
    unknown = "; ".join(dict.fromkeys(reasons[t] for t in LABELS if np.isnan(terms[t][0])))
    found = {"framing_pull": (np.mean([*terms.values()], axis=0), unknown, OVERALL)}
    found |= {f"framing_pull_{t}": (terms[t], reasons[t], t) for t in LABELS}
    return {
        (metric, *pull.place): quantity(metric, values, reason, basis.counts[term])
        for metric, (values, reason, term) in found.items()
    }


def _why_undefined(term: str, counts: Counts) -> str:
    if not counts.n_items and not counts.n_dropped:
        return f"{term} is never wrong here"
    return f"no item was scored in every framing that the pull of {term} compares"


def _by_term(totals: Totals, pull: _Pull, basis: _Basis) -> dict[str, Floats]:
    """A pull's terms, unknown where one of its conditions was not asked."""

    def rate(term: str, part: str) -> Floats:
        return totals.ratio((pull, term, part, "error"), (pull, term, part, "chance"))

    if basis.missing:
        return dict.fromkeys(LABELS, np.full(len(totals), np.nan))
    return {term: rate(term, "framed") - rate(term, "neutral") for term in LABELS}


def _relief(totals: Totals, pulls: Mapping[_Pull, _Basis]) -> Quantity:
    """How much smaller the pull is with free-form reasoning than with one word."""
    paired = {p.outputs[0]: (p, basis) for p, basis in pulls.items() if p.paired_with}
    if not paired:
        unknown = np.full(len(totals), np.nan)
        return quantity("cot_relief", unknown, f"not asked: output {ONE_WORD}", None)
    one_word, reasoned = (
        np.mean([*_by_term(totals, *paired[output]).values()], axis=0)
        for output in (ONE_WORD, FREE_FORM)
    )
    basis = paired[FREE_FORM][1]
    reason = basis.missing or paired[ONE_WORD][1].missing
    reason = reason or "no item was scored in every framing under both outputs"
    return quantity("cot_relief", one_word - reasoned, reason, basis.counts[OVERALL])


def identity_contrasts(rows: pd.DataFrame, detailed: bool = True) -> Analysis:
    """How much more often an answer is drifted to for an identity than for `person`.

    `identity_shift_more` is the difference of DirErr(more), one an identity; `identity_gap_more`
    the largest of them in size. `standard` is left out: its names are another wording.
    """
    rows = rows[rows["identity"] != STANDARD]
    if not len(rows):
        return NOTHING
    grid = grid_of(
        rows,
        ("subset", "item", "unit", "gold", "epoch", "run", "output", "style", "term", "position"),
        ("identity",),
    )
    identities = [str(c[0]) for c in grid.at]
    others = [i for i in identities if i != PERSON]
    whole = grid.whole([*grid.at])
    outputs = list(dict.fromkeys(rows["output"])) if detailed else []
    sums = Sums(grid.groups)
    counts: dict[str, Counts] = {}
    for output in (OVERALL, *outputs):
        chosen = np.ones(len(whole), dtype=bool)
        if output != OVERALL:
            chosen = (grid.groups["output"] == output).to_numpy()
        counts[output] = sums.counts(whole & chosen, chosen)
        for (c, identity), (i, label) in product(enumerate(identities), enumerate(LABELS)):
            for what, values in (("error", grid.errors), ("chance", grid.chances)):
                sums.add((output, identity, label, what), values[:, c, i] * (whole & chosen))

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        quantities: dict[Key, Quantity] = {}
        for output, label in product((OVERALL, *outputs), LABELS):
            quantities |= _shifts(totals, output, label, identities, others, counts[output])
        return quantities

    return Analysis(sums.table(), statistic, {})


def _shifts(
    totals: Totals,
    output: str,
    label: str,
    identities: Sequence[str],
    others: Sequence[str],
    counts: Counts,
) -> dict[Key, Quantity]:
    gap = f"identity_gap_{label}"
    gap_key = (gap, *place(output=output))
    if PERSON not in identities or not others:
        lacking = PERSON if others else "anyone beside person"
        unknown = np.full(len(totals), np.nan)
        return {gap_key: quantity(gap, unknown, f"not asked: {lacking}", counts)}

    def rate(identity: str) -> Floats:
        key = (output, identity, label)
        return totals.ratio((*key, "error"), (*key, "chance"))

    shifts = {identity: rate(identity) - rate(PERSON) for identity in others}
    reason = "no question was scored for every identity"
    if counts.n_items:
        reason = f"{label} is never wrong here"
    shift = f"identity_shift_{label}"
    quantities = {
        (shift, *place(output=output, identity=identity)): quantity(shift, values, reason, counts)
        for identity, values in shifts.items()
    }
    largest = np.max(np.abs([*shifts.values()]), axis=0)
    return {gap_key: quantity(gap, largest, reason, counts), **quantities}
