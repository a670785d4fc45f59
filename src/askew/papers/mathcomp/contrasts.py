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
    ratio,
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
    conditions: list[Key]
    present: Booleans
    errors: Floats
    chances: Floats

    def column(self, condition: Key) -> int | None:
        return self.conditions.index(condition) if condition in self.conditions else None

    def whole(self, columns: Sequence[int]) -> Booleans:
        """The groups scored in all of these conditions."""
        return np.asarray(self.present[:, list(columns)].all(axis=1), dtype=bool)


def grid_of(rows: pd.DataFrame, group: Sequence[str], condition: Sequence[str]) -> Grid:
    """Rows told apart by the group columns, spread over the values of the condition columns."""
    grouped = rows.groupby([c for c in group if c in rows], sort=False, dropna=False)
    number = grouped.ngroup().to_numpy()
    first = np.unique(number, return_index=True)[1]
    of_condition = rows.groupby(list(condition), sort=False, dropna=False)
    column = of_condition.ngroup().to_numpy()
    at = np.unique(column, return_index=True)[1]
    conditions = list(rows.iloc[at][list(condition)].itertuples(index=False, name=None))
    shape = (len(first), len(conditions))
    present = np.zeros(shape, dtype=bool)
    present[number, column] = True
    errors, chances = np.zeros((*shape, 3)), np.zeros((*shape, 3))
    for i, label in enumerate(LABELS):
        np.add.at(errors[:, :, i], (number, column), rows[f"error {label}"].to_numpy(float))
        np.add.at(chances[:, :, i], (number, column), rows[f"chance {label}"].to_numpy(float))
    return Grid(rows.iloc[first].reset_index(drop=True), conditions, present, errors, chances)


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
        empty = np.zeros((self._n_units, 0))
        features = np.stack(self._features, axis=1) if self._features else empty
        table = UnitTable(features, self.columns, self._strata, self._units)
        return table.in_fixed_order()


# Where a pull pools styles or positions, it needs all of them.
_SCOPES = (
    (OVERALL, OVERALL),
    *((s, OVERALL) for s in FRAMED_STYLES),
    *((OVERALL, p) for p in POSITIONS),
)


@dataclass(frozen=True)
class _Pull:
    """One pull: where it stands, which outputs and identities it pools, and its scope."""

    name: str
    place: Key
    outputs: tuple[str, ...]
    identities: tuple[str, ...]
    scope: tuple[str, str] = (OVERALL, OVERALL)
    paired_with: str = ""
    """An output in which the item must be whole too, for a fair difference."""


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
    outputs = list(dict.fromkeys(output for output, _ in asked))
    sums = Sums(grid.groups)
    pulls = [*_pulls(asked, detailed)]
    counts: dict[Key, Counts] = {}
    reasons = {p.name: _add_pull(grid, p, sums, counts) for p in pulls}

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        quantities: dict[Key, Quantity] = {}
        for pull in pulls:
            if not pull.paired_with:
                quantities |= _of_pull(totals, pull, reasons[pull.name], counts)
        if FREE_FORM in outputs:
            quantities |= _relief(totals, pulls, reasons, counts)
        return quantities

    return Analysis(sums.table(), statistic, {})


def _pulls(asked: Sequence[tuple[str, str]], detailed: bool) -> Iterator[_Pull]:
    """Every pull of the pairs of output and identity that were asked."""
    outputs = tuple(dict.fromkeys(output for output, _ in asked))
    everyone = tuple(dict.fromkeys(identity for _, identity in asked))
    yield _Pull("all", place(), outputs, everyone)
    if FREE_FORM in outputs and ONE_WORD in outputs:
        for one, other in ((ONE_WORD, FREE_FORM), (FREE_FORM, ONE_WORD)):
            yield _Pull(f"paired {one}", place(), (one,), everyone, paired_with=other)
    if not detailed:
        return
    for output in outputs:
        yield _Pull(output, place(output=output), (output,), everyone)
    for (output, identity), scope in product(asked, _SCOPES):
        at = place(output=output, identity=identity, style=scope[0], position=scope[1])
        name = "/".join((output, identity, *scope))
        yield _Pull(name, at, (output,), (identity,), scope)


