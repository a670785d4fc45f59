"""Fresh MathComp scenarios: seeded, exact, and in the paper's proportions by default.

A scenario takes one hand-written pattern and tells it twice, in two different
forms with numbers of their own. Numbers are drawn until the totals have the wanted
label and the pair asks for arithmetic: the totals are neither far apart nor nearly
alike, no person is ahead in every part, and the two sentences share few numbers.

Every marginal (categories, quantities, labels, number formats) is apportioned by
largest remainders, so 300 scenarios have the counts of the paper's Tables 2 to 5.
Which category goes with which quantity follows the counts of the paper's file as
closely as the marginals allow. Labels and number formats are drawn independently
of both and of each other; in the paper's file they lean on each other (the verbal
items are mostly "less"), and that is not carried over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import cycle
from random import Random
from types import MappingProxyType
from typing import TypeVar

from askew.papers.mathcomp.framings import Scenario, label_of
from askew.papers.mathcomp.paper import LABELS, Label, published
from askew.papers.mathcomp.patterns import Form, Pattern, all_patterns, tell, write_equation

# A category and a quantity.
Topic = tuple[str, str]
_Name = TypeVar("_Name", bound=str)
_Number = TypeVar("_Number", int, float)

_FITTING_ROUNDS = 200

# The paper's file, counted: category by quantity, labels, and what is told in words.
PAPER_TOPICS: Mapping[Topic, int] = MappingProxyType(
    {
        (category, of): n
        for category, counts in published("topics.toml").items()
        for of, n in counts.items()
    }
)
_PAPER_LABELS: Mapping[Label, int] = {"equal": 94, "less": 119, "more": 87}
_PAPER_FORMATS = {"verbal": 142, "arabic": 158}


def apportion(weights: Mapping[_Name, int], n: int) -> dict[_Name, int]:
    """Split n by shares with largest remainders; a tie goes to what is listed first."""
    if n < 0:
        raise ValueError(f"n is a number of scenarios, not {n}")
    total = sum(weights.values())
    quotas = {name: Fraction(weight * n, total) for name, weight in weights.items()}
    counts = {name: int(quota) for name, quota in quotas.items()}
    by_remainder = sorted(quotas, key=lambda name: counts[name] - quotas[name])
    for name in by_remainder[: n - sum(counts.values())]:
        counts[name] += 1
    return counts


def topic_counts(n: int) -> dict[Topic, int]:
    """How many of each category and quantity; both marginals are the paper's, apportioned."""
    rows, columns = (apportion(_summed(PAPER_TOPICS, side), n) for side in (0, 1))
    counts = _fitted(rows, columns)
    _complete(counts, rows, columns)
    return {topic: count for topic, count in counts.items() if count}


def _summed(table: Mapping[Topic, _Number], side: int) -> dict[str, _Number]:
    sums: dict[str, _Number] = {}
    for topic, value in table.items():
        sums[topic[side]] = sums[topic[side]] + value if topic[side] in sums else value
    return sums


def _fitted(rows: Mapping[str, int], columns: Mapping[str, int]) -> dict[Topic, int]:
    """Whole counts below the paper's table scaled to both marginals (iterative fitting)."""
    fitted = {
        topic: float(PAPER_TOPICS[topic])
        for topic in sorted(PAPER_TOPICS)
        if rows[topic[0]] and columns[topic[1]]
    }
    for _ in range(_FITTING_ROUNDS):
        for side, targets in enumerate((rows, columns)):
            sums = _summed(fitted, side)
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
    counts: dict[Topic, int], rows: Mapping[str, int], columns: Mapping[str, int]
) -> None:
    """Add single scenarios, moving others where needed, until both marginals are met."""
    open_rows, open_columns = dict(rows), dict(columns)
    for (row, column), count in counts.items():
        open_rows[row] -= count
        open_columns[column] -= count
    for row in rows:
        for _ in range(open_rows[row]):
            path = _augmenting_path(row, counts, open_columns)
            for step, topic in enumerate(path):
                counts[topic] += 1 if step % 2 == 0 else -1
            open_columns[path[-1][1]] -= 1


