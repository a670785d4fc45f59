"""Does every parser of replies stay linear from 64 KB to 1 MB of hostile text?

For each parser the text that grows worst of a few: CPU time at 64 KB, at 1 MB, and how much
more a character costs in the longer one. Exit code 1 where it costs over twice as much.

    python benchmarks/parsers.py
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench.results import Result, best, print_table, show

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.hostile.parsers import PARSERS

LIMIT = 2.0
SMALL, LARGE = 64 * 1024, 1024 * 1024
UNITS = (
    "the answer is not Mara, ", "[(", "Yes. No. Ana: more\n", "A ", "<answer>",
    "- a: b\n", "\u0301",
)  # fmt: skip
# Below this a clock tick or a cold cache would decide.
_NOTICEABLE = 0.02


def main() -> int:
    # Each text and its beginning are read by one process: both are as fast or slow as it is.
    names = [name for name in PARSERS if not name.endswith(" cot")]
    with ProcessPoolExecutor() as processes:
        found = dict(zip(names, processes.map(worst_of, names), strict=True))
    rows = []
    for name, (growth, small, large, unit) in found.items():
        told = f"{growth:.2f}" if growth else f"under {_NOTICEABLE} s at 1 MB"
        rows.append((name, f"{small:.3f} s", f"{large:.2f} s", told, repr(unit) if unit else ""))
    print_table(("parser", "64 KB", "1 MB", "growth a character", "text"), rows)
    print()
    missed = sum(growth > LIMIT for growth, *_ in found.values())
    return show([Result("parsers that grow", f"{missed} of {len(rows)}", "0", missed == 0)])


def worst_of(name: str) -> tuple[float, float, float, str]:
    """How much more a character of the longer text costs, seconds of both, and of which text."""
    parse, worst = PARSERS[name], (0.0, 0.0, 0.0, "")
    for unit in UNITS:
        text = (unit * LARGE)[:LARGE]
        large = best(lambda t=text: parse(t), 1)
        if large < _NOTICEABLE:
            growth = small = 0.0
        else:
            small = best(lambda t=text: parse(t[:SMALL]), 3)
            growth = large / small / (LARGE / SMALL)
        worst = max(worst, (growth, small, large, unit))
    return worst


if __name__ == "__main__":
    sys.exit(main())
