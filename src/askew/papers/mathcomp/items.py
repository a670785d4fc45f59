"""MathComp: its items, its 14 framings as factors, and the three places its scenarios come from."""

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Self, cast

from pydantic import AfterValidator, model_validator

from askew.files import toml_of
from askew.papers.mathcomp.framings import FRAMINGS, Framing, Phrase, Scenario, label_of, phrase_for
from askew.papers.mathcomp.paper import LABELS, PAPER, SUBSETS, Label
from askew.parameters import SelectionError, check_bool, choose, quote
from askew.schema import clean_id
from askew.sources import loading
from askew.sources.pinned import fetch, on_github
from askew.sources.records import read_records

SOURCES = on_github(PAPER.task, **toml_of(__package__, "sources.toml"))
_SOURCE = SOURCES["MathComp_Dataset.csv"]
FILES = loading.Files(
    PAPER.task, PAPER.home, dict.fromkeys(SUBSETS, "scenarios.jsonl"), {}, tiers=True,
    # Of the generator that once made them.
    named={"437e76ee60fe": "generator6.seed1.n300.ed47eaff2e"},
)  # fmt: skip
SEED = 1  # of the bundled ones


def framings(
    style: str | Sequence[str] | None = None,
    term: str | Sequence[str] | None = None,
    position: str | Sequence[str] | None = None,
) -> tuple[Framing, ...]:
    """The framings that have one of the given values in each factor, in the paper's order."""
    given = {"style": style, "term": term, "position": position}
    values = {name: PAPER.factor(name).select(wanted) for name, wanted in given.items()}
    chosen = tuple(f for f in FRAMINGS if all(getattr(f, n) in of for n, of in values.items()))
    if not chosen:
        named = " and ".join(f"{name}={','.join(values[name])}" for name in ("style", "term"))
        raise SelectionError(
            f"{named}: no framing has both; the neutral style goes with the term none, the others "
            "with more, less and equal"
        )
    return chosen


def load(
    data: str, subset: str | Sequence[str] | None = None, *, strict_items: bool = True
) -> loading.ItemSet[Scenario]:
    """Items of `data` ("bundled", "paper" or a path); strict marks wrong items of the paper."""
    check_bool("strict_items", strict_items)
    if data == "bundled":
        loaded = _bundled()
    elif path := papers_file(data):
        # Where wrong items count, runs are told apart by it.
        revision = loading.revision_of([path]) + ("" if strict_items else ".as_published")
        made = scenarios(path, strict_items=strict_items)
        loaded = loading.ItemSet(made, "paper" if data == "paper" else "file", revision)
    else:
        return loading.load_items(FILES, data, subset, parse_record, items_of)
    wanted = choose("subset", subset, SUBSETS)
    kept = [item for item in loaded.items if item.subset in wanted]
    return loading.ItemSet(kept, loaded.origin, loaded.revision)


@cache
def _bundled() -> loading.ItemSet[Scenario]:
    return loading.load_items(FILES, "bundled", None, parse_record, items_of)


def papers_file(data: str) -> Path | None:
    """The paper's own file, where that is what was named."""
    path = fetch(_SOURCE) if data == "paper" else loading.user_file(PAPER.task, data)
    return path if data == "paper" or _SOURCE.fits(path.read_bytes()) else None


_TABLE = toml_of(__package__, "published/items.toml")
# The file's columns, and what we call them; items that are wrong, that we correct (the equations
# as the sentences have them, and the reason), and that can be read in two ways.
COLUMNS: Mapping[str, str] = _TABLE["columns"]
EXCLUDED, CORRECTED, OPEN_READINGS = (
    {f"paper-{int(number):03d}": entry for number, entry in _TABLE[kind].items()}
    for kind in ("excluded", "corrected", "open_readings")
)
_PLACEHOLDER = re.compile(r"\[person_([ab])\]", re.IGNORECASE)
_NEUTRAL = {"his": "their", "her": "their", "him": "them", "he": "they", "she": "they"}
# Such as "twice".
_NUMBERS = toml_of(__package__, "numbers.toml")
_NUMBER_WORDS = {word for kind in _NUMBERS.values() for word in kind}
_PRONOUN = re.compile(rf"\b({'|'.join(_NEUTRAL)})\b", re.IGNORECASE)


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of the paper's file, under our names."""
    return read_records(path, lambda raw: {COLUMNS[column]: cell for column, cell in raw.items()})


