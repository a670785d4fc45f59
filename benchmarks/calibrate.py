"""Do the intervals cover the true values? The report on the instrument, at full size.

Every simulated model that differs in a task answers it again and again; a metric is off where
its 95 % intervals hold what the model's tendencies imply too rarely for chance.

    python benchmarks/calibrate.py
    python benchmarks/calibrate.py --items 240 --repetitions 200 --task mathcomp
"""

import argparse
import sys

from bench.results import Result, show

from askew.decide.calibrate import FAILED, CalibrationReport, calibrate
from askew.decide.documents import calibration_document
from askew.papers import names
from askew.report.render import terminal_text


def summary(task: str, report: CalibrationReport) -> list[Result]:
    """How many metrics hold, and how often intervals do on average."""
    table = report.table
    n_off = int((table["verdict"] == FAILED).sum())
    uncertain = table[table["deviation"] > 0]
    alarms = table["n_false_positives"].sum() / max(1, table["n_tests"].sum())
    return [
        Result(f"{task}: metrics off", f"{n_off} of {len(table)}", "0", n_off == 0),
        Result(
            f"{task}: mean coverage where anything varies",
            f"{uncertain['coverage'].mean():.3f}",
        ),
        Result(f"{task}: false alarms of models without the effect", f"{alarms:.3f}"),
        Result(f"{task}: largest bias", f"{table['bias'].abs().max():.4g}"),
    ]  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=120)
    parser.add_argument("--repetitions", type=int, help="default as many as show bad intervals")
    parser.add_argument("--task", action="append", choices=names())
    parser.add_argument("--brief", action="store_true", help="no table a metric")
    options = parser.parse_args()
    results = []
    for task in options.task or names():
        report = calibrate(
            [task], items=options.items, repetitions=options.repetitions, quiet=False
        )
        if not options.brief:
            print(terminal_text(calibration_document(report)), end="\n\n")
        results += summary(task, report)
    return show(results)


if __name__ == "__main__":
    sys.exit(main())
