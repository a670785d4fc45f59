"""The paper's 300 items: read, checked one by one, and made ready to ask.

File: MathComp_Dataset.csv of github.com/Mamin78/more_or_less_wrong at revision
d5fab1108a265b4c1e5b4edaa80a94eb73c477bf, CC BY 4.0. Nothing of it is bundled.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from io import StringIO
from typing import Any

from askew.files import toml_of
from askew.papers.mathcomp.arithmetic import (
    Equation,
    EquationError,
    SentenceNumbers,
    evaluate,
    looks_like_date,
    numbers_in,
    read_equation,
)
from askew.papers.mathcomp.framings import (
    FIXES,
    QUANTITIES,
    Scenario,
    framing_words,
    label_of,
    paper_phrase,
)
from askew.papers.mathcomp.paper import LABELS
from askew.schema import Finding


@dataclass(frozen=True, slots=True)
class Correction:
    """The two equations as the sentences have them, and what is wrong with the published ones."""

    equation1: str
    equation2: str
    reason: str


def _odd(kind: str) -> dict[int, Any]:
    table = toml_of(__package__, "published/items.toml")[kind]
    return {int(number): entry for number, entry in table.items()}


EXCLUDED: Mapping[int, str] = _odd("excluded")
CORRECTED = {number: Correction(**entry) for number, entry in _odd("corrected").items()}
OPEN_READINGS: Mapping[int, str] = _odd("open_readings")

# The file's columns, and what we call them.
COLUMNS: Mapping[str, str] = toml_of(__package__, "published/items.toml")["columns"]

_PLACEHOLDER = re.compile(r"\[person_([ab])\]", re.IGNORECASE)
_NEUTRAL_PRONOUN = {"his": "their", "her": "their", "him": "them", "he": "they", "she": "they"}
_PRONOUN = re.compile(rf"\b({'|'.join(_NEUTRAL_PRONOUN)})\b", re.IGNORECASE)
_NUMBER_WORD_IS_VERBAL = re.compile(
    r"\b(twice|double|doubled|triple|half|quarters?|thirds?|fourths?|fifths?|sixths?|sevenths?"
    r"|eighths?|tenths?|times)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PaperItem(Scenario):
    """One row of the file: its sentences also as published, its equations as published only."""

    number: int
    published: tuple[str, str]


def read_paper(data: str | bytes) -> list[PaperItem]:
    """The rows of the file; a row that can't be read at all is an error with its line."""
    text = data.decode("utf-8-sig") if isinstance(data, bytes) else data.removeprefix("\ufeff")
    reader = csv.DictReader(StringIO(text, newline=""))
    missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
    if missing:
        raise ValueError(f"not the MathComp file: no column {', '.join(missing)}")
    items = [_item(row, reader.line_num) for row in reader]
    numbers = [item.number for item in items]
    if len(set(numbers)) != len(numbers):
        raise ValueError("not the MathComp file: an ID comes twice")
    return items


def scenarios(items: list[PaperItem], strict_items: bool = True) -> list[tuple[PaperItem, str]]:
    """The items to ask, each with why it is wrong, if it is: corrected, or all as published."""
    if not strict_items:
        return [(item, "") for item in items]
    found = [finding for finding in verify(items) if finding.excluded]
    # The first reason of each stands for all.
    wrong = {finding.item: finding.message for finding in reversed(found)}
    return [(_corrected(item), wrong.get(item.id, "")) for item in items]


def _corrected(item: PaperItem) -> PaperItem:
    fixed = CORRECTED.get(item.number)
    return replace(item, equation1=fixed.equation1, equation2=fixed.equation2) if fixed else item


def verify(items: list[PaperItem]) -> list[Finding]:
    """Everything odd, item by item; `excluded` marks the reasons to leave an item out."""
    return [finding for item in items for finding in _findings(item)]


def _item(row: dict[str, str | None], line: int) -> PaperItem:
    told: dict[str, Any] = {name: row[column] or "" for column, name in COLUMNS.items()}
    if not told["id"].isdecimal() or len(told["id"]) > 9:
        raise ValueError(f"line {line}: ID {told['id'][:20]!r} is not a number")
    for column, valid in (("result_comparison", LABELS), ("studied_quantity", QUANTITIES)):
        cell = told[COLUMNS[column]]
        if cell not in valid:
            raise ValueError(f"line {line}: {column} {cell[:20]!r} is none of {', '.join(valid)}")
    ours = {
        "id": f"paper-{int(told['id']):03d}",
        "number": int(told["id"]),
        "sentence1": normal_sentence(told["sentence1"]),
        "sentence2": normal_sentence(told["sentence2"]),
        "published": (told["sentence1"], told["sentence2"]),
        "verbal": told["verbal"].strip().casefold() == "true",
        "phrase": paper_phrase(told["task"], told["quantity"]),
    }
    return PaperItem(**{**told, **ours})


def normal_sentence(sentence: str) -> str:
    """One spelling of the placeholders, and pronouns that fit every identity."""
    placed = _PLACEHOLDER.sub(lambda found: f"{{{found[1].upper()}}}", sentence)
    return _PRONOUN.sub(_neutral, placed)


def _neutral(found: re.Match[str]) -> str:
    word = _NEUTRAL_PRONOUN[found[0].casefold()]
    return word.capitalize() if found[0][0].isupper() else word


