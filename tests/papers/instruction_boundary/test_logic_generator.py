"""The logic generator's promises, checked on what it prints and not on how it made it.

The premises are read back from their English by a small reader of the tests' own, and labels are
proved again from that, by enumerating models where that is feasible.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import combinations, product

import pytest

from askew.papers.instruction_boundary.logic import (
    LogicItem,
    LogicShape,
    generate_logic,
)
from askew.papers.instruction_boundary.logic.prover import Label, Literal, Prover, Rule, Theory
from askew.papers.instruction_boundary.logic.theories import REARRANGEMENTS
from askew.papers.instruction_boundary.logic.wording import ADJECTIVES, FRAMES, KINDS, NAMES

# --- reading the English back ---

# Form, and whether its own wording negates the outcome. "B" are conditions, "H" the outcome.
_FORMS = [
    (r"If someone is (?P<B>.+), then they are (?P<H>.+)\.", False),
    (r"If (?P<N>\w+) is (?P<B>.+), then (?P=N) is (?P<H>.+)\.", False),
    (r"(?P<N>\w+) is (?P<H>.+) if (?P=N) is (?P<B>.+)\.", False),
    (r"A person is (?P<H>.+) if they are (?P<B>.+)\.", False),
    (r"Everyone who is (?P<B>.+) is (?P<H>.+?)(?: as well)?\.", False),
    (r"Anyone who is (?P<B>.+?) is (?P<H>not .+) either\.", False),
    (r"Those who are (?P<B>.+?) are (?P<H>not .+) either\.", False),
    (r"Anyone who is (?P<B>.+) is (?P<H>.+)\.", False),
    (r"Those who are (?P<B>.+) are (?P<H>.+)\.", False),
    (r"No one who is (?P<B>.+) is (?P<H>.+)\.", True),
    (r"(?:Every|All) (?P<W>.+?) (?:is|are) (?P<H>.+?)(?: as well)?\.", False),
    (r"No (?P<W>.+?) is (?P<H>.+)\.", True),
]


# What somebody is, "a shy tovik and a loskin", and then what they are not.
_CONDITIONS = re.compile(
    r"(?P<yes>(?!not |neither ).+?)?(?:(?:^| but )(?:not (?P<not>[^,]+)|neither (?P<nor>[^,]+)))?"
)


def property_in(phrase: str, subject: str | None) -> Literal:
    """ "a tovik", "not toviks", "not shy": one property, of the subject."""
    words = [w for w in phrase.split() if w not in ("a", "an")]
    *negation, word = words
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


def rule_in(sentence: str) -> Rule:
    for pattern, negated in _FORMS:
        match = re.fullmatch(pattern, sentence)
        if match:
            found = match.groupdict()
            subject = found.get("N")
            head = property_in(found["H"], subject)
            return Rule(conditions_in(found, subject), head.negated() if negated else head)
    raise AssertionError(f"no form fits {sentence!r}")


def fact_in(sentence: str) -> Literal:
    match = re.fullmatch(r"(\w+) is ([^,]+)\.", sentence)
    assert match, sentence
    return property_in(match[2], match[1])


def theory_in(item: LogicItem) -> Theory:
    return Theory(tuple(map(fact_in, item.facts)), tuple(map(rule_in, item.rules)))


def decide(theory: Theory, claim: Literal) -> Label:
    return Prover(theory, [str(claim.subject)]).decide(claim)


def label_by_models(theory: Theory, claim: Literal, limit: int) -> Label | None:
    """By every model over the claim's subject alone; None if those are too many.

    One person is enough because no rule here says of one person what depends on another.
    """
    assert all(len({lit.subject for lit in rule.literals}) == 1 for rule in theory.rules)
    subject = claim.subject
    about = [rule for rule in theory.rules if rule.head.subject in (None, subject)]
    facts = [fact for fact in theory.facts if fact.subject == subject]
    atoms = sorted(
        {lit.predicate for rule in about for lit in rule.literals} | {f.predicate for f in facts}
    )
    if len(atoms) > limit:
        return None
    values = set()
    for signs in product((True, False), repeat=len(atoms)):
        model = dict(zip(atoms, signs, strict=True))
        if all(model[f.predicate] == f.positive for f in facts) and all(
            model[rule.head.predicate] == rule.head.positive
            or any(model[lit.predicate] != lit.positive for lit in rule.body)
            for rule in about
        ):
            values.add(model[claim.predicate] == claim.positive)
    assert values, "the premises should have a model"
    return "unknown" if len(values) == 2 else "true" if values == {True} else "false"


# --- the items under test ---


@pytest.fixture(scope="module")
def items() -> list[LogicItem]:
    return generate_logic(LogicShape(2000), seed=11)


def groups_of(items: list[LogicItem]) -> list[list[LogicItem]]:
    groups: defaultdict[str, list[LogicItem]] = defaultdict(list)
    for item in items:
        groups[item.group].append(item)
    return list(groups.values())


def words(item: LogicItem) -> list[str]:
    return " ".join((*item.premises, item.conclusion)).split()


# --- labels ---


def test_the_english_says_what_the_theory_says(items: list[LogicItem]) -> None:
    for item in items:
        read = theory_in(item)
        assert Counter(read.facts) == Counter(item.theory.facts)
        assert [(Counter(r.body), r.head) for r in read.rules] == [
            (Counter(r.body), r.head) for r in item.theory.rules
        ]
        assert fact_in(item.conclusion) == item.claim


def test_labels_hold_for_the_english_read_back(items: list[LogicItem]) -> None:
    for item in items:
        assert decide(theory_in(item), fact_in(item.conclusion)) == item.label, item


def test_labels_hold_in_every_model() -> None:
    small = generate_logic(LogicShape(400, depth=(1, 2), distractors=(1, 1)), seed=12)
    checked: Counter[str] = Counter()
    for item in small:
        label = label_by_models(theory_in(item), fact_in(item.conclusion), limit=11)
        if label is not None:
            assert label == item.label, item
            checked[label] += 1
    assert min(checked["true"], checked["false"], checked["unknown"]) >= 30


def test_premises_are_consistent_and_every_rule_says_something(items: list[LogicItem]) -> None:
    for item in items:
        prover = Prover(theory_in(item))
        assert prover.consistent
        assert prover.vacuous_rules() == ()
        assert len(set(item.premises)) == len(item.premises)
        assert all(len(set(rule.body)) == len(rule.body) for rule in item.theory.rules)


def test_an_unknown_conclusion_and_its_negation_are_both_possible(items: list[LogicItem]) -> None:
    for item in items[:400]:
        if item.label == "unknown":
            theory = theory_in(item)
            for claim in (item.claim, item.claim.negated()):
                assert Prover(Theory((*theory.facts, claim), theory.rules)).consistent


# --- depth and size ---


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_proofs_are_as_deep_as_asked(depth: int) -> None:
    for item in generate_logic(LogicShape(80, depth=(depth, depth)), seed=depth):
        assert item.depth == depth
        if item.label != "unknown":
            proved = item.claim if item.label == "true" else item.claim.negated()
            assert Prover(theory_in(item)).depth(proved) == depth


def test_a_range_of_depths_is_covered(items: list[LogicItem]) -> None:
    assert {item.depth for item in items} == {1, 2, 3}


def test_width_and_rule_count_follow_the_parameters() -> None:
    shape = LogicShape(80, depth=(2, 2), width=(3, 3), distractors=(4, 4))
    for item in generate_logic(shape, seed=3):
        assert max(len(rule.body) for rule in item.theory.rules) == 3
        assert len(item.rules) == 2 * 2 + 4


def test_without_negation_only_the_conclusions_property_is_ever_negated() -> None:
    for item in generate_logic(LogicShape(80, negation=0), seed=4):
        theory = item.theory
        stated = [*theory.facts, *(lit for rule in theory.rules for lit in rule.literals)]
        assert {lit.predicate for lit in stated if not lit.positive} <= {item.claim.predicate}


def test_the_premises_that_no_proof_needs_are_counted(items: list[LogicItem]) -> None:
    counted = 0
    for item in items[:200]:
        if item.label == "unknown":
            continue
        theory = item.theory
        without = [
            Theory(tuple(f for f in theory.facts if f != fact), theory.rules)
            for fact in theory.facts
        ] + [
            Theory(theory.facts, tuple(r for r in theory.rules if r != rule))
            for rule in theory.rules
        ]
        needed = sum(decide(rest, item.claim) != item.label for rest in without)
        assert needed <= len(item.premises) - item.distractors
        counted += needed == len(item.premises) - item.distractors
    assert counted >= 90, "most of a hundred tense items have one proof only"


# --- nothing on the surface ---


def test_half_is_unknown_and_true_and_false_share_the_rest(items: list[LogicItem]) -> None:
    assert Counter(i.label for i in items) == {"unknown": 1000, "true": 500, "false": 500}


def test_items_of_a_group_have_the_same_words_and_all_the_labels(items: list[LogicItem]) -> None:
    for group in groups_of(items):
        assert sorted(i.label for i in group) == ["false", "true", "unknown", "unknown"]
        assert len({i.conclusion for i in group}) == 1
        assert len({tuple(sorted(words(i))) for i in group}) == 1
        assert len({(len(i.facts), len(i.rules), i.distractors, i.depth) for i in group}) == 1
        assert len({frozenset(i.premises) for i in group}) == 4


def test_the_conclusions_polarity_and_the_place_in_a_group_tell_nothing(
    items: list[LogicItem],
) -> None:
    negative = Counter(item.label for item in items if " not " in item.conclusion)
    assert negative["true"] == negative["false"] == negative["unknown"] / 2
    assert 400 < 2 * negative["unknown"] / 2 < 600
    for place in "0123":
        labels = Counter(item.label for item in items if item.id.endswith(place))
        assert 200 < labels["unknown"] < 300


def test_both_outcomes_are_in_reach_of_every_conclusion(items: list[LogicItem]) -> None:
    for item in items:
        heads = [r.head.positive for r in item.theory.rules if r.head.predicate == item.claim[0]]
        assert {True, False} <= set(heads)


def test_a_conclusion_is_never_stated(items: list[LogicItem]) -> None:
    for item in items:
        assert item.claim not in item.theory.facts
        assert item.claim.negated() not in item.theory.facts
        assert item.claim.subject in {fact.subject for fact in item.theory.facts}


def test_every_way_to_break_a_proof_occurs_and_only_where_nothing_follows(
    items: list[LogicItem],
) -> None:
    gaps = Counter(item.gap for item in items if item.label == "unknown")
    assert set(gaps) == {*REARRANGEMENTS, "several"}
    assert {item.gap for item in items if item.label != "unknown"} == {""}


# --- the English ---


def test_sentences_are_well_formed(items: list[LogicItem]) -> None:
    for item in items:
        for sentence in (*item.premises, item.conclusion):
            assert sentence[0].isupper()
            assert sentence.endswith(".")
            assert sentence.count(".") == 1
            assert "  " not in sentence
            assert not re.search(r"\ba [aeiou]|\ban [^aeiou]", sentence), sentence
            assert not re.search(r"\bnot not\b|\b(\w+) \1\b", sentence), sentence


def conditions_of(sentence: str) -> str:
    """What follows "who is", "if they are" and their like, without the outcome."""
    matches = (re.fullmatch(pattern, sentence) for pattern, _ in _FORMS)
    return next(m.groupdict().get("B") or "" for m in matches if m)


def test_no_negation_can_be_read_over_an_and(items: list[LogicItem]) -> None:
    for item in [*items, *generate_logic(LogicShape.of("hard", n_logic=60), 4)]:
        for sentence in item.rules:
            _, *after = re.split(r"\b(?:not|neither)\b", conditions_of(sentence))
            assert not [part for part in after if "," in part or " and " in part], sentence


def test_what_somebody_is_and_what_they_are_not_are_joined_by_but() -> None:
    seen: Counter[str] = Counter()
    for item in generate_logic(LogicShape.of("hard", n_logic=120), 6):
        for sentence in item.rules:
            said = conditions_of(sentence)
            assert " and not " not in said, sentence
            assert ", not " not in said, sentence
            assert not re.search(r"\b(is|are)\b", said), sentence
            assert said.count(" nor ") == 0 or "neither " in said, sentence
            assert len(re.findall(r"\bnot\b", said)) <= 1, sentence
            seen.update(w for w in ("but not", "but neither", "both", "at once") if w in said)
    assert min(seen.values()) >= 10, seen
    assert len(seen) == 4


def test_unlike_members_of_a_list_are_told_apart() -> None:
    tovik, loskin, shy, bald = (Literal(word, None) for word in ("tovik", "loskin", "shy", "bald"))
    head = Literal("zandel", None)
    said = {
        (tovik, loskin, shy.negated()): "a tovik and a loskin but not shy",
        (tovik, bald.negated(), shy.negated()): "a tovik but neither bald nor shy",
        (tovik.negated(), shy.negated()): "neither shy nor a tovik",
        (tovik, loskin, shy): "a shy tovik and a loskin",
        (shy, bald, loskin): "a shy and bald loskin",
    }
    for body, phrase in said.items():
        frame = next(f for f in FRAMES if f.template == "Anyone who is {is} is {head}.")
        assert frame.sentence(body, head) == f"Anyone who is {phrase} is a zandel."
    those = next(f for f in FRAMES if f.template == "Those who are {those_are} are {heads}.")
    plurals = {
        (tovik, loskin): "both toviks and loskins",
        (tovik, loskin, head): "at once toviks, loskins and zandels",
        (tovik, loskin.negated(), head.negated()): "toviks but neither loskins nor zandels",
        (shy, tovik): "shy toviks",
    }
    for body, phrase in plurals.items():
        assert those.sentence(body, bald) == f"Those who are {phrase} are bald."


def test_shown_premises_are_the_facts_and_rules_mixed(items: list[LogicItem]) -> None:
    for item in items:
        assert sorted(item.premises) == sorted(item.facts + item.rules)
    facts_first = sum(i.premises[: len(i.facts)] == i.facts for i in items)
    assert facts_first < len(items) / 10


def test_words_are_of_one_class_and_never_start_with_a_misleading_vowel() -> None:
    everything = [word.lower() for word in (*NAMES, *KINDS, *ADJECTIVES)]
    assert len(set(everything)) == len(everything)
    assert not {f"{kind}s" for kind in KINDS} & set(everything)
    articled = KINDS + ADJECTIVES
    assert not [word for word in articled if re.match(r"u|eu|on[ec]|h[aeiou]u?r\b|hon", word)]
    assert not [kind for kind in KINDS if re.search(r"(s|x|z|ch|sh|y|f)$", kind)]


def edits(one: str, other: str) -> int:
    """Letters to put in, leave out or change."""
    row: list[int] = [*range(len(other) + 1)]
    for i, letter in enumerate(one, start=1):
        before, row = row, [i]
        for j, against in enumerate(other, start=1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != against)))
    return row[-1]


def test_no_two_words_of_a_question_are_nearly_alike() -> None:
    everything = [word.lower() for word in (*NAMES, *KINDS, *ADJECTIVES)]
    near = [
        (one, other)
        for one, other in combinations(everything, 2)
        if edits(one, other) <= 2 or one[:4] == other[:4]
    ]
    assert near == []
    assert edits("ulvane", "olvane") == 1
    # People stand in every fact, side by side: they are kept further apart.
    names = combinations([name.lower() for name in NAMES], 2)
    assert [pair for pair in names if edits(*pair) <= 3] == []
    assert {len(NAMES), len(KINDS), len(ADJECTIVES)} == {48}


# --- seeds, ids, parameters ---


def test_the_same_arguments_give_the_same_items() -> None:
    shape = LogicShape(60)
    assert generate_logic(shape, seed=5) == generate_logic(shape, seed=5)
    assert generate_logic(shape, seed=5) != generate_logic(shape, seed=6)


def test_whole_groups_do_not_depend_on_how_many_are_asked_for() -> None:
    assert generate_logic(LogicShape(100), 5)[:40] == generate_logic(LogicShape(40), 5)


def test_items_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "from askew.papers.instruction_boundary.logic import generate_logic, LogicShape;"
        "from hashlib import sha256;"
        "print(sha256(repr(generate_logic(LogicShape(40), 9)).encode()).hexdigest())"
    )

    def digest(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        return subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            capture_output=True,
            check=True,
            text=True,
        ).stdout

    assert digest("1") == digest("2")


def test_ids_are_distinct_readable_and_safe(items: list[LogicItem]) -> None:
    assert len({item.id for item in items}) == len(items)
    assert all(re.fullmatch(r"logic-11-\d{5}-\d", item.id) for item in items)
    assert all(item.id.startswith(item.group) for item in items)


def test_no_item_comes_twice(items: list[LogicItem]) -> None:
    assert len({(frozenset(i.premises), i.conclusion) for i in items}) == len(items)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 30])
def test_any_number_of_items_keeps_the_shares_as_close_as_it_can(n: int) -> None:
    counts = Counter(item.label for item in generate_logic(LogicShape(n), seed=8))
    assert sum(counts.values()) == n
    assert abs(counts["unknown"] - n / 2) < 1
    assert abs(counts["true"] - counts["false"]) <= 1


def test_other_shares_can_be_asked_for() -> None:
    thirds = generate_logic(
        LogicShape(30, labels=("true", "false", "unknown"), per_group=3), seed=8
    )
    assert Counter(item.label for item in thirds) == {"true": 10, "false": 10, "unknown": 10}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"items": -1}, "cannot be negative"),
        ({"depth": (0, 0)}, r"depth=\(0, 0\)"),
        ({"width": (2, 1)}, r"width=\(2, 1\)"),
        ({"distractors": (0, 1)}, r"distractors=\(0, 1\)"),
        ({"negation": 1.5}, "negation=1.5"),
        ({"labels": ()}, "at least one of true, false, unknown"),
        ({"labels": ("maybe",)}, "at least one of true, false, unknown"),
        ({"depth": (20, 20), "width": (3, 3)}, "there are words for"),
    ],
)
def test_impossible_parameters_are_refused_with_a_reason(
    arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        generate_logic(LogicShape(**arguments), seed=0)  # type: ignore[arg-type]


@pytest.mark.whole
def test_more_unlike_items_of_one_label_than_a_small_theory_has_are_refused() -> None:
    with pytest.raises(ValueError, match="no group found"):
        generate_logic(LogicShape(30, (1, 1), (1, 1), (1, 1), labels=("unknown",) * 30), seed=0)
