"""The paper's printed results as reference rows, by their own definitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from askew.papers.knowno.numbers import omni_accuracy
from askew.papers.knowno.paper import ABLATION, WITH_GOLD, WITHOUT_GOLD
from askew.report.published import read_table

_SUBSETS = {"MC-TEST": "mctest", "BANK-77": "bank77", "EQUINFER": "equinfer"}
# Printed cells are rounded to two decimals; a larger difference is a contradiction.
_ROUNDING = 0.05
HUMAN = "Human"


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
    printed = read_table(__package__, "table3.csv").rename(
        columns={"dataset": "subset", "w_gold": WITH_GOLD}
    )
    table = printed.assign(subset=printed["subset"].map(_SUBSETS))
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
    printed = read_table(__package__, "table4.csv")
    long = printed.melt(["dataset", "condition"], var_name="model", value_name="value")
    wide = long.pivot_table(
        index=["dataset", "model"], columns="condition", values="value", sort=False
    ).reset_index()
    table = pd.DataFrame(
        {
            "subset": wide["dataset"].map(_SUBSETS),
            "model": wide["model"],
            WITH_GOLD: wide["w_gold"],
            ABLATION: wide["w_gold_plus_none"],
        }
    )
    return table.assign(ablation_change=table[ABLATION] - table[WITH_GOLD])
