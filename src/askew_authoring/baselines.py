"""What somebody gets right who understands nothing: a set's leaks, beside the noise of chance.

Functions of texts and golds alone. A set leaks where such a guesser hits more often, or an option's
look is right less often, than chance would let it in 95 of 100 sets.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

_LEVEL = 0.95
_DRAWS = 2_000
_WORD = re.compile(r"\\?[^\W_]+")
_SYMBOL = re.compile(r"\\[A-Za-z]+|[A-Za-z]+|\d+|[^\s{}]")
# Words that any text shares with any option.
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be been but by for from had has have he her him his how i in into is "
        "it its of on one or she so that the their them then there they this to was were what "
        "when where which who why will with would you your ",
    )
)


@dataclass(frozen=True)
class Choice:
    """A question with options, as one who understands nothing sees it.

    Attributes:
        id: its id.
        text: what stands around the options: a story and its question, or the LaTeX.
        options: as they stand in the file, in their order.
        gold: the index of the right one.
        unit: questions on one text share it; learned words never come from the own unit.
        formula: options are LaTeX, whose signs count beside its words.
    """

    id: str
    text: str
    options: tuple[str, ...]
    gold: int
    unit: str = ""
    formula: bool = False


@dataclass(frozen=True)
class Labelled:
    """A text with its label, such as a yes-or-no question; `about` is what it is asked of."""

    id: str
    text: str
    label: str
    about: str = ""
    unit: str = ""


@dataclass(frozen=True)
class Ranked:
    """Titles of which some are relevant."""

    id: str
    titles: tuple[str, ...]
    relevant: frozenset[int]


@dataclass(frozen=True)
class Baseline:
    """What one guesser reaches, and the range that chance keeps it in (95 of 100 sets).

    Attributes:
        name: what the guesser goes by.
        value: hits, or for rankings the mean average precision.
        out_of: questions, or 1 for rankings.
        chance: what is expected of chance.
        low: the range's lower end; nothing bounds what learns from the set itself.
        high: its upper end.
    """

    name: str
    value: float
    out_of: float
    chance: float
    low: float
    high: float

    @property
    def within_chance(self) -> bool:
        return self.low - 1e-9 <= self.value <= self.high + 1e-9

    def line(self) -> str:
        """The baseline in a line for a terminal."""
        share = f"{100 * self.value / self.out_of:5.1f} %"
        low, high = (100 * max(0.0, x) / self.out_of for x in (self.low, self.high))
        verdict = "within chance" if self.within_chance else "LEAKS"
        by_chance = f"chance {100 * self.chance / self.out_of:.1f}, {low:.1f} to {high:.1f}"
        return f"{self.name:<18} {share}  ({by_chance}): {verdict}"


def words(text: str) -> frozenset[str]:
    """The words of a text that say something, without case and simple endings."""
    found = _WORD.findall(text.casefold())
    return frozenset(
        re.sub(r"(?<=\w{3})(?:'s|es|s|ed|ing)$", "", w) for w in found if w not in _EMPTY
    )


def of_choices(items: Sequence[Choice]) -> list[Baseline]:
    """Guessers of multiple-choice questions."""
    if not items:
        return []
    odds = [1 / len(item.options) for item in items]
    learned = _learned(items)
    pickers: Mapping[str, Callable[[Choice], Sequence[float]]] = {
        "longest": lambda item: [len(_plain(o)) for o in item.options],
        "shortest": lambda item: [-len(_plain(o)) for o in item.options],
        "most overlapping": _overlaps,
        "most central": _centralities,
        **{
            f"position {place + 1}": lambda item, place=place: [  # type: ignore[misc]
                float(i == place) for i in range(len(item.options))
            ]
            for place in range(max(len(item.options) for item in items))
        },
        "bag of words": lambda item: learned[item.id],
    }
    found = []
    for name, scores in pickers.items():
        hits = sum(_hit(scores(item), item.gold) for item in items)
        low, high = _range_of(odds)
        low = -math.inf if name == "bag of words" else low
        found.append(Baseline(name, hits, len(items), sum(odds), low, high))
    return found


def of_labels(items: Sequence[Labelled]) -> list[Baseline]:
    """Guessers of two labels: by the text's length, its overlap, its first word, and its words."""
    labels = sorted({item.label for item in items})
    if len(labels) != 2:
        return []
    truth = [item.label == labels[0] for item in items]
    looks = {
        "longer half": [float(len(item.text)) for item in items],
        **(
            {"overlapping half": [_shared(words(i.text), words(i.about)) for i in items]}
            if any(item.about for item in items)
            else {}
        ),
    }
    found = [_agreement(f"{name}: {labels[0]}", _upper(x), truth) for name, x in looks.items()]
    first = _by_majority([_first_word(item.text) for item in items], truth, items)
    found.append(_agreement("first word", first, truth, one_sided=True))
    told = _labels_learned(items, truth)
    return [*found, _agreement("bag of words", told, truth, one_sided=True)]


