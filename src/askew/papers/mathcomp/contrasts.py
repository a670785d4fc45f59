"""MathComp's contrasts: how far a word drags answers to itself, and what identities shift.

A contrast compares the same items under several conditions, so an item counts where it was
scored in all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from askew.papers.mathcomp.paper import (
    FRAMED_STYLES,
    FREE_FORM,
    LABELS,
    NEUTRAL,
    NO_TERM,
    ONE_WORD,
    PAPER,
    PERSON,
    POSITIONS,
    STANDARD,
)
from askew.stats.engine import Items, Number, Sums, analysis
from askew.stats.exchanges import exchanged_within
from askew.stats.intervals import Floats
from askew.stats.tables import OVERALL, Analysis, Counts, Key, Rate

# What a number is told apart by.
LEVELS = ("subset", "output", "identity", "style", "term", "position")
# The askings of an item in one epoch, but for what each contrast compares.
_ITEM = ("subset", "item", "gold", "epoch", "run")
# Where a pull pools styles or positions, it needs all of them.
_EVERYWHERE = (OVERALL, OVERALL)
_SCOPES = (
    _EVERYWHERE,
    *((s, OVERALL) for s in FRAMED_STYLES),
    *((OVERALL, p) for p in POSITIONS),
)
_PARTS = ("framed", "neutral")
_SUMS = tuple(f"{what} {part}" for part in _PARTS for what in ("error", "chance"))


def place(**levels: str) -> Key:
    """The levels of a row: those not given are pooled."""
    return tuple(levels.get(level, OVERALL) for level in LEVELS)


def _items(rows: pd.DataFrame, cells: Sequence[str], sums: Sequence[str]) -> Items:
    """All in one stratum: within categories there would be too few units to draw from."""
    unit = rows["subset"].astype(str) + "\0" + rows["unit"].astype(str)
    items = Items(rows.assign(unit=unit), cells, sums, strata=())
    units = [tuple(str(unit).split("\0")) for (unit,) in items.table.units]
    items.table = replace(items.table, units=units)
    return items


def framing_contrasts(rows: pd.DataFrame, detailed: bool) -> Analysis:
    """`framing_pull` with its three terms, pooled and in parts."""
    scopes = _SCOPES if detailed else _SCOPES[:1]
    items = _items(_compared(rows, scopes), LEVELS[1:], _SUMS)
    asked = set(rows[["output", "style", "term", "position"]].itertuples(index=False, name=None))
    outputs = dict.fromkeys(rows["output"])
    pulls = [(place(), _EVERYWHERE, [*outputs])]
    for output in outputs if detailed else ():
        pulls.append((place(output=output), _EVERYWHERE, [output]))
        for identity in dict.fromkeys(rows.loc[rows["output"] == output, "identity"]):
            at = partial(place, output=output, identity=identity)
            pulls += [(at(style=s, position=p), (s, p), [output]) for s, p in scopes]
    places = {at: [*_pulls(_not_asked(scope, of, asked))] for at, scope, of in pulls}
    return analysis(items, LEVELS, places)


def _conditions(scope: tuple[str, str], term: str) -> dict[str, list[Key]]:
    """The framed and the neutral conditions that the pull of a term compares."""
    styles = FRAMED_STYLES if scope[0] == OVERALL else scope[:1]
    positions = [*POSITIONS] if scope[1] == OVERALL else [scope[1]]
    return {
        "framed": [*product(styles, (term,), positions)],
        "neutral": [*product((NEUTRAL,), (NO_TERM,), positions)],
    }


def _not_asked(scope: tuple[str, str], outputs: Sequence[str], asked: Collection[Key]) -> str:
    """What of a pull's conditions some output was never asked in."""
    needed = (at for term in LABELS for of in _conditions(scope, term).values() for at in of)
    lacking = (
        "/".join(map(str, at)) for at, o in product(needed, outputs) if (o, *at) not in asked
    )
    named = ", ".join(dict.fromkeys(lacking))
    return f"not asked: {named}" if named else ""


