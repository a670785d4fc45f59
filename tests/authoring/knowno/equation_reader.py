"""LaTeX read back: what an option says in numbers, by another way than the one that wrote it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from askew_authoring.knowno.generator.formulas import FUNCTIONS, Values

_TOKEN = re.compile(r"\\[A-Za-z]+|\d+|[A-Za-z]|[-+=^_{}(),]")
_CLOSING = frozenset({"", ")", "}", ",", "+", "-", "\\right", "="})
_KNOWN = {**FUNCTIONS, "prod": math.prod}


def right_side(equation: str) -> Callable[[Values], float]:
    """What stands behind the sign of equality, as a function `v` of its letters' values."""
    reader = _Reader(equation.partition("=")[2])
    source = reader.terms()
    reader.take("")
    return eval(f"lambda v: {source}", dict(_KNOWN))


class _Reader:
    """Writes it in Python, from left to right; a sum or product reaches to its term's end."""

    def __init__(self, text: str) -> None:
        if left := _TOKEN.sub("", text).strip():
            raise ValueError(f"no signs of a formula: {left!r}")
        self._tokens: list[str] = [*_TOKEN.findall(text), "", ""]

    def take(self, expected: str | None = None) -> str:
        token = self._tokens.pop(0)
        if expected not in (None, token):
            raise ValueError(f"{token!r} where {expected} is expected")
        return token

    def taken(self, token: str) -> bool:
        return self._tokens[0] == token and bool(self.take())

    def terms(self) -> str:
        text = ("-" if self.taken("-") else "") + self.product()
        while self._tokens[0] in ("+", "-"):
            text += self.take() + self.product()
        return f"({text})"

    def listed(self, end: str) -> str:
        text = self.terms()
        while self.taken(","):
            text += "," + self.terms()
        self.take(end)
        return text

    def product(self) -> str:
        text = self.power()
        while self._tokens[0] not in _CLOSING:
            text += "*" + self.power()
        return text

    def power(self) -> str:
        base = self.atom()
        return f"float({base}**{self.group()})" if self.taken("^") else base

    def group(self) -> str:
        """What a raised or lowered mark, or a command, takes: one sign, or what is in braces."""
        return self.listed("}") if self.taken("{") else self.atom()

    def atom(self) -> str:
        token = self.take()
        if token.isdigit():
            return f"{token}."
        if token == "(":
            return f"({self.listed(')')})"
        if token == r"\left":
            self.take("(")
            inside = self.listed(r"\right")
            self.take(")")
            return f"({inside})"
        if token == r"\frac":
            return f"({self.group()}/{self.group()})"
        if token in (r"\sum", r"\prod"):
            return self.big(token[1:])
        if token[1:] in FUNCTIONS and token[0] == "\\":
            brackets = self._tokens[0] in ("(", r"\left")
            return token[1:] + (self.atom() if brackets else f"({self.group()})")
        if token[-1:].isalpha():
            return f"v[{token!r}]" + (f"({self.group()})" if self.taken("_") else "")
        raise ValueError(f"{token!r} begins nothing")

    def big(self, gather: str) -> str:
        self.take("_")
        self.take("{")
        but = "None"
        if self._tokens[1] == "=":
            index, _, low = self.take(), self.take(), self.listed("}")
            self.take("^")
            high = self.group()
        else:
            low, _, index, _ = self.atom(), self.take(r"\le"), self.take(), self.take(r"\le")
            high = self.terms()
            for sign in (",", index, r"\ne"):
                self.take(sign)
            but = self.listed("}")
        each = f"(lambda v: {self.product()})({{**v, {index!r}: n}})"
        return f"{gather}({each} for n in range(round({low}), round({high})+1) if n != {but})"
