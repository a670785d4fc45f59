"""Simulate thresholds and their shifts: how near they are, how often covered, how often detected.

`python benchmarks/thresholds.py [RUNS]` prints a row per world of 200 items.
"""

import sys
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from askew.papers import get_paper
from askew.stats.tables import Interval, metric_table
from askew.stats.thresholds import next_levels, threshold_analysis

GUESS, ITEMS = 1 / 3, 200
PAPER = get_paper("mathcomp")


def thresholds(rows: pd.DataFrame, control: str = "control") -> dict[str, Any]:
    """The rows of a metric table by metric: each condition's threshold and its shift."""
    analyse = partial(threshold_analysis, paper=PAPER, control=control, place={})
    table = metric_table(rows, (), (), analyse, Interval(resamples=50))
    return {row.metric.removeprefix("threshold_"): row for row in table.itertuples()}


def world(
    rng: np.random.Generator, levels: range, threshold: float, shift: float, slope: float,
    clusters: int = 0, alike: float = 0.0, missing: float = 0.0, replies: int = 1,
    own: float = 1.0, items: int = ITEMS,
) -> pd.DataFrame:  # fmt: skip
    """Replies under a control and a treated condition; an item's difficulty is its own, too."""
    difficulty = np.resize(np.array(levels), items)
    cluster = rng.permutation(np.arange(items) % (clusters or items))
    moved = alike * rng.normal(size=items)[cluster] + own * rng.normal(size=items)
    frames = []
    for condition, at in (("control", threshold), ("treated", threshold + shift)):
        knows = 1 / (1 + np.exp(-slope * (at + moved - difficulty)))
        right = (rng.random((replies, items)) < GUESS + (1 - GUESS) * knows).mean(axis=0)
        frame = pd.DataFrame(
            {
                "item": np.arange(items),
                "cluster": cluster,
                "difficulty": difficulty,
                "condition": condition,
                "right": right,
                "guess": GUESS,
            }
        )
        frames.append(frame[rng.random(items) >= missing])  # fmt: skip
    return pd.concat(frames)


WORLDS = {
    "levels 1 to 10, no shift": {"levels": range(1, 11)},
    "levels 1 to 10, shift -1": {"levels": range(1, 11), "shift": -1.0},
    "levels 4 to 8, no shift": {"levels": range(4, 9), "threshold": 6.0},
    "levels 4 to 8, shift -0.8": {"levels": range(4, 9), "threshold": 6.2, "shift": -0.8},
    "26 clusters, no shift": {"levels": range(1, 11), "clusters": 26, "alike": 0.7},
    "26 clusters, shift -1": {
        "levels": range(1, 11), "clusters": 26, "alike": 0.7, "shift": -1.0,
    },
    "1 in 10 cells missing, shift -1": {"levels": range(1, 11), "missing": 0.1, "shift": -1.0},
    "1 in 10 cells missing, no shift": {"levels": range(1, 11), "missing": 0.1},
    "levels chosen on 50 items, no shift": {"levels": None},
    "levels chosen on 50 items, shift -1": {"levels": None, "shift": -1.0},
    "steep: slope 3, no shift": {"levels": range(1, 11), "slope": 3.0, "own": 0.0},
    "a step: slope 8, no shift": {"levels": range(4, 9), "slope": 8.0, "own": 0.0},
    "a step: slope 8, shift -1": {"levels": range(4, 9), "slope": 8.0, "own": 0.0, "shift": -1.0},
    "50 items, slope 1.5, no shift": {"levels": range(1, 11), "own": 0.0, "items": 50},
    "four replies a condition, shift -1": {"levels": range(1, 11), "replies": 4, "shift": -1.0},
}  # fmt: skip


def chosen(rng: np.random.Generator, made: dict[str, Any]) -> range:
    """The levels that 50 items of all levels lead one to ask."""
    first = world(rng, **made | {"levels": range(1, 11)})
    first = first[(first["condition"] == "control") & (first["item"] < 50)]
    low, _, high = next_levels(first).partition("-")
    return range(int(low), int(high or low) + 1)


def main(runs: int) -> None:
    print(f"{'world':36} given  bias  abs.error  covered  shift covered  detected")
    for name, given in WORLDS.items():
        made = {"threshold": 5.5, "shift": 0.0, "slope": 1.5, **given}
        # The true threshold of the population: items differ, so its curve is flatter, but centred.
        rng, found = np.random.default_rng(1), []
        for _ in range(runs):
            rows = world(rng, **made | {"levels": made["levels"] or chosen(rng, made)})
            made_of = thresholds(rows)
            at, by = made_of["control"], made_of["shift_treated"]
            found.append((at.value - made["threshold"], at.low <= made["threshold"] <= at.high,
                          by.low <= made["shift"] <= by.high, by.p_value < 0.05,
                          by.value == by.value, at.value == at.value))  # fmt: skip
        table = np.array(found, dtype=float)
        at, by = table[table[:, 5] == 1], table[table[:, 4] == 1]
        print(
            f"{name:36} {len(by) / runs:5.0%} {np.median(at[:, 0]):5.2f} "
            f"{np.median(abs(at[:, 0])):9.2f} {at[:, 1].mean():9.1%} {by[:, 2].mean():12.1%} "
            f"{by[:, 3].mean():11.1%}",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
