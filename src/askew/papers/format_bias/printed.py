"""The paper's printed results as reference rows, by their own definitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from askew.report.published import read_table

# A printed ratio may be off by this much more than the rounding of its parts explains.
_RATIO_ROUNDING = 0.03
_FORMAT_TABLES = {
    "mcq": ("Table 2", "table2_mcq.csv"),
    "wrapping": ("Table 6", "table6_wrapping.csv"),
    "list": ("Table 10", "table10_list.csv"),
    "mapping": ("Table 14", "table14_mapping.csv"),
}
# Table 10 calls the separator format "special character".
_FORMAT_NAMES = {"list": {"special_character": "separator"}}
_CELL = ("subset", "model", "format", "prompting")
_BIAS_TASKS = {"easy": "scirex_easy", "medium": "scirex_medium", "hard": "scirex_hard"}


@dataclass(frozen=True)
class RatioCorrection:
    """A printed EstTrue that is not SysE / FI of its own cell, and what the definition gives."""

    subset: str
    model: str
    format: str
    prompting: str
    printed: float
    by_definition: float


@dataclass(frozen=True)
class FormatCells:
    """The cells of one category's table, in percent: EstTrue by definition.

    Columns of `cells`: subset, model, format, prompting, fi, sys_e, est_true.
    """

    name: str
    cells: pd.DataFrame
    corrections: tuple[RatioCorrection, ...]


@lru_cache(maxsize=8)
def format_bias_cells(category: str) -> FormatCells | None:
    """FI, SysE and EstTrue as printed for a category; None for one that the paper has not."""
    if category not in _FORMAT_TABLES:
        return None
    name, file = _FORMAT_TABLES[category]
    where = ["task", "model", "format", "prompting"]
    wide = read_table(__package__, file).pivot_table(
        index=where, columns="metric", values="value", sort=False
    )
    cells = wide.reset_index().rename(columns={"task": "subset", "sys": "sys_e"})
    cells["subset"] = cells["subset"].str.lower().str.replace(" ", "_")
    cells["format"] = cells["format"].replace(_FORMAT_NAMES.get(category, {}))
    corrections = []
    for at, row in zip(cells.index, cells.to_dict("records"), strict=True):
        if not row["fi"] or not _contradicts(row["est_true"], row["sys_e"], row["fi"]):
            continue
        defined = round(100 * row["sys_e"] / row["fi"], 2)
        subset, model, name_of, way = (str(row[c]) for c in _CELL)
        printed = float(row["est_true"])
        corrections.append(RatioCorrection(subset, model, name_of, way, printed, defined))
        cells.loc[at, "est_true"] = defined
    return FormatCells(name, cells, tuple(corrections))


def _contradicts(est_true: float, sys_e: float, fi: float) -> bool:
    """Whether rounding to two decimals doesn't explain the difference, also where FI is small."""
    off = abs(est_true - 100 * sys_e / fi)
    explained = 0.005 + 0.5 / fi * (1 + sys_e / fi)
    return off > max(explained, _RATIO_ROUNDING)


@lru_cache(maxsize=1)
def format_bias_biasf() -> pd.DataFrame:
    """BiasF as printed: category, group ("model" or "task"), name, bias_f in squared points."""
    table = read_table(__package__, "biasf.csv").rename(columns={"biasf": "bias_f"})
    by_task = table["group"] == "task"
    subset = table["name"].str.lower().replace(_BIAS_TASKS)
    return table.assign(name=table["name"].where(~by_task, subset)).drop(columns="scores")
