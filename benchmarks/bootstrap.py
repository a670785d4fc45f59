"""How much faster is the cluster bootstrap than the loop one would write first?

10,000 resamples of 4,000 observations in 1,000 items. The loop draws items, looks their rows up
with pandas and takes the mean; it is timed on a few resamples and scaled up. Answers that are
right or wrong repeat, which the bootstrap uses; graded ones, all different, are its worst case.
The loop takes the same time over either.

    python benchmarks/bootstrap.py
"""

import argparse
import sys

import numpy as np
import pandas as pd
from bench.results import Result, at_least, best, show

from askew.stats.tables import cluster_table, ratio

LIMIT = 200.0
_RESAMPLES = 10_000
_ITEMS = 1_000
_CONDITIONS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")
# The two intervals may differ by the noise of their own draws.
_TOLERANCE = 0.02


def observations(graded: bool = False) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = [(f"i{item}", hint) for item in range(_ITEMS) for hint in _CONDITIONS]
    made = pd.DataFrame(rows, columns=["cluster", "hint"])
    ability = np.repeat(rng.random(_ITEMS), len(_CONDITIONS))
    drawn = rng.random(len(made))
    right = (ability + drawn) / 2 if graded else (drawn < ability).astype(float)
    return made.assign(subset="one", correct=right)


def loop(rows: pd.DataFrame, resamples: int) -> list[float]:
    """Means of the conditions' accuracies over resampled items, one resample at a time."""
    rng = np.random.default_rng(1)
    by_cluster = rows.set_index("cluster")
    clusters = rows["cluster"].unique()
    means = []
    for _ in range(resamples):
        drawn = by_cluster.loc[rng.choice(clusters, len(clusters))]
        means.append(float(drawn.groupby("hint")["correct"].mean().mean()))
    return means


def ours(rows: pd.DataFrame, resamples: int) -> np.ndarray:
    totals = cluster_table(rows, ("hint",), ("correct",)).resampled(resamples, seed=1)
    return np.mean([ratio(totals[h, "correct"], totals[h, "n"]) for h in _CONDITIONS], axis=0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--loop-resamples", type=int, default=100)
    few = parser.parse_args().loop_resamples
    rows = observations()
    scale = _RESAMPLES / few
    theirs = best(lambda: loop(rows, few), 1) * scale
    own = best(lambda: ours(rows, _RESAMPLES), 3)
    graded = observations(graded=True)
    worst = best(lambda: ours(graded, _RESAMPLES), 3)
    spread, same = np.std(ours(rows, _RESAMPLES)), np.std(loop(rows, few))
    print(f"standard error: {spread:.4f} vectorised, {same:.4f} by the loop ({few} resamples)")
    if abs(spread - same) > _TOLERANCE:
        print("MISSED: the two bootstraps disagree")
        return 1
    return show(
        [
            Result(f"pandas loop, {_RESAMPLES:,} resamples of {len(rows):,}", f"{theirs:.1f} s"),
            at_least("times faster, right or wrong", theirs / own, LIMIT, told=f"{own:.3f} s"),
            at_least("times faster, graded answers", theirs / worst, LIMIT, told=f"{worst:.3f} s"),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
