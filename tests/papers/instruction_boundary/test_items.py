"""Judging and choice records become items whose truth survives every shuffle."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.papers.instruction_boundary.items import items_of, parse_record
from askew.papers.instruction_boundary.questions import balanced_subset, mentions_others
from askew.sources.loading import text_cluster
from tests.cases import cases


def choice(gold, options=("red", "green", "blue", "grey"), **fields):
    raw = {"id": "c", "question": "Which?", "options": list(options), "gold": list(gold), **fields}
    return items_of([parse_record(raw)])[0]


def judging(label, number, subset="judging"):
    raw = {"id": f"j{number}", "facts": [f"Fact {number}."], "conclusion": "So.", "label": label}
    return items_of([parse_record({**raw, "subset": subset})])[0]


@cases("gold", "form", "truth")
def test_the_form_of_a_choice_question_follows_from_its_targets(gold, form, truth):
    item = choice(gold)
    assert (item.form, item.truth) == (form, truth)
    assert item.sparse == (form != "single")


@given(st.sets(st.integers(0, 3)), st.integers(0, 10**6))
def test_a_shuffle_keeps_the_correct_options_correct(gold, seed):
    item = choice(gold)
    shuffled = item.reordered(seed)
    assert sorted(shuffled.options) == sorted(item.options)
    assert {shuffled.options[i] for i in shuffled.gold} == {item.options[i] for i in item.gold}
    assert shuffled == item.reordered(seed)


@cases("option")
def test_an_option_about_other_options_is_recognised_and_stays_in_its_place(option):
    options = ("one thing", "another thing", "a third thing", option)
    assert mentions_others(options)
    assert choice([3], options).reordered(7).options == options


def test_a_question_is_one_cluster_for_any_case_and_options():
    assert text_cluster("Which  one?") == text_cluster(" which one?")
    assert text_cluster("A text. Which one?") != text_cluster("Which one?")
    first = choice([0], id="x")
    assert first.cluster == choice([1], ("a", "b"), id="y").cluster


def test_conclusions_about_the_same_facts_share_a_cluster():
    raw = {"facts": ["A is b."], "conclusion": "A is b.", "label": "TRUE"}
    same = items_of([parse_record({**raw, "id": "1"}), parse_record({**raw, "id": "2"})])
    assert same[0].cluster == same[1].cluster
    assert same[0].form == "true"


@cases("wrong", "said")
def test_a_record_that_makes_no_sense_is_refused_with_the_reason(wrong, said):
    with pytest.raises(ValueError, match=said):
        parse_record(wrong)


@given(st.integers(1, 40), st.integers(0, 99))
def test_any_number_of_items_is_half_sparse_and_spread_over_forms(n, seed):
    items = [judging(("true", "false", "unknown", "unknown")[i % 4], i) for i in range(40)]
    items += [
        choice(gold, id=f"c{i}{form}", question=f"Which {i} {form}?")
        for i in range(20)
        for form, gold in (("s", [0]), ("n", []), ("m", [0, 1]))
    ]
    kept = balanced_subset(items, n, seed)
    assert len(kept) == n
    families = Counter(item.family for item in kept)
    assert abs(families["judging"] - families["choice"]) <= 1
    sparse = sum(i.sparse for i in kept if i.family == "judging")
    assert abs(2 * sparse - families["judging"]) <= 1
    forms = Counter(i.form for i in kept if i.family == "choice")
    counts = [forms[form] for form in ("single", "none", "multiple")]
    assert max(counts) - min(counts) <= 1
    assert kept == balanced_subset(items, n, seed)
