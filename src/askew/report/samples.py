"""What some samples of a log hold, wherever it lies: one at a time, and within a budget."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from askew.logs.attempts import id_of
from askew.logs.unpacking import CHUNK, Archive, JsonText, opened
from askew.untrusted import whole_characters

Asking = tuple[str, int]
"""A sample's id and its epoch."""
Fields = Mapping[str, Any]
"""Some fields of a sample, as the log has them."""
# A field is a whole dialogue: of this many characters, more than any model can read.
LARGEST_FIELD = 8 * 1024**2
# In JSON a sample comes as a whole, with its events.
_LARGEST_SAMPLE = 32 * 1024**2
# A value takes about a hundred bytes of memory; commas in texts count as values.
_MOST_VALUES = 1_000_000
# What stands first is read of longer parts too, but not all that follows only for its checksum.
_LONGEST_CHECKED = 32 * 1024**2
# Of what a store sends at once, samples that are far apart need little.
_BLOCK = 256 * 1024
# How a sample says that a long or repeated text stands among its attachments.
_APART = "attachment://"
_PART = re.compile(r"samples/(.*)_epoch_(\d{1,9})\.json", re.DOTALL)


def samples_of(
    log: str, wanted: Collection[Asking], fields: Collection[str]
) -> Iterator[tuple[Asking, Fields | Exception]]:
    """Some fields of some samples of a log, or why one can't be read; those not in it are left out.

    Args:
        log: where it is, as a table names it.
        wanted: which samples.
        fields: which fields; attachments come with messages that refer to them.
    """
    with opened(place_of(log), _BLOCK) as file:
        if log.endswith(".json"):
            yield from _in_json(file, {*wanted})
            return
        archive = Archive(file)
        told = archive.sample_parts()
        names = _names(told)
        for asking in dict.fromkeys(wanted):
            if name := names.get(asking):
                yield asking, _read(archive, name, told[name], fields)


def _names(parts: Iterable[str]) -> dict[Asking, str]:
    """Each sample's part, by what tables call the sample."""
    found = ((_PART.fullmatch(name), name) for name in parts)
    return {(_shown_id(of[1]), int(of[2])): name for of, name in found if of}


def _shown_id(sample_id: object) -> str:
    return whole_characters(id_of(sample_id))


def _read(archive: Archive, name: str, length: int, fields: Collection[str]) -> Fields | Exception:
    text = archive.text(name, _MOST_VALUES)
    try:
        found = _first(text, fields)
        if length <= _LONGEST_CHECKED:
            text.pass_over()
    except Exception as error:  # a damaged part can fail anywhere in its reader
        return error
    return found


def _first(text: JsonText, wanted: Collection[str]) -> Fields:
    """Fields of a sample, read no further than they stand: what is empty may not be there."""
    found: dict[str, Any] = {}
    lacking = {*wanted}
    for name, value in text.fields("sample", apart="events", largest=LARGEST_FIELD):
        if name in lacking:
            found[name] = value
            lacking.remove(name)
        # Events come behind all that is asked for, and attachments behind them.
        if not lacking or (name == "events" and "messages" in found):
            if "attachments" in found or not _refers(found):
                break
            lacking = {"attachments"}
        if isinstance(value, Iterator):
            deque(value, maxlen=0)
    return found


def _in_json(file: IO[bytes], wanted: set[Asking]) -> Iterator[tuple[Asking, Fields]]:
    text = JsonText(iter(lambda: file.read(CHUNK), b""))
    for name, value in text.fields("log", apart="samples", largest=_LARGEST_SAMPLE):
        if name != "samples" or value is None:
            continue
        for sample in value:
            asking = _shown_id(sample["id"]), int(sample["epoch"])
            if asking in wanted:
                wanted.remove(asking)
                yield asking, sample
            if not wanted:
                return


def place_of(log: str) -> str:
    """The path of a log that a table names: there signs that are no text are question marks.

    ValueError where several files are shown by one name, since nobody knows which of them is meant.
    """
    if "://" in log or "?" not in log:
        return log
    path = Path(log)
    place = Path(path.anchor)
    for part in path.relative_to(path.anchor).parts:
        there = os.listdir(place) if "?" in part else ()
        like = [name for name in there if whole_characters(name) == part]
        if len(like) > 1:
            raise ValueError("several files are shown by this name")
        place /= like[0] if like else part
    return str(place)


# --- Texts ------------------------------------------------------------------------------------


def said_in(sample: Fields) -> list[tuple[str, str]]:
    """Roles and texts of a sample's messages.

    ValueError where they are longer than a field may be: attachments may be referred to often.
    """
    kept = sample.get("attachments") or {}
    said, length = [], 0
    for message in sample.get("messages") or []:
        parts = [
            text_in(kept.get(part[len(_APART) :], part)) if part.startswith(_APART) else part
            for part in _parts(message)
        ]
        length += sum(map(len, parts))
        if length > LARGEST_FIELD:
            raise ValueError(f"its messages are longer than {LARGEST_FIELD:,} characters")
        said.append((text_in(message["role"]), "\n".join(parts)))
    return said


def completion_of(sample: Fields) -> str:
    """The text of a sample's output."""
    output = sample.get("output") or {}
    choices = output.get("choices")
    first = _parts(choices[0]["message"]) if choices else []
    return text_in(output.get("completion") or "\n".join(first))


def text_in(value: object) -> str:
    """A value that is to be a text."""
    if not isinstance(value, str):
        raise ValueError(f"a {type(value).__name__} stands where a text should")
    return value


def _refers(sample: Fields) -> bool:
    messages = sample.get("messages") or []
    return any(part.startswith(_APART) for message in messages for part in _parts(message))


def _parts(message: Fields) -> list[str]:
    """The texts of a message: its content, or those of it that are no pictures or thoughts."""
    content = message["content"]
    if isinstance(content, str):
        return [content]
    return [text_in(part["text"]) for part in content if part["type"] == "text"]
