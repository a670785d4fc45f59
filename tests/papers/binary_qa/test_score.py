"""The Model Binary Score: the paper's printed scores, and weights that are refused or rescaled."""

import csv
import math
import warnings
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.metrics import model_binary_core, model_binary_parts, model_binary_score
from askew.papers.binary_qa.numbers import WEIGHTS, checked_weights
from askew.papers.binary_qa.paper import CORE, DELTAS

WORST_SPREAD = {m: (1.0 if m in DELTAS else 0.5) for m in CORE}


def published(name):
    source = files("askew.papers.binary_qa") / "published" / name
    with source.open(encoding="utf-8", newline="") as lines:
        return {
            row.pop("model"): {k: float(v) for k, v in row.items()} for row in csv.DictReader(lines)
        }


TABLE_1 = published("table1.csv")
TABLE_2 = published("table2_stdev.csv")
fractions = st.floats(0, 1)
cores = st.fixed_dictionaries({m: st.floats(-1, 1) if m in DELTAS else fractions for m in CORE})
spreads = st.fixed_dictionaries({m: st.floats(0, WORST_SPREAD[m]) for m in CORE})
weightings = st.fixed_dictionaries({m: st.floats(0.01, 5) for m in CORE})


@pytest.mark.parametrize("model", TABLE_1)
def test_every_printed_score_follows_from_the_printed_metrics(model):
    core = {m: TABLE_1[model][m] for m in CORE}
    score = model_binary_score(core, TABLE_2[model])
    # Inputs are printed with two decimals: the rounding of all of them is worth a quarter point.
    assert score == pytest.approx(TABLE_1[model]["mbs"], abs=0.26)


def test_a_score_worked_out_by_hand():
    core = {
        "f1": 0.8,
        "delta_recall": -0.2,
        "delta_precision": 0.1,
        "prc": 0.9,
        "nrc": 0.6,
        "arc": 1.0,
        "sc": 0.7,
    }
    stdevs = {
        "f1": 0.1,
        "delta_recall": 0.3,
        "delta_precision": 0.0,
        "prc": 0.05,
        "nrc": 0.25,
        "arc": 0.0,
        "sc": 0.5,
    }
    metrics = 0.4 * 80 + 0.1 * 80 + 0.1 * 90 + 0.075 * (90 + 60 + 100 + 70)
    steadiness = (0.4 * 80 + 0.1 * 70 + 0.1 * 100 + 0.075 * (90 + 50 + 100 + 0)) / 9
    assert model_binary_score(core, stdevs) == pytest.approx(metrics + steadiness)
    assert model_binary_core(core) == pytest.approx(metrics / 0.9)


@given(cores, spreads, weightings)
@pytest.mark.filterwarnings("ignore::askew.papers.binary_qa.numbers.WeightsWarning")
def test_parts_add_up_and_the_score_stays_on_its_scale(core, stdevs, weights):
    parts = model_binary_parts(core, stdevs, weights)
    score = model_binary_score(core, stdevs, weights)
    assert math.fsum(parts.values()) == pytest.approx(score)
    assert len(parts) == 14
    assert -1e-9 <= score <= 100 + 1e-9


@given(cores, spreads)
@pytest.mark.parametrize("metric", DELTAS)
def test_a_lean_to_yes_costs_as_much_as_one_to_no(metric, core, stdevs):
    turned = {**core, metric: -core[metric]}
    assert model_binary_score(turned, stdevs) == pytest.approx(model_binary_score(core, stdevs))


@pytest.mark.parametrize(
    ("off", "warns"), [(0.0, 0), (1e-10, 0), (-1e-10, 0), (1e-8, 1), (-1e-8, 1)]
)
def test_weights_are_rescaled_with_a_warning_where_they_differ_by_more_than_rounding(off, warns):
    given = {**WEIGHTS, "f1": WEIGHTS["f1"] + off}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        rescaled = checked_weights(given)
    assert len(said) == warns
    assert math.fsum(rescaled.values()) == pytest.approx(0.9, abs=1e-12)
    assert list(rescaled) == list(CORE)
