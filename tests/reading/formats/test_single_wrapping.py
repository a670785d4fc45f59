"""Wrappers, mark by mark: what is found, what is scored, and when the format is followed."""

from askew.reading.formats import ExpectedAnswer, get_format, read
from tests.cases import cases

TEXT = ExpectedAnswer("text")
LETTER = ExpectedAnswer("letter", choices=("red", "green", "blue", "grey"))


def value_and_ok(name, reply, asked=TEXT):
    reading = read(reply, get_format(name), asked)
    return reading.value, reading.format_ok


@cases("reply", "value", "ok")
def test_special_character(reply, value, ok):
    assert value_and_ok("special_character", reply) == (value, ok)


@cases("name", "opening", "closing")
def test_pairs_want_exactly_one_match_on_a_line(name, opening, closing):
    one = f"{opening}12{closing}"
    assert value_and_ok(name, f"It is {one}.") == ("12", True)
    assert value_and_ok(name, f"{one} and {opening}13{closing}") == ("12", False)
    assert value_and_ok(name, f"{one}\n{opening}13{closing}") == ("12", False)
    assert value_and_ok(name, f"{opening}1\n2{closing}") == (None, False)
    assert value_and_ok(name, f"{opening}1\n{one}") == ("12", True)
    assert value_and_ok(name, f"{opening}12") == (None, False)
    assert value_and_ok(name, "12") == (None, False)


def test_italics_match_inside_bold_text():
    """`**x**` is an empty match of single asterisks, then another: the literal reading."""
    assert value_and_ok("italicizing", "**12**") == ("", False)
    assert value_and_ok("bolding", "*12*") == (None, False)
    assert value_and_ok("bolding", "***12***") == ("*12", True)


def test_pairs_are_taken_from_the_left_as_short_as_can_be():
    assert value_and_ok("brackets", "[[a [[b]] c]]") == ("a [[b", True)
    assert value_and_ok("brackets", "[[[x]]]") == ("[x", True)
    assert value_and_ok("parentheses", "((a)) b))") == ("a", True)
    assert value_and_ok("parentheses", "f((a), (b))") == ("a), (b", True)


@cases("reply", "value", "ok")
def test_placeholder(reply, value, ok):
    assert value_and_ok("placeholder", reply) == (value, ok)


@cases("reply", "value", "ok")
def test_quoting(reply, value, ok):
    assert value_and_ok("quoting", reply) == (value, ok)


@cases("inside", "value", "ok")
def test_a_wrapped_choice_is_a_letter_from_a_to_h(inside, value, ok):
    for name in ("special_character", "bolding", "brackets", "quoting"):
        fmt = get_format(name)
        assert value_and_ok(name, fmt.write(inside), LETTER) == (value, ok)


def test_a_placeholder_takes_a_letter_however_it_is_dressed():
    for reply in ("{{B}}", "B", "[B]", "{B}.", "'B'"):
        assert value_and_ok("placeholder", f"So the answer is: {reply}", LETTER) == ("B", True)
    assert not value_and_ok("placeholder", "So the answer is: B. green", LETTER)[1]
