"""Replies made to break a parser: every text is read, no option is made up."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.reading.choices import read_choice, read_label
from askew.reading.names import LETTERS
from tests.repeated import times


@pytest.mark.parametrize(("reader", "most"), [(read_choice, 26), (read_label, 80)])
@settings(max_examples=times(40), deadline=None)
@given(text=st.text(max_size=300), data=st.data(), removed=st.text(max_size=20))
def test_any_text_is_read_without_an_error_and_one_outcome_fits(reader, most, text, data, removed):
    names = st.text(min_size=1, max_size=20)
    options = data.draw(st.lists(names, min_size=2, max_size=most))
    choice = reader(text, options, removed)
    assert choice.chosen is None or 0 <= choice.chosen < len(options)
    assert choice.letter == "" or choice.letter in LETTERS
    assert choice.why
    if choice.outcome != "ok":
        assert (choice.chosen, choice.text, choice.said_none) == (None, "", False)
        assert not choice.gave_removed


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
