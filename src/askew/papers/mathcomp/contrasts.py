"""MathComp's contrasts: how far a word drags answers to itself, and what identities shift.

A contrast compares the same items under several conditions, so an item counts where it was
scored in all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product

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
from askew.stats.exchanges import exchanged_within
from askew.stats.intervals import Floats, Ints
from askew.stats.tables import (
    OVERALL,
    Analysis,
    Counts,
    Key,
    Quantity,
    Rate,
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


def quantity(
    metric: str,
    values: Floats,
    reason: str,
    counts: Counts | None,
    compared: Iterable[Floats] = (),
) -> Quantity:
    """A number with the bounds and the kind of interval that the paper declares of it.

    `compared` are the numbers that it is the largest of.
    """
    made = Quantity.of(_DECLARED[metric], values, reason=reason, counts=counts)
    parts = tuple(Rate(rates, counts.n_units) for rates in compared) if counts else ()
    return replace(made, parts=parts)


def place(**levels: str) -> Key:
    """The levels of a row: those not given are pooled."""
    return tuple(levels.get(level, OVERALL) for level in LEVELS)


Booleans = npt.NDArray[np.bool_]


class Sums:
    """Rates of some groups of askings in some conditions, added one by one, summed by unit.

    The askings of a group differ by their condition alone.
    """

    def __init__(self, rows: pd.DataFrame, group: Sequence[str], condition: Sequence[str]) -> None:
        row, first = _numbered(rows, [c for c in group if c in rows])
        column, at = _numbered(rows, condition)
        conditions = rows.iloc[at][[*condition]].itertuples(index=False, name=None)
        self.groups = rows.iloc[first].reset_index(drop=True)
        self.conditions = {c: i for i, c in enumerate(conditions)}
        self._scored = np.zeros((len(first), len(at)), dtype=bool)
        self._scored[row, column] = True
        # By group, condition and label: errors towards it, and chances of one.
        self._marks: dict[tuple[str, str], Floats] = {}
        for what, label in product(("error", "chance"), LABELS):
            self._marks[what, label] = np.zeros(self._scored.shape)
            marks = rows[f"{what} {label}"].to_numpy(float)
            np.add.at(self._marks[what, label], (row, column), marks)
        self._item, _ = _numbered(self.groups, ["subset", "item"])
        self._unit, _ = _numbered(self.groups, ["subset", "unit"])
        self._sums: dict[Key, Floats] = {}

    def whole(self, conditions: Collection[Key]) -> Booleans:
        """The groups scored in all of these conditions; none where one of them was not asked."""
        at = [self.conditions[c] for c in conditions if c in self.conditions]
        all_asked = len(at) == len(conditions)
        return np.asarray(self._scored[:, at].all(axis=1) & all_asked, dtype=bool)

    def add(self, key: Key, label: str, used: Booleans, conditions: Iterable[Key]) -> None:
        """Add to a rate the errors towards a label of these groups in these conditions."""
        at = [self.conditions[c] for c in conditions if c in self.conditions]
        for what in ("error", "chance"):
            added = self._marks[what, label][:, at].sum(axis=1) * used
            self._sums[*key, what] = self._sums.get((*key, what), 0.0) + added

    def counts(self, used: Booleans, asked: Booleans) -> Counts:
        n = len(np.unique(self._item[used]))
        dropped = len(np.unique(self._item[asked])) - n
        return Counts(n, dropped, len(np.unique(self._unit[used])))

    def table(self) -> UnitTable:
        """By unit, all in one stratum: within categories there would be too few to draw from."""
        by_group = pd.DataFrame(np.stack([*self._sums.values()], axis=1))
        units = [self.groups["subset"], self.groups["unit"]]
        features = by_group.groupby(units, dropna=False).sum()
        columns = {key: i for i, key in enumerate(self._sums)}
        strata = np.zeros(len(features), dtype=np.int64)
        return UnitTable(features.to_numpy(), columns, strata, [*features.index])


def _numbered(rows: pd.DataFrame, columns: Sequence[str]) -> tuple[Ints, Ints]:
    """Each row's number among the distinct values of the columns, and where each comes first."""
    codes = rows.groupby([*columns], sort=False, dropna=False).ngroup()
    number = np.asarray(codes, dtype=np.int64)
    return number, np.unique(number, return_index=True)[1].astype(np.int64)


def _rate(totals: Totals, *key: Hashable) -> Floats:
    return totals.ratio((*key, "error"), (*key, "chance"))


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


def framing_contrasts(rows: pd.DataFrame, detailed: bool) -> Analysis:
    """`framing_pull` with its three terms, pooled and in parts, and `cot_relief`."""
    if not len(rows):
        return NOTHING
    sums = Sums(
        rows,
        ("subset", "item", "unit", "gold", "epoch", "run", "identity"),
        ("output", "style", "term", "position"),
    )
    asked = list(dict.fromkeys(zip(rows["output"], rows["identity"], strict=True)))
    pulls = {pull: _add_pull(sums, pull) for pull in _pulls(asked, detailed)}

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


