"""Hard theories: labels hold by a solver of another kind, and proofs take what they are said to.

The second solver reads the English, and never searches: it eliminates one property after another
by resolution (Davis and Putnam), until what is left is empty or contradicts itself.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from askew.papers.instruction_boundary.logic import LogicItem, LogicShape, generate_logic
from askew.papers.instruction_boundary.logic.prover import Label, Literal, Prover, Rule, Theory
from tests.papers.instruction_boundary.test_logic_generator import (
    fact_in,
    property_in,
    rule_in,
    theory_in,
)

Clause = frozenset[tuple[str, bool]]
HARD = LogicShape.of("hard", n_logic=400)


def clauses_about(theory: Theory, subject: str | None) -> set[Clause]:
    """What the premises say of one person: no rule here says of one what depends on another."""
    stated = {frozenset([(f.predicate, f.positive)]) for f in theory.facts if f.subject == subject}
    about = [rule for rule in theory.rules if rule.head.subject in (None, subject)]
    return stated | {
        frozenset(
            [*((lit.predicate, not lit.positive) for lit in rule.body),
             (rule.head.predicate, rule.head.positive)]
        )
        for rule in about
    }  # fmt: skip


def has_model(clauses: set[Clause]) -> bool:
    """Whether the clauses can all be true: properties are resolved away, the rarest first."""
    left = {c for c in clauses if not tautology(c)}
    while left:
        if frozenset() in left:
            return False
        seen = Counter(name for clause in left for name, _ in clause)
        name = min(seen, key=lambda n: (seen[n], n))
        has, lacks = ({c for c in left if (name, sign) in c} for sign in (True, False))
        resolvents = {(a - {(name, True)}) | (b - {(name, False)}) for a, b in product(has, lacks)}
        left = (left - has - lacks) | {c for c in resolvents if not tautology(c)}
    return True


def tautology(clause: Clause) -> bool:
    return any((name, not sign) in clause for name, sign in clause)


def second_opinion(theory: Theory, claim: Literal) -> Label:
    clauses = clauses_about(theory, claim.subject)
    assert has_model(clauses), "the premises contradict themselves"
    holds, fails = (
        has_model(clauses | {frozenset([(claim.predicate, sign)])})
        for sign in (claim.positive, not claim.positive)
    )
    return "unknown" if holds and fails else "true" if holds else "false"


@pytest.fixture(scope="module")
def items() -> list[LogicItem]:
    return generate_logic(HARD, seed=21)


@pytest.mark.whole
def test_a_second_solver_reads_the_texts_and_finds_every_label(items: list[LogicItem]) -> None:
    for item in items:
        conclusion = fact_in(item.conclusion)
        assert second_opinion(theory_in(item), conclusion) == item.label, item.id


def test_it_finds_the_labels_of_core_items_too() -> None:
    for item in generate_logic(LogicShape.of("core", n_logic=400), seed=22):
        assert second_opinion(theory_in(item), fact_in(item.conclusion)) == item.label, item.id


def test_two_proofs_in_five_take_contraposition_or_cases(items: list[LogicItem]) -> None:
    assert Counter(i.reasoning for i in items) == {
        "forward": 240, "contraposition": 80, "cases": 80,
    }  # fmt: skip
    for item in items:
        if item.label == "unknown":
            continue
        theory, claim = theory_in(item), fact_in(item.conclusion)
        proved = claim if item.label == "true" else claim.negated()
        prover = Prover(theory, [str(claim.subject)])
        assert prover.follows_forwards(proved) == (item.reasoning == "forward")
        assert (prover.depth(proved) is None) == (item.reasoning == "cases")


def test_reading_rules_forwards_alone_leaves_two_in_five_open(items: list[LogicItem]) -> None:
    settled = [i for i in items if i.label != "unknown"]
    missed = [i for i in settled if i.reasoning != "forward"]
    assert 0.3 < len(missed) / len(settled) < 0.5


def test_proofs_are_six_to_eight_deep_and_their_rules_two_or_three_wide(
    items: list[LogicItem],
) -> None:
    assert {i.depth for i in items} == {6, 7, 8}
    for item in items:
        assert len(item.rules) >= 2 * (item.depth - 1) + 3
        assert max(len(rule.body) for rule in theory_in(item).rules) in (2, 3, 4)
        assert item.distractors >= len(item.premises) / 2


@pytest.mark.whole
def test_every_item_is_a_group_of_its_own_and_labels_keep_their_shares(
    items: list[LogicItem],
) -> None:
    assert len({i.group for i in items}) == len(items)
    assert Counter(i.label for i in items) == {"unknown": 200, "true": 100, "false": 100}
    assert generate_logic(LogicShape.of("hard", n_logic=40), 21) == items[:40]


def test_whole_groups_can_be_asked_for() -> None:
    grouped = generate_logic(LogicShape.of("hard", n_logic=40, per_group=4), 21)
    assert Counter(Counter(i.group for i in grouped).values()) == {4: 10}
    by_words = {(i.group, tuple(sorted(" ".join(i.premises).split()))) for i in grouped}
    assert len(by_words) == 10


def test_a_proof_by_cases_is_as_deep_as_its_longer_case() -> None:
    """Who is tall is shy or bald; who is shy or bald is loyal."""
    of = {name: Literal(name, None) for name in ("tall", "shy", "bald", "loyal")}
    theory = Theory(
        (Literal("tall", "Melka"),),
        (
            Rule((of["tall"], of["shy"].negated()), of["bald"]),
            Rule((of["shy"],), of["loyal"]),
            Rule((of["bald"],), of["loyal"]),
        ),
    )
    prover, claim = Prover(theory, ["Melka"]), Literal("loyal", "Melka")
    assert prover.decide(claim) == "true"
    assert prover.depth(claim) is None
    assert prover.depth_by_cases(claim) == 2
    assert prover.depth_by_cases(Literal("bald", "Melka")) is None


def test_sentences_name_one_property_at_a_time(items: list[LogicItem]) -> None:
    for item in items[:40]:
        assert all(rule_in(sentence) for sentence in item.rules)
        assert all(property_in(f.partition(" is ")[2].rstrip("."), None) for f in item.facts)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"reasoning": ()}, "at least one of forward, contraposition, cases"),
        ({"reasoning": ("magic",)}, "and no other"),
        ({"reasoning": ("cases",), "depth": (1, 2)}, "cases take 2 rules in a line"),
        ({"per_group": 5}, "per_group=5: from 1 to the 4"),
    ],
)
def test_impossible_parameters_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generate_logic(LogicShape(**arguments), seed=0)  # type: ignore[arg-type]


def test_sizes_describe_core_items_unless_hard_ones_alone_are_asked_for() -> None:
    core, hard = LogicShape.in_tiers("all", depth="2", n_logic=8)
    assert (core.depth, hard.depth, core.items, hard.items) == ((2, 2), (6, 8), 8, 8)
    (hard,) = LogicShape.in_tiers("hard", depth="9")
    assert hard.depth == (9, 9)
    assert [shape.tier for shape in LogicShape.in_tiers("core")] == ["core"]
