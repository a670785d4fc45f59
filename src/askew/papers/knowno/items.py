"""KnowNo: its items, its conditions, and the three places its questions come from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from askew.papers.knowno.paper import PAPER, SUBSETS, Kind
from askew.papers.knowno.pins import SOURCES
from askew.reading.none import denies
from askew.schema import Finding, clean_id
from askew.sources.loading import Files, Loaded, digest, load_items

# Every prompt lists all intents of a file; what has more is another kind of column.
_MOST_INTENTS = 2_000


@dataclass(frozen=True)
class KnowNoItem:
    """A question with its options; `gold` is the index of the right one."""

    id: str
    subset: str
    unit: str
    kind: Kind
    context: Mapping[str, str]
    options: tuple[str, ...]
    gold: int

    @property
    def gold_text(self) -> str:
        return self.options[self.gold]


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class StoryQuestion(_Record):
    question: Text
    options: list[Text] = Field(min_length=2, max_length=26)
    gold_option: Text

    @model_validator(mode="after")
    def _gold_is_offered_once(self) -> StoryQuestion:
        _check_gold(self.options, self.gold_option)
        return self


class StoryRecord(_Record):
    """A story with its questions (the shape of the paper's MC-Test file)."""

    id: Text
    story: Text
    question_list: list[StoryQuestion] = Field(min_length=1)


class QuestionRecord(_Record):
    """One question with its options, with or without a text: fits a CSV row."""

    id: str = ""
    story: str = ""
    question: Text
    options: list[Text] = Field(min_length=2, max_length=26)
    gold_option: Text

    @model_validator(mode="after")
    def _gold_is_offered_once(self) -> QuestionRecord:
        _check_gold(self.options, self.gold_option)
        return self


class UtteranceRecord(_Record):
    """An utterance with its intent (the shape of the paper's BANK-77 file)."""

    id: str = ""
    text: Text
    label: int | None = None
    label_text: Text


class EquationRecord(_Record):
    """LaTeX around a missing equation (the shape of the paper's EquInfer file)."""

    id: str = ""
    context_before: Text
    context_after: Text
    options_list: list[Text] = Field(min_length=2, max_length=26)
    gold_option: Text
    gold_option_index: int | None = None

    @model_validator(mode="after")
    def _gold_is_offered_once(self) -> EquationRecord:
        _check_gold(self.options_list, self.gold_option)
        index = self.gold_option_index
        if index is not None and (
            not 0 <= index < len(self.options_list) or self.options_list[index] != self.gold_option
        ):
            raise ValueError(f"gold_option_index {index} does not point at gold_option")
        return self


def _check_gold(options: Sequence[str], gold: str) -> None:
    if options.count(gold) != 1:
        times = "missing from" if gold not in options else "more than once in"
        raise ValueError(f"gold_option {gold!r} is {times} the options")


Record = StoryRecord | QuestionRecord | UtteranceRecord | EquationRecord
_SHAPES: Mapping[str, type[Record]] = {
    "question_list": StoryRecord,
    "question": QuestionRecord,
    "label_text": UtteranceRecord,
    "options_list": EquationRecord,
}


def parse_record(raw: Mapping[str, Any]) -> Record:
    """A validated record of whichever of the four shapes its fields say it is."""
    for field, shape in _SHAPES.items():
        if field in raw:
            return shape.model_validate(raw)
    raise ValueError(
        f"the fields {sorted(raw)} fit no record of knowno: a story has question_list, a question "
        "has question, an utterance has label_text, an equation has options_list "
        "(see: askew data template knowno)"
    )


def items_of(records: Sequence[Record]) -> list[KnowNoItem]:
    """Items of a file's records; utterances of a file share one list of intents."""
    labels = list(dict.fromkeys(r.label_text for r in records if isinstance(r, UtteranceRecord)))
    if len(labels) == 1:
        raise ValueError(
            f"all utterances carry the one intent {labels[0]!r}: a classification needs several"
        )
    if len(labels) > _MOST_INTENTS:
        raise ValueError(
            f"its utterances carry {len(labels):,} intents, of which every prompt would list all; "
            f"label_text names one of at most {_MOST_INTENTS:,}"
        )
    items = [
        item
        for number, record in enumerate(records, start=1)
        for item in _items_of_record(record, number, labels)
    ]
    repeated = [i for i, n in Counter(item.id for item in items).items() if n > 1]
    if repeated:
        raise ValueError(f"ids occur more than once: {', '.join(repeated[:10])}")
    return items


def _items_of_record(record: Record, number: int, labels: Sequence[str]) -> Iterator[KnowNoItem]:
    if isinstance(record, StoryRecord):
        story_id = clean_id(record.id)
        for i, q in enumerate(record.question_list, start=1):
            yield _story_item(f"{story_id}-q{i}", story_id, record.story, q)
    elif isinstance(record, QuestionRecord):
        item_id = clean_id(record.id or f"question-{number:04d}")
        # Questions about one text stand or fall together, so they share a bootstrap unit.
        unit = f"text-{digest(record.story)}" if record.story else item_id
        yield _story_item(item_id, unit, record.story, record)
    elif isinstance(record, UtteranceRecord):
        item_id = clean_id(record.id or f"bank77-{number:04d}")
        unit = f"text-{digest(' '.join(record.text.casefold().split()))}"
        yield KnowNoItem(
            item_id,
            "bank77",
            unit,
            "intent",
            {"utterance": record.text},
            tuple(labels),
            labels.index(record.label_text),
        )
    else:
        item_id = clean_id(record.id or f"equinfer-{number:04d}")
        yield KnowNoItem(
            item_id,
            "equinfer",
            item_id,
            "equation",
            {"before": record.context_before, "after": record.context_after},
            tuple(record.options_list),
            record.options_list.index(record.gold_option),
        )


def _story_item(
    item_id: str, unit: str, story: str, question: StoryQuestion | QuestionRecord
) -> KnowNoItem:
    return KnowNoItem(
        item_id,
        "mctest",
        unit,
        "story",
        {"story": _line_breaks(story), "question": question.question},
        tuple(question.options),
        question.options.index(question.gold_option),
    )


def _line_breaks(story: str) -> str:
    r"""The paper's file writes layout as `\newline` and `\tab`; the prompt gets the layout."""
    text = story.replace("\\newline", "\n").replace("\\tab", " ")
    return re.sub(r"\n{3,}", "\n\n", text).strip()


_PAPER_FILES = {
    "mctest": SOURCES["MCTest_1000.jsonl"],
    "bank77": SOURCES["Bank77_1000.jsonl"],
    "equinfer": SOURCES["EquInfer_1049.jsonl"],
}
FILES = Files(
    task=PAPER.task,
    home=PAPER.home,
    bundled={subset: f"{subset}.jsonl" for subset in SUBSETS},
    paper=_PAPER_FILES,
)


def load(data: str, subset: str | Sequence[str] | None = None) -> Loaded[KnowNoItem]:
    """Items of `data` ("bundled", "paper" or a path), of the given subsets."""
    return load_items(FILES, data, subset, parse_record, items_of)


def verify(data: str, subset: str | Sequence[str] | None = None) -> list[Finding]:
    """What a machine can find in the items of `data`, with ids."""
    return find(load(data, subset).items)


def find(items: Sequence[KnowNoItem]) -> list[Finding]:
    """What a machine can find in a set of items, with ids."""
    options = (f for item in items for f in _option_findings(item))
    return [*_repeats(items), *options, *_label_findings(items)]


def _repeats(items: Sequence[KnowNoItem]) -> Iterator[Finding]:
    seen: dict[tuple[str, ...], str] = {}
    for item in items:
        asked = tuple(" ".join(v.casefold().split()) for v in item.context.values())
        first = seen.setdefault((item.subset, *asked), item.id)
        if first != item.id:
            yield Finding(
                item.id, "repeat", f"asks the same as {first}: kept, in one bootstrap unit"
            )


def _option_findings(item: KnowNoItem) -> Iterator[Finding]:
    folded = [" ".join(o.casefold().split()) for o in item.options]
    for text, number in Counter(folded).items():
        if number > 1:
            yield Finding(item.id, "same option twice", f"{text!r} is offered {number} times")
    if item.kind != "story":
        return
    for i, option in enumerate(item.options):
        if i != item.gold and denies(option):
            yield Finding(
                item.id,
                "option that says none",
                f"{option!r}: without the gold option, choosing it counts as saying none",
            )
        inside = [o for j, o in enumerate(folded) if j != i and folded[i] in o]
        if inside:
            yield Finding(item.id, "option inside another", f"{option!r} is part of {inside[0]!r}")


def _label_findings(items: Sequence[KnowNoItem]) -> Iterator[Finding]:
    """Intents that other intents contain, or that are written oddly."""
    labels = dict.fromkeys(o for item in items if item.kind == "intent" for o in item.options)
    for label in labels:
        if not re.fullmatch(r"[a-z0-9_]+", label):
            yield Finding(label, "odd label", "read without regard to case and marks")
        longer = [other for other in labels if other != label and label in other]
        if longer:
            yield Finding(label, "label inside another", f"{', '.join(longer)}: the longest wins")


# One record of every shape that a user's file may have; `askew data template knowno` prints them.
TEMPLATE = (
    '{"id": "lighthouse", "story": "Mina climbed the lighthouse before breakfast. From the top '
    'she saw three boats.", "question_list": [{"question": "How many boats did Mina see?", '
    '"options": ["Two boats", "Three boats", "Four boats"], "gold_option": "Three boats"}]}',
    '{"id": "capital-1", "story": "", "question": "Which city is the capital of Chile?", '
    '"options": ["Lima", "Santiago", "Quito"], "gold_option": "Santiago"}',
    '{"id": "ticket-1", "text": "My parcel has been at the depot for a week", '
    '"label_text": "delivery_delayed"}',
    '{"id": "ticket-2", "text": "I was charged twice for one order", '
    '"label_text": "charged_twice"}',
    '{"id": "eq-1", "context_before": "Let $s$ be the sum of the losses over $N$ samples. The '
    'mean loss is", "context_after": "so that the loss does not grow with $N$.", '
    '"options_list": ["m = s / N", "m = s N", "m = s - N"], "gold_option": "m = s / N"}',
)
TEMPLATE_CSV = (
    "id,story,question,options,gold_option",
    'capital-1,,Which city is the capital of Chile?,"[""Lima"", ""Santiago"", ""Quito""]",Santiago',
)


_SENTENCE_END = re.compile(r"[.!?][\"')\]}]*(?=\s)")
_WORD = re.compile(r"\S+")


def clip_after(text: str, words: int) -> str:
    """The first `words` words of a text, and the rest of the sentence they end in."""
    starts = [m.end() for m in _WORD.finditer(text)]
    if len(starts) <= words:
        return text
    end = starts[words - 1]
    match = _SENTENCE_END.search(text, max(0, end - 1))
    return text[: match.end()] if match else text


def clip_before(text: str, words: int) -> str:
    """The last `words` words of a text, and the beginning of the sentence they start in."""
    starts = [m.start() for m in _WORD.finditer(text)]
    if len(starts) <= words:
        return text
    begin = starts[-words]
    last = None
    for match in _SENTENCE_END.finditer(text, 0, begin):
        last = match
    return text[last.end() :].lstrip() if last else text
