"""Whatever a command line makes of a parameter is taken or refused in one message."""

import pytest

from askew.papers import OWN, asked_for
from askew.parameters import Refusal, SelectionError, whole_number

ODD = (0, -1, "x", 1.5, [], {"a": 1}, True, "a,b", 10**7, "", [1, "x"], float("nan"), "9-1")


@pytest.mark.parametrize(
    ("task", "name"), [(task, name) for task in OWN for name in asked_for(task).parameters]
)
def test_an_odd_value_is_taken_or_refused_by_name(task, name):
    refused = 0
    for value in ODD:
        given = {"items": 2, name: value}
        try:
            made = asked_for(task).make(**given)
        except Refusal as refusal:
            refused += 1
            # A range's own message shows the value; all others the name.
            assert name in refusal.message or repr(value) in refusal.message
            assert "\n" not in refusal.message.strip()
        else:
            assert len(made.dataset) > 0
    # Flags take anything, as may a seed that only names a draw.
    assert refused or name in {"seed", "strict_items", "judge", "casefold", "ablation"}


@pytest.mark.parametrize("value", ["3", 2.0, True, None, 0, 11])
def test_a_whole_number_within_bounds_is_nothing_else(value):
    with pytest.raises(SelectionError, match="n=.*: give a whole number from 1 to 10"):
        whole_number("n", value, most=10)


def test_a_whole_number_may_have_one_bound_or_none():
    assert whole_number("n", 10**9) == 10**9
    assert whole_number("n", -5, least=None) == -5
    with pytest.raises(SelectionError, match="n=0: give a whole number of at least 1"):
        whole_number("n", 0)
