"""The prover against brute force: every model of a small theory, one by one."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew_authoring.instruction_boundary.logic.prover import (
    Label,
    Prover,
)
from askew_authoring.instruction_boundary.logic.wording import Literal, Premise
from tests.repeated import times

SUBJECTS = ("ann", "bo")
PREDICATES = ("p", "q", "r")
CLAIMS = [Literal(p, s, sign) for p in PREDICATES for s in SUBJECTS for sign in (True, False)]

Model = dict[tuple[str, str], bool]
Theory = tuple[Premise, ...]


def decide(theory: Theory, claim: Literal) -> Label:
    return Prover(theory, [str(claim.subject)]).decide(claim)


def models(theory: Theory) -> list[Model]:
    """Every assignment over both subjects that makes all facts and rules true."""
    atoms = list(product(PREDICATES, SUBJECTS))
    assignments = (
        dict(zip(atoms, values, strict=True))
        for values in product((True, False), repeat=len(atoms))
    )
    return [model for model in assignments if satisfies(model, theory)]


def holds(model: Model, literal: Literal, subject: str) -> bool:
    return model[literal.predicate, literal.subject or subject] == literal.positive


def satisfies(model: Model, theory: Theory) -> bool:
    return all(
        holds(model, premise.head, subject)
        for premise in theory
        for subject in SUBJECTS
        if all(holds(model, literal, subject) for literal in premise.body)
    )


def label_by_models(found: list[Model], claim: Literal) -> Label:
    values = {holds(model, claim, "") for model in found}
    return "unknown" if len(values) == 2 else "true" if values == {True} else "false"


def agrees_with_brute_force(theory: Theory) -> bool:
    """Asserts agreement on every claim; whether the theory was consistent."""
    found = models(theory)
    prover = Prover(theory, SUBJECTS)
    assert prover.consistent == bool(found)
    if not found:
        return False
    for claim in CLAIMS:
        assert prover.decide(claim) == label_by_models(found, claim), (theory, claim)
        assert prover.entails(claim) == all(holds(model, claim, "") for model in found)
        # A proof by propagation is a proof; not every proof is one by propagation.
        assert prover.depth(claim) is None or prover.entails(claim)
    unmet = {
        rule
        for rule in theory
        if rule.body
        if not any(
            all(holds(model, literal, subject) for literal in rule.body)
            for model in found
            for subject in SUBJECTS
        )
    }
    assert unmet <= set(prover.vacuous_rules())
    return True


signed = st.tuples(st.sampled_from(PREDICATES), st.booleans())
facts = st.builds(Literal, st.sampled_from(PREDICATES), st.sampled_from(SUBJECTS), st.booleans())


@st.composite
def rules(draw: st.DrawFn) -> Premise:
    """A rule about everyone or about one person."""
    subject = draw(st.sampled_from((None, None, *SUBJECTS)))
    head, *body = (
        Literal(p, subject, s) for p, s in draw(st.lists(signed, min_size=2, max_size=4))
    )
    return Premise(head, tuple(body))


theories = st.builds(
    lambda facts, rules: (*map(Premise, facts), *rules),
    st.lists(facts, max_size=3), st.lists(rules(), max_size=6),
)  # fmt: skip


@pytest.mark.whole
@settings(max_examples=times(250), deadline=None)
@given(theories)
def test_agrees_with_every_model_of_any_small_theory(theory: Theory) -> None:
    agrees_with_brute_force(theory)


def lit(text: str, subject: str | None = "ann") -> Literal:
    """ "p" or "-p", about ann unless told otherwise."""
    return Literal(text.lstrip("-"), subject, not text.startswith("-"))


def rule(text: str, subject: str | None = None) -> Premise:
    """ "p -q > r" for everyone, unless a subject is given."""
    body, head = text.split(">")
    return Premise(lit(head.strip(), subject), tuple(lit(x, subject) for x in body.split()))


def fact(text: str, subject: str = "ann") -> Premise:
    return Premise(lit(text, subject))


def test_follows_a_chain_and_counts_its_links() -> None:
    theory = (fact("p"), rule("p > q"), rule("q > r"), rule("r > -s"))
    prover = Prover(theory)
    assert [prover.depth(lit(x)) for x in ("p", "q", "r", "-s")] == [0, 1, 2, 3]
    assert prover.depth(lit("s")) is None
    assert decide(theory, lit("s")) == "false"


def test_depth_is_that_of_the_shortest_proof_and_of_its_longest_line() -> None:
    chain = (rule("p > q"), rule("q > r"), rule("r > s"))
    assert Prover((fact("p"), *chain, rule("p > s"))).depth(lit("s")) == 1
    both_needed = (fact("p"), fact("t"), *chain[:2], rule("r t > s"))
    assert Prover(both_needed).depth(lit("s")) == 3


def test_reasons_by_cases_where_chaining_cannot() -> None:
    prover = Prover((fact("r", "bo"), rule("p > q"), rule("-p > q")), SUBJECTS)
    assert prover.decide(lit("q")) == "true"
    assert prover.depth(lit("q")) is None


@pytest.mark.parametrize(
    ("theory", "vacuous"),
    [
        ((fact("p"), rule("p > p")), ["p > p"]),
        ((fact("p"), rule("p -p > q")), ["p -p > q"]),
        ((fact("-p"), rule("p > q"), rule("-p > q")), ["p > q"]),
        ((fact("-q"), rule("p > q"), rule("p > r")), ["p > q", "p > r"]),
        ((fact("p"), rule("p q > r"), rule("q p > r")), ["q p > r"]),
        ((fact("p"), rule("q > r")), []),
    ],
)
def test_rules_that_say_nothing_are_named(theory: Theory, vacuous: list[str]) -> None:
    assert Prover(theory).vacuous_rules() == tuple(rule(text) for text in vacuous)
