"""What a log's file holds, read as a stream and within a budget that the file's own size sets.

A log's word is free: kilobytes may unpack to gigabytes, a directory may tell any length, a few
bytes of JSON make an object of hundreds. Budgets count bytes, values and samples, never seconds: a
busy machine reads what an idle one does.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BytesIO
from pathlib import PurePosixPath
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import fsspec

# Whatever its size, a log may unpack to this; beyond it to so many times its size, and never to
# more. Summaries of a simulated model, which says the same again and again, shrink to a hundredth.
_UNSUSPECTED = 16 * 1024**2
_MOST_SHRUNK = 200
_LARGEST = 4 * 1024**3
# Also a sample that says what others say has an id of its own, of sixteen bytes by chance.
_FEW_SAMPLES = 20_000
_LEAST_PACKED = 8
MOST_SAMPLES = 1_000_000
# A summary's texts are cut to a thousand characters each; a full sample holds a whole dialogue.
_LARGEST_SUMMARY = 1024**2
_LARGEST_VALUE = 256 * 1024**2
# A value of JSON takes about a hundred bytes of memory.
_MOST_VALUES = 4_000_000
# Read in small steps: what a few packed kilobytes unpack to is in memory at once.
_STEP = 4096
CHUNK = 64 * _STEP
# What so many bytes of Zstandard unpack to comes as a whole: four kilobytes may be 130 MB.
_STEP_WHOLE = 256
# Stored, deflated, Zstandard: what Inspect writes, or wrote. Others may ask for any memory.
_PACKINGS = (ZIP_STORED, ZIP_DEFLATED, 93)
_JOURNAL = re.compile(r"_journal/summaries/(\d{1,9})\.json")
_CONFIG = "_journal/config_updates/"
# A word or number that a chunk's end may have cut is shorter, but for what nobody writes.
_NEAR = 400
_BEHIND = frozenset(" \t\n\r,:]}")
_BLANK = re.compile(r"[ \t\n\r]*")


def opened(location: str, block: int | None = None) -> IO[bytes]:
    """A log's bytes, here or in an object store, as they are now.

    Args:
        location: where it is.
        block: so many bytes are fetched from a store at once; default as many as its client likes.
    """
    if "://" not in location:
        if os.path.exists(location) and not os.path.isfile(location):
            raise ValueError("it is not a file")
        return open(location, "rb")
    fresh = {"skip_instance_cache": False, "use_listings_cache": False}
    found = fsspec.open(location, "rb", **fresh)
    return found.fs.open(found.path, "rb", block_size=block)  # type: ignore[no-any-return]


class Archive:
    """A zipped log. Its directory may lie: no part gives more bytes than it says there."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = ZipFile(file)
        self._size = file.seek(0, os.SEEK_END)
        self._parts = {part.filename: part for part in self._zip.infolist()}
        for name, part in self._parts.items():
            if name.startswith("/") or ".." in PurePosixPath(name).parts:
                raise ValueError(f"a part's name leads out of the log: {name[:80]!r}")
            if part.compress_type not in _PACKINGS:
                raise ValueError(f"Unsupported compression method {part.compress_type}")
        self._check([p for n, p in self._parts.items() if not n.startswith("samples/")], _LARGEST)

    def _check(self, parts: list[ZipInfo], most: float) -> None:
        """Raise where parts would unpack to more than a file of this size may."""
        # Parts may lie upon each other.
        packed = min(sum(part.compress_size for part in parts), self._size)
        unpacked = sum(part.file_size for part in parts)
        if unpacked > min(_UNSUSPECTED + _MOST_SHRUNK * packed, most):
            largest = max(parts, key=lambda part: part.file_size).filename
            raise ValueError(
                f"{largest} would unpack from too few bytes: {len(parts)} parts from {packed:,} to "
                f"{unpacked:,}"
            )

    def header(self) -> IO[bytes]:
        """The log without its samples, as a log of its own."""
        names = ["header.json"]
        if names[0] not in self._parts:
            updates = [name for name in self._parts if name.startswith(_CONFIG)]
            names = ["_journal/start.json", *updates]
        file = BytesIO()
        with ZipFile(file, "w", ZIP_STORED) as archive:
            for name in names:
                content = b"".join(self._chunks(name))
                _check_values(content.count(b",") + content.count(b"[") + content.count(b"{"))
                archive.writestr(name, content)
        file.seek(0)
        return file

    def summaries(self) -> Iterator[Any]:
        """Every summary as JSON; of a run that was cut off, from its journal, in its order."""
        if "summaries.json" in self._parts:
            names = ["summaries.json"]
        else:
            found = [(int(m[1]), n) for n in self._parts if (m := _JOURNAL.fullmatch(n))]
            names = [name for _, name in sorted(found)]
        packed = min(sum(self._parts[name].compress_size for name in names), self._size)
        each = (
            summary
            for name in names
            for summary in JsonText(self._chunks(name)).whole("summaries", _LARGEST_SUMMARY)
        )
        return counted(each, packed)

    def samples(self) -> Iterator[Any]:
        """Every full sample as JSON."""
        for name in self.sample_parts():
            yield JsonText(self._chunks(name)).value(_LARGEST_VALUE)

    def sample_parts(self) -> Mapping[str, int]:
        """The parts that are samples, weighed together: of each the bytes that it says it holds."""
        parts = [p for n, p in self._parts.items() if n.startswith("samples/")]
        self._check(parts, float("inf"))
        return {part.filename: part.file_size for part in parts}

    def text(self, name: str, most: int) -> JsonText:
        """A part that is JSON, of no more than so many values."""
        return JsonText(self._chunks(name), most)

    def _chunks(self, name: str) -> Iterator[bytes]:
        """A part's bytes to its end: there its checksum is compared."""
        part = self._zip.getinfo(name)
        with self._zip.open(part) as content:
            step = _STEP if part.compress_type in (ZIP_STORED, ZIP_DEFLATED) else _STEP_WHOLE
            content.MIN_READ_SIZE = step  # type: ignore[attr-defined]
            read: Callable[[], bytes] = lambda: content.read(step)  # noqa: E731
            yield from joined(iter(read, b""))


