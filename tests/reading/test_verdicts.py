"""Lists of verdicts: what is said of each name, where the list stands, and what is open in it."""

import pytest

from askew.reading.verdicts import verdicts
from tests.cases import cases

LETTER = "[A-D]"


@cases("text", "name", "of")
def test_each_name_has_the_verdict_next_to_it(text, name, of):
    found = verdicts(text, name)
    assert found is not None
    assert dict(found.of) == of


@pytest.mark.parametrize("text", ["", "A: yes", "It is A.", "yes, no", "A and B"])
def test_one_name_or_none_is_no_list(text):
    assert verdicts(text, LETTER) is None


def test_a_list_of_verdicts_has_its_place_and_the_text_after_it():
    text = "So:\nA: yes\nB: no, for sure\nHence A."
    found = verdicts(text, LETTER)
    assert text[found.start : found.end].strip() == "A: yes\nB: no"
    assert found.after(text) == "Hence A."


def test_what_is_accepted_is_known_where_no_verdict_is_open():
    assert verdicts("A: yes\nB: no\nC: yes", LETTER).accepted == {"a", "c"}
    assert verdicts("A: no\nB: no", LETTER).accepted == set()
    assert verdicts("A: yes\nB: unsure", LETTER).accepted is None
