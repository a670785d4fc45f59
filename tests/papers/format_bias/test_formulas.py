"""The format-bias formulas on the paper's printed tables, cell by cell, and on their own terms."""

import csv
import math
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.metrics import bias_f, est_true, mitigates
from askew.papers.format_bias.credit import (
    average_precision,
    mapping_f1,
    ranking_score,
    set_f1,
    token_f1,
)
from askew.papers.format_bias.numbers import est_true_reliable, fi_needed
from tests.cases import cases

TABLES = ("table2_mcq", "table6_wrapping", "table10_list", "table14_mapping")
N_CELLS = {"table2_mcq": 32, "table6_wrapping": 280, "table10_list": 64, "table14_mapping": 48}
# Cells whose printed EstTrue is not SysE / FI, beyond what rounding of the two can explain. The
# first eight are off by more than a point.
CONTRADICTIONS = {
    ("MMLU", "Mistral-7B-it", "special_character", "zs"): (53.63, 56.36),
    ("MMLU", "Llama-3.1-8B-it", "quoting", "zs"): (34.67, 44.62),
    ("BBH", "Llama-3.1-8B-it", "brackets", "cot"): (27.97, 28.99),
    ("BBH", "Llama-3.1-8B-it", "quoting", "cot"): (21.00, 48.94),
    ("HotpotQA", "Mistral-7B-it", "placeholder", "cot"): (21.58, 16.12),
    ("FairytaleQA", "ChatGPT", "parentheses", "zs"): (38.25, 46.14),
    ("SciREX Hard", "Llama-3.1-8B-it", "json", "cot"): (39.66, 35.76),
    ("SciREX Hard", "Llama-3.1-8B-it", "yaml", "zs"): (27.39, 30.39),
    ("MMLU", "Gemma-7B-it", "bolding", "cot"): (44.27, 44.77),
    ("BBH", "Llama-3.1-8B-it", "bolding", "zs"): (14.03, 13.43),
    ("BBH", "Llama-3.1-8B-it", "italicizing", "zs"): (9.90, 9.80),
    ("GSM8K", "ChatGPT", "brackets", "cot"): (69.00, 68.65),
    ("HotpotQA", "ChatGPT", "brackets", "zs"): (23.94, 23.78),
    ("HotpotQA", "ChatGPT", "quoting", "zs"): (41.52, 41.16),
    ("SemEval2017", "Gemma-7B-it", "bullet", "zs"): (7.10, 7.06),
}


def published(name):
    text = (files("askew.papers.format_bias") / "published" / f"{name}.csv").read_text()
    return list(csv.DictReader(text.splitlines()))


def cells(name):
    """Printed numbers of a table by cell: {(task, model, format, prompting): {metric: value}}."""
    found = {}
    for row in published(name):
        key = (row["task"], row["model"], row["format"], row["prompting"])
        found.setdefault(key, {})[row["metric"]] = float(row["value"])
    return found


def rounding(cell):
    """How far EstTrue can be off because SysE and FI are printed with two decimals."""
    if cell["fi"] <= 0.005:
        return 0.01
    high = 100 * (cell["sys_e"] + 0.005) / (cell["fi"] - 0.005)
    return high - 100 * cell["sys_e"] / cell["fi"] + 0.011


@pytest.mark.parametrize("name", TABLES)
def test_est_true_is_sys_over_fi_in_every_cell_but_the_listed(name):
    table = cells(name)
    assert len(table) == N_CELLS[name]
    for key, cell in table.items():
        ours = 100 * est_true(cell["sys_e"] / 100, cell["fi"] / 100, zero_filled=True)
        if key in CONTRADICTIONS:
            printed, right = CONTRADICTIONS[key]
            assert cell["est_true"] == printed
            assert ours == pytest.approx(right, abs=0.005)
            assert abs(printed - right) > rounding(cell)
        else:
            assert ours == pytest.approx(cell["est_true"], abs=rounding(cell)), key


