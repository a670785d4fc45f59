"""Mappings: JSON or a Python dictionary, and YAML, with the keys that were asked for."""

import pytest

from askew.reading.formats import ExpectedAnswer, format_named, read

EASY = ExpectedAnswer("entities", keys=("Task",))
MEDIUM = ExpectedAnswer("entities", keys=("Task", "Method"))
HARD = ExpectedAnswer("entities", keys=("Task", "Method", "Material", "Metric"))
RIGHT = {"Task": ["tide prediction"], "Method": []}


def value_and_ok(name, reply, asked=MEDIUM):
    reading = read(reply, format_named(name), asked)
    return reading.value, reading.format_ok


@pytest.mark.parametrize(
    "reply",
    [
        '{"Task": ["tide prediction"], "Method": []}',
        "{'Task': ['tide prediction'], 'Method': []}",
        "{'Task': [\"tide prediction\"], 'Method': [],}",
        '```json\n{"Task": ["tide prediction"], "Method": []}\n```',
        "```python\n{'Task': ['tide prediction'],\n 'Method': []}\n```",
        '\n{"Task": ["tide prediction"], "Method": [], "Note": "none"}\n',
    ],
)
def test_json_and_python_dictionaries_are_one_format(reply):
    assert value_and_ok("json", reply) == (RIGHT, True)


@pytest.mark.parametrize(
    "reply",
    [
        "Task: [tide prediction]\nMethod: []",
        "Task:\n- tide prediction\nMethod: []",
        "Task:\n  - 'tide prediction'\nMethod: []\nNote: x",
        "```yaml\nTask: [tide prediction]\nMethod: []\n```",
        '{"Task": ["tide prediction"], "Method": []}',
    ],
)
def test_yaml_forms(reply):
    assert value_and_ok("yaml", reply) == (RIGHT, True)


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("json", '{"Task": ["tide prediction"]}'),
        ("json", '{"Task": "tide prediction", "Method": []}'),
        ("json", '{"Task": null, "Method": []}'),
        ("json", '{"task": [], "method": []}'),
        ("json", "[]"),
        ("json", "Task: []\nMethod: []"),
        ("json", 'Sure: {"Task": [], "Method": []}'),
        ("json", "{'Task': [...], 'Method': []}"),
        ("json", '{"Task": [1], "Method": []}'),
        ("yaml", "Task: tide prediction\nMethod: []"),
        ("yaml", "Task: [tide prediction]"),
        ("yaml", "Task_1: tide\nTask_2: ebb\nMethod: []"),
        ("yaml", "Task:\n- name: tide\nMethod: []"),
        ("yaml", "Task: &a [x]\nMethod: *a"),
        ("yaml", "The tasks are many.\n\nTask: []\nMethod: []"),
        ("yaml", ""),
    ],
)
def test_what_lacks_a_key_or_a_list_is_nothing(name, reply):
    assert value_and_ok(name, reply) == (None, False)


def test_instructions_are_the_papers_with_a_readable_skeleton():
    json_, yaml_ = format_named("json"), format_named("yaml")
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
