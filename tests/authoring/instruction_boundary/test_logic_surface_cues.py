"""The words on the page do not tell the label: a bag of words does no better than the majority."""

import runpy
from collections import Counter
from pathlib import Path

import pytest

from askew_authoring.instruction_boundary.logic import LogicShape, generate_logic

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "logic_surface_cues.py"
POINTS = 0.03


@pytest.fixture(scope="module")
def guesser():
    """The benchmark's classifier and its features; fewer rounds than there are enough here."""
    names = runpy.run_path(str(BENCHMARK))
    module = names["classifier_accuracy"].__globals__
    module["_PENALTIES"], module["_ROUNDS"], module["_MAX_FEATURES"] = (0.1,), 40, 1000
    return names


@pytest.fixture(scope="module")
def items():
    """2,000 items to train on and 1,000 fresh ones."""
    return generate_logic(LogicShape(2000), 1), generate_logic(LogicShape(1000), 1_000_001)


def majority(train, test):
    (most, _), *_ = Counter(item.label for item in train).most_common()
    return sum(item.label == most for item in test) / len(test)


@pytest.mark.whole
def test_a_bag_of_words_stays_within_three_points_of_the_most_frequent_label(guesser, items):
    accuracy = guesser["classifier_accuracy"](*items, guesser["unigrams"])
    assert abs(accuracy - majority(*items)) <= POINTS
