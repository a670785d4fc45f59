"""Judging and choice records become items whose truth survives every shuffle."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.papers.instruction_boundary.items import TEMPLATE, items_of, parse_record
from askew.papers.instruction_boundary.questions import (
    BoundaryItem,
    balanced,
    mentions_others,
    numbers,
    question_unit,
)


def choice(gold, options=("red", "green", "blue", "grey"), **fields):
    raw = {"id": "c", "question": "Which?", "options": list(options), "gold": list(gold), **fields}
    return items_of([parse_record(raw)])[0]


def judging(label, number, subset="judging"):
    raw = {"id": f"j{number}", "facts": [f"Fact {number}."], "conclusion": "So.", "label": label}
    return items_of([parse_record({**raw, "subset": subset})])[0]


@pytest.mark.parametrize(
    ("gold", "form", "truth"),
    [([], "none", "none"), ([1], "single", "2"), (["blue", "red"], "multiple", "1,3")],
)
def test_the_form_of_a_choice_question_follows_from_its_right_options(gold, form, truth):
    item = choice(gold)
    assert (item.form, item.truth) == (form, truth)
    assert item.sparse == (form != "single")


@given(st.sets(st.integers(0, 3)), st.integers(0, 10**6))
def test_a_shuffle_keeps_the_right_options_right(gold, seed):
    item = choice(gold)
    shuffled = item.reordered(seed)
    assert sorted(shuffled.options) == sorted(item.options)
    assert {shuffled.options[i] for i in shuffled.gold} == {item.options[i] for i in item.gold}
    assert shuffled == item.reordered(seed)


def test_a_shuffle_depends_on_the_seed():
    assert len({choice([0]).reordered(seed).options for seed in range(30)}) > 10


@pytest.mark.parametrize(
    "option",
    ["All of the above", "none of the above", "Both A and B are correct", "Neither of these",
     "all the above.", "Any of the above", "A and C only", "All of these options."],
)  # fmt: skip
def test_an_option_about_other_options_is_recognised_and_stays_in_its_place(option):
    options = ("one thing", "another thing", "a third thing", option)
    assert mentions_others(options)
    assert choice([3], options).reordered(7).options == options


@pytest.mark.parametrize(
    "option",
    ["none", "all day long", "more than in any other country", "the answer to a riddle",
     "Both sides lost the war", "laws about some religions, but not all of them", "a and b"],
)  # fmt: skip
def test_ordinary_words_are_not_taken_for_talk_of_other_options(option):
    assert mentions_others([option]) == (option == "a and b")


def test_one_question_is_one_unit_whatever_its_case_and_options():
    assert question_unit("", "Which  one?") == question_unit("", "which one?")
    assert question_unit("A text.", "Which one?") != question_unit("", "Which one?")
    first = choice([0], id="x")
    assert first.unit == choice([1], ("a", "b"), id="y").unit


def test_conclusions_about_the_same_facts_share_a_unit():
    raw = {"facts": ["A is b."], "conclusion": "A is b.", "label": "TRUE"}
    same = items_of([parse_record({**raw, "id": "1"}), parse_record({**raw, "id": "2"})])
    assert same[0].unit == same[1].unit
    assert same[0].form == "true"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"question": "?", "options": ["a", "b"], "gold": [2]}, "no index"),
        ({"question": "?", "options": ["a", "b"], "gold": ["c"]}, "is no option"),
        ({"question": "?", "options": ["a", "a"], "gold": ["a"]}, "twice"),
        ({"question": "?", "options": ["a", "b"], "gold": [0], "form": "none"}, "does not fit"),
        ({"question": "?", "options": ["a"], "gold": [0]}, "at least 2"),
        ({"facts": [], "conclusion": "c", "label": "maybe"}, "label"),
        ({"facts": ["a"], "conclusion": "c", "label": "true", "hint": "h"}, "hint"),
        ({"text": "x"}, "fit no record"),
    ],
)
def test_a_record_that_makes_no_sense_is_refused_with_the_reason(wrong, said):
    with pytest.raises(ValueError, match=said):
        parse_record(wrong)


def test_ids_may_not_repeat():
    record = parse_record({"id": "x", "question": "?", "options": ["a", "b"], "gold": [0]})
    with pytest.raises(ValueError, match="x"):
        items_of([record, record])


def test_the_template_shows_records_of_both_families_and_all_forms():
    import json

    items = items_of([parse_record(json.loads(line)) for line in TEMPLATE])
    assert {i.family for i in items} == {"judging", "choice"}
    assert {i.form for i in items} >= {"true", "unknown", "single", "none", "multiple"}


@given(st.integers(1, 40), st.integers(0, 99))
def test_any_number_of_items_is_half_sparse_and_spread_over_forms(n, seed):
    items = [judging(("true", "false", "unknown", "unknown")[i % 4], i) for i in range(40)]
    items += [
        choice(gold, id=f"c{i}{form}", question=f"Which {i} {form}?")
        for i in range(20)
        for form, gold in (("s", [0]), ("n", []), ("m", [0, 1]))
    ]
    kept = balanced(items, n, seed)
    assert len(kept) == n
    families = Counter(item.family for item in kept)
    assert abs(families["judging"] - families["choice"]) <= 1
    sparse = sum(i.sparse for i in kept if i.family == "judging")
    assert abs(2 * sparse - families["judging"]) <= 1
    forms = Counter(i.form for i in kept if i.family == "choice")
    counts = [forms[form] for form in ("single", "none", "multiple")]
    assert max(counts) - min(counts) <= 1
    assert kept == balanced(items, n, seed)


def test_asking_for_no_item_is_refused():
    with pytest.raises(ValueError, match="items=0: give a whole number of at least 1"):
        balanced([judging("true", 1)], 0, 0)


def test_canonical_numbers_ascend_and_nothing_is_none():
    assert numbers([2, 0]) == "1,3"
    assert numbers([]) == "none"
    assert isinstance(judging("true", 1), BoundaryItem)
