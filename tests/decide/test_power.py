"""What a run of so many items would show, worked by hand on a few seeds."""

import math
from dataclasses import replace
from statistics import NormalDist

import pandas as pd
import pytest
from inspect_ai.dataset import Sample

from askew.decide import simulation as module
from askew.decide.simulation import Simulation, part_of, simulation
from askew.papers import metric_of
from askew.stats.tables import Interval
from askew.stats.variance import PARTS, Components, Design, Part
from tests.cases import cases

NAN = math.nan
Z = NormalDist().inv_cdf(0.8)
# Intervals of 20, 30 and 30 points of 100.
RUNS = {
    "value": [0.5, 0.6, 0.7], "low": [0.4, 0.5, 0.6], "high": [0.6, 0.8, 0.9],
    "deviation": [0.3, 0.4, 0.5], "most": [1.0] * 3, "n_clusters": [20] * 3, "noise_off": [0.0] * 3,
}  # fmt: skip


def rows_of(**columns):
    """A headline's row in every seed, with what is not given unknown."""
    n = len(columns["low"])
    rows = pd.DataFrame({"n_items": [40] * n, "reason": [""] * n, **columns})
    return rows.reindex(columns=[*module.READ])


def width_of(task="knowno", metric="omni_accuracy", scale=0.4, wanted=None, effect=None, **columns):
    declared = metric_of(task, metric)
    rows = rows_of(**RUNS | columns)
    return module.width_of(metric, declared, rows, scale, 0.9, wanted, effect)


def test_widths_are_carried_over_to_the_whole_set_with_their_errors():
    found = width_of(wanted=0.05)
    assert (found["metric"], found["unit"].name, found["n_items"]) == ("omni_accuracy", "%", 250)
    assert (found["value"], found["wanted"], found["effect"]) == (pytest.approx(0.6), 0.05, None)
    # 8, 12 and 12 points: their mean, and its standard error.
    assert found["width"] == pytest.approx(0.32 / 3)
    assert found["width_error"] == pytest.approx(0.04 / 3)
    assert found["n_needed"] == math.ceil(250 * (0.32 / 3 / 0.05) ** 2) == 1_138
    # Without one seed it is 1,440 or 1,000 twice.
    assert found["n_needed_error"] == pytest.approx(440 * 2 / 3)
    assert (found["reason"], found["n_for_effect"]) == ("", None)
    assert math.isnan(found["power"])
    assert width_of(scale=1.0, n_items=[40, 41, 45])["n_items"] == 42
    assert width_of()["n_needed"] is None
    # One seed alone has no error.
    alone = width_of(**{name: values[:1] for name, values in RUNS.items()})
    assert math.isnan(alone["width_error"])


@cases("low", "reasons", "told")
def test_a_number_that_mostly_has_no_interval_has_the_reason(low, reasons, told):
    rows = rows_of(value=[0.5, 0.6, 0.7, 0.6], low=low, high=[0.9] * 4, reason=reasons)
    declared = metric_of("knowno", "omni_accuracy")
    found = module.width_of("omni_accuracy", declared, rows, 1.0, 0.9, 0.1, 0.2)
    assert found["reason"] == told
    assert math.isnan(found["width"]) == bool(told)
    assert (found["n_items"], found["value"]) == (40, pytest.approx(0.6))
    assert (found["wanted"], found["effect"]) == (0.1, 0.2)
    assert (found["n_needed"] is None) == bool(told)


def test_the_value_beyond_noise_lies_a_part_of_its_spread_above_what_noise_shows():
    found = width_of("binary_qa", "stdev_f1", null_q95=[0.3] * 3)
    assert found["beside_noise"] == pytest.approx(0.4 * (0.3 + Z * 0.1))
    # Of two seeds the spread is 0.071 or 0.141.
    assert found["beside_noise_error"] == pytest.approx(0.4 * Z * math.sqrt(0.02 / 9))


def test_squares_are_taken_as_distances():
    found = width_of("format_bias", "bias_f", value=[25.0, 36.0, 49.0], null_q95=[9.0] * 3)
    assert found["beside_noise"] == pytest.approx((0.4 * (3 + Z)) ** 2)
    assert found["beside_noise_error"] > 0