def _augmenting_path(
    start: str, counts: Mapping[Topic, int], open_columns: Mapping[str, int]
) -> list[Topic]:
    """Topics to raise and lower in turn so that `start` gains one and an open column too."""
    paths: dict[str, list[Topic]] = {start: []}
    seen_columns: set[str] = set()
    waiting = deque([start])
    while waiting:
        row = waiting.popleft()
        for topic in [t for t in counts if t[0] == row and t[1] not in seen_columns]:
            seen_columns.add(topic[1])
            path = [*paths[row], topic]
            if open_columns[topic[1]] > 0:
                return path
            for other in counts:
                if other[1] == topic[1] and counts[other] > 0 and other[0] not in paths:
                    paths[other[0]] = [*path, other]
                    waiting.append(other[0])
    raise ValueError(f"no scenario of {start} fits the quantities that are left")


# Raised whenever a seed would give other scenarios than before.
REVISION = "1"

_ATTEMPTS = 60  # draws before other sentences of the pattern are tried
_CHOICES_OF_FORMS = 60
_PERCENT_APART = (4, 45)  # of the larger total, where the totals differ
_WORDS_ON_BOTH_SIDES = 2 / 3  # of the verbal scenarios; the rest tell one total in words

Drawn = dict[str, int]
Told = tuple[Form, Drawn]


def generate(n: int = 300, seed: int = 1) -> list[Scenario]:
    """Scenarios in the paper's proportions, categories in turn; the same for the same seed."""
    rng = Random(f"mathcomp/{REVISION}/{seed}")
    patterns = _patterns_by_topic(rng)
    topics = _in_turn(topic_counts(n), rng)
    by_label = apportion(_PAPER_LABELS, n)
    labels = [label for label in LABELS for _ in range(by_label[label])]
    rng.shuffle(labels)
    in_words = apportion(_PAPER_FORMATS, n)["verbal"]
    verbal = [number < in_words for number in range(n)]
    rng.shuffle(verbal)
    told: set[tuple[str, str]] = set()
    scenarios = []
    for number, topic in enumerate(topics):
        name = f"s{seed}-{number + 1:04d}"
        while True:
            pattern = next(patterns[topic])
            scenario = _scenario(name, pattern, labels[number], verbal[number], rng)
            if (scenario.sentence1, scenario.sentence2) not in told:
                break
        told.add((scenario.sentence1, scenario.sentence2))
        scenarios.append(scenario)
    return scenarios


def _patterns_by_topic(rng: Random) -> Mapping[Topic, Iterator[Pattern]]:
    """The patterns of every category and quantity, each in an endless round."""
    grouped: dict[Topic, list[Pattern]] = {}
    for pattern in all_patterns():
        grouped.setdefault((pattern.category, pattern.quantity), []).append(pattern)
    for patterns in grouped.values():
        rng.shuffle(patterns)
    return {topic: cycle(patterns) for topic, patterns in grouped.items()}


def _in_turn(counts: Mapping[Topic, int], rng: Random) -> list[Topic]:
    """The topics, each as often as counted, so that the categories take turns."""
    waiting: dict[str, list[Topic]] = {}
    for topic, count in counts.items():
        waiting.setdefault(topic[0], []).extend([topic] * count)
    for topics in waiting.values():
        rng.shuffle(topics)
    order: list[Topic] = []
    while any(waiting.values()):
        order.extend(topics.pop() for topics in waiting.values() if topics)
    return order


def _scenario(name: str, pattern: Pattern, label: Label, verbal: bool, rng: Random) -> Scenario:
    for _ in range(_CHOICES_OF_FORMS):
        forms = _two_forms(pattern, verbal, rng)
        for _ in range(_ATTEMPTS):
            pair = _draw_pair(pattern, forms, label, rng)
            if pair is None:
                continue
            (form1, drawn1), (form2, drawn2) = pair
            return Scenario(
                id=name,
                sentence1=tell(form1, drawn1, "{A}", rng),
                sentence2=tell(form2, drawn2, "{B}", rng),
                category=pattern.category,
                quantity=pattern.quantity,
                task=pattern.task,
                label=label,
                equation1=write_equation(form1, drawn1),
                equation2=write_equation(form2, drawn2),
                verbal=verbal,
                phrase=pattern.phrase,
            )
    raise ValueError(f"pattern {pattern.key} has no pair of totals labelled {label!r}")


