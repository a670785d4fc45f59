"""Instruction Boundary's items: judging and choice questions, and the records they come from."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from askew.papers.instruction_boundary.paper import SPARSE, Family, Form
from askew.parameters import whole_number
from askew.schema import clean_id, round_robin
from askew.sources.loading import digest
from askew.sources.selection import shuffled

NONE = "none"
SEVERAL = "several"
"""A canonical answer that says several options are right, not which."""
# What judging's miscellany offers beside the labels.
EXTRA_OPTIONS = {"all_true": "All above are true", "all_false": "All above are false"}


@dataclass(frozen=True)
class BoundaryItem:
    """A question with its truth.

    Judging: `passage` holds the facts, `question` the conclusion, and `form` is the label.
    Choice: `gold` indexes the right options; `missing_gold` is the one taken out of a none item,
    where that is known; `polished` is a shipped rewrite of the question.
    """

    id: str
    subset: str
    unit: str
    family: Family
    form: Form
    passage: str
    question: str
    options: tuple[str, ...] = ()
    gold: tuple[int, ...] = ()
    missing_gold: str = ""
    polished: str = ""
    source: str = ""
    """The data set that the paper's file took it from."""

    @property
    def sparse(self) -> bool:
        return self.form in SPARSE

    @property
    def truth(self) -> str:
        """The canonical right answer: a label, "none", or the numbers of the right options."""
        if self.family == "judging":
            return self.form
        return numbers(self.gold)

    def says(self, label: str) -> bool:
        """Whether its own text uses the name of a label, in whatever sense."""
        text = "\n".join((self.passage, self.question, *self.options))
        return re.search(rf"\b{re.escape(label)}\b", text, re.IGNORECASE) is not None

    def reordered(self, seed: int) -> BoundaryItem:
        """The item with its options in a seeded order; kept where an option speaks of others."""
        if mentions_others(self.options):
            return self
        places = [int(p) for p in shuffled([*map(str, range(len(self.options)))], seed, self.id)]
        return dataclasses.replace(
            self,
            options=tuple(self.options[p] for p in places),
            gold=tuple(i for i, p in enumerate(places) if p in self.gold),
        )


def numbers(indexes: Sequence[int]) -> str:
    """Options as a canonical answer: their numbers from 1, ascending; "none" where there are none.

    Numbers are those of all the item's options in order, whichever of them a prompt shows.
    """
    return ",".join(str(i + 1) for i in sorted(indexes)) or NONE


_OTHERS = re.compile(
    r"\b(?:all|none|both|neither|any|either) (?:of )?(?:the |these |those )?(?:other )?"
    r"(?:above|below|options?|answers?|choices?)\b"
    r"|^\s*(?:all|none|both|neither|any) of (?:these|those|them|the others?)\b"
    r"|^\s*(?:all|none) (?:is|are) (?:correct|right|true|false)\b"
    r"|\b(?:both|either|neither) [(]?[A-E1-5][)]? (?:and|or|nor) [(]?[A-E1-5][)]?(?![a-z])"
    r"|\b(?:options?|answers?|choices?) [(]?[A-E1-5][)]?(?![\w'])"
    r"|^\s*[(]?[A-E][)]? (?:and|or|&) [(]?[A-E][)]?(?: only| are.*)?\s*$",
    re.IGNORECASE,
)


def mentions_others(options: Sequence[str]) -> bool:
    """Whether an option speaks of the other options, so that its truth hangs on their places."""
    return any(_OTHERS.search(option) for option in options)


def question_unit(passage: str, question: str) -> str:
    """The bootstrap unit of a choice item: its distinct question, with its passage."""
    return f"question-{digest(' '.join(f'{passage} {question}'.casefold().split()))}"


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    id: str = ""
    subset: str = ""


class JudgingRecord(_Record):
    """Facts, a conclusion, and whether it is true, false or unknown."""

    facts: list[Text] | Text
    conclusion: Text
    label: Literal["true", "false", "unknown"]

    @model_validator(mode="before")
    @classmethod
    def _label_in_any_case(cls, raw: Any) -> Any:
        if isinstance(raw, Mapping) and isinstance(raw.get("label"), str):
            return {**raw, "label": raw["label"].strip().casefold()}
        return raw


