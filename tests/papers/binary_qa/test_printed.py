"""The printed tables hang together, under one name a model."""

from collections import Counter
from statistics import fmean, pstdev

import pytest

from askew.metrics import model_binary_score
from askew.papers.binary_qa.paper import CORE, DELTAS, SUBSETS
from askew.report.evidence import printed_rows

ROWS = printed_rows("askew.papers.binary_qa")
CONTRADICTED, BY_DEFINITION = ("o3", "delta_precision", "numerical"), -0.105
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


@pytest.mark.parametrize("model", MODELS)
def test_consistency_over_all_is_the_mean_of_equal_domains(model):
    for metric in ("prc", "nrc"):
        mean = fmean(CELLS[model, metric, s] for s in SUBSETS)
        # Rounding is worth 0.01; one cell (Llama 4 Maverick, NRC) is 0.012 off.
        assert CELLS[model, metric, "all"] == pytest.approx(mean, abs=0.0121), metric


def test_f1_over_all_is_pooled_and_not_the_mean_of_domains():
    gaps = [abs(CELLS[m, "f1", "all"] - fmean(CELLS[m, "f1", s] for s in SUBSETS)) for m in MODELS]
    assert max(gaps) > 0.011


def precision_gap(f1, delta_recall):
    """What balanced labels make of the two: recalls follow, and precisions from them."""
    best = min(
        (abs(_weighted_f1(no, no - delta_recall) - f1), no)
        for no in (i / 10_000 for i in range(10_001))
        if 0 <= no - delta_recall <= 1
    )
    no, yes = best[1], best[1] - delta_recall
    return no / (no + 1 - yes) - yes / (yes + 1 - no)


def _weighted_f1(no, yes):
    return no / (1 + no + 1 - yes) + yes / (1 + yes + 1 - no)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("subset", SUBSETS)
def test_differences_in_precision_follow_from_f1_and_recall_but_for_one_cell(model, subset):
    f1, delta, printed = (CELLS[model, m, subset] for m in ("f1", *DELTAS))
    implied = precision_gap(f1, delta)
    if (model, DELTAS[1], subset) == CONTRADICTED:
        assert printed == -0.01
        assert implied == pytest.approx(BY_DEFINITION, abs=0.01)
    else:
        assert implied == pytest.approx(printed, abs=0.03)


@pytest.mark.parametrize("model", sorted({*ROWS["model"]}))
def test_every_printed_score_follows_from_the_printed_metrics(model):
    core = {m: CELLS[model, m, "all"] for m in CORE}
    score = model_binary_score(core, {m: CELLS[model, f"stdev_{m}", "all"] for m in CORE})
    # Inputs are printed with two decimals: the rounding of all of them is worth a quarter point.
    assert score == pytest.approx(CELLS[model, "mbs", "all"], abs=0.26)