def _two_forms(pattern: Pattern, verbal: bool, rng: Random) -> tuple[Form, Form]:
    if not verbal:
        one, other = rng.sample(pattern.arabic, 2)
    elif rng.random() < _WORDS_ON_BOTH_SIDES:
        one, other = rng.sample(pattern.verbal, 2)
    else:
        pair = [rng.choice(pattern.verbal), rng.choice(pattern.arabic)]
        rng.shuffle(pair)
        one, other = pair
    return one, other


def _draw_pair(
    pattern: Pattern, forms: tuple[Form, Form], label: Label, rng: Random
) -> tuple[Told, Told] | None:
    """Numbers for both sentences that have the label, or nothing where this draw fails."""
    first, second = (
        {slot: rng.choice(pattern.domains[slot]) for slot in form.slots} for form in forms
    )
    if label == "equal":
        wanted = _total(forms[0], first)
        if not _settle(pattern, forms[1], second, wanted, rng):
            return None
    told = (forms[0], first), (forms[1], second)
    sensible = all(_sensible(pattern, form, drawn) for form, drawn in told)
    return (
        told
        if sensible
        and label_of(_total(*told[0]), _total(*told[1])) == label
        and _asks_for_arithmetic(told)
        else None
    )


def _settle(pattern: Pattern, form: Form, drawn: Drawn, wanted: int, rng: Random) -> bool:
    """Change one number so that the total becomes the wanted one, if its slot has such a value."""
    total = _total(form, drawn)
    for slot in rng.sample(form.amounts, len(form.amounts)):
        before = drawn[slot]
        slope = _total(form, {**drawn, slot: before + 1}) - total
        change, rest = divmod(wanted - total, slope)
        if rest == 0 and before + change in pattern.domains[slot]:
            drawn[slot] = before + change
            return True
    return False


def _total(form: Form, drawn: Drawn) -> int:
    return sum(term.value(drawn) for term in form.terms)


def _parts(told: Told) -> list[int]:
    form, drawn = told
    return sorted((term.value(drawn) for term in form.terms), reverse=True)


def _sensible(pattern: Pattern, form: Form, drawn: Drawn) -> bool:
    """Every part comes in whole grains, the total is in range, and no number comes twice."""
    amounts = [drawn[slot] for slot in form.amounts]
    return (
        pattern.smallest <= _total(form, drawn) <= pattern.largest
        and all(term.value(drawn) % pattern.grain == 0 for term in form.terms)
        and len(set(amounts)) == len(amounts)
    )


def _asks_for_arithmetic(told: tuple[Told, Told]) -> bool:
    first, second = (_total(form, drawn) for form, drawn in told)
    if first != second:
        apart = 100 * abs(first - second)
        closest, farthest = _PERCENT_APART
        if not closest * max(first, second) <= apart <= farthest * max(first, second):
            return False
    shared = _amounts(told[0]) & _amounts(told[1])
    return len(shared) <= 1 and not _one_is_ahead_in_every_part(_parts(told[0]), _parts(told[1]))


def _amounts(told: Told) -> set[int]:
    form, drawn = told
    return {drawn[slot] for slot in form.amounts}


def _one_is_ahead_in_every_part(first: list[int], second: list[int]) -> bool:
    """Largest against largest and so on: a comparison that needs no sum."""
    length = max(len(first), len(second))
    one, other = (
        sorted([*parts, *[0] * (length - len(parts))], reverse=True) for parts in (first, second)
    )
    pairs = list(zip(one, other, strict=True))
    return all(a >= b for a, b in pairs) or all(a <= b for a, b in pairs)
