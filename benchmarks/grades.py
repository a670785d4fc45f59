"""Do hard questions tell respondents of graded knowledge apart where core ones can't?

    python benchmarks/grades.py
    python benchmarks/grades.py --seeds 20 --task binary_qa

Three simulated models are planted: of core questions they know 99, 98.5 and 98 in a hundred, of
hard ones 90, 75 and 60. Their replies are read and scored as a task's, where nothing bends them. Of
core questions alone, of hard ones, and of both, it is counted how often two neighbours are shown
to differ (the paired test of `compare`, on the share right), and how often askew says that the
questions are at their ceiling, or perhaps. What is planted says nothing of any language model.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import pandas as pd
from bench.results import Result, print_table, show

from askew.decide.simulation import Simulation, simulation
from askew.papers import get_paper
from askew.report.caveats import plain_rows
from askew.report.study import Study
from askew.stats.paired import Pairing
from askew.stats.tables import (
    Analysis,
    Counts,
    Interval,
    Quantity,
    Totals,
    cluster_table,
    metric_table,
    ratio,
)

SEEDS, LEVEL = 100, 0.95
# What each grade knows of core and of hard questions.
GRADES: Mapping[str, Mapping[str, float]] = {
    "first": {"core": 0.99, "hard": 0.90},
    "second": {"core": 0.985, "hard": 0.75},
    "third": {"core": 0.98, "hard": 0.60},
}
# How each task is asked so that nothing bends, and how its respondent is told what it knows.
ASKED: Mapping[str, Mapping[str, Any]] = {
    "knowno": {"hint": "with_gold"},
    "instruction_boundary": {"setting": "vanilla"},
    "binary_qa": {"form": "original"},
}
QUESTIONS = ("core", "hard", "both")
_DRAWS = Interval(resamples=1_000)


@dataclass(frozen=True)
class Graded:
    """One task asked of all grades.

    Attributes:
        task: its name.
        seeds: how many runs a grade.
    """

    task: str
    seeds: int

    @cached_property
    def runs(self) -> Mapping[tuple[str, int], pd.DataFrame]:
        """The answers of each grade and seed where nothing bends, a row each."""
        asked = {tier: simulation(self.task, tier=tier, **ASKED[self.task]) for tier in TIERS}
        return {
            (grade, seed): self._run(asked, knows, seed).assign(model=f"{grade}-{seed}")
            for grade, knows in GRADES.items()
            for seed in range(self.seeds)
        }

    def _run(
        self, asked: Mapping[str, Simulation], knows: Mapping[str, float], seed: int
    ) -> pd.DataFrame:
        parts = [
            of.observations("oracle", seed, self._told(knows[tier])) for tier, of in asked.items()
        ]
        return plain_rows(get_paper(self.task), pd.concat(parts, ignore_index=True))

    def _told(self, knows: float) -> dict[str, Any]:
        if self.task != "instruction_boundary":
            return {"knows": knows}
        forms = ("true", "false", "unknown", "single", "none", "multiple")
        return {"knows": dict.fromkeys(forms, knows)}

    def apart(self, better: str, worse: str, alike: bool) -> Mapping[str, float]:
        """How often two grades are shown to differ, by which questions are asked.

        Args:
            better: one grade.
            worse: its neighbour.
            alike: whether who knows less fails wherever the other does; else their mistakes have
                nothing in common.
        """
        shown: Counter[str] = Counter()
        for seed in range(self.seeds):
            other = seed if alike else (seed + 1) % self.seeds
            shown.update(_shown(self.runs[better, seed], self.runs[worse, other]))
        return {asked: shown[asked] / self.seeds for asked in QUESTIONS}

    def said(self, grade: str, tier: str) -> Counter[str]:
        """What is said of a grade's answers to the questions of a tier, by how many seeds."""
        rows = pd.concat([self.runs[grade, seed] for seed in range(self.seeds)])
        rows = rows[rows["tier"] == tier]
        found = Study(rows).ceilings(_DRAWS)
        return Counter(found.of(self.task, f"{grade}-{seed}") for seed in range(self.seeds))


TIERS = ("core", "hard")


def _shown(one: pd.DataFrame, other: pd.DataFrame) -> list[str]:
    """Of which questions a difference is shown."""
    pair = pd.concat([one, other], ignore_index=True)
    pair = pd.concat([pair.assign(asked=pair["tier"]), pair.assign(asked="both")])
    paired = Pairing(_DRAWS.resamples, LEVEL, _DRAWS.seed, baseline=str(one["model"].iloc[0]))
    table = metric_table(pair, ("model",), ("asked",), _analyse, paired)
    return [*table.loc[table["p_value"] < 1 - LEVEL, "asked"]]


def _analyse(rows: pd.DataFrame) -> Analysis:
    rows = rows.assign(stratum=rows["subset"] + rows["tier"])
    table = cluster_table(rows, ("asked",), ("right",), strata=("stratum",))
    counts = {
        (str(asked),): Counts(part["item"].nunique(), 0, part["cluster"].nunique())
        for asked, part in rows.groupby("asked", sort=False)
    }

    def statistic(totals: Totals) -> dict[Any, Quantity]:
        return {
            ("right", *place): Quantity(
                ratio(totals[*place, "right"], totals[*place, "n"]), "rate", counts=count
            )
            for place, count in counts.items()
        }

    return Analysis(table, statistic)


def apart_rows(
    told: Mapping[tuple[str, str, bool], Mapping[str, float]],
) -> Iterator[list[str]]:
    for (task, pair, alike), shares in told.items():
        mistakes = "nested" if alike else "unrelated"
        yield [task, pair, mistakes, *(f"{100 * shares[asked]:.0f}" for asked in QUESTIONS)]


def said_rows(graded: Sequence[Graded]) -> Iterator[list[str]]:
    for one in graded:
        for grade, knows in GRADES.items():
            counts = {tier: one.said(grade, tier) for tier in TIERS}
            yield [
                one.task, f"{grade} ({100 * knows['core']:g}, {100 * knows['hard']:g})",
                *(
                    f"{100 * counts[tier][word] / one.seeds:.0f}"
                    for tier in TIERS for word in ("at", "perhaps at", "in part")
                ),
            ]  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--task", action="append", choices=[*ASKED])
    given = parser.parse_args(arguments)
    graded = [Graded(task, given.seeds) for task in given.task or ASKED]
    names = [*GRADES]
    told = {
        (of.task, f"{better}, {worse}", alike): of.apart(better, worse, alike)
        for of in graded
        for better, worse in pairwise(names)
        for alike in (False, True)
    }
    print(f"Two grades shown to differ, in 100 runs ({given.seeds} seeds)\n")
    print_table(["task", "grades", "mistakes", *QUESTIONS], [*apart_rows(told)])
    heads = [f"{tier}: {word}" for tier in TIERS for word in ("at", "perhaps", "in part")]
    print("\nSaid to be at the ceiling, in 100 runs\n")
    print_table(["task", "grade (knows core, hard)", *heads], [*said_rows(graded)])
    print()
    results = [
        Result(f"{task}, {pair}, {'nested' if alike else 'unrelated'} mistakes: hard shows more",
               f"{100 * of['hard']:.0f} against {100 * of['core']:.0f}", "more",
               of["hard"] > of["core"])
        for (task, pair, alike), of in told.items()
    ]  # fmt: skip
    return show(results)


if __name__ == "__main__":
    sys.exit(main())
