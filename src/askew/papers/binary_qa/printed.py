"""The paper's printed results (Tables 1 to 6) as rows of the metric table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import pandas as pd

from askew.papers.binary_qa.paper import SUBSETS
from askew.report.evidence import read_table
from askew.schema import Unit
from askew.statistics.tables import OVERALL

BASELINE = "Baseline"
# Fractions, with the two digits that the paper prints.
FRACTION = Unit("", digits=2)
DIFFERENCE = Unit("", digits=2, signed=True)
# Tables 4 and 5 shorten three names of Table 1.
_FULL_NAMES: Mapping[str, str] = {
    "Magistral M 1.2": "Magistral Medium 1.2",
    "Magistral Med 1.2": "Magistral Medium 1.2",
    "Mistral M 3.1": "Mistral Medium 3.1",
    "Mistral Med 3.1": "Mistral Medium 3.1",
}
_TABLES: Mapping[int, str] = {
    1: "table1.csv",
    2: "table2_stdev.csv",
    3: "table3_f1_by_domain.csv",
    4: "table4_bias_by_domain.csv",
    5: "table5_consistency_by_domain.csv",
}
# Table 4 prints -0.01, which contradicts o3's own F1 (0.93) and difference in recall (0.12) there:
# with balanced labels these give about -0.105.
CONTRADICTED = ("o3", "delta_precision", "numerical")
BY_DEFINITION = -0.105
# The words of Table 6, which sums up all of the paper's models: performance, bias, consistency.
SUMMARY: Mapping[str, tuple[str, ...]] = {
    subset: tuple(words)
    for subset, *words in read_table(__package__, "table6_summary.csv").itertuples(index=False)
}


@lru_cache(maxsize=1)
def rows() -> pd.DataFrame:
    """Every printed number as printed: metric, subset, model, value, note and source."""
    table = pd.concat([_table(number) for number in _TABLES], ignore_index=True)
    place = zip(table["model"], table["metric"], table["subset"], strict=True)
    notes = [
        _contradiction(value) if at == CONTRADICTED else ""
        for at, value in zip(place, table["value"], strict=True)
    ]
    return table.assign(note=notes)


def _table(number: int) -> pd.DataFrame:
    """Columns are metrics; or a domain (of F1), a metric and a domain, or a domain and a metric."""
    printed = read_table(__package__, _TABLES[number])
    table = printed.melt("model", var_name="column")
    domains = {c: next((s for s in SUBSETS if s in c), "") for c in printed.columns[1:]}
    metrics = {c: c.replace(domain, "").strip("_") or "f1" for c, domain in domains.items()}
    spread = "stdev_" if number == 2 else ""
    return pd.DataFrame(
        {
            "metric": spread + table["column"].map(metrics),
            "subset": table["column"].map(domains).replace("", OVERALL),
            "model": table["model"].replace(_FULL_NAMES),
            "value": table["value"].astype(float),
            "source": f"Table {number}",
        }
    )


def _contradiction(value: float) -> str:
    return (
        f"Printed as {DIFFERENCE.write(value)}, which contradicts the F1 and the recall difference "
        "printed for the same model and domain; by the definition it is about "
        f"{DIFFERENCE.write(BY_DEFINITION)}."
    )
