"""What checks of question sets share: questions by set, and those that are asked twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from askew.schema import LintIssue
from askew.sources.loading import HasPlace, tier_of

Item = TypeVar("Item", bound=HasPlace)


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
