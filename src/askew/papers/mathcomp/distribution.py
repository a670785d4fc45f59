"""How many scenarios of which kind: exact counts from shares.

Every marginal (categories, quantities, labels, number formats) is apportioned by
largest remainders, so 300 scenarios have the counts of the paper's Tables 2 to 5.
Which category goes with which quantity follows the counts of the paper's file as
closely as the marginals allow. Labels and number formats are drawn independently
of both and of each other; in the paper's file they lean on each other (the verbal
items are mostly "less"), and that is not carried over.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from types import MappingProxyType

from askew.papers.mathcomp.paper import CATEGORIES, LABELS
from askew.papers.mathcomp.phrases import QUANTITIES

# A category and a quantity.
Topic = tuple[str, str]
Weights = Mapping[str, float | Fraction]

_FITTING_ROUNDS = 200

# The paper's file, counted: category by quantity.
PAPER_TOPICS: Mapping[Topic, int] = MappingProxyType(
    {
        ("Dining", "money"): 27,
        ("Dining", "others"): 5,
        ("Dining", "weight"): 2,
        ("Education", "money"): 6,
        ("Education", "others"): 8,
        ("Education", "time"): 20,
        ("Education", "weight"): 1,
        ("Entertainment", "money"): 13,
        ("Entertainment", "others"): 2,
        ("Entertainment", "time"): 15,
        ("Health & Fitness", "distance"): 22,
        ("Health & Fitness", "money"): 1,
        ("Health & Fitness", "others"): 1,
        ("Health & Fitness", "time"): 8,
        ("Health & Fitness", "weight"): 8,
        ("Home & Living", "distance"): 3,
        ("Home & Living", "money"): 15,
        ("Home & Living", "others"): 4,
        ("Home & Living", "time"): 10,
        ("Personal Care", "money"): 16,
        ("Personal Care", "others"): 1,
        ("Personal Care", "weight"): 1,
        ("Shopping", "money"): 23,
        ("Shopping", "others"): 3,
        ("Shopping", "weight"): 1,
        ("Technology", "distance"): 1,
        ("Technology", "money"): 21,
        ("Technology", "others"): 4,
        ("Technology", "time"): 3,
        ("Transportation", "distance"): 23,
        ("Transportation", "money"): 4,
        ("Transportation", "time"): 2,
        ("Travel", "distance"): 13,
        ("Travel", "money"): 11,
        ("Travel", "time"): 2,
    }
)


def _paper_total(side: int) -> Weights:
    totals: dict[str, int] = {}
    for topic, count in PAPER_TOPICS.items():
        totals[topic[side]] = totals.get(topic[side], 0) + count
    return MappingProxyType(totals)


@dataclass(frozen=True)
class Distribution:
    """Shares (or counts, any scale) of each kind, and the share told in words.

    What is left out is the paper's. `verbal` is a share between 0 and 1.
    """

    categories: Weights = field(default_factory=lambda: _paper_total(0))
    quantities: Weights = field(default_factory=lambda: _paper_total(1))
    labels: Weights = field(default_factory=lambda: {"equal": 94, "less": 119, "more": 87})
    verbal: float | Fraction = Fraction(142, 300)

    def __post_init__(self) -> None:
        _check_weights("categories", self.categories, CATEGORIES)
        _check_weights("quantities", self.quantities, QUANTITIES)
        _check_weights("labels", self.labels, LABELS)
        if not (isfinite(self.verbal) and 0 <= self.verbal <= 1):
            raise ValueError(f"verbal is a share between 0 and 1, not {self.verbal}")

    def label_counts(self, n: int) -> dict[str, int]:
        return apportion(self.labels, n)

    def verbal_count(self, n: int) -> int:
        verbal = Fraction(self.verbal)
        return apportion({"verbal": verbal, "arabic": 1 - verbal}, n)["verbal"]

    def topic_counts(self, n: int, available: Iterable[Topic]) -> dict[Topic, int]:
        """How many of each (category, quantity), among the pairs that have patterns."""
        topics = sorted(set(available))
        rows = apportion(self.categories, n)
        columns = apportion(self.quantities, n)
        counts = _fitted(rows, columns, topics)
        if not _complete(counts, rows, columns, topics):
            pairs = "; ".join(f"{category}: {quantity}" for category, quantity in topics)
            raise ValueError(
                f"no {n} scenarios have these categories and these quantities at once. "
                f"There are patterns for {pairs}. Change one of the two distributions."
            )
        return {topic: count for topic, count in counts.items() if count}


def apportion(weights: Weights, n: int) -> dict[str, int]:
    """Split n by shares with largest remainders; a tie goes to what is listed first."""
    if n < 0:
        raise ValueError(f"n is a number of scenarios, not {n}")
    total = sum(Fraction(weight) for weight in weights.values())
    quotas = {name: Fraction(weight) * n / total for name, weight in weights.items()}
    counts = {name: int(quota) for name, quota in quotas.items()}
    by_remainder = sorted(quotas, key=lambda name: counts[name] - quotas[name])
    for name in by_remainder[: n - sum(counts.values())]:
        counts[name] += 1
    return counts


def _check_weights(field_name: str, weights: Weights, known: Iterable[str]) -> None:
    unknown = sorted(set(weights) - set(known))
    if unknown:
        raise ValueError(f"{field_name}: unknown {unknown}; use {', '.join(known)}")
    if not all(isfinite(weight) and weight >= 0 for weight in weights.values()):
        raise ValueError(f"{field_name}: shares are finite and not negative, not {dict(weights)}")
    if not any(weights.values()):
        raise ValueError(f"{field_name}: at least one share is above 0")


def _fitted(
    rows: Mapping[str, int], columns: Mapping[str, int], topics: Iterable[Topic]
) -> dict[Topic, int]:
    """Whole counts below the paper's table scaled to both marginals (iterative fitting)."""
    fitted = {
        topic: float(PAPER_TOPICS.get(topic, 1))
        for topic in topics
        if rows.get(topic[0], 0) and columns.get(topic[1], 0)
    }
    for _ in range(_FITTING_ROUNDS):
        for side, targets in enumerate((rows, columns)):
            sums: dict[str, float] = {}
            for topic, value in fitted.items():
                sums[topic[side]] = sums.get(topic[side], 0.0) + value
            fitted = {
                topic: value * targets[topic[side]] / sums[topic[side]] if value else 0.0
                for topic, value in fitted.items()
            }
    rows_left, columns_left = dict(rows), dict(columns)
    counts: dict[Topic, int] = {}
    for topic, value in fitted.items():
        row, column = topic
        # The fit is floating point: what is whole but for rounding counts as whole.
        count = min(int(value + 1e-6), rows_left[row], columns_left[column])
        counts[topic] = count
        rows_left[row] -= count
        columns_left[column] -= count
    return counts


