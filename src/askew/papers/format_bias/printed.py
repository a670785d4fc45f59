"""The paper's printed results as rows of the metric table, by their own definitions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import pandas as pd

from askew.report.evidence import apply_errata, read_table

_CELLS: Mapping[str, tuple[str, str]] = {
    "mcq": ("Table 2", "table2_mcq.csv"), "wrapping": ("Table 6", "table6_wrapping.csv"),
    "list": ("Table 10", "table10_list.csv"), "mapping": ("Table 14", "table14_mapping.csv"),
}  # fmt: skip
# What a metric's variance over formats is called.
_VARIANCES = {"est_true": "bias_f", "fi": "fi_variance", "sys_e": "sys_e_variance"}
# What the authors' reading of rankings makes of each number.
_AS_PUBLISHED = {
    "fi": "fi_as_published", "sys_e": "map_as_published", "est_true": "est_true_as_published",
    "bias_f": "bias_f_as_published",
}  # fmt: skip


@lru_cache(maxsize=1)
def rows() -> pd.DataFrame:
    """Every printed number: metric, model, levels, value, note and source; rates as fractions.

    What rests on rankings is there twice: as published, which is how the authors read them, and
    beside FI, SysE, EstTrue and BiasF.
    """
    tables = [
        read_table(__package__, file).assign(category=category, source=source)
        for category, (source, file) in _CELLS.items()
    ]
    cells = pd.concat(tables, ignore_index=True)
    cells["subset"] = cells.pop("task").str.lower().str.replace(" ", "_")
    formats = cells.groupby("category")["format"].unique()
    found = apply_errata(pd.concat([cells, _means(formats)], ignore_index=True), __package__)
    squared = found["metric"].isin(_VARIANCES.values())
    found["value"] = found["value"].where(squared, found["value"] / 100).astype(float)
    ranked = found[(found["category"] == "list") & (found["subset"] != "semeval2017")]
    read = ranked.assign(metric=ranked["metric"].map(_AS_PUBLISHED)).dropna(subset="metric")
    return pd.concat([found, read], ignore_index=True)


def _means(formats: pd.Series) -> pd.DataFrame:
    """What the printed rows say: scores by format, their mean, and their variance over formats.

    Means of tasks are those of models again; where they part (Table 7), the latter stand.
    """
    rows = read_table(__package__, "rows.csv")
    rows = rows[~((rows["group"] == "tasks") & (rows["name"] == "Average"))]
    for factor in ("demos", "repeat"):
        rows[factor] = rows[factor].map("{:.0f}".format, na_action="ignore")
    rows["source"] = "Table " + rows.pop("table").astype(str)
    scores = rows.pop("scores").str.split(";")
    by_format = rows.assign(format=rows["category"].map(formats), value=scores)
    by_format = by_format.explode(["format", "value"]).astype({"value": float})
    averages = rows.assign(value=rows["average"]).dropna(subset="value")
    variances = rows.assign(metric=rows["metric"].map(_VARIANCES), value=rows["variance"])
    long = pd.concat([by_format, averages, variances])
    return long.drop(columns=["group", "name", "average", "variance"])
