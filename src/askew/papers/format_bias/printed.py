"""The paper's printed results as rows of the metric table, by their own definitions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

import pandas as pd

from askew.papers.format_bias.paper import SUBSETS, demonstrated, repeated
from askew.report.evidence import apply_errata, read_table

MEAN_MODEL = "Mean of the paper's models"
_FORMAT_TABLES: Mapping[str, tuple[str, str]] = {
    "mcq": ("Table 2", "table2_mcq.csv"),
    "wrapping": ("Table 6", "table6_wrapping.csv"),
    "list": ("Table 10", "table10_list.csv"),
    "mapping": ("Table 14", "table14_mapping.csv"),
}
# Table 10 calls the separator format "special character".
_FORMAT_NAMES = {"list": {"special_character": "separator"}}
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
    found = apply_errata(found, __package__)
    squared = found["metric"].isin(VARIANCES.values())
    found["value"] = found["value"].where(squared, found["value"] / 100)
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
        at = {**_place(row), "source": f"Table {row['table']}"}
        metric = row["metric"]
        for name, score in zip(formats_of(row["category"]), row["scores"], strict=True):
            yield {**at, "metric": metric, "format": name, "value": score}
        if not math.isnan(row["average"]):
            yield {**at, "metric": metric, "value": row["average"]}
        yield {**at, "metric": VARIANCES[metric], "value": row["variance"]}


def _cells(category: str) -> pd.DataFrame:
    """A table's FI, SysE and EstTrue."""
    source, file = _FORMAT_TABLES[category]
    long = read_table(__package__, file)
    long["subset"] = long.pop("task").str.lower().str.replace(" ", "_")
    long = long.replace({"format": _FORMAT_NAMES.get(category, {}), "metric": _METRICS})
    return long.assign(category=category, source=source)
