"""The format-bias formulas at their thresholds and on the smallest inputs, each by hand."""

import math

import numpy as np
import pytest

from askew.papers.format_bias.formulas import (
    CONFIDENCE,
    MARGIN,
    answer_tokens,
    average_precision,
    bias_f,
    est_true,
    est_true_reliable,
    fi_needed,
    mapping_f1,
    ranking_score,
    set_f1,
    token_f1,
    training_ratios,
)
from tests.papers.format_bias.test_numbers import observations
from tests.papers.format_bias.test_numbers_by_hand import cell, quantities

# Student's 97.5 and 99.5 percent quantiles of one and of two degrees.
T_1, T_2, T_2_WIDE = 12.706205, 4.302653, 9.924843


@pytest.mark.parametrize(
    ("systematic", "following", "ours", "theirs"),
    [
        (0.5, 1, 0.5, 0.5),
        (0.5, 0.25, 2.0, 2.0),
        (0, 0.5, 0, 0),
        (0.5, 0, math.nan, 0),
        (0.5, math.nan, math.nan, math.nan),
        (math.nan, 0.5, math.nan, math.nan),
    ],
)
def test_est_true_from_nothing_followed_to_all(systematic, following, ours, theirs):
    assert est_true(systematic, following) == pytest.approx(ours, nan_ok=True)
    filled = est_true(systematic, following, zero_filled=True)
    assert filled == pytest.approx(theirs, nan_ok=True)


@pytest.mark.parametrize("following", [1 + 1e-12, 80, -1e-12])
def test_what_is_no_fraction_is_refused(following):
    with pytest.raises(ValueError, match="give a fraction from 0 to 1"):
        est_true(0.5, following)


def test_the_fi_that_is_needed_by_hand():
    assert fi_needed(0.5, 2, 10) == pytest.approx(1 / (1 + 10 * (0.05 / (T_1 * 0.5)) ** 2))
    assert fi_needed(0.5, 3, 10) == pytest.approx(1 / (1 + 10 * (0.05 / (T_2 * 0.5)) ** 2))
    wide = fi_needed(0.5, 3, 10, 0.2, 0.99)
    assert wide == pytest.approx(1 / (1 + 10 * (0.2 / (T_2_WIDE * 0.5)) ** 2))
    assert fi_needed(0.5, 3, 10, 0.2, 0.01) == pytest.approx(wide)
    assert fi_needed(0.5, 3, 10, MARGIN, CONFIDENCE) == fi_needed(0.5, 3, 10)
    assert (MARGIN, CONFIDENCE) == (0.05, 0.95)


@pytest.mark.parametrize(
    ("deviation", "k", "wanted"),
    [(0.5, 0, math.nan), (0.5, 1, math.nan), (0, 1, math.nan), (0, 2, 0.0), (9e-10, 2, 0.0)],
)
def test_of_one_reply_nothing_can_be_said_and_equal_ones_need_no_following(deviation, k, wanted):
    assert fi_needed(deviation, k, 10) == pytest.approx(wanted, nan_ok=True)


def test_scores_that_differ_by_rounding_alone_are_equal_and_by_more_are_not():
    assert fi_needed(1e-9, 2, 10) == pytest.approx((T_1 * 1e-9 / 0.05) ** 2 / 10)
    assert fi_needed(1e-9, 2, 10) > 0


def test_a_cell_is_reliable_from_the_fi_on_that_is_needed():
    # A deviation of a half in three of four replies: three quarters followed.
    scores = [0.0, 0.5, 1.0]
    margin = T_2 * 0.5 * math.sqrt((1 / 0.75 - 1) / 4)
    assert fi_needed(0.5, 3, 4, margin) == pytest.approx(0.75)
    assert est_true_reliable(scores, 4, margin * 1.001)
    assert not est_true_reliable(scores, 4, margin * 0.999)
    assert not est_true_reliable([1.0], 1)
    assert est_true_reliable([1.0, 1.0], 100)
    assert not est_true_reliable(scores, 4)
    # A lower level needs less.
    assert est_true_reliable(scores, 4, margin * 0.999, 0.9)


def test_bias_is_the_population_variance_whatever_holds_the_scores():
    assert bias_f([1.0, 3.0]) == 1.0
    assert bias_f(iter([0, 0, 3])) == 2.0
    assert bias_f([5]) == 0.0
    assert math.isnan(bias_f([]))
    assert math.isnan(bias_f([1.0, np.nan]))


