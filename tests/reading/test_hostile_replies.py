"""Replies made to break a parser: every text is read, no option is made up, time stays linear."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from askew.reading.choices import read_choice
from askew.reading.labels import read_label
from askew.reading.letters import LETTERS
from askew.reading.none import denials, denies, is_none, starts_with_none
from askew.reading.reply import folded, has_words, plain, refuses, visible
from tests.repeated import times

LABELS = ["return_by_post", "late_fee", "late_fee_waived?", "extend_loan"]

GREEK_AND_CYRILLIC = "\u0391\u0392\u0395\u0410\u0412\u0415\u0421\u0430\u0441\u0435\u03b1\u03b2"


@settings(max_examples=times(40), deadline=None)
@given(
    text=st.text(max_size=300),
    options=st.lists(st.text(min_size=1, max_size=20), min_size=2, max_size=26),
    removed=st.text(max_size=20),
)
def test_any_text_is_read_without_an_error_and_one_outcome_fits(text, options, removed):
    choice = read_choice(text, options, removed)
    assert choice.chosen is None or 0 <= choice.chosen < len(options)
    assert choice.letter == "" or choice.letter in LETTERS
    assert choice.why
    if choice.outcome != "ok":
        assert (choice.chosen, choice.text, choice.said_none) == (None, "", False)
        assert not choice.gave_removed


@settings(max_examples=times(40), deadline=None)
@given(
    text=st.text(max_size=300),
    labels=st.lists(st.text(min_size=1, max_size=20), min_size=2, max_size=80),
    removed=st.text(max_size=20),
)
def test_any_text_is_read_as_a_label_without_an_error(text, labels, removed):
    choice = read_label(text, labels, removed)
    assert choice.chosen is None or 0 <= choice.chosen < len(labels)
    if choice.outcome != "ok":
        assert (choice.chosen, choice.text, choice.said_none) == (None, "", False)


@settings(max_examples=times(40), deadline=None)
@given(st.text(max_size=300))
def test_what_the_parsers_start_from_takes_any_text(text):
    assert plain(plain(text)) == plain(text)
    assert visible(visible(text)) == visible(text) or "<" in text
    assert folded(folded(text)) == folded(text)
    assert isinstance(refuses(text), bool)
    assert has_words(text) == any(c.isalnum() for c in text)
    assert all(0 <= d.start < d.end <= len(text) for d in denials(text))
    assert all(isinstance(f(text), bool) for f in (is_none, starts_with_none, denies))


FRAGMENTS = [
    *("answer is ", "Answer: ", "none of the ", "none-of-them", "A", "B. ", "(C) ", "Mara", "**"),
    *("\\boxed{", "$", "```\n", "\n", " ", "<think>", "</think>", '{"answer": "', '"}', "if "),
    *("the closest ", "is correct", "I choose ", "I'm sorry, ", "can't help", "\u0301", "\ud800"),
]


@settings(max_examples=times(50), deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=20).map("".join))
def test_broken_announcements_and_marks_are_read_without_an_error(text):
    choice = read_choice(text, ["Mara", "A kite", r"\frac{a}{b}"], "Oskar")
    assert choice.outcome in ("ok", "refused", "empty", "unparsed", "ambiguous")
    assert read_label(text, LABELS, "renew_card").outcome in ("ok", "refused", "empty", "unparsed")


@settings(max_examples=times(50), deadline=None)
@given(
    st.text(alphabet="efghjklmnopqrstuvwxyz0123456789 .,;:!?-\n" + GREEK_AND_CYRILLIC, max_size=200)
)
def test_no_option_is_read_from_a_text_that_has_none(text):
    assume(not re.search("mara|tobin|zq", text))
    choice = read_choice(text, ["Mara", "Tobin", "ZQ"])
    assert choice.chosen is None


@pytest.mark.parametrize("code", [0xE000, 0xE002, 0xE005, 0xE102, 0xF8FF])
@pytest.mark.parametrize("reply", ["1√{}", "{}√", "{}: yes\nB: no", "A and {} are wrong"])
def test_signs_for_private_use_name_no_option(reply, code):
    """Readers mark options with such signs: one in a reply was taken for an option."""
    for removed in ("", "Jo"):
        choice = read_choice(reply.format(chr(code)), ["Rick", "Sam", "Tom"], removed)
        same = read_choice(reply.format(" "), ["Rick", "Sam", "Tom"], removed)
        assert (choice.outcome, choice.chosen, choice.gave_removed) == (
            same.outcome, same.chosen, same.gave_removed
        )  # fmt: skip
