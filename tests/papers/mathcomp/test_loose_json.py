"""Objects as models write them: where they stand, what is in them, and which of it answers."""

import pytest

from askew.papers.mathcomp.loose_json import answer_values, objects_in, reasons_of
from tests.cases import cases

ANSWERS = (
    *("answer", "final_answer", "result", "comparison", "conclusion", "response", "option"),
    *("choice", "label", "output", "value", "verdict", "final"),
)
REASONS = ("reasoning", "explanation", "reason", "rationale", "thought", "analysis", "steps")


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_found_under_any_usual_key(name):
    spoken = name.replace("_", " ").title()
    for key in (name, spoken, f" {name.upper()} ", spoken.replace(" ", "-")):
        assert answer_values({"note": "less", key: "about 10"}) == ["about 10"]
    assert answer_values({"note": "less", f"{name}s": "about 10"}) == ["less"]


@pytest.mark.parametrize("name", ANSWERS)
def test_an_amount_next_to_an_option_is_no_answer_under_amount_keys(name):
    is_amounts = name in ("value", "output", "result")
    for amount in ("10", "1,000.5", 10):
        given = ["less"] if is_amounts else [amount]
        assert answer_values({name: amount, "kind": "less"}) == given
    # Another field that answers comes before it.
    later = {"final": "more or so", "kind": "less"} | {name: "10"}
    assert answer_values(later) == (["more or so"] if is_amounts else ["10"])
    # Of two options none is the one beside it, and what has a unit is more than an amount.
    assert answer_values({name: "10", "kind": "less", "other": "more"}) == ["10"]
    assert answer_values({name: "10 km", "kind": "less"}) == ["10 km"]
    assert answer_values({name: "10"}) == ["10"]


@cases("record", "values")
def test_what_an_object_answers_goes_from_a_field_of_its_own_to_any_option(record, values):
    assert answer_values(record) == values


def test_an_option_in_a_field_may_have_its_reason_behind_it():
    told = "less because Sam pays for one meal and Alex for two"
    assert answer_values({"note": told}) == [told]
    assert answer_values({"note": "less is what both of them would like to pay"}) == []
    # Nor is it looked for in hundreds of objects within each other.
    (deep,) = objects_in('{"a": ' * 900 + '"more"' + "}" * 900)
    assert answer_values(deep.value) == []


@pytest.mark.parametrize("name", REASONS)
def test_reasons_are_found_under_any_usual_key(name):
    assert reasons_of({name: "20 < 60"}) == "20 < 60"
    assert reasons_of({f" {name.title()}": "20 < 60", "note": "x"}) == "20 < 60"
    assert reasons_of({name: ["20 < 60"], f"{name}_two": "x"}) == ""


@cases("text", "values")
def test_objects_are_read_as_models_write_them(text, values):
    assert [found.value for found in objects_in(text)] == values


@cases("text", "places")
def test_an_object_after_a_bracket_or_another_object_is_in_a_list(text, places):
    assert [[text[f.start : f.end], f.in_list] for f in objects_in(text)] == places
