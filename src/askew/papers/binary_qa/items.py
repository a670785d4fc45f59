"""Binary QA: its items, its eight forms, and where its questions come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, model_validator

from askew.papers.binary_qa import bundled_checks
from askew.papers.binary_qa.paper import FORMS, LABELS, OPPOSITE, PAPER, SUBSETS, Answer
from askew.papers.binary_qa.rules import (
    OPERATORS,
    REWRITES,
    WORDINGS,
    Operator,
    comparison_problems,
    problems,
)
from askew.parameters import SelectionError
from askew.schema import Finding, clean_id
from askew.sources.loading import Files, Loaded, digest, load_items
from askew.sources.selection import spread


@dataclass(frozen=True)
class BinaryItem:
    """A yes/no question over a passage, in the wordings it is asked in.

    A wording that a user's file leaves out is empty, and its form is not asked.
    """

    id: str
    subset: str
    unit: str
    kind: str
    passage: str
    answer: Answer
    original: str
    synonym: str = ""
    hedged: str = ""
    contradictory: str = ""
    false_framing: str = ""
    check: Comparison | None = None

    def question(self, form: str) -> str:
        return str(getattr(self, FORMS[form].question))

    def expected(self, form: str) -> Answer:
        return OPPOSITE[self.answer] if FORMS[form].flips else self.answer


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Question = Annotated[str, StringConstraints(strip_whitespace=True)]


def _spelled(value: object) -> object:
    """Yes and No in any case; everything else as it is, to be refused."""
    return value.strip().capitalize() if isinstance(value, str) else value


class Comparison(BaseModel):
    """What a numerical question compares: the true value, an operator, the number asked about."""

    model_config = ConfigDict(extra="forbid")

    value: float
    op: Operator
    n: float

    @property
    def holds(self) -> bool:
        return OPERATORS[self.op](self.value, self.n)


class BinaryRecord(BaseModel):
    """One line of a file of questions."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    id: str = ""
    subset: Text = "own"
    kind: str = ""
    passage: str = ""
    answer: Annotated[Answer, BeforeValidator(_spelled)]
    original: Text
    synonym: Question = ""
    hedged: Question = ""
    contradictory: Question = ""
    false_framing: Question = ""
    check: Comparison | None = None

    @model_validator(mode="after")
    def _answer_is_what_the_numbers_say(self) -> BinaryRecord:
        if self.check is not None and self.check.holds is not (self.answer == "Yes"):
            compared = f"{self.check.value:g} {self.check.op} {self.check.n:g}"
            raise ValueError(f"answer {self.answer} contradicts check ({compared})")
        return self


def parse_record(raw: Mapping[str, Any]) -> BinaryRecord:
    return BinaryRecord.model_validate(raw)


def items_of(records: Sequence[BinaryRecord]) -> list[BinaryItem]:
    """Items of a file's records; those over one passage share a bootstrap unit."""
    passages = Counter(r.passage for r in records if r.passage)
    items = [
        _item(record, number, passages[record.passage] > 1)
        for number, record in enumerate(records, start=1)
    ]
    repeated = [i for i, n in Counter(item.id for item in items).items() if n > 1]
    if repeated:
        raise ValueError(f"ids occur more than once: {', '.join(repeated[:10])}")
    return items


def _item(record: BinaryRecord, number: int, shares_passage: bool) -> BinaryItem:
    item_id = clean_id(record.id or f"question-{number:04d}")
    return BinaryItem(
        id=item_id,
        subset=record.subset,
        unit=f"text-{digest(record.passage)}" if shares_passage else item_id,
        kind=record.kind or record.subset,
        passage=record.passage,
        answer=record.answer,
        original=record.original,
        synonym=record.synonym,
        hedged=record.hedged,
        contradictory=record.contradictory,
        false_framing=record.false_framing,
        check=record.check,
    )


FILES = Files(
    task=PAPER.task,
    home=PAPER.home,
    bundled=dict.fromkeys(SUBSETS, "items.jsonl"),
    paper={},
)


def load(data: str, subset: str | Sequence[str] | None = None) -> Loaded[BinaryItem]:
    """Items of `data` ("bundled" or a path), of the given subsets."""
    if data == "paper":
        raise SelectionError(
            'data="paper": the paper\'s questions were never published. Build a set like it from '
            "the same sources with: askew data build binary_qa --model <model>. Then pass the "
            "file it writes: data=<path>"
        )
    return load_items(FILES, data, subset, parse_record, items_of)


