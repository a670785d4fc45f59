"""Questions made from a seed at levels of difficulty: what all generators share.

A paper's `difficulty.toml` names its levels and what each adds. An item depends on the seed, its
level and its number alone: of one seed, the same id is the same question, whichever other levels
and however many items are asked.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random
from typing import Any, Generic, TypeVar

from askew.files import toml_of
from askew.parameters import EVERYTHING, SelectionError, choose, parse_list, quote
from askew.schema import HARDEST, round_robin
from askew.sources.loading import Item, ItemSet, select_tier, spread

T = TypeVar("T")
# The levels asked by default, and what asks them.
DIFFICULTY, GENERATED = "4-8", "generated"
FILE = "difficulty.toml"


def levels_of(home: str, shape: Callable[..., T]) -> Mapping[int, T]:
    """A paper's levels as it declares them, each in a shape of its own."""
    told: Mapping[str, Mapping[str, Any]] = toml_of(home, FILE)
    return {int(level): shape(**fields) for level, fields in told.items()}


@dataclass(frozen=True)
class Generator(Generic[Item]):
    """What makes a paper's questions: called, so many of them, the levels in turns.

    `stream` yields those of a level, of a seed and of the subsets wanted, without an end.
    """

    stream: Callable[[int, int, Sequence[str]], Iterator[Item]]
    revision: str  # raised whenever a seed would give other questions than before
    n: int  # how many are asked where no number is given
    subsets: Sequence[str]

    def __call__(
        self, levels: Sequence[int], n: int, seed: int, subset: str | Sequence[str] | None = None
    ) -> ItemSet[Item]:
        wanted = choose("subset", subset, self.subsets)
        streams = cycle([self.stream(level, seed, wanted) for level in levels])
        items = [next(level) for level in islice(streams, n)]
        return ItemSet(items, GENERATED, f"levels{self.revision}.seed{seed}")


def endless(values: Sequence[T], rng: Random) -> Iterator[T]:
    """All values in each round, in an order of its own."""
    while True:
        yield from rng.sample(values, len(values))


def listed(words: Sequence[str]) -> str:
    """ "a", "a and b" or "a, b and c"."""
    *first, last = words or [""]
    return f"{', '.join(first)} and {last}" if first else last


def select_questions(
    data: object, subset: Any, tier: object, difficulty: object, items: int | None, seed: int, *,
    load: Callable[[Any, Any], ItemSet[Item]], generate: Generator[Item],
    choose_items: Callable[[Sequence[Item], int | None, int], list[Item]] = spread,
) -> tuple[ItemSet[Item], list[Item]]:  # fmt: skip
    """A task's questions, and those of them to ask, in their order.

    Of `bundled,generated` the two kinds follow each other in turns, half of the `items` each. By
    default so many are generated as there are others, equally many of each level, at most the
    generator's `n`. The tier is one of the others; only some subsets can be generated.
    """
    (origin, generated), n = origins_of(data), generate.n
    levels = difficulty_levels(difficulty, generated, None if origin else items)
    if not origin:
        made = select_tier(generate(levels, items or n, seed, subset), tier)
        return made, made.items
    found = select_tier(load(origin, subset), tier)
    if not generated:
        return found, choose_items(found.items, items, seed)
    every = subset in (None, EVERYTHING)
    wanted = [s for s in generate.subsets if every or s in parse_list(subset)]
    if difficulty is not None and not wanted:
        raise SelectionError(f"difficulty={quote(difficulty)}: {subset} can't be generated")
    most = items // 2 if items else max(1, min(n, len(found.items)) // len(levels)) * len(levels)
    made = generate(levels, most if wanted else 0, seed, wanted or None)
    asked = choose_items(found.items, items and items - len(made.items), seed)
    both = ItemSet(
        [*found.items, *made.items], f"{found.origin},{GENERATED}",
        f"{found.revision}+{made.revision}",
    )  # fmt: skip
    return both, list(round_robin({origin: asked, GENERATED: made.items}))


def origins_of(data: object) -> tuple[Any, bool]:
    """Where questions are read, empty if nowhere, and whether others are generated.

    A command line makes a list of what has a comma.
    """
    origins = parse_list(data) if isinstance(data, str | list) else []
    if GENERATED not in origins:
        return data, False
    return ",".join(origin for origin in origins if origin != GENERATED), True


def difficulty_levels(difficulty: object, generated: bool, items: int | None) -> tuple[int, ...]:
    """The levels of difficulty that generated questions are asked at, such as 3 or 4-8."""
    given = f"difficulty={quote(difficulty)}"
    if not generated:
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
