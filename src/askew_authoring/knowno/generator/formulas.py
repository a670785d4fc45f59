"""Formulas as trees: read, composed by substitution, evaluated, and written in LaTeX."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

Value = float | Callable[..., float]
Values = Mapping[str, Value]


class Node(NamedTuple):
    """A number, a quantity with what its indexes are, or what is made of other formulas.

    A sum or product over an index has the index as its name, and as parts its first and last value,
    its body and, if any, the one value that it leaves out.
    """

    kind: str  # number, quantity, the sign of an operator, or the name of a function
    parts: tuple[Node, ...] = ()
    name: str = ""
    number: int = 0


BIG = ("sum", "prod")
FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "log": math.log, "exp": math.exp, "sqrt": math.sqrt, "max": max, "min": min,
}  # fmt: skip
ZERO, ONE = Node("number"), Node("number", number=1)


def number(n: int) -> Node:
    return Node("number", number=n)


def quantity(name: str, *indexes: Node) -> Node:
    return Node("quantity", indexes, name)


def minus(node: Node) -> Node:
    """A negative term; it stands in sums only."""
    return Node("-", (node,))


def _sign(term: Node) -> tuple[int, Node]:
    return (-1, term.parts[0]) if term.kind == "-" else (1, term)


def plus(*terms: Node) -> Node:
    """A sum without brackets inside: numbers in it are one number, opposites are gone."""
    flat: list[tuple[int, Node]] = []
    for sign, node in map(_sign, terms):
        for own, each in map(_sign, node.parts if node.kind == "+" else (node,)):
            opposite = (-sign * own, each)
            if opposite in flat and each.kind != "number":
                flat.remove(opposite)
            else:
                flat.append((sign * own, each))
    constant = sum(s * n.number for s, n in flat)
    place = next((i for i, (_, n) in enumerate(flat) if n.kind == "number"), 0)
    kept = [term for term in flat if term[1].kind != "number"]
    if constant:
        kept.insert(place, (1 if constant > 0 else -1, number(abs(constant))))
    # Sums stand last, where nothing follows that they could seem to reach over.
    if any(s > 0 and not _is_big(n) for s, n in kept):
        kept.sort(key=lambda term: _is_big(term[1]))
    # A positive term stands first, where there is one.
    first = next((i for i, (s, _) in enumerate(kept) if s > 0), 0)
    kept = [*kept[first : first + 1], *kept[:first], *kept[first + 1 :]]
    parts = tuple(n if s > 0 else minus(n) for s, n in kept)
    if not parts:
        return ZERO
    return parts[0] if len(parts) == 1 and parts[0].kind != "-" else Node("+", parts)


def _is_big(node: Node) -> bool:
    return (node.parts[-1] if node.kind == "*" else node).kind in BIG


def times(*factors: Node) -> Node:
    """A product without brackets inside; quotients among its factors become one."""
    sides: tuple[list[Node], list[Node]] = [], []
    for factor in factors:
        parts = factor.parts if factor.kind == "/" else (factor, ONE)
        for side, part in zip(sides, parts, strict=True):
            side += part.parts if part.kind == "*" else (part,)
    above, below = sides
    below = [b for b in below if b != ONE]
    return over(_product(above), _product(below)) if below else _product(above)


def _product(factors: Sequence[Node]) -> Node:
    constant = math.prod(f.number for f in factors if f.kind == "number")
    rest = [f for f in factors if f.kind != "number"]
    if not constant or not rest:
        return number(constant)
    gathered = sorted((power(b, number(n)) for b, n in _powers(rest).items()), key=_place)
    if constant != 1:
        gathered.insert(0, number(constant))
    return gathered[0] if len(gathered) == 1 else Node("*", tuple(gathered))


def _powers(factors: Iterable[Node]) -> Counter[Node]:
    """How often each base is a factor."""
    found: Counter[Node] = Counter()
    for factor in factors:
        if factor.kind == "^" and factor.parts[1].kind == "number":
            found[factor.parts[0]] += factor.parts[1].number
        else:
            found[factor] += 1
    return found


def _place(factor: Node) -> int:
    """Where a factor stands: `(1 - r)` first, and last what reaches over all that follows."""
    inner = factor.parts[0] if factor.kind == "^" else factor
    if inner.kind in ("quantity", "sqrt"):
        return 1
    if inner.kind == "+":
        kinds = {node.kind for _, node in map(_sign, inner.parts)}
        return 0 if "number" in kinds <= {"number", "quantity"} else 2
    return 4 if inner.kind in BIG else 3


def over(above: Node, below: Node) -> Node:
    """A quotient whose parts are no quotients themselves."""
    if above.kind == "/":
        return over(above.parts[0], times(above.parts[1], below))
    if below.kind == "/":
        return over(times(above, below.parts[1]), below.parts[0])
    tops, bottoms = (_powers(n.parts if n.kind == "*" else (n,)) for n in (above, below))
    shared = {b: min(tops[b], bottoms[b]) for b in tops if b in bottoms and b != ONE}
    if shared:
        above, below = (
            _product([power(b, number(n - shared.get(b, 0))) for b, n in of.items()])
            for of in (tops, bottoms)
        )
    return above if below == ONE else Node("/", (above, below))


def power(base: Node, exponent: Node) -> Node:
    return {ZERO: ONE, ONE: base}.get(exponent) or Node("^", (base, exponent))


_SIMPLIFIED: Mapping[str, Callable[..., Node]] = {"+": plus, "*": times, "/": over, "^": power}
_BINARY: Mapping[type, Callable[[Node, Node], Node]] = {
    ast.Add: plus, ast.Sub: lambda a, b: plus(a, minus(b)),
    ast.Mult: times, ast.Div: over, ast.Pow: power,
}  # fmt: skip


@cache
def read(text: str) -> Node:
    """A formula in Python's signs: `sum(t, 1, T, log(p[t])) / T`.

    Sums and products name their index, its first and last value and their body; a fifth argument
    is the value of the index that is left out.
    """
    return _read(ast.parse(text, mode="eval").body)


def _read(node: ast.expr) -> Node:
    match node:
        case ast.Constant(value=int(n)):
            return number(n)
        case ast.Name(id=name):
            return quantity(name)
        case ast.Subscript(value=ast.Name(id=name), slice=inside):
            indexes = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            return quantity(name, *map(_read, indexes))
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_read(left), _read(right))
        case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=index), *rest]) if name in BIG:
            return Node(name, tuple(map(_read, rest)), index)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return Node(name, tuple(map(_read, arguments)))
    raise ValueError(f"no formula: {ast.unparse(node)}")


# What stands for a quantity: the names of its indexes, and its formula.
Definition = tuple[tuple[str, ...], Node]


def substitute(node: Node, known: Mapping[str, Definition]) -> Node:
    """A formula with definitions in place of the quantities that they define."""
    parts = tuple(substitute(part, known) for part in node.parts)
    if node.kind == "quantity" and node.name in known:
        names, formula = known[node.name]
        at = zip(names, parts, strict=True)
        bound: dict[str, Definition] = {n: ((), i) for n, i in at if i != quantity(n)}
        return substitute(formula, bound) if bound else formula
    simplified = _SIMPLIFIED.get(node.kind)
    return simplified(*parts) if simplified else node._replace(parts=parts)


_VALUES: Mapping[str, Callable[..., float]] = {
    "+": lambda *terms: sum(terms),
    "-": lambda term: -term,
    "*": lambda *factors: math.prod(factors),
    "/": lambda above, below: above / below,
    "^": lambda base, exponent: float(base**exponent),
    **FUNCTIONS,
}


def value(node: Node, values: Values) -> float:
    """What a formula comes to."""
    if node.kind == "number":
        return node.number
    if node.kind in BIG:
        low, high, body, *but = node.parts
        first, last, *out = (round(value(end, values)) for end in (low, high, *but))
        steps = (n for n in range(first, last + 1) if n not in out)
        gather = sum if node.kind == "sum" else math.prod
        return gather(value(body, {**values, node.name: n}) for n in steps)
    parts = [value(part, values) for part in node.parts]
    if node.kind == "quantity":
        known = values[node.name]
        return known(*parts) if callable(known) else known
    return _VALUES[node.kind](*parts)


def latex(node: Node, letters: Mapping[str, str]) -> str:
    """A formula in LaTeX, its quantities by their letters."""

    def write(each: Node, *in_brackets: str) -> str:
        text = latex(each, letters)
        return _bracket(text) if each.kind in in_brackets else text

    kind, parts = node.kind, node.parts
    if kind == "number":
        return str(node.number)
    if kind == "quantity":
        return letters[node.name] + (_lower("_", ",".join(map(write, parts))) if parts else "")
    if kind == "+":
        terms = [f" {'+' if s > 0 else '-'} {write(n)}" for s, n in map(_sign, parts)]
        return "-" * (parts[0].kind == "-") + "".join(terms)[3:]
    if kind == "*":
        *most, last = parts
        return " ".join([*(write(f, "+", *BIG) for f in most), write(last, "+")])
    if kind == "/":
        return r"\frac{{{}}}{{{}}}".format(*map(write, parts))
    if kind == "^":
        return write(parts[0], *_VALUES, *BIG) + _lower("^", write(parts[1]))
    if kind in BIG:
        low, high, index = write(parts[0]), write(parts[1]), letters[node.name]
        ends = rf"_{{{index}={low}}}^{{{high}}}"
        if parts[3:]:
            ends = rf"_{{{low} \le {index} \le {high}, {index} \ne {write(parts[3])}}}"
        return rf"\{kind}{ends} {write(parts[2], '+')}"
    inner = ", ".join(map(write, parts))
    if kind == "sqrt":
        return rf"\sqrt{{{inner}}}"
    bare = kind == "log" and parts[0].kind in ("quantity", "/")
    return rf"\log {inner}" if bare else rf"\{kind}{_bracket(inner)}"


def _bracket(text: str) -> str:
    tall = any(sign in text for sign in (r"\frac", r"\sum", r"\prod"))
    return rf"\left( {text} \right)" if tall else f"({text})"


def _lower(mark: str, text: str) -> str:
    return f"{mark}{text}" if len(text) == 1 else f"{mark}{{{text}}}"
