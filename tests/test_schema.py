"""The shared words: selections, ids, metadata, order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.parameters import SelectionError
from askew.schema import Condition, Factor, SampleMeta, clean_id, round_robin, sample_id

BOTH = {"red": Condition("Red", "warm"), "blue": Condition("Blue", "cold")}
COLOURS = Factor("colour", {**BOTH, "grey": Condition("Grey", "neither", asked=False)})


def test_a_factor_selects_in_declared_order():
    assert COLOURS.select("grey, red") == ("red", "grey")
    assert COLOURS.select(["blue"]) == ("blue",)
    assert COLOURS.select("all") == ("red", "blue", "grey")
    assert COLOURS.select(None) == ("red", "blue")


@pytest.mark.parametrize("wanted", ["green", "red,green", "", [], "red,all"])
def test_an_unknown_value_is_refused_with_the_valid_ones(wanted):
    with pytest.raises(SelectionError, match="valid: all, red, blue, grey"):
        COLOURS.select(wanted)


@given(st.text(max_size=40), st.dictionaries(st.text(max_size=5), st.text(max_size=10), max_size=3))
def test_ids_never_contain_what_inspect_selects_by(item, condition):
    made = sample_id(clean_id(item), condition)
    assert not set(made) & set(",:*?[ \n")
    assert made.count("/") == len(condition)


def test_metadata_leaves_out_treatments_that_are_not_used():
    plain = SampleMeta(task="t", item="i", cluster="u", subset="s")
    assert plain.as_metadata() == {"task": "t", "item": "i", "cluster": "u", "subset": "s"}
    framed = SampleMeta(task="t", item="i", cluster="u", subset="s", framing="Look:")
    assert framed.as_metadata()["framing_position"] == "begin"


@given(st.dictionaries(st.text(max_size=3), st.lists(st.integers(), max_size=6), max_size=5))
def test_round_robin_keeps_everything_and_spreads_any_prefix(groups):
    order = list(round_robin({k: [(k, v) for v in vs] for k, vs in groups.items()}))
    assert sorted(order) == sorted((k, v) for k, vs in groups.items() for v in vs)
    width = sum(1 for vs in groups.values() if vs)
    assert len({k for k, _ in order[:width]}) == width
