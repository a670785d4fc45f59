"""Questions from a seed at ten levels of difficulty: the items of `data=generated`.

Stories are those of `stories.py`. Equations: a passage tells step by step how a quantity is made of
given ones, most often in one of four ways or more; options are four such tellings put into one
equation, and which of them the passage tells is drawn by lot.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations, count, cycle, product
from random import Random
from typing import Any

import numpy as np

from askew.files import toml_of
from askew.papers.knowno.items import KnowNoItem
from askew.papers.knowno.paper import PAPER, SUBSET_OF, Kind
from askew.papers.knowno.stories import Plot, Question, story
from askew.sources.levels import Generator, levels_of
from askew.stats.intervals import Floats

REVISION = "2"
_WORDS: Mapping[str, Any] = toml_of(__package__, "words.toml")["equation"]
_STEPS: Mapping[str, Sequence[Sequence[str]]] = _WORDS["steps"]
_OPTIONS, _DRAWS, _NEAR = 4, 3, 1e-6
# The three ways to split four options into two pairs; and in how many steps they differ at most.
_SPLITS, _APART = ((0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 0)), 5
# How long an equation may be, and how deep its fractions.
_LONGEST, _DEEPEST = 300, 3


@dataclass(frozen=True, slots=True)
class Chain:
    """What equations of a level are made of, as difficulty.toml has it."""

    steps: int
    bases: int
    asides: int = 0
    twice: int = 0
    mixed: bool = False
    turned: bool = False


class Level:
    """A level of difficulty: what it adds, and both kinds of question at it."""

    def __init__(self, adds: str, story: Mapping[str, Any], equation: Mapping[str, Any]) -> None:
        self.adds, self.plot, self.chain = adds, Plot(**story), Chain(**equation)


LEVELS = levels_of(__package__, Level)


def _questions(level: int, seed: int, subsets: Sequence[str]) -> Iterator[KnowNoItem]:
    """A level's questions without an end; neighbouring levels begin with different kinds."""
    streams = [_stream(level, seed, subset) for subset in subsets]
    turns = streams if level % 2 else streams[::-1]
    return chain.from_iterable(zip(*turns, strict=True))


generate = Generator(_questions, REVISION, 200, PAPER.selection("generated"))


def _stream(level: int, seed: int, subset: str) -> Iterator[KnowNoItem]:
    kind: Kind = "story" if subset == SUBSET_OF["story"] else "equation"
    of, rng = LEVELS[level], Random(f"knowno/{kind}/{REVISION}/{seed}/{level}")
    asks, known = of.plot.asks.split(), set[str]()
    for number in count(1):
        name, made = f"g{seed}-{level:02}-{kind}{number:04}", None
        # The text is what comes first.
        while made is None or next(iter(made[0].values())) in known:
            ask = asks[(number - 1) % len(asks)]
            made = story(of.plot, ask, rng) if kind == "story" else _equation(of.chain, rng)
        known.add(next(iter(made[0].values())))
        yield KnowNoItem(name, subset, name, kind, *made, difficulty=level)


# A number, a letter, or a sign with what it joins.
Node = int | str | tuple[str, Any, Any]
Cell = tuple[int, ...]
_SIGNS = {"+": 0, "-": 0, "*": 1, "/": 2}
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


@dataclass(frozen=True, slots=True)
class _Step:
    """A quantity `y` that is told in one of several ways, by earlier ones and a given letter."""

    ways: Sequence[Sequence[str]]
    words: Mapping[str, str]

    def formula(self, way: int, known: Mapping[str, Node]) -> Node:
        parts = {name: known.get(word, word) for name, word in self.words.items()}
        return _put(_read(self.ways[way][1]), parts)