@dataclass(frozen=True)
class _Labelled:
    """An item under its domain and label as one subset, for a choice balanced over both."""

    id: str
    subset: str


def chosen(items: Sequence[BinaryItem], n: int | None, seed: int) -> list[BinaryItem]:
    """At most `n` items, a seeded choice spread over domains and, within them, over labels."""
    if n is None:
        return spread(items, None, seed)
    groups: dict[tuple[str, str], list[_Labelled]] = {}
    for pass_over in (0, 1):
        for i, subset in enumerate(dict.fromkeys(item.subset for item in items)):
            # Every domain once before any twice, with both labels among the first.
            label = LABELS[(i + pass_over) % 2]
            groups[subset, label] = [
                _Labelled(item.id, f"{subset}/{label}")
                for item in items
                if (item.subset, item.answer) == (subset, label)
            ]
    kept = {one.id for one in spread([each for g in groups.values() for each in g], n, seed)}
    return spread([item for item in items if item.id in kept], None, seed)


def verify(data: str, subset: str | Sequence[str] | None = None) -> list[Finding]:
    """What a machine can find in the items of `data`, with ids.

    The bundled items are held to more than a user's: to all that the documentation says of them.
    """
    items = load(data, subset).items
    return [*find(items), *(bundled_checks.find(items) if data == "bundled" else [])]


def find(items: Sequence[BinaryItem]) -> list[Finding]:
    """What a machine can find in any set of items: rewrites that break a form's rule, and labels
    that are not balanced."""
    found = []
    for item in items:
        for form in REWRITES:
            if not item.question(form):
                found.append(Finding(item.id, "form missing", f"{form} is not asked"))
                continue
            found += [
                Finding(item.id, "form rule", f"{form}: {problem}")
                for problem in problems(form, item.original, item.question(form))
            ]
        found += [Finding(item.id, "comparison", said) for said in _comparison_problems(item)]
    for subset in dict.fromkeys(item.subset for item in items):
        answers = Counter(item.answer for item in items if item.subset == subset)
        if answers["Yes"] != answers["No"]:
            counts = f"{answers['Yes']} Yes and {answers['No']} No"
            found.append(Finding(subset, "labels not balanced", counts))
    return found


def _comparison_problems(item: BinaryItem) -> Iterator[str]:
    """Wordings that compare with the number, but otherwise than `check` and their form demand."""
    if item.check is None:
        return
    for form in WORDINGS:
        asked = item.question(form)
        for problem in comparison_problems(form, item.original, asked, item.check.op, item.check.n):
            yield f"{form}: {problem}"


# What a user's file may hold; `askew data template binary_qa` prints it.
TEMPLATE = (
    '{"id": "ferry", "subset": "timetables", "passage": "The island ferry sails at nine and at '
    'noon, but never on Sundays.", "answer": "No", "original": "Does the ferry sail on Sundays?", '
    '"synonym": "Does the ferry run on Sundays?", "hedged": "Would you say that the ferry sails '
    'on Sundays?", "contradictory": "Does the ferry stay in port on Sundays?", "false_framing": '
    '"Is it false that the ferry sails on Sundays?"}',
    '{"id": "stalls", "subset": "numbers", "kind": "threshold", "passage": "Of the 40 stalls at '
    'the market, 27 sold food.", "answer": "Yes", "original": "Did more than 25 stalls sell '
    'food?", "synonym": "Did over 25 stalls offer food?", "hedged": "Does it seem that more than '
    '25 stalls sold food?", "contradictory": "Did 25 stalls or fewer sell food?", '
    '"false_framing": "Is it false that more than 25 stalls sold food?", "check": {"value": 27, '
    '"op": ">", "n": 25}}',
)
TEMPLATE_CSV = (
    "id,subset,passage,answer,original,synonym,hedged,contradictory,false_framing",
    'ferry,timetables,"The island ferry sails at nine and at noon, but never on Sundays.",No,'
    "Does the ferry sail on Sundays?,Does the ferry run on Sundays?,"
    "Would you say that the ferry sails on Sundays?,Does the ferry stay in port on Sundays?,"
    "Is it false that the ferry sails on Sundays?",
)
