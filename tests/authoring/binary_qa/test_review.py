"""The review sheet: what needs a person, what a person's word does, and the file that follows."""

import csv
import json

import pytest

from askew.papers.binary_qa.items import load
from askew_authoring.binary_qa.review import (
    ReviewError,
    SheetRow,
    finished,
    merged,
    read_sheet,
    rows_of,
    write_items,
    write_sheet,
)
from askew_authoring.binary_qa.rules import WORDINGS

QUESTIONS = {
    "original": "Does ferry {i} sail on Sundays?",
    "synonym": "Does ferry {i} run on Sundays?",
    "hedged": "Would you say that ferry {i} sails on Sundays?",
    "contradictory": "Does ferry {i} stay in port on Sundays?",
    "false_framing": "Is it false that ferry {i} sails on Sundays?",
}
ANSWERS = ("Yes", "Yes", "Yes", "No", "No")


def built(i=1, checker=True, **changes):
    """What the builder leaves of one item; `changes` are by form."""
    return {
        form: {
            "question": text.format(i=i),
            "expected": answer,
            "problems": [],
            "attempts": 0 if form == "original" else 1,
            "checker": answer if checker else "",
            **changes.get(form, {}),
        }
        for (form, text), answer in zip(QUESTIONS.items(), ANSWERS, strict=True)
    }


def item(i=1, **more):
    return {
        "item": f"boolq-{i}",
        "subset": "reading",
        "kind": "reading",
        "answer": "Yes",
        "passage": f"Ferry {i} sails every day.",
        **more,
    }


def rows(i=1, accept="", **changes):
    made = list(rows_of(item(i), built(i, **changes)))
    return [SheetRow(**{**vars(r), "accept": accept or r.accept}) for r in made]


def accepted(i=1, **more):
    return rows(i, accept="yes", **more)


def test_an_item_has_five_rows_and_only_rewrites_wait_for_a_person():
    found = list(rows_of(item(), built()))
    assert [r.form for r in found] == list(WORDINGS)
    assert [r.verdict for r in found] == [True, None, None, None, None]


def test_a_source_question_that_the_second_model_answers_otherwise_waits_too():
    changed = built(original={"checker": "No"})
    assert next(rows_of(item(), changed)).verdict is None


def test_a_converted_question_waits_even_where_all_agree():
    numerical = item(value=31, op=">", n=30)
    first = next(rows_of(numerical, built()))
    assert first.verdict is None
    assert json.loads(first.check) == {"value": 31, "op": ">", "n": 30}


def test_a_sheet_comes_back_as_it_was_written(tmp_path):
    hostile = rows(1, synonym={"question": '=HYPERLINK("x")', "problems": ["a, b", 'c "d"']})
    multiline = [SheetRow(**{**vars(r), "passage": "One\nTwo"}) for r in rows(2)]
    path = tmp_path / "review.csv"
    write_sheet(path, [*hostile, *multiline])
    assert read_sheet(path) == [*hostile, *multiline]
    with path.open(encoding="utf-8", newline="") as lines:
        cells = [cell for row in csv.reader(lines) for cell in row]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)


@pytest.mark.parametrize(
    ("word", "verdict"), [("yes", True), (" Y ", True), ("NO", False), ("0", False), ("", None)]
)
def test_a_verdict_may_be_written_in_several_ways(word, verdict):
    assert rows(accept=word)[1].verdict is verdict


def test_a_word_that_is_no_verdict_is_refused_with_its_place(tmp_path):
    path = tmp_path / "review.csv"
    write_sheet(path, [*rows(1), *rows(2, accept="maybe")])
    with pytest.raises(ReviewError, match=r"record 6 \(boolq-2, original\).*'maybe'"):
        read_sheet(path)


def test_another_table_is_refused(tmp_path):
    path = tmp_path / "review.csv"
    path.write_text("id,question\n1,Is it?\n", encoding="utf-8")
    with pytest.raises(ReviewError, match="no column subset"):
        read_sheet(path)


