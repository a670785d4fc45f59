"""Credit beyond one string: aliases, numbers in words, parts of phrases, and verbosity's share."""

import json

import pytest

from askew.papers.format_bias.credit import (
    contained_credit,
    phrase_credit,
    token_credit,
    with_digits,
)
from askew.papers.format_bias.paper import FormatBiasMeta
from askew.papers.format_bias.scorer import rightness
from tests.cases import cases


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


def meta(kind, accepted):
    return FormatBiasMeta(
        task="format_bias", item="i", unit="i", subset="fairytaleqa", category="wrapping",
        format="quoting", prompting="zs", demos=0, repeat=1, kind=kind, accepted=accepted,
    )  # fmt: skip


def test_credit_is_the_papers_where_nothing_is_declared_or_exactness_is_asked_for():
    told, silent = meta("text", json.dumps(["from the brook"])), meta("text", "")
    assert rightness("from the brook", "brook", told) == 1
    assert rightness("from the brook", "brook", silent) == pytest.approx(2 / 3)
    assert rightness("from the brook", "brook", told, credit="exact") == pytest.approx(2 / 3)
    assert rightness("from the brook", "brook", silent, credit="contained") == 1
    phrases, target = meta("keyphrases", "[]"), json.dumps(["guard cells"])
    assert rightness(["Guard cell"], target, phrases) == 1
    assert rightness(["Guard cell"], target, phrases, credit="exact") == 0
