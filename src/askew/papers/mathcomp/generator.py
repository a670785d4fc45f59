"""Fresh MathComp scenarios: seeded, exact, and in the paper's proportions by default.

A scenario takes one hand-written pattern and tells it twice, in two different
forms with numbers of their own. Numbers are drawn until the totals have the wanted
label and the pair asks for arithmetic: the totals are neither far apart nor nearly
alike, no person is ahead in every part, and the two sentences share few numbers.
"""

from collections.abc import Iterator, Mapping
from itertools import cycle
from random import Random

from askew.papers.mathcomp.distribution import PAPER_DISTRIBUTION, Distribution, Topic
from askew.papers.mathcomp.paper import LABELS, Label
from askew.papers.mathcomp.patterns import Form, Pattern, all_patterns
from askew.papers.mathcomp.patterns.grammar import tell, write_equation
from askew.papers.mathcomp.scenarios import Scenario

__all__ = ["PAPER_DISTRIBUTION", "REVISION", "Distribution", "Scenario", "generate"]

# Raised whenever a seed would give other scenarios than before.
REVISION = "1"

_ATTEMPTS = 60  # draws before other sentences of the pattern are tried
_CHOICES_OF_FORMS = 60
_PERCENT_APART = (4, 45)  # of the larger total, where the totals differ
_WORDS_ON_BOTH_SIDES = 2 / 3  # of the verbal scenarios; the rest tell one total in words

Drawn = dict[str, int]
Told = tuple[Form, Drawn]


def generate(
    n: int = 300, seed: int = 1, distribution: Distribution = PAPER_DISTRIBUTION
) -> list[Scenario]:
    """Scenarios in the given proportions, categories in turn; the same for the same seed."""
    rng = Random(f"mathcomp/{REVISION}/{seed}")
    patterns = _patterns_by_topic(rng)
    topics = _in_turn(distribution.topic_counts(n, patterns), rng)
    labels = _shuffled_labels(distribution, n, rng)
    verbal = [True] * distribution.verbal_count(n)
    verbal += [False] * (n - len(verbal))
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


def _shuffled_labels(distribution: Distribution, n: int, rng: Random) -> list[Label]:
    counts = distribution.label_counts(n)
    labels = [label for label in LABELS for _ in range(counts.get(label, 0))]
    rng.shuffle(labels)
    return labels


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
    return told if sensible and _label(told) == label and _asks_for_arithmetic(told) else None


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


def _label(told: tuple[Told, Told]) -> Label:
    first, second = (_total(form, drawn) for form, drawn in told)
    if first == second:
        return "equal"
    return "more" if second > first else "less"


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
    pairs = list(
        zip(
            sorted(first + [0] * (length - len(first)), reverse=True),
            sorted(second + [0] * (length - len(second)), reverse=True),
            strict=True,
        )
    )
    return all(one >= other for one, other in pairs) or all(one <= other for one, other in pairs)
