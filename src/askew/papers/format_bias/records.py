"""The shapes a format-bias question can have in a file, and the items they become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from askew.papers.format_bias.paper import ItemKind
from askew.papers.format_bias.paper_files import paper_record
from askew.reading.letters import LETTERS
from askew.schema import clean_id

ENTITY_KEYS = ("Task", "Method", "Material", "Metric")
LEVELS: Mapping[str, tuple[str, ...]] = {
    "scirex_easy": ENTITY_KEYS[:1],
    "scirex_medium": ENTITY_KEYS[:2],
    "scirex_hard": ENTITY_KEYS,
}


@dataclass(frozen=True)
class FormatItem:
    """A question with its truth; which of the last fields is filled depends on its kind."""

    id: str
    subset: str
    unit: str
    kind: ItemKind
    context: Mapping[str, str]
    answer: str = ""
    choices: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    relevant: tuple[int, ...] = ()
    keyphrases: tuple[str, ...] = ()
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    id: str = ""
    subset: str = ""
    unit: str = ""


class ChoiceRecord(_Record):
    """A multiple-choice question; `answer` is the letter of the right option."""

    subject: str = ""
    question: Text
    choices: list[Text] = Field(min_length=2, max_length=26)
    answer: Annotated[str, StringConstraints(pattern=r"^[A-Z]$")]

    @model_validator(mode="after")
    def _answer_is_offered(self) -> ChoiceRecord:
        offered = LETTERS[: len(self.choices)]
        if self.answer not in offered:
            raise ValueError(f"answer {self.answer!r} is not one of {', '.join(offered)}")
        if len(set(self.choices)) < len(self.choices):
            raise ValueError("an option is offered twice")
        return self


class ArithmeticRecord(_Record):
    """A question with a short answer; `work` is a calculation that gives it."""

    question: Text
    answer: Text
    work: str = ""


class ReadingRecord(_Record):
    """A question about a passage, with a short answer."""

    passage: Text
    question: Text
    answer: Text


class Paragraph(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    title: str = ""
    text: Text


class MultihopRecord(_Record):
    """A question about several paragraphs, with a short answer."""

    paragraphs: list[Paragraph] = Field(min_length=1)
    question: Text
    answer: Text


class Document(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    title: Text
    relevant: Literal[0, 1]


class RankingRecord(_Record):
    """A query and documents, some of which are relevant to it."""

    query: Text
    documents: list[Document] = Field(min_length=2)

    @model_validator(mode="after")
    def _some_are_relevant(self) -> RankingRecord:
        if not any(d.relevant for d in self.documents):
            raise ValueError("no document is relevant: there is nothing to rank first")
        return self


class KeyphrasesRecord(_Record):
    """A text and all its keyphrases."""

    text: Text
    keyphrases: list[Text]


class ExtractionRecord(_Record):
    """A text and the names it has of each kind; the keys given say which levels are asked."""

    text: Text
    Task: list[Text]
    Method: list[Text] | None = None
    Material: list[Text] | None = None
    Metric: list[Text] | None = None


Record = (
    ChoiceRecord
    | ArithmeticRecord
    | ReadingRecord
    | MultihopRecord
    | RankingRecord
    | KeyphrasesRecord
    | ExtractionRecord
)
# The field that tells a shape; the last one is what all short answers have.
_SHAPES: Mapping[str, type[Record]] = {
    "documents": RankingRecord,
    "keyphrases": KeyphrasesRecord,
    "Task": ExtractionRecord,
    "paragraphs": MultihopRecord,
    "passage": ReadingRecord,
    "choices": ChoiceRecord,
    "question": ArithmeticRecord,
}


def parse_record(raw: Mapping[str, Any]) -> Record:
    """A validated record of whichever shape its fields say it is, ours or the paper's."""
    mine = {k: v for k, v in (paper_record(raw) or raw).items() if k != "kind"}
    for name, shape in _SHAPES.items():
        if name in mine:
            return shape.model_validate(mine)
    raise ValueError(
        f"the fields {sorted(raw)} fit no record of format_bias: each has one of "
        f"{', '.join(_SHAPES)} (see: askew data template format_bias)"
    )


def items_of(records: Sequence[Record]) -> list[FormatItem]:
    """Items of a file's records; an extraction record gives one item a level."""
    items = [i for n, record in enumerate(records) for i in _items_of_record(record, n)]
    repeated = [i for i, n in Counter(item.id for item in items).items() if n > 1]
    if repeated:
        raise ValueError(f"ids occur more than once: {', '.join(repeated[:10])}")
    return items


def _items_of_record(record: Record, number: int) -> Iterator[FormatItem]:
    if isinstance(record, ExtractionRecord):
        yield from _extraction_items(record, number)
        return
    subset = record.subset or _subset_of(record)
    item_id = clean_id(record.id or f"{subset}-{number:04d}")
    unit = record.unit or item_id
    if isinstance(record, ChoiceRecord):
        context, choices = {"question": record.question}, tuple(record.choices)
        yield FormatItem(
            item_id, subset, unit, "mcq", context, answer=record.answer, choices=choices
        )
    elif isinstance(record, RankingRecord):
        yield FormatItem(
            item_id,
            subset,
            unit,
            "ranking",
            {"query": record.query},
            documents=tuple(d.title for d in record.documents),
            relevant=tuple(d.relevant for d in record.documents),
        )
    elif isinstance(record, KeyphrasesRecord):
        phrases = tuple(dict.fromkeys(record.keyphrases))
        yield FormatItem(
            item_id, subset, unit, "keyphrases", {"text": record.text}, keyphrases=phrases
        )
    else:
        kind, context = _short_answer(record)
        yield FormatItem(item_id, subset, unit, kind, context, answer=record.answer)


def _subset_of(record: Record) -> str:
    if isinstance(record, ChoiceRecord):
        return "bbh" if [c.lower() for c in record.choices] == ["yes", "no"] else "mmlu"
    return {
        ArithmeticRecord: "gsm8k",
        ReadingRecord: "fairytaleqa",
        MultihopRecord: "hotpotqa",
        RankingRecord: "scidocsrr",
        KeyphrasesRecord: "semeval2017",
    }[type(record)]


def _short_answer(
    record: ArithmeticRecord | ReadingRecord | MultihopRecord,
) -> tuple[ItemKind, dict[str, str]]:
    if isinstance(record, ReadingRecord):
        return "reading", {"passage": record.passage, "question": record.question}
    if isinstance(record, MultihopRecord):
        parts = (f"{p.title}: {p.text}" if p.title else p.text for p in record.paragraphs)
        return "multihop", {"context": "\n".join(parts), "question": record.question}
    return "arithmetic", {"question": record.question}


def _extraction_items(record: ExtractionRecord, number: int) -> Iterator[FormatItem]:
    """One item for each level whose keys the record has; they share a text, so a unit."""
    given = {k: names for k in ENTITY_KEYS if (names := getattr(record, k)) is not None}
    levels = {record.subset: tuple(given)} if record.subset else LEVELS
    base = clean_id(record.id or f"extraction-{number:04d}")
    for subset, keys in levels.items():
        if not set(keys) <= set(given):
            continue
        level = "" if record.subset else f"-{subset.removeprefix('scirex_')}"
        yield FormatItem(
            f"{base}{level}",
            subset,
            record.unit or base,
            "extraction",
            {"text": record.text},
            entities={key: tuple(dict.fromkeys(given[key])) for key in keys},
        )
