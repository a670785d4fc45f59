"""Formulas as trees: read, composed by substitution, evaluated, and written in LaTeX."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

Value = float | Callable[..., float]
Values = Mapping[str, Value]


@dataclass(frozen=True)
class Number:
    value: int


@dataclass(frozen=True)
class Symbol:
    """A quantity by its name, with what its indexes are."""

    name: str
    indexes: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Plus:
    """Terms with their signs, of which the first is positive where any is."""

    terms: tuple[tuple[int, Node], ...]


@dataclass(frozen=True)
class Times:
    factors: tuple[Node, ...]


@dataclass(frozen=True)
class Over:
    above: Node
    below: Node


@dataclass(frozen=True)
class Power:
    base: Node
    exponent: Node


@dataclass(frozen=True)
class Big:
    """A sum or a product over an index; `but` is the one value that it leaves out, if any."""

    sign: str
    index: str
    low: Node
    high: Node
    body: Node
    but: Node | None = None


@dataclass(frozen=True)
class Call:
    function: str
    arguments: tuple[Node, ...]


Node = Number | Symbol | Plus | Times | Over | Power | Big | Call
ZERO, ONE = Number(0), Number(1)
FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "log": math.log, "exp": math.exp, "sqrt": math.sqrt, "max": max, "min": min,
}  # fmt: skip


def plus(terms: Iterable[tuple[int, Node]]) -> Node:
    """A sum without brackets inside: numbers in it are one number, opposites are gone."""
    flat: list[tuple[int, Node]] = []
    for sign, node in terms:
        inner = node.terms if isinstance(node, Plus) else ((1, node),)
        for own, each in inner:
            opposite = (-sign * own, each)
            if opposite in flat and not isinstance(each, Number):
                flat.remove(opposite)
            else:
                flat.append((sign * own, each))
    constant = sum(s * n.value for s, n in flat if isinstance(n, Number))
    place = next((i for i, (_, n) in enumerate(flat) if isinstance(n, Number)), 0)
    kept: list[tuple[int, Node]] = [(s, n) for s, n in flat if not isinstance(n, Number)]
    if constant:
        kept.insert(place, (1 if constant > 0 else -1, Number(abs(constant))))
    # Sums stand last, where nothing follows that they could seem to reach over.
    if any(s > 0 and not _is_sum(n) for s, n in kept):
        kept.sort(key=lambda term: _is_sum(term[1]))
    first = next((i for i, (s, _) in enumerate(kept) if s > 0), 0)
    kept = [*kept[first : first + 1], *kept[:first], *kept[first + 1 :]]
    if not kept:
        return ZERO
    return kept[0][1] if len(kept) == 1 and kept[0][0] > 0 else Plus(tuple(kept))


def _is_sum(node: Node) -> bool:
    last = node.factors[-1] if isinstance(node, Times) else node
    return isinstance(last, Big)


def times(factors: Iterable[Node]) -> Node:
    """A product without brackets inside; quotients among its factors become one."""
    above: list[Node] = []
    below: list[Node] = []
    for factor in factors:
        top, bottom = (factor.above, factor.below) if isinstance(factor, Over) else (factor, ONE)
        above += top.factors if isinstance(top, Times) else (top,)
        below += bottom.factors if isinstance(bottom, Times) else (bottom,)
    below = [b for b in below if b != ONE]
    return over(_product(above), _product(below)) if below else _product(above)


def _product(factors: Sequence[Node]) -> Node:
    number = math.prod(f.value for f in factors if isinstance(f, Number))
    rest = [f for f in factors if not isinstance(f, Number)]
    if not number or not rest:
        return Number(number)
    gathered = [power(base, Number(n)) for base, n in _powers(rest).items()]
    sorted_ones = sorted(gathered, key=_loose)
    if number != 1:
        sorted_ones.insert(0, Number(number))
    return sorted_ones[0] if len(sorted_ones) == 1 else Times(tuple(sorted_ones))


def _powers(factors: Iterable[Node]) -> dict[Node, int]:
    """How often each base is a factor."""
    found: dict[Node, int] = {}
    for factor in factors:
        base, n = factor, 1
        if isinstance(factor, Power) and isinstance(factor.exponent, Number):
            base, n = factor.base, factor.exponent.value
        found[base] = found.get(base, 0) + n
    return found


def _loose(factor: Node) -> int:
    """Where a factor stands: `(1 - r)` first, and last what reaches over all that follows."""
    inner = factor.base if isinstance(factor, Power) else factor
    if isinstance(inner, Symbol) or (isinstance(inner, Call) and inner.function == "sqrt"):
        return 1
    if isinstance(inner, Plus):
        short = all(isinstance(node, Number | Symbol) for _, node in inner.terms)
        return 0 if short and any(isinstance(node, Number) for _, node in inner.terms) else 2
    return 4 if isinstance(inner, Big) else 3


def over(above: Node, below: Node) -> Node:
    """A quotient whose parts are no quotients themselves."""
    if isinstance(above, Over):
        return over(above.above, times([above.below, below]))
    if isinstance(below, Over):
        return over(times([above, below.below]), below.above)
    top, bottom = (n.factors if isinstance(n, Times) else (n,) for n in (above, below))
    tops, bottoms = _powers(top), _powers(bottom)
    shared = {b: min(tops[b], bottoms[b]) for b in tops if b in bottoms and b != ONE}
    if shared:
        above, below = (
            _product([power(b, Number(n - shared.get(b, 0))) for b, n in of.items()])
            for of in (tops, bottoms)
        )
    return above if below == ONE else Over(above, below)


def power(base: Node, exponent: Node) -> Node:
    if exponent in (ZERO, ONE):
        return base if exponent == ONE else ONE
    return Power(base, exponent)


@cache
def read(text: str) -> Node:
    """A formula in Python's signs: `sum(t, 1, T, log(p[t])) / T`.

    Sums and products name their index, its first and last value and their body; a fifth argument
    is the value of the index that is left out.
    """
    return _read(ast.parse(text, mode="eval").body)


def _read(node: ast.expr) -> Node:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Number(node.value)
    if isinstance(node, ast.Name):
        return Symbol(node.id)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return Symbol(node.value.id, tuple(map(_read, inside)))
    if isinstance(node, ast.BinOp):
        return _BINARY[type(node.op)](_read(node.left), _read(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        arguments = [*map(_read, node.args)]
        if node.func.id not in ("sum", "prod"):
            return Call(node.func.id, tuple(arguments))
        index, low, high, body, *but = arguments
        assert isinstance(index, Symbol)
        return Big(node.func.id, index.name, low, high, body, *but)
    raise ValueError(f"no formula: {ast.unparse(node)}")


_BINARY: Mapping[type, Callable[[Node, Node], Node]] = {
    ast.Add: lambda a, b: plus([(1, a), (1, b)]),
    ast.Sub: lambda a, b: plus([(1, a), (-1, b)]),
    ast.Mult: lambda a, b: times([a, b]),
    ast.Div: over,
    ast.Pow: power,
}


# What stands for a quantity: the names of its indexes, and its formula.
Definition = tuple[tuple[str, ...], Node]


def put_in(node: Node, known: Mapping[str, Definition]) -> Node:
    """A formula with definitions in place of the quantities that they define."""

    def inside(each: Node) -> Node:
        return put_in(each, known)

    if isinstance(node, Symbol):
        indexes = tuple(map(inside, node.indexes))
        if node.name not in known:
            return Symbol(node.name, indexes)
        names, formula = known[node.name]
        bound: dict[str, Definition] = {
            n: ((), i) for n, i in zip(names, indexes, strict=True) if i != Symbol(n)
        }
        return put_in(formula, bound) if bound else formula
    if isinstance(node, Plus):
        return plus([(s, inside(n)) for s, n in node.terms])
    if isinstance(node, Times):
        return times(map(inside, node.factors))
    if isinstance(node, Over):
        return over(inside(node.above), inside(node.below))
    if isinstance(node, Power):
        return power(inside(node.base), inside(node.exponent))
    if isinstance(node, Big):
        but = node.but and inside(node.but)
        low, high = inside(node.low), inside(node.high)
        return Big(node.sign, node.index, low, high, inside(node.body), but)
    if isinstance(node, Call):
        return Call(node.function, tuple(map(inside, node.arguments)))
    return node


def value(node: Node, values: Values) -> float:
    """What a formula comes to."""
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Symbol):
        known = values[node.name]
        return known(*(value(i, values) for i in node.indexes)) if callable(known) else known
    if isinstance(node, Plus):
        return sum(s * value(n, values) for s, n in node.terms)
    if isinstance(node, Times):
        return math.prod(value(f, values) for f in node.factors)
    if isinstance(node, Over):
        return value(node.above, values) / value(node.below, values)
    if isinstance(node, Power):
        return float(value(node.base, values) ** value(node.exponent, values))
    if isinstance(node, Big):
        gather = sum if node.sign == "sum" else math.prod
        first, last = (round(value(end, values)) for end in (node.low, node.high))
        out = None if node.but is None else value(node.but, values)
        steps = (n for n in range(first, last + 1) if n != out)
        return gather(value(node.body, {**values, node.index: n}) for n in steps)
    return FUNCTIONS[node.function](*(value(a, values) for a in node.arguments))


def latex(node: Node, letters: Mapping[str, str]) -> str:
    """A formula in LaTeX, its quantities by their letters."""

    def write(each: Node) -> str:
        return latex(each, letters)

    if isinstance(node, Number):
        return str(node.value)
    if isinstance(node, Symbol):
        low = ",".join(map(write, node.indexes))
        return letters[node.name] + (_lowered("_", low) if low else "")
    if isinstance(node, Plus):
        signs = (f" {'+' if s > 0 else '-'} {write(n)}" for s, n in node.terms)
        text = "".join(signs)
        return text[3:] if node.terms[0][0] > 0 else f"-{text[3:]}"
    if isinstance(node, Times):
        *most, last = node.factors
        before = [_closed(f, letters, (Plus, Big)) for f in most]
        return " ".join([*before, _closed(last, letters, (Plus,))])
    if isinstance(node, Over):
        return rf"\frac{{{write(node.above)}}}{{{write(node.below)}}}"
    if isinstance(node, Power):
        base = _closed(node.base, letters, (Plus, Times, Over, Power, Big, Call))
        return base + _lowered("^", write(node.exponent))
    if isinstance(node, Big):
        index = letters[node.index]
        over_all = rf"_{{{index}={write(node.low)}}}^{{{write(node.high)}}}"
        if node.but is not None:
            low, high = write(node.low), write(node.high)
            over_all = rf"_{{{low} \le {index} \le {high}, {index} \ne {write(node.but)}}}"
        return rf"\{node.sign}{over_all} {_closed(node.body, letters, (Plus,))}"
    return _call(node, letters)


def _call(node: Call, letters: Mapping[str, str]) -> str:
    inner = ", ".join(latex(a, letters) for a in node.arguments)
    if node.function == "sqrt":
        return rf"\sqrt{{{inner}}}"
    if node.function == "log" and isinstance(node.arguments[0], Symbol | Over):
        return rf"\log {inner}"
    return rf"\{node.function}{_bracketed(inner)}"


def _closed(node: Node, letters: Mapping[str, str], open_ones: tuple[type, ...]) -> str:
    text = latex(node, letters)
    return _bracketed(text) if isinstance(node, open_ones) else text


def _bracketed(text: str) -> str:
    tall = any(sign in text for sign in (r"\frac", r"\sum", r"\prod"))
    return rf"\left( {text} \right)" if tall else f"({text})"


def _lowered(mark: str, text: str) -> str:
    return f"{mark}{text}" if len(text) == 1 else f"{mark}{{{text}}}"
