"""Thresholds: the level of difficulty at which half of what is above chance is right.

A logistic curve per condition, with the guess rate as its floor, is fitted by maximum likelihood
(Fisher scoring) to the share of right replies of each item. Intervals are the cluster jackknife's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd

from askew.schema import HARDEST, Paper
from askew.stats.engine import Items, Number, Sums, analysis, missing_value
from askew.stats.intervals import Floats
from askew.stats.quantities import Quantity
from askew.stats.tables import OVERALL, Analysis, Interval, metric_table, ratio

# Thresholds of curves, and their slopes.
Fits = tuple[Floats, Floats]
# A curve needs so many levels, and an interval so many clusters.
LEAST_LEVELS, LEAST_CLUSTERS = 3, 8
# Levels to ask are so many at least, so that the thresholds of all conditions lie inside.
_FIT_LEVELS = 5
# The slope, per level, of a curve that falls half within a level: see benchmarks/thresholds.py.
_STEEP = 3.0
# Where effects show: a control's accuracy at a level, and how far above chance it is at least.
_SHOWS, _ABOVE_CHANCE = (0.3, 0.9), 0.1
_ROUNDS, _STEP, _CLOSE, _STEEPEST = 100, 2.0, 1e-8, 12.0
# The interval is the jackknife's: resamples tell no more than how often there is no curve.
_RESAMPLES = 200


def level_rows(paper: Paper, rows: pd.DataFrame) -> Iterator[tuple[pd.DataFrame, str]]:
    """Rows of generated questions with `condition`, `right` and `guess`, and the control's name."""
    # Where no condition is plain, those that are compared with each other: the first is it.
    if "difficulty" not in rows or not (paper.chance or paper.chances):
        return
    made = rows[rows["difficulty"].fillna(0).astype(float) > 0]
    factor, within = paper.compared or (next(iter(paper.plain[0])), "task")
    guess = pd.Series(paper.chance, index=made.index)
    for column, chances in paper.chances.items():
        guess = made[column].map(chances).astype(float).fillna(guess)
    made = made.assign(
        condition=made[factor].astype(str), right=made[paper.split_of].astype(float),
        difficulty=made["difficulty"].astype(int), guess=guess, task=paper.task,
    )  # fmt: skip
    for _, part in made[made["right"].notna()].groupby(within, sort=False):
        names = part["condition"].unique()
        first = next((n for n in paper.factor(factor).values if n in names), names[0])
        yield part, first if paper.compared else str(paper.plain[0][factor])


def with_thresholds(
    paper: Paper, rows: pd.DataFrame, table: pd.DataFrame, by: Sequence[str],
    interval: Interval | None,
) -> pd.DataFrame:  # fmt: skip
    """A paper's metric rows, and behind them the thresholds of generated questions."""
    if type(interval) is Interval:
        interval = replace(interval, resamples=min(interval.resamples, _RESAMPLES))
    found = [table]
    for part, control in level_rows(paper, rows):
        levels = list(table.columns[1 + len(by) : table.columns.get_loc("value")])
        within = paper.compared[1:]
        place = {at: str(part[at].iloc[0]) if at in within else OVERALL for at in levels}
        analyse = partial(threshold_analysis, paper=paper, control=control, place=place)
        made = metric_table(part, by, levels, analyse, interval)
        if "p_value" in made and "baseline_value" not in made:
            # A threshold is a place: that it is not 0 tells nothing.
            made.loc[~made["metric"].str.startswith("threshold_shift_"), "p_value"] = np.nan
        found += [made] if len(made) else []
    return pd.concat(found, ignore_index=True) if len(found) > 1 else table


def threshold_analysis(
    rows: pd.DataFrame, paper: Paper, control: str, place: Mapping[str, str]
) -> Analysis:
    """The threshold of each condition, and its shift from the control's on items scored in both."""
    # Rows are those of `level_rows`; the mean of `guess` at a level is the curve's floor. Below 0,
    # a shift makes questions harder. `place` is where the numbers stand in the paper's table.
    by = ["subset", "item", "cluster", "difficulty", "condition"]
    replies = rows.assign(subset=rows.get("subset", "")).groupby(by, sort=True, observed=True)
    items = replies[["right", "guess"]].mean().reset_index()
    conditions = sorted(items["condition"].unique(), key=lambda name: name != control)
    of: dict[str, tuple[str, ...]] = {f"threshold_{name}": (name,) for name in conditions}
    known = {name: set(items["item"][items["condition"] == name]) for name in conditions}
    for name in conditions if control in conditions else ():
        if name != control:
            of[f"threshold_shift_{name}"] = (name, control)
            both = items["item"].isin(known[name] & known[control])
            both &= items["condition"].isin([name, control])
            items[f"asked {name}"] = both.astype(float)
            items[f"right {name}"] = items["right"].where(both, 0.0)
            items[f"guess {name}"] = items["guess"].where(both, 0.0)
    used = [c for c in items.columns if c.startswith(("right", "guess", "asked"))]
    table = Items(items, ("condition", "difficulty"), used, (), groups=("item",))
    curves = {name: _Curves(table, compared, paper.capped) for name, compared in of.items()}
    numbers = [
        Number(
            replace(paper.metric(name), name=name), curve.value, curve.of("asked"),
            why=curve.why, within={"condition": curve.conditions}, shaped=curve.between_levels,
        )
        for name, curve in curves.items()
    ]  # fmt: skip
    return analysis(table, tuple(place), {tuple(place.values()): numbers})


