"""What somebody gets right who understands nothing: a set's leaks, beside the noise of chance.

Functions of texts and golds alone. A set leaks where such a guesser hits more often, or an option's
look is right less often, than chance would let it in 95 of 100 sets.
"""

import math
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

import numpy as np

from askew.stats.intervals import Floats

_TAIL = 0.025  # beyond each end of what chance does in 95 of 100 sets
_DRAWS = 2_000
_WORD = re.compile(r"\\?[^\W_]+")
_SYMBOL = re.compile(r"\\[A-Za-z]+|[A-Za-z]+|\d+|[^\s{}]")
_ENDING = re.compile(r"(?<=\w{3})(?:'s|es|s|ed|ing)$")
# Words that any text shares with any option.
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be been but by for from had has have he her him his how i in into is "
        "it its of on one or she so that the their them then there they this to was were what "
        "when where which who why will with would you your",
    )
)


@dataclass(frozen=True)
class Choice:
    """A question with options, as one who understands nothing sees it."""

    id: str
    text: str  # what stands around the options: a story and its question, or the LaTeX
    options: tuple[str, ...]
    gold: int
    cluster: str = ""  # learned words never come from the own cluster
    formula: bool = False  # options are LaTeX, whose signs count beside its words


@dataclass(frozen=True)
class LabelledText:
    """A text with its label, such as a yes-or-no question; `about` is what it is asked of."""

    id: str
    text: str
    label: str
    about: str = ""
    cluster: str = ""


@dataclass(frozen=True)
class RankedTitles:
    """Titles of which some are relevant."""

    id: str
    titles: tuple[str, ...]
    relevant: frozenset[int]


@dataclass(frozen=True)
class Baseline:
    """What one guesser reaches, and the range that chance keeps it in (95 of 100 sets)."""

    name: str  # what the guesser goes by
    value: float  # hits, or for rankings the mean average precision
    out_of: float  # questions, or 1 for rankings
    chance: float
    low: float  # nothing bounds what learns from the set itself
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
    return frozenset(_ENDING.sub("", w) for w in _WORD.findall(text.casefold()) if w not in _EMPTY)


def of_choices(items: Sequence[Choice]) -> list[Baseline]:
    """Guessers of multiple-choice questions: each scores the options, and picks the highest."""
    if not items:
        return []
    lengths = [[len(re.sub(r"\\[,;:! ]|\s+", " ", o)) for o in item.options] for item in items]
    seen = [[_features(option, item.formula) for option in item.options] for item in items]
    odds = iter(
        _naive_bayes_odds(
            [
                (item.cluster or item.id, has, i == item.gold)
                for item, of in zip(items, seen, strict=True)
                for i, has in enumerate(of)
            ],
            per_word=True,
        )
    )
    texts = [_features(item.text, item.formula) for item in items]
    scores: dict[str, Sequence[Sequence[float]]] = {
        "longest": lengths,
        "shortest": [[-n for n in of] for of in lengths],
        "most overlapping": [
            [_shared_share(has, text) for has in of] for of, text in zip(seen, texts, strict=True)
        ],
        "most central": [*map(_centralities, items)],
        **{
            f"position {place + 1}": [[float(i == place) for i in range(len(of))] for of in lengths]
            for place in range(max(map(len, lengths)))
        },
        "bag of words": [[next(odds) for _ in of] for of in lengths],
    }
    # Each question has its own odds.
    chances = np.ones(1)
    for of in lengths:
        chances = np.convolve(chances, (1 - 1 / len(of), 1 / len(of)))
    low, high = _quantiles(chances)
    by_chance = sum(1 / len(of) for of in lengths)
    return [
        Baseline(
            name, sum(_hit(of, item.gold) for of, item in zip(guesses, items, strict=True)),
            len(items), by_chance, -math.inf if name == "bag of words" else low, high,
        )
        for name, guesses in scores.items()
    ]  # fmt: skip


