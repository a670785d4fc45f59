"""Hand-written scenario patterns, one file a category: slots, sentence forms, and their totals.

A pattern is a task with its slots and its sentences. A form is a sentence and its
total. In a sentence,

    {P}            stands for the person,
    {x}            for the number of slot x (`${x}` for money, `{p}%` for a percentage),
    {m of}         for a multiplier before a noun: "half", "twice", "a third of",
    {m as}         for one in a comparison: "half as", "twice as", "a third as",
    {m again far}  for one above itself: four thirds are "a third as far again",
    <bus|tram>     for one of several words, and
    a(n)           for the article that the next word takes.

The total is a sum of products of slots: `n*price + m*(x + y) - coupon`. It is kept
in whole multiples of 1/SCALE**FACTORS, so drawing numbers is exact and quick.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from itertools import pairwise
from random import Random
from typing import Any

from askew.papers.mathcomp.framings import Phrase, phrase_for

SCALE = 1200  # holds quarters, thirds, fifths and cents
FACTORS = 3  # of one product
_UNIT = SCALE**FACTORS
_GRAINS = {"money": "1/100"}

_MULTIPLES = {
    Fraction(1, 5): "a fifth",
    Fraction(1, 4): "a quarter",
    Fraction(1, 3): "a third",
    Fraction(1, 2): "half",
    Fraction(2, 3): "two-thirds",
    Fraction(3, 4): "three-quarters",
    Fraction(3, 2): "one and a half times",
    Fraction(2): "twice",
    Fraction(3): "three times",
}
_ALSO = {Fraction(2): ("double",), Fraction(3): ("triple",)}
_WITHOUT_OF = ("half", "twice", "three times", "one and a half times")
_KNOWN: Mapping[str, Callable[[Fraction], bool]] = {
    "of": _MULTIPLES.__contains__,
    "as": _MULTIPLES.__contains__,
    "again": (Fraction(4, 3), Fraction(3, 2)).__contains__,
    "percent": lambda value: 0 < value < 1,
}


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


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a sentence: fixed text, words to choose from, or a slot in some style."""

    text: str = ""
    choices: tuple[str, ...] = ()
    slot: str = ""
    style: str = ""
    word: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """One way of telling a total: the sentence, the terms of its sum, the slots it needs.

    `amounts` are the slots told as numbers of their own; the rest multiply.
    """

    pieces: tuple[Piece, ...]
    terms: tuple[Term, ...]
    slots: tuple[str, ...]
    amounts: tuple[str, ...]
    percentages: tuple[str, ...]


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
    return tuple(pattern for file in files for pattern in _read(file.read_text("utf-8"), file.name))


def _read(text: str, name: str) -> list[Pattern]:
    document = tomllib.loads(text)
    patterns = []
    for entry in document["pattern"]:
        try:
            patterns.append(_pattern(entry, document["category"]))
        except (KeyError, ValueError) as problem:
            key = entry.get("key", "without a key")
            raise ValueError(f"pattern {key} of {name}: {problem}") from problem
    return patterns


def _pattern(entry: Mapping[str, Any], category: str) -> Pattern:
    quantity = entry["quantity"]
    smallest, largest = (int(Fraction(end) * _UNIT) for end in entry["total"].split(".."))
    asks = entry.get("asks")
    pattern = Pattern(
        key=entry["key"],
        category=category,
        quantity=quantity,
        task=entry["task"],
        phrase=Phrase(**asks) if asks else phrase_for(entry["task"], quantity),
        domains={slot: read_domain(spec) for slot, spec in entry["slots"].items()},
        grain=int(Fraction(entry.get("grain", _GRAINS.get(quantity, "1"))) * _UNIT),
        smallest=smallest,
        largest=largest,
        arabic=tuple(read_form(text, total) for text, total in entry["arabic"]),
        verbal=tuple(read_form(text, total) for text, total in entry["verbal"]),
    )
    _check(pattern)
    return pattern


def _check(pattern: Pattern) -> None:
    used = {slot for form in (*pattern.arabic, *pattern.verbal) for slot in form.slots}
    if used != pattern.domains.keys():
        raise ValueError(f"slots without use or without values: {used ^ pattern.domains.keys()}")
    if any(len(forms) < 2 for forms in (pattern.arabic, pattern.verbal)):
        raise ValueError("a pattern needs two forms in digits and two in words")
    for form in (*pattern.arabic, *pattern.verbal):
        for piece in form.pieces:
            if piece.style:
                known = _KNOWN[piece.style]
                odd = [v for v in pattern.domains[piece.slot] if not known(Fraction(v, SCALE))]
                if odd:
                    raise ValueError(f"no words for {piece.slot!r} as {piece.style!r}")


def read_form(text: str, total: str) -> Form:
    """Compile one sentence with its total."""
    pieces = tuple(_pieces(text))
    terms = tuple(_terms(total))
    shown = {piece.slot for piece in pieces if piece.slot}
    counted = {name for term in terms for name in (*term.slots, *term.group)}
    if shown != counted:
        odd = ", ".join(sorted(shown ^ counted))
        raise ValueError(f"slots that the sentence and its total don't share: {odd} ({text!r})")
    if not text.startswith("{P} ") or text.count("{P}") != 1:
        raise ValueError(f"a sentence starts with {{P}} and names the person once: {text!r}")
    if len(terms) + sum(len(term.slots) > 1 for term in terms) < 2:
        raise ValueError(f"a total needs an operation: {total!r}")
    styled = {piece.slot: piece.style for piece in pieces if piece.style}
    slots = tuple(sorted(shown))
    return Form(
        pieces,
        terms,
        slots,
        amounts=tuple(name for name in slots if name not in styled),
        percentages=tuple(name for name in slots if styled.get(name) == "percent"),
    )