@dataclass(frozen=True)
class _Curves:
    """One condition's curve, or those of two whose thresholds are compared."""

    items: Items
    conditions: tuple[str, ...]
    capped: Mapping[str, str]

    def of(self, column: str) -> str:
        """The column that has the sum over the items that count."""
        if len(self.conditions) == 1:
            return "n" if column == "asked" else column
        return f"{column} {self.conditions[0]}"

    def value(self, sums: Sums) -> Floats:
        """The threshold, or the shift; nan where there is none."""
        if not self.levels or (len(sums) == 1 and self.why(sums)):
            return missing_value(sums)
        first, *others = (self._fits(sums, name)[0] for name in self.conditions)
        return first - others[0] if others else first

    def why(self, sums: Sums) -> str:
        """Why there is no number; empty where there is one."""
        if capped := next((n for n in self.conditions if n in self.capped), ""):
            return f"{capped}: {self.capped[capped]}"
        levels = self.levels
        if len(levels) < LEAST_LEVELS:
            return f"{len(levels)} levels of difficulty; a curve needs at least {LEAST_LEVELS}"
        for name in self.conditions:
            right, asked = (self._by_level(sums, name, c)[0] for c in ("right", "asked"))
            if found := _why_no_curve(right, asked, self._floor(name)):
                return f"{name}: {found}"
            ((at,), _) = self._fits(sums, name)
            if not levels[0] <= at <= levels[-1]:
                what = "no falling curve fits" if math.isnan(at) else "the threshold lies outside"
                return f"{name}: {what} the levels {levels[0]} to {levels[-1]}; run other levels"
        if sums.counts(self.of("asked")).n_clusters < LEAST_CLUSTERS:
            return "it rests on too few clusters; run more items"
        return ""

    def between_levels(self, found: Quantity, sums: Sums) -> Quantity:
        """The number with what a steep curve leaves open: any place between two levels fits."""
        if math.isnan(found.value):
            return found
        # Of a curve that falls within a level this is the variance of a uniform distribution.
        slopes = [abs(float(self._fits(sums, name)[1][0])) for name in self.conditions]
        return replace(found, beside=sum(1 / 12 / (1 + (_STEEP / slope) ** 4) for slope in slopes))

    @cached_property
    def levels(self) -> list[int]:
        """The levels at which items were asked in each condition."""
        asked = []
        for name in self.conditions:
            side = self.items.observed.of(condition=name)
            levels = self.items.values("difficulty", side.cells)
            asked.append({n for n in levels if side.of(difficulty=n)[self.of("asked")] > 0})
        return sorted(int(str(level)) for level in set.intersection(*asked))

    def _by_level(self, sums: Sums, condition: str, column: str) -> Floats:
        at = (sums.of(condition=condition, difficulty=level) for level in self.levels)
        return np.stack([level[self.of(column)] for level in at], axis=1)

    def _floor(self, condition: str) -> Floats:
        known = (self._by_level(self.items.observed, condition, c) for c in ("guess", "asked"))
        return ratio(*known).ravel()

    def _fits(self, sums: Sums, condition: str) -> Fits:
        x = np.array(self.levels, dtype=float)
        start = None if len(sums) == 1 else self._fits(self.items.observed, condition)
        # Resamples of few items are often alike, and slow to fit.
        columns = [self._by_level(sums, condition, c) for c in ("right", "asked")]
        counts, of = np.unique(np.hstack(columns), axis=0, return_inverse=True)
        right, asked = np.hsplit(counts, 2)
        thresholds, slopes = fit_curves(right, asked, x, self._floor(condition), start)
        return thresholds[of.ravel()], slopes[of.ravel()]


def next_levels(rows: pd.DataFrame) -> str:
    """The value of `difficulty` at which a condition's accuracy lets effects show; empty: none."""
    items = rows.groupby(["item", "difficulty"], observed=True)[["right", "guess"]].mean()
    by_level = items.groupby("difficulty")
    right, asked = (np.asarray(n, float) for n in (by_level["right"].sum(), by_level.size()))
    x, guess = (np.asarray(n, float) for n in (by_level.size().index, by_level["guess"].mean()))
    low, high = max(_SHOWS[0], float(guess.mean()) + _ABOVE_CHANCE), _SHOWS[1]
    ((threshold,), slope) = fit_curves(right[None], asked[None], x, guess)
    overall = right.sum() / asked.sum()
    if right.sum() in (0, asked.sum()) or math.isnan(threshold):
        if overall > high:
            first, last = int(x[-1]) + 1, HARDEST
        elif overall < low:
            first, last = 1, int(x[0]) - 1
        else:
            first, last = int(x[0]), int(x[-1])
    else:
        every = np.arange(1, HARDEST + 1, dtype=float)
        known = _curve(-slope * threshold, slope, every, np.full(len(every), guess.mean()))
        kept = every[(known[0][0] >= low) & (known[0][0] <= high)]
        near = float(np.clip(threshold, 1, HARDEST))
        kept = kept if len(kept) else np.array([math.floor(near), math.ceil(near)])
        first, last = int(kept[0]), int(kept[-1])
        while last - first < _FIT_LEVELS - 1:  # a curve needs levels on both sides
            first, last = max(1, first - 1), min(HARDEST, last + 1)
    if first > last:
        return ""
    return str(first) if first == last else f"{first}-{last}"


