"""How often is a set called "at the ceiling", or "perhaps at" it, by the true rate and the items?

    python benchmarks/ceiling.py
    python benchmarks/ceiling.py --runs 200

Of independent answers the shares are exact, sums of binomial chances over askew's own rule. Of
items that share a text, whose answers stand or fall together, they are counted in simulated runs.
"At the ceiling" claims a true rate of 95 % or more: below, it may be said in 5 of 100 runs at most.
"""

import argparse
import math
import sys
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from bench.results import Result, print_table, show

from askew.report.caveats import CEILING, SURE
from askew.report.study import Study
from askew.schema import ENOUGH_ITEMS
from askew.stats.intervals import wilson
from askew.stats.tables import Interval

RATES = (0.90, 0.92, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99, 1.00)
SIZES = (20, 30, 60, 73, 120, 300)
# Of all sizes up to so many, the largest share of wrong claims is looked for.
LARGEST = 1_000
MOST_WRONG = 0.05
# Items that share a text, and how far their answers stand or fall together.
SHARING, TOGETHER = 4, 0.3
SHARED_RATES, SHARED_SIZES, RUNS = (0.90, 0.93, 0.95, 0.97, 0.99), (60, 120, 300), 600
_DRAWS = Interval(resamples=400)


def said_from(n: int) -> tuple[int, int]:
    """How many of n right answers it takes to be called perhaps at the ceiling, and at it.

    One more than there are where none are enough.
    """
    perhaps = [k for k in range(n + 1) if n >= ENOUGH_ITEMS and k / n >= CEILING]
    sure = [k for k in perhaps if wilson(k / n, n)[0] >= SURE]
    return min(perhaps, default=n + 1), min(sure, default=n + 1)


def chance_of(least: int, n: int, rate: float) -> float:
    """How likely at least so many of n independent answers are right."""
    return math.fsum(math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(least, n + 1))


def exact_rows() -> Iterator[list[str]]:
    """What is said of independent answers: at the ceiling, and perhaps at it."""
    for n in SIZES:
        perhaps, sure = said_from(n)
        for word, shares in (
            ("at", [chance_of(sure, n, rate) for rate in RATES]),
            ("perhaps at", [chance_of(perhaps, n, r) - chance_of(sure, n, r) for r in RATES]),
        ):
            yield [str(n), word, *(f"{100 * share:.1f}" for share in shares)]


def most_wrong() -> tuple[float, int]:
    """The largest share of models just below the claim that are called at the ceiling, and of n."""
    # Of many items a misses' sum is short: it is made of the few mistakes that are allowed.
    found = []
    for n in range(ENOUGH_ITEMS, LARGEST + 1):
        sure = _least_sure(n)
        wrong = math.fsum(_binomial(m, n, 1 - SURE) for m in range(n - sure + 1))
        found.append((wrong, n))
    return max(found)


def _least_sure(n: int) -> int:
    """As `said_from`, from the top down."""
    right = n + 1
    while right > 0 and (right - 1) / n >= CEILING:
        if wilson((right - 1) / n, n)[0] < SURE:
            break
        right -= 1
    return right


def _binomial(k: int, n: int, rate: float) -> float:
    return math.exp(
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        + k * math.log(rate) + (n - k) * math.log1p(-rate)
    )  # fmt: skip


def shared(n: int, rate: float, runs: int, rng: np.random.Generator) -> tuple[float, float]:
    """The shares of runs called at the ceiling, and perhaps at it, where items share texts."""
    strength = 1 / TOGETHER - 1
    texts = rng.beta(rate * strength, (1 - rate) * strength, (runs, n // SHARING))
    right = rng.random((runs, n // SHARING, SHARING)) < texts[:, :, None]
    found = Study(_rows(right.reshape(runs, n))).ceilings(_DRAWS).found
    sure = sum(one.ceiling == "at" for one in found) / runs
    return sure, len(found) / runs - sure


def _rows(right: np.ndarray) -> pd.DataFrame:
    """Answers of a model a run, as KnowNo's table has them with the right option on offer."""
    runs, n = right.shape
    item = np.tile(np.arange(n), runs)
    return pd.DataFrame(
        {
            "task": "knowno", "model": np.repeat([f"m{i}" for i in range(runs)], n),
            "subset": "mctest", "tier": "core", "hint": "with_gold", "epoch": 1,
            "item": [f"q{i}" for i in item], "cluster": [f"t{i // SHARING}" for i in item],
            "correct": right.reshape(-1).astype(float),
        }
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    runs = parser.parse_args(arguments).runs
    print("Of 100 runs, independent answers (exact)\n")
    print_table(["items", "said", *(f"{rate:.2f}" for rate in RATES)], [*exact_rows()])
    print(f"\nOf 100 runs, {SHARING} items a text, correlation {TOGETHER:g} ({runs} runs each)\n")
    rng = np.random.default_rng(7)
    told = {(n, r): shared(n, r, runs, rng) for n in SHARED_SIZES for r in SHARED_RATES}
    rows = [
        [str(n), word, *(f"{100 * told[n, rate][i]:.1f}" for rate in SHARED_RATES)]
        for n in SHARED_SIZES
        for i, word in enumerate(("at", "perhaps at"))
    ]
    print_table(["items", "said", *(f"{rate:.2f}" for rate in SHARED_RATES)], rows)
    print()
    wrong, n = most_wrong()
    clustered = max(told[n, 0.95][0] for n in SHARED_SIZES)
    excuse = 2.33 * math.sqrt(MOST_WRONG * (1 - MOST_WRONG) / runs)
    results = [
        Result(f"wrong at a true rate of 95 %, the worst of n <= {LARGEST:,} (n = {n})",
               f"{100 * wrong:.2f} of 100", "<= 5", wrong <= MOST_WRONG),
        Result("the same, items that share a text", f"{100 * clustered:.1f} of 100", "<= 5",
               clustered <= MOST_WRONG + excuse),
    ]  # fmt: skip
    return show(results)


if __name__ == "__main__":
    sys.exit(main())
