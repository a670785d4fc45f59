"""A small part of `make claims`, with more room for chance; seeds are fixed."""

import importlib
import sys
from pathlib import Path

import pytest

from askew.papers import papers
from tests.cases import cases_of
from tests.repeated import times

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def claims():
    sys.path.insert(0, str(BENCHMARKS))
    yield importlib.import_module("claims")
    sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def examples(claims):
    return importlib.import_module("bench.examples")


@pytest.mark.whole
def test_every_number_that_noise_moves_is_looked_at(claims):
    looked_at = {str(key[0]) for make in claims.NOTHING.values() for key in make(24).nulls(0)}
    declared = {m.name: m for p in papers() for m in p.metrics if m.null}
    assert looked_at <= set(declared)
    # What only describes, such as a number as the authors count it, decides nothing. What simulated
    # models do not show, as how far wordings of one suggestion lie apart, has tests of its own.
    left = [declared[name] for name in set(declared) - looked_at]
    assert {m.better for m in left if not m.no_true_value} <= {"neither"}


@pytest.mark.whole
def test_every_world_of_a_page_draws_each_number(claims):
    worlds = importlib.import_module("bench.worlds")
    for name, make in worlds.NUMBERS.items():
        for of, world in worlds.WORLDS.items():
            first, *others = (make(48, world).drawn(seed, 0) for seed in range(4))
            assert any((other != first).any() for other in others), (name, of)


def test_a_class_of_which_nothing_is_right_leaves_robustness_open(examples):
    """It was [0, 0.034], though "none" may be right in one of ten."""
    low, high = examples.none_of_several(400)
    assert 0 == low < 0.2 < high < 0.35


def test_four_replies_that_follow_are_four_replies(examples):
    """It was [0.862, 1]: Wilson's interval of 24 of 24."""
    low, high = examples.few_followed(400)
    assert low < 0.6 < high == 1


@pytest.mark.whole
def test_the_null_mean_matches_an_unbiased_model(examples):
    values, nulls = examples.unbiased(4, 20, times(120))
    mean = sum(null.null_mean for null in nulls) / len(nulls)
    assert mean == pytest.approx(values.mean(), rel=0.25)
    assert (values > max(null.null_q95 for null in nulls)).mean() < 0.1


SMALL = cases_of(__file__, "SMALL")


@pytest.mark.whole
@pytest.mark.parametrize("what", SMALL)
def test_a_part_of_the_claims_is_met(claims, what):
    found = [c for part in claims.PARTS.values() for c in part() if c.what == what]
    assert found
    for claim in found[:3] if len(found) > 1 else found:
        rows = claims.counted(claim, times(SMALL[what]))
        assert all(row.met for row in rows), rows


def test_intervals_that_rarely_cover_are_called_off(claims):
    assert claims.failed_checks(4, 0.5, 2) == (2, 2)
    assert claims.failed_checks(4, 0.95, 2) == (0, 2)
