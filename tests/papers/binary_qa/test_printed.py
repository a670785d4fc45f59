"""The printed tables hang together, under one name a model."""

from collections import Counter
from statistics import pstdev

import pytest

from askew.metrics import model_binary_score
from askew.papers.binary_qa.paper import CORE, SUBSETS
from askew.report.evidence import printed_rows

ROWS = printed_rows("askew.papers.binary_qa")
CONTRADICTED = ("o3", "delta_precision", "numerical")
CELLS = {(r.model, r.metric, r.subset): r.value for r in ROWS.itertuples()}
MODELS = sorted({*ROWS["model"]} - {"Baseline"})


def test_fifteen_models_have_every_cell_once():
    assert len(MODELS) == 15
    assert len(CELLS) == len(ROWS)
    counts = Counter(ROWS["source"])
    sizes = {1: 16 * 8, 2: 16 * 7, 3: 15 * 5, 4: 15 * 10, 5: 15 * 10}
    assert counts == {f"Table {number}": n for number, n in sizes.items()}


def test_only_the_contradicted_cell_has_a_note_that_names_both_numbers():
    (noted,) = ROWS[ROWS["note"] != ""].itertuples()
    assert (noted.model, noted.metric, noted.subset) == CONTRADICTED
    assert noted.note.startswith("Printed as \u22120.01, which contradicts")
    assert "about \u22120.1" in noted.note


@pytest.mark.parametrize("model", MODELS)
def test_the_spread_over_domains_is_that_of_the_domain_tables(model):
    for metric in ("f1", "delta_recall", "prc", "nrc"):
        values = [CELLS[model, metric, s] for s in SUBSETS]
        printed = CELLS[model, f"stdev_{metric}", "all"]
        # The population's deviation, of values that are printed with two decimals.
        assert pstdev(values) == pytest.approx(printed, abs=0.0111), metric


@pytest.mark.parametrize("model", sorted({*ROWS["model"]}))
def test_every_printed_score_follows_from_the_printed_metrics(model):
    core = {m: CELLS[model, m, "all"] for m in CORE}
    score = model_binary_score(core, {m: CELLS[model, f"stdev_{m}", "all"] for m in CORE})
    # Inputs are printed with two decimals: the rounding of all of them is worth a quarter point.
    assert score == pytest.approx(CELLS[model, "mbs", "all"], abs=0.26)