def joined(steps: Iterator[bytes]) -> Iterator[bytes]:
    """Small steps as larger chunks."""
    chunk = bytearray()
    for step in steps:
        chunk += step
        if len(chunk) >= CHUNK:
            yield bytes(chunk)
            chunk.clear()
    if chunk:
        yield bytes(chunk)


def counted(samples: Iterable[Any], packed: int) -> Iterator[Any]:
    """Samples, up to as many as so many bytes can tell."""
    most = min(_FEW_SAMPLES + packed // _LEAST_PACKED, MOST_SAMPLES)
    for number, sample in enumerate(samples, start=1):
        if number > most:
            raise ValueError(f"it holds more than {most:,} samples in {packed:,} bytes")
        yield sample


def _check_values(many: int, most: int = 0) -> None:
    most = most or _MOST_VALUES
    if many > most:
        raise ValueError(f"a part of it holds more than {most:,} values")


class JsonText:
    """JSON that comes in chunks: arrays and objects part by part, never as a whole."""

    def __init__(self, chunks: Iterator[bytes], most: int = 0) -> None:
        self._chunks = chunks
        self._most = most or _MOST_VALUES
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._scan = json.JSONDecoder().raw_decode
        self._text, self._at = "", 0
        self._ended = False

    def _more(self) -> bool:
        """Take another chunk; whether there was one."""
        if self._ended:
            return False
        chunk = next(self._chunks, None)
        self._ended = chunk is None
        self._text = self._text[self._at :] + self._decoder.decode(chunk or b"", self._ended)
        self._at = 0
        return not self._ended

    def next(self) -> str:
        """The next sign that is not blank, and stays; empty at the end."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, signs: str, what: str) -> str:
        """Pass over the next sign, which must be one of `signs`."""
        found = self.next()
        if not found or found not in signs:
            raise ValueError(f"it is no {what}: {found!r} stands where {signs!r} should")
        self._at += 1
        return found

    def value(self, largest: int) -> Any:
        """The next value, which is of no more than so many characters."""
        self.next()
        while True:
            there = len(self._text) - self._at
            if there > self._most:
                signs = (self._text.count(sign, self._at) for sign in ",[{")
                _check_values(sum(signs), self._most)
            near = len(self._text) - _NEAR
            try:
                found, end = self._scan(self._text, self._at)
            except json.JSONDecodeError as error:
                # What is cut off here may go on in the next chunk.
                cut = error.msg.startswith("Unterminated") or error.pos >= near
                if self._ended or not cut:
                    raise
            else:
                if self._ended or end < near or self._text[end : end + 1] in _BEHIND:
                    self._at = end
                    return found
            if there > largest:
                raise ValueError(f"a part of it is longer than {largest:,} characters")
            # Twice as much before the next try: all tries together are linear.
            while self._more() and len(self._text) < 2 * there:
                pass

    def array(self, what: str, largest: int) -> Iterator[Any]:
        """The values of an array."""
        self.take("[", what)
        if self.next() == "]":
            self._at += 1
            return
        while True:
            yield self.value(largest)
            if self.take(",]", what) == "]":
                return

    def whole(self, what: str, largest: int) -> Iterator[Any]:
        """The values of an array with nothing behind it."""
        yield from self.array(f"list of {what}", largest)
        self.end()

    def end(self) -> None:
        """Raise where there is more."""
        if self.next():
            raise ValueError("something stands behind its end")

    def pass_over(self) -> None:
        """Take what is left unread: at its end a part's checksum is compared."""
        for _ in self._chunks:
            pass

    def fields(
        self, what: str, apart: str, largest: int = _LARGEST_VALUE
    ) -> Iterator[tuple[str, Any]]:
        """The fields of an object with nothing behind it; of `apart`, an iterator over its values.

        That has to be used up before the next field is asked for. None is of more than `largest`
        characters.
        """
        self.take("{", what)
        if self.next() == "}":
            self._at += 1
        else:
            while True:
                name = str(self.value(_LARGEST_SUMMARY))
                self.take(":", what)
                if name == apart and self.next() == "[":
                    yield name, self.array(what, largest)
                else:
                    yield name, self.value(largest)
                if self.take(",}", what) == "}":
                    break
        self.end()
