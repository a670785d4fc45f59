"""The papers' printed results, shipped as reference rows; never mixed with measured ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import pandas as pd

from askew.metrics.omni import ABLATION, WITH_GOLD, WITHOUT_GOLD, omni_accuracy

_KNOWNO_SUBSETS = {"MC-TEST": "mctest", "BANK-77": "bank77", "EQUINFER": "equinfer"}
# Printed cells are rounded to two decimals; a larger difference is a contradiction.
_ROUNDING = 0.05
HUMAN = "Human"


def read_table(name: str) -> pd.DataFrame:
    """A reference table by its file name, as printed."""
    source = resources.files("askew.data").joinpath("published", name)
    with source.open("r", encoding="utf-8") as lines:
        return pd.read_csv(lines)


@dataclass(frozen=True)
class Correction:
    """A printed cell that contradicts its own definition, and what the definition gives."""

    subset: str
    model: str
    metric: str
    printed: float
    by_definition: float


@lru_cache(maxsize=1)
def knowno_table3() -> tuple[pd.DataFrame, tuple[Correction, ...]]:
    """Table 3 in percent, by the definitions, and the cells in which print and definition part.

    Columns: subset, model, the four hints, e_wo_gold, omni_accuracy, gap.
    """
    printed = read_table("knowno_table3.csv").rename(
        columns={"dataset": "subset", "w_gold": WITH_GOLD}
    )
    table = printed.assign(subset=printed["subset"].map(_KNOWNO_SUBSETS))
    without = table[list(WITHOUT_GOLD)].mean(axis=1)
    parts = table[[WITH_GOLD, *WITHOUT_GOLD]].to_numpy(dtype=float).tolist()
    omni = [omni_accuracy(offered, gone) for offered, *gone in parts]
    defined = {"e_wo_gold": without, "omni_accuracy": pd.Series(omni, index=table.index)}
    corrections: list[Correction] = []
    for metric, values in defined.items():
        wrong = (table[metric] - values).abs() > _ROUNDING
        found = table.assign(by_definition=values.round(2))[wrong]
        names = ["subset", "model", metric, "by_definition"]
        for subset, model, seen, right in found[names].to_numpy().tolist():
            corrections.append(Correction(subset, model, metric, float(seen), float(right)))
        table[metric] = table[metric].where(~wrong, values.round(2))
    return table.assign(gap=table[WITH_GOLD] - table["e_wo_gold"]), tuple(corrections)


@lru_cache(maxsize=1)
def knowno_table4() -> pd.DataFrame:
    """Table 4 in percent: subset, model, with_gold, with_gold_plus_none, ablation_change."""
    printed = read_table("knowno_table4.csv")
    long = printed.melt(["dataset", "condition"], var_name="model", value_name="value")
    wide = long.pivot_table(
        index=["dataset", "model"], columns="condition", values="value", sort=False
    ).reset_index()
    table = pd.DataFrame(
        {
            "subset": wide["dataset"].map(_KNOWNO_SUBSETS),
            "model": wide["model"],
            WITH_GOLD: wide["w_gold"],
            ABLATION: wide["w_gold_plus_none"],
        }
    )
    return table.assign(ablation_change=table[ABLATION] - table[WITH_GOLD])


# A printed ratio may be off by this much more than the rounding of its parts explains.
_RATIO_ROUNDING = 0.03
_FORMAT_TABLES = {
    "mcq": ("Table 2", "format_bias_table2_mcq.csv"),
    "wrapping": ("Table 6", "format_bias_table6_wrapping.csv"),
    "list": ("Table 10", "format_bias_table10_list.csv"),
    "mapping": ("Table 14", "format_bias_table14_mapping.csv"),
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
    wide = read_table(file).pivot_table(index=where, columns="metric", values="value", sort=False)
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
    table = read_table("format_bias_biasf.csv").rename(columns={"biasf": "bias_f"})
    by_task = table["group"] == "task"
    subset = table["name"].str.lower().replace(_BIAS_TASKS)
    return table.assign(name=table["name"].where(~by_task, subset)).drop(columns="scores")