def _equation(of: Chain, rng: Random) -> Question | None:
    """A passage with a gap, four equations and which is right; nothing where a draw fits none."""
    nouns = iter(rng.sample(_WORDS["nouns"], of.bases + of.steps + of.asides))
    amounts = iter(rng.sample(_WORDS["amounts"], len(_WORDS["amounts"])))
    shares = iter(rng.sample(_WORDS["shares"], len(_WORDS["shares"])))
    given: dict[str, Node] = {next(nouns): next(amounts) for _ in range(of.bases)}
    steps, last = _steps(of, given, nouns, amounts, shares, rng)
    needed = steps[: of.steps]
    cells = _four_cells([len(step.ways) for step in needed], rng)
    letter = rng.choice(_WORDS["asked"])
    formulas = []
    for cell in cells:
        known = dict(given)
        for step, way in zip(needed, cell, strict=True):
            known[step.words["y"]] = step.formula(way, known)
        formulas.append(known[last])
    texts = [_latex(_turned(formula, rng) if of.turned else formula) for formula in formulas]
    if max(map(len, texts)) > _LONGEST or max(map(_depth, formulas)) > _DEEPEST:
        return None
    pairs = combinations(map(_values, formulas), 2)
    if any(np.any(abs(a - b) <= _NEAR * abs(a + b)) for a, b in pairs):
        return None
    right = rng.randrange(_OPTIONS)
    told = [
        step.ways[cells[right][i] if i < of.steps else rng.randrange(len(step.ways))][0].format(
            **step.words
        )
        for i, step in enumerate(steps)
    ]
    first = [_WORDS["given"].format(y=y, p=p) for y, p in given.items()]
    if of.mixed:
        rng.shuffle(told)
    cut = len(told) if len(told) < 3 else rng.randint(len(told) // 2, len(told) - 1)
    lead = rng.choice(_WORDS["leads"]).format(y=last, s=letter)
    rest = [rng.choice(_WORDS["after"]), *told[cut:]] if told[cut:] else []
    shown = {
        "before": f"\\subsection{{{rng.choice(_WORDS['titles'])}}}\n"
        f"{' '.join([*first, *told[:cut]])} {lead}",
        "after": " ".join([*rest, rng.choice(_WORDS["ends"])]),
    }
    return shown, tuple(f"{letter} = {text}" for text in texts), right


def _steps(
    of: Chain, given: Mapping[str, Node], nouns: Iterator[str], amounts: Iterator[str],
    shares: Iterator[str], rng: Random,
) -> tuple[list[_Step], str]:  # fmt: skip
    """The steps that lead to the last quantity, and those that nothing rests on after them."""
    free, used, steps = list(given), list[str](), list[_Step]()
    made_of: dict[str, tuple[str, str]] = {}
    joins = rng.sample(range(of.steps), of.bases - 1)
    again = rng.sample([i for i in range(1, of.steps) if i not in joins], of.twice)
    for i in range(of.steps + of.asides):
        aside = i >= of.steps
        pool = used if aside else free
        x = pool[-1] if not aside and rng.random() < 0.6 else rng.choice(pool)
        z = ""
        if i in joins:
            z = rng.choice([q for q in free if q != x])
        elif i in again and (others := [q for q in used if q != x and q not in made_of.get(x, ())]):
            z = rng.choice(others)
        kind = rng.choice(("both", "blend") if z else ("amount", "share"))
        words = {"x": x, "z": z, "y": next(nouns)}
        words["p"] = "" if kind == "both" else next(amounts if kind == "amount" else shares)
        steps.append(_Step(_STEPS[kind], words))
        made_of[words["y"]] = x, z
        if not aside:
            free = [q for q in free if q not in (x, z)]
            used += [q for q in (x, z) if q and q not in used]
            free.append(words["y"])
    return steps, steps[of.steps - 1].words["y"]


def _four_cells(sizes: Sequence[int], rng: Random) -> list[Cell]:
    """Four ways to tell all steps.

    Of three steps or more, each that differs splits the four into two pairs, and three of them each
    in another way: no step tells one option from all others, so who compares them checks two.
    """
    if len(sizes) < len(_SPLITS):
        return rng.sample([*product(*map(range, sizes))], _OPTIONS)
    first = [rng.randrange(size) for size in sizes]
    drawn = [list(first) for _ in range(_OPTIONS)]
    apart = rng.sample(range(len(sizes)), min(len(sizes), rng.randint(len(_SPLITS), _APART)))
    for i, split in zip(apart, cycle(_SPLITS)):
        other = rng.choice([way for way in range(sizes[i]) if way != first[i]])
        for cell, turned in zip(drawn, split, strict=True):
            cell[i] = other if turned else first[i]
    return [tuple(cell) for cell in rng.sample(drawn, _OPTIONS)]


@cache
def _read(text: str) -> Node:
    """A formula in signs, such as `(1 - p) * x`, as a tree."""

    def node(of: Any) -> Node:
        if isinstance(of, ast.BinOp):
            return _OPERATORS[type(of.op)], node(of.left), node(of.right)
        found: Node = of.id if isinstance(of, ast.Name) else of.value
        return found

    return node(ast.parse(text, mode="eval").body)


def _turned(node: Node, rng: Random) -> Node:
    """The same with the terms of its sums and products in any order."""
    if not isinstance(node, tuple):
        return node
    sign, one, two = node[0], _turned(node[1], rng), _turned(node[2], rng)
    turned = sign in "+*" and rng.random() < 0.5
    return (sign, two, one) if turned else (sign, one, two)


def _put(node: Node, parts: Mapping[str, Node]) -> Node:
    if isinstance(node, tuple):
        return node[0], _put(node[1], parts), _put(node[2], parts)
    return parts.get(node, node) if isinstance(node, str) else node


def _latex(node: Node, least: int = 0) -> str:
    """The formula; in brackets where its sign binds less than what is around it."""
    if not isinstance(node, tuple):
        return str(node)
    sign, left, right = node
    if sign == "/":
        return rf"\frac{{{_latex(left)}}}{{{_latex(right)}}}"
    binds = _SIGNS[sign]
    if sign == "*":
        text = f"{_latex(left, binds)} {_latex(right, binds)}"
    else:
        text = f"{_latex(left)} {sign} {_latex(right, int(sign == '-'))}"
    tall = r"\left( {} \right)" if r"\frac" in text else "({})"
    return tall.format(text) if binds < least else text


def _depth(node: Node) -> int:
    if not isinstance(node, tuple):
        return 0
    return max(map(_depth, node[1:])) + (node[0] == "/")


@cache
def _drawn(letter: str) -> Floats:
    most = 0.9 if letter.startswith("\\") else 9.0
    return np.array([Random(f"{letter}/{draw}").uniform(0.1, most) for draw in range(_DRAWS)])


def _values(node: Node) -> Floats:
    """What it comes to for some values of its letters."""
    if isinstance(node, tuple):
        a, b = map(_values, node[1:])
        if node[0] == "/":
            return np.divide(a, b, out=np.zeros(_DRAWS), where=b != 0)
        return a + b if node[0] == "+" else a - b if node[0] == "-" else a * b
    return _drawn(node) if isinstance(node, str) else np.full(_DRAWS, float(node))
