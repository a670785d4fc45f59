"""Hand-written scenario patterns, one file a category: slots, sentence forms, and their totals.

A pattern is a task with its slots and its sentences. A form is a sentence and its
total. In a sentence,

    {P}            stands for the person,
    {x}            for the number of slot x (`${x}` for money, `{p}%` for a percentage),
    {m of}         for a multiplier before a noun: "half", "twice", "a third of",
    {m as}         for one in a comparison: "half as", "twice as", "a third as",
    <bus|tram>     for one of several words, and
    a(n)           for the article that the next word takes.

The total is a sum of products of slots: `n*price + m*(x + y) - coupon`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from importlib import resources
from math import prod
from random import Random
from typing import Any

from askew.files import toml_of
from askew.papers.mathcomp.framings import Phrase, Scenario, phrase_for
from askew.papers.mathcomp.paper import Label

# A whole number where it can be one: drawing has many to add and multiply.
Number = Fraction | int
_GRAINS = {"money": "1/100"}
_MULTIPLES: Mapping[Fraction, Sequence[str]] = {
    Fraction(value): words
    for value, words in toml_of("askew.papers.mathcomp", "numbers.toml")["told"].items()
}
_WITHOUT_OF = ("half", "twice", "three times", "one and a half times")
# What a sentence leaves open, but for its person: words to choose from, or a slot in some style.
_MARK = re.compile(
    r"<(?P<choices>[^>]*)>|\{(?!P\})(?P<slot>\w+)(?: (?P<style>\w+))?\}(?P<percent>%?)"
)
# An article with, as a group, the start of a word that begins with the sound of a vowel.
_ARTICLE = re.compile(r"a\(n\)(?= (\$*(?:8|1[18](?!\d)|[aeiou]))?)")
# Where a total's products begin: at signs outside parentheses.
_PRODUCTS = re.compile(r"(?=[+-])(?![^()]*\))")


@dataclass(frozen=True, slots=True)
class Term:
    """A product of a total: sign, plain factors, slots, and perhaps a sum in parentheses."""

    sign: int
    literal: int
    slots: tuple[str, ...]
    group: tuple[str, ...]

    def value(self, drawn: Mapping[str, Number]) -> Number:
        product: Number = self.sign * self.literal
        for name in self.slots:
            product *= drawn[name]
        return product * sum(drawn[name] for name in self.group) if self.group else product


@dataclass(frozen=True)
class Form:
    """One way of telling a total: the sentence, the terms of its sum, the slots it needs.

    `amounts` are the slots told as numbers of their own; `styled`, each with its style, multiply.
    """

    sentence: str
    terms: tuple[Term, ...]
    slots: tuple[str, ...]
    amounts: tuple[str, ...]
    styled: Mapping[str, str]


@dataclass(frozen=True)
class FilledForm:
    """A form with its numbers."""

    form: Form
    drawn: Mapping[str, Number]

    @cached_property
    def parts(self) -> list[Number]:
        return [term.value(self.drawn) for term in self.form.terms]

    @cached_property
    def total(self) -> Number:
        return sum(self.parts)

    @property
    def amounts(self) -> set[Number]:
        return {self.drawn[slot] for slot in self.form.amounts}

    def sentence(self, person: str, rng: Random) -> str:
        """The sentence with its numbers, said of a person."""

        def said(mark: re.Match[str]) -> str:
            if not mark["slot"]:
                return str(rng.choice(mark["choices"].split("|")))
            value, style = self.drawn[mark["slot"]], _style(mark)
            if not style:
                return number(value, money=self.form.sentence[mark.start() - 1] == "$")
            if style == "percent":
                return f"{value * 100}%"
            named, *same = _MULTIPLES[Fraction(value)]
            if style == "as":
                return f"{named} as"
            return rng.choice((named if named in _WITHOUT_OF else f"{named} of", *same))

        sentence = _MARK.sub(said, self.form.sentence)
        return _ARTICLE.sub(lambda a: "an" if a[1] else "a", sentence).replace("{P}", person)

    @property
    def equation(self) -> str:
        """The total as an equation, in the order of the sentence."""
        signs = [" - " if term.sign < 0 else " + " for term in self.form.terms]
        signs[0] = ""
        return "".join(s + self._product(t) for s, t in zip(signs, self.form.terms, strict=True))

    def _product(self, term: Term) -> str:
        factors, over = [str(term.literal)] if term.literal != 1 else [], ""
        for name in term.slots:
            value, style = self.drawn[name], self.form.styled.get(name)
            if style == "percent":
                factors.append(f"{value * 100}%")
            elif style and value.numerator == 1 and value < 1:
                over = f" / {value.denominator}"
            else:
                factors.append(_plain(value))
        if term.group:
            factors.append(f"({' + '.join(_plain(self.drawn[n]) for n in term.group)})")
        product = " \u00d7 ".join(factors) + over
        return product if product == factors[0] and not term.group else f"({product})"


@dataclass(frozen=True)
class Pattern:
    """A task that two people share, with the numbers and sentences that suit it."""

    key: str
    category: str
    quantity: str
    task: str
    phrase: Phrase
    domains: Mapping[str, tuple[Number, ...]]
    grain: Number
    smallest: Number
    largest: Number
    arabic: tuple[Form, ...]
    verbal: tuple[Form, ...]

    def scenario(
        self, name: str, label: Label, verbal: bool, pairs: Sequence[tuple[str, str]]
    ) -> Scenario:
        """The scenario of two people's sentences, each with its equation."""
        (sentence1, equation1), (sentence2, equation2) = pairs
        return Scenario(
            name, sentence1, sentence2, self.category, self.quantity, self.task,
            label, equation1, equation2, verbal, self.phrase, pattern=self.key,
        )  # fmt: skip


