"""How much longer do observations take than Inspect's own table of the same samples?

Both read one folder in this process, in turn.

    python benchmarks/reading.py
    python benchmarks/reading.py --samples 50000
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.made_logs import folder_of
from bench.results import Result, at_most, cpu_seconds, show
from inspect_ai.analysis import samples_df

from askew.analysis import read_observations

LIMIT = 0.5
_LOGS = 10
_ROUNDS = 2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=20_000)
    wanted = parser.parse_args().samples
    with TemporaryDirectory() as name:
        made = folder_of(Path(name), ["knowno"], _LOGS, wanted // _LOGS)
        theirs, ours = [], []
        for _ in range(_ROUNDS):
            theirs.append(cpu_seconds(lambda: samples_df(name, quiet=True)))
            ours.append(cpu_seconds(lambda: read_observations(name, quiet=True)))
        read = len(read_observations(name, quiet=True))
    if read != made:
        raise RuntimeError(f"{made} samples were written and {read} read")
    return show(
        [
            Result(f"samples_df, {made:,} samples", f"{min(theirs):.2f} s"),
            Result(f"read_observations, {made:,} samples", f"{min(ours):.2f} s"),
            at_most("ratio", min(ours) / min(theirs), LIMIT),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
