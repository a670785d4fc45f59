"""Hard theories: labels hold by a solver of another kind, and proofs take what they are said to.

The second solver reads the English, and never searches: it eliminates one property after another
by resolution (Davis and Putnam), until what is left is empty or contradicts itself.
"""

from __future__ import annotations

from collections import Counter

import pytest

from askew_authoring.instruction_boundary.logic import (
    LogicItem,
    LogicShape,
    generate_logic,
)
from askew_authoring.instruction_boundary.logic.prover import Prover
from askew_authoring.instruction_boundary.logic.wording import Literal, Premise
from tests.authoring.instruction_boundary.test_logic_generator import (
    fact_in,
    theory_in,
)

HARD = LogicShape.of("hard", n_logic=100)


@pytest.fixture(scope="module")
def items() -> list[LogicItem]:
    return generate_logic(HARD, seed=21)


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