def of_guesses(guesses: Mapping[str, Sequence[bool]], truth: Sequence[bool]) -> list[Baseline]:
    """Guessers of two labels that a set brings itself, each by what it says of every item."""
    return [_agreement(name, told, truth) for name, told in guesses.items()]


def of_rankings(items: Sequence[Ranked]) -> list[Baseline]:
    """Sorting titles by length, either way, against sorting them by chance."""
    if not items:
        return []
    draw = random.Random("rankings")
    by_chance = sorted(
        _mean(
            _precision(draw.sample(range(len(i.titles)), len(i.titles)), i.relevant) for i in items
        )
        for _ in range(_DRAWS)
    )
    tail = (1 - _LEVEL) / 2
    low, high = by_chance[int(tail * _DRAWS)], by_chance[int((1 - tail) * _DRAWS) - 1]
    found = []
    for name, sign in (("longest first", -1), ("shortest first", 1)):
        orders = [
            sorted(range(len(i.titles)), key=lambda k, i=i: sign * len(i.titles[k]))  # type: ignore[misc]
            for i in items
        ]
        value = _mean(_precision(o, i.relevant) for o, i in zip(orders, items, strict=True))
        found.append(Baseline(name, value, 1.0, _mean(by_chance), low, high))
    return found


def _plain(option: str) -> str:
    return re.sub(r"\\[,;:! ]|\s+", " ", option)


def _hit(scores: Sequence[float], gold: int) -> float:
    """The chance to hit for one who picks the highest score, ties by lot."""
    best = [i for i, score in enumerate(scores) if score >= max(scores) - 1e-12]
    return 1 / len(best) if gold in best else 0.0


def _shared(part: frozenset[str], whole: frozenset[str]) -> float:
    """The share of a text's words that the other text has."""
    return len(part & whole) / len(part) if part else 0.0


def _overlaps(item: Choice) -> list[float]:
    text = _features(item.text, item.formula)
    return [_shared(_features(option, item.formula), text) for option in item.options]


def _centralities(item: Choice) -> list[float]:
    """How like the others each option is: the mean share of pieces that two have in common."""
    pieces = [_pieces(option, item.formula) for option in item.options]
    return [
        _mean(_alike(a, b) for j, b in enumerate(pieces) if j != i) for i, a in enumerate(pieces)
    ]


def _pieces(option: str, formula: bool) -> Counter[str]:
    """Words, or signs and pairs of neighbouring signs of a formula, as often as they occur."""
    if not formula:
        return Counter(words(option))
    signs = _SYMBOL.findall(option)
    return Counter([*signs, *(f"{a} {b}" for a, b in pairwise(signs))])


def _alike(a: Counter[str], b: Counter[str]) -> float:
    either = (a | b).total()
    return (a & b).total() / either if either else 0.0


def _features(text: str, formula: bool) -> frozenset[str]:
    return frozenset(_SYMBOL.findall(text)) if formula else words(text)


def _learned(items: Sequence[Choice]) -> dict[str, list[float]]:
    """What the words of other units' right and wrong options say about each option."""
    right, wrong = Counter[str](), Counter[str]()
    own: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for item in items:
        mine = own.setdefault(item.unit or item.id, (Counter(), Counter()))
        for i, option in enumerate(item.options):
            seen = _features(option, item.formula)
            (right if i == item.gold else wrong).update(seen)
            mine[0 if i == item.gold else 1].update(seen)
    told = {}
    for item in items:
        good, bad = own[item.unit or item.id]
        told[item.id] = [
            _log_odds(_features(option, item.formula), right - good, wrong - bad)
            for option in item.options
        ]
    return told


def _log_odds(seen: frozenset[str], for_it: Counter[str], against: Counter[str]) -> float:
    """Naive Bayes with half a count for what was never seen."""
    n, m = for_it.total() + 1, against.total() + 1
    return math.fsum(
        math.log((for_it[w] + 0.5) / n) - math.log((against[w] + 0.5) / m)
        for w in seen
        if for_it[w] or against[w]
    )


