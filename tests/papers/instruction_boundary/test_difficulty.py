"""Theories with a dial: exact at every level, and nothing gives their labels away."""

import re
from collections import Counter
from itertools import product

import numpy as np
import pytest

from askew.papers import get_paper
from askew.papers.instruction_boundary.generator import LABELS, LEVELS, generate
from askew.papers.instruction_boundary.paper import SETTINGS, SettingVariant
from askew.papers.instruction_boundary.questions import BoundaryItem

Clause = frozenset[int]
N = 240


@pytest.fixture(scope="module")
def at_levels() -> dict[int, list[BoundaryItem]]:
    return {level: generate([level], N, seed=5).items for level in LEVELS}


# --- a solver of another kind: it reads the sentences, and knows nothing of chains ---

P = r"[a-z, -]+?"
SHAPES = [re.compile(shape) for shape in (
    rf"If someone is (?P<body>{P}), then they are (?P<head>{P})",
    rf"(?:Anyone|Everyone) who is (?P<body>{P}) is (?P<head>{P})",
    rf"A person is (?P<head>{P}) if they are (?P<body>{P})",
    rf"Those who are (?P<body>{P}) are (?P<head>{P})",
    rf"No one who is (?P<body>{P}) is (?P<denied>{P})",
    rf"Only those who are (?P<head>{P}) are (?P<body>{P})",
    rf"No one is (?P<body>{P}) (?:unless they are|without being) (?P<head>{P})",
)]  # fmt: skip
WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")


class Reading:
    """A passage as clauses over numbered properties, by person those of what they are."""

    def __init__(self, item: BoundaryItem) -> None:
        self.number: dict[str, int] = {}
        self.rules: list[tuple[list[int], list[int]]] = []
        self.facts: dict[str, list[int]] = {}
        for sentence in item.passage.split("\n"):
            text = sentence.removesuffix(".")
            found = next((m for shape in SHAPES if (m := shape.fullmatch(text))), None)
            if not found:
                person, _, told = text.partition(" is ")
                self.facts[person] = self.literals(told)
                continue
            parts = found.groupdict()
            if parts.get("denied"):
                heads = [-x for x in self.literals(parts["denied"])]
            else:
                heads = self.literals(parts["head"].removesuffix(", or both"))
            assert len(heads) == 1 + ("or both" in text)
            self.rules.append((self.literals(parts["body"]), heads))
        self.person, _, told = item.question.removesuffix(".").partition(" is ")
        (self.claim,) = self.literals(told)

    def literals(self, text: str) -> list[int]:
        yes, _, no = (
            ("", "", text) if text.startswith(("not ", "neither ")) else text.partition(" but ")
        )
        return [
            sign * self.number.setdefault(word, len(self.number) + 1)
            for sign, part in ((1, yes), (-1, no))
            for word in WORD.findall(part)
            if word not in ("and", "or", "not", "neither", "nor")
        ]

    def clauses(self, person: str, *wanted: int) -> set[Clause]:
        said = [[-x for x in body] + head for body, head in self.rules]
        return {frozenset(clause) for clause in (*said, *([x] for x in self.facts[person]),
                                                 *([x] for x in wanted))}  # fmt: skip

    @property
    def label(self) -> str:
        can = eliminated(self.clauses(self.person, self.claim))
        can_not = eliminated(self.clauses(self.person, -self.claim))
        assert can or can_not
        return "unknown" if can and can_not else "true" if can else "false"


def eliminated(clauses: set[Clause]) -> bool:
    """Whether clauses have a model: properties are resolved away one by one (Davis-Putnam)."""
    while clauses:
        if frozenset() in clauses:
            return False
        counts = Counter(x for clause in clauses for x in clause)
        best = min({abs(x) for x in counts}, key=lambda x: (counts[x] * counts[-x], x))
        yes, no = ([c for c in clauses if x in c] for x in (best, -best))
        made = {(a - {best}) | (b - {-best}) for a, b in product(yes, no)}
        clauses = clauses - {*yes, *no} | {c for c in made if not any(-x in c for x in c)}
    return True


