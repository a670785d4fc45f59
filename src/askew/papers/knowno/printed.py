"""The paper's printed results as rows of the metric table, by their own definitions."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from askew.papers.knowno.numbers import omni_accuracy
from askew.papers.knowno.paper import ABLATION, PAPER, WITH_GOLD, WITHOUT_GOLD
from askew.report.evidence import read_table

# Their mean (Table 3), the lowest and the highest of the four (Figure 3).
PEOPLE = ("Human", "Human, lowest of four", "Human, highest of four")
_SUBSETS = {"MC-TEST": "mctest", "BANK-77": "bank77", "EQUINFER": "equinfer"}
# Printed cells are rounded to two decimals; a larger difference is a contradiction.
_ROUNDING = 0.05


@lru_cache(maxsize=1)
def rows() -> pd.DataFrame:
    """Every printed number: metric, subset, model, value, note and source."""
    table = pd.concat([_table3(), _figure3(), _table4()], ignore_index=True)
    return table.assign(value=table["value"] / 100)


def _table3() -> pd.DataFrame:
    """Accuracies as printed, and what follows from them: noted where print and definition part."""
    printed = read_table(__package__, "table3.csv").rename(columns={"w_gold": WITH_GOLD})
    printed["subset"] = printed.pop("dataset").map(_SUBSETS)
    found = []
    for row in printed.to_dict("records"):
        offered, gone = float(row[WITH_GOLD]), [float(row[h]) for h in WITHOUT_GOLD]
        defined = {
            "e_wo_gold": sum(gone) / len(gone),
            "omni_accuracy": omni_accuracy(offered, gone),
        }
        values = {WITH_GOLD: offered, **dict(zip(WITHOUT_GOLD, gone, strict=True))}
        notes = {}
        for metric, right in defined.items():
            seen = float(row[metric])
            wrong = abs(seen - right) > _ROUNDING
            values[metric] = round(right, 2) if wrong else seen
            if wrong:
                notes[metric] = (
                    f"{PAPER.subset_names[row['subset']]}, {row['model']}: printed {seen:g}, which "
                    "contradicts the mean of its own three parts; shown is what the definition "
                    f"gives, {right:.2f}."
                )
        values["gap"] = values[WITH_GOLD] - values["e_wo_gold"]
        at = {"subset": row["subset"], "model": row["model"], "source": "Table 3"}
        found += [
            {**at, "metric": m, "value": v, "note": notes.get(m, "")} for m, v in values.items()
        ]
    return pd.DataFrame(found)


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
