"""Where answers' variance comes from: items, wordings, both together, and asking again.

Items and wordings (conditions, formats, orders) are crossed: the mean squares of that layout are
sums of the parts' variances, so the parts follow (method of moments). They say how far a wording
that nobody tried may lie from others, and whether more items, wordings or epochs buy more.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from askew.stats.intervals import LEVEL, Floats, t_quantile
from askew.stats.tables import codes_of

PARTS = ("item", "wording", "item x wording", "resampling")
_DRAWS = 4_000
_ONE_EPOCH = "one epoch only: it can't be told from item x wording, and counts there"


@dataclass(frozen=True)
class Design:
    """How much is asked: so many items, in so many wordings, so often each."""

    items: int
    wordings: int
    epochs: int = 1

    @property
    def replies(self) -> int:
        return self.items * self.wordings * self.epochs


@dataclass(frozen=True)
class Part:
    """A variance, with its interval; `reason` says why there is none, or what it holds beside."""

    value: float
    low: float = math.nan
    high: float = math.nan
    reason: str = ""


@dataclass(frozen=True)
class Components:
    """The variance of single answers, in parts, as a fraction squared."""

    mean: float
    asked: Design
    n_dropped: int  # items left out, because they were not scored in every wording and epoch
    between: float  # the variance of the wordings' means as they were seen, noise and all
    parts: dict[str, Part]  # by `PARTS`; a part below zero by chance is 0
    reason: str = ""

    def error(self, design: Design, *, other_wordings: bool = True) -> float:
        """The standard error of the mean over a design, of wordings at large or of just these."""
        item, wording, both, again = (self.parts[name].value for name in PARTS)
        both_and_again = both / (design.items * design.wordings) + again / design.replies
        of_wordings = wording / design.wordings if other_wordings else 0.0
        return math.sqrt(item / design.items + of_wordings + both_and_again)

    def elsewhere(self, level: float = LEVEL) -> tuple[float, float]:
        """Where the mean under one more wording, drawn like these, would be seen on these items."""
        if math.isnan(self.between):
            return math.nan, math.nan
        quantile = t_quantile(level, self.asked.wordings - 1)
        half = quantile * math.sqrt(self.between * (1 + 1 / self.asked.wordings))
        return self.mean - half, self.mean + half

    def best(self, budget: int, most: Design, *, other_wordings: bool = True) -> Design:
        """The design of at most `budget` replies, within `most`, of the least error, then cost."""
        if budget < 1:
            raise ValueError(f"budget={budget}: allow at least one reply")
        designs = (
            Design(min(most.items, budget // (wordings * epochs)), wordings, epochs)
            for wordings in range(1, most.wordings + 1)
            for epochs in range(1, most.epochs + 1)
            if wordings * epochs <= budget
        )
        error = partial(self.error, other_wordings=other_wordings)
        return min(designs, key=lambda design: (round(error(design), 12), design.replies))


def variance_split(
    observations: pd.DataFrame, score: str, wording: str | Sequence[str], *,
    level: float = LEVEL, seed: int = 0,
) -> Components:  # fmt: skip
    """Split the variance of a score into item, wording, both together, and resampling.

    Only items that were scored in every wording and epoch count. The components are those of a
    crossed two-way analysis of variance by the method of moments, with generalized confidence
    intervals (pivots of the mean squares drawn from their chi-squared distributions).

    Args:
        observations: Rows of one model with `subset`, `item`, `epoch` and the columns below.
        score: A numeric column, mostly 0 and 1.
        wording: The column or columns that identify a wording.
        level: Confidence of the intervals.
        seed: Equal seeds give equal intervals.

    Returns:
        The components, or nan with the reason.
    """
    columns = [wording] if isinstance(wording, str) else list(wording)
    if missing := ", ".join(c for c in ("item", score, *columns) if c not in observations):
        there = ", ".join(map(str, observations))
        raise ValueError(f"no column {missing} in the observations; there are: {there}")
    scored = observations[observations[score].notna()]
    item, items = codes_of(scored, [c for c in ("subset", "item") if c in observations])
    way, ways = codes_of(scored, columns)
    again, times = codes_of(scored, [c for c in ("run", "epoch") if c in observations])
    shape = len(items), len(ways), len(times)
    n, sums = np.zeros(shape), np.zeros(shape)
    np.add.at(n, (item, way, again), 1)
    np.add.at(sums, (item, way, again), scored[score].to_numpy(dtype=float))
    whole = (n > 0).all(axis=(1, 2))
    # Answers as items by wordings by epochs.
    answers, n_dropped = sums[whole] / n[whole], int(len(items) - whole.sum())
    design = Design(*answers.shape)
    mean = float(answers.mean()) if answers.size else math.nan
    if design.items < 2 or design.wordings < 2:
        few = "items" if design.items < 2 else "wordings"
        why = f"fewer than two {few} that were scored throughout"
        unknown = {name: Part(math.nan, reason=why) for name in PARTS}
        return Components(mean, design, n_dropped, math.nan, unknown, why)
    between = float(answers.mean(axis=(0, 2)).var(ddof=1))
    return Components(mean, design, n_dropped, between, _parts(answers, level, seed))


def splits(
    observations: pd.DataFrame, score: str, wording: Sequence[str]
) -> list[tuple[pd.DataFrame, Components]]:
    """One split for every set of items that were asked in the same wordings, with its rows."""
    ways = [w for w in wording if w in observations and observations[w].nunique(dropna=False) > 1]
    if not ways:
        return []
    rows = observations.reset_index(drop=True)
    both = ways, ["subset", "item"]
    way, item = (rows.groupby(names, sort=False, dropna=False).ngroup() for names in both)
    parts = rows.groupby(item.map(way.groupby(item).agg(frozenset)), sort=False)
    return [(part, variance_split(part, score, ways)) for _, part in parts]


def _parts(answers: Floats, level: float, seed: int) -> dict[str, Part]:
    """The parts of a full layout, from its mean squares."""
    items, wordings, epochs = answers.shape
    cell, whole = answers.mean(axis=2), answers.mean()
    by_item, by_wording = cell.mean(axis=1), cell.mean(axis=0)
    left = cell - by_item[:, None] - by_wording[None] + whole
    # Of items, wordings, both, and answers of the same: sums of squares with their degrees.
    squares = (
        (wordings * epochs * float(((by_item - whole) ** 2).sum()), items - 1),
        (items * epochs * float(((by_wording - whole) ** 2).sum()), wordings - 1),
        (epochs * float((left**2).sum()), (items - 1) * (wordings - 1)),
        (float(((answers - cell[..., None]) ** 2).sum()), items * wordings * (epochs - 1)),
    )

    def solved(item: Floats, wording: Floats, both: Floats, again: Floats) -> list[Floats]:
        """The parts whose sums the mean squares are."""
        of_item = (item - both) / (wordings * epochs)
        of_wording = (wording - both) / (items * epochs)
        return [of_item, of_wording, (both - again) / epochs, again]

    rng = np.random.default_rng(seed)
    values = solved(*(np.array(square / d if d else 0.0) for square, d in squares))
    # With its own chance in the denominator, each is a draw of what the mean square estimates.
    drawn = solved(*(sq / rng.chisquare(d, _DRAWS) if d else np.zeros(_DRAWS) for sq, d in squares))
    parts = {}
    for name, value, draws in zip(PARTS, values, drawn, strict=True):
        ends = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
        found, low, high = (max(0.0, float(number)) for number in (value, *ends))
        parts[name] = Part(found, low, high)
    if epochs == 1:
        parts["resampling"] = Part(0.0, reason=_ONE_EPOCH)
    return parts
