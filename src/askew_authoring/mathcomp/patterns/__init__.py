"""Hand-written scenario patterns, one file a category: slots, sentence forms, and their totals.

A pattern is a task with its slots and its sentences. A form is a sentence and its
total. In a sentence,

    {P}            stands for the person,
    {x}            for the number of slot x (`${x}` for money, `{p}%` for a percentage),
    {m of}         for a multiplier before a noun: "half", "twice", "a third of",
    {m as}         for one in a comparison: "half as", "twice as", "a third as",
    <bus|tram>     for one of several words, and
    a(n)           for the article that the next word takes.

The total is a sum of products of slots: `n*price + m*(x + y) - coupon`. It is kept
in whole multiples of 1/SCALE**FACTORS, so drawing numbers is exact and quick.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from math import prod
from random import Random
from typing import Any

from askew.files import toml_of
from askew.papers.mathcomp.framings import Phrase, phrase_for

SCALE = 1200  # holds quarters, thirds, fifths and cents
FACTORS = 3  # of one product
_UNIT = SCALE**FACTORS
_GRAINS = {"money": "1/100"}

_MULTIPLES: Mapping[Fraction, Sequence[str]] = {
    Fraction(value): words
    for value, words in toml_of("askew.papers.mathcomp", "numbers.toml")["told"].items()
}
_WITHOUT_OF = ("half", "twice", "three times", "one and a half times")


@dataclass(frozen=True, slots=True)
class Term:
    """A product of a total: sign, plain factors, slots, and perhaps a sum in parentheses."""

    sign: int
    literal: int
    slots: tuple[str, ...]
    group: tuple[str, ...]

    def value(self, drawn: Mapping[str, int]) -> int:
        factors = len(self.slots) + bool(self.group)
        product: int = self.sign * self.literal * SCALE ** (FACTORS - factors)
        for name in self.slots:
            product *= drawn[name]
        if self.group:
            product *= sum(drawn[name] for name in self.group)
        return product


# What a sentence leaves open, but for its person: words to choose from, or a slot in some style.
_MARK = re.compile(
    r"<(?P<choices>[^>]*)>"
    r"|\{(?!P\})(?P<slot>\w+)(?: (?P<style>\w+))?\}(?P<percent>%?)"
)
# Where a total's products begin: at signs outside parentheses.
_PRODUCTS = re.compile(r"(?=[+-])(?![^()]*\))")


@dataclass(frozen=True, slots=True)
class Form:
    """One way of telling a total: the sentence, the terms of its sum, the slots it needs.

    `amounts` are the slots told as numbers of their own; `styled`, each with its style, multiply.
    """

    sentence: str
    terms: tuple[Term, ...]
    slots: tuple[str, ...]
    amounts: tuple[str, ...]
    styled: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A task that two people share, with the numbers and sentences that suit it."""

    key: str
    category: str
    quantity: str
    task: str
    phrase: Phrase
    domains: Mapping[str, tuple[int, ...]]
    grain: int
    smallest: int
    largest: int
    arabic: tuple[Form, ...]
    verbal: tuple[Form, ...]


@cache
def all_patterns() -> tuple[Pattern, ...]:
    """Every pattern, in the order of the files' names and of the files."""
    folder = resources.files(__name__)
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=str)
    told = (tomllib.loads(file.read_text("utf-8")) for file in files)
    return tuple(_pattern(entry, of["category"]) for of in told for entry in of["pattern"])


def _pattern(entry: Mapping[str, Any], category: str) -> Pattern:
    task, quantity, asks = entry["task"], entry["quantity"], entry.get("asks")
    smallest, largest = (int(Fraction(end) * _UNIT) for end in entry["total"].split(".."))
    return Pattern(
        key=entry["key"],
        category=category,
        quantity=quantity,
        task=task,
        phrase=Phrase(**asks) if asks else phrase_for(task, quantity),
        domains={slot: _domain(spec) for slot, spec in entry["slots"].items()},
        grain=int(Fraction(entry.get("grain", _GRAINS.get(quantity, "1"))) * _UNIT),
        smallest=smallest,
        largest=largest,
        arabic=tuple(_form(text, total) for text, total in entry["arabic"]),
        verbal=tuple(_form(text, total) for text, total in entry["verbal"]),
    )


def _form(text: str, total: str) -> Form:
    """One sentence with its total."""
    marks = [mark for mark in _MARK.finditer(text) if mark["slot"]]
    styled = {mark["slot"]: _style(mark) for mark in marks if _style(mark)}
    slots = tuple(sorted({mark["slot"] for mark in marks}))
    amounts = tuple(name for name in slots if name not in styled)
    return Form(text, tuple(_terms(total)), slots, amounts, styled)


