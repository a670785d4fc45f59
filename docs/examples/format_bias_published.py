"""Scored replies beside the paper's Tables 2, 6, 10 and 14: every cell, and how far they part.

python docs/examples/format_bias_published.py LOGS ChatGPT
"""

import sys

import pandas as pd

from askew.analysis import read_observations
from askew.metrics import format_bias
from askew.report.evidence import printed_rows

METRICS = {
    "fi": "FI",
    "sys_e": "SysE",
    "fi_as_published": "FI as published",
    "map_as_published": "MAP as published",
}
CELL = ["metric", "category", "subset", "prompting", "format"]


def differences(logs: str, published_as: str) -> pd.DataFrame:
    """One row a cell and metric, in percent: published, measured, difference."""
    table = format_bias(read_observations(logs, quiet=True), interval=None)
    printed = printed_rows("askew.papers.format_bias")
    theirs = printed[printed["model"].str.startswith(published_as) & (printed["demos"] == "all")]
    theirs = theirs[(theirs[CELL] != "all").all(axis=1)]
    # Rankings compare as the authors read them.
    ours = ["fi", "sys_e"]
    theirs = theirs[(theirs["subset"] != "scidocsrr") | ~theirs["metric"].isin(ours)]
    both = theirs.merge(table, on=CELL, suffixes=("_printed", "_measured"))
    both = both[both["metric"].isin(METRICS)]
    published, measured = 100 * both["value_printed"], 100 * both["value_measured"]
    found = both[[*CELL, "n_items"]].assign(
        metric=both["metric"].map(METRICS), published=published, measured=measured
    )
    return found.assign(difference=(measured - published).round(2))


if __name__ == "__main__":
    found = differences(sys.argv[1], sys.argv[2])
    print(found.round(2).to_string(index=False))
    print(f"\n{len(found)} cells, largest difference {found['difference'].abs().max():.2f} points")
