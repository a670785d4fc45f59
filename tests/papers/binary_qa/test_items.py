"""Binary QA's items: where they come from, what a user's file may hold, what is odd in it."""

import json
from collections import Counter

import pytest
from pydantic import ValidationError

from askew.papers.binary_qa.items import (
    OPERATORS,
    TEMPLATE,
    TEMPLATE_CSV,
    BinaryItem,
    BinaryRecord,
    Comparison,
    chosen,
    load,
    spelled,
)
from askew.papers.binary_qa.paper import FORMS, OPPOSITE, SUBSETS
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


def test_every_form_asks_a_wording_and_two_flip_the_answer():
    item = load("bundled", "ethics").items[0]
    assert [f for f in FORMS if item.expected(f) != item.answer] == [
        "contradictory",
        "false_framing",
    ]
    same_text = {f for f in FORMS if item.question(f) == item.original}
    assert same_text == {"original", "swapped_options", "repeat_2", "repeat_3"}


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


def test_a_form_that_a_file_leaves_out_is_empty(tmp_path):
    bare = {k: RECORD[k] for k in ("id", "passage", "answer", "original")}
    items = load(file_of(tmp_path, bare)).items
    assert items[0].question("hedged") == ""
    assert items[0].question("repeat_3") == RECORD["original"]


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


def test_the_opposite_is_its_own_inverse():
    assert {OPPOSITE[OPPOSITE[a]] for a in OPPOSITE} == {"Yes", "No"}


OPERATIONS = {
    ">": (False, False, True), ">=": (False, True, True), "<": (True, False, False),
    "<=": (True, True, False), "==": (False, True, False), "!=": (True, False, True),
}  # fmt: skip


def test_what_a_record_leaves_out_is_empty():
    record = BinaryRecord(answer="Yes", original="Is it?")
    assert record.model_dump() == {
        "id": "", "subset": "own", "tier": "", "kind": "", "passage": "", "answer": "Yes",
        "original": "Is it?", "synonym": "", "hedged": "", "contradictory": "",
        "false_framing": "", "check": None,
    }  # fmt: skip


def test_a_record_is_trimmed_and_holds_nothing_unknown():
    assert BinaryRecord(answer="No", original=" Is it? ", passage=" x\n").passage == "x"
    for wrong in ({"note": "x"}, {"original": " "}, {"subset": ""}, {"answer": "maybe"}):
        with pytest.raises(ValidationError):
            BinaryRecord(**({"answer": "Yes", "original": "Is it?"} | wrong))
    with pytest.raises(ValidationError):
        Comparison(value=1, op=">", n=0, note="x")
    with pytest.raises(ValidationError):
        Comparison(value=1, op="=>", n=0)


@pytest.mark.parametrize("written", ["yes", "YES", " Yes ", "yEs\n"])
def test_yes_is_spelled_in_any_case_and_what_is_no_text_stays(written):
    assert spelled(written) == "Yes"
    assert BinaryRecord(answer=written, original="Is it?").answer == "Yes"
    assert spelled(3) == 3


@pytest.mark.parametrize(("op", "holds"), [*OPERATIONS.items()])
def test_an_answer_is_what_its_numbers_say(op, holds):
    for value, so in zip((13, 14, 15), holds, strict=True):
        check = {"value": value, "op": op, "n": 14}
        assert Comparison(**check).holds is so
        answer, other = ("Yes", "No") if so else ("No", "Yes")
        assert BinaryRecord(answer=answer, original="Is it?", check=check).check.holds is so
        with pytest.raises(ValidationError, match=f"answer {other} contradicts check \\({value} "):
            BinaryRecord(answer=other, original="Is it?", check=check)
    assert set(OPERATORS) == set(OPERATIONS)


def test_an_item_asks_each_wording_and_expects_its_answer():
    forms = ("original", "synonym", "hedged", "contradictory", "false_framing")
    words = {form: f"{form}?" for form in forms}
    item = BinaryItem(unit="u", answer="Yes", **words)
    assert {form: item.question(form) for form in forms} == words
    assert [item.expected(form) for form in forms] == ["Yes", "Yes", "Yes", "No", "No"]
