"""Binary QA's items: where they come from, what a user's file may hold, what is odd in it."""

import json
from collections import Counter

import pytest

from askew.papers.binary_qa.items import TEMPLATE, TEMPLATE_CSV, chosen, find, load
from askew.papers.binary_qa.paper import FORMS, OPPOSITE, SUBSETS
from askew.papers.binary_qa.rules import WORDINGS
from askew.parameters import SelectionError
from askew.sources.records import RecordsError

RECORD = json.loads(TEMPLATE[0])
COUNTED = json.loads(TEMPLATE[1])


def file_of(tmp_path, *records, name="own.jsonl"):
    path = tmp_path / name
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return str(path)


def test_the_bundled_items_fill_every_domain_and_balance_its_labels():
    items = load("bundled").items
    for subset in SUBSETS:
        answers = Counter(i.answer for i in items if i.subset == subset)
        assert answers["Yes"] == answers["No"] >= 10


def test_the_machine_finds_nothing_odd_in_the_bundled_items():
    assert find(load("bundled").items) == []


def test_every_form_asks_a_wording_and_two_flip_the_answer():
    item = load("bundled", "ethics").items[0]
    assert [f for f in FORMS if item.expected(f) != item.answer] == [
        "contradictory",
        "false_framing",
    ]
    same_text = {f for f in FORMS if item.question(f) == item.original}
    assert same_text == {"original", "swapped_options", "repeat_2", "repeat_3"}
    assert WORDINGS == ("original", "synonym", "hedged", "contradictory", "false_framing")


def test_the_paper_s_set_is_not_there_and_the_error_says_how_to_build_one():
    with pytest.raises(SelectionError, match="askew data build binary_qa"):
        load("paper")


def test_subsets_are_chosen_by_name_and_unknown_ones_refused():
    assert {i.subset for i in load("bundled", "ethics,reading").items} == {"ethics", "reading"}
    with pytest.raises(SelectionError, match="law"):
        load("bundled", "law")


def test_the_templates_are_valid_files(tmp_path):
    jsonl = tmp_path / "t.jsonl"
    jsonl.write_text("\n".join(TEMPLATE), encoding="utf-8")
    table = tmp_path / "t.csv"
    table.write_text("\n".join(TEMPLATE_CSV), encoding="utf-8")
    from_jsonl, from_csv = load(str(jsonl)).items, load(str(table)).items
    assert [i.id for i in from_jsonl] == ["ferry", "stalls"]
    assert from_csv[0].hedged == from_jsonl[0].hedged
    assert [f for f in find(from_jsonl) if f.kind == "form rule"] == []


@pytest.mark.parametrize("n", [10, 20, 50])
def test_a_choice_of_items_balances_domains_and_labels(n):
    counts = Counter((i.subset, i.answer) for i in chosen(load("bundled").items, n, 3))
    assert set(counts.values()) == {n // 10}
    assert len(counts) == 10


@pytest.mark.parametrize("n", [1, 4, 5, 7, 13])
def test_any_number_of_items_spreads_as_far_as_it_goes(n):
    items = chosen(load("bundled").items, n, 0)
    by_domain = Counter(i.subset for i in items)
    assert len(items) == len({i.id for i in items}) == n
    assert len(by_domain) == min(n, 5)
    assert max(by_domain.values()) - min(by_domain.values()) <= 1


def test_the_choice_follows_the_seed_and_none_takes_all():
    items = load("bundled").items
    ids = [[i.id for i in chosen(items, 20, seed)] for seed in (1, 1, 2)]
    assert ids[0] == ids[1] != ids[2]
    assert len(chosen(items, None, 0)) == len(items)
    with pytest.raises(ValueError, match="items=0: give a whole number of at least 1"):
        chosen(items, 0, 0)


def test_a_user_s_domains_carry_their_own_names(tmp_path):
    records = [RECORD | {"id": f"r{i}", "subset": s} for i, s in enumerate(("law", "tax", "law"))]
    path = file_of(tmp_path, *records)
    assert [i.subset for i in load(path).items] == ["law", "tax", "law"]
    assert len(load(path, "law").items) == 2


def test_questions_over_one_passage_share_a_unit_and_others_do_not(tmp_path):
    other = RECORD | {"id": "other", "passage": "The ferry is green."}
    path = file_of(tmp_path, RECORD, RECORD | {"id": "again"}, other)
    first, again, apart = load(path).items
    assert first.unit == again.unit != apart.unit == "other"


def test_a_form_that_a_file_leaves_out_is_noted(tmp_path):
    bare = {k: RECORD[k] for k in ("id", "passage", "answer", "original")}
    items = load(file_of(tmp_path, bare)).items
    assert items[0].question("hedged") == ""
    assert items[0].question("repeat_3") == RECORD["original"]
    missing = [f.message for f in find(items) if f.kind == "form missing"]
    assert len(missing) == 4


@pytest.mark.parametrize("answer", ["yes", "YES", " Yes "])
def test_labels_may_be_written_in_any_case(tmp_path, answer):
    record = RECORD | {"answer": answer, "original": "Is it so?"}
    assert load(file_of(tmp_path, record)).items[0].answer == "Yes"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"answer": "true"}, "answer"),
        ({"answer": 1}, "answer"),
        ({"original": ""}, "original"),
        ({"orignal": "x"}, "orignal"),
        ({"check": {"value": 27, "op": ">", "n": 30}}, "contradicts check"),
        ({"check": {"value": 27, "op": "over", "n": 30}}, "op"),
        ({"passage": 3}, "passage"),
    ],
)
def test_a_wrong_record_is_refused_with_its_line_and_field(tmp_path, change, says):
    path = file_of(tmp_path, RECORD, COUNTED | change)
    with pytest.raises(RecordsError, match=says) as caught:
        load(path)
    assert "line 2" in str(caught.value)


def test_repeated_ids_are_refused(tmp_path):
    with pytest.raises(RecordsError, match="ferry"):
        load(file_of(tmp_path, RECORD, RECORD))


def test_a_broken_rewrite_and_unbalanced_labels_are_found(tmp_path):
    record = RECORD | {"synonym": RECORD["original"], "hedged": "The ferry sails on Sundays?"}
    found = {(f.kind, f.message) for f in find(load(file_of(tmp_path, record)).items)}
    assert ("form rule", "synonym: says the same words as the original") in found
    assert ("form rule", "hedged: has no polite or tentative words") in found
    assert ("labels not balanced", "0 Yes and 1 No") in found


def test_the_opposite_is_its_own_inverse():
    assert {OPPOSITE[OPPOSITE[a]] for a in OPPOSITE} == {"Yes", "No"}
