"""Numbered choices are read as sets, exactly as the reply table says, and any text is survived."""

import csv
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.papers.instruction_boundary.option_lists import OptionLists
from askew.papers.instruction_boundary.questions import AnswerRead
from askew.papers.instruction_boundary.reading import read_option_set, read_truth
from tests.repeated import times

with (Path(__file__).parent / "boundary_replies.csv").open(encoding="utf-8", newline="") as lines:
    TABLE = list(csv.DictReader(lines))
CASES = [row for row in TABLE if row["family"] == "choice"]


def canonical(read: AnswerRead) -> str:
    """A reading as the table writes it."""
    if read.outcome != "ok":
        return f"@{read.outcome}"
    return "hedge" if read.hedged else read.answer


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


@given(st.text(max_size=300), st.lists(st.text(max_size=12), min_size=2, max_size=6))
@settings(max_examples=times(80))
def test_any_text_is_read_without_an_error_and_names_offered_options_only(reply, options):
    read = read_option_set(reply, options)
    assert (read.outcome == "ok") == (read.answer is not None)
    if read.answer not in (None, "none", "several"):
        assert all(1 <= int(n) <= len(options) for n in read.answer.split(","))


def test_longer_option_texts_win_over_those_inside_them():
    lists = OptionLists(["York", "New York", "New York City"])
    assert lists.at_start("New York City").answer == "3"
    assert lists.named("From York to New York City by train") == {0, 2}
