"""The paper's printed tables, cell by cell, and what varies in those that distil them.

Tables 3 to 5 distil Table 2, 7 to 9 Table 6, 11 to 13 Table 10, 15 to 17 Table 14. Cells stand as
printed here, also where they contradict their own ratio.
"""

from importlib.resources import files
from pathlib import Path

import pandas as pd
import pytest

from askew.metrics import bias_f, est_true, mitigates

SOURCES = {"mcq": "Table 2", "wrapping": "Table 6", "list": "Table 10", "mapping": "Table 14"}
N_CELLS = {"mcq": 32, "wrapping": 280, "list": 64, "mapping": 48}
PRINTED, ERRATA = (
    pd.read_csv(str(files("askew.papers.format_bias") / "published" / f"{name}.csv"))
    for name in ("printed", "errata")
)
PLACE = ["subset", "model", "format", "prompting"]
ROWS = Path(__file__).with_name("printed_rows.csv")


def rounding(cell):
    """How far EstTrue can be off because SysE and FI are printed with two decimals, as shares."""
    if cell.fi <= 0.5e-4:
        return 1e-4
    return (cell.sys_e + 0.5e-4) / (cell.fi - 0.5e-4) - cell.sys_e / cell.fi + 1.1e-4


@pytest.mark.parametrize("category", SOURCES)
def test_est_true_is_sys_over_fi_in_every_cell_but_those_of_the_errata(category):
    table = PRINTED[PRINTED["source"] == SOURCES[category]]
    cells = table.pivot_table(index=PLACE, columns="metric", values="value")
    assert len(cells) == N_CELLS[category]
    wrong = ERRATA[(ERRATA["source"] == SOURCES[category]) & (ERRATA["metric"] == "est_true")]
    wrong = wrong.set_index(PLACE)
    assert wrong.index.isin(cells.index).all()
    for at, cell in zip(cells.index, cells.itertuples(), strict=True):
        ours = est_true(cell.sys_e, cell.fi, zero_filled=True)
        if at in wrong.index:
            printed, right = (float(wrong.loc[at, name]) for name in ("printed", "value"))
            assert cell.est_true == printed
            assert ours == pytest.approx(right, abs=0.5e-4)
            assert abs(printed - right) > rounding(cell)
        else:
            assert ours == pytest.approx(cell.est_true, abs=rounding(cell)), at


@pytest.mark.parametrize(("model", "effective"), [("ChatGPT", {"finetuned"}), ("Gemma-2B", set())])
def test_by_the_papers_criteria_only_fine_tuning_mitigates(model, effective):
    """Table 18 of one model: by arm and metric, a score a format."""
    rows, arms = pd.read_csv(ROWS).query(f"table == 18 and group == '{model}'"), {}
    for row in rows.itertuples():
        scores = dict(enumerate(map(float, row.scores.split(";"))))
        arms.setdefault(row.name, {})[row.metric] = scores
    before, found = arms.pop("zero_shot"), set()
    for arm, after in arms.items():
        biases = (bias_f(of["est_true"].values()) for of in (before, after))
        found |= {arm} if mitigates(*biases, before["fi"], after["fi"]) else set()
    assert found == effective
