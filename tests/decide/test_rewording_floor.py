"""A largest loss under a treatment is one only where it lies beyond that of harmless rewordings."""

import pytest

from askew.decide.compare import compare
from askew.decide.gate import gate
from askew.decide.policy import Policy
from askew.report.study import Study
from askew.stats.tables import Interval
from tests.bend.rows import arms, table_of

QUICK = Interval(resamples=100)
RULE = {"task": "bend", "metric": "worst_effect", "max": 0.2}


def losing(model="acme/a", n=200, **shares):
    """Items that are right, but for a share of them under each treatment."""
    return [
        found
        for i in range(n)
        for found in arms(
            i, model=model, plain=1, repeat=1,
            **{arm: float(i % 100 >= 100 * share) for arm, share in shares.items()},
        )
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("shares", "status"),
    [
        ({"suggestion": 0.3}, "fail"),
        ({"suggestion": 0.3, "typos": 0.0}, "fail"),
        ({"suggestion": 0.3, "typos": 0.15}, "inconclusive"),
        ({"suggestion": 0.3, "typos": 0.3}, "fail"),  # of typing errors themselves
        ({"suggestion": 0.05, "typos": 0.05}, "pass"),
    ],
)
@pytest.mark.parametrize("bound", ["interval", "value"])
def test_a_largest_loss_fails_a_rule_where_it_exceeds_that_of_rewordings(shares, status, bound):
    policy = Policy.model_validate({"version": 1, "rules": [{**RULE, "bound": bound}]})
    (check,) = gate(Study(table_of(losing(**shares))), policy, QUICK).checks
    assert check.status == status
    assert ("beyond rewording" in check.why) == (status == "inconclusive")


@pytest.mark.parametrize(("typos", "verdict"), [(0.15, "inconclusive"), (0.0, "worse")])
def test_a_largest_loss_is_worse_where_it_is_beyond_rewordings(typos, verdict):
    old = losing(suggestion=0.15, typos=typos)
    new = losing("acme/b", suggestion=0.3, typos=typos)
    table = compare(
        Study(table_of(old, new)), "acme/a", metric=["worst_effect"], interval=QUICK
    ).table
    found = table.set_index("metric")
    assert found.loc["worst_effect", "p_corrected"] < 0.01
    assert found.loc["worst_effect", "verdict"] == verdict
    assert "worst_beyond_rewording" in found.index