def _add_pull(grid: Grid, pull: _Pull, sums: Sums, counts: dict[Key, Counts]) -> str:
    """Add a pull's sums; gives what was not asked, if anything."""
    chosen = grid.groups["identity"].isin(pull.identities).to_numpy()
    missing: list[str] = []
    any_used = np.zeros(len(grid.groups), dtype=bool)
    for i, term in enumerate(LABELS):
        framed, neutral = _needed(term, pull)
        parts = {"framed": framed, "neutral": neutral}
        lacking = [c for c in (*framed, *neutral) if grid.column(c) is None]
        missing += ["/".join(map(str, c[1:])) for c in lacking]
        # Chances are zero where the term is right, so these groups add nothing.
        eligible = chosen & (grid.groups["gold"] != term).to_numpy()
        used = np.zeros(len(grid.groups), dtype=bool)
        for output in pull.outputs:
            whole = eligible & _whole(grid, framed, neutral, output, pull.paired_with)
            used |= whole
            for part, cells in parts.items():
                at = [
                    grid.conditions.index(c) for c in cells if c[0] == output and c not in lacking
                ]
                for what, values in (("error", grid.errors), ("chance", grid.chances)):
                    added = values[:, at, i].sum(axis=1) * whole
                    sums.add((pull.name, term, part, what, output), added)
        counts[(pull.name, term)] = sums.counts(used, eligible)
        any_used |= used
    counts[(pull.name, OVERALL)] = sums.counts(any_used, chosen)
    return f"not asked: {', '.join(dict.fromkeys(missing))}" if missing else ""


def _needed(term: str, pull: _Pull) -> tuple[list[Key], list[Key]]:
    """The framed and the neutral conditions that a pull compares, in each of its outputs."""
    styles = FRAMED_STYLES if pull.scope[0] == OVERALL else (pull.scope[0],)
    positions = POSITIONS if pull.scope[1] == OVERALL else (pull.scope[1],)
    framed = [(o, s, term, p) for o in pull.outputs for s in styles for p in positions]
    neutral = [(o, NEUTRAL, NO_TERM, p) for o in pull.outputs for p in positions]
    return [*framed], [*neutral]


def _whole(
    grid: Grid, framed: Sequence[Key], neutral: Sequence[Key], output: str, paired_with: str
) -> Booleans:
    """Groups scored in every framing, in this output and in the one it is paired with."""
    needed = [c for c in (*framed, *neutral) if c[0] == output]
    if paired_with:
        needed += [(paired_with, *c[1:]) for c in needed]
    if any(grid.column(c) is None for c in needed):
        return np.zeros(len(grid.groups), dtype=bool)
    return grid.whole([grid.conditions.index(c) for c in needed])


def _of_pull(
    totals: Totals, pull: _Pull, missing: str, counts: Mapping[Key, Counts]
) -> dict[Key, Quantity]:
    terms = {term: _pull_of_term(totals, pull, term) for term in LABELS}
    if missing:
        terms = {term: np.full(len(totals), np.nan) for term in terms}
    reasons = {t: missing or _why_undefined(t, counts[(pull.name, t)]) for t in LABELS}
    unknown = "; ".join(dict.fromkeys(reasons[t] for t in LABELS if np.isnan(terms[t][0])))
    found = {"framing_pull": (np.mean([*terms.values()], axis=0), unknown, OVERALL)}
    found |= {f"framing_pull_{t}": (terms[t], reasons[t], t) for t in LABELS}
    return {
        (metric, *pull.place): quantity(metric, values, reason, counts[(pull.name, term)])
        for metric, (values, reason, term) in found.items()
    }


def _why_undefined(term: str, counts: Counts) -> str:
    if not counts.n_items and not counts.n_dropped:
        return f"{term} is never wrong here"
    return f"no item was scored in every framing that the pull of {term} compares"


def _pull_of_term(totals: Totals, pull: _Pull, term: str) -> Floats:
    def rate(part: str) -> Floats:
        error, chance = (
            np.sum([totals[(pull.name, term, part, what, o)] for o in pull.outputs], axis=0)
            for what in ("error", "chance")
        )
        return ratio(error, chance)

    return rate("framed") - rate("neutral")


def _relief(
    totals: Totals, pulls: Sequence[_Pull], reasons: Mapping[str, str], counts: Mapping[Key, Counts]
) -> dict[Key, Quantity]:
    """How much smaller the pull is with free-form reasoning than with one word."""
    paired = {p.outputs[0]: p for p in pulls if p.paired_with}
    key = ("cot_relief", *place())
    if not paired:
        unknown = np.full(len(totals), np.nan)
        return {key: quantity("cot_relief", unknown, f"not asked: output {ONE_WORD}", None)}
    missing = reasons[f"paired {FREE_FORM}"] or reasons[f"paired {ONE_WORD}"]
    means = {
        output: np.mean([_pull_of_term(totals, pull, t) for t in LABELS], axis=0)
        for output, pull in paired.items()
    }
    values = means[ONE_WORD] - means[FREE_FORM]
    if missing:
        values = np.full(len(totals), np.nan)
    reason = missing or "no item was scored in every framing under both outputs"
    return {key: quantity("cot_relief", values, reason, counts[f"paired {FREE_FORM}", OVERALL])}


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
    identities = [str(c[0]) for c in grid.conditions]
    others = [i for i in identities if i != PERSON]
    whole = grid.whole(range(len(identities)))
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
