"""MathComp's framing pull: how far a word drags answers to itself, and what reasoning saves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from askew.papers.mathcomp.numbers_grid import Booleans, Grid, Sums, difference, grid_of, place
from askew.papers.mathcomp.numbers_rates import ALL, LABELS, NOTHING
from askew.statistics.intervals import Floats
from askew.statistics.tables import Analysis, Counts, Key, Quantity, Totals, ratio

STYLES = ("direct", "indirect")
POSITIONS = ("begin", "end")
# Where a pull pools styles or positions, it needs all of them.
_SCOPES = ((ALL, ALL), *((s, ALL) for s in STYLES), *((ALL, p) for p in POSITIONS))


@dataclass(frozen=True)
class _Pull:
    """One pull: where it stands, which outputs and identities it pools, and its scope."""

    name: str
    place: Key
    outputs: tuple[str, ...]
    identities: tuple[str, ...]
    scope: tuple[str, str] = (ALL, ALL)
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
        if "cot" in outputs:
            quantities |= _relief(totals, pulls, reasons, counts)
        return quantities

    return Analysis(sums.table(), statistic, {})


def _pulls(asked: Sequence[tuple[str, str]], detailed: bool) -> Iterator[_Pull]:
    """Every pull of the pairs of output and identity that were asked."""
    outputs = tuple(dict.fromkeys(output for output, _ in asked))
    everyone = tuple(dict.fromkeys(identity for _, identity in asked))
    yield _Pull("all", place(), outputs, everyone)
    if "cot" in outputs and "one_word" in outputs:
        for one, other in (("one_word", "cot"), ("cot", "one_word")):
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
    counts[(pull.name, ALL)] = sums.counts(any_used, chosen)
    return f"not asked: {', '.join(dict.fromkeys(missing))}" if missing else ""


def _needed(term: str, pull: _Pull) -> tuple[list[Key], list[Key]]:
    """The framed and the neutral conditions that a pull compares, in each of its outputs."""
    styles = STYLES if pull.scope[0] == ALL else (pull.scope[0],)
    positions = POSITIONS if pull.scope[1] == ALL else (pull.scope[1],)
    framed = [(o, s, term, p) for o in pull.outputs for s in styles for p in positions]
    neutral = [(o, "neutral", "none", p) for o in pull.outputs for p in positions]
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
    quantities = {
        (f"framing_pull_{t}", *pull.place): difference(v, reasons[t], counts[(pull.name, t)])
        for t, v in terms.items()
    }
    mean = np.mean([*terms.values()], axis=0)
    unknown = [reasons[t] for t in LABELS if np.isnan(terms[t][0])]
    headline = difference(mean, "; ".join(dict.fromkeys(unknown)), counts[(pull.name, ALL)])
    return {("framing_pull", *pull.place): headline, **quantities}


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
        return {key: Quantity(unknown, reason="not asked: output one_word")}
    missing = reasons["paired cot"] or reasons["paired one_word"]
    means = {
        output: np.mean([_pull_of_term(totals, pull, t) for t in LABELS], axis=0)
        for output, pull in paired.items()
    }
    values = means["one_word"] - means["cot"]
    if missing:
        values = np.full(len(totals), np.nan)
    reason = missing or "no item was scored in every framing under both outputs"
    relief = Quantity(values, bounds=(-2.0, 2.0), reason=reason, counts=counts[("paired cot", ALL)])
    return {key: relief}
