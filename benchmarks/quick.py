"""Are things that must not keep anybody waiting quick, also on what is made to slow them down?

CPU time of each; exit code 1 where one takes longer than it may.

    python benchmarks/quick.py
"""

import sys

from bench.results import at_most, best, show

from askew.papers.instruction_boundary.reading import read_option_set
from askew.report.flips import prompt_difference

HOSTILE = ("a ", ",", "ab\n", "(", "\u202e")


def main() -> int:
    brackets = "Which of the following people? " + "(" * 8_000 + "a)"
    return show(
        [
            at_most(
                "8,000 brackets read", best(lambda: read_option_set(brackets, ["one", "two"]), 1),
                3.0, " s",
            ),
            *(
                at_most(
                    f"prompts of {unit!r} compared",
                    best(lambda u=unit: prompt_difference(u * 20_000, u * 19_000 + "x"), 1),
                    5.0, " s",
                )
                for unit in HOSTILE
            ),
        ]
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
