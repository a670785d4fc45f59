"""Numbered choices are read as sets, exactly as the reply table says, and any text is survived."""

import csv
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.papers.instruction_boundary.option_lists import OptionLists
from askew.papers.instruction_boundary.option_sets import read_option_set
from askew.papers.instruction_boundary.questions import AnswerRead, numbers
from askew.papers.instruction_boundary.reading import read_truth
from tests.repeated import times

with (Path(__file__).parent / "boundary_replies.csv").open(encoding="utf-8", newline="") as lines:
    TABLE = list(csv.DictReader(lines))
CASES = [row for row in TABLE if row["family"] == "choice"]
SHAPES = ["kite", "rhombus", "rectangle", "parallelogram"]


def canonical(read: AnswerRead) -> str:
    """A reading as the table writes it."""
    if read.outcome != "ok":
        return f"@{read.outcome}"
    return "hedge" if read.hedged else read.answer


def is_right(reads: str, truth: str) -> bool:
    return reads.removesuffix("?") == truth or (reads == "hedge" and truth == "none")


def test_appendix_e_names_27_cases_in_six_groups_and_the_table_covers_each():
    named = Counter(row["group"] for row in TABLE if row["id"].startswith("e-"))
    assert named == {"perfect": 6, "partial": 4, "extra": 3, "wrong": 4, "none": 5, "edge": 5}


@pytest.mark.parametrize("row", TABLE, ids=[row["id"] for row in TABLE])
def test_the_table_calls_a_reply_correct_where_it_reads_as_the_whole_truth(row):
    assert (row["correct"] == "yes") == is_right(row["reads"], row["truth"])


@pytest.mark.parametrize("row", CASES, ids=[row["id"] for row in CASES])
def test_a_reply_is_read_as_the_table_says(row):
    assert canonical(read_option_set(row["reply"], row["shown"].split(" | "))) == row["reads"]


def test_rules_never_contradict_the_verdicts_of_cases_that_judges_are_tried_on():
    text = files("askew.papers.instruction_boundary").joinpath("judge_cases.csv").read_text("utf-8")
    for case in csv.DictReader(text.splitlines(keepends=True)):
        judging = case["family"] == "judging"
        shown = case["shown"].split(" | ")
        read = read_truth(case["reply"]) if judging else read_option_set(case["reply"], shown)
        if read.outcome == "ok":
            assert case["verdict"] == ("hedge" if read.hedged else read.answer), case["id"]


@pytest.mark.whole
@given(st.sets(st.integers(1, 9), min_size=1), st.randoms(use_true_random=False))
def test_a_set_reads_the_same_in_any_order_and_with_any_separator(chosen, rng):
    options = [f"thing {letter}" for letter in "abcdefghi"]
    order = sorted(chosen)
    rng.shuffle(order)
    for separator in (", ", ",", " ", " and ", " & ", "; ", "\n", "/", "+"):
        read = read_option_set(separator.join(map(str, order)), options)
        assert read.answer == numbers([n - 1 for n in chosen]), separator


@given(st.sets(st.integers(0, 3), min_size=1, max_size=3))
def test_options_may_be_named_by_their_texts(indexes):
    chosen = sorted(indexes)
    for joined in (", ".join, " and ".join):
        assert read_option_set(joined(SHAPES[i] for i in chosen), SHAPES).answer == numbers(chosen)


@given(st.text(max_size=300), st.lists(st.text(max_size=12), min_size=2, max_size=6))
@settings(max_examples=times(80))
def test_any_text_is_read_without_an_error_and_names_offered_options_only(reply, options):
    read = read_option_set(reply, options)
    assert (read.outcome == "ok") == (read.answer is not None)
    if read.answer not in (None, "none", "several"):
        assert all(1 <= int(n) <= len(options) for n in read.answer.split(","))


def test_only_undecided_replies_are_left_to_a_judge():
    assert read_option_set("2", SHAPES).final
    assert read_option_set("9", SHAPES).final
    assert not read_option_set("2 or 3", SHAPES).final
    assert not read_option_set("What a question!", SHAPES).final


def test_a_mention_alone_settles_nothing():
    assert not read_option_set("It must be the rhombus that we want.", SHAPES).settled
    assert read_option_set("rhombus", SHAPES).settled


def test_longer_option_texts_win_over_those_inside_them():
    lists = OptionLists(["York", "New York", "New York City"])
    assert lists.at_start("New York City").answer == "3"
    assert lists.named("From York to New York City by train") == {0, 2}


def test_an_open_question_counts_as_none_and_says_why():
    found = read_option_set("It cannot be determined.", SHAPES)
    assert (found.answer, found.hedged, found.why) == ("none", True, "leaves the question open")
