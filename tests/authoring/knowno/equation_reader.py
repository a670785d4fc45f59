"""LaTeX read back: what an option says in numbers, by another way than the one that wrote it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from askew_authoring.knowno.generator.formulas import FUNCTIONS, Value, Values

Meaning = Callable[[Values], float]
_TOKEN = re.compile(r"\\[A-Za-z]+|\d+|[A-Za-z]|[-+=^_{}(),]")
_CLOSING = frozenset({"", ")", "}", ",", "+", "-", "\\right", "="})


def right_side(equation: str) -> Meaning:
    """What stands behind the sign of equality, as a function of its letters' values."""
    reader = _Reader(equation.partition("=")[2])
    meaning = reader.terms()
    if reader.next:
        raise ValueError(f"{reader.next!r} is left over in {equation!r}")
    return meaning


class _Reader:
    """Reads from left to right; a sum or product reaches to the end of its term."""

    def __init__(self, text: str) -> None:
        if left := _TOKEN.sub("", text).strip():
            raise ValueError(f"no signs of a formula: {left!r}")
        self._tokens: list[str] = [*_TOKEN.findall(text), ""]
        self._at = 0

    @property
    def next(self) -> str:
        return self._tokens[self._at]

    def take(self, *expected: str) -> str:
        token = self.next
        if expected and token not in expected:
            raise ValueError(f"{token!r} where {' or '.join(expected)} is expected")
        self._at += 1
        return token

    def terms(self) -> Meaning:
        sign = -1 if self.next == "-" else 1
        if sign < 0:
            self.take()
        found = [(sign, self.product())]
        while self.next in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            found.append((sign, self.product()))
        return lambda values: sum(s * term(values) for s, term in found)

    def product(self) -> Meaning:
        found = [self.power()]
        while self.next not in _CLOSING:
            found.append(self.power())
        return lambda values: math.prod(factor(values) for factor in found)

    def power(self) -> Meaning:
        base = self.atom()
        if self.next != "^":
            return base
        self.take()
        exponent = self.group()
        return lambda values: float(base(values) ** exponent(values))

    def group(self) -> Meaning:
        """What a raised or lowered mark, or a command, takes: one sign, or what is in braces."""
        if self.next != "{":
            return self.atom()
        self.take("{")
        inside = self.terms()
        self.take("}")
        return inside

    def atom(self) -> Meaning:
        token = self.take()
        if token.isdigit():
            return lambda values: float(token)
        if token in ("(", r"\left"):
            self._at -= 1
            (inside,) = self.bracketed()
            return inside
        if token == r"\frac":
            above, below = self.group(), self.group()
            return lambda values: above(values) / below(values)
        if token in (r"\sum", r"\prod"):
            return self.big(sum if token == r"\sum" else math.prod)
        if token[1:] in FUNCTIONS and token[0] == "\\":
            return self.function(token[1:])
        if token[-1:].isalpha():
            return self.letter(token)
        raise ValueError(f"{token!r} begins nothing")

    def bracketed(self) -> list[Meaning]:
        tall = self.next == r"\left"
        if tall:
            self.take()
        self.take("(")
        found = [self.terms()]
        while self.next == ",":
            self.take()
            found.append(self.terms())
        if tall:
            self.take(r"\right")
        self.take(")")
        return found

    def function(self, name: str) -> Meaning:
        brackets = self.next in ("(", r"\left")
        arguments = self.bracketed() if brackets else [self.group()]
        return lambda values: FUNCTIONS[name](*(a(values) for a in arguments))

    def letter(self, name: str) -> Meaning:
        indexes: list[Meaning] = []
        if self.next == "_":
            self.take()
            indexes = self.indexes()

        def meaning(values: Values) -> float:
            known = values[name]
            return known(*(i(values) for i in indexes)) if callable(known) else known

        return meaning

    def indexes(self) -> list[Meaning]:
        if self.next != "{":
            return [self.atom()]
        self.take("{")
        found = [self.terms()]
        while self.next == ",":
            self.take()
            found.append(self.terms())
        self.take("}")
        return found

    def big(self, gather: Callable[..., float]) -> Meaning:
        self.take("_")
        self.take("{")
        start = self._at
        index, but = self.next, None
        low: Meaning
        if self._tokens[start + 1] == "=":
            self._at += 2
            low = self.terms()
            self.take("}")
            self.take("^")
            high = self.group()
        else:
            low = self.atom()
            self.take(r"\le")
            index = self.take()
            self.take(r"\le")
            high = self.terms()
            self.take(",")
            self.take(index)
            self.take(r"\ne")
            but = self.terms()
            self.take("}")
        body = self.product()

        def meaning(values: Values) -> float:
            out = None if but is None else but(values)
            steps = range(round(low(values)), round(high(values)) + 1)
            bound: list[dict[str, Value]] = [{**values, index: n} for n in steps if n != out]
            return gather(body(each) for each in bound)

        return meaning
