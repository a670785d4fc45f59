"""A user's own MathComp scenarios: one record a pair of sentences, checked before it is asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator

from askew.papers.mathcomp.arithmetic import evaluate
from askew.papers.mathcomp.paper import LABELS
from askew.papers.mathcomp.paper_files import normal_sentence
from askew.papers.mathcomp.phrases import Phrase, paper_phrase
from askew.papers.mathcomp.scenarios import Scenario, label_of
from askew.papers.mathcomp.sentence_numbers import numbers_in
from askew.schema import clean_id

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]

# Columns of the paper's file by the names of our fields; the last one we find out ourselves.
_PAPER_NAMES: Mapping[str, str] = {
    "ID": "id",
    "studied_quantity": "quantity",
    "result_comparison": "label",
    "equation_sentence1": "equation1",
    "equation_sentence2": "equation2",
}
_NUMBER_FORMAT = "natural_language_coefficient"
_OTHER_BRACES = re.compile(r"[{}]")


class ScenarioRecord(BaseModel):
    """Two sentences, about `{A}` and about `{B}`, and what `{B}`'s total is against `{A}`'s.

    The label may be left out where both equations are given; where all three are there, they
    must agree. `noun`, `verb`, `verb_s` and `rest` word the question; without them it asks for
    the quantity that somebody spends on the task (covers while doing it, for a distance).
    """

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    id: str = ""
    sentence1: Text
    sentence2: Text
    category: Text = "own"
    quantity: Text
    task: Text
    label: str = ""
    equation1: str = ""
    equation2: str = ""
    noun: str = ""
    verb: str = ""
    verb_s: str = ""
    rest: str = ""

    @model_validator(mode="after")
    def _is_a_question(self) -> ScenarioRecord:
        for sentence, person in ((self.told(1), "{A}"), (self.told(2), "{B}")):
            if person not in sentence or _OTHER_BRACES.search(sentence.replace(person, "")):
                raise ValueError(
                    f"{sentence[:60]!r} must name its person as {person} and hold no other braces"
                )
        if bool(self.equation1) != bool(self.equation2):
            raise ValueError("equation1 and equation2 come together or not at all")
        if not self.equation1 and self.label not in LABELS:
            raise ValueError(
                f"label {self.label!r} is none of {', '.join(LABELS)}, and there are no equations "
                "to find it by"
            )
        if self.equation1 and self.label not in ("", self.computed()):
            totals = [f"{float(evaluate(e)):g}" for e in (self.equation1, self.equation2)]
            raise ValueError(
                f"label {self.label!r} contradicts the equations: {totals[0]} and {totals[1]}, "
                f"so {self.computed()}"
            )
        self.phrase()
        return self

    def told(self, number: int) -> str:
        """A sentence with our placeholders and pronouns that fit every identity."""
        return normal_sentence(self.sentence1 if number == 1 else self.sentence2)

    def computed(self) -> str:
        return label_of(evaluate(self.equation1), evaluate(self.equation2))

    def phrase(self) -> Phrase:
        if not self.noun:
            return paper_phrase(self.task, self.quantity)
        if not (self.verb and self.verb_s):
            raise ValueError("noun needs verb and verb_s beside it, such as spend and spends")
        return Phrase(self.noun, self.verb, self.verb_s, self.rest)


def parse_record(raw: Mapping[str, Any]) -> ScenarioRecord:
    """A validated record; the columns of the paper's file are known by their names."""
    fields = {_PAPER_NAMES.get(k, k): v for k, v in raw.items() if k != _NUMBER_FORMAT}
    return ScenarioRecord.model_validate(fields)


def scenarios_of(records: Sequence[ScenarioRecord]) -> list[Scenario]:
    """Scenarios of a file's records."""
    scenarios = [_scenario(record, number) for number, record in enumerate(records, start=1)]
    repeated = [i for i, n in Counter(s.id for s in scenarios).items() if n > 1]
    if repeated:
        raise ValueError(f"ids occur more than once: {', '.join(repeated[:10])}")
    return scenarios


def _scenario(record: ScenarioRecord, number: int) -> Scenario:
    label = record.label or record.computed()
    one, other = record.told(1), record.told(2)
    return Scenario(
        id=clean_id(record.id or f"scenario-{number:04d}"),
        sentence1=one,
        sentence2=other,
        category=record.category,
        quantity=record.quantity,
        task=record.task,
        label=next(known for known in LABELS if known == label),
        equation1=record.equation1,
        equation2=record.equation2,
        verbal=bool(numbers_in(f"{one} {other}").words),
        phrase=record.phrase(),
    )


# What a user's file may hold; `askew data template mathcomp` prints it.
TEMPLATE = (
    '{"id": "allotment", "sentence1": "{A} weeded for 40 minutes and watered for 15 minutes.", '
    '"sentence2": "{B} weeded for half an hour and mended a fence for 25 minutes.", "category": '
    '"Gardening", "quantity": "time", "task": "garden work", "label": "equal", '
    '"equation1": "40 + 15", "equation2": "30 + 25"}',
    '{"id": "orchard", "sentence1": "{A} filled 3 crates with 12 kilograms of pears each.", '
    '"sentence2": "{B} filled 2 crates with 15 kilograms of pears each.", "category": "Gardening", '
    '"quantity": "weight", "task": "picking pears", "label": "less", "noun": "fruit", '
    '"verb": "pick", "verb_s": "picks", "rest": "by weight"}',
)
TEMPLATE_CSV = (
    "id,sentence1,sentence2,category,quantity,task,label,equation1,equation2",
    "allotment,{A} weeded for 40 minutes and watered for 15 minutes.,"
    "{B} weeded for half an hour and mended a fence for 25 minutes.,"
    "Gardening,time,garden work,equal,40 + 15,30 + 25",
)
