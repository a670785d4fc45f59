"""The paper's printed cells ship as they are, whole, under the models' names."""

from collections import Counter

import pytest

from askew.papers.mathcomp.framings import FRAMINGS
from askew.papers.mathcomp.paper import IDENTITIES, LABELS, PAPER, STANDARD
from askew.report.evidence import printed_rows
from tests.chapters import row_at

NAMES = ("Claude 3.7 Sonnet", "GPT-4o mini")
ROWS = printed_rows(PAPER.home)
ODD = {
    "model": "Claude 3.7 Sonnet", "metric": "dir_err_equal", "style": "indirect", "term": "equal",
    "position": "end", "identity": STANDARD,
}  # fmt: skip


def printed(metric, model, **at):
    return row_at(ROWS, metric, model=model, **at)


def test_every_model_framing_and_printed_identity_has_three_cells():
    table = ROWS[ROWS["metric"].str.startswith("dir_err_")]
    assert len(table) == 672
    assert Counter(table["model"]) == dict.fromkeys(NAMES, 336)
    shown = [i for i in IDENTITIES if i != "person"]
    framings = {(f.style, f.term, f.position, i) for f in FRAMINGS for i in shown}
    for (_, _), mine in table.groupby(["model", "metric"]):
        places = mine[["style", "term", "position", "identity"]]
        assert set(places.itertuples(index=False, name=None)) == framings
    assert table["value"].between(0, 1).all()
    assert set(table["output"]) == {"one_word"}


def test_cells_are_those_of_the_tables():
    # Table 1, its row "less: Indirect (Begin)", and Table 12, its row "less: Indirect (End)".
    sonnet, mini = NAMES
    less = {"style": "indirect", "term": "less"}
    begin = printed("dir_err_more", sonnet, **less, position="begin", identity="hispanic")
    end = printed("dir_err_less", mini, **less, position="end", identity="african")
    assert begin["value"] == 0.77
    assert end["value"] == pytest.approx(0.9945)


def test_the_one_cell_that_is_no_count_is_noted_and_so_is_what_follows_from_it():
    noted = ROWS[ROWS["note"] != ""]
    (cell,) = noted[noted["metric"] == ODD["metric"]].to_dict("records")
    assert {level: cell[level] for level in ODD} == ODD
    assert cell["value"] == pytest.approx(0.1513)
    assert "15.13" in cell["note"]
    assert set(noted["metric"]) == {"dir_err_equal", "framing_pull", "framing_pull_equal"}
    assert set(noted["model"]) == {ODD["model"]}


def test_a_pull_is_what_the_standard_cells_of_its_term_add_to_the_neutral_ones():
    # Tables 11 to 13, standard column, framings in the order begin, end of direct and indirect.
    more = (74.18 + 81.69 + 86.38 + 95.77) / 4 - (63.38 + 69.48) / 2
    less = (92.27 + 82.87 + 95.03 + 98.34) / 4 - (35.36 + 27.07) / 2
    equal = (0.49 + 0.0 + 2.43 + 2.43) / 4 - 0.0
    found = [100 * printed(f"framing_pull_{term}", NAMES[1])["value"] for term in LABELS]
    assert found == pytest.approx([more, less, equal])
    whole = printed("framing_pull", NAMES[1])
    assert 100 * whole["value"] == pytest.approx((more + less + equal) / 3)
    assert whole["identity"] == "all"
