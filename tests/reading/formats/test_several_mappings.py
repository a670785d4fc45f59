"""Mappings: JSON or a Python dictionary, and YAML, with the keys that were asked for."""

from askew.reading.formats import ExpectedAnswer, get_format, read
from tests.cases import cases

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
