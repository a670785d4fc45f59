"""Reading FOLIO's records: one shape for both files, and what is unsound in them named."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from askew.papers.instruction_boundary.paper_files import folio_findings, folio_items
from askew.papers.instruction_boundary.questions import BoundaryItem
from tests.cases import cases

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


def read(*lines: str, split: str = "train") -> list[BoundaryItem]:
    return list(folio_items("\n".join(lines), split, "folio"))


def flaws(*lines: str) -> list[tuple[str, str]]:
    return [(flaw.item, flaw.kind) for flaw in folio_findings(read(*lines))]


def test_ids_come_from_the_file_or_else_from_the_line() -> None:
    assert [item.id for item in read(line())] == ["folio-train-70"]
    without = line(example_id=None)
    assert [item.id for item in read("", without, without, split="validation")] == [
        "folio-validation-0002",
        "folio-validation-0003",
    ]


def test_premises_that_hold_nothing_are_left_out() -> None:
    (item,) = read(line(premises=["", *GARDEN, " "]))
    assert item.passage == "\n".join(GARDEN)
    assert item.unit == read(line(premises=GARDEN[::-1]))[0].unit


@pytest.mark.parametrize(
    ("second", "found"),
    [
        (line(example_id=71), [("folio-train-71", "duplicate")]),
        (line(example_id=71, conclusion="the plant by the gate  needs shade"),
         [("folio-train-71", "duplicate")]),
        (line(example_id=71, label="Uncertain"),
         [("folio-train-70", "contradiction"), ("folio-train-71", "contradiction")]),
        (line(example_id=71, conclusion=GARDEN[0].upper()),
         [("folio-train-71", "conclusion given")]),
        (line(example_id=71, conclusion="It is tall."), []),
    ],
)  # fmt: skip
def test_what_is_unsound_is_named(second: str, found: list[tuple[str, str]]) -> None:
    assert flaws(line(), second) == found


def real(split: str) -> list[BoundaryItem]:
    text = (FILES / f"folio-{split}.jsonl").read_text(encoding="utf-8")
    return read(*text.split("\n"), split=split)


@needs_files
@pytest.mark.real_data
@cases("split", "labels", "stories")
def test_the_published_files_are_read_whole(
    split: str, labels: dict[str, int], stories: int
) -> None:
    items = real(split)
    assert Counter(item.form for item in items) == labels
    assert len({item.unit for item in items}) == stories
    assert len({item.id for item in items}) == len(items)


@needs_files
@pytest.mark.real_data
def test_the_published_files_flaws_are_found() -> None:
    found = folio_findings([*real("train"), *real("validation")])
    assert [(f.item, f.kind) for f in found] == [("folio-train-873", "duplicate")]
