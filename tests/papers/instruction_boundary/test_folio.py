"""Reading FOLIO's records: one shape for both files, and what is wrong with them named."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.papers.instruction_boundary.paper_files import (
    FolioRecord,
    find_flaws,
    read_folio,
)
from askew.sources.records import RecordsError

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


@pytest.mark.parametrize(
    ("printed", "label"),
    [("True", "true"), ("False", "false"), ("Unknown", "unknown"), ("Uncertain", "unknown")],
)
def test_both_names_of_the_third_label_become_one(printed: str, label: str) -> None:
    assert one(line(label=printed)).label == label


def test_ids_come_from_the_file_or_else_from_the_line() -> None:
    assert one(line()).id == "folio-train-70"
    without = line(example_id=None, story_id=None)
    assert [r.id for r in read_folio(["", without, without], "validation")] == [
        "folio-validation-0002",
        "folio-validation-0003",
    ]


def test_texts_are_single_spaced_and_empty_premises_left_out() -> None:
    record = one(line(premises=["", GARDEN[0], "The plant by\n the gate  is a fern. "]))
    assert list(record.premises) == GARDEN
    assert record.empty_premises == 1


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


def test_a_repeated_id_is_named_and_ids_stay_distinct() -> None:
    again = line(conclusion="The plant by the gate is tall.")
    assert flaws(line(), again) == [("repeated_id", ("folio-train-70", "folio-train-70-line-2"))]


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


def test_stories_are_compared_across_files_but_their_ids_are_not() -> None:
    train = read_folio([line()], "train")
    validation = read_folio([line(example_id=None, story_id=None)], "validation")
    (flaw,) = find_flaws([*train, *validation])
    assert (flaw.kind, flaw.ids) == ("duplicate", ("folio-train-70", "folio-validation-0001"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 2: Invalid JSON"),
        ("[" * 100_000, "line 2: Invalid JSON"),
        ('"a"', "line 2: Input should be an object"),
        (line(label="Maybe"), "field 'label' is 'Maybe'; known: true, false, unknown, uncertain"),
        (line(label=None), "field 'label': Field required"),
        (line(premises="one text"), "field 'premises': Input should be a valid array"),
        (line(premises=[" "]), "field 'premises' holds no text"),
        (line(conclusion=" "), "field 'conclusion' holds no text"),
        (line(example_id="x"), "field 'example_id': Input should be a valid integer"),
        (line(**{"premises-FOL": [1]}), "field 'premises-FOL.0': Input should be a valid string"),
    ],
)
def test_a_malformed_line_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(RecordsError) as refusal:
        read_folio([line(), text], "train")
    assert "FOLIO train, line 2" in str(refusal.value)
    assert message in str(refusal.value)


texts = st.text("aT. \n", max_size=4)
json_values = (
    st.none()
    | st.booleans()
    | st.integers()
    | texts
    | st.lists(texts | st.none(), max_size=3)
    | st.dictionaries(texts, texts, max_size=2)
)


@given(
    st.dictionaries(
        st.sampled_from(["premises", "conclusion", "label", "example_id", "premises-FOL"]),
        json_values | st.just("True") | st.just(GARDEN),
    )
)
def test_any_object_is_read_or_refused(fields: dict[str, object]) -> None:
    try:
        (record,) = read_folio([json.dumps(fields)], "train")
    except RecordsError:
        return
    assert record.label in ("true", "false", "unknown")
    assert record.premises


def real(split: str) -> list[FolioRecord]:
    text = (FILES / f"folio-{split}.jsonl").read_text(encoding="utf-8")
    return read_folio(text.split("\n"), split)


@needs_files
@pytest.mark.real_data
@pytest.mark.parametrize(
    ("split", "labels", "stories"),
    [
        ("train", {"true": 388, "false": 286, "unknown": 330}, 340),
        ("validation", {"true": 72, "false": 63, "unknown": 69}, 73),
    ],
)
def test_the_published_files_are_read_whole(
    split: str, labels: dict[str, int], stories: int
) -> None:
    records = real(split)
    assert Counter(record.label for record in records) == labels
    assert len({record.story for record in records}) == stories
    assert len({record.id for record in records}) == len(records)


@needs_files
@pytest.mark.real_data
def test_the_published_files_share_no_story() -> None:
    train, validation = ({record.story for record in real(s)} for s in ("train", "validation"))
    assert not train & validation


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
