"""The published JSON files are read record by record, normalised."""

import json
from collections import Counter
from pathlib import Path

import pytest

from askew.papers.instruction_boundary.items import (
    choice_items,
    folio_findings,
    folio_items,
    judging_items,
)
from askew.papers.instruction_boundary.questions import BoundaryItem
from askew.sources.records import RecordsError
from tests.cases import cases, cases_of

LARGE = cases_of(__file__, "LARGE")
PASSAGE = cases_of(__file__, "PASSAGE")
SMALL = cases_of(__file__, "SMALL")
NONE = cases_of(__file__, "NONE")


def read(*records):
    return list(choice_items(json.dumps(records), "mcq"))


def test_numbers_of_options_and_sentences_go_and_the_option_taken_out_is_kept():
    numbered, sailed, rowed, none = read(LARGE, PASSAGE, SMALL, NONE)
    assert (numbered.options, numbered.truth) == (("rafts", "stones"), "1")
    assert numbered.published.numbered
    assert sailed.passage == "Mina sailed. So did Ola."
    assert (rowed.passage, rowed.question) == ("Mina rowed.", "Who rowed?")
    assert (none.form, none.missing_gold) == ("none", "lead")


@cases("label", "form")
def test_judging_labels_are_read_in_either_spelling(label, form):
    record = {"Facts": "Ola sails.", "Conclusion": "Ola sails.", "proof_label": label}
    (item,) = judging_items(json.dumps([record]), "judging_questions")
    assert (item.family, item.form, item.passage) == ("judging", form, "Ola sails.")


def test_a_judging_record_without_its_parts_is_refused():
    with pytest.raises(RecordsError, match=r"judging-0001: .*label.*found: Facts"):
        judging_items('[{"Facts": "Ola sails."}]', "judging_questions")


# --- FOLIO ---


SHARED = Path(__file__).resolve().parents[3].parent / "shared"
FILES = SHARED / "data" / "instruction_boundary"
needs_files = pytest.mark.skipif(
    not (FILES / "folio-train.jsonl").exists(), reason="FOLIO's files are not beside the project"
)

GARDEN = ["All ferns need shade.", "The plant by the gate is a fern."]


def line(**changes: object) -> str:
    record: dict[str, object] = {
        "example_id": 70, "premises": GARDEN, "conclusion": "The plant by the gate needs shade.",
        "label": "True",
    }  # fmt: skip
    record.update(changes)
    return json.dumps({key: value for key, value in record.items() if value is not None})


def read_folio(*lines: str, split: str = "train") -> list[BoundaryItem]:
    return list(folio_items("\n".join(lines), split, "folio"))


def test_ids_come_from_the_file_or_else_from_the_line() -> None:
    assert [item.id for item in read_folio(line())] == ["folio-train-70"]
    without = line(example_id=None)
    found = read_folio("", without, without, split="validation")
    assert [item.id for item in found] == ["folio-validation-0002", "folio-validation-0003"]
    # Empty premises are left out.
    (item,) = read_folio(line(premises=["", *GARDEN, " "]))
    assert item.passage == "\n".join(GARDEN)
    assert item.cluster == read_folio(line(premises=GARDEN[::-1]))[0].cluster


@cases("change", "flaws")
def test_what_is_unsound_is_named(change: dict[str, str], flaws: dict[int, str]) -> None:
    found = folio_findings(read_folio(line(), line(example_id=71, **change)))
    assert {(f.item, f.kind) for f in found} == {(f"folio-train-{n}", k) for n, k in flaws.items()}


def real(split: str) -> list[BoundaryItem]:
    text = (FILES / f"folio-{split}.jsonl").read_text(encoding="utf-8")
    return read_folio(*text.split("\n"), split=split)


@needs_files
@pytest.mark.real_data
@cases("split", "labels", "stories")
def test_the_published_files_are_read_whole(
    split: str, labels: dict[str, int], stories: int
) -> None:
    items = real(split)
    assert Counter(item.form for item in items) == labels
    assert len({item.cluster for item in items}) == stories
    assert len({item.id for item in items}) == len(items)


@needs_files
@pytest.mark.real_data
def test_the_published_files_flaws_are_found() -> None:
    found = folio_findings([*real("train"), *real("validation")])
    assert [(f.item, f.kind) for f in found] == [("folio-train-873", "duplicate")]
