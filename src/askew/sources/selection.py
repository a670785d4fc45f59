"""Which items run, and in what order: whole items, seeded, spread over subsets."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

from askew.parameters import whole_number
from askew.schema import round_robin


class HasPlace(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def subset(self) -> str: ...


Item = TypeVar("Item", bound=HasPlace)


def spread(items: Sequence[Item], n: int | None, seed: int) -> list[Item]:
    """At most `n` items, a seeded choice within each subset, in round-robin order of subsets."""
    if n is not None:
        whole_number("items", n)
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.subset, []).append(item)
    if n is None:
        return list(round_robin(groups))
    drawn = {
        name: random.Random(f"{seed}/{name}").sample(group, len(group))
        for name, group in groups.items()
    }
    chosen = {item.id for item in list(round_robin(drawn))[:n]}
    kept = {name: [i for i in group if i.id in chosen] for name, group in groups.items()}
    return list(round_robin(kept))


def shuffled(elements: Sequence[str], *seeds: object) -> list[str]:
    """A copy in an order that depends on the seeds alone."""
    copy = list(elements)
    random.Random("/".join(map(str, seeds))).shuffle(copy)
    return copy