# Rows whose printed variance is not that of their own scores (by table, group and name; Table 18 by
# model, arm and metric), with what it is: the sample variance; that of another row of the arm; of
# the formats that were followed alone; or nothing that was found.
VARIANCES = {
    (4, "models", "Average"): "sample",
    (8, "models", "Average"): "sample",
    (11, "models", "Average"): "sample",
    (11, "tasks", "Average"): "sample",
    (12, "models", "Gemma"): "sample",
    (12, "models", "Mistral"): "sample",
    (12, "models", "ChatGPT"): "sample",
    (12, "models", "Average"): "sample",
    **{
        (18, "ChatGPT", arm, metric): other
        for arm in ("zero_shot", "demo_1", "demo_5", "finetuned")
        for metric, other in (("est_true", "sys_e"), ("sys_e", "fi"), ("fi", "est_true"))
    },
    (18, "Gemma-2B", "zero_shot", "sys_e"): "nothing",
    (18, "Gemma-2B", "demo_1", "sys_e"): "followed",
    (18, "Gemma-2B", "demo_1", "fi"): "followed",
}  # fmt: skip


def rows():
    """Printed rows: by table, group and name (in Table 18 with the metric), their numbers."""
    found = {}
    for row in published("rows"):
        key = (int(row["table"]), row["group"], row["name"])
        if key[0] == 18:
            key = (*key, row["metric"])
        scores = [float(score) for score in row["scores"].split(";")]
        average = float(row["average"]) if row["average"] else None
        found[key] = (scores, average, float(row["variance"]))
    return found


def test_variances_recompute_but_for_those_named():
    every = rows()
    for key, (scores, _, printed) in every.items():
        what = VARIANCES.get(key, "own")
        if what in ("own", "sample"):
            n = len(scores)
            right = bias_f(scores) * (n / (n - 1) if what == "sample" else 1)
            assert right == pytest.approx(printed, abs=0.1), key
        else:
            assert abs(bias_f(scores) - printed) > 0.1, key
        if what in ("fi", "sys_e", "est_true"):
            assert bias_f(every[*key[:3], what][0]) == pytest.approx(printed, abs=0.025), key
        if what == "followed":
            fi = every[*key[:3], "fi"][0]
            kept = [score for score, share in zip(scores, fi, strict=True) if share]
            assert bias_f(kept) == pytest.approx(printed, abs=0.015), key


def arms(model):
    """Table 18 of one model: {arm: {metric: {format: score}}}."""
    found = {}
    for (table, of, *arm_metric), (scores, _, _) in rows().items():
        if table == 18 and of == model:
            arm, metric = arm_metric
            found.setdefault(arm, {})[metric] = dict(enumerate(scores))
    return found


@pytest.mark.parametrize(("model", "effective"), [("ChatGPT", {"finetuned"}), ("Gemma-2B", set())])
def test_by_the_papers_criteria_only_fine_tuning_mitigates(model, effective):
    table = arms(model)
    before = table.pop("zero_shot")
    found = {
        arm
        for arm, after in table.items()
        if mitigates(
            bias_f(before["est_true"].values()), bias_f(after["est_true"].values()), before["fi"],
            after["fi"],
        )
    }  # fmt: skip
    assert found == effective


@pytest.mark.parametrize("format_following", [1.01, 88.84, -0.1])
def test_fi_is_a_fraction_and_no_unit_is_guessed(format_following):
    with pytest.raises(ValueError, match="fraction"):
        est_true(48.54, format_following)
    # One percent of replies is a hundredth, whatever a percent would be.
    assert est_true(0.5, 0.01) == pytest.approx(50)


def test_nothing_followed_is_nan_and_zero_only_on_demand():
    assert math.isnan(est_true(0.0, 0.0))
    assert est_true(0.0, 0.0, zero_filled=True) == 0
    assert math.isnan(est_true(0.1, math.nan, zero_filled=True))


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8), st.floats(-50, 50))
def test_bias_is_a_variance_that_a_shift_leaves_alone(scores, shift):
    assert bias_f(scores) >= 0
    assert bias_f([s + shift for s in scores]) == pytest.approx(bias_f(scores), abs=1e-6)
    assert bias_f(scores) == pytest.approx(float(np.var(scores)))


