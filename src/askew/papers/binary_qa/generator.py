"""Questions from a seed at ten levels of difficulty: the items of `data=generated`.

A numerical passage tells amounts, some of them by others, and asks about the sum of several. A
multi-hop passage tells by how much neighbors differ, and asks which of two that are far apart comes
first. `difficulty.toml` says what each level adds. Every answer follows from the passage alone, by
whole numbers. All wordings are made from the question's own parts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, product
from random import Random
from typing import Any

from askew.files import toml_of
from askew.papers.binary_qa.items import OPERATORS, BinaryItem, Comparison
from askew.papers.binary_qa.paper import LABELS, PAPER, Answer
from askew.sources.levels import Generator, endless, levels_of, listed

REVISION = "2"
_WORDS = toml_of(__package__, "passage_words.toml")
_TELLS: Mapping[str, Any] = _WORDS["numerical"]
_OPPOSITE = {">": "<=", "<=": ">", ">=": "<", "<": ">="}
_LEAST, _MOST = 6, 600
_PERCENTS = (10, 15, 20, 25, 30, 40, 50, 60, 75)
# How often a part is told by the one before it, not by an earlier one.
_LAST = 0.7


@dataclass(frozen=True, slots=True)
class Level:
    """What passages are made of at a level of difficulty."""

    adds: str
    parts: Sequence[str]
    asked: int
    near: tuple[int, int]
    hops: int
    reach: int
    asides: int = 0
    described: float = 0.0
    branches: int = 0
    veiled: bool = False
    shuffled: bool = False


LEVELS = levels_of(__package__, Level)


def _items(level: int, seed: int, subsets: Sequence[str]) -> Iterator[BinaryItem]:
    """A level's items without an end; those of other subsets are drawn, and left out."""
    rng = Random(f"binary_qa/{REVISION}/{seed}/{level}")
    turns = endless(list(_MAKERS), rng)
    of = {
        subset: (endless(list(_WORDS[scenes]), rng), endless([*product(kinds, LABELS)], rng))
        for subset, (scenes, kinds, _) in _MAKERS.items()
    }
    known: set[str] = set()
    for number in count(1):
        subset = next(turns)
        scenes, kind, make = _MAKERS[subset]
        scene, (kind, answer) = (next(values) for values in of[subset])
        made: dict[str, Any] = {}
        while not made or made["passage"] in known:
            made = make(_WORDS[scenes][scene], LEVELS[level], kind, answer, rng)
        known.add(made["passage"])
        if subset in subsets:
            yield BinaryItem.model_construct(
                id=f"g{seed}-{level:02}-{number:04}", subset=subset, kind=kind, answer=answer,
                cluster=f"generated-{scene}", difficulty=level, **made,
            )  # fmt: skip


generate = Generator(_items, REVISION, 120, PAPER.selection("generated"))


def _framed(clause: str, rng: Random) -> dict[str, str]:
    """The forms that put a frame around what the original asks."""
    forms = _WORDS["forms"]
    return {
        "hedged": rng.choice(forms["hedged"]).format(clause=clause),
        "false_framing": forms["false_framing"].format(clause=clause),
    }


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


# --- numerical: amounts that are told by other amounts ---


@dataclass(frozen=True, slots=True)
class Amount:
    """A value, the form of the sentence that tells it, and that sentence's words.

    `of` are the places in the list of the amounts that it is told by.
    """

    value: int
    form: str
    words: Mapping[str, Any]
    of: Sequence[int] = ()


