"""Differences between two models on the clusters, or samples, that both answered.

Every paper's table function makes them when it is given `Pairing` in place of an interval: the
same clusters are drawn for both models, so what makes a cluster hard for both cancels out.

Scores of any samples have textbook tests: right or wrong answers McNemar's exact test, others
Student's paired t, clusters the t of a cluster-robust standard error (CR1). Intervals are the t's.
Where most samples are unchanged, it is too sure of a bound: Tango's score test must agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import special

from askew.schema import Metric
from askew.stats import intervals, tables
from askew.stats.clusters import NO_NULL, NoEffect, noise_taken_off, side_by_side
from askew.stats.intervals import Floats, Ints, Jackknife
from askew.stats.p_values import POWER, equivalence_p
from askew.stats.quantities import UNDEFINED_SHARE, Quantity
from askew.stats.tables import Analysis, Interval, Key, Totals

SIDES = ("baseline", "model")
# What noise makes of each side's number, where it moves it one way.
SIDE_NULLS = tuple(f"{side}_{name}" for side in SIDES for name in tables.NULL_COLUMNS)
# An interval, p-values of no difference and of the margin or more, the standard deviation of a
# cluster's difference (with two clusters made up), and how far a cluster can lie apart.
TESTED = ("low", "high", "p_value", "p_equal", "deviation", "most")
COLUMNS = (
    "value", "low", "high", "n_items", "n_dropped", "reason",
    "baseline_value", "model_value", "p_value", "n_clusters",
    "p_equal", "deviation", "most", "noise_off", "replicates", *SIDE_NULLS,
)  # fmt: skip
_ONE_CLUSTER = "fewer than two clusters: nothing to resample"
_OFTEN_UNDEFINED = "not defined in more than one resample in twenty"
# Kinds of numbers that noise moves one way, in every resample once more.
_MOVED = ("score", "spread", "variance")
_ROUNDING = 1e-12
# Changed clusters that show how large a change can be.
_ENOUGH = 10


@dataclass(frozen=True)
class Pairing(Interval):
    """Rows are differences: each other group of `by` minus the baseline's.

    Clusters that only one of the two has are empty in the other. Of a metric that is `declared`
    better nearer to 0, distances from 0 are compared; a difference as large as its margin matters.
    Columns: `p_equal`, of such a difference; `deviation` and `most`, by which a cluster differs;
    `noise_off`, whether noise is taken off both values; `replicates`, the difference in resamples.
    """

    baseline: str = ""
    declared: Callable[[str], Metric] = Metric

    def frame(
        self, by: Sequence[str], levels: Sequence[str], groups: tables.Groups
    ) -> pd.DataFrame:
        """One row a number and model, for every number that both analyses have."""
        analyses = {key[0]: analysis for key, analysis in groups}
        names, rows = ("metric", *by, *levels), []
        for model in (m for m in analyses if m != self.baseline and self.baseline in analyses):
            pairs = {"baseline": analyses[self.baseline], "model": analyses[model]}
            both = side_by_side({side: analysis.table for side, analysis in pairs.items()})
            drawn = both.resampled(self.resamples, self.seed)
            first, second = (_sides(a, drawn.within(s), self.seed) for s, a in pairs.items())
            for key in (key for key in first if key in second):
                pair = first[key], second[key]
                row = dict(zip(names, (key[0], model, *key[1:]), strict=True))
                row |= _difference(pair, self.level, self.declared(str(key[0])))
                for side, of in zip(SIDES, pair, strict=True):
                    values = {"value": of.point.value, **vars(of.null)}
                    row |= {f"{side}_{name}": value for name, value in values.items()}
                rows.append(row)
        return pd.DataFrame(rows, columns=[*names, *COLUMNS])


@dataclass(frozen=True)
class _Side:
    """One model's number: its values in resamples, what it is beside noise, and what is left of it
    in draws without the effect. `clusters_an_item` is less than 1 where items share a text.
    """

    point: Quantity
    drawn: Floats
    null: NoEffect
    noise: Floats
    clusters_an_item: float = 1.0

    @property
    def steep(self) -> float:
        """The variance of a root (delta method): a small change moves it far where it is 0."""
        # In simulations, equal spreads are then called different in 8 of 100 runs at most.
        null = self.point.null
        if not null or null.growth != "square" or null.lowers:
            return 0.0
        error = float(np.nanstd(self.drawn**2))
        return error**2 / (4 * self.null.value_debiased**2 + 2 * error) if error > 0 else 0.0

    @property
    def folded(self) -> _Side:
        """Its distance from 0, which resampling moves up where the number is near 0."""
        most = max(map(abs, self.point.bounds))
        values = np.abs(self.point.values)
        point = replace(self.point, values=values, interval="spread", bounds=(0.0, most), null=None)
        return replace(self, point=point, drawn=np.abs(self.drawn))


def _sides(analysis: Analysis, totals: Totals, seed: int) -> dict[Key, _Side]:
    """All numbers of one model, with their values in resamples."""
    replicates = analysis.statistic(totals)
    # A number that is a mark rather than an estimate (reliable or not) has none.
    undrawn = np.array([math.nan])
    nulls, drawn = tables.nulls_of(analysis, seed)
    found = {}
    for key, point in analysis.observed.items():
        null, noise = nulls.get(key, NO_NULL), np.zeros(1)
        if point.null and not (point.null.lowers or math.isnan(null.value_debiased)):
            noise = noise_taken_off(drawn[key], drawn[key], point.null)
        values = replicates[key].values if key in replicates else undrawn
        n_items = point.counts.worth(len(analysis.table.features))
        clusters = min(1.0, point.counts.clusters / n_items) if n_items else 1.0
        found[key] = _Side(point, values, null, noise, clusters)
    return found


def _difference(shown: tuple[_Side, _Side], level: float, declared: Metric) -> dict[str, object]:
    pair = [s.folded for s in shown] if declared.better == "nearer zero" else list(shown)
    # Numbers with their noise taken off; nan where noise does not move one of them one way.
    clean, sizes = [s.null.value_debiased for s in pair], [s.point.value for s in pair]
    noise_off = not any(map(math.isnan, clean))
    before, after = clean if noise_off else sizes
    value = float(intervals.zero_if_close(after - before, *sizes))
    drawn = intervals.zero_if_close(pair[1].drawn - pair[0].drawn, *sizes)
    counts = [s.point.counts for s in pair]
    n_clusters = min(c.clusters for c in counts)
    tested, reason = dict.fromkeys(TESTED, math.nan), ""
    if n_clusters < 2:
        reason = _ONE_CLUSTER
    elif math.isnan(value) or np.isnan(drawn).mean() > UNDEFINED_SHARE:
        reason = _OFTEN_UNDEFINED
    else:
        variance = float(np.nanvar(drawn)) + sum(s.point.beside for s in pair)
        if noise_off:
            # Resamples of a number near 0, which it can't pass, vary less than it does.
            apart = float(np.diff([np.nanmean(s.noise) for s in pair])[0])
            least = sum(float(np.nanvar(s.noise)) for s in pair) + apart**2
            variance = max(variance, least, sum(s.steep for s in pair))
        # Noise that is not known apart moves each resample as far again.
        one_way = any((s.point.null and s.point.null.one_way) for s in pair)
        moved = not noise_off and (one_way or any(s.point.interval in _MOVED for s in pair))
        tested = bonett_price_test(
            value, variance, n_clusters, min(c.degrees for c in counts),
            max(s.point.bounds[1] - s.point.bounds[0] for s in pair), level, declared.margin,
            float(np.nanmean(drawn)) - value if moved else 0.0,
            max(s.clusters_an_item for s in pair),
        )  # fmt: skip
    undefined = "; ".join(dict.fromkeys(s.point.reason for s in pair if math.isnan(s.point.value)))
    return {
        "value": value,
        "n_items": min(c.n_items for c in counts),
        "n_dropped": max(c.n_dropped for c in counts),
        "reason": reason and (undefined or reason),
        "n_clusters": n_clusters,
        "noise_off": noise_off,
        "replicates": drawn,
        **tested,
    }


def bonett_price_test(
    value: float, variance: float, n_clusters: int, degrees: int, span: float, level: float,
    margin: float = 0.0, shift: float = 0.0, clusters_an_item: float = 1.0,
) -> dict[str, float]:  # fmt: skip
    """Student's paired t test with two items made up (Bonett and Price), and TOST of the margin."""
    # `span` is how far the number can lie apart at most, `shift` how far resampling moves it away
    # from the truth, and sampling did. Columns: `TESTED`.
    end = span if math.isfinite(span) else math.sqrt(variance * n_clusters)
    most = end * clusters_an_item
    found = Jackknife(value, math.sqrt(variance), degrees)
    error = intervals.with_two_items(found, n_clusters, most).error
    centre = value - shift
    shrunk = centre * n_clusters / (n_clusters + 2)
    half = intervals.t_quantile(level, degrees) * error
    low, high = min(value, shrunk - half), max(value, shrunk + half)
    tested = (
        max(-end, low) if span else low,
        min(end, high) if span else high,
        intervals.student_p(shrunk / error, degrees) if error > 0 else 1.0,
        equivalence_p(centre, error, degrees, margin) if error > 0 else 1.0,
        math.sqrt((n_clusters**2 * variance + 2 * most**2) / (n_clusters + 2)),
        most,
    )
    return dict(zip(TESTED, tested, strict=True))