def _complete(
    counts: dict[Topic, int],
    rows: Mapping[str, int],
    columns: Mapping[str, int],
    topics: Iterable[Topic],
) -> bool:
    """Add single scenarios, moving others where needed, until both marginals are met."""
    allowed = [topic for topic in topics if topic in counts]
    open_rows, open_columns = dict(rows), dict(columns)
    for (row, column), count in counts.items():
        open_rows[row] -= count
        open_columns[column] -= count
    for row in rows:
        while open_rows[row] > 0:
            path = _augmenting_path(row, counts, open_columns, allowed)
            if not path:
                return False
            for step, topic in enumerate(path):
                counts[topic] += 1 if step % 2 == 0 else -1
            open_rows[row] -= 1
            open_columns[path[-1][1]] -= 1
    return True


def _augmenting_path(
    start: str, counts: Mapping[Topic, int], open_columns: Mapping[str, int], allowed: list[Topic]
) -> list[Topic]:
    """Topics to raise and lower in turn so that `start` gains one and an open column too."""
    paths: dict[str, list[Topic]] = {start: []}
    seen_columns: set[str] = set()
    waiting = deque([start])
    while waiting:
        row = waiting.popleft()
        for topic in (
            topic for topic in allowed if topic[0] == row and topic[1] not in seen_columns
        ):
            seen_columns.add(topic[1])
            path = [*paths[row], topic]
            if open_columns[topic[1]] > 0:
                return path
            for other in (other for other in allowed if other[1] == topic[1]):
                if counts[other] > 0 and other[0] not in paths:
                    paths[other[0]] = [*path, other]
                    waiting.append(other[0])
    return []


PAPER_DISTRIBUTION = Distribution()
