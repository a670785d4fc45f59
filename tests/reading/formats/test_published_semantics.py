"""The authors' semantics on replies that no file holds: their regular expressions, written out.

The expressions are for comparison only: on hostile text they backtrack, the scanners don't.
"""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.papers.format_bias.credit import token_f1
from askew.reading.formats import FORMATS, ExpectedAnswer, read
from tests.cases import cases, cases_of
from tests.repeated import times

TEXT = ExpectedAnswer("text")
EXPRESSIONS = cases_of(__file__, "EXPRESSIONS")
TRIPLE = r"'''(.*?)'''|\"\"\"(.*?)\"\"\""
# Marks, halves of marks and line ends in any order: what real replies get wrong.
pieces = st.lists(
    st.sampled_from(
        ["**", "*", "[[", "]]", "[", "((", "))", ")", "'''", '"""', "'", '"', "\n", "\r\n", " ",
         "12", "x", "}", "{{", "<ANSWER>", "</ANSWER>", "So the answer is: ", "So the answer is "]
    ),
    max_size=24,
).map("".join)  # fmt: skip


@pytest.mark.parametrize("name", EXPRESSIONS)
@given(reply=pieces)
@settings(max_examples=times(40), deadline=None)
def test_wrappers_are_the_authors_expressions(name, reply):
    matches = re.findall(EXPRESSIONS[name], reply)
    reading = read(reply, FORMATS[name], TEXT)
    assert reading.format_ok == (len(matches) == 1)
    assert reading.value == (matches[0] if matches else None)


@given(reply=pieces)
@settings(max_examples=times(50), deadline=None)
def test_quotes_are_counted_on_lines_and_read_across_them(reply):
    first = re.search(TRIPLE, reply, re.DOTALL)
    reading = read(reply, FORMATS["quoting"], TEXT)
    on_lines = [m for line in reply.split("\n") for m in re.finditer(TRIPLE, line)]
    assert reading.value == (
        None if first is None else first[1] if first[1] is not None else first[2]
    )
    assert reading.format_ok == (len(on_lines) == 1)


@given(reply=pieces)
@settings(max_examples=times(40), deadline=None)
def test_tags_and_the_placeholder_are_found_by_their_words(reply):
    tags = read(reply, FORMATS["special_character"], TEXT)
    assert tags.format_ok == ("<ANSWER>" in reply and "</ANSWER>" in reply) or tags.value is None
    if tags.value is not None:
        assert tags.value == reply.split("<ANSWER>", 1)[1].split("</ANSWER>", 1)[0]
    filled = read(reply, FORMATS["placeholder"], TEXT)
    assert filled.format_ok == ("So the answer is: " in reply)
    if filled.format_ok:
        raw = reply.split("So the answer is: ", 1)[1].split("}", 1)[0]
        # What is left of the braces around the placeholder is punctuation, which does not count.
        assert filled.value == raw.strip().strip("{}[]'\"").strip()
        assert token_f1(filled.value, "12") == token_f1(raw, "12")


ASKED = {
    "wrapped": ExpectedAnswer("letter", choices=("red", "green", "blue", "grey")),
    "option": ExpectedAnswer("option", choices=("red", "green")),
    "ranking": ExpectedAnswer("ranking", n_elements=3),
    "phrases": ExpectedAnswer("keyphrases"),
    "names": ExpectedAnswer("entities", keys=("Task", "Method")),
}


@cases("name", "asked", "reply", "value", "ok")
def test_shapes_of_other_tasks_formats_and_models(name, asked, reply, value, ok):
    reading = read(reply, FORMATS[name], ASKED[asked])
    assert (reading.value, reading.format_ok) == (value, ok)
