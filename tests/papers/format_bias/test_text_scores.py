"""Scores of extracted answers: by hand, by the authors' definitions, and their properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.papers.format_bias.text_scores import (
    answer_tokens,
    average_precision,
    mapping_f1,
    ranking_score,
    set_f1,
    token_f1,
)

TEXTS = st.text(max_size=40)
MARKS = st.lists(st.integers(0, 1), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("predicted", "true", "score"),
    [
        ("very sad", "very sad .", 1.0),
        ("The Cat", "a cat!", 1.0),
        ("1,875", "1875", 1.0),
        ("$150.", "150", 1.0),
        ("150 cards", "150", 2 / 3),
        ("red blue", "green", 0.0),
        ("", "", 1.0),
        ("the", "a", 1.0),
        ("", "x", 0.0),
        ("...", "x", 0.0),
        # Distinct common words over all words: a repeated word costs precision.
        ("cat cat", "cat", 2 / 3),
        ("cat", "cat cat", 2 / 3),
        ("anchor", "an chor", 0.0),
    ],
)
def test_token_f1(predicted, true, score):
    assert token_f1(predicted, true) == pytest.approx(score)


def test_only_whole_articles_are_dropped():
    assert answer_tokens("An anchor, the other; a-bomb") == ["anchor", "other", "abomb"]


@given(TEXTS, TEXTS)
def test_token_f1_is_symmetric_and_bounded(one, other):
    assert 0 <= token_f1(one, other) <= 1
    assert token_f1(one, other) == pytest.approx(token_f1(other, one))


@pytest.mark.parametrize(
    ("predicted", "true", "casefold", "score"),
    [
        (["a", "b"], ["b", "a"], False, 1.0),
        (["a", "a "], ["a"], False, 1.0),
        (["A"], ["a"], False, 0.0),
        (["A"], ["a"], True, 1.0),
        (["a", "b"], ["b", "c"], False, 0.5),
        (["a"], ["a", "b", "c"], False, 0.5),
        ([], [], False, 1.0),
        ([], ["a"], False, 0.0),
        (["a"], [], False, 0.0),
    ],
)
def test_set_f1(predicted, true, casefold, score):
    assert set_f1(predicted, true, casefold) == pytest.approx(score)


def test_mapping_f1_is_the_mean_over_the_true_keys():
    true = {"Task": ["Tide Prediction"], "Method": ["X", "Y"], "Metric": []}
    assert mapping_f1({"Task": ["tide prediction"], "Method": ["x", "y"], "Metric": []}, true) == 1
    assert mapping_f1({"Task": [], "Method": ["x"], "Metric": []}, true) == pytest.approx(
        (0 + 2 / 3 + 1) / 3
    )
    assert mapping_f1({"Task": [], "Method": [], "Metric": ["z"]}, true) == 0


@pytest.mark.parametrize(
    ("relevance", "score"),
    [([1, 1, 0], 1.0), ([0, 1], 0.5), ([1, 0, 1], (1 + 2 / 3) / 2), ([0, 0], 0.0), ([], 0.0)],
)
def test_average_precision(relevance, score):
    assert average_precision(relevance) == pytest.approx(score)


@given(MARKS.filter(any), st.text(max_size=5))
def test_the_truth_ranks_perfectly_and_its_opposite_worst(truth, seed):
    assert ranking_score(truth, truth, seed) == 1
    opposite = ranking_score([1 - mark for mark in truth], truth, seed)
    worst = average_precision(sorted(truth))
    assert opposite == pytest.approx(worst)


@given(MARKS, st.text(max_size=5))
def test_ties_fall_the_same_way_for_equal_seeds(truth, seed):
    ones = ranking_score([1] * len(truth), truth, seed)
    zeros = ranking_score([0] * len(truth), truth, seed)
    assert ones == zeros == ranking_score([1] * len(truth), truth, seed)


def test_marking_everything_relevant_is_no_perfect_ranking():
    """The published script gives it 1.0; against the truth it gets what chance gives."""
    truth = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    scores = [ranking_score([1] * 10, truth, str(seed)) for seed in range(400)]
    assert sum(scores) / 400 == pytest.approx(sum(1 / i for i in range(1, 11)) / 10, abs=0.04)


def test_a_list_of_another_length_scores_nothing():
    assert ranking_score([1, 0], [1, 0, 0], "x") == 0
