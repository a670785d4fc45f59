"""Rows of a CSV file become records, whatever their cells hold, or it is said which can't."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from askew.sources.records import RecordsError, read_records
from tests.cases import cases_of
from tests.repeated import times


class Question(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: str = ""
    text: str = Field(min_length=1)
    options: list[str] = Field(default=[], max_length=4)
    weight: float | None = None


def as_is(raw: dict[str, Any]) -> dict[str, Any]:
    return raw


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "mine.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def problems(path: Path, parse: Any = Question.model_validate) -> list[str]:
    with pytest.raises(RecordsError) as caught:
        read_records(path, parse)
    assert str(path) in str(caught.value)
    return [str(problem) for problem in caught.value.problems]


def test_cells_become_what_the_record_wants(tmp_path: Path) -> None:
    table = 'id, text ,options,weight\n1,"Why, ""now""?","[""a"", ""b""]",0.5\n,How?,,\n'
    assert read_records(write(tmp_path, table), Question.model_validate) == [
        Question(id="1", text='Why, "now"?', options=["a", "b"], weight=0.5),
        Question(text="How?"),
    ]


def test_a_csv_problem_names_the_line_where_its_record_begins(tmp_path: Path) -> None:
    table = 'text,weight\n"one\n\nfine",1\n\n"two\r\nheavy",much\nthree,\n"","3"\n'
    found = problems(write(tmp_path, table))
    assert [text.partition(":")[0] for text in found] == [
        "line 6, field weight",
        "line 9, field text",
    ]
    assert found[1] == "line 9, field text: the cell is empty (fill it)"


def test_missing_and_unknown_columns_are_told_once(tmp_path: Path) -> None:
    path = write(tmp_path, "\nid,txet\n" + "1,Why?\n" * 3000)
    assert problems(path) == [
        "line 2, field text: no such column (add it to the header)",
        "line 2, field txet: a column that is not known (rename or remove it)",
    ]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        *cases_of(__file__, "A_BROKEN_TABLE_IS_SAID"),
        (b'text,id\n"a\nb\xff",c\n', "line 3: byte 2 of the line (0xff) is not UTF-8"),
    ],
)
def test_a_broken_table_is_said(tmp_path: Path, table: str | bytes, said: str) -> None:
    [found] = problems(write(tmp_path, table), as_is)
    assert found.startswith(said)


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


@settings(max_examples=times(40), deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0).map(str), CELLS, CELLS), min_size=1),
    end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_csv_that_was_written_is_read_back(
    folder: Path, rows: list[tuple[str, str, str]], end: str, mark: str
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([("id", "text", "note"), *rows])
    found = read_records(write(folder, mark + text.getvalue()), as_is)
    assert [tuple(record.values()) for record in found] == rows
