"""The logic generator's promises, checked on what it prints and not on how it made it.

The premises are read back from their English by a small reader of the tests' own, and labels are
proved again from that; the prover has tests of its own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest

from askew_authoring.instruction_boundary.logic import (
    LogicItem,
    LogicShape,
    Premises,
    generate_logic,
)
from askew_authoring.instruction_boundary.logic.prover import Prover
from askew_authoring.instruction_boundary.logic.wording import ADJECTIVES, KINDS, Literal, Premise
from tests.cases import cases_of

# Form, and whether its own wording negates the outcome. "B" are conditions, "H" the outcome.
_FORMS = cases_of(__file__, "_FORMS")
# What somebody is, "a shy tovik and a loskin", and then what they are not.
_CONDITIONS = re.compile(
    r"(?P<yes>(?!not |neither ).+?)?(?:(?:^| but )(?:not (?P<not>[^,]+)|neither (?P<nor>[^,]+)))?"
)


def property_in(phrase: str, subject: str | None) -> Literal:
    """ "a tovik", "not toviks", "not shy": one property, of the subject."""
    *negation, word = (w for w in phrase.split() if w not in ("a", "an"))
    assert negation in ([], ["not"]), phrase
    singular = word if word in ADJECTIVES else word.removesuffix("s")
    assert singular in ADJECTIVES + KINDS, phrase
    return Literal(singular, subject, not negation)


def conditions_in(found: dict[str, str], subject: str | None) -> tuple[Literal, ...]:
    if found.get("W"):
        words = [w for w in found["W"].split() if w not in ("person", "people")]
        return tuple(property_in(word, subject) for word in words)
    parts = _CONDITIONS.fullmatch(found["B"])
    assert parts, found["B"]
    affirmed = re.sub(r"^(both|at once) ", "", parts["yes"] or "")
    # Qualities stand before a kind, each for itself: "a shy and famous tovik".
    yes = re.sub(r",? and |, | (?=\w+$| )", " ", affirmed).split()
    no = [parts["not"]] if parts["not"] else (parts["nor"] or "").split(" nor ")
    return (
        *(property_in(word, subject) for word in yes if word not in ("a", "an")),
        *(property_in(phrase, subject).negated() for phrase in no if phrase),
    )


def rule_in(sentence: str) -> Premise:
    for pattern, negated in _FORMS:
        if match := re.fullmatch(pattern, sentence):
            found = match.groupdict()
            subject = found.get("N")
            head = property_in(found["H"], subject)
            return Premise(head.negated() if negated else head, conditions_in(found, subject))
    raise AssertionError(f"no form fits {sentence!r}")


def fact_in(sentence: str) -> Literal:
    match = re.fullmatch(r"(\w+) is ([^,]+)\.", sentence)
    assert match, sentence
    return property_in(match[2], match[1])


def theory_in(item: LogicItem) -> Premises:
    return tuple(rule_in(p.text) if p.body else Premise(fact_in(p.text)) for p in item.shown)


def proved_in(item: LogicItem) -> Literal:
    claim = fact_in(item.conclusion)
    return claim if item.label == "true" else claim.negated()


@pytest.fixture(scope="module")
def items() -> list[LogicItem]:
    return generate_logic(LogicShape(1000), seed=11)


@pytest.fixture(scope="module")
def hard() -> list[LogicItem]:
    return generate_logic(LogicShape.of("hard", n_logic=100), seed=21)


# --- labels ---


def test_labels_are_proved_from_the_english_read_back(items, hard) -> None:
    for item in [*items, *hard]:
        theory, claim = theory_in(item), fact_in(item.conclusion)
        assert [(Counter(r.body), r.head) for r in theory] == [
            (Counter(r.body), r.head) for r in item.shown
        ]
        prover = Prover(theory, [str(claim.subject)])
        assert (claim, prover.decide(claim)) == (item.claim, item.label), item
        assert prover.consistent
        assert prover.vacuous_rules() == ()
        assert len(set(item.premises)) == len(item.premises)
        assert all(len(set(rule.body)) == len(rule.body) for rule in item.shown)


# --- depth and size ---


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_proofs_have_the_requested_depth(depth: int) -> None:
    for item in generate_logic(LogicShape(80, depth=(depth, depth)), seed=depth):
        assert item.shape.depth == depth
        if item.label != "unknown":
            assert Prover(theory_in(item)).depth(proved_in(item)) == depth


def test_two_hard_proofs_in_five_take_contraposition_or_cases(hard: list[LogicItem]) -> None:
    kinds = Counter(item.shape.reasoning for item in hard)
    assert kinds == {"forward": 60, "contraposition": 20, "cases": 20}
    for item in (item for item in hard if item.label != "unknown"):
        prover, proved = Prover(theory_in(item)), proved_in(item)
        assert prover.follows_forwards(proved) == (item.shape.reasoning == "forward")
        assert (prover.depth(proved) is None) == (item.shape.reasoning == "cases")


# --- nothing on the surface ---


def test_items_of_a_group_have_the_same_words_and_all_the_labels(items: list[LogicItem]) -> None:
    assert Counter(i.label for i in items) == {"unknown": 500, "true": 250, "false": 250}
    groups: defaultdict[str, list[LogicItem]] = defaultdict(list)
    for item in items:
        groups[item.group].append(item)
    for group in groups.values():
        assert sorted(i.label for i in group) == ["false", "true", "unknown", "unknown"]
        texts = [" ".join((*i.premises, i.conclusion)).split() for i in group]
        assert len({tuple(sorted(words)) for words in texts}) == 1
        assert len({i.conclusion for i in group}) == 1
        assert len({(sum(not p.body for p in i.shown), len(i.shown), i.shape) for i in group}) == 1
        assert len({frozenset(i.premises) for i in group}) == 4


# --- the English ---


def test_sentences_are_well_formed_and_no_negation_can_be_read_over_an_and(items, hard) -> None:
    for item in [*items, *hard]:
        for sentence in (*item.premises, item.conclusion):
            assert re.fullmatch(r"[A-Z](?!.*  )[^.]+\.", sentence), sentence
            assert not re.search(r"\ba [aeiou]|\ban [^aeiou]", sentence), sentence
            assert not re.search(r"\bnot not\b|\b(\w+) \1\b", sentence), sentence
        for sentence in (premise.text for premise in item.shown if premise.body):
            matches = (re.fullmatch(pattern, sentence) for pattern, _ in _FORMS)
            conditions = next(m.groupdict().get("B") or "" for m in matches if m)
            _, *after = re.split(r"\b(?:not|neither)\b", conditions)
            assert not [part for part in after if "," in part or " and " in part], sentence


# --- seeds, ids, parameters ---


def test_the_same_arguments_give_the_same_items() -> None:
    shape = LogicShape(60)
    assert generate_logic(shape, seed=5) == generate_logic(shape, seed=5)
    assert generate_logic(shape, seed=5) != generate_logic(shape, seed=6)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 30])
def test_any_number_of_items_keeps_the_shares_as_close_as_it_can(n: int) -> None:
    counts = Counter(item.label for item in generate_logic(LogicShape(n), seed=8))
    assert sum(counts.values()) == n
    assert abs(counts["unknown"] - n / 2) < 1
    assert abs(counts["true"] - counts["false"]) <= 1
