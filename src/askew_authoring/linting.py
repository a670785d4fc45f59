"""What checks of question sets share: questions by set, repeats and near duplicates."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, TypeVar

from askew.schema import LintIssue
from askew.sources.loading import HasPlace, tier_of

Item = TypeVar("Item", bound=HasPlace)
# Items of which this share of word pairs is the same, and no fewer pairs than this, come from one
# template or text.
_ALIKE, _FEWEST = 0.4, 30
# Pairs of words in more items than this are the set's own wording.
_FREQUENT = 50


def by_set(items: Iterable[Item]) -> dict[str, list[Item]]:
    """Questions by subset and tier, which are looked at apart."""
    sets: dict[str, list[Item]] = {}
    for item in items:
        sets.setdefault(f"{item.subset} {tier_of(item)}".strip(), []).append(item)
    return sets


def fold(text: str) -> str:
    """A text for comparison: neither case nor spacing counts."""
    return " ".join(text.casefold().split())


def repeats(items: Iterable[Any]) -> Iterator[LintIssue]:
    """Questions that ask what one of the same subset asks."""
    seen: dict[tuple[str, ...], str] = {}
    for item in items:
        first = seen.setdefault((item.subset, *map(fold, item.context.values())), item.id)
        if first != item.id:
            message = f"asks the same as {first}: kept, in one bootstrap cluster"
            yield LintIssue(item.id, "repeat", message)


def near_duplicates(items: Iterable[Any]) -> Iterator[LintIssue]:
    """Items alike in their words that no cluster joins: intervals take them for independent."""
    for group in by_set(items).values():
        pairs = {item.id: set(_word_pairs(item)) for item in group}
        where: dict[tuple[str, str], list[str]] = defaultdict(list)
        for name, own in pairs.items():
            for pair in own:
                where[pair].append(name)
        most = min(max(20, len(group) // 10), _FREQUENT)
        cluster = {item.id: item.cluster for item in group}
        for name, own in pairs.items():
            rare = (where[pair] for pair in own if len(where[pair]) <= most)
            shared = Counter(other for names in rare for other in names if other < name)
            for other, n in shared.most_common():
                share = n / len(own | pairs[other])
                if n >= _FEWEST and share >= _ALIKE and cluster[other] != cluster[name]:
                    message = f"{share:.0%} of its word pairs are {other}'s: give both one cluster"
                    yield LintIssue(name, "near duplicate", message)
                    break


def _word_pairs(item: Any) -> Iterator[tuple[str, str]]:
    names = vars(item) if hasattr(item, "__dict__") else item.__slots__
    for text in _texts([getattr(item, n) for n in names if n not in ("id", "cluster")]):
        yield from pairwise(re.findall(r"[^\W\d_]+", text.casefold()))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)
