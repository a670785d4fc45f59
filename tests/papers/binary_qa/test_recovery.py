"""Nay and literal: what is planted in them is what formulas by hand give."""

import pytest

from askew.metrics import model_binary_score
from askew.papers.binary_qa.paper import CORE, FORMS, OPPOSITE, SUBSETS
from askew.papers.binary_qa.respondent import TENDENCIES, expected

# As many as the bundled set has.
PER_DOMAIN = 24


@pytest.fixture(scope="module")
def asked():
    """What is true of every sample: Yes and No in turn, in every domain."""
    return [
        {
            "item": f"{subset}-{i}", "unit": f"{subset}-{i}", "subset": subset, "epoch": 1,
            "form": form, "truth": answer, "sample_id": f"{subset}-{i}/{form}",
            "expected": OPPOSITE[answer] if how.flips else answer,
        }
        for subset in SUBSETS
        for i, answer in enumerate(("Yes", "No") * (PER_DOMAIN // 2))
        for form, how in FORMS.items()
    ]  # fmt: skip


def planted_by(name, asked):
    """What the tendencies imply; no domain differs from another, so there is no spread to find."""
    core = {e.metric: e.value for e in expected(asked, TENDENCIES[name])}
    return core | {"mbs": model_binary_score({m: core[m] for m in CORE}, dict.fromkeys(CORE, 0.0))}


def planted_by_nay(p):
    """What a model scores that says No with an extra chance `p` at every asking."""
    twice_the_same, thrice_the_same = p**2 + (1 - p) ** 2, p**3 + (1 - p) ** 3
    return {
        "f1": (2 * (1 - p) / (2 - p) + 2 / (2 + p)) / 2,
        "delta_recall": p,
        "delta_precision": 1 / (1 + p) - 1,
        "prc": (1 + thrice_the_same) / 2,
        "nrc": ((1 - p) + (1 - p) ** 2) / 2,
        "arc": (1 + twice_the_same) / 2,
        "sc": (1 + thrice_the_same) / 2,
    }


def planted_by_literal(q):
    """What a model scores that overlooks a negation with chance `q`."""
    return {
        "f1": 1.0,
        "delta_recall": 0.0,
        "delta_precision": 0.0,
        "prc": 1.0,
        "nrc": (1 - q) ** 2,
        "arc": 1.0,
        "sc": 1.0,
    }


def test_what_is_planted_is_what_formulas_by_hand_give(asked):
    by_hand = {
        "nay": planted_by_nay(TENDENCIES["nay"].says_no),
        "literal": planted_by_literal(TENDENCIES["literal"].ignores_negation),
    }
    for name, values in by_hand.items():
        planted = planted_by(name, asked)
        assert {m: planted[m] for m in CORE} == pytest.approx(values)
    assert planted_by("literal", asked)["mbs"] == pytest.approx(100 - 7.5 * (1 - 0.6**2))
