"""What builders share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TypeVar

Name = TypeVar("Name", bound=str)


def largest_remainder(number: int, ratios: Mapping[Name, float]) -> dict[Name, int]:
    """Whole numbers in these ratios that add up to `number`, by largest remainders.

    A tie goes to what is listed first.
    """
    total = sum(map(Fraction, ratios.values()))
    exact = {name: number * Fraction(ratio) / total for name, ratio in ratios.items()}
    shares = {name: math.floor(share) for name, share in exact.items()}
    by_remainder = sorted(exact, key=lambda name: shares[name] - exact[name])
    for name in by_remainder[: number - sum(shares.values())]:
        shares[name] += 1
    return shares