def test_a_worse_model_varies_as_its_rate_does():
    declared = metric_of("knowno", "omni_accuracy")
    rows = rows_of(**RUNS | {"value": [0.9] * 3})
    of = module.cluster_difference(rows, seen=20, declared=declared)
    assert (of.share, of.whole) == (pytest.approx(0.9), 1.0)
    # Of shares of 0.9 and 0.7 the variances are 0.09 and 0.21.
    assert of.deviation_at(0.2) == pytest.approx(of.deviation * math.sqrt(0.15 / 0.09))
    assert of.deviation_at(0.0) == of.deviation
    # At its end nothing was seen to vary: as a reply of each cluster would.
    assert replace(of, share=1.0, deviation=0.0).deviation_at(0.2) == pytest.approx(0.4)
    assert replace(of, share=0.0, deviation=0.0).deviation_at(0.2) == pytest.approx(0.4)
    assert replace(of, share=NAN).deviation_at(0.2) == of.deviation
    # Where less is better, the worse model has more.
    for task, name, share in (("mathcomp", "dir_err_more", 0.1), ("knowno", "discernment", NAN)):
        other = module.cluster_difference(rows, seen=20, declared=metric_of(task, name))
        assert other.share == pytest.approx(share, nan_ok=True)


# --- What to buy next ----------------------------------------------------------------------------


def split_of(items, wordings, *values, note="", reason=""):
    parts = {p: Part(v) for p, v in zip(PARTS, values, strict=True)}
    parts["resampling"] = Part(values[-1], reason=note)
    return Components(0.5, Design(items, wordings, 2), 0, NAN, parts, reason)


def advised(*splits, n=20, epochs=2):
    samples = [Sample(input="?", metadata={"item": item, "subset": "s"}) for item in range(n)]
    made = Simulation("knowno", samples, None, None)
    return module.advice_of("a/b", made, splits, epochs)


def error(items, wordings, epochs, wording=0.01):
    return math.sqrt(
        0.04 / items + wording / wordings + 0.02 / (items * wordings)
        + 0.08 / (items * wordings * epochs)
    )  # fmt: skip


def test_advice_is_reckoned_from_the_parts_of_the_variance():
    found = advised(split_of(10, 3, 0.04, 0.01, 0.02, 0.08, note="one epoch"))
    assert (found["model"], found["score"], found["asked"]) == ("a/b", "correct", Design(20, 3, 2))
    designs = {"": (20, 3, 2), "items": (40, 3, 2), "wordings": (20, 6, 2), "epochs": (20, 3, 4)}
    assert found["error"] == pytest.approx({more: error(*of) for more, of in designs.items()})
    designs.pop("wordings")
    assert found["these"] == pytest.approx({more: error(*of, 0.0) for more, of in designs.items()})
    assert [*found["shares"].values()] == pytest.approx([4 / 15, 1 / 15, 2 / 15, 8 / 15])
    assert ([*found["shares"]], found["reason"], found["note"]) == ([*PARTS], "", "one epoch")


def test_splits_weigh_as_many_items_as_they_rest_on():
    found = advised(
        split_of(1, 9, 1, 1, 1, 1, reason="too few"),
        split_of(10, 4, 0.08, 0.04, 0.08, 0.2), split_of(30, 3, 0.04, 0.0, 0.0, 0.0),
    )  # fmt: skip
    # A quarter of the first: 0.05, 0.01, 0.02 and 0.05.
    assert [*found["shares"].values()] == pytest.approx([5 / 13, 1 / 13, 2 / 13, 5 / 13])
    # Four wordings and three: 3.25.
    assert found["asked"] == Design(20, 3, 2)


@pytest.mark.whole
@cases("task", "own")
def test_the_planned_width_and_effect_are_in_the_metrics_unit(task, own):
    asked = simulation(task, items=6), "typical", 1, 0.1, 0.05, 2, Interval(resamples=40)
    found = next(module.widths(*asked))
    assert (found["wanted"], found["effect"]) == pytest.approx(own)


def test_a_part_of_the_samples_has_the_shares_of_the_whole():
    place = [("few", i) for i in range(10)] + [("many", i) for i in range(90)]
    about = [{"subset": subset, "item": f"{subset}{i}"} for subset, i in place for _ in range(3)]
    samples = [Sample(input="?", metadata=metadata) for metadata in about]
    part = part_of(Simulation("knowno", samples, None, None), 100).samples
    kept = [(s.metadata["subset"], s.metadata["item"]) for s in part]
    assert [len({i for s, i in kept if s == of}) for of in ("few", "many")] == [3, 30]
    assert len(kept) == 99
