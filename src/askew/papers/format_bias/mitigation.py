"""Does a treatment mitigate format bias? The paper's two criteria (Section 3.2), with intervals.

BiasF has to fall, and FI to rise for every format (one that is at 100 % may stay there).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from askew.papers.format_bias.blocks import Block, blocks_of, prepared
from askew.papers.format_bias.formulas import CONFIDENCE, MARGIN
from askew.papers.format_bias.numbers import (
    POINTS,
    Definitions,
    Shares,
    missing_from,
    shares_of,
    without_noise,
)
from askew.statistics.intervals import Floats, composite_interval
from askew.statistics.tables import DEFAULT_INTERVAL, Interval, Totals, UnitTable

_BEFORE, _AFTER = 0, 1


@dataclass(frozen=True)
class Criterion:
    """One thing that has to change, and how it did.

    Attributes:
        metric: "bias_f" (squared points) or "fi" (a fraction).
        format: the format for "fi", "all" for "bias_f".
        before: its value without the treatment.
        after: its value with it.
        low: lower bound of the change.
        high: upper bound of the change.
        holds: whether the change goes the right way; None where a value is not defined.
        settled: whether the whole interval lies on the right side.
    """

    metric: str
    format: str
    before: float
    after: float
    low: float
    high: float
    holds: bool | None
    settled: bool

    @property
    def change(self) -> float:
        return self.after - self.before


@dataclass(frozen=True)
class Verdict:
    """Whether a treatment mitigates the bias of one category of formats.

    Attributes:
        category: which formats.
        effective: whether both criteria hold; None where they can't be told.
        settled: whether they hold with their whole intervals.
        criteria: BiasF first, then FI of each format.
        n_items: items answered in every format in both arms.
        n_dropped: items left out because some answer is missing.
        reason: why there is no verdict, where there is none.
    """

    category: str
    effective: bool | None
    settled: bool
    criteria: tuple[Criterion, ...]
    n_items: int
    n_dropped: int
    reason: str = ""

    def __str__(self) -> str:
        if self.effective is None:
            return f"{self.category}: no verdict ({self.reason})"
        failing = [c for c in self.criteria if not c.holds]
        if not failing:
            sure = "" if self.settled else ", though not beyond chance"
            return f"{self.category}: mitigated{sure}: BiasF falls and FI rises for every format"
        falls = [] if failing[0].metric != "bias_f" else ["BiasF does not fall"]
        flat = [c.format for c in failing if c.metric == "fi"]
        rises = [f"FI does not rise for {', '.join(flat)}"] if flat else []
        return f"{self.category}: not mitigated: {'; '.join(falls + rises)}"


def mitigates(
    bias_before: float,
    bias_after: float,
    fi_before: Mapping[str, float],
    fi_after: Mapping[str, float],
) -> bool:
    """The two criteria on numbers: BiasF falls, and FI rises for every format.

    Args:
        bias_before: BiasF without the treatment.
        bias_after: BiasF with it.
        fi_before: FI by format without it, in percent or as fractions.
        fi_after: FI by format with it, in the same unit.
    """
    if set(fi_before) != set(fi_after):
        differing = sorted(set(fi_before) ^ set(fi_after))
        raise ValueError(f"FI is known in only one arm for {', '.join(differing)}")
    full = 100.0 if max([*fi_before.values(), *fi_after.values()]) > 1 else 1.0
    return bias_after < bias_before and all(
        fi_holds(fi_before[name], fi_after[name], full) for name in fi_before
    )


def fi_holds(before: float, after: float, full: float = 1.0) -> bool:
    """Whether FI rises, or stays where every reply follows the format."""
    return after > before or before == after == full


def mitigation_verdict(
    before: pd.DataFrame,
    after: pd.DataFrame,
    interval: Interval = DEFAULT_INTERVAL,
    *,
    zero_filled: bool = False,
) -> list[Verdict]:
    """The paper's verdict on a treatment, for each category of formats that both arms asked.

    Both arms are compared on the items that were scored in every format in both, and resampled
    together.

    Args:
        before: observations of one model and one arm, without the treatment.
        after: observations of one model and one arm, with it.
        interval: how to make intervals.
        zero_filled: count EstTrue as 0 where no reply follows a format, as the paper does.
    """
    arms = [prepared(_one_arm(rows, what)) for rows, what in ((before, "before"), (after, "after"))]
    shared = [c for c in dict.fromkeys(arms[0]["category"]) if (arms[1]["category"] == c).any()]
    definitions = Definitions(zero_filled, MARGIN, CONFIDENCE)
    return [
        _verdict(str(c), [arm[arm["category"] == c] for arm in arms], interval, definitions)
        for c in shared
    ]


def _one_arm(rows: pd.DataFrame, what: str) -> pd.DataFrame:
    for column in ("model", "demos", "repeat"):
        if column in rows and rows[column].nunique() > 1:
            values = ", ".join(str(v) for v in rows[column].unique())
            raise ValueError(f"{what}: one {column} is compared at a time; there are {values}")
    return rows


def _verdict(
    category: str, arms: list[pd.DataFrame], interval: Interval, definitions: Definitions
) -> Verdict:
    only_one = set(arms[0]["format"]) ^ set(arms[1]["format"])
    if only_one:
        reason = f"asked in one arm only: {', '.join(sorted(map(str, only_one)))}"
        return Verdict(category, None, False, (), 0, 0, reason)
    paired, n_items, n_dropped = _paired(arms)
    if not n_items:
        reason = "no item was scored in every format in both arms"
        return Verdict(category, None, False, (), 0, n_dropped, reason)
    table, blocks = blocks_of(paired)
    criteria, reason = _criteria(table, blocks, interval, definitions)
    unknown = any(c.holds is None for c in criteria)
    return Verdict(
        category,
        None if unknown else all(c.holds for c in criteria),
        not unknown and all(c.settled for c in criteria),
        criteria,
        n_items,
        n_dropped,
        reason,
    )


def _paired(arms: list[pd.DataFrame]) -> tuple[pd.DataFrame, int, int]:
    """Rows of conditions that were scored in every format in both arms, the arm in `demos`."""
    rows = pd.concat(
        [arm.assign(demos=place, repeat=1) for place, arm in enumerate(arms)], ignore_index=True
    )
    group = ["subset", "item", "prompting"]
    asked = rows["format"].nunique() * len(arms)
    mark = rows["format"].astype(str) + "/" + rows["demos"].astype(str)
    seen = mark.groupby([rows[c] for c in group], sort=False).transform("nunique")
    items = rows["subset"].astype(str) + "/" + rows["item"].astype(str)
    whole = seen == asked
    n_items = int(items[whole].nunique())
    return rows[whole], n_items, int(items.nunique()) - n_items


def _criteria(
    table: UnitTable, blocks: list[Block], interval: Interval, definitions: Definitions
) -> tuple[tuple[Criterion, ...], str]:
    pair = sorted(blocks, key=lambda block: block.demos)
    point, resampled = table.point(), table.resampled(interval.resamples, interval.seed)
    n_units = len(table.features)
    arms = [_numbers(block, shares_of(block, point, definitions)) for block in pair]
    replicates = [_numbers(block, shares_of(block, resampled, definitions)) for block in pair]
    criteria = []
    for name in arms[_BEFORE]:
        before, after = (float(arm[name][0]) for arm in arms)
        drawn = replicates[_AFTER][name] - replicates[_BEFORE][name]
        change = after - before
        is_bias = name == "bias_f"
        values = without_noise(change, drawn) if is_bias else drawn
        bounds = (-math.inf, math.inf) if is_bias else (-1.0, 1.0)
        low, high = composite_interval(change, values, n_units, bounds, interval.level)
        criteria.append(_criterion(name, before, after, low, high))
    reasons = [r for b in pair if (r := _reason(b, point, definitions))]
    return tuple(criteria), "; ".join(dict.fromkeys(reasons))


def _numbers(block: Block, shares: Shares) -> dict[str, Floats]:
    """BiasF, and FI by format, each over all cells."""
    est = shares.est_true.mean(axis=1)
    fi = shares.fi.mean(axis=1)
    spread = est.var(axis=0) * POINTS
    bias = spread if len(block.formats) > 1 else np.full_like(spread, np.nan)
    by_format = sorted(range(len(block.formats)), key=lambda f: block.formats[f])
    return {"bias_f": bias, **{block.formats[f]: fi[f] for f in by_format}}


def _criterion(name: str, before: float, after: float, low: float, high: float) -> Criterion:
    if name == "bias_f":
        known = not math.isnan(after - before)
        return Criterion(
            name, "all", before, after, low, high, after < before if known else None, high < 0
        )
    holds = fi_holds(before, after, 1.0)
    settled = low > 0 or (holds and after == before)
    return Criterion("fi", name, before, after, low, high, holds, settled)


def _reason(block: Block, point: Totals, definitions: Definitions) -> str:
    if len(block.formats) < 2:
        return f"only {block.formats[0]} was asked"
    whole = next(iter(block.scopes()))
    return missing_from(
        block, shares_of(block, point, definitions), whole, range(len(block.formats))
    )
