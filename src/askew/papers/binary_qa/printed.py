"""The paper's printed results (Tables 1 to 5) as rows of the metric table."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from askew.papers.binary_qa.paper import SUBSETS
from askew.report.evidence import apply_errata, read_table
from askew.stats.tables import OVERALL

_TABLES = (
    "table1.csv", "table2_stdev.csv", "table3_f1_by_domain.csv", "table4_bias_by_domain.csv",
    "table5_consistency_by_domain.csv",
)  # fmt: skip


@lru_cache(maxsize=1)
def rows() -> pd.DataFrame:
    """Every printed number as printed: metric, subset, model, value, note and source."""
    return apply_errata(pd.concat(map(_table, _TABLES), ignore_index=True), __package__)


def _table(name: str) -> pd.DataFrame:
    """Columns are metrics; or a domain (of F1), a metric and a domain, or a domain and a metric."""
    printed = read_table(__package__, name)
    table = printed.melt("model", var_name="column")
    domains = {c: next((s for s in SUBSETS if s in c), "") for c in printed.columns[1:]}
    metrics = {c: c.replace(domain, "").strip("_") or "f1" for c, domain in domains.items()}
    spread = "stdev_" if "stdev" in name else ""
    return pd.DataFrame(
        {
            "metric": spread + table["column"].map(metrics),
            "subset": table["column"].map(domains).replace("", OVERALL),
            # Tables 4 and 5 shorten "Medium".
            "model": table["model"].str.replace(r" M(?:ed)? ", " Medium ", regex=True),
            "value": table["value"].astype(float),
            "source": f"Table {name.removeprefix('table')[0]}",
        }
    )
