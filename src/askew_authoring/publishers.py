"""Files as their publishers give them, made a task's own records: sets that only users can fetch.

A paper declares such sets in its part `publishers`: what tells a record, and what becomes of it.
Everything that is wrong in all files is said at once; what is sound but can't be asked is left out,
with the reason.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from askew.schema import Paper
from askew.sources import records as files
from askew.sources.records import (
    Contents,
    Readers,
    RecordsError,
    UnfitError,
    jsonl_records,
    parquet_records,
)  # fmt: skip

Raw = Mapping[str, Any]


class UnsoundError(ValueError):
    """A record that is as its publisher made it, and can't be asked."""


@dataclass(frozen=True)
class UnusedRecord:
    """A record that is not used, and why."""

    place: str
    why: str


Entry = dict[str, Any] | UnusedRecord


@dataclass(frozen=True)
class Publisher:
    """A set as its publisher gives it."""

    name: str
    title: str
    home: str  # where its publisher has it
    licence: str  # what its publisher says about its use
    paper: str  # what the paper asked of it, in words
    fields: Sequence[str]  # what every record of it has, and no other set's
    # A task's own record of one of its records and the name of its file, without suffix.
    record: Callable[[Raw, str], dict[str, Any]]
    tally: str  # the field by which a task's own records are counted
    counted: str = ""  # what the elements of that field are, where it is counted by their number
    records: int = 0  # how many it was published with; 0 where that is not known
    columns: Sequence[str] = ()  # of its CSV files, where these have no header
    # The paper's choice among all records, by a seed; its own where it is known.
    select: Callable[[Sequence[Entry], int], Sequence[Entry]] | None = None
    seed: int = 0


@dataclass(frozen=True)
class ImportResult:
    """What was made of files: records, what was left out, and of which set they are."""

    publisher: Publisher
    found: int
    records: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[UnusedRecord] = field(default_factory=list)

    @property
    def counts(self) -> Mapping[str, int]:
        of, by = self.publisher, (record[self.publisher.tally] for record in self.records)
        return Counter(f"with {len(rows)} {of.counted}" if of.counted else str(rows) for rows in by)

    @property
    def told(self) -> Iterator[str]:
        """What was found, beside what was published and what the paper asked."""
        of, kinds = self.publisher, ", ".join(f"{n:,} {kind}" for kind, n in self.counts.items())
        published = f"; published with {of.records:,}" if of.records else ""
        yield f"{of.title}: {self.found:,} records{published}"
        if of.records and self.found != of.records:
            yield "not the whole set: a choice by seed among other records is another choice"
        yield f"used: {len(self.records):,} ({kinds})"
        yield f"the paper: {of.paper}"
        yield f"licence: {of.licence}"


def publishers_of(paper: Paper) -> Mapping[str, Publisher]:
    """The sets of a paper that only users can fetch; another's stand in its part `publishers`."""
    from askew_authoring.sets import PUBLISHERS

    found: Mapping[str, Publisher] = PUBLISHERS.get(paper.task, {})
    return paper.part("publishers").PUBLISHERS if paper.has("publishers") else found


def import_files(
    paper: Paper, paths: Sequence[str | Path], choose: bool = False, seed: int | None = None
) -> ImportResult:
    """A publisher's files as records of a paper's task, or one error about all that is wrong."""
    sets = publishers_of(paper)
    if not sets:
        raise RecordsError(f"{paper.task} has no dataset to import; see: askew data list")
    parse: Callable[[Raw], object] = paper.items.parse_record
    taken: dict[str, tuple[str, Raw]] = {}
    seen: list[Publisher] = []

    def use(path: Path, line: int, raw: Raw) -> Entry:
        publisher = _recognise(sets.values(), raw)
        seen.append(publisher)
        if publisher is not seen[0]:
            what = f"a record of {publisher.name} after records of {seen[0].name}"
            raise UnfitError(what, "import each set alone", fields=True)
        place = f"{path.name}, line {line}"
        try:
            made = publisher.record(raw, path.stem)
        except UnsoundError as error:
            return UnusedRecord(place, str(error))
        parse(made)
        earlier, same = taken.setdefault(made["id"], (place, made))
        if same is made:
            return made
        if same == made:
            return UnusedRecord(place, f"the same as {earlier}")
        raise UnfitError(f"{made['id']!r:.80} is that of {earlier} too", "keep one of the two")

    entries: list[Entry] = []
    errors: list[RecordsError] = []
    nameless = [publisher.columns for publisher in sets.values() if publisher.columns]
    readers: Readers = {**_READERS, ".csv": partial(files.csv_records, nameless=nameless)}
    for path in map(Path, paths):
        try:
            entries += files.each_record(path, dict, partial(use, path), readers=readers)
        except RecordsError as error:
            errors.append(error)
    if errors:
        problems = [problem for error in errors for problem in error.problems]
        raise RecordsError("\n".join(map(str, errors)), problems)
    publisher, chosen = seen[0], entries
    if choose:
        if publisher.select is None:
            what = f"the paper's choice among {publisher.name} can't be made: {publisher.paper}"
            raise RecordsError(f"{what}. Leave --select out")
        chosen = [*publisher.select(entries, publisher.seed if seed is None else seed)]
    made = ImportResult(publisher, len(entries))
    for entry in chosen:
        if isinstance(entry, UnusedRecord):
            made.left_out.append(entry)
        else:
            made.records.append(entry)
    return made


def _recognise(sets: Iterable[Publisher], raw: Raw) -> Publisher:
    for publisher in sets:
        if set(publisher.fields) <= set(raw):
            return publisher
    known = "; ".join(f"{p.name} has {', '.join(p.fields)}" for p in sets)
    what = f"the fields {', '.join(map(str, raw))[:120]} are of no publisher's record"
    raise UnfitError(what, known, fields=True)


def json_records(path: Path) -> Contents:
    """The objects of a list that is the file, alone or under one name; its lines are its records.

    A file of other JSON is read as one object a line.
    """
    value = None
    with files.open_text(path) as file, suppress(ValueError):
        value = files.strict_json(file.read())
    if isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()
    if not isinstance(value, list):
        yield from jsonl_records(path)
        return
    yield from files.undecodable(path)
    yield from (files.numbered(number, record) for number, record in enumerate(value, start=1))


_READERS: Readers = {".jsonl": jsonl_records, ".json": json_records, ".parquet": parquet_records}
