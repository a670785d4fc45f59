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

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import cycle
from random import Random
from typing import Any, TypeVar

from askew.files import toml_of
from askew.papers.mathcomp.framings import Scenario, label_of
from askew.papers.mathcomp.paper import LABELS, PAPER, Label
from askew.parameters import seed_number, whole_number
from askew.sources.loading import CORE, HARD, Loaded, digest
from askew_authoring.building import shared_out
from askew_authoring.mathcomp.hard import hard_scenarios
from askew_authoring.mathcomp.patterns import Form, Pattern, all_patterns, tell, write_equation

# A category and a quantity.
Topic = tuple[str, str]
_Number = TypeVar("_Number", int, float)

_FITTING_ROUNDS = 200

# The paper's file, counted: category by quantity, labels, and what is told in words.
PAPER_TOPICS: Mapping[Topic, int] = {
    (category, of): n
    for category, counts in toml_of(PAPER.home, "published/topics.toml").items()
    for of, n in counts.items()
}
PAPER_LABELS: Mapping[Label, int] = {"equal": 94, "less": 119, "more": 87}
_PAPER_FORMATS = {"verbal": 142, "arabic": 158}


def topic_counts(n: int) -> dict[Topic, int]:
    """How many of each category and quantity; both marginals are the paper's, apportioned."""
    marginals = [shared_out(n, _summed(PAPER_TOPICS, side)) for side in (0, 1)]
    left = {name: count for marginal in marginals for name, count in marginal.items()}
    counts: dict[Topic, int] = {}
    for topic, value in _fitted(marginals).items():
        # The fit is floating point: what is whole but for rounding counts as whole.
        counts[topic] = min(int(value + 1e-6), *(left[name] for name in topic))
        for name in topic:
            left[name] -= counts[topic]
    # Single scenarios are added, and others moved where needed, until both marginals are met.
    for category in marginals[0]:
        for _ in range(left[category]):
            path = _augmenting_path(category, counts, left)
            for step, topic in enumerate(path):
                counts[topic] += 1 if step % 2 == 0 else -1
            left[path[-1][1]] -= 1
    return {topic: count for topic, count in counts.items() if count}


def _summed(table: Mapping[Topic, _Number], side: int) -> dict[str, _Number]:
    sums: dict[str, Any] = defaultdict(int)
    for topic, value in table.items():
        sums[topic[side]] += value
    return sums


def _fitted(marginals: list[dict[str, int]]) -> dict[Topic, float]:
    """The paper's table, scaled to both marginals (iterative fitting)."""
    fitted: dict[Topic, float] = {topic: PAPER_TOPICS[topic] for topic in sorted(PAPER_TOPICS)}
    for _ in range(_FITTING_ROUNDS):
        for side, targets in enumerate(marginals):
            sums = _summed(fitted, side)
            fitted = {
                topic: value and value * targets[topic[side]] / sums[topic[side]]
                for topic, value in fitted.items()
            }
    return fitted


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
REVISION = "6"
_LARGEST = 100_000

_ATTEMPTS = 60  # draws before other sentences of the pattern are tried
_CHOICES_OF_FORMS = 60
_PERCENT_APART = (4, 45)  # of the larger total, where the totals differ
_WORDS_ON_BOTH_SIDES = 2 / 3  # of the verbal scenarios; the rest tell one total in words

Drawn = dict[str, int]


@dataclass(frozen=True)
class _Told:
    """A form with its numbers."""

    form: Form
    drawn: Drawn

    @cached_property
    def parts(self) -> list[int]:
        return [term.value(self.drawn) for term in self.form.terms]

    @property
    def total(self) -> int:
        return sum(self.parts)

    @property
    def amounts(self) -> list[int]:
        return [self.drawn[slot] for slot in self.form.amounts]


def generated(n: int, seed: int) -> Loaded[Scenario]:
    """The items of `data=bundled`: as many of each tier, from one seed."""
    whole_number("n", n, most=_LARGEST)
    return _loaded(n, seed_number(seed))


@lru_cache(maxsize=16, typed=True)
def _loaded(n: int, seed: int) -> Loaded[Scenario]:
    tiers = (CORE, HARD)
    items = [replace(s, tier=tier) for tier in tiers for s in generate(n, seed, tier)]
    # Written as items were when revisions began.
    made = digest(f"[{', '.join(f'MathCompItem(scenario={item!r})' for item in items)}]")
    # The seed is in the name, so that a report says which scenarios these were.
    return Loaded(items, "bundled", f"generator{REVISION}.seed{seed}.n{n}.{made}")