# --- Scores of the same samples, tested by the book ----------------------------------------------


@dataclass(frozen=True)
class PairedTest:
    """Second mean minus first mean, its standard error, degrees of freedom and test."""

    first: float
    second: float
    difference: float
    n: int
    n_clusters: int
    risen: int
    fallen: int
    error: float
    degrees: int
    p_value: float
    test: str
    # How much clusters rose and fell, and the largest change, where most are unchanged.
    moved: tuple[float, float, float]

    def interval(self, level: float) -> tuple[float, float]:
        """Student's interval of the difference."""
        reach = intervals.t_quantile(level, self.degrees) * self.error if self.degrees else math.nan
        return self.difference - reach, self.difference + reach

    def p_equal(self, margin: float) -> float:
        """P-value of two one-sided tests (TOST) that the difference lies within the margin."""
        return max(self.p_beyond(-margin, 1), self.p_beyond(margin, -1))

    def p_beyond(self, bound: float, sign: int) -> float:
        """One-sided p-value that the difference lies above a bound (sign 1), or below (-1)."""
        if not self.degrees:
            return math.nan
        p = float(special.stdtr(self.degrees, sign * (bound - self.difference) / self.error))
        rose, fell, size = self.moved
        margin = -sign * bound / size if size else math.inf
        if not 0 < margin < 1:
            return p
        fallen, risen = (fell, rose) if sign > 0 else (rose, fell)
        return max(p, _tango_p(fallen / size, risen / size, self.n_clusters, margin))

    def detectable(self, level: float) -> float:
        """The difference that such a test detects with 80% power at a level (MDE)."""
        if not self.degrees:
            return math.nan
        more = special.stdtrit(self.degrees, POWER)
        return float((intervals.t_quantile(level, self.degrees) + more) * self.error)


