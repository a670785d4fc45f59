"""Logs that unpack to more than they can hold: refused before the memory or the hours are spent."""

import json
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.analysis import read_observations
from askew.logs import unpacking
from askew.logs.unpacking import JsonText
from askew.report.study import Study
from tests.cli.broken_logs import packed, parts_of
from tests.logs.made_logs import a_log, a_sample, killed, written

JSON_NAME = "2026-03-01T12-00-00+00-00_knowno_x.json"
SUMMARY = b'{"id":%d,"epoch":1,"input":"","target":""},'


def why(path):
    """Why a log is not read."""
    [reason] = Study.read(path, quiet=True).excluded["why"]
    return reason


@pytest.fixture
def log(tmp_path):
    return written(a_log([a_sample("good")]), tmp_path, "log.eval")


def with_parts(log, **parts):
    named = {name.replace("__", "/") + ".json": content for name, content in parts.items()}
    log.write_bytes(packed({**parts_of(log), **named}))
    return log


def journal(log, parts, content):
    """A killed run's log, with so many more parts of its journal."""
    whole = parts_of(killed(log))
    more = {f"_journal/summaries/{n}.json": content for n in range(2, parts + 2)}
    log.write_bytes(packed({**whole, **more}))
    return log


def test_parts_are_weighed_together(log):
    each = b"[" + SUMMARY % 1 + b" " * 4_000_000 + SUMMARY[:-1] % 2 + b"]"
    assert "would unpack from too few bytes: 1" in why(journal(log, 12, each))


@pytest.mark.whole
def test_more_samples_than_so_many_bytes_can_tell_are_not_read_to_the_end(log, monkeypatch):
    many = b"[" + SUMMARY * 30_000 % tuple(range(30_000)) + SUMMARY[:-1] % 30_000 + b"]"
    monkeypatch.setattr(unpacking, "_LEAST_PACKED", 64)
    assert "it holds more than 2" in why(with_parts(log, summaries=many))


def test_a_summary_that_is_none_ends_the_reading(log):
    assert "ReadSummary" in why(with_parts(log, summaries=b"[" + b"[]," * 500_000 + b"[]]"))


@pytest.mark.whole
def test_a_summary_has_a_size(log):
    great = b'[{"id":' + b"[]," * 900_000 + b"]"
    assert "longer than 1,048,576 characters" in why(
        with_parts(log, summaries=great.replace(b":[]", b":[[]"))
    )


def test_a_header_of_millions_of_values_is_not_made_into_objects(log, monkeypatch):
    monkeypatch.setattr(unpacking, "_MOST_VALUES", 100_000)
    great = b'{"eval":[' + b"[]," * 100_000 + b"[]]}"
    assert "more than 100,000 values" in why(with_parts(log, header=great))


def lying(log, part, told):
    """The log with a part that tells less than it unpacks to, and the checksum of so much."""
    whole = parts_of(log)
    truth = whole[part] + b" " * 2_000_000
    content = bytearray(packed({**whole, part: truth}))
    at = content.rfind(part.encode()) - 46
    struct.pack_into("<I", content, at + 16, zlib.crc32(truth[:told]))
    struct.pack_into("<I", content, at + 24, told)
    log.write_bytes(bytes(content))
    return log


@pytest.mark.parametrize("part", ["header.json", "summaries.json"])
def test_a_part_gives_no_more_than_it_tells(log, part, monkeypatch):
    """With a checksum to match: the lie is then the whole part, and what is behind is not read."""
    told = len(parts_of(log)[part])
    longest = []
    whole = unpacking.joined
    monkeypatch.setattr(
        unpacking, "joined",
        lambda steps: (longest.append(len(c)) or c for c in whole(steps)),
    )  # fmt: skip
    assert list(read_observations(lying(log, part, told), quiet=True)["item"]) == ["good"]
    assert max(longest) <= max(len(p) for p in parts_of(log).values())


def test_parts_that_lie_upon_each_other_are_weighed_once(log):
    """A directory may name one stretch of bytes a thousand times."""
    whole = packed({**parts_of(log), "_journal/summaries/9.json": b" " * 1_000_000})
    end = whole.rfind(b"PK\x05\x06")
    (start,) = struct.unpack_from("<I", whole, end + 16)
    entry = whole[whole.rfind(b"PK\x01\x02", 0, end) : end]
    names = (b"summaries/%03d.js" % n for n in range(1000))
    directory = whole[start:end] + b"".join(entry.replace(b"summaries/9.json", n) for n in names)
    tail = bytearray(whole[end:])
    count = struct.unpack_from("<H", tail, 10)[0] + 1000
    struct.pack_into("<HHII", tail, 8, count, count, len(directory), start)
    log.write_bytes(whole[:start] + directory + bytes(tail))
    assert "would unpack from too few bytes" in why(log)


def json_log(tmp_path, change):
    path = written(a_log([a_sample("good")]), tmp_path, JSON_NAME)
    path.write_bytes(change(json.loads(path.read_text(encoding="utf-8"))))
    return path


def test_a_deep_json_log_is_named(tmp_path):
    deep = "[" * 200_000 + "]" * 200_000
    path = json_log(tmp_path, lambda log: (json.dumps(log)[:-1] + f', "x": {deep}}}').encode())
    assert "recursion" in why(path).lower()


def test_a_json_log_of_millions_of_values_is_not_made_into_objects(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "_MOST_VALUES", 100_000)
    path = json_log(
        tmp_path, lambda log: (json.dumps(log)[:-1] + ', "x": [' + "[]," * 400_000).encode()
    )
    assert "more than 100,000 values" in why(path)


def test_a_json_log_of_more_samples_than_it_can_tell_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_SAMPLES", 30)
    path = json_log(
        tmp_path, lambda log: json.dumps({**log, "samples": log["samples"] * 31}).encode()
    )
    assert "more than 30 samples" in why(path)


def test_a_json_log_with_its_fields_in_any_order_is_read(tmp_path):
    path = json_log(tmp_path, lambda log: json.dumps(dict(reversed(log.items()))).encode())
    assert list(read_observations(path, quiet=True)["item"]) == ["good"]


@pytest.mark.whole
@given(
    st.lists(
        st.recursive(
            st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        )
    ),
    st.integers(1, 40),
    st.booleans(),
)
def test_json_in_chunks_of_any_size_is_what_it_is_as_a_whole(values, size, ascii_only):
    text = json.dumps(values, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    if not ascii_only and "surrogate" in repr(values):
        return
    chunks = (text[i : i + size] for i in range(0, len(text), size))
    assert list(JsonText(chunks).whole("values", 10**6)) == values


@pytest.mark.parametrize(
    "text", ["", "[", "[1", "[1,", "[1,]", "[1]]", "{}", "[1 2]", '["', "[tru]"]
)
def test_what_is_no_list_in_json_is_an_error(text):
    with pytest.raises(ValueError):  # noqa: PT011
        list(JsonText(iter([text.encode()])).whole("values", 100))