def of_labels(items: Sequence[LabelledText]) -> list[Baseline]:
    """Guessers of two labels: by the text's length, its overlap, its first word, and its words."""
    labels = sorted({item.label for item in items})
    if len(labels) != 2:
        return []
    truth = [item.label == labels[0] for item in items]
    clusters = [item.cluster or item.id for item in items]
    looks = {"longer half": [float(len(item.text)) for item in items]}
    if any(item.about for item in items):
        looks["overlapping half"] = [_shared_share(words(i.text), words(i.about)) for i in items]
    # Whether each lies above the median.
    guesses = {
        f"{name}: {labels[0]}": [x >= sorted(scores)[len(scores) // 2] for x in scores]
        for name, scores in looks.items()
    }
    found = of_guesses(guesses, truth)
    firsts = [(_WORD.search(item.text.casefold()) or [""])[0] for item in items]
    by_majority = _majority([*zip(clusters, firsts, truth, strict=True)])
    found.append(_agreement("first word", by_majority, truth, one_sided=True))
    seen = [words(f"{item.text} {item.about}") for item in items]
    by_words = [odds > 0 for odds in _naive_bayes_odds([*zip(clusters, seen, truth, strict=True)])]
    return [*found, _agreement("bag of words", by_words, truth, one_sided=True)]


def of_guesses(guesses: Mapping[str, Sequence[bool]], truth: Sequence[bool]) -> list[Baseline]:
    """Guessers of two labels, each by what it says of every item."""
    return [_agreement(name, hits, truth) for name, hits in guesses.items()]


def of_rankings(items: Sequence[RankedTitles]) -> list[Baseline]:
    """Sorting titles by length, either way, against sorting them by chance."""
    if not items:
        return []
    draw = random.Random("rankings")

    def by_lot(titles: Sequence[str]) -> Sequence[int]:
        return draw.sample(range(len(titles)), len(titles))

    by_chance = sorted(
        fmean(_precision(by_lot(i.titles), i.relevant) for i in items) for _ in range(_DRAWS)
    )
    low, high = by_chance[int(_TAIL * _DRAWS)], by_chance[int((1 - _TAIL) * _DRAWS) - 1]
    found = []
    for name, sign in (("longest first", -1), ("shortest first", 1)):
        orders = [
            sorted(range(len(i.titles)), key=lambda k: sign * len(i.titles[k])) for i in items
        ]
        value = fmean(_precision(o, i.relevant) for o, i in zip(orders, items, strict=True))
        found.append(Baseline(name, value, 1.0, fmean(by_chance), low, high))
    return found


def _hit(scores: Sequence[float], gold: int) -> float:
    """The chance to hit for one who picks the highest score, ties by lot."""
    best = [i for i, score in enumerate(scores) if score >= max(scores) - 1e-12]
    return 1 / len(best) if gold in best else 0.0


def _shared_share(part: frozenset[str], whole: frozenset[str]) -> float:
    """The share of a text's words that the other text has."""
    return len(part & whole) / len(part) if part else 0.0


def _features(text: str, formula: bool) -> frozenset[str]:
    return frozenset(_SYMBOL.findall(text)) if formula else words(text)


def _centralities(item: Choice) -> list[float]:
    """How like the others each option is: the mean share of pieces that two have in common.

    Pieces are words, or signs and pairs of neighbouring signs of a formula, as often as they occur.
    """
    pieces = [Counter[str](words(option)) for option in item.options]
    if item.formula:
        signs = [_SYMBOL.findall(option) for option in item.options]
        pieces = [Counter([*of, *map(" ".join, pairwise(of))]) for of in signs]
    alike = [[(a & b).total() / ((a | b).total() or 1) for b in pieces] for a in pieces]
    others = len(pieces) - 1 or 1
    return [math.fsum(x for j, x in enumerate(of) if j != i) / others for i, of in enumerate(alike)]


def _naive_bayes_odds(
    cases: Sequence[tuple[str, frozenset[str], bool]], per_word: bool = False
) -> list[float]:
    """The log odds that naive Bayes gives each text by its words, learned from all other clusters.

    A word that no other cluster has says nothing: else the label that its own cluster was taken
    from, now the rarer one, would win by it. Labels count as equally frequent, as do words or
    texts.
    """
    bags: dict[str, dict[bool, Counter[str]]] = {}
    for cluster, seen, label in cases:
        # The empty word counts texts.
        bags.setdefault(cluster, {True: Counter(), False: Counter()})[label].update((*seen, ""))
    whole = [sum((bag[label] for bag in bags.values()), Counter()) for label in (True, False)]
    others = {
        cluster: [of - bag[label] for of, label in zip(whole, bag, strict=True)]
        for cluster, bag in bags.items()
    }
    found = []
    for cluster, seen, _ in cases:
        yes, no = others[cluster]
        n, m = (1 + (c.total() - c[""] if per_word else c[""]) for c in (yes, no))
        known = (w for w in seen if yes[w] or no[w])
        found.append(
            math.fsum(math.log((yes[w] + 0.5) / n) - math.log((no[w] + 0.5) / m) for w in known)
        )
    return found


def _majority(cases: Sequence[tuple[str, str, bool]]) -> list[bool]:
    """The label that other clusters of the same look have more often; in a tie, the first."""
    balance: Counter[tuple[str, str]] = Counter()
    for cluster, look, is_yes in cases:
        for key in (("", look), (cluster, look)):
            balance[key] += 1 if is_yes else -1
    return [balance["", look] >= balance[cluster, look] for cluster, look, _ in cases]


def _agreement(
    name: str, guesses: Sequence[bool], truth: Sequence[bool], one_sided: bool = False
) -> Baseline:
    """Hits of a guesser against those it would have were the labels dealt out anew."""
    n, yes, n_said = len(truth), sum(truth), sum(guesses)
    hits = sum(a == b for a, b in zip(guesses, truth, strict=True))
    # Of `both` that are yes and called so, the hits are `both` and as many as then are no and no.
    ways = [math.comb(yes, k) * math.comb(n - yes, n_said - k) for k in range(n_said + 1)]
    low, high, expected = (
        2 * both + n - yes - n_said
        for both in (*_quantiles(np.array(ways) / math.comb(n, n_said)), yes * n_said / n)
    )
    return Baseline(name, hits, n, expected, -math.inf if one_sided else low, high)


def _quantiles(chances: Floats) -> tuple[float, float]:
    """The narrowest bounds that leave at most half of what is beyond the level on each side."""
    below, above = np.cumsum(chances), np.cumsum(chances[::-1])
    return float(np.argmax(below > _TAIL)), float(len(above) - 1 - np.argmax(above > _TAIL))


def _precision(order: Sequence[int], relevant: frozenset[int]) -> float:
    """Average precision of an order."""
    places = [place for place, title in enumerate(order, start=1) if title in relevant]
    return fmean(k / place for k, place in enumerate(places, 1)) if places else math.nan
