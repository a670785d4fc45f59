"""Questions made from a seed at levels of difficulty: what all generators share.

A paper's `difficulty.toml` names its levels and what each adds. An item depends on the seed, its
level and its number alone: of one seed, the same id is the same question, whichever other levels
and however many items are asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle, islice
from random import Random
from typing import Any, TypeVar

from askew.files import toml_of
from askew.parameters import SelectionError, quote
from askew.schema import HARDEST
from askew.sources.loading import Item, ItemSet

T = TypeVar("T")
# The levels asked by default.
DIFFICULTY = "4-8"
FILE = "difficulty.toml"


def levels_of(home: str, shape: Callable[..., T]) -> Mapping[int, T]:
    """A paper's levels as it declares them, each in a shape of its own."""
    told: Mapping[str, Mapping[str, Any]] = toml_of(home, FILE)
    return {int(level): shape(**fields) for level, fields in told.items()}


def in_turns(
    levels: Sequence[int], n: int, seed: int, revision: str,
    stream: Callable[[int], Iterator[Item]],
) -> ItemSet[Item]:  # fmt: skip
    """So many items, levels in turns; `stream` yields a level's without an end.

    The revision is raised whenever a seed would give other items than before.
    """
    streams = cycle([stream(level) for level in levels])
    items = [next(level) for level in islice(streams, n)]
    return ItemSet(items, "generated", f"levels{revision}.seed{seed}")


def endless(values: Sequence[T], rng: Random) -> Iterator[T]:
    """All values in each round, in an order of its own."""
    while True:
        yield from rng.sample(values, len(values))


def difficulty_levels(difficulty: object, data: str, items: int | None) -> tuple[int, ...]:
    """The levels of difficulty that generated questions are asked at, such as 3 or 4-8."""
    given = f"difficulty={quote(difficulty)}"
    if data != "generated":
        if difficulty is None:
            return ()
        raise SelectionError(f"{given} is for generated questions: add data=generated")
    text = str(DIFFICULTY if difficulty is None else difficulty)[:10]
    found = re.fullmatch(r"\s*([0-9]{1,2})(?:\s*-\s*([0-9]{1,2}))?\s*", text, re.ASCII)
    first, last = (int(end) for end in (found[1], found[2] or found[1])) if found else (0, 0)
    if isinstance(difficulty, bool) or not 1 <= first <= last <= HARDEST:
        raise SelectionError(
            f"{given}: give a level from 1 to {HARDEST}, or a range of them such as 4-8"
        )
    levels = tuple(range(first, last + 1))
    if items is not None and items < len(levels):
        raise SelectionError(
            f"items={items} is too few for the {len(levels)} levels of difficulty={text}: give "
            f"{len(levels)} items or more, or fewer levels"
        )
    return levels
