"""Literals, JSON and YAML from untrusted text: exact, capped, and never another error."""

import json

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from askew.reading.literals import (
    MAX_DEPTH,
    LiteralError,
    read_json,
    read_python,
    read_yaml,
    strip_fence,
)
from tests.cases import cases
from tests.repeated import times

READERS = (read_python, read_json, read_yaml)
LEAVES = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=20)
KEYS = st.text(max_size=6)
PLAIN = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_survive(value):
    assert read_python(f"[{value!r}]") == [value]


@given(PLAIN)
def test_json_reads_as_json_reads_it(value):
    text = json.dumps(value, ensure_ascii=False)
    assert read_json(text) == json.loads(text)


NAMES = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff"), max_size=15
)


@given(st.dictionaries(st.text("abcXYZ", min_size=1), st.lists(NAMES, max_size=4), max_size=4))
def test_yaml_of_texts_survives(value):
    dumped = yaml.safe_dump(value, allow_unicode=True, width=float("inf"))
    assert read_yaml(dumped) == value


@cases("text", "value")
def test_python_forms(text, value):
    assert read_python(text) == value


@cases("text")
def test_what_is_no_plain_literal_is_refused(text):
    for each in (text, "['\ud800']"):
        with pytest.raises(LiteralError, match=r"^((?! at 0x).)*$"):
            read_python(each)


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "{'a': 1}", "[" + "9" * 5000 + "]", "[1,]"])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(LiteralError):
        read_json(text)


@cases("text")
def test_yaml_that_an_answer_does_not_need_is_refused(text):
    with pytest.raises(LiteralError):
        read_yaml(text)


def test_aliases_that_multiply_are_refused():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    with pytest.raises(LiteralError, match="alias or an anchor"):
        read_yaml("\n".join(lines))


def test_plain_yaml_scalars_are_text_and_null_is_not():
    found = read_yaml("Task: [2015, yes, 3D]\nMethod:\nMetric: ~\nMaterial: 'null'")
    empty = {"Method": None, "Metric": None}
    assert found == {"Task": ["2015", "yes", "3D"], "Material": "null", **empty}


@pytest.mark.parametrize("read", READERS)
def test_nesting_is_capped_before_the_stack_is(read):
    deep = MAX_DEPTH - 1
    assert read("[" * deep + "]" * deep) is not None
    for depth in (MAX_DEPTH + 2, 1_000, 4_000):
        with pytest.raises(LiteralError):
            read("[" * depth + "]" * depth)
        with pytest.raises(LiteralError):
            read('{"a": ' * depth + "1" + "}" * depth)


@pytest.mark.parametrize("read", READERS)
@given(st.text(alphabet=st.sampled_from("[]{}'\",:-#&*!|>%@`?\\ \n\tabn01.~"), max_size=60))
@example("- - - - -")
@example("&a [*a]")
@settings(max_examples=times(80))
def test_any_text_gives_a_value_or_a_literal_error(read, text):
    try:
        read(text)
    except LiteralError:
        return


@cases("text", "inside")
def test_one_fence_around_everything_is_dropped(text, inside):
    assert strip_fence(text) == inside


def test_blanks_behind_a_fence_are_read_once():
    assert strip_fence(f"```{' ' * 190_000}x```") == "x"
