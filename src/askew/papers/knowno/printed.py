"""The paper's printed results as rows of the metric table, by their own definitions."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from askew.papers.knowno.paper import ABLATION, WITH_GOLD
from askew.report.evidence import apply_errata, read_table

_SUBSETS = {"MC-TEST": "mctest", "BANK-77": "bank77", "EQUINFER": "equinfer"}


@lru_cache(maxsize=1)
def rows() -> pd.DataFrame:
    """Every printed number: metric, subset, model, value, note and source."""
    table = pd.concat([_table3(), _figure3(), _table4()], ignore_index=True)
    return table.assign(value=table["value"] / 100)


def _table3() -> pd.DataFrame:
    """Accuracies and their means as printed, and the gap that follows from them."""
    printed = read_table(__package__, "table3.csv").rename(columns={"w_gold": WITH_GOLD})
    printed["subset"] = printed.pop("dataset").map(_SUBSETS)
    long = printed.melt(["subset", "model"], var_name="metric").assign(source="Table 3")
    long = apply_errata(long, __package__)
    offered, without = (long[long["metric"] == m] for m in (WITH_GOLD, "e_wo_gold"))
    gap = offered["value"].to_numpy() - without["value"].to_numpy()
    return pd.concat([long, offered.assign(metric="gap", value=gap)])


def _figure3() -> pd.DataFrame:
    """The lowest and the highest of the people, where what is printed leaves one value.

    The figure's bars have no numbers. Each of four people answered 25 questions a prompt, Table 3
    has their means, and the text says that lowest and highest are 4 to 8 points apart.
    """
    rows = read_table(__package__, "figure3.csv").melt("model", var_name="metric").dropna()
    return rows.assign(subset="mctest", note="", source="Figure 3")


def _table4() -> pd.DataFrame:
    """The ablation: its accuracies, and their change against the full set."""
    long = read_table(__package__, "table4.csv").melt(["dataset", "condition"], var_name="model")
    wide = long.pivot_table(index=["dataset", "model"], columns="condition", sort=False)["value"]
    change = wide["w_gold_plus_none"] - wide["w_gold"]
    table = pd.DataFrame({ABLATION: wide["w_gold_plus_none"], "ablation_change": change})
    rows = table.reset_index().melt(["dataset", "model"], var_name="metric")
    rows["subset"] = rows.pop("dataset").map(_SUBSETS)
    return rows.assign(note="", source="Table 4")
