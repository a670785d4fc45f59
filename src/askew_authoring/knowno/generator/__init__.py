"""Fresh equation questions by seed, as many as wanted: derivations told in words, and what follows.

A passage tells in words how a quantity is made of others, step by step; asked is the one equation
that all steps together give. Most steps can be told in two or three ways. Options are four such
tellings put into one equation, and the passage tells one of the four, drawn by lot: so the options
alone say nothing about which of them is right, whatever somebody goes by, and none of the three
that stay when it is taken away says which one is gone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import combinations, pairwise, product
from random import Random

from askew.papers.knowno.items import KnowNoItem
from askew.papers.knowno.paper import GENERATED
from askew.parameters import check_int
from askew.sources.loading import HARD, ItemSet, digest
from askew_authoring.drawing import distinct, first_fit, rounds
from askew_authoring.knowno.generator.derivations import FRAMES, Cell, Derivation, derivations
from askew_authoring.knowno.generator.formulas import latex, value

# Raised whenever a seed would give other questions than before.
REVISION = "1"
# How many questions a set has where nobody says, and at most.
N_EQUATIONS = 120
_MOST_EQUATIONS = 100_000
_OPTIONS = 4
_ATTEMPTS = 400
_LEAST_STEPS = 3  # that options differ in, all together
_MOST_STEPS = 2  # that any two of them differ in: slips, not other derivations
_LONGEST = 1.35  # times the shortest option
_MOST_SIGNS = 230
_LEAST_UNLIKE_A_SQUARE = 6
_DRAWS = 6
_APART = 1e-6
_SIGN = re.compile(r"\\[A-Za-z]+|[A-Za-z]+|\d+|[^\s{}]")


@dataclass(frozen=True)
class Question:
    """A passage with a gap, four equations for it, and how they came about."""

    id: str
    before: str
    after: str
    options: tuple[str, ...]
    gold: int
    derivation: Derivation
    cells: tuple[Cell, ...]
    """Of each option, how every step is told."""
    letters: tuple[tuple[str, str], ...]


def generate_items(seed: int, n_equations: int | None = None) -> ItemSet[KnowNoItem]:
    """Make the items of `data=generated`: so many (default 120) from one seed."""
    n = N_EQUATIONS if n_equations is None else n_equations
    return _load(check_int("n_equations", n, most=_MOST_EQUATIONS), seed)


@lru_cache(maxsize=16, typed=True)
def _load(n: int, seed: int) -> ItemSet[KnowNoItem]:
    items = [
        KnowNoItem(
            made.id, GENERATED, made.id, "equation", {"before": made.before, "after": made.after},
            made.options, made.gold, tier=HARD,
        )
        for made in generate(n, seed)
    ]  # fmt: skip
    # Written as items were when revisions began.
    made = digest(repr(items).replace(", cluster=", ", unit="))
    # The seed is in the name, so that a report shows which questions these were.
    return ItemSet(items, "generated", f"equations{REVISION}.seed{seed}.n{n}.{made}")


def generate(n: int, seed: int) -> list[Question]:
    """Questions, the cores in turn; the same for the same seed, and none twice."""
    rng = Random(f"knowno/equations/{REVISION}/{seed}")
    turns = _in_turn(rng)
    # Right options stand everywhere equally often, in no order.
    places = rounds([*range(_OPTIONS)] * 2, rng)
    return distinct(
        n,
        lambda number: _question(f"g{seed}-{number:04d}", next(turns), places, rng),
        told=lambda question: (question.before, question.after),
    )


def _in_turn(rng: Random) -> Iterator[Derivation]:
    """Cores in rounds, each in a new order, with their last steps in rounds of their own."""
    by_core: dict[str, list[Derivation]] = {}
    for each in derivations():
        by_core.setdefault(each.name, []).append(each)
    waiting: dict[str, list[Derivation]] = {name: [] for name in by_core}
    for name in rounds([*by_core], rng):
        waiting[name] = waiting[name] or rng.sample(by_core[name], len(by_core[name]))
        yield waiting[name].pop()


def _question(name: str, of: Derivation, places: Iterator[int], rng: Random) -> Question:
    told = f"{of.name} with {of.last!r}"
    letters = first_fit(
        _ATTEMPTS, partial(of.letters, rng), f"{told}: its quantities have too few letters"
    )
    cells = first_fit(
        _ATTEMPTS, partial(_four_cells, of, rng), f"{told}: no four of its equations fit together"
    )
    # Which one is told is drawn last: nothing about the four depends on it.
    gold = next(places)
    left = latex(of.asked, letters)
    options = tuple(f"{left} = {latex(of.formula(cell), letters)}" for cell in cells)
    before, after = of.texts(cells[gold], letters)
    lead = of.told(rng.choice(FRAMES["last_leads" if of.last else "plain_leads"]), letters)
    title, opening, end = (rng.choice(FRAMES[part]) for part in ("titles", "openings", "afters"))
    return Question(
        name, f"\\subsection{{{title}}}\n{before}\n\n{lead}", f"{opening} {after}\n\n{end}",
        options, gold, of, cells, tuple(letters.items()),
    )  # fmt: skip


def _four_cells(of: Derivation, rng: Random) -> tuple[Cell, ...] | None:
    """Four tellings whose equations are alike in length, differ in value, and form no square."""
    first = rng.choice(_cells(of))
    cells = [first, *rng.sample(_near(of, first), _OPTIONS - 1)]
    fits = _far_enough(of, cells) and _fit(of, sorted(cells))
    return tuple(rng.sample(cells, _OPTIONS)) if fits else None


@cache
def _cells(of: Derivation) -> list[Cell]:
    return [*product(*map(range, of.sizes))]


@cache
def _near(of: Derivation, cell: Cell) -> list[Cell]:
    """The tellings that differ from one in a step or two."""
    return [other for other in _cells(of) if 0 < _spread(cell, other) <= _MOST_STEPS]


def _spread(one: Cell, other: Cell) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def _far_enough(of: Derivation, cells: Sequence[Cell]) -> bool:
    """Whether several steps decide, and no two options are worlds apart."""
    if any(_spread(one, other) > _MOST_STEPS for one, other in combinations(cells, 2)):
        return False
    differing = sum(len(set(ways)) > 1 for ways in zip(*cells, strict=True))
    return differing >= min(_LEAST_STEPS, sum(size > 1 for size in of.sizes))


def _fit(of: Derivation, cells: Sequence[Cell]) -> bool:
    written = [_signs(of, cell) for cell in cells]
    lengths = [*map(len, written)]
    if max(lengths) > _LONGEST * min(lengths) or max(lengths) > _MOST_SIGNS:
        return False
    # Two equations that come to the same in any of the draws, or so nearly that it may seem.
    pairs = (zip(_values(of, a), _values(of, b), strict=True) for a, b in combinations(cells, 2))
    if any(math.isclose(a, b, rel_tol=_APART, abs_tol=_APART) for two in pairs for a, b in two):
        return False
    return not any(_square(written, opposite) for opposite in range(1, _OPTIONS))


@cache
def _signs(of: Derivation, cell: Cell) -> list[str]:
    names = {name: f"\\{name}" for name in of.quantities}
    return _SIGN.findall(latex(of.formula(cell), names))


@cache
def _values(of: Derivation, cell: Cell) -> list[float]:
    return [value(of.formula(cell), of.values(draw)) for draw in range(_DRAWS)]


def _square(written: Sequence[Sequence[str]], opposite: int) -> bool:
    """Whether two options have together what the two others have: three would show the fourth."""
    alike = [Counter([*w, *map(" ".join, pairwise(w))]) for w in written]
    here = alike[0] + alike[opposite]
    there = sum((a for i, a in enumerate(alike) if i not in (0, opposite)), Counter[str]())
    return ((here - there) + (there - here)).total() < _LEAST_UNLIKE_A_SQUARE
