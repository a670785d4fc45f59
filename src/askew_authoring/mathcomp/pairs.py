"""Pairs of sentences that a model wrote: read from its reply, and held against their arithmetic."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from askew.papers.mathcomp.arithmetic import Equation, EquationError, read_equation
from askew.papers.mathcomp.framings import FIXES, QUANTITIES, USUAL, Scenario
from askew.papers.mathcomp.items import parse_record
from askew.reading.reply import visible
from askew_authoring.building import Reviewed
from askew_authoring.mathcomp.lint import findings, framing_words, number_findings

_CELLS = ("sentence1", "sentence2", "category", "quantity", "equation1", "equation2", "task")
_PHRASE = ("noun", "verb", "verb_s", "rest")
# Of a hostile reply no more is looked at.
_LINES, _LONGEST_LINE = 400, 2_000
_NUMBERED = re.compile(r"^(?:[-*\u2022>]|\d{1,3}[.)])[ \t]+")
_RULE = re.compile(r"[-: ]*")


@dataclass(frozen=True)
class SheetRow(Reviewed):
    """One pair, for a person to accept, mend or reject."""

    id: str
    accept: str = ""
    problems: str = ""  # why it can't be used as it is
    remarks: str = ""  # what to look at: a machine can't tell whether it is wrong
    label: str = ""
    sentence1: str = ""
    sentence2: str = ""
    category: str = ""
    quantity: str = ""
    equation1: str = ""
    equation2: str = ""
    task: str = ""
    noun: str = ""
    verb: str = ""
    verb_s: str = ""
    rest: str = ""

    @property
    def record(self) -> dict[str, str]:
        """As `data=FILE` takes it."""
        told = {"id": self.id, "label": self.label}
        told |= {name: getattr(self, name) for name in (*_CELLS, *_PHRASE)}
        return {name: value for name, value in told.items() if value}


def pairs_of(reply: str) -> Iterator[list[str]]:
    """The lines of a reply that separate values, each as its values; prose around them is none."""
    for line in visible(reply).split("\n", _LINES)[:_LINES]:
        text = _NUMBERED.sub("", line[:_LONGEST_LINE].strip()).strip("|` \t")
        values = [value.strip(" \t*`") for value in text.split("|")]
        is_head = "sentence1" in map(str.casefold, values) or _RULE.fullmatch("".join(values))
        if len(values) > 2 and not is_head:
            yield values


def checked(row: SheetRow, category: str = "") -> SheetRow:
    """A pair, of the category that was asked for if any, with what is wrong with it or odd."""
    problems = []
    if category and row.category != category:
        problems.append(f"its category is {row.category!r:.40}, not {category!r}")
    if words := framing_words(f"{row.sentence1}\n{row.sentence2}"):
        problems.append(f"its sentences contain {', '.join(words)}")
    for name in ("equation1", "equation2"):
        # What can't be read at all, the record's own check names.
        with suppress(EquationError):
            if len(_calculation(getattr(row, name)).operands) < 2:
                problems.append(f"{name} {getattr(row, name)!r:.40} calculates nothing")
    open_words = needs_words(row)
    remarks = ["its question needs words: fill in noun, verb and verb_s"] if open_words else []
    # Without them the rest can be checked all the same.
    worded = replace(row, noun="x", verb="x", verb_s="x") if open_words else row
    try:
        remarks += _remarks(row, parse_record(worded.record).scenario(1))
    except ValidationError as error:
        problems += [_message(told) for told in error.errors()]
    except ValueError as error:
        problems.append(str(error))
    return replace(row, problems="; ".join(problems), remarks="; ".join(remarks))


def needs_words(row: SheetRow) -> bool:
    """Whether nobody has worded the question for a quantity that the usual words don't fit."""
    worded = row.noun or (row.task, row.quantity) in FIXES
    return row.quantity in QUANTITIES and row.quantity not in USUAL and not worded


def _calculation(equation: str) -> Equation:
    """An equation without the total that it states."""
    return read_equation(equation.partition("=")[0])


def _message(told: Mapping[str, Any]) -> str:
    where = ".".join(map(str, told["loc"]))
    said = str(told["msg"]).removeprefix("Value error, ")
    return f"{where}: {said}" if where else said


def _remarks(row: SheetRow, scenario: Scenario) -> Iterator[str]:
    for sentence, name in ((row.sentence1, "equation1"), (row.sentence2, "equation2")):
        calculation = _calculation(getattr(row, name))
        for found in number_findings(row.id, name, sentence, calculation):
            yield f"{found.kind.replace('_', ' ')}: {found.message}"
    yield from (f"{found.kind}: {found.message}" for found in findings([scenario]))


def row_of(
    name: str, values: Sequence[str], told: Mapping[str, Any], seen: set[tuple[str, str]]
) -> SheetRow:
    """A line of a reply as a row, checked; `seen` are the pairs before it."""
    row = SheetRow(id=name, label=str(told["label"]))
    if len(values) != len(_CELLS):
        line = " | ".join(values)
        return replace(row, sentence1=line, problems=f"{len(values)} values, not {len(_CELLS)}")
    row = replace(row, **dict(zip(_CELLS, values, strict=True)))
    row = checked(replace(row, quantity=row.quantity.casefold()), str(told["category"]))
    pair = (row.sentence1.casefold(), row.sentence2.casefold())
    if pair in seen and not row.problems:
        row = replace(row, problems="the same two sentences as another pair")
    seen.add(pair)
    return row
