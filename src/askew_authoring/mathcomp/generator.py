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

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain, cycle, repeat
from random import Random
from typing import Any

from askew.files import toml_of
from askew.papers.mathcomp.framings import Scenario, label_of
from askew.papers.mathcomp.paper import LABELS, PAPER, Label
from askew.parameters import check_int, check_seed
from askew.sources.loading import CORE, HARD, ItemSet, digest
from askew_authoring.drawing import distinct, first_fit, largest_remainder
from askew_authoring.mathcomp.hard import hard_scenario, subjects_in_turn
from askew_authoring.mathcomp.patterns import FilledForm, Form, Number, Pattern, all_patterns

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
    marginals = [largest_remainder(n, _sum(PAPER_TOPICS, side)) for side in (0, 1)]
    left = {**marginals[0], **marginals[1]}
    # The paper's table, scaled to both marginals (iterative fitting).
    fitted: dict[Topic, float] = {topic: PAPER_TOPICS[topic] for topic in sorted(PAPER_TOPICS)}
    for side in [0, 1] * _FITTING_ROUNDS:
        sums = _sum(fitted, side)
        for topic, value in fitted.items():
            fitted[topic] = value and value * marginals[side][topic[side]] / sums[topic[side]]
    counts: dict[Topic, int] = {}
    for topic, value in fitted.items():
        # The fit is floating point: what is whole but for rounding counts as whole.
        counts[topic] = min(int(value + 1e-6), *(left[name] for name in topic))
        for name in topic:
            left[name] -= counts[topic]
    # Single scenarios are added, and others moved where needed, until both marginals are met.
    for category in marginals[0]:
        for _ in range(left[category]):
            raised, *moved = _raise_topic(category, counts, left)
            counts[raised] += 1
            if moved:
                given, taken = moved
                counts[given] -= 1
                counts[taken] += 1
            left[(moved or [raised])[-1][1]] -= 1
    return {topic: count for topic, count in counts.items() if count}


def _sum(table: Mapping[Topic, float], side: int) -> dict[str, float]:
    sums: dict[str, float] = {}
    for topic, value in table.items():
        sums[topic[side]] = sums.get(topic[side], 0) + value
    return sums


def _raise_topic(
    category: str, counts: Mapping[Topic, int], left: Mapping[str, int]
) -> list[Topic]:
    """A topic of the category to raise, of an open quantity; else one whose quantity another
    category gives a scenario of, which then takes one of an open quantity."""
    own = [topic for topic in counts if topic[0] == category]
    swaps = (
        [mine, given, taken]
        for mine in own
        for given in counts
        if given[1] == mine[1] and given[0] != category and counts[given] > 0
        for taken in counts
        if taken[0] == given[0] and left[taken[1]] > 0
    )
    return next(chain(([topic] for topic in own if left[topic[1]] > 0), swaps))


def generate_items(n: int, seed: int) -> ItemSet[Scenario]:
    """The items of `data=bundled`: as many of each tier, from one seed."""
    check_int("n", n, most=_LARGEST)
    return _load(n, check_seed(seed))


@lru_cache(maxsize=16, typed=True)
def _load(n: int, seed: int) -> ItemSet[Scenario]:
    items = [
        replace(s, tier=tier, pattern=f"{tier}-{s.pattern}")
        for tier in (CORE, HARD)
        for s in generate(n, seed, tier)
    ]
    # Written as items were when revisions began.
    made = digest(f"[{', '.join(f'MathCompItem(scenario={item!r})' for item in items)}]")
    # The seed is in the name, so that a report says which scenarios these were.
    return ItemSet(items, "bundled", f"generator{REVISION}.seed{seed}.n{n}.{made}")


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
    by_label, in_words = (
        largest_remainder(n, PAPER_LABELS),
        largest_remainder(n, _PAPER_FORMATS)["verbal"],
    )
    labels = [label for label in LABELS for _ in range(by_label[label])]
    verbal = [number < in_words for number in range(n)]
    rng.shuffle(labels)
    rng.shuffle(verbal)
    wanted = [*zip(subjects, labels, verbal, strict=False)]

    def make(number: int) -> Scenario:
        subject, label, verbal = wanted[number - 1]
        return scenario(f"{kind}{seed}-{number:04d}", next(subject), label, verbal, rng)

    return distinct(n, make, told=lambda made: (made.sentence1, made.sentence2))


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


def _scenario(name: str, pattern: Pattern, label: Label, verbal: bool, rng: Random) -> Scenario:
    def pair() -> tuple[FilledForm, FilledForm] | None:
        forms = _two_forms(pattern, verbal, rng)
        draws = (_draw_pair(pattern, forms, label, rng) for _ in range(_ATTEMPTS))
        return next(filter(None, draws), None)

    why = f"pattern {pattern.key} has no pair of totals labelled {label!r}"
    both = zip(first_fit(_CHOICES_OF_FORMS, pair, why), ("{A}", "{B}"), strict=True)
    pairs = [(one.sentence(person, rng), one.equation) for one, person in both]
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
) -> tuple[FilledForm, FilledForm] | None:
    """Numbers for both sentences that have the label, or nothing where this draw fails."""
    one, drawn = (
        FilledForm(form, {slot: rng.choice(pattern.domains[slot]) for slot in form.slots})
        for form in forms
    )
    other = _settle_total(pattern, drawn, one.total, rng) if label == "equal" else drawn
    if other is None or label_of(one.total, other.total) != label:
        return None
    # Parts come in whole grains, totals are in range, and no number comes twice.
    sensible = all(
        pattern.smallest <= filled.total <= pattern.largest
        and all(part % pattern.grain == 0 for part in filled.parts)
        and len(filled.amounts) == len(filled.form.amounts)
        for filled in (one, other)
    )
    return (one, other) if sensible and _asks_for_arithmetic(one, other) else None


def _settle_total(
    pattern: Pattern, filled: FilledForm, wanted: Number, rng: Random
) -> FilledForm | None:
    """One number changed so that the total is the wanted one, if its slot has such a value."""
    for slot in rng.sample(filled.form.amounts, len(filled.form.amounts)):
        before = filled.drawn[slot]
        slope = FilledForm(filled.form, {**filled.drawn, slot: before + 1}).total - filled.total
        after = before + Fraction(wanted - filled.total) / slope
        if after in pattern.domains[slot]:
            return FilledForm(filled.form, {**filled.drawn, slot: after})
    return None


def _asks_for_arithmetic(one: FilledForm, other: FilledForm) -> bool:
    """The totals are neither far apart nor nearly alike, and no single number tells them apart."""
    smaller, larger = sorted((one.total, other.total))
    closest, farthest = (percent * larger for percent in _PERCENT_APART)
    if smaller != larger and not closest <= 100 * (larger - smaller) <= farthest:
        return False
    if len(one.amounts & other.amounts) > 1:
        return False
    # One person is ahead where the largest part against the largest and so on needs no sum.
    most = max(len(one.parts), len(other.parts))
    ranked = (sorted([*filled.parts, *[0] * (most - len(filled.parts))]) for filled in (one, other))
    ahead = Counter((a > b) - (a < b) for a, b in zip(*ranked, strict=True))
    return bool(ahead[1] and ahead[-1])