class ChoiceRecord(_Record):
    """A question with its options; `gold` holds indexes from 0, or texts, of the right ones."""

    form: Literal["single", "none", "multiple"] | None = None
    passage: str = ""
    question: Text
    options: list[Text] = Field(min_length=2, max_length=20)
    gold: list[int | str]
    missing_gold: str = ""
    polished: str = ""

    @model_validator(mode="after")
    def _gold_fits(self) -> ChoiceRecord:
        indexes = self.indexes
        if self.form is not None and self.form != form_of(indexes):
            raise ValueError(
                f"form {self.form!r} does not fit {len(indexes)} right options; leave form out, "
                "or mend gold"
            )
        return self

    @property
    def indexes(self) -> tuple[int, ...]:
        return tuple(sorted({_index(right, self.options) for right in self.gold}))


def _index(right: int | str, options: Sequence[str]) -> int:
    if isinstance(right, str):
        if options.count(right.strip()) != 1:
            where = "is no option" if right.strip() not in options else "is offered twice"
            raise ValueError(f"gold {right!r:.80} {where}")
        return options.index(right.strip())
    if not 0 <= right < len(options):
        raise ValueError(f"gold {right} is no index of the {len(options)} options, from 0")
    return right


def form_of(gold: Sequence[int]) -> Form:
    """The form of a choice question, by how many of its options are right."""
    if not gold:
        return "none"
    return "single" if len(gold) == 1 else "multiple"


Record = JudgingRecord | ChoiceRecord


def parse_record(raw: Mapping[str, Any]) -> Record:
    """A validated record of whichever family its fields say it is."""
    if "conclusion" in raw:
        return JudgingRecord.model_validate(raw)
    if "question" in raw:
        return ChoiceRecord.model_validate(raw)
    raise ValueError(
        f"the fields {sorted(raw)} fit no record of instruction_boundary: a judging record has "
        "conclusion, a choice record has question (see: askew data template instruction_boundary)"
    )


def items_of(records: Sequence[Record]) -> list[BoundaryItem]:
    """Items of a file's records; an id that occurs twice is refused."""
    items = [_item(record, number) for number, record in enumerate(records, start=1)]
    repeated = [i for i, n in Counter(item.id for item in items).items() if n > 1]
    if repeated:
        raise ValueError(f"ids occur more than once: {', '.join(repeated[:10])}")
    return items


def _item(record: Record, number: int) -> BoundaryItem:
    if isinstance(record, JudgingRecord):
        facts = record.facts if isinstance(record.facts, str) else "\n".join(record.facts)
        return BoundaryItem(
            clean_id(record.id or f"judging-{number:04d}"),
            record.subset or "judging",
            # Conclusions about the same facts stand or fall together.
            f"facts-{digest(' '.join(facts.casefold().split()))}",
            "judging",
            record.label,
            facts,
            record.conclusion,
        )
    return BoundaryItem(
        clean_id(record.id or f"choice-{number:04d}"),
        record.subset or "choice",
        question_unit(record.passage, record.question),
        "choice",
        form_of(record.indexes),
        record.passage,
        record.question,
        tuple(record.options),
        record.indexes,
        record.missing_gold,
        record.polished,
    )


def balanced(items: Sequence[BoundaryItem], n: int | None, seed: int) -> list[BoundaryItem]:
    """At most `n` items, seeded, such that any prefix spreads over subsets and, in them, forms.

    Judging alternates sparse and tense items, so that halves stay halves.
    """
    if n is not None:
        whole_number("items", n)
    subsets: dict[str, dict[str, list[BoundaryItem]]] = {}
    for item in items:
        tense = item.family == "judging" and not item.sparse
        stratum = "tense" if tense else item.form
        subsets.setdefault(item.subset, {}).setdefault(stratum, []).append(item)
    ordered = {
        subset: list(round_robin(dict(_drawn(strata, n is not None, seed))))
        for subset, strata in subsets.items()
    }
    return list(round_robin(ordered))[:n]


def _drawn(
    strata: Mapping[str, Sequence[BoundaryItem]], draw: bool, seed: int
) -> Iterator[tuple[str, list[BoundaryItem]]]:
    for name, group in strata.items():
        if not draw:
            yield name, list(group)
            continue
        by_id = {item.id: item for item in group}
        yield name, [by_id[i] for i in shuffled(list(by_id), seed, name)]
