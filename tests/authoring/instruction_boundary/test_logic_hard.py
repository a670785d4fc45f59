"""Hard theories: labels hold by a solver of another kind, and proofs take what they are said to.

The second solver reads the English, and never searches: it eliminates one property after another
by resolution (Davis and Putnam), until what is left is empty or contradicts itself.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from askew_authoring.instruction_boundary.logic import (
    LogicItem,
    LogicShape,
    Premises,
    generate_logic,
)
from askew_authoring.instruction_boundary.logic.prover import Label, Prover
from askew_authoring.instruction_boundary.logic.wording import Literal, Premise
from tests.authoring.instruction_boundary.test_logic_generator import (
    fact_in,
    theory_in,
)

Clause = frozenset[tuple[str, bool]]
HARD = LogicShape.of("hard", n_logic=100)


def clauses_about(theory: Premises, subject: str | None) -> set[Clause]:
    """What the premises say of one person: no rule here says of one what depends on another."""
    about = [rule for rule in theory if rule.head.subject in (None, subject)]
    return {
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


def second_opinion(theory: Premises, claim: Literal) -> Label:
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


def test_two_proofs_in_five_take_contraposition_or_cases(items: list[LogicItem]) -> None:
    assert Counter(i.shape.reasoning for i in items) == {
        "forward": 60, "contraposition": 20, "cases": 20,
    }  # fmt: skip
    for item in items:
        if item.label == "unknown":
            continue
        theory, claim = theory_in(item), fact_in(item.conclusion)
        proved = claim if item.label == "true" else claim.negated()
        prover = Prover(theory, [str(claim.subject)])
        assert prover.follows_forwards(proved) == (item.shape.reasoning == "forward")
        assert (prover.depth(proved) is None) == (item.shape.reasoning == "cases")


def test_a_proof_by_cases_is_as_deep_as_its_longer_case() -> None:
    """Who is tall is shy or bald; who is shy or bald is loyal."""
    of = {name: Literal(name, None) for name in ("tall", "shy", "bald", "loyal")}
    theory = (
        Premise(Literal("tall", "Melka")), Premise(of["bald"], (of["tall"], of["shy"].negated())),
        Premise(of["loyal"], (of["shy"],)), Premise(of["loyal"], (of["bald"],)),
    )  # fmt: skip
    prover, claim = Prover(theory, ["Melka"]), Literal("loyal", "Melka")
    assert prover.decide(claim) == "true"
    assert prover.depth(claim) is None
    assert prover.depth_by_cases(claim) == 2
    assert prover.depth_by_cases(Literal("bald", "Melka")) is None
