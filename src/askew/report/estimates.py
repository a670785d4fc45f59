"""A number with its interval, and whose it is: what all that is said is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from askew.schema import MISSING, Unit
from askew.stats.nulls import UNKNOWN, NoEffect
from askew.untrusted import one_line


@dataclass(frozen=True)
class Estimate:
    """A number with its interval and what it rests on; nan comes with a reason."""

    value: float
    low: float = math.nan
    high: float = math.nan
    n_items: int = 0
    n_dropped: int = 0
    reason: str = ""
    null: NoEffect = UNKNOWN

    @property
    def missing(self) -> bool:
        return math.isnan(self.value)

    @property
    def why(self) -> str:
        """Why there is no number; empty where there is one."""
        return (self.reason or "nothing was observed") if self.missing else ""

    def interval(self, unit: Unit) -> str:
        if math.isnan(self.low) or math.isnan(self.high):
            return ""
        return f"{unit.write(self.low)} to {unit.write(self.high)}"

    def noise(self, unit: Unit) -> str:
        """What noise makes of the number, where it moves it one way; else empty."""
        if self.missing or math.isnan(self.null.null_mean):
            return ""
        left = self.null.without_noise
        taken_off = "" if math.isnan(left) else f"noise taken off {unit.write(left)}; "
        return (
            f"{taken_off}without the effect "
            f"{unit.write(self.null.null_mean)}, in one run of twenty "
            f"{unit.write(self.null.null_high)}; {p_said(self.null.null_p)}"
        )

    def text(self, unit: Unit) -> str:
        """The number with its interval in one line, or a dash with the reason."""
        if self.missing:
            return f"{MISSING} ({self.why})"
        interval = self.interval(unit)
        return f"{unit.write(self.value)} ({interval})" if interval else unit.write(self.value)


def p_said(p_value: float) -> str:
    """A p-value as it is written: never as 0, which no test can find."""
    return "p < 0.001" if p_value < 0.0005 else f"p = {p_value:.3f}"


RowKind = Literal["measured", "simulated", "published", "reference"]


@dataclass(frozen=True)
class Model:
    """A model as the report names it."""

    label: str
    """Its value in the column `model`."""
    short: str
    """The same without the provider's name, where that leaves it unique."""
    simulated: bool = False
    apart: str = ""
    """How it was asked, where that is not as the others were; its name then ends in a mark."""
    name: str = ""
    """As Inspect names it."""

    @property
    def label_shown(self) -> str:
        """The whole label, fit to be shown."""
        return one_line(self.label)

    @property
    def kind(self) -> RowKind:
        return "simulated" if self.simulated else "measured"

    @property
    def marked(self) -> str:
        """The short name, with the mark that a chart's label needs."""
        return f"{self.short} (simulated)" if self.simulated else self.short
