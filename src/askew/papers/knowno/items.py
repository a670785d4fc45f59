"""KnowNo: its items, its conditions, and the places its questions come from."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as of_dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from askew.files import toml_of
from askew.papers.knowno.paper import PAPER, SUBSET_OF, SUBSETS, Kind
from askew.parameters import EVERYTHING
from askew.reading.none import NONE_OF_THEM
from askew.schema import clean_id
from askew.sources import loading
from askew.sources.pinned import on_github
from askew.untrusted import digest


@dataclass(frozen=True)
class KnowNoItem:
    """A question with its options; `gold` is the index of the right one, None where none fits."""

    id: str
    subset: str
    cluster: str
    kind: Kind
    context: Mapping[str, str]
    options: tuple[str, ...]
    gold: int | None
    layout: tuple[str, ...] = ()  # marks that stood in its text; a prompt gets the layout
    tier: str = ""
    # What options mean, where it is known of intents.
    definitions: Mapping[str, str] = of_dataclass(default_factory=dict)
    difficulty: int = 0

    @property
    def gold_text(self) -> str:
        return "" if self.gold is None else self.options[self.gold]


Options = Annotated[list[loading.Text], Field(min_length=2, max_length=26)]


class _Record(loading.FileRecord):
    """What a file asks; its items are in a set of its own name, else of the file's."""

    kind: ClassVar[Kind]
    subset: str = ""

    @property
    def named(self) -> str:
        return self.subset or SUBSET_OF[self.kind]


class _Choice(_Record):
    """Options of which one is right."""

    options: Options
    gold_option: loading.Text

    @model_validator(mode="after")
    def _gold_is_offered_once(self) -> Self:
        if self.options.count(self.gold_option) != 1:
            times = "more than once in" if self.gold_option in self.options else "missing from"
            raise ValueError(f"gold_option {self.gold_option!r} is {times} the options")
        return self

    def item(self, id: str, subset: str, cluster: str, context: Mapping[str, str]) -> KnowNoItem:
        gold = self.options.index(self.gold_option)
        return KnowNoItem(id, subset, cluster, self.kind, context, tuple(self.options), gold)


# How the paper's file writes layout inside stories.
_LAYOUT: Mapping[str, str] = {"\\newline": "\n", "\\tab": " "}


class StoryQuestion(_Choice):
    kind: ClassVar[Kind] = "story"
    question: loading.Text

    def about(self, story: str, id: str, subset: str, cluster: str) -> KnowNoItem:
        text = story
        for mark, layout in _LAYOUT.items():
            text = text.replace(mark, layout)
        plain = re.sub(r"\n{3,}", "\n\n", text).strip()
        context = {"story": plain, "question": self.question}
        item = self.item(id, subset, cluster, context)
        return replace(item, layout=tuple(mark for mark in _LAYOUT if mark in story))


class StoryRecord(_Record):
    """A story with its questions (the shape of the paper's MC-Test file)."""

    kind: ClassVar[Kind] = "story"
    id: loading.Text
    story: loading.Text
    question_list: list[StoryQuestion] = Field(min_length=1)

    def items(self, number: int, intents: Sequence[str]) -> Iterator[KnowNoItem]:
        story = clean_id(self.id)
        for i, question in enumerate(self.question_list, start=1):
            yield question.about(self.story, f"{story}-q{i}", self.named, self.cluster or story)


class QuestionRecord(StoryQuestion):
    """One question with its options, with or without a text: fits a CSV row."""

    story: str = ""

    def items(self, number: int, intents: Sequence[str]) -> Iterator[KnowNoItem]:
        item_id = clean_id(self.id or f"question-{number:04d}")
        # Questions about one text stand or fall together, so they share a bootstrap cluster.
        text = f"text-{digest(self.story)}" if self.story else item_id
        yield self.about(self.story, item_id, self.named, self.cluster or text)


class UtteranceRecord(_Record):
    """An utterance with its intent (the shape of the paper's BANK-77 file); empty if none fits."""

    kind: ClassVar[Kind] = "intent"
    text: loading.Text
    label: int | None = None
    label_text: str
    definition: str = ""

    def items(self, number: int, intents: Sequence[str]) -> Iterator[KnowNoItem]:
        item_id = clean_id(self.id or f"{self.named}-{number:04d}")
        own = f"intent-{self.label_text}" if self.label_text else item_id
        gold = intents.index(self.label_text) if self.label_text else None
        yield KnowNoItem(
            item_id, self.named, self.cluster or own, "intent", {"utterance": self.text},
            tuple(intents), gold,
        )  # fmt: skip


def _definitions(records: Iterable[UtteranceRecord]) -> dict[str, str]:
    """What the intents of a file mean, as its records say; two meanings of one are a slip."""
    meanings: dict[str, str] = {}
    for record in records:
        if not record.label_text and record.definition:
            raise ValueError(f"a definition without label_text: {record.definition!r:.80}")
        first = meanings.setdefault(record.label_text, record.definition) or record.definition
        if record.definition not in ("", first):
            raise ValueError(
                f"the intent {record.label_text!r} is defined in two ways: {first!r:.80} and "
                f"{record.definition!r:.80}"
            )
        meanings[record.label_text] = first
    return {intent: meaning for intent, meaning in meanings.items() if meaning}


