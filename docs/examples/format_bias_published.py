"""Scored replies beside the paper's Tables 2, 6, 10 and 14: every cell, and how far they part.

python docs/examples/format_bias_published.py LOGS ChatGPT
"""

import sys

import pandas as pd

from askew.analysis import read_observations
from askew.metrics import format_bias
from askew.report.published import format_bias_cells

METRICS = {"fi": "FI", "sys_e": "SysE"}
CELL = ["subset", "prompting", "format"]


def differences(logs: str, published_as: str) -> pd.DataFrame:
    """One row a cell and metric, in percent: published, measured, difference."""
    table = format_bias(read_observations(logs, quiet=True), interval=None)
    rows = []
    for category, measured in table.groupby("category", sort=False):
        printed = format_bias_cells(str(category))
        if printed is None:
            continue
        theirs = printed.cells[printed.cells["model"].str.startswith(published_as)]
        for metric, name in METRICS.items():
            ours = measured.loc[measured["metric"] == metric, [*CELL, "value", "n_items"]]
            both = theirs[[*CELL, metric]].merge(ours, on=CELL)
            both = both.assign(metric=name, measured=100 * both["value"], published=both[metric])
            rows.append(both[[*CELL, "metric", "published", "measured", "n_items"]])
    found = pd.concat(rows, ignore_index=True)
    return found.assign(difference=(found["measured"] - found["published"]).round(2))


if __name__ == "__main__":
    found = differences(sys.argv[1], sys.argv[2])
    print(found.round(2).to_string(index=False))
    print(f"\n{len(found)} cells, largest difference {found['difference'].abs().max():.2f} points")