def _numerical(
    scene: Mapping[str, str], level: Level, kind: str, answer: Answer, rng: Random
) -> dict[str, Any]:
    """The fields of a question about the sum of some amounts."""
    while not (amounts := _amounts(level.parts, rng)):
        continue
    before, *places = _WORDS["places"][scene["places"]]
    drawn = rng.sample(range(len(places)), len(amounts))
    at = [places[i] for i in (drawn if level.shuffled else sorted(drawn))]
    where = [f"{before} {place}" for place in at]
    sentences = [
        _TELLS[one.form].format(
            **scene, Where=_capital(own),
            **dict(zip(("of", "other"), (where[i] for i in one.of), strict=False)), **one.words,
        )
        for own, one in zip(where, amounts, strict=True)
    ]  # fmt: skip
    for form in rng.sample(_TELLS["asides"], level.asides):
        aside = rng.choice(where)
        words = {"where": aside, "Where": _capital(aside), "n": rng.randint(12, 95)}
        sentences.insert(rng.randrange(len(sentences) + 1), form.format(**scene, **words))
    if level.shuffled:
        rng.shuffle(sentences)
    last = len(amounts) - 1
    asked = sorted([last, *rng.sample(range(last), level.asked - 1)])
    check = _compared(sum(amounts[i].value for i in asked), level, kind, answer, rng)
    when = f"{before} {listed([at[i] for i in asked])}"
    who, do, did, things = (scene[name] for name in ("who", "do", "did", "things"))
    plain, other = (of.format(n=int(check.n), things=things) for of in _TELLS["compared"][check.op])
    if check.op in _OPPOSITE:
        turned = _TELLS["compared"][_OPPOSITE[check.op]][0].format(n=int(check.n), things=things)
        contradictory = f"Did {who} {do} {turned} {when} together?"
    else:
        number = f"the number of {things} that {who} {did} {when} together"
        contradictory = f"Was {number} different from {int(check.n)}?"
    return {
        "passage": " ".join(map(_capital, sentences)), "check": check,
        "original": f"Did {who} {do} {plain} {when} together?",
        "synonym": f"Did {who} {do} {other} {when} combined?",
        "contradictory": contradictory,
        **_framed(f"{who} {did} {plain} {when} together", rng),
    }  # fmt: skip


def _compared(value: int, level: Level, kind: str, answer: Answer, rng: Random) -> Comparison:
    """A comparison that comes to the answer, with a number as near as the level says."""
    apart = max(1, round(value * rng.randint(*level.near) / 1000))
    sides = [value - apart, value + apart]
    if kind == "exact":
        return Comparison(value=value, op="==", n=value if answer == "Yes" else rng.choice(sides))
    op = rng.choice(list(_OPPOSITE))
    (n,) = (n for n in sides if OPERATORS[op](value, n) is (answer == "Yes"))
    return Comparison.model_construct(value=value, op=op, n=n)


def _amounts(parts: Sequence[str], rng: Random) -> list[Amount]:
    """Amounts of these kinds; none where one comes out in no whole number, or out of bounds."""
    made: list[Amount] = []
    for kind in parts:
        bases = rng.sample(range(len(made)), len(made))
        if bases and rng.random() < _LAST:
            bases = [len(made) - 1, *bases]
        tried = (_told_by(kind, made, base, rng) for base in bases or [-1])
        fits = (one for one in tried if one and _LEAST <= one.value <= _MOST)
        if (found := next(fits, None)) is None:
            return []
        made.append(found)
    return made