def _tango_p(fallen: float, risen: float, n: int, margin: float) -> float:
    """P-value that less than the margin more fell than rose, of n pairs (Tango, 1998)."""
    b = (2 * n - fallen + risen) * margin - fallen - risen
    root = math.sqrt(b * b + 8 * n * risen * margin * (1 - margin))
    rising = (root - b) / (4 * n)  # the share that rises if the margin is the truth
    spread = math.sqrt(n * (2 * rising + margin * (1 - margin)))
    return float(special.ndtr((fallen - risen - n * margin) / spread))


def paired_test(first: Floats, second: Floats, clusters: Ints, level: float = 0.95) -> PairedTest:
    """Compare the scores of samples, one of each run a sample, in numbered clusters."""
    change = second - first
    n, n_clusters = len(change), len(np.unique(clusters))
    mean, degrees = float(change.mean()), max(n_clusters - 1, 0)
    # With a sample a cluster this is the standard error of a mean.
    sums = np.bincount(clusters, change - mean)
    error = math.sqrt(n_clusters / degrees * float((sums**2).sum())) / n if degrees else math.nan
    risen, fallen = int((change > _ROUNDING).sum()), int((change < -_ROUNDING).sum())
    values = np.concatenate([first, second])
    scale = max(1.0, float(np.ptp(values)))
    by_cluster = np.bincount(clusters, change) * n_clusters / n
    moved = by_cluster[np.abs(by_cluster) > _ROUNDING]
    few = (0.0, 0.0, 0.0)
    if 2 * len(moved) < n_clusters:
        size = float(np.abs(moved).max(initial=0))
        if len(moved) < _ENOUGH:  # so few don't show how far a whole cluster can fall
            size = max(size, scale * float(np.bincount(clusters).max()) * n_clusters / n)
        few = float(moved[moved > 0].sum()), float(-moved[moved < 0].sum()), size
    exact = n_clusters == n and bool(np.isin(values, (0.0, 1.0)).all())
    if degrees and not error > _ROUNDING:
        # No difference varies: one that is never seen is as frequent as chance hides (Clopper and
        # Pearson), and the sign of all is a sign test's.
        hidden = 1 - ((1 - level) / 2) ** (1 / n_clusters)
        error = hidden * scale / intervals.t_quantile(level, degrees)
        p_value = min(1.0, 2.0 ** (1 - n_clusters)) if abs(mean) > _ROUNDING else 1.0
        test = "exact McNemar" if exact else "sign test"
    elif exact:
        p_value = min(1.0, 2 * float(special.bdtr(min(risen, fallen), risen + fallen, 0.5)))
        test = "exact McNemar"
    else:
        p_value = intervals.student_p(mean / error, degrees) if degrees else math.nan
        test = "paired t" if n_clusters == n else "cluster-robust t"
    return PairedTest(
        float(first.mean()), float(second.mean()), mean, n, n_clusters, risen, fallen, error,
        degrees, p_value, test, few,
    )  # fmt: skip
