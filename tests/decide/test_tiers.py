"""What a tier of questions can show, for tiers made by hand."""

import math

import pytest
from inspect_ai.dataset import Sample

from askew.decide.plan import TierPrecision, tier_precisions
from askew.stats.p_values import ClusterDifference, detectable_difference


def items(n, subset="s", each=1, **metadata):
    """So many questions, some of them on one text."""
    about = ({"subset": subset, "item": i, "cluster": i // each, **metadata} for i in range(n))
    return [Sample(input="?", metadata=meta) for meta in about]


def shows(units, rate, level=0.95):
    """Two independent mistakes vary twice as much as one; units lie one apart at most."""
    unit = ClusterDifference(math.sqrt(2 * rate * (1 - rate)), 1.0, share=rate)
    return pytest.approx(detectable_difference(units, unit, 1 - level))


def test_a_tier_counts_its_questions_and_texts_set_by_set():
    samples = [
        *items(400, tier="hard", each=2), *items(400, tier="core"), *items(30, "t", tier="hard"),
        # The same question in another condition, and questions without a tier.
        *items(30, "t", tier="hard"), *items(5), Sample(input="?"),
    ]  # fmt: skip
    assert tier_precisions(samples, 0.95) == (
        TierPrecision("core", 400, 400, shows(400, 0.97), shows(400, 0.7)),
        TierPrecision("hard", 430, 230, shows(230, 0.97), shows(230, 0.7)),
    )


def test_questions_without_tiers_show_nothing_by_tier():
    assert tier_precisions(items(9), 0.95) == ()
    assert tier_precisions([], 0.95) == ()
