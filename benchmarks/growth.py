"""How do reading, intervals and the report grow with the number of samples?

One task, two models; CPU time and peak memory of each step in a process of its own. Exit code 1
where a sample costs over half more among the most samples than among a tenth as many.

    python benchmarks/growth.py
    python benchmarks/growth.py --sizes 1000 10000 100000
    python benchmarks/growth.py --sizes 100000 1000000 --steps read_observations summarize report
"""

import argparse
import sys
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.audit import measured
from bench.made_logs import folder_of
from bench.results import at_most, print_table, show

LIMIT = 1.5
STEPS = ("samples_df", "read_observations", "summarize", "report")
_MODELS = 2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 30_000])
    parser.add_argument("--steps", nargs="+", default=STEPS, choices=STEPS)
    options = parser.parse_args()
    sizes, steps = options.sizes, options.steps
    seconds: dict[tuple[str, int], float] = {}
    rows = []
    for size in sizes:
        with TemporaryDirectory() as name:
            logs = Path(name) / "logs"
            folder_of(logs, ["knowno"], _MODELS, size // _MODELS)
            row = [f"{size:,}"]
            for step in steps:
                seconds[step, size], memory = measured(step, logs)
                each = 1e6 * seconds[step, size] / size
                row.append(f"{seconds[step, size]:.2f} s, {each:.0f} us each, {memory:,.0f} MB")
            rows.append(row)
    print_table(("samples", *steps), rows)
    print()
    growths = [
        at_most(
            f"{step}: a sample of {many:,} costs, against one of {few:,}",
            (seconds[step, many] / many) / (seconds[step, few] / few),
            LIMIT,
            " times",
        )
        for step in steps
        if step != "samples_df"
        for few, many in pairwise(sizes)
    ]
    return show(growths)


if __name__ == "__main__":
    sys.exit(main())
