"""Do numbers and decisions err as rarely as they say? Simulated where the truth is known.

    python benchmarks/claims.py
    python benchmarks/claims.py --runs 200 --part coverage

Coverage: how often a 95 % interval holds the truth, for every headline, from 12 to 400 items, in
the middle and near the ceiling. Nulls: how often a number is called larger than noise makes it
where there is nothing. A claim is off where chance would explain the miss in one of a hundred runs.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from bench.results import Result, show
from bench.scenes import HEADLINES, NOTHING

SIZES = (12, 24, 48, 120, 400)
NULL_SIZES = (24, 60)
RUNS = 1_000
RESAMPLES = 600
LEAST, FROM_48 = 0.92, (0.94, 0.97)
MOST_ALARMS = 0.06
# An interval of a number near the edge of its range, or of a largest, may hold it more often.
_AT_AN_EDGE = ("none", "ceiling", "rarely", "cost")
# Beyond this, in standard errors, chance is no excuse.
_EXCUSE = 2.33


def covered(name: str, n: int, runs: int) -> tuple[int, int]:
    """How many intervals hold the truth, and how many were given."""
    scene = HEADLINES[name](n)
    truth = scene.truth()
    found = [scene.number(seed, RESAMPLES) for seed in range(runs)]
    given = [f for f in found if not math.isnan(float(f["low"]))]
    near = 1e-9 * max(1.0, abs(truth))
    return sum(float(f["low"]) - near <= truth <= float(f["high"]) + near for f in given), len(
        given
    )


def alarms(name: str, n: int, runs: int) -> tuple[int, int]:
    """How many p-values are at most 0.05, and how many were given."""
    scene = NOTHING[name](n)
    found = [float(scene.number(seed, 2, null=True)["null_p"]) for seed in range(runs)]
    given = [p for p in found if not math.isnan(p)]
    return sum(p <= 0.05 for p in given), len(given)


def _error(rate: float, runs: int) -> float:
    return _EXCUSE * math.sqrt(rate * (1 - rate) / max(1, runs))


def coverage(runs: int, each: Callable[..., list[tuple[int, int]]]) -> list[Result]:
    cells = [(name, n) for name in HEADLINES for n in SIZES]
    results = []
    for (name, n), (held, given) in zip(cells, each(covered, cells, runs), strict=True):
        if not given:
            results.append(Result(f"coverage: {name}, {n} items", "no interval"))
            continue
        rate = held / given
        least, most = (LEAST, 1.0) if n < 48 else FROM_48
        met = least - _error(least, given) <= rate <= most + _error(most, given)
        met = met or (any(edge in name for edge in _AT_AN_EDGE) and rate >= least)
        told = "" if given == runs else f"  ({given} of {runs} had one)"
        results.append(
            Result(
                f"coverage: {name}, {n} items", f"{rate:.3f}{told}", f"{least:g} to {most:g}", met
            )
        )
    return results


def nulls(runs: int, each: Callable[..., list[tuple[int, int]]]) -> list[Result]:
    cells = [(name, n) for name in NOTHING for n in NULL_SIZES]
    results = []
    for (name, n), (called, given) in zip(cells, each(alarms, cells, runs), strict=True):
        rate = called / max(1, given)
        met = rate <= MOST_ALARMS + _error(MOST_ALARMS, given)
        what = f"false alarms: {name}, {n} items"
        results.append(Result(what, f"{rate:.3f}", f"<= {MOST_ALARMS:g}", met))
    return results


PARTS = {"coverage": coverage, "nulls": nulls}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    results = []
    with ProcessPoolExecutor(options.workers) as pool:

        def each(of: Callable[..., tuple[int, int]], cells: Sequence[tuple[str, int]], runs: int):
            names, sizes = zip(*cells, strict=True)
            done = []
            for cell, found in zip(
                cells, pool.map(partial(of, runs=runs), names, sizes), strict=True
            ):
                print(f"{of.__name__}: {cell[0]}, {cell[1]} items: {found}", file=sys.stderr)
                done.append(found)
            return done

        for part in options.part or PARTS:
            results += PARTS[part](options.runs, each)
    return show(results)


if __name__ == "__main__":
    sys.exit(main())
