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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import cycle, repeat
from random import Random
from typing import Any

from askew.files import toml_of
from askew.papers.mathcomp.framings import Scenario, label_of
from askew.papers.mathcomp.paper import LABELS, PAPER, Label
from askew.parameters import seed_number, whole_number
from askew.sources.loading import CORE, HARD, Loaded, digest
from askew_authoring.drawing import distinct, first_fit, shared_out
from askew_authoring.mathcomp.hard import hard_scenario, subjects_in_turn
from askew_authoring.mathcomp.patterns import Form, Pattern, all_patterns, tell, write_equation

# A category and a quantity.
Topic = tuple[str, str]
# Raised whenever a seed would give other scenarios than before.
REVISION = "6"
_LARGEST = 100_000
_FITTING_ROUNDS = 200
_ATTEMPTS = 60  # draws before other sentences of the pattern are tried
_CHOICES_OF_FORMS = 60
_PERCENT_APART = (4, 45)  # of the larger total, where the totals differ
_WORDS_ON_BOTH_SIDES = 2 / 3  # of the verbal scenarios; the rest tell one total in words

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
    left = {**marginals[0], **marginals[1]}
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


def _summed(table: Mapping[Topic, float], side: int) -> dict[str, float]:
    sums: dict[str, float] = {}
    for topic, value in table.items():
        sums[topic[side]] = sums.get(topic[side], 0) + value
    return sums


def _fitted(marginals: Sequence[Mapping[str, int]]) -> dict[Topic, float]:
    """The paper's table, scaled to both marginals (iterative fitting)."""
    fitted: dict[Topic, float] = {topic: PAPER_TOPICS[topic] for topic in sorted(PAPER_TOPICS)}
    for _ in range(_FITTING_ROUNDS):
        for side, targets in enumerate(marginals):
            sums = _summed(fitted, side)
            for topic, value in fitted.items():
                fitted[topic] = value and value * targets[topic[side]] / sums[topic[side]]
    return fitted


def _augmenting_path(
    start: str, counts: Mapping[Topic, int], left: Mapping[str, int]
) -> list[Topic]:
    """Topics to raise and lower in turn so that `start` gains one and an open quantity too."""
    paths: dict[str, list[Topic]] = {start: []}
    seen: set[str] = set()
    waiting = [start]
    for category in waiting:
        for topic in [t for t in counts if t[0] == category and t[1] not in seen]:
            seen.add(topic[1])
            path = [*paths[category], topic]
            if left[topic[1]] > 0:
                return path
            for other in counts:
                if other[1] == topic[1] and counts[other] > 0 and other[0] not in paths:
                    paths[other[0]] = [*path, other]
                    waiting.append(other[0])
    raise ValueError(f"no scenario of {start} fits the quantities that are left")


def generated(n: int, seed: int) -> Loaded[Scenario]:
    """The items of `data=bundled`: as many of each tier, from one seed."""
    whole_number("n", n, most=_LARGEST)
    return _loaded(n, seed_number(seed))


@lru_cache(maxsize=16, typed=True)
def _loaded(n: int, seed: int) -> Loaded[Scenario]:
    items = [replace(s, tier=tier) for tier in (CORE, HARD) for s in generate(n, seed, tier)]
    # Written as items were when revisions began.
    made = digest(f"[{', '.join(f'MathCompItem(scenario={item!r})' for item in items)}]")
    # The seed is in the name, so that a report says which scenarios these were.
    return Loaded(items, "bundled", f"generator{REVISION}.seed{seed}.n{n}.{made}")


def generate(n: int = 300, seed: int = 1, difficulty: str = CORE) -> list[Scenario]:
    """Scenarios in the paper's proportions, categories in turn; the same for the same seed.

    Hard ones have its shares of labels and of number formats, and every category equally often.
    """
    rng = Random(f"mathcomp/{REVISION}/{seed}")
    made_by: tuple[str, Callable[..., Scenario], Iterable[Iterator[Any]]] = (
        ("h", hard_scenario, map(repeat, subjects_in_turn(rng)))
        if difficulty == HARD
        else ("s", _scenario, _patterns_in_turn(n, rng))
    )
    kind, scenario, subjects = made_by
    wanted = [*zip(subjects, *_labels_and_formats(n, rng), strict=False)]

    def make(number: int) -> Scenario:
        subject, label, verbal = wanted[number - 1]
        return scenario(f"{kind}{seed}-{number:04d}", next(subject), label, verbal, rng)

    return distinct(n, make, told=lambda made: (made.sentence1, made.sentence2))