def test_a_person_s_word_survives_a_second_run():
    mended = SheetRow(
        **{**vars(rows()[1]), "accept": "yes", "question": "Does ferry 1 go on Sundays?"}
    )
    again = merged(rows(1), [mended])
    assert (again[1].accept, again[1].question) == ("yes", "Does ferry 1 go on Sundays?")
    assert again[2].accept == ""


def test_a_word_about_another_label_does_not_survive():
    turned = SheetRow(**{**vars(rows()[1]), "accept": "yes", "answer": "No"})
    assert merged(rows(1), [turned])[1].accept == ""


def test_domains_that_were_not_built_anew_stay_on_the_sheet():
    other = [SheetRow(**{**vars(r), "id": "mqm-1", "subset": "translation"}) for r in rows(9)]
    assert merged(rows(1), other)[5:] == other


def test_items_of_an_earlier_choice_stay_only_where_they_were_decided():
    kept = {r.id for r in merged(rows(1), [*rows(2), *accepted(3)])}
    assert kept == {"boolq-1", "boolq-3"}


def test_only_items_accepted_whole_are_finished():
    half = [SheetRow(**{**vars(r), "accept": "yes" if i else "no"}) for i, r in enumerate(rows(3))]
    result = finished([*accepted(1), *rows(2), *half])
    assert [r["id"] for r in result.records] == ["boolq-1"]
    assert (result.pending, result.rejected) == (["boolq-2"], ["boolq-3"])


def test_an_item_with_a_lost_row_is_pending():
    assert finished(accepted(1)[:4]).pending == ["boolq-1"]


def test_checks_are_trusted_only_on_demand_and_only_where_they_passed():
    sheet = [
        *rows(1),
        *rows(2, hedged={"problems": ["has no polite or tentative words"]}),
        *rows(3, synonym={"checker": "No"}),
        *rows(4, checker=False),
    ]
    assert finished(sheet).records == []
    trusted = finished(sheet, trust_checks=True)
    assert [r["id"] for r in trusted.records] == ["boolq-1"]
    assert trusted.pending == ["boolq-2", "boolq-3", "boolq-4"]


def test_a_person_may_accept_what_a_rule_dislikes_and_hears_of_it():
    result = finished(accepted(1, hedged={"question": "Does ferry 1 sail on any Sunday?"}))
    assert len(result.records) == 1
    assert result.remarks == ["boolq-1, hedged: has no polite or tentative words"]


def test_spares_are_left_out_and_short_cells_are_named():
    result = finished([*accepted(1), *accepted(2), *accepted(3)], items=4)
    assert [r["id"] for r in result.records] == ["boolq-1", "boolq-2"]
    assert result.surplus == ["boolq-3"]
    assert result.remarks == ["reading, reading, No: 0 of 2 items"]


def test_the_file_is_one_that_the_task_takes(tmp_path):
    path = tmp_path / "set.jsonl"
    write_items(path, finished([*accepted(1), *accepted(2)]).records)
    first, second = load(str(path)).items
    assert (first.id, first.answer, first.hedged) == (
        "boolq-1",
        "Yes",
        "Would you say that ferry 1 sails on Sundays?",
    )
    assert second.passage == "Ferry 2 sails every day."


def test_an_answer_that_its_numbers_contradict_is_refused():
    wrong = [
        SheetRow(**{**vars(r), "check": '{"value": 3, "op": ">", "n": 5}'}) for r in accepted(1)
    ]
    with pytest.raises(ReviewError, match="contradicts check"):
        finished(wrong)


def test_the_columns_begin_with_what_a_person_looks_for():
    assert tuple(SheetRow.__dataclass_fields__)[:8] == (
        "id",
        "subset",
        "kind",
        "form",
        "answer",
        "original",
        "question",
        "accept",
    )