def scenario_of(row: Mapping[str, str]) -> Scenario:
    """One row as published, but for placeholders and pronouns."""
    made: dict[str, Any] = {**row, "id": f"paper-{int(row['id']):03d}"}
    made |= {name: normal_sentence(row[name]) for name in ("sentence1", "sentence2")}
    made["verbal"] = row["verbal"].strip().casefold() == "true"
    return Scenario(**made, phrase=phrase_for(row["task"], row["quantity"]))


def scenarios(path: Path, strict_items: bool = True) -> list[Scenario]:
    """The items to ask: corrected, and those marked that are wrong; or all as published."""
    made = [scenario_of(row) for row in rows_of(path)]
    if not strict_items:
        return made
    fixed = {
        name: {k: v for k, v in fix.items() if k != "reason"} for name, fix in CORRECTED.items()
    }
    return [replace(s, **fixed.get(s.id, {}), wrong=EXCLUDED.get(s.id, "")) for s in made]


def normal_sentence(sentence: str) -> str:
    """One spelling of the placeholders, and pronouns that fit every identity."""

    def neutral(found: re.Match[str]) -> str:
        word = _NEUTRAL[found[0].casefold()]
        return word.capitalize() if found[0][0].isupper() else word

    placed = _PLACEHOLDER.sub(lambda found: f"{{{found[1].upper()}}}", sentence)
    return _PRONOUN.sub(neutral, placed)


# With our placeholders, and pronouns that fit every identity.
Sentence = Annotated[loading.Text, AfterValidator(normal_sentence)]


class ScenarioRecord(loading.FileRecord):
    """Two sentences, and what `{B}`'s total is against `{A}`'s: by label, equations, or both.

    `noun`, `verb`, `verb_s` and `rest` word the question; else its quantity and task do.
    """

    sentence1: Sentence
    sentence2: Sentence
    category: loading.Text = "own"
    quantity: loading.Text
    task: loading.Text
    label: str = ""
    equation1: str = ""
    equation2: str = ""
    noun: str = ""
    verb: str = ""
    verb_s: str = ""
    rest: str = ""

    @model_validator(mode="after")
    def _is_a_question(self) -> Self:
        for sentence, person in ((self.sentence1, "{A}"), (self.sentence2, "{B}")):
            if person not in sentence or re.search("[{}]", sentence.replace(person, "")):
                raise ValueError(f"{sentence[:60]!r} must contain {person} and no other braces")
        if bool(self.equation1) != bool(self.equation2):
            raise ValueError("equation1 and equation2 come together or not at all")
        if not self.equation1 and self.label not in LABELS:
            raise ValueError(
                f"label {self.label!r} is none of {', '.join(LABELS)}, and there are no equations "
                "to find it by"
            )
        if self.equation1 and self.label not in ("", self.compute_answer()):
            totals = [f"{float(evaluate(e)):g}" for e in (self.equation1, self.equation2)]
            raise ValueError(
                f"label {self.label!r} contradicts the equations: {totals[0]} and {totals[1]}, "
                f"so {self.compute_answer()}"
            )
        self.phrase()
        return self

    def compute_answer(self) -> Label:
        return label_of(evaluate(self.equation1), evaluate(self.equation2))

    def phrase(self) -> Phrase:
        if not self.noun:
            return phrase_for(self.task, self.quantity)
        if not (self.verb and self.verb_s):
            raise ValueError("noun also needs verb and verb_s, such as spend and spends")
        return Phrase(self.noun, self.verb, self.verb_s, self.rest)

    def scenario(self, number: int) -> Scenario:
        """The record as a scenario; one without an id is named by its place in the file."""
        told = f"{self.sentence1} {self.sentence2}"
        as_told = {"sentence1", "sentence2", "category", "quantity", "task", "tier"}
        return Scenario(
            **self.model_dump(include=as_told | {"equation1", "equation2"}),
            id=clean_id(self.id or f"scenario-{number:04d}"),
            label=cast(Label, self.label) if self.label else self.compute_answer(),
            verbal=not _NUMBER_WORDS.isdisjoint(re.findall("[a-z]+", told.casefold())),
            phrase=self.phrase(),
            pattern=self.cluster,
        )


def parse_record(raw: Mapping[str, Any]) -> ScenarioRecord:
    """A validated record; the columns of the paper's file are known by their names."""
    # How its numbers are told we find out ourselves.
    fields = {COLUMNS.get(c, c): v for c, v in raw.items() if COLUMNS.get(c) != "verbal"}
    return ScenarioRecord.model_validate(fields)


