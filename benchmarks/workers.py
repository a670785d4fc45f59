"""How much faster do two Dask workers read and summarise than one, and what memory do they take?

Logs of summaries alone, each of other items; one process without workers reads them too, and all
three make the same table. The clock depends on what other programs do; CPU time says what two
workers gain on cores of their own: what this process does, and half of what workers do.

    python benchmarks/workers.py
    python benchmarks/workers.py --samples 1000000 --logs 100
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from bench.made_logs import LogMaker
from bench.results import Result, at_least, at_most, peak, print_table, show
from distributed import Client, LocalCluster

from askew.analysis import read_observations, summarize
from askew.report.study import Study

MODELS = 10
# Of them, the first whose numbers are made: each worker has had one then, most likely.
FEW = 4
# A worker's memory after all logs or models, against that after some of them.
FLAT = 1.25
SPEED_UP = 1.5


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--samples", type=int, default=40_000)
    parser.add_argument("--logs", type=int, default=20)
    asked = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        made = written(folder, asked.samples, asked.logs)
        here, alone = timed(lambda: numbers_of(folder, None))
        one, two = (clustered(folder, n) for n in (1, 2))
    for other in (one, two):
        pd.testing.assert_frame_equal(other.numbers, here, check_exact=True)
    print_table(
        ("", "wall s", "CPU s here", "CPU s of workers", "MB here", "MB a worker"),
        [
            ("no workers", f"{alone[0]:.1f}", f"{alone[1]:.1f}", "", f"{peak():,.0f}", ""),
            *(o.row for o in (one, two)),
        ],
    )
    print()
    cpu = (one.here + one.there) / (two.here + two.there / 2)
    return show(
        [
            Result("observations", f"{made:,}"),
            at_least("two workers, on cores of their own", cpu, SPEED_UP, " times"),
            Result("two workers, by this machine's clock", f"{one.wall / two.wall:.2f} times"),
            *(
                at_most(f"memory of {name}", of.growth(after, before), FLAT, " times", told)
                for of, name in ((one, "a worker alone"), (two, "one of two workers"))
                for after, before, told in (
                    ("all read", "a quarter read", "all logs against a quarter"),
                    ("all models", "a few models", f"{MODELS} models against {FEW}"),
                )
            ),
        ]
    )


@dataclass
class Clustered:
    """What a cluster took, and the most memory of a worker at the ends of its steps."""

    workers: int
    wall: float = 0.0
    here: float = 0.0
    there: float = 0.0
    peaks: dict[str, float] = field(default_factory=dict)
    numbers: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def row(self) -> tuple[str, ...]:
        told = (self.wall, self.here, self.there)
        most = max(self.peaks.values())
        return (f"{self.workers} of Dask", *(f"{x:.1f}" for x in told), "", f"{most:,.0f}")

    def growth(self, after: str, before: str) -> float:
        return self.peaks[after] / self.peaks[before]


def clustered(folder: Path, workers: int) -> Clustered:
    """Read a quarter of the logs, which also imports, and all; summarise a few models, and all."""
    found = Clustered(workers)
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, host="127.0.0.1", memory_limit=0,
            dashboard_address="127.0.0.1:0", silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        executor = client.get_executor(pure=False)

        def step(name: str, work: Callable[[], pd.DataFrame]) -> pd.DataFrame:
            before = sum(client.run(time.process_time).values())
            made, (wall, here) = timed(work)
            found.peaks[name] = max(client.run(peak).values())
            if name.startswith("all"):
                found.wall += wall
                found.here += here
                found.there += sum(client.run(time.process_time).values()) - before
            return made

        def read(logs: Any) -> pd.DataFrame:
            return Study.read(logs, quiet=True, executor=executor)

        logs = sorted(map(str, folder.glob("*.eval")))
        step("a quarter read", lambda: read(logs[: len(logs) // 4]).rows)
        rows = step("all read", lambda: read(folder).rows)
        some = rows["model"].isin([f"lab/model-{number}" for number in range(FEW)])
        step("a few models", lambda: summarize(rows[some]))
        found.numbers = step("all models", lambda: summarize(rows))
    return found


def written(folder: Path, samples: int, logs: int) -> int:
    """Logs of ten models; every log of a model holds items of its own."""
    maker, each = LogMaker("knowno"), samples // logs
    for number in range(logs):
        # One simulated model says what is in all of them.
        model = f"lab/model-{number % MODELS}"
        maker.write(folder, model, each, 3 * number, full=False, part=number // MODELS)
    return logs * each


def numbers_of(logs: Any, executor: Any) -> pd.DataFrame:
    return summarize(read_observations(logs, quiet=True, executor=executor))


def timed(work: Callable[[], pd.DataFrame]) -> tuple[pd.DataFrame, tuple[float, float]]:
    wall, cpu = time.perf_counter(), time.process_time()
    made = work()
    return made, (time.perf_counter() - wall, time.process_time() - cpu)


if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    sys.exit(main())
