"""FOLIO's records as judging items: stories in English, a conclusion, True, False or Unknown.

The two published files name the third label differently ("Unknown", "Uncertain") and only one of
them has ids; records are normalised to one shape, and what is wrong with them is reported, not
mended in silence. Several conclusions share a story, so the distinct story, recognised by its
text, is the unit to resample. About a third of the records are Unknown: a half-sparse set is the
caller's to draw.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NoReturn
from typing import Literal as OneOf

from askew.papers.instruction_boundary.logic.prover import Label

_LABEL_NAMES: dict[str, Label] = {
    "true": "true",
    "false": "false",
    "unknown": "unknown",  # the training file
    "uncertain": "unknown",  # the validation file
}

FlawKind = OneOf[
    "duplicate", "contradiction", "repeated_id", "split_story", "shared_story_id",
    "empty_premise", "formula_count", "conclusion_given",
]  # fmt: skip
FLAWS: dict[FlawKind, str] = {
    "duplicate": "the same story and conclusion, with the same label, more than once",
    "contradiction": "the same story and conclusion under different labels",
    "repeated_id": "one example id for several records (later ones carry their line number)",
    "split_story": "the same story under several story ids",
    "shared_story_id": "one story id for different stories",
    "empty_premise": "a premise without text (left out)",
    "formula_count": "more or fewer formulas than premises",
    "conclusion_given": "the conclusion is itself a premise",
}


class FolioError(ValueError):
    """A line that is not a FOLIO record."""


@dataclass(frozen=True, slots=True)
class FolioRecord:
    """One conclusion about one story."""

    id: str
    story: str  # equal for records whose premises are the same, whatever ids the file gives
    premises: tuple[str, ...]
    conclusion: str
    label: Label
    split: str
    line: int
    example_id: str | None
    story_id: str | None
    formulas: tuple[str, ...]
    empty_premises: int


@dataclass(frozen=True, slots=True)
class FolioFlaw:
    """Something wrong with one or more records, by their ids."""

    kind: FlawKind
    ids: tuple[str, ...]

    def __str__(self) -> str:
        return f"{FLAWS[self.kind]}: {', '.join(self.ids)}"


def read_folio(lines: Iterable[str], split: str) -> list[FolioRecord]:
    """The records of one file, in order; blank lines are skipped, a malformed line is refused.

    Ids are `folio-<split>-<example id>` or, where the file has none, its line number, padded.
    """
    records: list[FolioRecord] = []
    taken: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if line.strip():
            record = _record(line, split, number, taken)
            taken.add(record.id)
            records.append(record)
    return records


def find_flaws(records: Sequence[FolioRecord]) -> list[FolioFlaw]:
    """What a machine can find wrong with the records of one file or of several together."""
    flaws = [
        FolioFlaw("contradiction" if len({r.label for r in same}) > 1 else "duplicate", _ids(same))
        for same in _repeated(records, lambda r: (r.story, _folded(r.conclusion)))
    ]
    for same in _repeated(
        [r for r in records if r.example_id is not None], lambda r: (r.split, r.example_id)
    ):
        flaws.append(FolioFlaw("repeated_id", _ids(same)))
    with_story_id = [r for r in records if r.story_id is not None]
    for same in _repeated(with_story_id, lambda r: r.story):
        if len({(r.split, r.story_id) for r in same}) > 1:
            flaws.append(FolioFlaw("split_story", _ids(same)))
    for same in _repeated(with_story_id, lambda r: (r.split, r.story_id)):
        if len({r.story for r in same}) > 1:
            flaws.append(FolioFlaw("shared_story_id", _ids(same)))
    for record in records:
        flaws.extend(FolioFlaw(kind, (record.id,)) for kind in _own_flaws(record))
    return flaws


def _own_flaws(record: FolioRecord) -> Iterator[FlawKind]:
    if record.empty_premises:
        yield "empty_premise"
    if record.formulas and len(record.formulas) != len(record.premises):
        yield "formula_count"
    if _folded(record.conclusion) in {_folded(premise) for premise in record.premises}:
        yield "conclusion_given"


def _record(line: str, split: str, number: int, taken: set[str]) -> FolioRecord:
    where = f"FOLIO {split}, line {number}"
    fields = _object(line, where)
    raw_premises = _texts(fields, "premises", where)
    premises = tuple(text for text in map(_spaced, raw_premises) if text)
    conclusion = _spaced(_text(fields, "conclusion", where))
    if not premises or not conclusion:
        _refuse(where, "premises" if conclusion else "conclusion", "holds no text")
    name = _text(fields, "label", where)
    label = _LABEL_NAMES.get(name.strip().lower())
    if label is None:
        _refuse(where, "label", f"is {name[:40]!r}; known: {', '.join(_LABEL_NAMES)}")
    example_id, story_id = _id(fields, "example_id", where), _id(fields, "story_id", where)
    id_ = f"folio-{split}-{f'{number:04d}' if example_id is None else example_id}"
    formulas = _texts(fields, "premises-FOL", where) if "premises-FOL" in fields else ()
    return FolioRecord(
        id=f"{id_}-line-{number}" if id_ in taken else id_,
        story=_story(premises),
        premises=premises,
        conclusion=conclusion,
        label=label,
        split=split,
        line=number,
        example_id=example_id,
        story_id=story_id,
        formulas=tuple(formula for formula in formulas if formula.strip()),
        empty_premises=len(raw_premises) - len(premises),
    )


def _story(premises: Iterable[str]) -> str:
    """A name for the story that its text alone decides; the order of premises does not matter."""
    text = json.dumps(sorted(map(_folded, premises)))
    return f"story-{sha256(text.encode()).hexdigest()[:12]}"


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FolioError(f"{where}: not valid JSON ({error}); expected one object a line") from None
    if not isinstance(value, dict):
        raise FolioError(f"{where}: holds a {type(value).__name__}; expected one object a line")
    return value


def _text(fields: dict[str, Any], field: str, where: str) -> str:
    value = fields.get(field)
    if not isinstance(value, str):
        _refuse(where, field, "is missing or not a text")
    return value


def _texts(fields: dict[str, Any], field: str, where: str) -> tuple[str, ...]:
    value = fields.get(field)
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        _refuse(where, field, "is missing or not a list of texts")
    return tuple(value)


def _id(fields: dict[str, Any], field: str, where: str) -> str | None:
    value = fields.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        _refuse(where, field, "is not a whole number")
    return str(value)


def _refuse(where: str, field: str, why: str) -> NoReturn:
    raise FolioError(f"{where}: field {field!r} {why}")


def _spaced(text: str) -> str:
    """The text with single spaces: the files break and pad some of theirs."""
    return " ".join(text.split())


def _folded(text: str) -> str:
    """The text for comparison: neither case, spacing nor the closing full stop counts."""
    return _spaced(text).rstrip(".").rstrip().casefold()


def _ids(records: Iterable[FolioRecord]) -> tuple[str, ...]:
    return tuple(record.id for record in records)


def _repeated(
    records: Iterable[FolioRecord], key: Callable[[FolioRecord], Hashable]
) -> list[list[FolioRecord]]:
    groups: defaultdict[Hashable, list[FolioRecord]] = defaultdict(list)
    for record in records:
        groups[key(record)].append(record)
    return [group for group in groups.values() if len(group) > 1]
