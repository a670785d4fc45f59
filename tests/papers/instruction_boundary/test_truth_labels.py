"""Truth labels are read exactly as the reply table says, and any text is survived."""

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.papers.instruction_boundary.questions import TRUTH_LABELS, AnswerRead
from askew.papers.instruction_boundary.reading import read_truth
from tests.cases import cases
from tests.repeated import times

with (Path(__file__).parent / "boundary_replies.csv").open(encoding="utf-8", newline="") as lines:
    CASES = [row for row in csv.DictReader(lines) if row["family"] == "judging"]


def canonical(read: AnswerRead) -> str:
    """A reading as the table writes it: a label, with a question mark where it is hedged."""
    if read.outcome != "ok":
        return f"@{read.outcome}"
    return f"{read.answer}{'?' if read.hedged else ''}"


@pytest.mark.parametrize("row", CASES, ids=[row["id"] for row in CASES])
def test_a_reply_is_read_as_the_table_says(row):
    assert canonical(read_truth(row["reply"])) == row["reads"]


@pytest.mark.parametrize("label", TRUTH_LABELS)
@cases("wrapped")
def test_every_label_is_read_from_every_usual_wrapping(label, wrapped):
    assert read_truth(wrapped.format(TRUTH_LABELS[label])).answer == label


def test_the_last_announced_label_counts():
    assert read_truth("Answer: True\n\nNo.\n\nAnswer: Unknown").answer == "unknown"


def test_a_hedge_is_told_apart_from_the_label_and_its_description():
    assert read_truth("It is unclear.").hedged
    assert not read_truth("Unknown").hedged
    assert not read_truth("The conclusion cannot be determined.").hedged


def test_a_supposition_is_no_verdict():
    reply = "Suppose the conclusion is true. Then Dellin is grumpy."
    assert read_truth(reply).outcome == "ambiguous"


@cases("reply", "label")
def test_a_lone_letter_is_a_label_and_a_cut_off_word_is_none(reply, label):
    assert read_truth(reply).answer == label


@cases("reply", "label")
def test_a_label_that_is_said_twice_is_one_label_and_two_are_none(reply, label):
    assert read_truth(reply).answer == label


@given(st.text(max_size=400))
@settings(max_examples=times(80))
def test_any_text_is_read_without_an_error(reply):
    read = read_truth(reply)
    assert (read.outcome == "ok") == (read.answer is not None)