def _style(mark: re.Match[str]) -> str:
    return "percent" if mark["percent"] else mark["style"] or ""


def _domain(spec: str) -> tuple[int, ...]:
    """The values of a slot, scaled: `4..12`, `4..12/0.5` (in steps), `1/2,2` or `10%,15%`."""
    low, dots, rest = spec.partition("..")
    if not dots:
        return tuple(_scaled(value) for value in spec.split(","))
    high, _, step = rest.partition("/")
    # Units stand in the plural, so a range leaves out 1 ("1 miles").
    values = range(_scaled(low), _scaled(high) + 1, _scaled(step or "1"))
    return tuple(value for value in values if value != SCALE)


def tell(form: Form, drawn: Mapping[str, int], person: str, rng: Random) -> str:
    """The sentence with its numbers, said of a person."""

    def said(mark: re.Match[str]) -> str:
        if not mark["slot"]:
            return str(rng.choice(mark["choices"].split("|")))
        value = Fraction(drawn[mark["slot"]], SCALE)
        if not _style(mark):
            return _number(value, money=form.sentence[mark.start() - 1] == "$")
        return f"{_words(mark, value, rng)}{mark['percent']}"

    return _with_articles(_MARK.sub(said, form.sentence)).replace("{P}", person)


def write_equation(form: Form, drawn: Mapping[str, int]) -> str:
    """The total as an equation, in the order of the sentence."""
    written = ""
    for term in form.terms:
        operator = (" - " if term.sign < 0 else " + ") if written else ""
        written += operator + _product(term, form, drawn)
    return written


def _product(term: Term, form: Form, drawn: Mapping[str, int]) -> str:
    group = " + ".join(_plain(drawn[name]) for name in term.group)
    factors = [f"({group})"] if group else []
    over = ""
    for name in reversed(term.slots):
        value = Fraction(drawn[name], SCALE)
        if form.styled.get(name) == "percent":
            factors.insert(0, f"{value * 100}%")
        elif name in form.styled and value.numerator == 1 and value < 1:
            over = f" / {value.denominator}"
        else:
            factors.insert(0, _plain(drawn[name]))
    if term.literal != 1:
        factors.insert(0, str(term.literal))
    product = " \u00d7 ".join(factors) + over
    return product if product == factors[0] and not group else f"({product})"


def _plain(scaled: int) -> str:
    """A number as an equation has it: digits, or a fraction that has no short decimals."""
    value = Fraction(scaled, SCALE)
    return _number(value).replace(",", "") if (value * 100).denominator == 1 else str(value)


def _number(value: Fraction, money: bool = False) -> str:
    """A number as a sentence has it: thousands set off, money with both its decimals."""
    told = f"{float(value):,.2f}"
    return told if money and value.denominator != 1 else told.rstrip("0").rstrip(".")


def _words(mark: re.Match[str], value: Fraction, rng: Random) -> str:
    style = _style(mark)
    if style == "percent":
        return str(value * 100)
    named, *same = _MULTIPLES[value]
    if style == "as":
        return f"{named} as"
    return rng.choice((named if named in _WITHOUT_OF else f"{named} of", *same))


def _with_articles(sentence: str) -> str:
    """Settle every `a(n)` by the sound of what follows."""
    first, *rest = sentence.split("a(n) ")
    return first + "".join(f"{_article(after)} {after}" for after in rest)


def _article(after: str) -> str:
    word = after.lstrip("$")
    digits = word[: len(word) - len(word.lstrip("0123456789"))]
    vowel = word.startswith("8") or digits in ("11", "18") if digits else word[0] in "aeiou"
    return "an" if vowel else "a"


def _terms(total: str) -> Iterator[Term]:
    for signed in _PRODUCTS.split(total.replace(" ", "")):
        factors = signed.lstrip("+-").split("*")
        groups = [tuple(f.strip("()").split("+")) for f in factors if f.startswith("(")]
        slots = tuple(f for f in factors if f.isidentifier())
        literal = prod(int(f) for f in factors if f.isdigit())
        sign = -1 if signed.startswith("-") else 1
        yield Term(sign, literal, slots, groups[0] if groups else ())


def _scaled(value: str) -> int:
    number = value.removesuffix("%")
    return int(Fraction(number) * SCALE / (100 if number != value else 1))
