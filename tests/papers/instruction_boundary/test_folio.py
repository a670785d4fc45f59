"""Reading FOLIO's records: one shape for both files, and what is wrong with them named."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from askew.papers.instruction_boundary.paper_files import (
    FolioRecord,
    find_flaws,
    read_folio,
)
from tests.cases import cases

SHARED = Path(__file__).resolve().parents[3].parent / "shared"
FILES = SHARED / "data" / "instruction_boundary"
needs_files = pytest.mark.skipif(
    not (FILES / "folio-train.jsonl").exists(), reason="FOLIO's files are not beside the project"
)

GARDEN = ["All ferns need shade.", "The plant by the gate is a fern."]


def line(**changes: object) -> str:
    record: dict[str, object] = {
        "story_id": 7,
        "example_id": 70,
        "premises": GARDEN,
        "premises-FOL": ["f1", "f2"],
        "conclusion": "The plant by the gate needs shade.",
        "label": "True",
    }
    record.update(changes)
    return json.dumps({key: value for key, value in record.items() if value is not None})


def flaws(*lines: str, split: str = "train") -> list[tuple[str, tuple[str, ...]]]:
    return [(flaw.kind, flaw.ids) for flaw in find_flaws(read_folio(lines, split))]


def one(text: str) -> FolioRecord:
    (record,) = read_folio([text], "train")
    return record


def test_ids_come_from_the_file_or_else_from_the_line() -> None:
    assert one(line()).id == "folio-train-70"
    without = line(example_id=None, story_id=None)
    assert [r.id for r in read_folio(["", without, without], "validation")] == [
        "folio-validation-0002",
        "folio-validation-0003",
    ]


@pytest.mark.parametrize(
    ("second", "kind"),
    [
        (line(example_id=71), "duplicate"),
        (line(example_id=71, conclusion="the plant by the gate  needs shade"), "duplicate"),
        (line(example_id=71, label="Uncertain"), "contradiction"),
        (line(example_id=71, story_id=8, conclusion="It is tall."), "split_story"),
        (line(example_id=71, premises=["Moss is green."], **{"premises-FOL": ["m"]}),
         "shared_story_id"),
    ],
)  # fmt: skip
def test_what_two_records_do_to_each_other_is_named(second: str, kind: str) -> None:
    assert flaws(line(), second) == [(kind, ("folio-train-70", "folio-train-71"))]


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"premises": ["", *GARDEN]}, "empty_premise"),
        ({"premises-FOL": ["f1"]}, "formula_count"),
        ({"conclusion": GARDEN[0].upper()}, "conclusion_given"),
    ],
)
def test_what_is_wrong_with_one_record_is_named(changes: dict[str, object], kind: str) -> None:
    assert flaws(line(**changes)) == [(kind, ("folio-train-70",))]


def real(split: str) -> list[FolioRecord]:
    text = (FILES / f"folio-{split}.jsonl").read_text(encoding="utf-8")
    return read_folio(text.split("\n"), split)


@needs_files
@pytest.mark.real_data
@cases("split", "labels", "stories")
def test_the_published_files_are_read_whole(
    split: str, labels: dict[str, int], stories: int
) -> None:
    records = real(split)
    assert Counter(record.label for record in records) == labels
    assert len({record.story for record in records}) == stories
    assert len({record.id for record in records}) == len(records)


@needs_files
@pytest.mark.real_data
def test_the_published_files_flaws_are_found() -> None:
    found = find_flaws([*real("train"), *real("validation")])
    assert Counter(flaw.kind for flaw in found) == {
        "duplicate": 1,
        "empty_premise": 4,
        "formula_count": 10,
    }
    assert [flaw.ids for flaw in found if flaw.kind == "duplicate"] == [
        ("folio-train-872", "folio-train-873")
    ]