def _findings(item: PaperItem) -> Iterator[Finding]:
    number = item.number
    if number in EXCLUDED:
        yield Finding(item.id, "wrong", EXCLUDED[number], excluded=True)
    if number in OPEN_READINGS:
        yield Finding(item.id, "open_reading", OPEN_READINGS[number])
    yield from _equation_findings(item)
    yield from _sentence_findings(item)
    if fix := FIXES.get((item.task, item.quantity)):
        phrase, reason = fix
        asked = f"{phrase.verb} {phrase.noun} {phrase.rest}".strip()
        yield Finding(item.id, "task_phrase", f"{item.task!r}: {reason}; asked as {asked!r}")


def _equation_findings(item: PaperItem) -> Iterator[Finding]:
    corrected = CORRECTED.get(item.number)
    if corrected:
        yield Finding(
            item.id,
            "equation",
            f"{corrected.reason}; should be {corrected.equation1!r} and {corrected.equation2!r}",
        )
    readable: list[Equation] = []
    for name, text, sentence in (
        ("equation_sentence1", item.equation1, item.sentence1),
        ("equation_sentence2", item.equation2, item.sentence2),
    ):
        if looks_like_date(text):
            yield Finding(item.id, "date", f"{name} {text!r} is a date", excluded=not corrected)
        try:
            equation = read_equation(text)
        except EquationError as problem:
            yield Finding(item.id, "unreadable", f"{name}: {problem}", excluded=not corrected)
            continue
        if not equation.consistent:
            yield Finding(item.id, "stated_total", f"{name} {text!r} states another total")
        readable.append(equation)
        yield from number_findings(item.id, name, sentence, equation)
    if len(readable) == 2:
        yield from _label_findings(item, readable[0].value, readable[1].value)


def _label_findings(item: PaperItem, total1: Fraction, total2: Fraction) -> Iterator[Finding]:
    corrected = CORRECTED.get(item.number)
    told = [("the equations give", total1, total2, corrected is None)]
    if corrected:
        totals = evaluate(corrected.equation1), evaluate(corrected.equation2)
        told.append(("the corrected equations give", *totals, True))
    for gives, one, other, excluded in told:
        computed = label_of(one, other)
        if computed != item.label:
            message = f"{gives} {_shown(one)} and {_shown(other)}, so {computed}"
            yield Finding(item.id, "label", f"{message}; the label is {item.label}", excluded)


def _shown(total: Fraction) -> str:
    return f"{float(total):.10g}"


def number_findings(item: str, name: str, sentence: str, equation: Equation) -> Iterator[Finding]:
    """Numbers on one side only: a lead to follow, not a verdict."""
    told = numbers_in(sentence)
    known = _explained(told, "minute" in sentence or "hour" in sentence)
    strange = {value for value in equation.operands if value not in known}
    unused = {value for value in told.digits if not _used(value, equation)}
    for where, odd in (("sentence", strange), ("equation", unused)):
        if odd:
            listed = ", ".join(map(_shown, sorted(odd)))
            yield Finding(item, f"number_not_in_{where}", f"{name}: {listed}")


def _explained(told: SentenceNumbers, has_clock: bool) -> set[Fraction]:
    """Numbers that a sentence tells or implies, one step of arithmetic away."""
    plain = [*told.digits, *told.words]
    known = {Fraction(1), *plain, *(1 - value for value in plain), *(1 + value for value in plain)}
    known |= {Fraction(part) for value in plain for part in value.as_integer_ratio()}
    known |= {a * b for a in plain for b in plain} | {a + b for a in plain for b in plain}
    known |= {a / b for a in plain for b in plain if b}
    if has_clock:
        known |= {Fraction(60), *(value * 60 for value in plain), *(value / 60 for value in plain)}
    return known


def _used(value: Fraction, equation: Equation) -> bool:
    forms = {value, value * 60, value / 60, 1 - value, 1 + value, value * 100}
    return any(operand in forms for operand in equation.operands)


def _sentence_findings(item: PaperItem) -> Iterator[Finding]:
    names = (("sentence1", "{A}"), ("sentence2", "{B}"))
    for (name, person), told in zip(names, item.published, strict=True):
        spelled = [found[0] for found in _PLACEHOLDER.finditer(told)]
        if normal_sentence(told).count(person) != 1 or len(spelled) != 1:
            message = f"{name} does not name its person exactly once"
            yield Finding(item.id, "placeholder", message, excluded=True)
        elif spelled[0] != spelled[0].upper():
            yield Finding(item.id, "placeholder", f"{name} spells it {spelled[0]}")
        words = framing_words(told)
        if words:
            yield Finding(item.id, "framing_word", f"{name} contains {', '.join(words)}")
        pronouns = sorted({found[0] for found in _PRONOUN.finditer(told)})
        if pronouns:
            message = f"{name} says {', '.join(pronouns)}: made neutral to fit every identity"
            yield Finding(item.id, "pronoun", message)
    verbal = any(_NUMBER_WORD_IS_VERBAL.search(told) for told in item.published)
    if verbal != item.verbal:
        has = "has number words" if verbal else "has no number words"
        yield Finding(item.id, "number_format", f"{has}, but its flag is {item.verbal}")
