"""Literals at their limits, and what an error says."""

import pytest

from askew.reading.literals import (
    MAX_DEPTH,
    MAX_TEXT,
    MAX_YAML,
    LiteralError,
    read_json,
    read_python,
    read_yaml,
    unfenced,
)

DEEPER = "not read: nested deeper than 20 levels"


def said(read, text):
    """The value of a text, or what the error says."""
    try:
        return read(text)
    except LiteralError as error:
        return str(error)


@pytest.mark.parametrize("read", [read_python, read_json, read_yaml])
def test_twenty_levels_are_read_and_no_more(read):
    def nested(depth, inside="1"):
        return "[" * depth + inside + "]" * depth

    value = read(nested(MAX_DEPTH))
    for _ in range(MAX_DEPTH):
        (value,) = value
    assert value in (1, "1")
    for depth in (MAX_DEPTH + 1, MAX_DEPTH + 2, 60, 250):
        assert said(read, nested(depth)) == DEEPER
    # Many lists side by side are no deeper than one.
    assert read(nested(1, "[1], " * 60 + "[1]")) == [[1 if read != read_yaml else "1"]] * 61


def test_a_mapping_is_a_level_as_well():
    for read in (read_python, read_json):
        assert said(read, '{"a": ' * 20 + "1" + "}" * 20) != DEEPER
        assert said(read, '{"a": ' * 21 + "1" + "}" * 21) == DEEPER
    for levels, is_read in ((20, True), (21, False)):
        lines = [" " * i + "a:" for i in range(levels)]
        assert (said(read_yaml, "\n".join(lines)) != DEEPER) is is_read


def test_a_yaml_list_behind_a_deep_one_begins_anew():
    assert read_yaml("- " * 18 + "a\n" + "- " * 18 + "b") is not None


@pytest.mark.parametrize(
    ("read", "most"), [(read_python, MAX_TEXT), (read_json, MAX_TEXT), (read_yaml, MAX_YAML)]
)
def test_a_text_is_read_up_to_its_limit(read, most):
    assert read("1".ljust(most)) in (1, "1")
    assert said(read, "1".ljust(most + 1)) == f"not read: longer than {most:,} characters"
    assert (MAX_TEXT, MAX_YAML) == (200_000, 20_000)


def test_a_number_has_up_to_a_hundred_digits():
    for read in (read_python, read_json):
        assert read("9" * 100) == 10**100 - 1
    assert said(read_json, "9" * 101) == "not read: a number of 101 digits"
    assert said(read_python, "9" * 101) == "not a literal: no literal stands at character 1"


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (read_json, "[NaN]", "not JSON: NaN is no number"),
        (read_json, "-Infinity", "not JSON: -Infinity is no number"),
        (read_json, "[1,]", "not JSON: Expecting value (character 4)"),
        (read_json, "1e5", 100_000.0),
        (read_python, "['a' 'b']", "not a literal: no literal stands at character 2"),
        (read_python, "[1, x]", "not a literal: no literal stands at character 5"),
        (read_python, "{[1]: 2}", "not a literal: unhashable type: 'list'"),
        (read_python, "{'a': {1}}", "not read: a tuple or a set"),
        (read_python, "1, 2", "not read: a tuple or a set"),
        (read_python, "{1: 2}", {1: 2}),
        (read_python, "[1,]", [1]),
        (read_python, "\n [1,\n2]\n", [1, 2]),
        (read_python, "[1] # so", [1]),
        (read_yaml, "a: &x 1", "not read: YAML with an alias or an anchor"),
        (read_yaml, "a: *x", "not read: YAML with an alias or an anchor"),
        (read_yaml, "a: !t b", "not read: YAML with a tag"),
        (read_yaml, "a: 1\n---\nb: 2", "not read: more than one YAML document"),
        (read_yaml, "? [a]\n: b", "not read: a YAML key that is no text"),
        (read_yaml, "~: a", "not read: a YAML key that is no text"),
        (read_yaml, "a: [1", "not YAML: expected ',' or ']', but got '<stream end>'"),
        (read_yaml, '"\\UFFFFFFFF"', "not YAML: OverflowError"),
        (read_yaml, "a: {b: c}", {"a": {"b": "c"}}),
        (read_yaml, "a: ''", {"a": ""}),
        *((read_yaml, f"a: {null}", {"a": None}) for null in ("", "~", "null", "Null", "NULL")),
        (read_yaml, "a: nULL", {"a": "nULL"}),
        (read_yaml, "a: 'null'", {"a": "null"}),
    ],
)
def test_a_value_is_read_or_its_error_says_why(read, text, value):
    assert said(read, text) == value


def test_an_unknown_escape_stands_for_itself_without_a_warning(recwarn):
    assert read_python(r"['\d']") == [r"\d"]
    assert not recwarn.list


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("```\n[1]```", "[1]"),
        ("```python3\n[1]\n```", "[1]"),
        ("```  \n[1]\n```", "[1]"),
        ("``` [1] ```", "[1]"),
        ("```a```", "a"),
        ("```a\n```", ""),
        # What is no name of a language belongs to what is inside.
        ("```not a language\n[1]\n```", "not a language\n[1]"),
        ("```" + "a" * 29 + "\n[1]```", "[1]"),
        ("```" + "a" * 30 + "\n[1]```", "a" * 30 + "\n[1]"),
        ("`````", "`````"),
        ("```[1]", "```[1]"),
        ("[1]```", "[1]```"),
        (" [1]\n", "[1]"),
    ],
)
def test_a_fence_is_dropped_with_its_language(text, inside):
    assert unfenced(text) == inside
