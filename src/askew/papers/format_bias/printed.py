"""The paper's printed results as rows of the metric table, by their own definitions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from statistics import fmean
from typing import Any

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
    "repeat_5": (repeated(5), {"demos": "0", "repeat": "5"}),
    "demo_1": (demonstrated(1), {"demos": "1", "repeat": "1"}),
    "demo_5": (demonstrated(5), {"demos": "5", "repeat": "1"}),
    "finetuned": ("fine-tuned on formatted answers", {"demos": "0", "repeat": "1"}),
}
"""The arms of Table 18 in words, and what was done in each."""
ARMS: Mapping[str, tuple[str, ...]] = {
    "ChatGPT": ("zero_shot", "repeat_3", "demo_1", "demo_5", "finetuned"),
    "Gemma-2B": ("zero_shot", "repeat_5", "demo_1", "demo_5"),
}
"""The arms of each model that was treated, the plain one first."""
VARIANCES: Mapping[str, str] = {
    "est_true": "bias_f",
    "fi": "fi_variance",
    "sys_e": "sys_e_variance",
}
"""What a metric's variance over formats is called."""
# How far the rounding of scores, up to 100 points, may move their variance, and a mean of them.
_VARIANCE_ROUNDING, _MEAN_ROUNDING = 0.1, 0.015
# What the authors' reading of rankings makes of each number.
_AS_PUBLISHED = {
    "fi": "fi_as_published",
    "sys_e": "map_as_published",
    "est_true": "est_true_as_published",
    "bias_f": "bias_f_as_published",
}


@lru_cache(maxsize=1)
def rows() -> pd.DataFrame:
    """Every printed number: metric, model, levels, value, note and source; rates as fractions.

    What rests on rankings is there twice: as published, which is how the authors read them, and
    beside FI, SysE, EstTrue and BiasF.
    """
    cells = [_cells(category) for category in _FORMAT_TABLES]
    found = pd.concat([*cells, pd.DataFrame(_rows())], ignore_index=True)
    ranked = found[(found["category"] == "list") & (found["subset"] != "semeval2017")]
    read = ranked.assign(metric=ranked["metric"].map(_AS_PUBLISHED)).dropna(subset="metric")
    return pd.concat([found, read], ignore_index=True)


def treated(arm: str, model: str = "ChatGPT") -> str:
    """A model that the paper treated, by its arm."""
    return f"{model}, {TREATMENTS[arm][0]}"


def printed_rows() -> pd.DataFrame:
    """Tables 3 to 5, 7 to 9, 11 to 13 and 15 to 18, a row a printed row: scores by format."""
    table = read_table(__package__, "rows.csv")
    return table.assign(scores=table["scores"].map(lambda row: [*map(float, row.split(";"))]))


@cache
def formats_of(category: str) -> tuple[str, ...]:
    """The formats of a category in the order of the columns."""
    named = _FORMAT_NAMES.get(category, {})
    cells = read_table(__package__, _FORMAT_TABLES[category][1])["format"]
    return tuple(named.get(name, name) for name in dict.fromkeys(cells))


def _place(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Where a printed row stands: whose it is, and the levels that it names."""
    group, name = row["group"], row["name"]
    if row["table"] == 18:
        return {**TREATED, **TREATMENTS[name][1], "model": treated(name, group)}
    subset = name.lower() if name.lower() in SUBSETS else f"scirex_{name.lower()}"
    at = {"model": name if group == "models" and name != "Average" else MEAN_MODEL}
    if name != "Average" and group != "models":
        at |= {"subset": subset} if group == "tasks" else {"prompting": name}
    return {"category": row["category"], **at}


def _rows() -> Iterator[dict[str, object]]:
    """What the printed rows say: scores by format, their mean, and their variance over formats.

    Means of tasks are those of models again; where they part (Table 7), the latter stand.
    """
    for row in printed_rows().to_dict("records"):
        if row["group"] == "tasks" and row["name"] == "Average":
            continue
        at = {**_place(row), "note": "", "source": f"Table {row['table']}"}
        metric, scores = row["metric"], row["scores"]
        for name, score in zip(formats_of(row["category"]), scores, strict=True):
            yield {**at, "metric": metric, "format": name, "value": score / 100}
        if not math.isnan(row["average"]):
            mean = _defined(row["average"], fmean(scores), "mean", _MEAN_ROUNDING)
            yield {**at, "metric": metric, **mean, "value": mean["value"] / 100}
        variance = _defined(row["variance"], bias_f(scores), "variance", _VARIANCE_ROUNDING)
        yield {**at, "metric": VARIANCES[metric], **variance}


def _defined(printed: float, defined: float, what: str, rounding: float) -> dict[str, Any]:
    """A printed number, or what the definition gives of its own row where the two part."""
    if abs(printed - defined) <= rounding:
        return {"value": printed}
    note = (
        f"Printed {printed:g}, which is not the {what} over formats of its own row; shown is what "
        f"the definition gives, {defined:.2f}."
    )
    return {"value": defined, "note": note}


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
