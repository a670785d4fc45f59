"""The prover against brute force: every model of a small theory, one by one."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew_authoring.instruction_boundary.logic.prover import Prover
from askew_authoring.instruction_boundary.logic.wording import Literal, Premise
from tests.cases import cases
from tests.repeated import times

SUBJECTS = ("ann", "bo")
PREDICATES = ("p", "q", "r")
ATOMS = [*product(PREDICATES, SUBJECTS)]
CLAIMS = [Literal(p, s, sign) for p, s in ATOMS for sign in (True, False)]

Model = dict[tuple[str, str], bool]
Theory = tuple[Premise, ...]


def is_true(model: Model, literal: Literal, subject: str) -> bool:
    return model[literal.predicate, literal.subject or subject] == literal.positive


def meets(model: Model, premise: Premise, subject: str) -> bool:
    return all(is_true(model, literal, subject) for literal in premise.body)


def models(theory: Theory) -> list[Model]:
    """Every assignment over both subjects that makes all facts and rules true."""
    values = product((True, False), repeat=len(ATOMS))
    return [
        model
        for model in (dict(zip(ATOMS, of, strict=True)) for of in values)
        if all(is_true(model, p.head, s) for p in theory for s in SUBJECTS if meets(model, p, s))
    ]


signed = st.tuples(st.sampled_from(PREDICATES), st.booleans())
facts = st.builds(Literal, st.sampled_from(PREDICATES), st.sampled_from(SUBJECTS), st.booleans())


@st.composite
def rules(draw: st.DrawFn) -> Premise:
    """A rule about everyone or about one person."""
    subject = draw(st.sampled_from((None, None, *SUBJECTS)))
    told = draw(st.lists(signed, min_size=2, max_size=4))
    head, *body = (Literal(p, subject, s) for p, s in told)
    return Premise(head, tuple(body))


theories = st.builds(
    lambda facts, rules: (*map(Premise, facts), *rules),
    st.lists(facts, max_size=3), st.lists(rules(), max_size=6),
)  # fmt: skip


@pytest.mark.whole
@settings(max_examples=times(250), deadline=None)
@given(theories)
def test_agrees_with_every_model_of_any_small_theory(theory: Theory) -> None:
    found, prover = models(theory), Prover(theory, SUBJECTS)
    assert prover.consistent == bool(found)
    if not found:
        return
    for claim in CLAIMS:
        values = {is_true(model, claim, "") for model in found}
        label = "unknown" if len(values) == 2 else "true" if values == {True} else "false"
        assert prover.decide(claim) == label, (theory, claim)
        assert prover.entails(claim) == (values == {True})
        # A proof by propagation is a proof; not every proof is one by propagation.
        assert prover.depth(claim) is None or prover.entails(claim)
    pairs = [*product(found, SUBJECTS)]
    unmet = {rule for rule in theory if rule.body if not any(meets(m, rule, s) for m, s in pairs)}
    assert unmet <= set(prover.vacuous_rules())


def lit(text: str, subject: str | None = "ann") -> Literal:
    """ "p" or "-p", about ann unless told otherwise."""
    return Literal(text.lstrip("-"), subject, not text.startswith("-"))


def rule(text: str) -> Premise:
    """ "p -q > r" for everyone; "p" is a fact about ann."""
    body, arrow, head = text.partition(">")
    if not arrow:
        return Premise(lit(text))
    return Premise(lit(head.strip(), None), tuple(lit(x, None) for x in body.split()))


@cases("theory", "depths")
def test_depth_is_that_of_the_shortest_proof_and_of_its_longest_line(theory, depths) -> None:
    prover = Prover([rule(text) for text in theory.split("; ")])
    assert {text: prover.depth(lit(text)) for text in depths} == depths


def test_reasons_by_cases_where_chaining_cannot() -> None:
    """Who is p is q or r; who is q or r is s: as deep as its longer case."""
    prover = Prover([rule(text) for text in ("p", "p -q > r", "q > s", "r > s")])
    assert prover.decide(lit("s")) == "true"
    assert (prover.depth(lit("s")), prover.depth_by_cases(lit("s"))) == (None, 2)
    assert prover.depth_by_cases(lit("r")) is None
    assert prover.decide(lit("-s")) == "false"


@cases("theory", "vacuous")
def test_vacuous_rules_are_named(theory: str, vacuous: str) -> None:
    premises = [rule(text) for text in theory.split("; ")]
    named = tuple(rule(text) for text in vacuous.split("; ") if text)
    assert Prover(premises).vacuous_rules() == named
