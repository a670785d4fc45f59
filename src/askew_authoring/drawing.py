"""What generators and builders share: draws until one fits, and shares."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeVar

T = TypeVar("T")
Name = TypeVar("Name", bound=str)


def first_fit(attempts: int, draw: Callable[[], T | None], why: str) -> T:
    """What the first of so many draws gives that gives anything; else an error that says why."""
    for _ in range(attempts):
        if (made := draw()) is not None:
            return made
    raise ValueError(why)


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
