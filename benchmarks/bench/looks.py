"""Runs that are looked at after every item: do bounds hold at all looks, and what is not asked?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from askew.schema import ENOUGH_ITEMS
from askew.statistics.anytime import bounds_at_any_time
from askew.statistics.intervals import LEVEL
from askew.statistics.tables import Counts, Totals
from bench.scenes import HEADLINES, Scene, omni_accuracy
from bench.studies import Counted

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
    sums = scene.drawn(seed)
    sums = sums[np.random.default_rng(seed).permutation(len(sums))]
    for m in range(ENOUGH_ITEMS, len(sums) + 1):
        total = sums[:m].sum(axis=0)
        point = analysis.statistic(Totals(total[None], table.columns))[scene.key]
        rest = analysis.statistic(Totals(total - sums[:m], table.columns))[scene.key]
        # What the analysis counted are all items of the run: so many have been asked.
        share = m / len(sums)
        counts = point.counts or analysis.counts.get(scene.key[1:], Counts(0))
        parts = tuple(replace(p, n_units=round(p.n_units * share)) for p in point.parts)
        point = replace(point, parts=parts)
        yield m, *bounds_at_any_time(point, rest, round(counts.n_units * share), LEVEL)


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


def saved(name: str, n: int, width: float, runs: int) -> Counted:
    """How many of the items of all runs are not asked where each stops at this width."""
    scene = LOOKED_AT[name](n)

    def asked(seed: int) -> int:
        return next((m for m, low, high in looks(scene, seed) if high - low < width), n)

    return runs * n - sum(map(asked, range(runs))), runs * n
