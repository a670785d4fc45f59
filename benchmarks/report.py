"""How much longer does a whole report take than Inspect's table of the same samples?

Every task, ten models, 2,000 samples each: reading, intervals, charts, transcripts, the page.

    python benchmarks/report.py
    python benchmarks/report.py --samples 200
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.audit import measured
from bench.made_logs import folder_of
from bench.results import Result, at_most, show

from askew.papers import names

LIMIT = 2.5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=2_000)
    parser.add_argument("--models", type=int, default=10)
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        logs = Path(name) / "logs"
        made = folder_of(logs, names(), given.models, given.samples)
        theirs, their_memory = measured("samples_df", logs)
        ours, our_memory = measured("report", logs)
    what = f"{len(names())} tasks x {given.models} models x {given.samples:,} = {made:,} samples"
    return show(
        [
            Result(f"samples_df, {what}", f"{theirs:.1f} s, peak {their_memory:,.0f} MB"),
            Result("whole report (html)", f"{ours:.1f} s, peak {our_memory:,.0f} MB"),
            at_most("ratio", ours / theirs, LIMIT),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
