"""Lists and mappings: elements and keys that are found, their types, and what is let pass."""

import pytest

from askew.reading.formats import ExpectedAnswer, get_format, read
from tests.cases import cases

MARKS = ExpectedAnswer("ranking", n_elements=3)
PHRASES = ExpectedAnswer("keyphrases")


@cases("reply", "value", "ok")
def test_python_ranking(reply, value, ok):
    assert value_and_ok("python", reply, MARKS) == (value, ok)


@cases("name", "reply", "value", "ok")
def test_other_rankings(name, reply, value, ok):
    assert value_and_ok(name, reply, MARKS) == (value, ok)


@cases("name", "reply", "value", "ok")
def test_keyphrases(name, reply, value, ok):
    assert value_and_ok(name, reply, PHRASES) == (value, ok)


def test_lines_in_place_of_separators_are_let_pass_and_counted():
    reading = read("1. tide\n2. ebb", get_format("separator"), PHRASES)
    assert reading.format_ok
    assert reading.tolerated == "2 lines without <SEP>"
    for followed in ("tide", "tide <SEP>\nebb", "tide\n<SEP>\nebb\n"):
        assert not read(followed, get_format("separator"), PHRASES).tolerated


def test_asterisks_as_bullets_are_let_pass_and_counted():
    reading = read("* tide\n- marsh\n* ebb", get_format("bullet"), PHRASES)
    assert (reading.value, reading.format_ok) == (["tide", "marsh", "ebb"], True)
    assert reading.tolerated == "2 bullets are asterisks"
    assert not read("- tide", get_format("bullet"), PHRASES).tolerated


@pytest.mark.parametrize("name", ["separator", "newline"])
def test_prose_is_one_element_but_a_refusal_is_none(name):
    assert value_and_ok(name, "The text is about tides.", PHRASES)[1]
    refusal = "I'm sorry, but I can't help with that."
    assert value_and_ok(name, refusal, PHRASES) == (None, False)


@pytest.mark.parametrize("name", ["bullet", "separator", "newline"])
def test_endless_lists_are_no_answer(name):
    fmt = get_format(name)
    assert value_and_ok(name, fmt.write(["x"] * 10_000), PHRASES)[1]
    assert value_and_ok(name, fmt.write(["x"] * 10_001), PHRASES) == (None, False)


def test_the_lists_noun_fits_the_task():
    for name in ("python", "bullet", "separator", "newline"):
        fmt = get_format(name)
        assert fmt.instruct(MARKS).startswith("Generate your binary list ")
        assert fmt.instruct(PHRASES).startswith("Generate your list ")


EASY = ExpectedAnswer("entities", keys=("Task",))
MEDIUM = ExpectedAnswer("entities", keys=("Task", "Method"))
HARD = ExpectedAnswer("entities", keys=("Task", "Method", "Material", "Metric"))
RIGHT = {"Task": ["tide prediction"], "Method": []}


def value_and_ok(name, reply, asked=MEDIUM):
    reading = read(reply, get_format(name), asked)
    return reading.value, reading.format_ok


@cases("reply")
def test_json_and_python_dictionaries_are_one_format(reply):
    assert value_and_ok("json", reply) == (RIGHT, True)


@cases("reply")
def test_yaml_forms(reply):
    assert value_and_ok("yaml", reply) == (RIGHT, True)


@cases("name", "reply")
def test_what_lacks_a_key_or_a_list_is_nothing(name, reply):
    assert value_and_ok(name, reply) == (None, False)


def test_instructions_are_the_papers_with_a_readable_skeleton():
    json_, yaml_ = get_format("json"), get_format("yaml")
    assert json_.instruct(EASY) == (
        "Your output must be a Python dictionary with the key 'Task' and value as a list of task "
        "name entities:\n{'Task': [...]}"
    )
    assert "keys 'Task' and 'Method', and value is a list of task name" in json_.instruct(MEDIUM)
    assert json_.instruct(HARD).endswith(
        "{'Task': [...], 'Method': [...], 'Material': [...], 'Metric': [...]}"
    )
    assert "Ellipsis" not in json_.instruct(HARD)
    assert yaml_.instruct(MEDIUM) == (
        "Your output must be in YAML format:\nTask: [...]\nMethod: [...]"
    )