def read_domain(spec: str) -> tuple[int, ...]:
    """The values of a slot, scaled: `4..12`, `4..12/0.5` (in steps), `1/2,2` or `10%,15%`."""
    low, dots, rest = spec.partition("..")
    if not dots:
        return tuple(_scaled(value) for value in spec.split(","))
    high, _, step = rest.partition("/")
    first, last, stride = _scaled(low), _scaled(high), _scaled(step or "1")
    if not 0 < first <= last or stride <= 0:
        raise ValueError(f"slot {spec!r} is empty: write lowest..highest/step")
    # Units stand in the plural, so a range leaves out 1 ("1 miles").
    return tuple(value for value in range(first, last + 1, stride) if value != SCALE)


def tell(form: Form, drawn: Mapping[str, int], person: str, rng: Random) -> str:
    """The sentence with its numbers, said of a person."""
    told: list[str] = []
    for piece in form.pieces:
        if piece.choices:
            told.append(rng.choice(piece.choices))
        elif piece.slot:
            value = Fraction(drawn[piece.slot], SCALE)
            money = not piece.style and bool(told) and told[-1].endswith("$")
            told.append(_number(value, money) if not piece.style else _words(piece, value, rng))
        else:
            told.append(piece.text)
    return _with_articles("".join(told)).replace("{P}", person)


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
        if name in form.percentages:
            factors.insert(0, f"{value * 100}%")
        elif name not in form.amounts and value.numerator == 1 and value < 1:
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
    decimal = _decimal(value)
    return decimal if decimal else f"{value.numerator}/{value.denominator}"


def _decimal(value: Fraction) -> str:
    cents = value * 100
    if cents.denominator != 1:
        return ""
    whole, part = divmod(int(cents), 100)
    return f"{whole}.{part:02d}".rstrip("0").rstrip(".") if part else str(whole)


def _number(value: Fraction, money: bool) -> str:
    """A number as a sentence has it: thousands set off, money with both its decimals."""
    whole, point, decimals = _decimal(value).partition(".")
    grouped = f"{int(whole):,}"
    return f"{grouped}.{decimals.ljust(2, '0') if money else decimals}" if point else grouped


def _words(piece: Piece, value: Fraction, rng: Random) -> str:
    if piece.style == "percent":
        return str(value * 100)
    if piece.style == "again":
        return f"{_MULTIPLES[value - 1]} as {piece.word} again"
    named = _MULTIPLES[value]
    if piece.style == "as":
        return f"{named} as"
    same: tuple[str, ...] = _ALSO.get(value, ())
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


def _pieces(text: str) -> list[Piece]:
    found: list[Piece] = []
    rest = text
    while rest:
        marks = [(rest.find(mark), mark) for mark in "{<" if mark in rest]
        if not marks:
            return [*found, Piece(text=rest)]
        at, mark = min(marks)
        if at:
            found.append(Piece(text=rest[:at]))
        inside, closed, rest = rest[at + 1 :].partition("}" if mark == "{" else ">")
        if not closed:
            raise ValueError(f"{mark!r} is never closed in {text!r}")
        if mark == "<":
            found.append(Piece(choices=tuple(inside.split("|"))))
        elif inside == "P":
            found.append(Piece(text="{P}"))
        else:
            name, style, word, *_ = [*inside.split(" "), "", ""]
            percent = rest.startswith("%")
            found.append(Piece(slot=name, style="percent" if percent else style, word=word))
    return found


def _terms(total: str) -> list[Term]:
    terms: list[Term] = []
    for sign, product in _signed_products(total.replace(" ", "")):
        literal = 1
        slots: list[str] = []
        group: tuple[str, ...] = ()
        for factor in product.split("*"):
            if factor.startswith("("):
                group = tuple(factor.strip("()").split("+"))
            elif factor.isdigit():
                literal *= int(factor)
            else:
                slots.append(factor)
        if not all(name.isidentifier() for name in (*slots, *group)):
            raise ValueError(f"a total is a sum of products of slots, not {total!r}")
        if len(slots) + bool(group) > FACTORS:
            raise ValueError(f"a product has at most {FACTORS} factors: {product!r}")
        terms.append(Term(sign, literal, tuple(slots), group))
    return terms


def _signed_products(total: str) -> list[tuple[int, str]]:
    """Split a total at the signs that stand outside parentheses."""
    depth, cuts = 0, [0]
    for at, character in enumerate(total):
        depth += (character == "(") - (character == ")")
        if character in "+-" and depth == 0:
            cuts.append(at)
    parts = [total[start:end] for start, end in pairwise([*cuts, len(total)])]
    return [(-1 if part.startswith("-") else 1, part.lstrip("+-")) for part in parts]


def _scaled(value: str) -> int:
    number = value.removesuffix("%")
    amount = Fraction(number) / (100 if number != value else 1)
    scaled = amount * SCALE
    if scaled.denominator != 1:
        raise ValueError(f"{value!r} is finer than 1/{SCALE}")
    return int(scaled)
