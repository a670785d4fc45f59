"""Whatever a command line makes of a parameter is taken or refused in one message."""

from inspect import signature

import pytest
from inspect_ai.util import registry_create

from askew.papers import OWN, asked_for
from askew.parameters import Refusal, SelectionError, checked, choose, whole_number

ODD = (0, -1, "x", 1.5, [], {"a": 1}, True, "a,b", 10**7, "", [1, "x"], float("nan"), "9-1")
# Tasks that are made at once; of the others the quick tier tries a few parameters.
SMALL = ("knowno", "format_bias", "binary_qa")
FIRST = ("subset", "seed")


def refusal_of(task: str, /, **given: object) -> str:
    """Why a task is not made of these parameters; empty where it is, with something to ask."""
    try:
        made = asked_for(task).make(**given)
    except Refusal as refusal:
        return refusal.message
    return "" if len(made.dataset) else "asks nothing"


@pytest.mark.parametrize(
    ("task", "name"),
    [
        pytest.param(task, name, marks=() if name in FIRST or task in SMALL else pytest.mark.whole)
        for task in OWN
        for name in asked_for(task).parameters
        if name not in asked_for(task).stand_in
    ],
)
def test_an_odd_value_is_taken_or_refused_by_name(task, name):
    said = {repr(value): refusal_of(task, **{"items": 2, name: value}) for value in ODD}
    refused = {value: message for value, message in said.items() if message}
    for value, message in refused.items():
        # A range's own message shows the value; all others the name.
        assert message != "asks nothing"
        assert name in message or value in message
        assert "\n" not in message.strip()
    # Flags take anything, as may a seed that only names a draw.
    assert refused or name in {"seed", "strict_items", "judge", "casefold", "ablation", "measure"}


@pytest.mark.parametrize("value", ["3", 2.0, True, None, 0, 11])
def test_a_whole_number_within_bounds_is_nothing_else(value):
    with pytest.raises(SelectionError, match=r"n=.*: give a whole number from 1 to 10"):
        whole_number("n", value, most=10)


def test_a_whole_number_may_have_one_bound_or_none():
    assert whole_number("n", 10**9) == 10**9
    assert whole_number("n", -5, least=None) == -5
    with pytest.raises(SelectionError, match="n=0: give a whole number of at least 1"):
        whole_number("n", 0)


@pytest.mark.parametrize("task", OWN)
def test_a_misspelt_parameter_stops_the_run_with_the_nearest_name(task):
    """As Inspect makes it: what a task does not take is dropped with a warning, if it is let."""
    given = {} if task != "bend" else asked_for(task).stand_in
    with pytest.raises(Refusal, match=f"{task} has no parameter 'itmes'. Did you mean items"):
        registry_create("task", f"askew/{task}", itmes=4, **given)


def test_a_parameter_without_a_near_name_is_refused_with_the_list():
    with pytest.raises(SelectionError, match=r"'zzz'. There are: .*data, .*items"):
        asked_for("knowno").make(zzz=1)


def test_a_task_by_path_refuses_a_misspelt_parameter_too():
    from inspect_ai import eval as run

    with pytest.raises(Refusal, match="Did you mean items"):
        run("tasks/binary_qa.py", model="mockllm/model", task_args={"itmes": 4}, display="none")


def test_the_checked_function_keeps_its_name_and_parameters():
    @checked
    def asks(n: int, /, by: str = "a") -> str:
        """What it does."""
        return by * n

    assert (asks.__name__, asks.__doc__, asks(2, by="b")) == ("asks", "What it does.", "bb")
    assert [*signature(asks).parameters] == ["n", "by", "unknown"]
    with pytest.raises(SelectionError, match=r"asks has no parameter 'bye'. Did you mean by\?"):
        asks(2, bye="b")


@pytest.mark.parametrize("long", ["x" * 3_000_000, ["x" * 1_000_000] * 3, "a," * 500_000])
def test_what_is_megabytes_long_is_refused_in_a_few_lines(long):
    with pytest.raises(SelectionError, match="valid: all, one") as refused:
        choose("subset", long, ("one", "two"))
    assert len(str(refused.value)) < 1_000
