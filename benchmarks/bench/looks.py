"""Runs that are looked at after every item: do bounds hold at all looks, and what is not asked?"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial

import numpy as np

from askew.schema import ENOUGH_ITEMS
from askew.scoring.stopping import bounds_at_any_time
from askew.stats.intervals import LEVEL, Ints
from askew.stats.quantities import Quantity
from askew.stats.tables import Counts, Interval, Key, Totals, numbers_of
from bench.scenes import HEADLINES, Scene, omni_accuracy
from bench.studies import RESAMPLES, Counted

_ROUNDING = 1e-9
# First headlines, which `stop_when` looks at; and one over subsets of which one has few items.
NAMES = ("OmniAccuracy", "RS", "framing pull", "BiasF", "largest loss", "MBS")
LOOKED_AT: Mapping[str, Callable[[int], Scene]] = {
    **{name: scene for name, scene in HEADLINES.items() if name.startswith(NAMES)},
    "OmniAccuracy, few of one subset": partial(omni_accuracy, level=2.5, sizes=(1, 6, 2)),
}
Look = tuple[int, float, float]


def looks(scene: Scene, seed: int) -> Iterator[Look]:
    """The bounds after every item of a run in random order, from the first that are given on."""
    analysis, table = scene.alone, scene.alone.table
    sums = scene.drawn(seed)[_order(scene, seed)]
    for m in range(ENOUGH_ITEMS, len(sums) + 1):
        total = sums[:m].sum(axis=0)
        point = analysis.statistic(Totals(total[None], table.columns))[scene.key]
        rest = analysis.statistic(Totals(total - sums[:m], table.columns))[scene.key]
        share = m / len(sums)
        clusters = round(point.counts.n_clusters * share)
        yield m, *bounds_at_any_time(_of_some(point, share), rest, clusters, LEVEL)


def _order(scene: Scene, seed: int) -> Ints:
    return np.random.default_rng(seed).permutation(len(scene.alone.table.features))


def _of_some(quantity: Quantity, share: float) -> Quantity:
    """A number of a share of the items: what the analysis counted are all items of the run."""
    parts = tuple(replace(p, n_clusters=round(p.n_clusters * share)) for p in quantity.parts)
    return replace(quantity, parts=parts, counts=_some(quantity.counts, share))


def _some(counts: Counts, share: float) -> Counts:
    some = {name: round(share * getattr(counts, name)) for name in ("n_items", "n_clusters")}
    return replace(counts, **some)


def ordinary(scene: Scene, seed: int, m: int) -> tuple[float, float]:
    """The interval that reports give, of the first items of a run in random order."""
    of, order = scene.alone, _order(scene, seed)[:m]
    share = m / len(of.table.features)
    table = replace(
        of.table,
        features=scene.drawn(seed)[order],
        strata=of.table.strata[order],
        clusters=[of.table.clusters[i] for i in order] if of.table.clusters else (),
    )

    def statistic(totals: Totals) -> dict[Key, Quantity]:
        return {key: _of_some(q, share) for key, q in of.statistic(totals).items()}

    run = replace(of, table=table, statistic=statistic)
    said = next(said for _, said in numbers_of(run, Interval(RESAMPLES, seed=seed)))
    return float(said["low"]), float(said["high"])


def held(name: str, n: int, runs: int) -> Counted:
    """How many runs hold the truth at every look."""
    scene = LOOKED_AT[name](n)
    truth = scene.truth()
    near = _ROUNDING * max(1.0, abs(truth))

    def holds(seed: int) -> bool:
        return not any(
            truth < low - near or truth > high + near for _, low, high in looks(scene, seed)
        )

    return sum(map(holds, range(runs))), runs


def held_of_yes_and_no(share: float, n: int, runs: int) -> Counted:
    """How many runs of right-or-wrong answers hold their share at every look."""

    @cache
    def bounds(hits: int, m: int) -> tuple[float, float]:
        rest = np.repeat([hits - 1, hits], [hits, m - hits]) / (m - 1)
        point = Quantity(np.array([hits / m]), "rate")
        return bounds_at_any_time(point, Quantity(rest, "rate"), m, LEVEL)

    def holds(seed: int) -> bool:
        hits = np.cumsum(np.random.default_rng(seed).random(n) < share).tolist()
        sizes = range(ENOUGH_ITEMS, n + 1)
        return all(low <= share <= high for low, high in (bounds(hits[m - 1], m) for m in sizes))

    return sum(map(holds, range(runs))), runs


def saved(name: str, n: int, width: float, runs: int) -> Counted:
    """How many of the items of all runs are not asked where each stops at this width."""
    scene = LOOKED_AT[name](n)

    def asked(seed: int) -> int:
        return next((m for m, low, high in looks(scene, seed) if high - low < width), n)

    return runs * n - sum(map(asked, range(runs))), runs * n


def held_where_stopped(name: str, n: int, width: float, runs: int) -> Counted:
    """How many ordinary intervals hold the truth, each of a run that stopped at this width."""
    scene = LOOKED_AT[name](n)
    truth = scene.truth()

    def holds(seed: int) -> bool:
        last = next((m for m, low, high in looks(scene, seed) if high - low < width), n)
        low, high = ordinary(scene, seed, last)
        return low - _ROUNDING <= truth <= high + _ROUNDING

    return sum(map(holds, range(runs))), runs