def test_training_ratios_of_what_scored_nothing_are_the_largest_there_is():
    assert training_ratios({"a": 80, "b": 20, "c": 0}) == {"a": 1.0, "b": 4.0, "c": 4.0}
    assert training_ratios({"a": 0, "b": 0}) == {"a": 1.0, "b": 1.0}
    assert training_ratios({}) == {}


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The cat.", ["cat"]),
        ("A theory, an anthem: theirs", ["theory", "anthem", "theirs"]),
        ("rock-and-roll", ["rockandroll"]),
        ("  Two\twords\n", ["two", "words"]),
        ("the", []),
        ("", []),
    ],
)
def test_words_of_an_answer(text, tokens):
    assert answer_tokens(text) == tokens


@pytest.mark.parametrize(
    ("predicted", "true", "score"),
    [
        ("", "", 1.0),
        ("the", "a!", 1.0),
        ("cat", "", 0.0),
        ("", "cat", 0.0),
        ("cat", "dog", 0.0),
        ("cat", "cat", 1.0),
        # One of two words right, of the only one that is true.
        ("cat dog", "cat", 2 / 3),
        ("cat", "cat dog", 2 / 3),
        # A word that comes twice is one common word of two: precision a half.
        ("cat cat", "cat", 2 / 3),
        ("red cat hat", "red dog", 2 * (1 / 3) * (1 / 2) / (5 / 6)),
    ],
)
def test_overlap_of_words(predicted, true, score):
    assert token_f1(predicted, true) == pytest.approx(score)


@pytest.mark.parametrize(
    ("predicted", "true", "exact", "folded"),
    [
        ([], [], 1.0, 1.0),
        ([""], [" "], 1.0, 1.0),
        (["a"], [], 0.0, 0.0),
        ([], ["a"], 0.0, 0.0),
        (["a"], ["b"], 0.0, 0.0),
        ([" a "], ["a"], 1.0, 1.0),
        (["A"], ["a"], 0.0, 1.0),
        (["a", "b", "b"], ["a"], 2 / 3, 2 / 3),
        (["a", "b"], ["b", "c", "d"], 2 / 5, 2 / 5),
        (["straße"], ["STRASSE"], 0.0, 1.0),
    ],
)
def test_overlap_of_sets(predicted, true, exact, folded):
    assert set_f1(predicted, true) == pytest.approx(exact)
    assert set_f1(predicted, true, casefold=True) == pytest.approx(folded)


def test_a_mapping_is_the_mean_over_its_true_keys():
    true = {"task": ["NER"], "data": ["A", "B"], "metric": []}
    assert mapping_f1({"task": ["ner"], "data": ["a"], "metric": []}, true) == pytest.approx(
        (1 + 2 / 3 + 1) / 3
    )
    # A key that was not given has nothing; one that is not true counts nothing.
    assert mapping_f1({"other": ["x"]}, true) == pytest.approx(1 / 3)
    assert mapping_f1({}, {"task": ["a"]}) == 0.0


@pytest.mark.parametrize(
    ("relevance", "score"),
    [
        ([], 0.0),
        ([0, 0], 0.0),
        ([1], 1.0),
        ([0, 1], 1 / 2),
        ([1, 0, 1], (1 + 2 / 3) / 2),
        ([0, 1, 1, 0, 1], (1 / 2 + 2 / 3 + 3 / 5) / 3),
    ],
)
def test_precision_at_each_relevant_place(relevance, score):
    assert average_precision(relevance) == pytest.approx(score)


def test_documents_marked_1_come_first_and_lengths_must_agree():
    assert ranking_score([0, 0, 1], [0, 0, 1], "s") == 1.0
    assert ranking_score([1, 1, 0], [0, 0, 1], "s") == pytest.approx(1 / 3)
    assert ranking_score([1, 1], [1, 1, 1], "s") == 0.0
    assert ranking_score([], [], "s") == 0.0
    # Which of two with equal marks comes first hangs on the seed alone.
    drawn = {ranking_score([1, 1], [1, 0], str(seed)) for seed in range(20)}
    assert drawn == {1.0, 0.5}


def test_a_cell_whose_fi_is_just_what_is_needed_is_reliable():
    least, most = 0.6, 0.65
    for _ in range(100):
        margin = (least + most) / 2
        needed = fi_needed(0.5, 3, 4, margin)
        if needed == 0.75:
            break
        least, most = (margin, most) if needed > 0.75 else (least, margin)
    assert needed == 0.75
    assert est_true_reliable([0.0, 0.5, 1.0], 4, margin)
    rows = observations(cell("gsm8k", "a", "zs", (1, 0), (1, 0.5), (1, 1), (0, 0)))
    found = quantities(rows, margin=margin)
    at = ("gsm8k", "wrapping", "a", "zs", 0, 1)
    assert found["fi_needed", *at].values.tolist() == [0.75]
    assert found["est_true_reliable", *at].values.tolist() == [1.0]
