"""Tiers of questions: those that most models can answer, and those that tell strong ones apart.

A record of a file may say its tier. Our own questions all have one: `hard` where a record says so
or stands in a file whose name ends in `_hard`, else `core`. The paper's have none, and a user's
have one only where the records say it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from askew.schema import round_robin

Item = TypeVar("Item")
Record = TypeVar("Record")
Tier = Literal["", "core", "hard"]
CORE, HARD = "core", "hard"
TIERS: Mapping[str, str] = {
    CORE: "questions that a strong model can be expected to know",
    HARD: "questions that tell strong models apart",
}


# What a tier adds to a seed: core items are drawn as if there were no others.
_NAMED: Mapping[str, tuple[str, ...]] = {"": (), CORE: (), HARD: (HARD,)}


def tier_of(item: object) -> str:
    """The tier of an item; nothing where it has none."""
    return str(getattr(item, "tier", "") or "")


def hard_beside(file: Path) -> list[Path]:
    """The file of hard questions beside one of core questions, where there is one."""
    beside = file.with_name(f"{file.stem}_{HARD}{file.suffix}")
    return [beside] if beside.is_file() else []


def in_tiers_of(
    file: Path, parse: Callable[[Mapping[str, Any]], Record]
) -> Callable[[Mapping[str, Any]], Record]:
    """What reads a record of our own: where it says no tier, its file does."""
    of_file = HARD if file.stem.endswith(f"_{HARD}") else CORE
    return lambda raw: parse({"tier": of_file, **raw})


def taking_turns(items: Iterable[Item], first: int = 0) -> list[Item]:
    """Items of one group, its tiers in turn, so that any prefix has both as evenly as can be.

    Of several groups that take turns, each begins with another tier: `first` is its number.
    """
    tiers = _by_tier(items)
    names = list(tiers)
    start = first % len(names) if names else 0
    return list(round_robin({name: tiers[name] for name in (*names[start:], *names[:start])}))


def drawn_in_tiers(
    items: Iterable[Item], draw: Callable[[random.Random, list[Item]], list[Item]], *seed: object
) -> list[Item]:
    """The items of one group, each tier in an order drawn by itself: none changes another's."""
    return [
        item
        for tier, group in _by_tier(items).items()
        for item in draw(random.Random("/".join(map(str, (*seed, *_NAMED[tier])))), group)
    ]


def _by_tier(items: Iterable[Item]) -> dict[str, list[Item]]:
    """Items by tier, in the order of the tiers."""
    tiers: dict[str, list[Item]] = {"": [], **{tier: [] for tier in TIERS}}
    for item in items:
        tiers[tier_of(item)].append(item)
    return {tier: group for tier, group in tiers.items() if group}