def _labels_and_formats(n: int, rng: Random) -> tuple[list[Label], list[bool]]:
    """Labels, and which scenarios are told in words, each shuffled."""
    by_label, in_words = shared_out(n, PAPER_LABELS), shared_out(n, _PAPER_FORMATS)["verbal"]
    labels = [label for label in LABELS for _ in range(by_label[label])]
    verbal = [number < in_words for number in range(n)]
    rng.shuffle(labels)
    rng.shuffle(verbal)
    return labels, verbal


def _patterns_in_turn(n: int, rng: Random) -> list[Iterator[Pattern]]:
    """For each scenario the patterns that suit it, in an endless round; categories take turns."""
    suited: dict[Topic, list[Pattern]] = {}
    for pattern in all_patterns():
        suited.setdefault((pattern.category, pattern.quantity), []).append(pattern)
    for patterns in suited.values():
        rng.shuffle(patterns)
    rounds = {topic: cycle(patterns) for topic, patterns in suited.items()}
    waiting: dict[str, list[Topic]] = {}
    for topic, count in topic_counts(n).items():
        waiting.setdefault(topic[0], []).extend([topic] * count)
    for topics in waiting.values():
        rng.shuffle(topics)
    order: list[Iterator[Pattern]] = []
    while any(waiting.values()):
        order.extend(rounds[topics.pop()] for topics in waiting.values() if topics)
    return order


@dataclass(frozen=True)
class _Told:
    """A form with its numbers."""

    form: Form
    drawn: Mapping[str, int]

    @cached_property
    def parts(self) -> list[int]:
        return [term.value(self.drawn) for term in self.form.terms]

    @property
    def total(self) -> int:
        return sum(self.parts)

    @property
    def amounts(self) -> set[int]:
        return {self.drawn[slot] for slot in self.form.amounts}


def _scenario(name: str, pattern: Pattern, label: Label, verbal: bool, rng: Random) -> Scenario:
    def pair() -> tuple[_Told, _Told] | None:
        forms = _two_forms(pattern, verbal, rng)
        draws = (_draw_pair(pattern, forms, label, rng) for _ in range(_ATTEMPTS))
        return next(filter(None, draws), None)

    why = f"pattern {pattern.key} has no pair of totals labelled {label!r}"
    told = first_fit(_CHOICES_OF_FORMS, pair, why)
    pairs = [
        (tell(one.form, one.drawn, person, rng), write_equation(one.form, one.drawn))
        for one, person in zip(told, ("{A}", "{B}"), strict=True)
    ]
    return pattern.scenario(name, label, verbal, pairs)


def _two_forms(pattern: Pattern, verbal: bool, rng: Random) -> list[Form]:
    if not verbal:
        return rng.sample(pattern.arabic, 2)
    if rng.random() < _WORDS_ON_BOTH_SIDES:
        return rng.sample(pattern.verbal, 2)
    pair = [rng.choice(pattern.verbal), rng.choice(pattern.arabic)]
    rng.shuffle(pair)
    return pair


def _draw_pair(
    pattern: Pattern, forms: Sequence[Form], label: Label, rng: Random
) -> tuple[_Told, _Told] | None:
    """Numbers for both sentences that have the label, or nothing where this draw fails."""
    one, drawn = (
        _Told(form, {slot: rng.choice(pattern.domains[slot]) for slot in form.slots})
        for form in forms
    )
    other = _settled(pattern, drawn, one.total, rng) if label == "equal" else drawn
    if other is None or label_of(one.total, other.total) != label:
        return None
    sensible = _sensible(pattern, one) and _sensible(pattern, other)
    return (one, other) if sensible and _asks_for_arithmetic(one, other) else None


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
        and len(told.amounts) == len(told.form.amounts)
    )


def _asks_for_arithmetic(one: _Told, other: _Told) -> bool:
    """The totals are neither far apart nor nearly alike, and no single number tells them apart."""
    smaller, larger = sorted((one.total, other.total))
    closest, farthest = (percent * larger for percent in _PERCENT_APART)
    if smaller != larger and not closest <= 100 * (larger - smaller) <= farthest:
        return False
    if len(one.amounts & other.amounts) > 1:
        return False
    # One person is ahead where the largest part against the largest and so on needs no sum.
    most = max(len(one.parts), len(other.parts))
    ranked = (sorted([*t.parts, *[0] * (most - len(t.parts))]) for t in (one, other))
    pairs = [*zip(*ranked, strict=True)]
    return not all(a >= b for a, b in pairs) and not all(a <= b for a, b in pairs)