def _add_pull(sums: Sums, pull: _Pull) -> _Basis:
    """Add a pull's rates, unless one of its conditions was not asked."""
    compared = {term: pull.compared(term) for term in LABELS}
    needed = {term: [*chain.from_iterable(parts.values())] for term, parts in compared.items()}
    missing = dict.fromkeys(
        "/".join(map(str, c))
        for c, output in product(chain.from_iterable(needed.values()), pull.outputs)
        if (output, *c) not in sums.conditions
    )
    chosen = sums.groups["identity"].isin(pull.identities).to_numpy()
    any_used = np.zeros_like(chosen)
    counts: dict[str, Counts] = {}
    for term in LABELS:
        # Chances are zero where the term is right, so these groups add nothing.
        eligible = chosen & (sums.groups["gold"] != term).to_numpy()
        used = np.zeros_like(chosen)
        for output in pull.outputs:
            beside = [output, *filter(None, [pull.paired_with])]
            whole = eligible & sums.whole([(o, *c) for o, c in product(beside, needed[term])])
            used |= whole
            for part, cells in compared[term].items():
                at = [(output, *c) for c in cells]
                sums.add((pull, term, part), term, whole & (not missing), at)
        counts[term] = sums.counts(used, eligible)
        any_used |= used
    counts[OVERALL] = sums.counts(any_used, chosen)
    return _Basis(f"not asked: {', '.join(missing)}" if missing else "", counts)


def _of_pull(totals: Totals, pull: _Pull, basis: _Basis) -> dict[Key, Quantity]:
    rates = _rates(totals, pull)
    reasons = {t: basis.missing or _why_undefined(t, basis.counts[t]) for t in LABELS}
    unknown = dict.fromkeys(reasons[t] for t in LABELS if np.isnan(rates[t][:, 0]).any())
    of_all = np.mean([*rates.values()], axis=0)
    found = {"framing_pull": (of_all, "; ".join(unknown), OVERALL)}
    found |= {f"framing_pull_{t}": (rates[t], reasons[t], t) for t in LABELS}
    return {
        (metric, *pull.place): quantity(metric, both[0] - both[1], reason, basis.counts[term])
        for metric, (both, reason, term) in found.items()
    }


def _rates(totals: Totals, pull: _Pull) -> dict[str, Floats]:
    """By term, how often it is drifted to where it is framed with, and where nothing is."""
    return {
        term: np.stack([_rate(totals, pull, term, part) for part in ("framed", "neutral")])
        for term in LABELS
    }


def _why_undefined(term: str, counts: Counts) -> str:
    if not counts.n_items and not counts.n_dropped:
        return f"{term} is never wrong here"
    return f"no item was scored in every framing that the pull of {term} compares"


def _relief(totals: Totals, pulls: Mapping[_Pull, _Basis]) -> Quantity:
    """How much smaller the pull is with free-form reasoning than with one word."""
    paired = [(pull, basis) for pull, basis in pulls.items() if pull.paired_with]
    if not paired:
        unknown = np.full(len(totals), np.nan)
        return quantity("cot_relief", unknown, f"not asked: output {ONE_WORD}", None)
    both = np.stack([np.mean([*_rates(totals, p).values()], axis=0) for p, _ in paired])
    one_word, reasoned = both[:, 0] - both[:, 1]
    (_, short), (_, long) = paired
    reason = long.missing or short.missing
    reason = reason or "no item was scored in every framing under both outputs"
    return quantity("cot_relief", one_word - reasoned, reason, long.counts[OVERALL])


def identity_contrasts(rows: pd.DataFrame, detailed: bool) -> Analysis:
    """How much more often an answer is drifted to for an identity than for `person`.

    `identity_shift_more` is the difference of DirErr(more), one an identity; `identity_gap_more`
    the largest of them in size. `standard` is left out: its names are another wording.
    """
    rows = rows[rows["identity"] != STANDARD]
    if not len(rows):
        return NOTHING
    sums = Sums(
        rows,
        ("subset", "item", "unit", "gold", "epoch", "run", "output", "style", "term", "position"),
        ("identity",),
    )
    identities = [str(identity) for (identity,) in sums.conditions]
    everyone = sums.whole(sums.conditions)
    counts: dict[str, Counts] = {}
    for output in (OVERALL, *(dict.fromkeys(rows["output"]) if detailed else ())):
        chosen = sums.groups["output"].isin([output]).to_numpy() | (output == OVERALL)
        counts[output] = sums.counts(everyone & chosen, chosen)
        for identity, label in product(identities, LABELS):
            sums.add((output, identity, label), label, everyone & chosen, [(identity,)])

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        quantities: dict[Key, Quantity] = {}
        for (output, among), label in product(counts.items(), LABELS):
            quantities |= _shifts(totals, output, label, identities, among)
        return quantities

    # Every question's identities trade places, alike in all outputs.
    traded = partial(exchanged_within, split=lambda key: ((), key[1], (key[0], *key[2:])))
    return Analysis(sums.table(), statistic, {}, {"identity": traded})


def _shifts(
    totals: Totals, output: str, label: str, identities: Sequence[str], counts: Counts
) -> dict[Key, Quantity]:
    gap, shift = f"identity_gap_{label}", f"identity_shift_{label}"
    gap_key = (gap, *place(output=output))
    others = [identity for identity in identities if identity != PERSON]
    if PERSON not in identities or not others:
        lacking = PERSON if others else "anyone beside person"
        unknown = np.full(len(totals), np.nan)
        return {gap_key: quantity(gap, unknown, f"not asked: {lacking}", counts)}
    rates = {identity: _rate(totals, output, identity, label) for identity in identities}
    shifts = {identity: rates[identity] - rates[PERSON] for identity in others}
    reason = f"{label} is never wrong here"
    if not counts.n_items:
        reason = "no question was scored for every identity"
    quantities = {
        (shift, *place(output=output, identity=identity)): quantity(shift, values, reason, counts)
        for identity, values in shifts.items()
    }
    largest = np.max(np.abs([*shifts.values()]), axis=0)
    either_way = [sign * values for values in shifts.values() for sign in (1, -1)]
    return {gap_key: quantity(gap, largest, reason, counts, either_way), **quantities}
