"""How often something is so, by any columns: of a table, or added up by DuckDB where it lies.

Of exported files nothing but sums leaves the engine, one row a group: what is held in memory does
not grow with the observations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from askew.report.exported import Files, opened, quoted
from askew.statistics.composites import rate_bounds
from askew.statistics.intervals import LEVEL

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

# What makes two observations of one unit, whatever they are grouped by.
_UNIT = ("task", "subset", "unit")
_NUMBERS = ("value", "low", "high", "n_items", "n_units", "n")


def rates(
    source: pd.DataFrame | Files,
    by: Sequence[str] = ("task", "model", "subset"),
    of: str = "correct",
    *,
    level: float = LEVEL,
) -> pd.DataFrame:
    """How often a measure is so, by any columns: a row a group, sorted by them.

    Columns: those of `by`, then `value`, `low`, `high`, `n_items`, `n_units`, and `n`, which counts
    observations. Each observation weighs the same, also where its item misses others: the papers'
    numbers are those of `summarize`. Observations of one unit hang together, and the interval is of
    units.

    Args:
        source: observations; or Parquet files by `write_observations`, as `summarize_exported`
            takes them, which DuckDB (`pip install duckdb`) adds up: only sums come into memory.
        by: columns to tell apart, such as "tier", "hint" or "epoch".
        of: a measure between 0 and 1; observations without it count nowhere.
        level: confidence level.
    """
    if isinstance(by, str) or not by:
        raise ValueError(f"by={by!r}: name the columns to tell apart, such as ['task', 'model']")
    # While they are added up groups have names of their own, that are no number's.
    groups = {f"by {i}": name for i, name in enumerate(by)}
    if isinstance(source, pd.DataFrame):
        _ask(list(map(str, source.columns)), by, of)
        sums = _of_table(source, groups, of)
    else:
        observed, kinds = opened(source, "rates of files")
        _ask(observed.columns, by, of)
        sums = _of_files(observed, groups, of)
        whole = {key: kinds[name] for key, name in groups.items() if name in kinds}
        sums = sums.astype({key: k for key, k in whole.items() if k in ("Int64", "boolean")})
    least, most = sums["least"].min(), sums["most"].max()
    if least < 0 or most > 1:
        raise ValueError(f"of={of!r}: a rate is of values from 0 to 1, these are {least} to {most}")
    sums = sums.sort_values([*groups], kind="stable", ignore_index=True)
    value, variance = sums["s"] / sums["n"], _variance(sums)
    bounds = [
        rate_bounds(float(r), float(v), int(n), level)
        for r, v, n in zip(value, variance, sums["units"], strict=True)
    ]
    low, high = ([pair[end] for pair in bounds] for end in (0, 1))
    counts = (sums[name].astype("int64") for name in ("items", "units", "n"))
    numbers = dict(zip(_NUMBERS, (value, low, high, *counts), strict=True))
    return pd.concat([sums[[*groups]].rename(columns=groups), pd.DataFrame(numbers)], axis=1)


def _variance(sums: pd.DataFrame) -> pd.Series[float]:
    """Of each ratio of sums over units; 0 where a single unit tells nothing of it."""
    value, units = sums["s"] / sums["n"], sums["units"]
    squares = sums["ss"] - 2 * value * sums["sn"] + value**2 * sums["nn"]
    varied = squares.clip(lower=0) / sums["n"] ** 2
    return varied * (units / (units - 1).where(units > 1)).fillna(0.0)


def _ask(columns: Sequence[str], by: Sequence[str], of: str) -> None:
    for said, wanted in (("by", by), ("of", [of])):
        for name in wanted:
            if name not in columns:
                raise ValueError(f"{said}: no column {name!r}; there are: {', '.join(columns)}")
    if taken := [name for name in by if name in _NUMBERS]:
        raise ValueError(f"by: {taken[0]!r} is what a number is called here; rename that column")


def _of_table(rows: pd.DataFrame, groups: dict[str, str], of: str) -> pd.DataFrame:
    known = rows[rows[of].notna()]
    by = {key: known[name] for key, name in groups.items()}
    unit = {f"unit {i}": known[name] for i, name in enumerate(_UNIT)}
    counted = {"item": known["item"], "value": known[of].astype(float)}
    units = pd.DataFrame(by | unit | counted).groupby([*by, *unit], sort=False, dropna=False).agg(
        n=("value", "size"), s=("value", "sum"), items=("item", "nunique"),
        least=("value", "min"), most=("value", "max"),
    ).reset_index()  # fmt: skip
    products = {"ss": units["s"] ** 2, "sn": units["s"] * units["n"], "nn": units["n"] ** 2}
    return units.assign(**products).groupby([*by], sort=False, dropna=False).agg(
        n=("n", "sum"), s=("s", "sum"), items=("items", "sum"), units=("n", "size"),
        ss=("ss", "sum"), sn=("sn", "sum"), nn=("nn", "sum"),
        least=("least", "min"), most=("most", "max"),
    ).reset_index()  # fmt: skip


def _of_files(observed: DuckDBPyRelation, groups: dict[str, str], of: str) -> pd.DataFrame:
    unit = {f"unit {i}": name for i, name in enumerate(_UNIT)}
    told = {key: f"{quoted(name)} AS {quoted(key)}" for key, name in (groups | unit).items()}
    known = observed.filter(f"{quoted(of)} IS NOT NULL AND NOT isnan({quoted(of)}::DOUBLE)")
    values = known.project(f"{', '.join(told.values())}, item, {quoted(of)}::DOUBLE AS value")
    units = values.aggregate(
        f"{', '.join(map(quoted, told))}, count(*)::DOUBLE AS n, sum(value) AS s, "
        "count(DISTINCT item) AS items, min(value) AS least, max(value) AS most"
    )
    sums: pd.DataFrame = units.aggregate(
        f"{', '.join(map(quoted, groups))}, sum(n) AS n, sum(s) AS s, sum(items) AS items, "
        "count(*) AS units, sum(s * s) AS ss, sum(s * n) AS sn, sum(n * n) AS nn, "
        "min(least) AS least, max(most) AS most"
    ).to_df()
    return sums
