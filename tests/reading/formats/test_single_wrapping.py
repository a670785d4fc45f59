"""Wrappers, mark by mark: what is found, what is scored, and when the format is followed."""

import pytest

from askew.reading.formats import ExpectedAnswer, format_named, read

TEXT = ExpectedAnswer("text")
LETTER = ExpectedAnswer("letter", choices=("red", "green", "blue", "grey"))


def value_and_ok(name, reply, asked=TEXT):
    reading = read(reply, format_named(name), asked)
    return reading.value, reading.format_ok


@pytest.mark.parametrize(
    ("reply", "value", "ok"),
    [
        ("<ANSWER>12</ANSWER>", "12", True),
        ("It is <ANSWER> 12 </ANSWER>, I think.", " 12 ", True),
        ("<ANSWER>one\ntwo</ANSWER>", "one\ntwo", True),
        ("<ANSWER>1</ANSWER> or <ANSWER>2</ANSWER>", "1", True),
        ("<ANSWER></ANSWER>", "", True),
        ("<ANSWER>12", None, False),
        ("12</ANSWER>", None, False),
        ("<answer>12</answer>", None, False),
        ("", None, False),
    ],
)
def test_special_character(reply, value, ok):
    assert value_and_ok("special_character", reply) == (value, ok)


@pytest.mark.parametrize(
    ("name", "opening", "closing"),
    [
        ("bolding", "**", "**"),
        ("italicizing", "*", "*"),
        ("brackets", "[[", "]]"),
        ("parentheses", "((", "))"),
    ],
)
def test_pairs_want_exactly_one_match_on_a_line(name, opening, closing):
    one = f"{opening}12{closing}"
    assert value_and_ok(name, f"It is {one}.") == ("12", True)
    assert value_and_ok(name, f"{one} and {opening}13{closing}") == ("12", False)
    assert value_and_ok(name, f"{one}\n{opening}13{closing}") == ("12", False)
    assert value_and_ok(name, f"{opening}1\n2{closing}") == (None, False)
    assert value_and_ok(name, f"{opening}1\n{one}") == ("12", True)
    assert value_and_ok(name, f"{opening}12") == (None, False)
    assert value_and_ok(name, "12") == (None, False)


def test_bold_also_holds_italic_matches():
    """`**x**` is an empty match of single asterisks, then another: the literal reading."""
    assert value_and_ok("italicizing", "**12**") == ("", False)
    assert value_and_ok("bolding", "*12*") == (None, False)
    assert value_and_ok("bolding", "***12***") == ("*12", True)


def test_pairs_are_taken_from_the_left_as_short_as_can_be():
    assert value_and_ok("brackets", "[[a [[b]] c]]") == ("a [[b", True)
    assert value_and_ok("brackets", "[[[x]]]") == ("[x", True)
    assert value_and_ok("parentheses", "((a)) b))") == ("a", True)
    assert value_and_ok("parentheses", "f((a), (b))") == ("a), (b", True)


@pytest.mark.parametrize(
    ("reply", "value", "ok"),
    [
        ("So the answer is: {{12}}", "12", True),
        ("So the answer is: {12} as said", "12", True),
        ("So the answer is: 12", "12", True),
        ("So the answer is: [12]", "12", True),
        ("'So the answer is: 12'", "12", True),
        ("So the answer is: one\ntwo", "one\ntwo", True),
        ("So the answer is: 1. So the answer is: 2", "1. So the answer is: 2", True),
        ("Thus: So the answer is: {{}}", "", True),
        ("so the answer is: 12", None, False),
        ("So the answer is:12", None, False),
        ("So the answer is 12", None, False),
        ("{{12}}", None, False),
    ],
)
def test_placeholder(reply, value, ok):
    assert value_and_ok("placeholder", reply) == (value, ok)


@pytest.mark.parametrize(
    ("reply", "value", "ok"),
    [
        ('"""12"""', "12", True),
        ("'''12'''", "12", True),
        ('It is """12""".', "12", True),
        ('"""1""" or """2"""', "1", False),
        ("\"\"\"1\"\"\" or '''2'''", "1", False),
        ('"""\n12\n"""', "\n12\n", False),
        ('"""\n1\n"""\n"""2"""', "\n1\n", True),
        ('"12"', None, False),
        ('"""12', None, False),
        ("'''12\"\"\"", None, False),
        ("'''it \"\"\"is\"\"\" 12'''", 'it """is""" 12', True),
        ('\'\'\' then """12"""', "12", True),
    ],
)
def test_quoting(reply, value, ok):
    assert value_and_ok("quoting", reply) == (value, ok)


@pytest.mark.parametrize(
    ("inside", "value", "ok"),
    [
        ("B", "B", True),
        (" b ", "B", True),
        ("H", "H", True),
        ("I", "I", False),
        ("B. green", "B. GREEN", False),
        ("green", "GREEN", False),
        ("", "", False),
        ("AB", "AB", False),
    ],
)
def test_a_wrapped_choice_is_a_letter_from_a_to_h(inside, value, ok):
    for name in ("special_character", "bolding", "brackets", "quoting"):
        fmt = format_named(name)
        assert value_and_ok(name, fmt.write(inside), LETTER) == (value, ok)


def test_a_placeholder_takes_a_letter_however_it_is_dressed():
    for reply in ("{{B}}", "B", "[B]", "{B}.", "'B'"):
        assert value_and_ok("placeholder", f"So the answer is: {reply}", LETTER) == ("B", True)
    assert not value_and_ok("placeholder", "So the answer is: B. green", LETTER)[1]
