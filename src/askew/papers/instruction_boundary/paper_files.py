"""Instruction Boundary's published files: questions read, normalised, and what is odd in them.

FOLIO's two files name the third label differently ("Unknown", "Uncertain") and only one of them
has ids. Several of its conclusions share a story, so the distinct story, recognised by its text,
is the unit to resample. About a third of its records are Unknown: half of what is asked is sparse.
The others are files of github.com/ZpLing/Instruction-Boundary at revision
720bdfb7700d0728f4133a0eda29c37fa51c902e: the 450 and the 2,700 choice questions, and the judging
questions. Nothing of them is bundled. In the files only some sources number their options, and a
passage comes with sentence numbers; items have one layout whatever their source.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from askew.papers.instruction_boundary.logic.prover import Label
from askew.papers.instruction_boundary.questions import (
    AsPublished,
    BoundaryItem,
    facts_unit,
    form_of,
    question_unit,
)
from askew.schema import Finding, clean_id
from askew.sources.record_lines import strict_json
from askew.sources.records import RecordsError

Value = TypeVar("Value")

_SIZE_LIMIT = 64 * 1024 * 1024
_NUMBERED = re.compile(r"\s*(\d+)\. ?")
_SENTENCE = re.compile(r"\s*Sent \d{1,4}: ?")
LABELS: Mapping[str, Label] = {
    "true": "true",
    "false": "false",
    "unknown": "unknown",  # FOLIO's training file
    "uncertain": "unknown",  # and its validation file
    "proved": "true",
    "disproved": "false",
}
# Names under which a judging record may carry its parts: its layout is not documented, and its
# neighbour in the repository uses the first of each.
_FACTS = ("Facts", "facts", "premises", "context")
_CONCLUSION = ("Conclusion", "conclusion", "hypothesis")
_LABEL = ("proof_label", "label", "answer", "world_assump_label")


@dataclass(frozen=True)
class PaperQuestion:
    """One record of a choice file as published, beside the item it becomes."""

    item: BoundaryItem
    published_id: str


def read_choice_file(path: Path, subset: str) -> list[PaperQuestion]:
    """The questions of one of the two choice files, in order; repeats keep distinct ids."""
    taken: Counter[str] = Counter()
    return [_question(record, where, subset, taken) for where, record in _records(path)]


def read_judging_file(path: Path, subset: str) -> list[BoundaryItem]:
    """The items of the judging file, in order."""
    return [
        judging_of(record, where, subset, f"judging-{number:04d}")
        for number, (where, record) in enumerate(_records(path), start=1)
    ]


def judging_of(record: Mapping[str, Any], where: str, subset: str, name: str) -> BoundaryItem:
    """The item of a judging record, whichever of several names its parts have."""
    facts = _first(record, _FACTS, where)
    passage = "\n".join(facts) if isinstance(facts, list) else str(facts)
    label = str(_first(record, _LABEL, where)).strip("_ ").casefold()
    if label not in LABELS:
        _refuse(where, f"the label {label[:40]!r} is none of {', '.join(LABELS)}")
    return BoundaryItem(
        name, subset, facts_unit(passage), "judging", LABELS[label], passage.strip(),
        str(_first(record, _CONCLUSION, where)).strip(),
        source=str(record.get("dataset_source", "")),
    )  # fmt: skip


def grouped(values: Iterable[Value], key: Callable[[Value], Hashable]) -> dict[Any, list[Value]]:
    groups: dict[Any, list[Value]] = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return groups


def _question(
    record: Mapping[str, Any], where: str, subset: str, taken: Counter[str]
) -> PaperQuestion:
    asked = "question" if "question" in record else "Conclusion"
    text = _text(record, ("question", "Conclusion"), where)
    written = str(record.get("passage_text") or _background(record.get("Facts")))
    passage = _spoken(written)
    raw = record.get("options")
    if not isinstance(raw, list) or len(raw) < 2 or not all(isinstance(o, str) for o in raw):
        _refuse(where, "options is no list of texts")
    numbered = [_NUMBERED.match(option) for option in raw]
    is_numbered = [m[1] if m else "" for m in numbered] == [str(i) for i in range(len(raw))]
    options = [o[m.end() :] if is_numbered and m else o for o, m in zip(raw, numbered, strict=True)]
    gold = record.get("correct_answers")
    if not isinstance(gold, list) or not all(
        isinstance(g, int) and 0 <= g < len(options) for g in gold
    ):
        _refuse(where, "correct_answers holds no indexes of the options")
    published = str(record.get("original_id") if "Facts" in record else record.get("id") or "")
    base = clean_id(f"{subset}-{published.removesuffix('.txt') or where}")
    taken[base] += 1
    item = BoundaryItem(
        base if taken[base] == 1 else f"{base}-{taken[base]}", subset,
        question_unit(passage, text), "choice", form_of(gold), passage, text,
        tuple(o.strip() for o in options), tuple(sorted(set(gold))),
        str(record.get("original_correct_answer") or ""),
        source=str(record.get("dataset_source") or "unnamed"),
        published=AsPublished(str(record[asked]), written, tuple(raw), is_numbered),
    )  # fmt: skip
    return PaperQuestion(item, published or where)


def _background(facts: object) -> str:
    """The passage in front of the options that the 450 repeat inside their facts."""
    text = facts if isinstance(facts, str) else ""
    before, marker, _ = text.partition("Options:")
    return before.removeprefix("Background: ").removesuffix("\n") if marker else ""


def _spoken(passage: str) -> str:
    """A passage without the numbers of its sentences."""
    return " ".join(_SENTENCE.sub(" ", passage).split())


def _records(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every record of a JSON file that is one list of objects, with its place for messages."""
    if path.stat().st_size > _SIZE_LIMIT:
        raise RecordsError(f"{path} is larger than {_SIZE_LIMIT:,} bytes: not the paper's file")
    try:
        content = strict_json(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise RecordsError(f"{path} can't be read: {error}") from None
    if isinstance(content, dict):
        lists = [value for value in content.values() if isinstance(value, list)]
        content = lists[0] if len(lists) == 1 else content
    if not isinstance(content, list) or not content:
        raise RecordsError(f"{path}: expected one list of records")
    for number, record in enumerate(content, start=1):
        if not isinstance(record, dict):
            raise RecordsError(f"{path}: record {number} is no object")
        yield f"record {number}", record


def _text(record: Mapping[str, Any], names: Sequence[str], where: str) -> str:
    value = _first(record, names, where)
    if not isinstance(value, str) or not value.strip():
        _refuse(where, f"{names[0]} holds no text")
    return value.strip()


def _first(record: Mapping[str, Any], names: Sequence[str], where: str) -> Any:
    for name in names:
        if name in record:
            return record[name]
    _refuse(where, f"none of the fields {', '.join(names)}; there are: {', '.join(record)[:200]}")


def _refuse(where: str, why: str) -> NoReturn:
    raise RecordsError(f"{where}: {why}")


FLAWS: Mapping[str, str] = {
    "duplicate": "the same story and conclusion, with the same label, more than once",
    "contradiction": "the same story and conclusion under different labels",
    "repeated_id": "one example id for several records (later ones carry their line number)",
    "split_story": "the same story under several story ids",
    "shared_story_id": "one story id for different stories",
    "empty_premise": "a premise without text (left out)",
    "formula_count": "more or fewer formulas than premises",
    "conclusion_given": "the conclusion is itself a premise",
}


class _FolioLine(BaseModel):
    """A line of FOLIO's files, as far as it is read."""

    model_config = ConfigDict(strict=True)

    premises: list[str]
    conclusion: str
    label: str
    example_id: int | None = None
    story_id: int | None = None
    formulas: list[str] = Field([], alias="premises-FOL")


@dataclass(frozen=True)
class FolioRecord:
    """One conclusion about one story, known by its premises; `written` is its label as it was."""

    id: str
    story: str
    premises: tuple[str, ...]
    conclusion: str
    label: Label
    split: str
    example_id: int | None
    story_id: int | None
    formulas: int
    empty_premises: int
    written: str


@dataclass(frozen=True)
class FolioFlaw:
    """Something wrong with one or more records, by their ids."""

    kind: str
    ids: tuple[str, ...]

    def __str__(self) -> str:
        return f"{FLAWS[self.kind]}: {', '.join(self.ids)}"


def read_folio(lines: Iterable[str], split: str) -> list[FolioRecord]:
    """The records of one file, in order; blank lines are skipped, a malformed line is refused.

    Ids are `folio-<split>-<example id>` or, where the file has none, its line number, padded.
    """
    records: dict[str, FolioRecord] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            record = _folio_record(line, split, number, records)
            records[record.id] = record
    return list(records.values())


def folio_items(
    records: Sequence[FolioRecord], subset: str, half_seed: int | None
) -> list[BoundaryItem]:
    """FOLIO's records as items: all, or with a seed its sound ones, half of them sparse.

    A third of the records are Unknown, so all sound ones of them stay and as many tense ones
    are drawn.
    """
    if half_seed is not None:
        wrong = {f.item for f in folio_findings(records) if f.excluded}
        sound = [r for r in records if r.id not in wrong]
        halves = [[r for r in sound if (r.label == "unknown") is half] for half in (True, False)]
        rng = random.Random(f"folio/{half_seed}")
        kept = {r.id for half in halves for r in rng.sample(half, min(map(len, halves)))}
        records = [r for r in sound if r.id in kept]
    return [
        BoundaryItem(
            r.id, subset, r.story, "judging", r.label, "\n".join(r.premises), r.conclusion,
            source="folio",
        )
        for r in records
    ]  # fmt: skip


def folio_findings(records: Sequence[FolioRecord]) -> list[Finding]:
    """FOLIO's flaws, one finding an item; of the same text twice under one label one stays.

    A label that a file writes otherwise is one finding a file.
    """
    otherwise = Counter((r.split, r.written) for r in records if r.written.lower() != r.label)
    return [
        *(
            Finding(
                f"folio-{split}",
                "label written otherwise",
                f"{n} records say {written[:40]!r} for {LABELS[written.lower()]}: read as that",
            )
            for (split, written), n in otherwise.items()
        ),
        *(
            Finding(
                name,
                flaw.kind.replace("_", " "),
                str(flaw),
                excluded=flaw.kind in ("duplicate", "contradiction", "conclusion_given"),
            )
            for flaw in find_flaws(records)
            for name in (flaw.ids[1:] if flaw.kind == "duplicate" else flaw.ids)
        ),
    ]


def find_flaws(records: Sequence[FolioRecord]) -> list[FolioFlaw]:
    """What a machine can find wrong with the records of one file or of several together."""
    named = [r for r in records if r.example_id is not None]
    told = [r for r in records if r.story_id is not None]
    same_text = _repeated(records, lambda r: (r.story, _folded(r.conclusion)))
    same_story = _repeated(told, lambda r: r.story)
    same_story_id = _repeated(told, lambda r: (r.split, r.story_id))
    found: list[tuple[str, Sequence[FolioRecord]]] = [
        *(
            ("contradiction" if len({r.label for r in s}) > 1 else "duplicate", s)
            for s in same_text
        ),
        *(("repeated_id", s) for s in _repeated(named, lambda r: (r.split, r.example_id))),
        *(("split_story", s) for s in same_story if len({(r.split, r.story_id) for r in s}) > 1),
        *(("shared_story_id", s) for s in same_story_id if len({r.story for r in s}) > 1),
        *((kind, [record]) for record in records for kind in _own_flaws(record)),
    ]
    return [FolioFlaw(kind, tuple(record.id for record in same)) for kind, same in found]


def _own_flaws(record: FolioRecord) -> Iterator[str]:
    if record.empty_premises:
        yield "empty_premise"
    if record.formulas not in (0, len(record.premises)):
        yield "formula_count"
    if _folded(record.conclusion) in set(map(_folded, record.premises)):
        yield "conclusion_given"


def _repeated(
    records: Iterable[FolioRecord], key: Callable[[FolioRecord], Hashable]
) -> list[list[FolioRecord]]:
    return [group for group in grouped(records, key).values() if len(group) > 1]


def _folio_record(line: str, split: str, number: int, taken: Collection[str]) -> FolioRecord:
    where = f"FOLIO {split}, line {number}"
    try:
        told = _FolioLine.model_validate_json(line)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, wrong["loc"]))
        _refuse(where, f"field {field!r}: {wrong['msg']}" if field else wrong["msg"])
    premises = tuple(text for text in map(_spaced, told.premises) if text)
    conclusion = _spaced(told.conclusion)
    if not premises or not conclusion:
        _refuse(where, f"field {'conclusion' if premises else 'premises'!r} holds no text")
    label = LABELS.get(told.label.strip().lower())
    if label is None:
        _refuse(where, f"field 'label' is {told.label[:40]!r}; known: {', '.join(LABELS)}")
    id_ = f"folio-{split}-{f'{number:04d}' if told.example_id is None else told.example_id}"
    text = json.dumps(sorted(map(_folded, premises)))
    return FolioRecord(
        id=f"{id_}-line-{number}" if id_ in taken else id_,
        # A name that the text alone decides; the order of premises does not matter.
        story=f"story-{sha256(text.encode()).hexdigest()[:12]}",
        premises=premises,
        conclusion=conclusion,
        label=label,
        split=split,
        example_id=told.example_id,
        story_id=told.story_id,
        formulas=sum(bool(formula.strip()) for formula in told.formulas),
        empty_premises=len(told.premises) - len(premises),
        written=told.label.strip(),
    )


def _spaced(text: str) -> str:
    """The text with single spaces: the files break and pad some of theirs."""
    return " ".join(text.split())


def _folded(text: str) -> str:
    """The text for comparison: neither case, spacing nor the closing full stop counts."""
    return _spaced(text).rstrip(".").rstrip().casefold()
