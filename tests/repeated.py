"""How often tests draw and simulate: enough for each change, and as often as is wished on demand.

`ASKEW_THOROUGH=5 make test` draws five times as many examples and studies.
"""

import math
import os

THOROUGH = int(os.environ.get("ASKEW_THOROUGH", "1"))


def times(few: int) -> int:
    return few * THOROUGH


def by_chance(share: float, n: int) -> tuple[float, float]:
    """The range that binomial chance leaves about once in 500 times."""
    half = 3.1 * math.sqrt(share * (1 - share) / n)
    return max(0.0, share - half), min(1.0, share + half)
