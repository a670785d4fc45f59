"""The review sheet: what needs a person, what a person's word does, and the file that follows."""

from dataclasses import replace

import pytest

from askew_authoring.binary_qa.build import SheetRow, rows_of
from askew_authoring.building import ReviewError, finish_review, merge_rows, read_sheet, write_sheet
from tests.cases import cases_of

QUESTIONS = cases_of(__file__, "QUESTIONS")
ANSWERS = ("Yes", "Yes", "Yes", "No", "No")


def rows(i=1, accept="", checker=True, **changes):
    """What the builder leaves of one item; `changes` are by form."""
    built = {
        form: {
            "question": text.format(i=i), "expected": answer, "problems": [], "attempts": 1,
            "checker": answer if checker else "", **changes.get(form, {}),
        }
        for (form, text), answer in zip(QUESTIONS.items(), ANSWERS, strict=True)
    }  # fmt: skip
    item = {"item": f"boolq-{i}", "subset": "reading", "kind": "reading", "answer": "Yes"}
    made = rows_of({**item, "passage": f"Ferry {i} sails every day.", "written": built})
    return [replace(row, accept=accept or row.accept) for row in made]


def accepted(i=1, **more):
    return rows(i, accept="yes", **more)


def test_a_word_that_is_no_verdict_is_refused_with_its_place(tmp_path):
    path = tmp_path / "review.csv"
    write_sheet(path, SheetRow, [*rows(1), *rows(2, accept="maybe")])
    with pytest.raises(ReviewError, match=r"record 6 \(boolq-2, original\).*'maybe'"):
        read_sheet(path, SheetRow)


def test_a_person_s_word_survives_a_second_run():
    mended = replace(rows()[1], accept="yes", question="Does ferry 1 go on Sundays?")
    again = merge_rows(rows(1), [mended, *rows(2), *accepted(3)])
    assert (again[1].accept, again[1].question) == ("yes", "Does ferry 1 go on Sundays?")
    assert again[2].accept == ""
    # What is open of a domain that was built anew is gone.
    assert {row.id for row in again} == {"boolq-1", "boolq-3"}


def test_only_items_accepted_whole_are_finished():
    half = [replace(row, accept="yes" if i else "no") for i, row in enumerate(rows(3))]
    result = finish_review([*accepted(1), *rows(2), *half])
    assert [r["id"] for r in result.records] == ["boolq-1"]
    assert (result.pending, result.rejected) == (["boolq-2"], ["boolq-3"])


def test_checks_are_trusted_only_on_demand_and_only_where_they_passed():
    sheet = [
        *rows(1),
        *rows(2, hedged={"problems": ["has no polite or tentative words"]}),
        *rows(3, synonym={"checker": "No"}),
        *rows(4, checker=False),
    ]
    assert finish_review(sheet).records == []
    trusted = finish_review(sheet, trust_checks=True)
    assert [r["id"] for r in trusted.records] == ["boolq-1"]
    assert trusted.pending == ["boolq-2", "boolq-3", "boolq-4"]


def test_an_answer_that_its_numbers_contradict_is_refused():
    wrong = [replace(row, check='{"value": 3, "op": ">", "n": 5}') for row in accepted(1)]
    with pytest.raises(ReviewError, match="contradicts check"):
        finish_review(wrong)