def _told_by(kind: str, made: Sequence[Amount], base: int, rng: Random) -> Amount | None:
    """An amount that is told by the one at `base`, or alone; nothing where that has no whole."""
    value = made[base].value if made else 0
    if kind == "amount":
        n = rng.randint(12, 95)
        return Amount(n, kind, {"n": n})
    if kind in ("more", "fewer"):
        n = rng.randint(3, max(4, value // 2))
        return Amount(value + n if kind == "more" else value - n, kind, {"n": n}, [base])
    if kind == "times":
        place = rng.randrange(len(_TELLS["times_words"]))
        return Amount(value * (place + 2), kind, {"times": _TELLS["times_words"][place]}, [base])
    if kind == "both":
        others = [i for i in range(len(made)) if i != base]
        other = rng.choice(others)
        return Amount(value + made[other].value, kind, {}, [base, other])
    if kind == "share":
        for share, text in rng.sample(list(_TELLS["shares"].items()), len(_TELLS["shares"])):
            above, below = map(int, share.split("/"))
            if value % below == 0:
                return Amount(value * above // below, kind, {"share": text}, [base])
        return None
    for percent in rng.sample(_PERCENTS, len(_PERCENTS)):
        if value * percent % 100 == 0:
            sign, way = rng.choice(((1, "more"), (-1, "fewer")))
            changed = value * (100 + sign * percent) // 100
            return Amount(changed, f"percent_{way}", {"n": percent}, [base])
    return None


# --- multi-hop: places on a line, told by how far neighbors are apart ---


def _multi_hop(
    scene: Mapping[str, Any], level: Level, kind: str, answer: Answer, rng: Random
) -> dict[str, Any]:
    """The fields of a question about two that are so many relations apart."""
    asks = rng.randrange(2)
    # The first that is asked about is further on, or further back.
    forward = (answer == "Yes") == (asks == 0)
    at, edges = _line(level, forward, rng)
    last = level.hops
    called = Callings(scene, len(at), rng)
    sentences = []
    for edge in edges:
        a, b = rng.sample(edge, 2)
        apart = at[a] - at[b]
        words = {"a": called(a, level.described), "b": called(b, level.described)}
        k = f"{abs(apart)} {scene['unit'][abs(apart) > 1]}"
        sentences.append(scene["fact"][apart < 0].format(k=k, **words))
    # In the question by what no relation calls them.
    words = {"a": called(0, level.veiled), "b": called(last, level.veiled)}
    sentences = [*called.told(), *sentences]
    if level.shuffled:
        rng.shuffle(sentences)
    original, synonym, clause = (
        [text.format(**words) for text in scene[form]] for form in ("original", "synonym", "clause")
    )
    return {
        "passage": " ".join(map(_capital, sentences)),
        "original": original[asks],
        "synonym": synonym[asks],
        "contradictory": original[1 - asks],
        "check": None,
        **_framed(clause[asks], rng),
    }


def _line(level: Level, forward: bool, rng: Random) -> tuple[list[int], list[tuple[int, int]]]:
    """Places on a line, of those on the way from the first to the last and then of others; and
    between which of them a relation is told.

    Which way each step goes is drawn before how far: it tells nothing of which way all go.
    """
    ways = [1 if forward else -1] if level.hops == 1 else []
    # Nearly as many go one way as the other, or no steps would come to a small difference.
    while not ways or abs(sum(ways)) > max(1, level.hops // 3):
        ways = [rng.choice((1, -1)) for _ in range(level.hops)]
    at = [0]
    while len(at) == 1:
        for way in ways:
            # Steps lead from the second to the first of each pair.
            at.append(at[-1] - way * rng.randint(1, level.reach))
        total = at[0] - at[-1]
        near = level.hops == 1 or abs(total) <= max(3, level.reach // 3)
        if len(set(at)) < len(at) or (total > 0) is not forward or not near:
            at = [0]
    edges = [(i, i + 1) for i in range(level.hops)]
    while len(at) < level.hops + 1 + level.branches:
        base = rng.randrange(len(at))
        place = at[base] + rng.choice((1, -1)) * rng.randint(1, level.reach)
        if place not in at:
            edges.append((base, len(at)))
            at.append(place)
    return at, edges


class Callings:
    """What those on a line are called: by name, or by one of two traits that are told of them."""

    def __init__(self, scene: Mapping[str, Any], n: int, rng: Random) -> None:
        self._names = _draw(_WORDS["names"][scene["names"]], n, rng)
        self._tells: list[list[str]] = []
        self._calls: list[list[str]] = []
        for kind, tell, call in scene["traits"]:
            values = _draw(_WORDS["values"][kind], n, rng)
            pairs = zip(self._names, values, strict=True)
            self._tells.append([tell.format(name=name, v=v) for name, v in pairs])
            self._calls.append([call.format(v=v) for v in values])
        self._next = [rng.randrange(2) for _ in range(n)]
        self._told: dict[tuple[int, int], None] = {}
        self._rng = rng

    def __call__(self, who: int, described: float) -> str:
        """A name, or so often the trait that the one before did not use."""
        if self._rng.random() >= described:
            return self._names[who]
        trait = self._next[who]
        self._next[who] = 1 - trait
        self._told[who, trait] = None
        return self._calls[trait][who]

    def told(self) -> list[str]:
        """The sentences that tell every trait in use, in any order."""
        made = [self._tells[trait][who] for who, trait in self._told]
        return self._rng.sample(made, len(made))


def _draw(words: str, n: int, rng: Random) -> list[str]:
    """So many words, or phrases with bars between them."""
    return rng.sample(words.split("|" if "|" in words else None), n)


Maker = Callable[[Any, Level, str, Answer, Random], dict[str, Any]]
# By subset: the table of its scenes, the kinds of its questions, and what makes them.
_MAKERS: Mapping[str, tuple[str, Sequence[str], Maker]] = {
    "multi_hop": ("relations", ("chain",), _multi_hop),
    "numerical": ("scenes", ("threshold", "exact"), _numerical),
}