def items_of(records: Sequence[ScenarioRecord]) -> list[Scenario]:
    """Items of a file's records."""
    return [record.scenario(n) for n, record in enumerate(records, start=1)]


# --- exact values of equations, parsed with Python's grammar and computed with fractions ---
#
# Such as `(3*4) + 2(5-1)`, `20% x 45`, `3*4 = 12`; `%` divides by 100, and `2/3(45)` is thirty.

MAX_LENGTH = 1_000

# Variants of operators.
_OPERATOR_VARIANTS = str.maketrans(
    {variant: sign for sign, variants in _NUMBERS["operators"].items() for variant in variants}
)
# Characters that an equation can't contain.
_INVALID = re.compile(r"[^0-9+\-*/%() ]|[*/]{2}")
_NUMBER_CANDIDATE = re.compile(r"[$€£]?([0-9.][0-9.,]*)")
_NUMBER = re.compile(r"(?=\.?[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]*)?")
_SIGNS = re.compile(r"[+-](?:\s*[+-])+")
_IMPLIED_PRODUCT = re.compile(r"(?<=[0-9)%])\s*(?=\()|(?<=\))\s*(?=[0-9])")
_PERCENT = re.compile(r"\s*%(?:\s*%)*")
_OPERATORS: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip


class EquationError(ValueError):
    """An equation without a valid value, and why."""


@dataclass(frozen=True)
class Equation:
    """Value of the left side, operands of all sides, and totals after each `=` (`stated`)."""

    value: Fraction
    operands: tuple[Fraction, ...]
    stated: tuple[Fraction, ...] = ()


def evaluate(text: str) -> Fraction:
    """Return the exact value; raise EquationError if a stated total is wrong."""
    equation = read_equation(text)
    if set(equation.stated) - {equation.value}:
        right = ", ".join(str(total) for total in equation.stated)
        why = f"the left side is {equation.value}, but the right side is {right}"
        raise EquationError(f"{why}: {quote(text)}")
    return equation.value


def read_equation(text: str) -> Equation:
    """Parse an equation without checking its stated totals."""
    if len(text) > MAX_LENGTH:
        raise EquationError(f"longer than {MAX_LENGTH} characters: {quote(text)}")
    operands: list[Fraction] = []
    try:
        totals = [_total(side, operands) for side in text.translate(_OPERATOR_VARIANTS).split("=")]
    except (ArithmeticError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
        known = {ZeroDivisionError: "division by zero", ValueError: str(error)}
        why = known.get(type(error), "not an equation")
        raise EquationError(f"{why}: {quote(text)}") from None
    return Equation(totals[0], tuple(operands), tuple(totals[1:]))


def _total(side: str, operands: list[Fraction]) -> Fraction:
    """Return the value of one side; append its numbers to `operands`."""

    def replace_number(written: re.Match[str]) -> str:
        if not _NUMBER.fullmatch(written[1]):
            raise ValueError(f"{written[1]!r} is not a number")
        operands.append(Fraction(written[1].replace(",", "")))
        return f" {len(operands) - 1} "  # its index in `operands`: the parser never sees a float

    text = " ".join(_NUMBER_CANDIDATE.sub(replace_number, side).split())
    if invalid := _INVALID.search(text):
        raise ValueError(f"unexpected {invalid[0]!r}")
    text = _SIGNS.sub(lambda signs: "+-"[signs[0].count("-") % 2], text)
    # `%` becomes a power, because ** has the highest precedence; a `**` in the input is invalid.
    text = _PERCENT.sub(lambda p: f"**{p[0].count('%')}", _IMPLIED_PRODUCT.sub("*", text))
    return _value(ast.parse(text, mode="eval").body, operands)


def _value(node: ast.expr, numbers: Sequence[Fraction]) -> Fraction:
    match node:
        case ast.Constant(value=int(index)):
            return numbers[index]
        case ast.UnaryOp(op=sign, operand=operand):
            value = _value(operand, numbers)
            return -value if isinstance(sign, ast.USub) else value
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(percents))):
            return _value(left, numbers) * Fraction(1, 100**percents)
        case ast.BinOp(left=left, op=sign, right=right):
            return _OPERATORS[type(sign)](_value(left, numbers), _value(right, numbers))
    raise ValueError("an empty parenthesis")  # no other expression has only valid characters
