"""The shared words: selections, ids, metadata, order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.papers.knowno.paper import PAPER, KnowNoMeta
from askew.parameters import SelectionError
from askew.schema import (
    Condition,
    Factor,
    SampleMeta,
    clean_id,
    observation_row,
    round_robin,
    sample_id,
)

COLOURS = Factor(
    "colour",
    {
        "red": Condition("Red", "warm"),
        "blue": Condition("Blue", "cold"),
        "grey": Condition("Grey", "neither", asked=False),
    },
)


def test_a_factor_selects_in_declared_order_whatever_the_order_asked():
    assert COLOURS.select("grey, red") == ("red", "grey")
    assert COLOURS.select(["blue"]) == ("blue",)
    assert COLOURS.select("all") == ("red", "blue", "grey")
    assert COLOURS.select(None) == ("red", "blue")


@pytest.mark.parametrize("wanted", ["green", "red,green", "", [], "red,all"])
def test_an_unknown_value_is_refused_with_the_valid_ones(wanted):
    with pytest.raises(SelectionError, match="valid: all, red, blue, grey"):
        COLOURS.select(wanted)


def test_conditions_are_the_product_of_the_selected_values():
    selected = {"hint": ("with_gold", "no_hint"), "order": (0, 1), "context_length": ("",)}
    asked = list(PAPER.conditions(selected))
    assert asked[0] == {"hint": "with_gold", "order": 0, "context_length": ""}
    assert len(asked) == 4
    assert {c["hint"] for c in asked} == {"with_gold", "no_hint"}


@given(st.text(max_size=40), st.dictionaries(st.text(max_size=5), st.text(max_size=10), max_size=3))
def test_ids_never_hold_what_inspect_selects_by(item, condition):
    made = sample_id(clean_id(item), condition)
    assert not set(made) & set(",:*?[ \n")
    assert made.count("/") == len(condition)


def test_metadata_leaves_out_treatments_that_are_not_used():
    plain = SampleMeta(task="t", item="i", unit="u", subset="s")
    assert plain.as_metadata() == {"task": "t", "item": "i", "unit": "u", "subset": "s"}
    framed = SampleMeta(task="t", item="i", unit="u", subset="s", framing="Look:")
    assert framed.as_metadata()["framing_position"] == "begin"


def test_metadata_holds_short_scalars_only():
    meta = KnowNoMeta(
        task="knowno", item="i", unit="u", subset="mctest", kind="story", hint="no_hint", order=0,
        gold="Rick",
    )  # fmt: skip
    assert all(isinstance(v, str | int | float | bool) for v in meta.as_metadata().values())


def test_an_observation_has_no_treatment_texts():
    row = observation_row(
        {"task": "t", "item": "i", "framing": "Look:", "framing_position": "end"},
        {"correct": 1.0},
        "yes",
        {"epoch": 2, "outcome": "ok"},
    )
    assert row == {
        "task": "t", "item": "i", "tier": "", "correct": 1.0, "epoch": 2, "outcome": "ok",
        "answer": "yes",
    }  # fmt: skip


@given(st.dictionaries(st.text(max_size=3), st.lists(st.integers(), max_size=6), max_size=5))
def test_round_robin_keeps_everything_and_spreads_any_prefix(groups):
    order = list(round_robin({k: [(k, v) for v in vs] for k, vs in groups.items()}))
    assert sorted(order) == sorted((k, v) for k, vs in groups.items() for v in vs)
    width = sum(1 for vs in groups.values() if vs)
    assert len({k for k, _ in order[:width]}) == width