@cache
def all_patterns() -> tuple[Pattern, ...]:
    """Every pattern, in the order of the files' names and of the files."""
    folder = resources.files(__name__)
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=str)
    tables = (tomllib.loads(file.read_text("utf-8")) for file in files)
    return tuple(_pattern(entry, of["category"]) for of in tables for entry in of["pattern"])


def _pattern(entry: Mapping[str, Any], category: str) -> Pattern:
    task, quantity, asks = entry["task"], entry["quantity"], entry.get("asks")
    smallest, largest = map(_number, entry["total"].split(".."))
    arabic, verbal = (tuple(_form(*pair) for pair in entry[kind]) for kind in ("arabic", "verbal"))
    return Pattern(
        entry["key"], category, quantity, task,
        Phrase(**asks) if asks else phrase_for(task, quantity),
        {slot: _domain(spec) for slot, spec in entry["slots"].items()},
        _number(entry.get("grain", _GRAINS.get(quantity, "1"))), smallest, largest, arabic, verbal,
    )  # fmt: skip


def _form(text: str, total: str) -> Form:
    marks = {mark["slot"]: _style(mark) for mark in _MARK.finditer(text) if mark["slot"]}
    styled = {slot: style for slot, style in marks.items() if style}
    slots = tuple(sorted(marks))
    amounts = tuple(name for name in slots if name not in styled)
    return Form(text, tuple(_terms(total)), slots, amounts, styled)


def _style(mark: re.Match[str]) -> str:
    return "percent" if mark["percent"] else mark["style"] or ""


def _domain(spec: str) -> tuple[Number, ...]:
    """The values of a slot: `4..12`, `4..12/0.5` (in steps), `1/2,2` or `10%,15%`."""
    low, dots, rest = spec.partition("..")
    if not dots:
        return tuple(_number(value) for value in spec.split(","))
    high, _, step = rest.partition("/")
    least, by = Fraction(low), Fraction(step or 1)
    values = (_number(least + by * i) for i in range(int((Fraction(high) - least) / by) + 1))
    # Units stand in the plural, so a range leaves out 1 ("1 miles").
    return tuple(value for value in values if value != 1)


def _number(said: str | Fraction) -> Number:
    """What a text says, in percent or not."""
    text = str(said)
    value = Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    return value.numerator if value.denominator == 1 else value


def _terms(total: str) -> Iterator[Term]:
    for signed in _PRODUCTS.split(total.replace(" ", "")):
        factors = signed.lstrip("+-").split("*")
        groups = [tuple(f.strip("()").split("+")) for f in factors if f.startswith("(")]
        slots = tuple(f for f in factors if f.isidentifier())
        literal = prod(int(f) for f in factors if f.isdigit())
        yield Term(-1 if signed.startswith("-") else 1, literal, slots, (*groups, ())[0])


def number(value: Number, money: bool = False) -> str:
    """A number as a sentence has it: thousands set off, money with both its decimals."""
    text = f"{float(value):,.2f}"
    return text if money and value.denominator != 1 else text.rstrip("0").rstrip(".")


def _plain(value: Number) -> str:
    """A number as an equation has it: digits, or a fraction that has no short decimals."""
    return number(value).replace(",", "") if (value * 100).denominator == 1 else str(value)