def _compared(rows: pd.DataFrame, scopes: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """By scope and term, the items that could err towards it, and whether each is whole there."""
    group = [c for c in (*_ITEM, "output", "identity") if c in rows]
    number = rows.groupby(group, sort=False, dropna=False).ngroup().to_numpy()
    groups = rows.iloc[np.unique(number, return_index=True)[1]].reset_index(drop=True)
    condition = rows.groupby(["style", "term", "position"], sort=False).ngroup().to_numpy()
    first = np.unique(condition, return_index=True)[1]
    keys = rows.iloc[first][["style", "term", "position"]].itertuples(index=False, name=None)
    at = {key: i for i, key in enumerate(keys)}

    def summed(name: str) -> Floats:
        """A mark by group and condition, with a last column for what was not asked."""
        found = np.zeros((len(groups), len(at) + 1))
        np.add.at(found, (number, condition), rows[name].to_numpy(float))
        return found

    marks = {(w, t): summed(f"{w} {t}") for w, t in product(("error", "chance"), LABELS)}
    scored = summed("scored")
    found = []
    for scope, term in product(scopes, LABELS):
        cells = {p: [at.get(c, -1) for c in of] for p, of in _conditions(scope, term).items()}
        whole = scored[:, [*cells["framed"], *cells["neutral"]]].all(axis=1)
        sums = {
            f"{what} {part}": marks[what, term][:, inside].sum(axis=1) * whole
            for (part, inside), what in product(cells.items(), ("error", "chance"))
        }
        told: dict[str, Any] = {
            "style": scope[0],
            "position": scope[1],
            "term": term,
            "whole": whole,
        }
        found.append(groups.assign(**told, **sums)[groups["gold"] != term])
    return pd.concat(found, ignore_index=True)


def _pull(sums: Sums) -> Floats:
    """How much more often a term is drifted to where it is framed with than where nothing is."""
    framed, neutral = (sums.ratio(f"error {part}", f"chance {part}") for part in _PARTS)
    return framed - neutral


def _mean_pull(sums: Sums) -> Floats:
    return np.asarray(np.mean([sums.of(term=term).value(_pull) for term in LABELS], axis=0))


def _unknown(sums: Sums) -> Floats:
    return np.full(len(sums), np.nan)


def _pulls(missing: str) -> Iterator[Number]:
    """The pull of each term and their mean, or that a condition is missing."""

    def why(sums: Sums, term: str) -> str:
        counts = sums.counts("whole")
        if missing:
            return missing
        if not counts.n_items and not counts.n_dropped:
            return f"{term} is never wrong here"
        return f"no item was scored in every framing that the pull of {term} compares"

    def why_mean(sums: Sums) -> str:
        each = {term: sums.of(term=term) for term in LABELS}
        told = (why(s, t) for t, s in each.items() if missing or np.isnan(s.value(_pull)[0]))
        return "; ".join(dict.fromkeys(told))

    yield Number(
        PAPER.metric("framing_pull"), _unknown if missing else _mean_pull, "whole", why=why_mean
    )
    for term in LABELS:
        yield Number(
            PAPER.metric(f"framing_pull_{term}"), _unknown if missing else _pull, "whole",
            why=partial(why, term=term), within={"term": term},
        )  # fmt: skip


def relief(rows: pd.DataFrame) -> Analysis:
    """How much smaller the pull is with free-form reasoning than with one word, same items."""
    found = _compared(rows, _SCOPES[:1])
    group = [c for c in (*_ITEM, "identity", "term") if c in found]
    both = found["output"].isin([ONE_WORD, FREE_FORM]) & found["whole"]
    whole = both.groupby([found[c] for c in group], dropna=False).transform("sum") == 2
    found = found.assign(whole=whole, **{s: found[s] * whole for s in _SUMS})
    asked = set(rows[["output", "style", "term", "position"]].itertuples(index=False, name=None))
    why = "no item was scored in every framing under both outputs"
    for output in (ONE_WORD, FREE_FORM):
        why = _not_asked(_EVERYWHERE, [output], asked) or why

    def value(sums: Sums) -> Floats:
        one_word, reasoned = (_mean_pull(sums.of(output=o)) for o in (ONE_WORD, FREE_FORM))
        return one_word - reasoned

    number = Number(PAPER.metric("cot_relief"), value, "whole", why=why)
    if ONE_WORD not in set(rows["output"]):
        why = f"not asked: output {ONE_WORD}"
        number = Number(number.metric, _unknown, why=why, counts=lambda _: Counts(0))
    return analysis(_items(found, ("output", "term"), _SUMS), LEVELS, {place(): [number]})


def identity_contrasts(rows: pd.DataFrame, detailed: bool) -> Analysis:
    """How much more often an answer is drifted to for an identity than for `person`.

    `identity_shift_more` is the difference of DirErr(more), one an identity; `identity_gap_more`
    the largest of them in size. `standard` is left out: its names are another wording.
    """
    rows = rows[rows["identity"] != STANDARD]
    identities = [*dict.fromkeys(rows["identity"])]
    group = [c for c in (*_ITEM, "output", "style", "term", "position") if c in rows]
    asked = rows.groupby(group, dropna=False)["identity"].transform("nunique")
    whole = asked == len(identities)
    names = [f"{what} {label}" for label, what in product(LABELS, ("error", "chance"))]
    # Not a level of places: every number compares several identities.
    who = pd.Categorical(rows["identity"], identities)
    rows = rows.assign(whole=whole, who=who, **{name: rows[name] * whole for name in names})
    places: dict[Key, Sequence[Number]] = {}
    for output in dict.fromkeys((OVERALL, *(rows["output"] if detailed else ()))):
        if identities:
            places |= _shifts(output, identities)
    # Every question's identities trade places, alike in all outputs.
    traded = partial(exchanged_within, split=_by_identity)
    return analysis(_items(rows, ("output", "who"), names), LEVELS, places, {"identity": traded})


def _by_identity(key: Key) -> tuple[Key, str, Key] | None:
    output, who, name = key
    return None if name == "n" else ((), str(who), (output, name))


def _shifts(output: str, identities: Sequence[str]) -> dict[Key, Sequence[Number]]:
    """The gaps of a place, and the shifts of every identity."""
    others = [identity for identity in identities if identity != PERSON]
    lacking = "" if PERSON in identities else PERSON
    lacking = lacking if others else "anyone beside person"

    def shift(sums: Sums, label: str, identity: str) -> Floats:
        own, person = (
            sums.of(who=i).ratio(f"error {label}", f"chance {label}") for i in (identity, PERSON)
        )
        return own - person

    def rates(sums: Sums, label: str) -> list[Rate]:
        n_units = sums.counts("whole").n_units
        shifts = (shift(sums, label, identity) for identity in others)
        return [Rate(sign * values, n_units) for values in shifts for sign in (1, -1)]

    def gap(sums: Sums, label: str) -> Floats:
        return np.asarray(np.max([rate.values for rate in rates(sums, label)], axis=0))

    def why(sums: Sums, label: str) -> str:
        if lacking:
            return f"not asked: {lacking}"
        whole = sums.counts("whole").n_items
        return (
            f"{label} is never wrong here" if whole else "no question was scored for every identity"
        )

    def number(label: str, identity: str = "") -> Number:
        metric = PAPER.metric(f"identity_{'shift' if identity else 'gap'}_{label}")
        value = (
            partial(shift, label=label, identity=identity)
            if identity
            else partial(gap, label=label)
        )
        parts = None if identity or lacking else partial(rates, label=label)
        of = _unknown if lacking else value
        return Number(metric, of, "whole", why=partial(why, label=label), parts=parts)

    told: dict[Key, Sequence[Number]] = {place(output=output): [number(y) for y in LABELS]}
    for identity in () if lacking else others:
        told[place(output=output, identity=identity)] = [number(y, identity) for y in LABELS]
    return told
