"""A user's file becomes validated records, or one error that says all that is wrong in it."""

import csv
import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, field_validator

from askew.sources.records import RecordsError, read_records
from tests.cases import cases_of
from tests.repeated import times


class Question(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: str = ""
    text: str = Field(min_length=1)
    options: list[str] = Field(default=[], max_length=4)
    weight: float | None = None

    @field_validator("text")
    @classmethod
    def _asks(cls, text: str) -> str:
        if text.startswith("!"):
            raise ValueError("a question, not an order")
        return text


def as_is(raw: dict[str, Any]) -> dict[str, Any]:
    return raw


def write(folder: Path, content: str | bytes, suffix: str = ".jsonl") -> Path:
    path = folder / f"mine{suffix}"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def problems(path: Path, parse: Any = Question.model_validate, **more: Any) -> list[str]:
    with pytest.raises(RecordsError) as caught:
        read_records(path, parse, **more)
    assert str(path) in str(caught.value)
    return [str(problem) for problem in caught.value.problems]


# JSONL


@pytest.mark.parametrize("suffix", [".jsonl", ".ndjson", ".json-lines", ".JSONL"])
def test_each_line_is_a_record(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path, '{"text": "Why?"}\n{"text": "How?", "options": ["a"]}', suffix)
    found = read_records(str(path), Question.model_validate)
    assert found == [Question(text="Why?"), Question(text="How?", options=["a"])]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\n \n\n"])
def test_marks_line_ends_and_blank_lines_do_not_matter(
    tmp_path: Path, mark: bytes, end: bytes
) -> None:
    path = write(tmp_path, mark + end.join([b'{"a": "\xc3\xa9\xe2\x80\xa8"}', b'{"a": "b"}', b""]))
    assert read_records(path, as_is) == [{"a": "é\u2028"}, {"a": "b"}]


def test_all_problems_are_reported_at_once_with_line_field_and_advice(tmp_path: Path) -> None:
    found = problems(write(tmp_path, cases_of(__file__, "WRONG")))
    assert found[0] == "line 3, field text: missing (add it)"
    assert found[1] == "line 3, field options.1: Input should be a valid string (found 5)"
    assert found[2].startswith("line 4: not valid JSON: ")
    assert found[2].endswith("(write the record as one JSON object on one line)")
    assert found[3] == "line 5, field wieght: a field that is not known (rename or remove it)"
    assert found[4] == "line 6, field text: a question, not an order (found '!Go')"
    assert found[5].startswith("line 6, field weight: Input should be a valid number")
    assert len(found) == 6


DEEP = ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "recursion limit")
NO_RECORDS = [*cases_of(__file__, "NO_RECORDS"), DEEP]


@pytest.mark.parametrize(("line", "said"), NO_RECORDS, ids=lambda value: value[:20])
def test_a_line_that_is_no_record_is_reported(tmp_path: Path, line: str, said: str) -> None:
    path = write(tmp_path, '{"a": 0}\n' + line + '\n{"a": 3}\n')
    [found] = problems(path, as_is)
    assert found.startswith("line 2: ")
    assert said in found


# Any file


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordsError, match="does not exist"):
        read_records(tmp_path / "none.csv", as_is)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(RecordsError, match="is not a file"):
        read_records(tmp_path / "folder.csv", as_is)


def test_every_byte_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    latin = '{"text": "Wer?"}\n{"text": "Où?"}\n\n{"text": "Où?"}\n'.encode("latin-1")
    assert problems(write(tmp_path, latin)) == [
        "line 2: byte 12 of the line (0xf9) is not UTF-8 (save the file as UTF-8)",
        "line 4: byte 12 of the line (0xf9) is not UTF-8 (save the file as UTF-8)",
    ]


def test_repeated_ids_name_both_lines(tmp_path: Path) -> None:
    path = write(tmp_path, '{"id": "q1"}\n{"id": 7}\n{}\n{"id": " q1 "}\n{}\n{"id": "7"}\n')
    assert problems(path, as_is, unique="id") == [
        "line 4, field id: 'q1' is that of line 1 too (give each its own)",
        "line 6, field id: '7' is that of line 2 too (give each its own)",
    ]
    assert len(read_records(path, as_is)) == 6


def test_ids_that_are_equal_in_samples_are_reported_with_both_lines(tmp_path: Path) -> None:
    path = write(tmp_path, '{"id": "a b"}\n{"id": "é"}\n{"id": "a-b"}\n{"id": "è"}\n')
    fix = "(tell them apart by letters a to z, digits, . _ or -)"
    assert problems(path, as_is, unique="id") == [
        f"line 3, field id: 'a-b' and 'a b' (line 1) are both 'a-b' in samples {fix}",
        f"line 4, field id: 'è' and 'é' (line 2) are both 'x' in samples {fix}",
    ]


# Both ways

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=10,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


@pytest.mark.whole
@settings(max_examples=times(25), deadline=None)
@given(
    records=st.lists(st.dictionaries(TEXTS, VALUES, max_size=4), min_size=1), ascii=st.booleans()
)
def test_jsonl_that_was_written_is_read_back(
    folder: Path, records: list[dict[str, Any]], ascii: bool
) -> None:
    content = "\n".join(json.dumps(record, ensure_ascii=ascii) for record in records)
    assert read_records(write(folder, content), as_is) == records


@settings(max_examples=times(30), deadline=None)
@given(content=st.binary(max_size=200), suffix=st.sampled_from([".jsonl", ".csv"]))
def test_any_bytes_are_records_or_a_records_error(
    folder: Path, content: bytes, suffix: str
) -> None:
    with suppress(RecordsError):
        assert read_records(write(folder, content, suffix), as_is) != []


# CSV


def test_cells_become_what_the_record_wants(tmp_path: Path) -> None:
    table = 'id, text ,options,weight\n1,"Why, ""now""?","[""a"", ""b""]",0.5\n,How?,,\n'
    assert read_records(write(tmp_path, table, ".csv"), Question.model_validate) == [
        Question(id="1", text='Why, "now"?', options=["a", "b"], weight=0.5),
        Question(text="How?"),
    ]


def test_a_csv_problem_names_the_line_where_its_record_begins(tmp_path: Path) -> None:
    table = 'text,weight\n"one\n\nfine",1\n\n"two\r\nheavy",much\nthree,\n"","3"\n'
    found = problems(write(tmp_path, table, ".csv"))
    places = [text.partition(":")[0] for text in found]
    assert places == ["line 6, field weight", "line 9, field text"]
    assert found[1] == "line 9, field text: the cell is empty (fill it)"


def test_missing_and_unknown_columns_are_reported_once(tmp_path: Path) -> None:
    path = write(tmp_path, "\nid,txet\n" + "1,Why?\n" * 3000, ".csv")
    assert problems(path) == [
        "line 2, field text: no such column (add it to the header)",
        "line 2, field txet: a column that is not known (rename or remove it)",
    ]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        *cases_of(__file__, "A_BROKEN_TABLE_IS_REPORTED"),
        (b'text,id\n"a\nb\xff",c\n', "line 3: byte 2 of the line (0xff) is not UTF-8"),
    ],
)
def test_a_broken_table_is_reported(tmp_path: Path, table: str | bytes, said: str) -> None:
    [found] = problems(write(tmp_path, table, ".csv"), as_is)
    assert found.startswith(said)


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)


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
    found = read_records(write(folder, mark + text.getvalue(), ".csv"), as_is)
    assert [tuple(record.values()) for record in found] == rows
