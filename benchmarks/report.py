"""How much longer do a whole report and a gate take than Inspect's table of the same samples?

Every task, ten models, 2,000 samples each: reading, intervals, charts, transcripts, the page; for
the gate the policy of the docs; and how much memory a report takes beside that table. And of the
demo's logs, in whole processes: what its command costs, page and text, with imports.

    python benchmarks/report.py
    python benchmarks/report.py --samples 200
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.audit import measured, whole_process
from bench.made_logs import folder_of
from bench.results import Result, at_most, show

from askew.papers import names

# Less long than `samples_df`, in half of its memory.
LIMIT, GATE_LIMIT, MEMORY_LIMIT = 0.9, 0.6, 0.5
DEMO_LIMIT = 2.0
_TABLE = (
    "import sys; from inspect_ai.analysis import samples_df; samples_df(sys.argv[1], quiet=True)"
)
_COMMAND = "from askew.cli import main; main()"


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
        gated, _ = measured("gate", logs)
        demo = Path(name) / "demo"
        whole_process(_COMMAND, "demo", str(demo))
        held = str(demo / "logs")
        table = whole_process(_TABLE, held)
        files = [part for kind in ("html", "md") for part in ("-o", f"{demo}.{kind}")]
        report = whole_process(_COMMAND, "report", held, *files)
    what = f"{len(names())} tasks x {given.models} models x {given.samples:,} = {made:,} samples"
    return show(
        [
            Result(f"samples_df, {what}", f"{theirs:.1f} s, peak {their_memory:,.0f} MB"),
            Result("whole report (html)", f"{ours:.1f} s, peak {our_memory:,.0f} MB"),
            at_most("ratio", ours / theirs, LIMIT),
            at_most("ratio of peak memory", our_memory / their_memory, MEMORY_LIMIT),
            Result("gate", f"{gated:.1f} s"),
            at_most("ratio of the gate", gated / theirs, GATE_LIMIT),
            Result("samples_df of the demo, with imports", f"{table:.1f} s"),
            Result("askew report (html and md), with imports", f"{report:.1f} s"),
            at_most("ratio of the demo", report / table, DEMO_LIMIT),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
