"""Lists of verdicts: what is said of each name, where the list stands, and what is open in it."""

import pytest

from askew.reading.verdicts import verdicts

LETTER, NUMBER = "[A-D]", r"\d"


@pytest.mark.parametrize(
    ("text", "name", "of"),
    [
        ("1: yes\n2: no", NUMBER, {"1": True, "2": False}),
        ("A: wrong\nB = correct\nC -> wrong", LETTER, {"a": False, "b": True, "c": False}),
        # Marks may stand before the names.
        ("\u2713 A\n\u2717 B", LETTER, {"a": True, "b": False}),
        ("[x] A\n[ ] B", LETTER, {"a": True, "b": False}),
        # The way of writing that judges two names at least comes first.
        ("A: yes, so:\n\u2713 B\n\u2717 C", LETTER, {"a": None, "b": True, "c": False}),
        ("\u2713 B\nA: yes\nC: no", LETTER, {"a": True, "c": False}),
        # A verdict that is neither, two of one name, and a name that goes on without one.
        ("A: yes\nB: maybe", LETTER, {"a": True, "b": None}),
        ("A: yes\nB: no\nA: no", LETTER, {"a": None, "b": False}),
        ("A: yes\nB: yes\nA: yes", LETTER, {"a": True, "b": True}),
        ("A: yes\nB: no\nC: the rest of it", LETTER, {"a": True, "b": False, "c": None}),
    ],
)
def test_each_name_has_the_verdict_that_stands_beside_it(text, name, of):
    found = verdicts(text, name)
    assert found is not None
    assert dict(found.of) == of


@pytest.mark.parametrize("text", ["", "A: yes", "It is A.", "yes, no", "A and B"])
def test_one_name_or_none_is_no_list(text):
    assert verdicts(text, LETTER) is None


def test_a_list_tells_where_it_stands_and_what_stands_below():
    text = "So:\nA: yes\nB: no, for sure\nHence A."
    found = verdicts(text, LETTER)
    assert text[found.start : found.end].strip() == "A: yes\nB: no"
    assert found.after(text) == "Hence A."


def test_what_is_accepted_is_known_where_no_verdict_is_open():
    assert verdicts("A: yes\nB: no\nC: yes", LETTER).accepted == {"a", "c"}
    assert verdicts("A: no\nB: no", LETTER).accepted == set()
    assert verdicts("A: yes\nB: unsure", LETTER).accepted is None