def _why_no_curve(right: Floats, asked: Floats, guess: Floats) -> str:
    """Why there is no curve through these counts; empty where there may be one."""
    if right.sum() >= asked.sum():
        return "all answers are right; run higher levels"
    if right.sum() <= 0:
        return "no answer is right; run lower levels"
    shares = right / asked
    half = guess + (1 - guess) / 2
    if (shares > half).all():
        return "more than half of what is above chance is right at every level; run higher levels"
    if (shares < half).all():
        return "less than half of what is above chance is right at every level; run lower levels"
    return ""


def fit_curves(
    right: Floats, asked: Floats, levels: Floats, guess: Floats, start: Fits | None = None
) -> Fits:
    """The threshold of a logistic curve for each row of counts by level, and its slope."""
    # The threshold is nan where no curve falls. `guess` is the floor at each level. Rounds begin at
    # the curve `start`; each goes on for the rows alone that have not settled.
    centre, n = float(levels.mean()), len(right)
    x = levels - centre
    reach = float(np.abs(x).max())
    # Intercept and slope: at first a curve that falls through the middle.
    at, by = np.zeros(n), np.full(n, -0.5)
    if start is not None and not math.isnan(start[0][0]):
        by = np.full(n, start[1][0])
        at = by * (centre - start[0][0])
    scale, moved = np.ones(n), np.full(n, np.inf)
    p, share = _curve(at, by, x, guess)
    likelihood = _likelihood(p, right, asked)
    for _ in range(_ROUNDS):
        on = np.flatnonzero(~(moved < _CLOSE))
        if not len(on):
            break
        # Of the rows that go on alone.
        r, a, q, s = right[on], asked[on], p[on], share[on]
        steep = (1 - guess) * s * (1 - s)
        score = (r - a * q) / (q * (1 - q)) * steep
        weight = a * steep**2 / (q * (1 - q)) + 1e-9
        i0, i1, i2 = weight.sum(1), (weight * x).sum(1), (weight * x * x).sum(1)
        s0, s1 = score.sum(1), (score * x).sum(1)
        determinant = np.maximum(i0 * i2 - i1 * i1, 1e-12)
        up, turn = (i2 * s0 - i1 * s1) / determinant, (i0 * s1 - i1 * s0) / determinant
        size = np.maximum(np.abs(up), np.abs(turn) * reach)
        step = scale[on] * np.minimum(1.0, _STEP / np.maximum(size, 1e-12))
        nexts = at[on] + step * up, np.clip(by[on] + step * turn, -_STEEPEST, _STEEPEST)
        p_next, share_next = _curve(*nexts, x, guess)
        found = _likelihood(p_next, r, a)
        # A step that fits worse is not taken, and the next is half as long.
        better = found >= likelihood[on] - 1e-12
        scale[on] = np.where(better, np.minimum(1.0, 2 * scale[on]), scale[on] / 2)
        # How far the threshold came; a curve that is nearly a step grows steeper for long.
        apart = np.abs(_place(*nexts) - _place(at[on], by[on]))
        moved[on] = np.where(better, apart, np.where(size * scale[on] < _CLOSE, 0.0, moved[on]))
        took = on[better]
        at[took], by[took], p[took] = nexts[0][better], nexts[1][better], p_next[better]
        share[took], likelihood[took] = share_next[better], found[better]
    # A step between two levels is as steep as can be: its place is known all the same.
    fits = (by < 0) & ((moved < 1e-3) | (by <= -_STEEPEST))
    return np.where(fits, centre - _place(at, by), np.nan), by


def _place(at: Floats, by: Floats) -> Floats:
    """How far below its centre a curve falls to a half."""
    return at / np.where(by == 0, -1e-12, by)


def _curve(at: Floats, by: Floats, x: Floats, guess: Floats) -> tuple[Floats, Floats]:
    """The chance of a right answer at each level, and how much of it is known."""
    share = 1 / (1 + np.exp(-np.clip(at[:, None] + by[:, None] * x, -30, 30)))
    return np.clip(guess + (1 - guess) * share, 1e-9, 1 - 1e-9), share


def _likelihood(p: Floats, right: Floats, asked: Floats) -> Floats:
    return np.asarray((right * np.log(p) + (asked - right) * np.log(1 - p)).sum(axis=1))
