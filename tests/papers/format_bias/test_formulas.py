"""The format-bias formulas on their own terms; test_printed.py has those that are printed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.metrics import bias_f, est_true
from askew.papers.format_bias.credit import (
    average_precision,
    contained_credit,
    mapping_f1,
    phrase_credit,
    ranking_score,
    set_f1,
    token_credit,
    token_f1,
    with_digits,
)
from askew.papers.format_bias.numbers import est_true_reliable, fi_threshold
from tests.cases import cases


@pytest.mark.parametrize("format_following", [1.01, 88.84, -0.1])
def test_format_following_must_be_a_fraction(format_following):
    with pytest.raises(ValueError, match="fraction"):
        est_true(48.54, format_following)
    # One percent of replies is a hundredth, whatever a percent would be.
    assert est_true(0.5, 0.01) == pytest.approx(50)


def test_nothing_followed_is_nan_and_zero_only_on_demand():
    assert math.isnan(est_true(0.0, 0.0))
    assert est_true(0.0, 0.0, zero_filled=True) == 0
    assert math.isnan(est_true(0.1, math.nan, zero_filled=True))


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8), st.floats(-50, 50))
def test_bias_is_a_variance_that_a_shift_leaves_alone(scores, shift):
    assert bias_f(scores) >= 0
    assert bias_f([s + shift for s in scores]) == pytest.approx(bias_f(scores), abs=1e-6)
    assert bias_f(scores) == pytest.approx(float(np.var(scores)))


# t for 95 % and 1, 9, 99 degrees of freedom, from a printed table.
@pytest.mark.parametrize(("k", "t"), [(2, 12.7062), (10, 2.2622), (100, 1.9842)])
def test_the_fi_that_is_needed_is_equation_6(k, t):
    deviation, n_total = 0.4, 200
    expected = 1 / (1 + n_total * (0.05 / (t * deviation)) ** 2)
    assert fi_threshold(deviation, k, n_total) == pytest.approx(expected, rel=1e-4)
    assert fi_threshold(deviation, k, n_total, level=0.05) == fi_threshold(deviation, k, n_total)


def test_reliability_follows_theorem_3_1():
    half = [0.0, 1.0] * 90
    assert est_true_reliable(half, 200)  # 0.9 >= 0.66
    assert not est_true_reliable(half[:100], 200)  # 0.5 < 0.66
    assert not est_true_reliable(half, 360)  # a larger sample makes 180 replies too few
    assert est_true_reliable(half, 360, margin=0.1)
    assert est_true_reliable(half[:170], 200)
    assert not est_true_reliable(half[:170], 200, level=0.9999)


# ---- scores of extracted answers: by hand, by the authors' definitions, and their properties

MARKS = st.lists(st.integers(0, 1), min_size=1, max_size=30)


@cases("predicted", "true", "score")
def test_token_f1(predicted, true, score):
    assert token_f1(predicted, true) == pytest.approx(score)


@cases("predicted", "true", "casefold", "score")
def test_set_f1(predicted, true, casefold, score):
    assert set_f1(predicted, true, casefold) == pytest.approx(score)


def test_mapping_f1_is_the_mean_over_the_true_keys():
    true = {"Task": ["Tide Prediction"], "Method": ["X", "Y"], "Metric": []}
    assert mapping_f1({"Task": ["tide prediction"], "Method": ["x", "y"], "Metric": []}, true) == 1
    assert mapping_f1({"Task": [], "Method": ["x"], "Metric": []}, true) == pytest.approx(
        (0 + 2 / 3 + 1) / 3
    )
    assert mapping_f1({"Task": [], "Method": [], "Metric": ["z"]}, true) == 0


@cases("relevance", "score")
def test_average_precision(relevance, score):
    assert average_precision(relevance) == pytest.approx(score)


@given(MARKS.filter(any), st.text(max_size=5))
def test_the_truth_ranks_perfectly_and_its_opposite_worst(truth, seed):
    assert ranking_score(truth, truth, seed) == 1
    opposite = ranking_score([1 - mark for mark in truth], truth, seed)
    worst = average_precision(sorted(truth))
    assert opposite == pytest.approx(worst)


# --- Credit beyond one string ---


@cases("words", "digits")
def test_numbers_in_words_are_read_as_digits(words, digits):
    assert with_digits(words).replace(".", "").replace(",", "") == digits


def test_the_nearest_accepted_answer_counts():
    assert token_credit("from the brook", ["brook"]) == pytest.approx(2 / 3)
    assert token_credit("from the brook", ["brook", "from the brook"]) == 1
    assert token_credit("12", ["twelve"]) == token_credit("twelve", ["12"]) == 1
    assert token_credit("river", ["brook", "from the brook"]) == 0


def test_what_is_contained_costs_nothing():
    assert contained_credit("It was the brook, I think.", ["brook"]) == 1
    assert contained_credit("It was the brooklime.", ["brook"]) == 0
    assert contained_credit("anything", ["the"]) == 0
    assert contained_credit(f"{'hundred ' * 5_000}or a brook", ["brook"]) == 1


def test_phrases_count_by_base_form_in_part_and_not_against_one_when_optional():
    true = ["water tables", "methane flux"]
    assert phrase_credit(["Water Table", "methane-flux"], true, []) == 1
    assert phrase_credit(["water table", "methane flux", "moss"], true, ["moss"]) == 1
    assert phrase_credit(["water table", "methane flux", "moss"], true, []) == pytest.approx(0.8)
    # "flux" is a part of one of two: two thirds of it, in precision and for half of the recall.
    assert phrase_credit(["flux"], true, []) == pytest.approx(2 * 2 / 3 * 1 / 3 / (2 / 3 + 1 / 3))
    assert phrase_credit(["snow"], true, []) == 0
    assert phrase_credit([], true, []) == 0
    assert phrase_credit(["moss"], [], ["moss"]) == 1
