"""MathComp's contrasts: how far a word drags answers to itself, and what identities shift.

A contrast compares the same items under several conditions, so an item counts where it was
scored in all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, product

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
from askew.stats.tables import OVERALL, Analysis, Counts, Key, Rate, codes_of

# What a number is told apart by.
LEVELS = ("subset", "output", "identity", "style", "term", "position")
_FRAMING = ["style", "term", "position"]
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


def _asked(rows: pd.DataFrame) -> set[Key]:
    return {*rows[["output", *_FRAMING]].itertuples(index=False, name=None)}


def framing_contrasts(rows: pd.DataFrame, detailed: bool) -> Analysis:
    """`framing_pull` with its three terms, pooled and in parts."""
    scopes = _SCOPES if detailed else _SCOPES[:1]
    items = _items(_compared(rows, scopes), LEVELS[1:], _SUMS)
    outputs = dict.fromkeys(rows["output"])
    pulls = [(place(), _EVERYWHERE, [*outputs])]
    for output in outputs if detailed else ():
        pulls.append((place(output=output), _EVERYWHERE, [output]))
        for identity in dict.fromkeys(rows.loc[rows["output"] == output, "identity"]):
            at = partial(place, output=output, identity=identity)
            pulls += [(at(style=s, position=p), (s, p), [output]) for s, p in scopes]
    asked = _asked(rows)
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
    number = rows.groupby(group, sort=False, dropna=False).ngroup()
    groups = rows.loc[~number.duplicated(), [*group, "unit"]]
    framing, framings = codes_of(rows, _FRAMING)
    places, n_places = number.to_numpy() * len(framings) + framing, len(groups) * len(framings)

    def of(mark: str, conditions: Sequence[Key]) -> Floats:
        sums = np.bincount(places, rows[mark], n_places).reshape(-1, len(framings))
        return np.asarray(sums[:, [framings.index(at) for at in conditions if at in framings]])

    found = []
    for scope, term in product(scopes, LABELS):
        cells = _conditions(scope, term)
        needed = [*chain(*cells.values())]
        whole = (of("scored", needed) > 0).sum(axis=1) == len(needed)
        told = {
            f"{what} {part}": of(f"{what} {term}", inside).sum(axis=1) * whole
            for (part, inside), what in product(cells.items(), ("error", "chance"))
        }
        told |= dict(zip(("style", "position", "term"), (*scope, term), strict=True))
        told |= {"whole": whole, "group": np.arange(len(groups))}
        kept = groups["gold"].to_numpy() != term
        found.append({n: np.broadcast_to(v, len(groups))[kept] for n, v in told.items()})
    joined = {name: np.concatenate([one[name] for one in found]) for name in found[0]}
    return groups.iloc[joined.pop("group")].assign(**joined).reset_index(drop=True)


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
        if missing or counts.n_items or counts.n_dropped:
            return (
                missing or f"no item was scored in every framing that the pull of {term} compares"
            )
        return f"{term} is never wrong here"

    def why_mean(sums: Sums) -> str:
        each = {term: sums.of(term=term) for term in LABELS}
        told = (why(s, t) for t, s in each.items() if missing or np.isnan(s.value(_pull)[0]))
        return "; ".join(dict.fromkeys(told))

    mean, each = (_unknown, _unknown) if missing else (_mean_pull, _pull)
    yield Number(PAPER.metric("framing_pull"), mean, "whole", why=why_mean)
    for term in LABELS:
        metric, within = PAPER.metric(f"framing_pull_{term}"), {"term": term}
        yield Number(metric, each, "whole", why=partial(why, term=term), within=within)


def relief(rows: pd.DataFrame) -> Analysis:
    """How much smaller the pull is with free-form reasoning than with one word, same items."""
    outputs = (ONE_WORD, FREE_FORM)
    found = _compared(rows, _SCOPES[:1])
    group = [c for c in (*_ITEM, "identity", "term") if c in found]
    both = found["output"].isin(outputs) & found["whole"]
    whole = both.groupby([found[c] for c in group], dropna=False).transform("sum") == 2
    found = found.assign(whole=whole, **{s: found[s] * whole for s in _SUMS})

    def value(sums: Sums) -> Floats:
        one_word, reasoned = (_mean_pull(sums.of(output=o)) for o in outputs)
        return one_word - reasoned

    lacking = [_not_asked(_EVERYWHERE, [output], _asked(rows)) for output in reversed(outputs)]
    why = next(filter(None, lacking), "no item was scored in every framing under both outputs")
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
    group = [c for c in (*_ITEM, "output", *_FRAMING) if c in rows]
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
    lacking = PERSON if PERSON not in identities else "" if others else "anyone beside person"

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
        never = lacking or sums.counts("whole").n_items
        told = (
            f"{label} is never wrong here" if never else "no question was scored for every identity"
        )
        return f"not asked: {lacking}" if lacking else told

    def number(label: str, identity: str = "") -> Number:
        metric = PAPER.metric(f"identity_{'shift' if identity else 'gap'}_{label}")
        value = partial(shift, identity=identity) if identity else gap
        return Number(
            metric,
            _unknown if lacking else partial(value, label=label),
            "whole",
            why=partial(why, label=label),
            parts=None if identity or lacking else partial(rates, label=label),
        )

    told: dict[Key, Sequence[Number]] = {place(output=output): [number(y) for y in LABELS]}
    for identity in () if lacking else others:
        told[place(output=output, identity=identity)] = [number(y, identity) for y in LABELS]
    return told