# t for 95 % and 1, 9, 99 degrees of freedom, from a printed table.
@pytest.mark.parametrize(("k", "t"), [(2, 12.7062), (10, 2.2622), (100, 1.9842)])
def test_the_fi_that_is_needed_is_equation_6(k, t):
    deviation, n_total = 0.4, 200
    expected = 1 / (1 + n_total * (0.05 / (t * deviation)) ** 2)
    assert fi_needed(deviation, k, n_total) == pytest.approx(expected, rel=1e-4)
    assert fi_needed(deviation, k, n_total, level=0.05) == fi_needed(deviation, k, n_total)


def test_reliability_follows_theorem_3_1():
    half = [0.0, 1.0] * 90
    assert est_true_reliable(half, 200)  # 0.9 >= 0.66
    assert not est_true_reliable(half[:100], 200)  # 0.5 < 0.66
    assert not est_true_reliable(half, 360)  # a larger sample makes 180 replies too few
    assert est_true_reliable(half, 360, margin=0.1)
    assert est_true_reliable(half[:170], 200)
    assert not est_true_reliable(half[:170], 200, level=0.9999)


# ---- scores of extracted answers: by hand, by the authors' definitions, and their properties

MARKS = st.lists(st.integers(0, 1), min_size=1, max_size=30)


@cases("predicted", "true", "score")
def test_token_f1(predicted, true, score):
    assert token_f1(predicted, true) == pytest.approx(score)


@cases("predicted", "true", "casefold", "score")
def test_set_f1(predicted, true, casefold, score):
    assert set_f1(predicted, true, casefold) == pytest.approx(score)


def test_mapping_f1_is_the_mean_over_the_true_keys():
    true = {"Task": ["Tide Prediction"], "Method": ["X", "Y"], "Metric": []}
    assert mapping_f1({"Task": ["tide prediction"], "Method": ["x", "y"], "Metric": []}, true) == 1
    assert mapping_f1({"Task": [], "Method": ["x"], "Metric": []}, true) == pytest.approx(
        (0 + 2 / 3 + 1) / 3
    )
    assert mapping_f1({"Task": [], "Method": [], "Metric": ["z"]}, true) == 0


@pytest.mark.parametrize(
    ("relevance", "score"),
    [([1, 1, 0], 1.0), ([0, 1], 0.5), ([1, 0, 1], (1 + 2 / 3) / 2), ([0, 0], 0.0), ([], 0.0)],
)
def test_average_precision(relevance, score):
    assert average_precision(relevance) == pytest.approx(score)


@given(MARKS.filter(any), st.text(max_size=5))
def test_the_truth_ranks_perfectly_and_its_opposite_worst(truth, seed):
    assert ranking_score(truth, truth, seed) == 1
    opposite = ranking_score([1 - mark for mark in truth], truth, seed)
    worst = average_precision(sorted(truth))
    assert opposite == pytest.approx(worst)


# Student's 97.5 percent quantile of two degrees.
T_2 = 4.302653


def test_a_cell_is_reliable_from_the_fi_on_that_is_needed():
    # A deviation of a half in three of four replies: three quarters followed.
    scores = [0.0, 0.5, 1.0]
    margin = T_2 * 0.5 * math.sqrt((1 / 0.75 - 1) / 4)
    assert fi_needed(0.5, 3, 4, margin) == pytest.approx(0.75)
    assert est_true_reliable(scores, 4, margin * 1.001)
    assert not est_true_reliable(scores, 4, margin * 0.999)
    assert not est_true_reliable([1.0], 1)
    assert est_true_reliable([1.0, 1.0], 100)
    assert not est_true_reliable(scores, 4)
    # A lower level needs less.
    assert est_true_reliable(scores, 4, margin * 0.999, 0.9)
