"""Letters, options and wrappers, mark by mark: what is found, and when the format is followed."""

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


OPTIONS = ("Yes", "No", "The red kite", "St. Ives")
ASKED = ExpectedAnswer("letter", choices=OPTIONS)
LETTERS, OPTION = get_format("char"), get_format("text")


@cases("reply")
def test_a_letter_may_be_dressed(reply):
    reading = read(reply, LETTERS, ASKED)
    assert (reading.value, reading.format_ok) == ("B", True)


@cases("reply")
def test_what_is_more_than_a_letter_is_none(reply):
    reading = read(reply, LETTERS, ASKED)
    assert (reading.value, reading.format_ok) == (None, False)


def test_letters_beyond_d_count_only_where_offered():
    assert read("D", LETTERS, ExpectedAnswer("letter", choices=("yes", "no"))).format_ok
    assert not read("E", LETTERS, ASKED).format_ok
    assert read("F", LETTERS, ExpectedAnswer("letter", choices=tuple("abcdef"))).format_ok


@cases("reply", "value")
def test_an_options_text_may_be_dressed(reply, value):
    reading = read(reply, OPTION, ExpectedAnswer("option", choices=OPTIONS))
    assert (reading.value, reading.format_ok) == (value, True)


@cases("reply")
def test_what_is_not_an_options_text_alone_is_none(reply):
    reading = read(reply, OPTION, ExpectedAnswer("option", choices=OPTIONS))
    assert (reading.value, reading.format_ok) == (None, False)


def test_any_text_is_taken_and_noted_without_known_options():
    reading = read("No", OPTION, ExpectedAnswer("option"))
    assert (reading.value, reading.format_ok) == ("No", True)
    assert "not known" in reading.why


def test_the_papers_sentences_are_in_the_instructions():
    assert LETTERS.instruct(ASKED) == "by outputting only the designated character identifier"
    zs = OPTION.instruct(ExpectedAnswer("option", prompting="zs"))
    assert zs.endswith("without the character identifier without any textual description")
    assert OPTION.instruct(ExpectedAnswer("option", prompting="cot")).endswith(
        "the character identifier"
    )