def generate(n: int = 300, seed: int = 1, difficulty: str = CORE) -> list[Scenario]:
    """Scenarios in the paper's proportions, categories in turn; the same for the same seed.

    Hard ones have its shares of labels and of number formats, and every category equally often.
    """
    rng = Random(f"mathcomp/{REVISION}/{seed}")
    if difficulty == HARD:
        return hard_scenarios(n, seed, *_labels_and_formats(n, rng), rng)
    patterns = _patterns_by_topic(rng)
    topics = _in_turn(topic_counts(n), rng)
    wanted = zip(topics, *_labels_and_formats(n, rng), strict=True)
    told: dict[tuple[str, str], Scenario] = {}
    for number, (topic, label, words) in enumerate(wanted, start=1):
        # Again where another scenario has the same two sentences.
        while len(told) < number:
            scenario = _scenario(f"s{seed}-{number:04d}", next(patterns[topic]), label, words, rng)
            told.setdefault((scenario.sentence1, scenario.sentence2), scenario)
    return [*told.values()]


def _labels_and_formats(n: int, rng: Random) -> tuple[list[Label], list[bool]]:
    """Labels, and which scenarios are told in words, each shuffled."""
    by_label = shared_out(n, PAPER_LABELS)
    labels = [label for label in LABELS for _ in range(by_label[label])]
    rng.shuffle(labels)
    in_words = shared_out(n, _PAPER_FORMATS)["verbal"]
    verbal = [number < in_words for number in range(n)]
    rng.shuffle(verbal)
    return labels, verbal


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
            one, other = pair
            return Scenario(
                id=name,
                sentence1=tell(one.form, one.drawn, "{A}", rng),
                sentence2=tell(other.form, other.drawn, "{B}", rng),
                category=pattern.category,
                quantity=pattern.quantity,
                task=pattern.task,
                label=label,
                equation1=write_equation(one.form, one.drawn),
                equation2=write_equation(other.form, other.drawn),
                verbal=verbal,
                phrase=pattern.phrase,
            )
    raise ValueError(f"pattern {pattern.key} has no pair of totals labelled {label!r}")


def _two_forms(pattern: Pattern, verbal: bool, rng: Random) -> tuple[Form, Form]:
    if not verbal:
        pair = rng.sample(pattern.arabic, 2)
    elif rng.random() < _WORDS_ON_BOTH_SIDES:
        pair = rng.sample(pattern.verbal, 2)
    else:
        pair = [rng.choice(pattern.verbal), rng.choice(pattern.arabic)]
        rng.shuffle(pair)
    return pair[0], pair[1]


def _draw_pair(
    pattern: Pattern, forms: tuple[Form, Form], label: Label, rng: Random
) -> tuple[_Told, _Told] | None:
    """Numbers for both sentences that have the label, or nothing where this draw fails."""
    one, other = (
        _Told(form, {slot: rng.choice(pattern.domains[slot]) for slot in form.slots})
        for form in forms
    )
    if label == "equal":
        settled = _settled(pattern, other, one.total, rng)
        if settled is None:
            return None
        other = settled
    fits = (
        label_of(one.total, other.total) == label
        and _sensible(pattern, one)
        and _sensible(pattern, other)
        and _asks_for_arithmetic(one, other)
    )
    return (one, other) if fits else None


def _settled(pattern: Pattern, told: _Told, wanted: int, rng: Random) -> _Told | None:
    """One number changed so that the total is the wanted one, if its slot has such a value."""
    for slot in rng.sample(told.form.amounts, len(told.form.amounts)):
        before = told.drawn[slot]
        slope = _Told(told.form, {**told.drawn, slot: before + 1}).total - told.total
        change, rest = divmod(wanted - told.total, slope)
        if rest == 0 and before + change in pattern.domains[slot]:
            return _Told(told.form, {**told.drawn, slot: before + change})
    return None


def _sensible(pattern: Pattern, told: _Told) -> bool:
    """Every part comes in whole grains, the total is in range, and no number comes twice."""
    return (
        pattern.smallest <= told.total <= pattern.largest
        and all(part % pattern.grain == 0 for part in told.parts)
        and len(set(told.amounts)) == len(told.amounts)
    )


def _asks_for_arithmetic(one: _Told, other: _Told) -> bool:
    """The totals are neither far apart nor nearly alike, and no single number tells them apart."""
    smaller, larger = sorted((one.total, other.total))
    closest, farthest = _PERCENT_APART
    if smaller != larger and not (
        closest * larger <= 100 * (larger - smaller) <= farthest * larger
    ):
        return False
    shared = {*one.amounts} & {*other.amounts}
    return len(shared) <= 1 and not _one_is_ahead_in_every_part(one.parts, other.parts)


def _one_is_ahead_in_every_part(first: list[int], second: list[int]) -> bool:
    """Largest against largest and so on: a comparison that needs no sum."""
    length = max(len(first), len(second))
    pairs = [*zip(*(sorted([*p, *[0] * (length - len(p))]) for p in (first, second)), strict=True)]
    return all(a >= b for a, b in pairs) or all(a <= b for a, b in pairs)
