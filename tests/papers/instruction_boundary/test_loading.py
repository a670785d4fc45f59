"""Instruction Boundary's items: bundled, published (real files where they are) and the user's."""

import json
from collections import Counter

import pytest

from askew.papers.instruction_boundary.items import load, oddities, shot_items
from askew.papers.instruction_boundary.paper import FAMILIES, PAPER
from askew.sources.loading import templates
from askew_authoring.instruction_boundary.lint import verify


def forms(items, subset):
    return Counter(item.form for item in items if item.subset == subset)


def test_the_bundled_set_has_halves_thirds_and_questions_with_ten_options():
    everything = load("bundled").items
    for tier, size, least_of_ten in (("core", 4, 30), ("hard", 6, 20)):
        items = [item for item in everything if item.tier == tier]
        logic = forms(items, "logic")
        assert logic["unknown"] == logic["true"] + logic["false"] == 60
        choice = forms(items, "choice")
        assert set(choice) == set(FAMILIES["choice"].forms)
        assert len(set(choice.values())) == 1
        assert min(choice.values()) >= 36
        assert {len(item.options) for item in items if item.subset == "choice"} == {size}
        several = {len(i.gold) for i in items if (i.subset, i.form) == ("choice", "multiple")}
        assert several == set(range(2, size + 1))
        ten = [item for item in items if item.subset == "ten"]
        assert len(ten) >= least_of_ten
        assert {len(item.options) for item in ten} == {10}


def test_the_examples_are_three_of_each_form_and_never_items():
    shots = [item for item in shot_items(0) if item.family == "choice"]
    assert Counter(shot.form for shot in shots) == dict.fromkeys(FAMILIES["choice"].forms, 3)
    asked = {item.question for item in load("bundled").items}
    assert asked.isdisjoint(shot.question for shot in shots)


def test_unsound_items_of_a_users_file_are_left_out_unless_all_are_wanted(tmp_path):
    options = ["one", "two", "three", "all of the above"]
    record = {"id": "odd", "question": "Which?", "options": options, "gold": [0]}
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join([*templates(PAPER.home)[0], json.dumps(record)]), encoding="utf-8")
    assert "odd" not in {item.id for item in load(str(path)).items}
    assert "odd" in {item.id for item in load(str(path), strict_items=False).items}
    assert ("odd", True) in {(f.item, f.excluded) for f in verify(str(path))}


@pytest.mark.whole
@pytest.mark.real_data
def test_the_450_are_thirds_and_folio_is_halves(published):
    items = load("paper").items
    assert forms(items, "mcq_450") == {"single": 147, "none": 150, "multiple": 150}
    folio = forms(items, "folio")
    assert folio["unknown"] == folio["true"] + folio["false"] == 399
    assert forms(load("paper", strict_items=False).items, "mcq_450")["single"] == 150


@pytest.mark.real_data
def test_the_2700_have_one_layout(published):
    items = load("paper", "mcq_2700", strict_items=False).items
    assert forms(items, "mcq_2700") == {"single": 900, "none": 900, "multiple": 900}
    assert len({item.id for item in items}) == 2700
    assert not any(option[:3] in ("0. ", "1. ") for item in items for option in item.options)
    assert not any("Sent 1:" in item.passage for item in items)
    assert {bool(i.passage) for i in items if i.form == "multiple"} == {True}
    shuffled = Counter(i.reordered(0).gold[0] for i in items if i.source == "truthfulqa")
    assert max(shuffled.values()) < 110, "as published, the right one is always the first"


def test_questions_of_the_2700_with_a_flaw_are_excluded(published):
    found = {f.item: f.kind for f in oddities(load("paper", "mcq_2700", strict_items=False).items)
             if f.excluded}  # fmt: skip
    assert Counter(found.values()) == {
        "option about options": 14, "same option twice": 6, "right option still offered": 4,
    }  # fmt: skip
    assert len(load("paper", "mcq_2700").items) == 2700 - len(found) == 2676
