"""Instruction Boundary's items: bundled, published (real files where they are) and the user's."""

import json
from collections import Counter

import pytest

from askew.papers.instruction_boundary.items import (
    TEMPLATE,
    TEMPLATE_CSV,
    load,
    logic_items,
    shot_items,
)
from askew.papers.instruction_boundary.logic import LogicShape
from askew.papers.instruction_boundary.paper import FAMILIES, PAPER, SETTINGS
from askew.parameters import SelectionError
from askew.sources.pinned import SourceError
from askew.sources.records import RecordsError
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


def test_the_bundled_set_has_nothing_odd():
    assert verify("bundled") == []


def test_every_bundled_choice_question_has_its_polished_rewrite():
    assert all(item.polished for item in load("bundled", "choice,ten").items)


@pytest.mark.whole
def test_the_unit_of_a_bundled_choice_question_is_the_question_and_of_a_theory_its_group():
    choice = load("bundled", "choice").items
    # Three hard triples have no passage, and one question for all their numbers.
    repeated = Counter(Counter(item.unit for item in choice).values())
    assert repeated[1] >= len(choice) - 9
    logic = load("bundled", "logic").items
    assert Counter(Counter(item.unit for item in logic).values()) == {1: 240}
    grouped = load("bundled", "logic", logic=LogicShape.in_tiers(per_group=4)).items
    assert Counter(Counter(item.unit for item in grouped).values()) == {4: 60}


def test_logic_items_are_as_many_and_as_deep_as_asked():
    shape = LogicShape(items=8, depth=(3, 3), distractors=(1, 1), negation=0.0)
    loaded = load("bundled", "logic", logic=[shape], seed=5)
    assert len(loaded.items) == 8
    assert loaded.items == logic_items(shape, 5)
    assert loaded.items != logic_items(shape, 6)


def test_the_revision_does_not_depend_on_what_is_asked():
    assert load("bundled", "choice").revision == load("bundled", "ten").revision


def test_the_examples_are_three_of_each_form_and_never_asked():
    shots = [item for item in shot_items(0) if item.family == "choice"]
    assert Counter(shot.form for shot in shots) == dict.fromkeys(FAMILIES["choice"].forms, 3)
    asked = {item.question for item in load("bundled").items}
    assert asked.isdisjoint(shot.question for shot in shots)


def test_an_unknown_subset_is_refused_with_those_there_are():
    with pytest.raises(SelectionError, match="logic, choice, ten"):
        load("bundled", "folio")
    with pytest.raises(SelectionError, match="mcq_450"):
        load("paper", "logic")


def test_the_templates_load_as_files(tmp_path):
    for suffix, lines in ((".jsonl", TEMPLATE), (".csv", TEMPLATE_CSV)):
        path = tmp_path / f"mine{suffix}"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        loaded = load(str(path))
        assert loaded.origin == "file"
        assert len(loaded.items) == len(lines) - (suffix == ".csv")


def test_a_users_file_is_split_by_family_and_its_mistakes_are_named(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(TEMPLATE), encoding="utf-8")
    assert {item.subset for item in load(str(path)).items} == {"judging", "choice"}
    broken = {**json.loads(TEMPLATE[2]), "gold": ["Paris"]}
    path.write_text(json.dumps(broken), encoding="utf-8")
    with pytest.raises(RecordsError, match="line 1"):
        load(str(path))


def test_a_file_that_is_not_there_is_said_to_be_missing():
    with pytest.raises(SelectionError, match="no such file"):
        load("nowhere.jsonl")


def test_unsound_items_of_a_users_file_are_left_out_unless_all_are_wanted(tmp_path):
    options = ["one", "two", "three", "all of the above"]
    record = {"id": "odd", "question": "Which?", "options": options, "gold": [0]}
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join([*TEMPLATE, json.dumps(record)]), encoding="utf-8")
    assert "odd" not in {item.id for item in load(str(path)).items}
    assert "odd" in {item.id for item in load(str(path), strict_items=False).items}
    assert ("odd", True) in {(f.item, f.excluded) for f in verify(str(path))}


def test_the_paper_declares_eight_settings_in_three_groups():
    assert tuple(PAPER.factor("setting").values) == tuple(SETTINGS)
    groups = Counter(setting.group for setting in SETTINGS.values())
    assert groups == {"sufficient": 2, "redundant": 3, "insufficient": 3}


@pytest.fixture
def published(shared_data, monkeypatch):
    """The published files in place of the network."""
    if not (shared_data / "instruction_boundary").is_dir():
        pytest.skip("the paper's real files are not beside the project")
    monkeypatch.setenv("ASKEW_MIRROR", str(shared_data))


@pytest.mark.whole
@pytest.mark.real_data
def test_the_450_are_thirds_and_folio_is_halves(published):
    items = load("paper").items
    assert forms(items, "mcq_450") == {"single": 147, "none": 150, "multiple": 150}
    folio = forms(items, "folio")
    assert folio["unknown"] == folio["true"] + folio["false"] == 399
    assert forms(load("paper", strict_items=False).items, "mcq_450")["single"] == 150


@pytest.mark.whole
@pytest.mark.real_data
def test_folios_tense_half_depends_on_the_seed_alone(published):
    first, again, other = (
        {item.id for item in load("paper", "folio", seed=seed).items} for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other


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


@pytest.mark.whole
@pytest.mark.real_data
def test_what_is_odd_in_the_published_files_is_listed_with_ids(published):
    found = Counter(f.kind for f in verify("paper", "mcq_450"))
    assert found["repeat"] == 77
    assert found["repeated id"] > 50
    assert found["option about options"] == 3
    assert found["right option not recorded"] == 1
    large = verify("paper", "mcq_2700")
    out = {f.item for f in large if f.excluded}
    kept = load("paper", "mcq_2700").items
    assert len(kept) == 2700 - len(out)
    assert out.isdisjoint(item.id for item in kept)
    still = [f for f in large if f.kind == "right option still offered"]
    assert len(still) == 4
    assert any(f.item == "truthfulqa" and "300 of 300" in f.message for f in large)


@pytest.mark.real_data
def test_items_that_ask_the_same_share_a_unit(published):
    items = {item.id: item for item in load("paper", "mcq_450", strict_items=False).items}
    repeats = [f for f in verify("paper", "mcq_450") if f.kind == "repeat"]
    assert repeats
    for finding in repeats:
        first = finding.message.split()[4].rstrip(":")
        assert items[finding.item].unit == items[first].unit


def test_the_judging_file_is_asked_for_by_its_pin_only(monkeypatch, tmp_path):
    (tmp_path / "Judging Questions.json").write_text("[]", encoding="utf-8")
    monkeypatch.setenv("ASKEW_MIRROR", str(tmp_path))
    with pytest.raises(SourceError, match="not the pinned file"):
        load("paper", "judging_questions")