def _labels_learned(items: Sequence[Labelled], truth: Sequence[bool]) -> list[bool]:
    yes, no = Counter[str](), Counter[str]()
    seen = [words(f"{item.text} {item.about}") for item in items]
    own: dict[str, tuple[Counter[str], Counter[str]]] = {}
    sizes: dict[str, list[int]] = {}
    for item, features, is_yes in zip(items, seen, truth, strict=True):
        unit = item.unit or item.id
        (yes if is_yes else no).update(features)
        own.setdefault(unit, (Counter(), Counter()))[0 if is_yes else 1].update(features)
        sizes.setdefault(unit, [0, 0])[0 if is_yes else 1] += 1
    told = []
    for item, features in zip(items, seen, strict=True):
        unit = item.unit or item.id
        good, bad = own[unit]
        n, m = sum(truth) - sizes[unit][0], len(truth) - sum(truth) - sizes[unit][1]
        told.append(_presence(features, yes - good, no - bad, n, m) > 0)
    return told


def _presence(
    seen: frozenset[str], yes: Counter[str], no: Counter[str], n: int, m: int
) -> float:  # fmt: skip
    """Naive Bayes over which words stand there; labels count as equally frequent.

    A word that no other unit has says nothing: else the label that its own unit was taken from,
    now the rarer one, would win by it.
    """
    return math.fsum(
        math.log((yes[w] + 0.5) / (n + 1)) - math.log((no[w] + 0.5) / (m + 1))
        for w in sorted(seen)
        if yes[w] or no[w]
    )


def _by_majority(
    looks: Sequence[str], truth: Sequence[bool], items: Sequence[Labelled]
) -> list[bool]:  # fmt: skip
    """The label that others of the same look have more often; where it is a tie, the first."""
    told = []
    for look, item in zip(looks, items, strict=True):
        others = [
            is_yes
            for other, is_yes, it in zip(looks, truth, items, strict=True)
            if other == look and (it.unit or it.id) != (item.unit or item.id)
        ]
        told.append(2 * sum(others) >= len(others))
    return told


def _first_word(text: str) -> str:
    found = _WORD.search(text.casefold())
    return found[0] if found else ""


def _upper(scores: Sequence[float]) -> list[bool]:
    """Whether each lies above the median."""
    middle = sorted(scores)[len(scores) // 2]
    return [score >= middle for score in scores]


def _agreement(
    name: str, told: Sequence[bool], truth: Sequence[bool], one_sided: bool = False
) -> Baseline:  # fmt: skip
    """Hits of a guesser against those it would have were the labels dealt out anew."""
    n, yes, said = len(truth), sum(truth), sum(told)
    hits = sum(a == b for a, b in zip(told, truth, strict=True))
    # Of `both` that are yes and called so, the hits are `both` and as many as then are no and no.
    shares = {
        2 * both + n - yes - said: math.comb(yes, both) * math.comb(n - yes, said - both)
        for both in range(max(0, said + yes - n), min(said, yes) + 1)
    }
    total = sum(shares.values())
    chances = {k: v / total for k, v in shares.items()}
    low, high = _quantiles(chances)
    expected = math.fsum(k * p for k, p in chances.items())
    return Baseline(name, hits, n, expected, -math.inf if one_sided else low, high)


def _range_of(odds: Sequence[float]) -> tuple[float, float]:
    """Between how many hits chance stays, where each question has its own odds."""
    chances = [1.0]
    for p in odds:
        chances = [
            (chances[k] * (1 - p) if k < len(chances) else 0.0) + (chances[k - 1] * p if k else 0.0)
            for k in range(len(chances) + 1)
        ]
    return _quantiles(dict(enumerate(chances)))


def _quantiles(chances: Mapping[int, float]) -> tuple[float, float]:
    """The narrowest bounds that leave at most half of what is beyond the level on each side."""
    tail = (1 - _LEVEL) / 2
    return _bound(sorted(chances), chances, tail), _bound(sorted(chances)[::-1], chances, tail)


def _bound(
    numbers: Iterator[int] | Sequence[int], chances: Mapping[int, float], tail: float
) -> float:
    beyond, at = 0.0, 0
    for at in numbers:
        beyond += chances[at]
        if beyond > tail:
            break
    return float(at)


def _precision(order: Sequence[int], relevant: frozenset[int]) -> float:
    """Average precision of an order."""
    hits, total = 0, 0.0
    for place, title in enumerate(order, start=1):
        if title in relevant:
            hits += 1
            total += hits / place
    return total / len(relevant) if relevant else math.nan


def _mean(numbers: Iterator[float] | Sequence[float]) -> float:
    listed = list(numbers)
    return math.fsum(listed) / len(listed) if listed else 0.0