class EquationRecord(_Choice):
    """LaTeX around a missing equation (the shape of the paper's EquInfer file)."""

    kind: ClassVar[Kind] = "equation"
    context_before: loading.Text
    context_after: loading.Text
    options: Options = Field(alias="options_list")
    gold_option_index: int | None = None

    @model_validator(mode="after")
    def _index_points_at_gold(self) -> Self:
        index = self.gold_option_index
        if index not in (None, self.options.index(self.gold_option)):
            raise ValueError(f"gold_option_index {index} does not point at gold_option")
        return self

    def items(self, number: int, intents: Sequence[str]) -> Iterator[KnowNoItem]:
        item_id = clean_id(self.id or f"{self.named}-{number:04d}")
        context = {"before": self.context_before, "after": self.context_after}
        yield self.item(item_id, self.named, item_id, context)


Record = StoryRecord | QuestionRecord | UtteranceRecord | EquationRecord
_SHAPES: Mapping[str, type[Record]] = {
    "question_list": StoryRecord, "question": QuestionRecord, "label_text": UtteranceRecord,
    "options_list": EquationRecord,
}  # fmt: skip


def parse_record(raw: Mapping[str, Any]) -> Record:
    """A validated record of whichever of the four shapes its fields say it is."""
    # An utterance that fits no label has an empty one; a table's row has all columns.
    if raw.get("label_text") == "" and str(raw.get("text", "")).strip():
        return UtteranceRecord.model_validate(raw)
    return loading.record_of(PAPER.task, raw, _SHAPES)


def items_of(
    records: Sequence[Record], named: str = "", defined: Mapping[str, str] | None = None
) -> list[KnowNoItem]:
    """Items of a file's records; utterances of a file share one list of intents.

    `named` is the set of records that name none; of several kinds each has one of its own. Intents
    that nobody `defined` are so by the records.
    """
    several = len({record.kind for record in records}) > 1
    if named:
        records = [
            r.model_copy(update={"subset": r.subset or (f"{named}-{r.kind}" if several else named)})
            for r in records
        ]
    utterances = [r for r in records if isinstance(r, UtteranceRecord)]
    intents = list(dict.fromkeys(r.label_text for r in utterances if r.label_text))
    if utterances and len(intents) < 2:
        which = (
            f"all utterances carry the one intent {intents[0]!r}" if intents else "no label_text"
        )
        raise ValueError(f"{which}: a classification needs several")
    if NONE_OF_THEM in intents:
        raise ValueError(f"label_text {NONE_OF_THEM!r}: leave it empty where no label fits")
    defined = _definitions(utterances) if defined is None else defined
    return [
        replace(item, tier=record.tier, definitions=defined if item.kind == "intent" else {})
        for number, record in enumerate(records, start=1)
        for item in record.items(number, intents)
    ]


_PINNED = toml_of(__package__, "sources.toml")
SOURCES = on_github(PAPER.task, **_PINNED["github"])
FILES = loading.Files(
    task=PAPER.task, home=PAPER.home, bundled={subset: f"{subset}.jsonl" for subset in SUBSETS},
    paper={s: SOURCES[name] for s, name in _PINNED["subsets"].items()}, tiers=True,
)  # fmt: skip

# What our own intents mean and, after it, where each ends: as prompts show it that define them.
DEFINITIONS: Mapping[str, str] = {
    row["intent"]: f"{row['definition']} {row['boundary']}"
    for row in csv.DictReader(
        loading.bundled_file(PAPER.home, "intents.csv").read_text(encoding="utf-8").splitlines()
    )
}


def load(data: str, subset: str | Sequence[str] | None = None) -> loading.ItemSet[KnowNoItem]:
    """Items of `data` ("bundled", "paper" or a path), of the given subsets."""
    is_file = isinstance(data, str) and data not in ("bundled", "paper")
    stem = clean_id(Path(data).stem) if is_file else ""
    named = "own" if stem == EVERYTHING else stem
    of_file = partial(items_of, named=named, defined=DEFINITIONS if data == "bundled" else None)
    return loading.load_items(FILES, data, subset, parse_record, of_file)


_SENTENCE_END = re.compile(r"[.!?][\"')\]}]*(?=\s)")
_WORD = re.compile(r"\S+")


def clip_after(text: str, words: int) -> str:
    """The first `words` words of a text, and the rest of the sentence they end in."""
    ends = [m.end() for m in _WORD.finditer(text)]
    if len(ends) <= words:
        return text
    match = _SENTENCE_END.search(text, max(0, ends[words - 1] - 1))
    return text[: match.end()] if match else text


def clip_before(text: str, words: int) -> str:
    """The last `words` words of a text, and the beginning of the sentence they start in."""
    starts = [m.start() for m in _WORD.finditer(text)]
    if len(starts) <= words:
        return text
    ends = [m.end() for m in _SENTENCE_END.finditer(text, 0, starts[-words])]
    return text[ends[-1] :].lstrip() if ends else text