@pytest.mark.parametrize("level", LEVELS)
def test_a_solver_that_reads_the_sentences_comes_to_each_label(level, at_levels):
    for item in at_levels[level][:: 1 if level < 8 else 4]:
        reading = Reading(item)
        assert reading.label == item.truth, item
        assert all(eliminated(reading.clauses(person)) for person in reading.facts), item


def steps_to(reading: Reading) -> int:
    """How many rounds of rules, read either way, come to the claim or its negation; 0: none do."""
    known = set(reading.facts[reading.person])
    clauses = reading.clauses(reading.person)
    for steps in range(1, 40):
        new = {
            next(iter(left)) for c in clauses
            if not c & known and len(left := {x for x in c if -x not in known}) == 1
        }  # fmt: skip
        known |= new
        if not new:
            return 0
        if known & {reading.claim, -reading.claim}:
            return steps
    raise AssertionError


@pytest.mark.parametrize("level", LEVELS)
def test_a_proof_takes_as_many_steps_as_the_level_declares(level, at_levels):
    of = LEVELS[level]
    for item in at_levels[level]:
        steps = steps_to(Reading(item))
        if item.truth == "unknown" or of.cases:
            assert steps == 0, item
        else:
            assert of.depth <= steps <= of.depth + of.derived, item


# --- leaks ---


def test_every_level_has_each_label_as_often(at_levels):
    for items in at_levels.values():
        assert Counter(item.truth for item in items) == dict.fromkeys(LABELS, N // 3)
        assert len({item.passage for item in items}) == N


CUES = {
    "not in the conclusion": lambda item: " not " in item.question,
    "longer passage": lambda item: len(item.passage),
    "sentences": lambda item: item.passage.count("\n"),
    "negations": lambda item: len(re.findall(r"\b(?:not|no|nor)\b", item.passage, re.I)),
    "place of the person": lambda item: item.passage.find(item.question.split()[0]),
    "length of the person's facts": lambda item: len(told_of(item)),
    "negations in the person's facts": lambda item: len(re.findall("not|nor", told_of(item))),
    "how often the claim is named": lambda item: item.passage.count(item.question.split()[-1][:-1]),
    "place of the claim": lambda item: item.passage.find(item.question.split()[-1][:-1]),
    "last place of the claim": lambda item: item.passage.rfind(item.question.split()[-1][:-1]),
}


def told_of(item: BoundaryItem) -> str:
    return next(s for s in item.passage.split("\n") if s.startswith(item.question.split()[0]))


@pytest.mark.parametrize("level", LEVELS)
def test_nothing_that_is_counted_gives_the_label_away(level, at_levels):
    items = at_levels[level]
    for name, cue in CUES.items():
        values = np.array([float(cue(item)) for item in items])
        high = values > np.median(values) if len(set(values)) > 2 else values == values.max()
        for above, below in product(LABELS, repeat=2):
            hits = sum(
                (above if up else below) == i.truth for up, i in zip(high, items, strict=True)
            )
            # A third, and three standard errors more.
            assert hits / N < 1 / 3 + 0.095, (name, above, below)


def test_generated_theories_run_in_every_condition():
    given = {"items": 12, "variants": "suggest=all,missing=all,polish=all"}
    samples = get_paper("instruction_boundary").make(data="generated", **given).dataset
    found = Counter(SettingVariant(s.metadata["setting"], s.metadata.get("variant", ""))
                    for s in samples)  # fmt: skip
    every = [SettingVariant(name, variant) for name, setting in SETTINGS.items()
             for variant in setting.variants.get("judging", [""])]  # fmt: skip
    few_shot = [of for of in every if of.setting == "few_shot"][1:]
    assert found == dict.fromkeys([of for of in every if of not in few_shot], 12)
    assert len({s.metadata["cluster"] for s in samples}) == 12
