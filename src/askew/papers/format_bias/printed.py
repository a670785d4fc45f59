"""The paper's printed results as rows of the metric table, by their own definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import pandas as pd

from askew.papers.format_bias.formulas import bias_f
from askew.papers.format_bias.paper import PAPER, SUBSETS, demonstrated, repeated
from askew.report.evidence import read_table

MEAN_MODEL = "Mean of the paper's models"
# A printed ratio may be off by this much more than the rounding of its parts explains.
_RATIO_ROUNDING = 0.03
_FORMAT_TABLES: Mapping[str, tuple[str, str]] = {
    "mcq": ("Table 2", "table2_mcq.csv"),
    "wrapping": ("Table 6", "table6_wrapping.csv"),
    "list": ("Table 10", "table10_list.csv"),
    "mapping": ("Table 14", "table14_mapping.csv"),
}
# Table 10 calls the separator format "special character".
_FORMAT_NAMES = {"list": {"special_character": "separator"}}
_CELL = ("subset", "model", "format", "prompting")
_METRICS = {"sys": "sys_e"}
TREATED = {"category": "wrapping", "subset": "mmlu", "prompting": "zs"}
"""Where the paper tried its treatments (Table 18)."""
TREATMENTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "zero_shot": ("no treatment", {"demos": "0", "repeat": "1"}),
    "repeat_3": (repeated(3), {"demos": "0", "repeat": "3"}),
    "demo_1": (demonstrated(1), {"demos": "1", "repeat": "1"}),
    "demo_5": (demonstrated(5), {"demos": "5", "repeat": "1"}),
    "finetuned": ("fine-tuned on formatted answers", {"demos": "0", "repeat": "1"}),
}
"""The arms of Table 18 in words, and what was done in each."""
VARIANCES: Mapping[str, str] = {
    "est_true": "bias_f",
    "fi": "fi_variance",
    "sys_e": "sys_e_variance",
}
"""What a metric's variance over formats is called."""


@lru_cache(maxsize=1)
def rows() -> pd.DataFrame:
    """Every printed number: metric, model, levels, value, note and source; rates as fractions."""
    cells = [_cells(category) for category in _FORMAT_TABLES]
    return pd.concat([_biases(), *cells, pd.DataFrame(_treatments())], ignore_index=True)


def treated(arm: str) -> str:
    """The paper's treated model, by its arm."""
    return f"ChatGPT, {TREATMENTS[arm][0]}"


def _biases() -> pd.DataFrame:
    """BiasF of each model, and by task of the mean over models."""
    table = read_table(__package__, "biasf.csv").rename(columns={"biasf": "value"})
    by_task = table["group"] == "task"
    name = table["name"].str.lower()
    subset = name.where(name.isin(SUBSETS), "scirex_" + name)
    return table[["category", "value"]].assign(
        metric="bias_f",
        model=table["name"].mask(by_task, MEAN_MODEL),
        subset=subset.where(by_task),
        note="",
        source="BiasF by category",
    )


def _cells(category: str) -> pd.DataFrame:
    """A table's FI, SysE and EstTrue, which is noted where it is not the ratio of the two."""
    source, file = _FORMAT_TABLES[category]
    long = read_table(__package__, file)
    long["subset"] = long.pop("task").str.lower().str.replace(" ", "_")
    long = long.replace({"format": _FORMAT_NAMES.get(category, {}), "metric": _METRICS})
    wide = long.pivot_table(index=_CELL, columns="metric", values="value", sort=False)
    notes = {}
    for place, cell in zip(wide.index, wide.to_dict("records"), strict=True):
        if cell["fi"] and _contradicts(cell["est_true"], cell["sys_e"], cell["fi"]):
            defined = round(100 * cell["sys_e"] / cell["fi"], 2)
            wide.loc[place, "est_true"] = defined
            notes["est_true", *place] = _correction(place, cell["est_true"], defined)
    found = wide.reset_index().melt(list(_CELL), var_name="metric")
    places = found[["metric", *_CELL]].itertuples(index=False, name=None)
    return found.assign(
        category=category,
        value=found["value"] / 100,
        note=[notes.get(place, "") for place in places],
        source=source,
    )


def _contradicts(est_true: float, sys_e: float, fi: float) -> bool:
    """Whether rounding to two decimals doesn't explain the difference, also where FI is small."""
    off = abs(est_true - 100 * sys_e / fi)
    explained = 0.005 + 0.5 / fi * (1 + sys_e / fi)
    return off > max(explained, _RATIO_ROUNDING)


def _correction(place: tuple[str, ...], printed: float, defined: float) -> str:
    subset, model, name, _ = place
    return (
        f"{SUBSETS[subset]}, {model}, {PAPER.factor('format').label(name)}: printed {printed:g}, "
        "which is not SysE / FI of its own row; shown is what the definition gives, "
        f"{defined:.2f}."
    )


def _treatments() -> Iterator[dict[str, object]]:
    """Table 18, and the variances over formats that follow from it."""
    table = read_table(__package__, "table18_mitigation_chatgpt_mmlu.csv")
    table = table.replace({"metric": _METRICS})
    for (arm, metric), part in table.groupby(["arm", "metric"], sort=False):
        at = {**TREATED, **TREATMENTS[str(arm)][1], "model": treated(str(arm))}
        at |= {"note": "", "source": "Table 18"}
        for name, value in zip(part["format"], part["value"], strict=True):
            yield {**at, "metric": metric, "format": name, "value": value / 100}
        yield {**at, "metric": VARIANCES[str(metric)], "value": bias_f(part["value"])}
