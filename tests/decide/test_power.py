"""What a run of so many items would show, worked by hand on a few seeds."""

import math
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from inspect_ai.dataset import Sample

from askew.decide import power as power_module
from askew.decide.power import (
    Advice,
    Width,
    Wish,
    advice_of_logs,
    headlines,
    n_items,
    part_of,
    simulated_advice,
    widths,
)
from askew.decide.simulation import Simulation, simulation
from askew.papers import asked_for, metric_of
from askew.schema import PERCENT
from askew.statistics.p_values import difference_shown, power_of, units_needed
from askew.statistics.paired import Paired
from askew.statistics.tables import Interval
from askew.statistics.variance import PARTS, Design, Part, Split

NAN = math.nan
Z = NormalDist().inv_cdf(0.8)
# Intervals of 20, 30 and 30 points of 100.
RUNS = {
    "value": [0.5, 0.6, 0.7], "low": [0.4, 0.5, 0.6], "high": [0.6, 0.8, 0.9],
    "deviation": [0.3, 0.4, 0.5], "most": [1.0] * 3, "n_units": [20] * 3, "noise_off": [0.0] * 3,
}  # fmt: skip


def rows_of(**columns):
    """A headline's row in every seed, with what is not given unknown."""
    n = len(columns["low"])
    rows = pd.DataFrame({"n_items": [40] * n, "reason": [""] * n, **columns})
    return rows.reindex(columns=[*power_module._READ])


NOTHING = Wish()


def width_of(task="knowno", metric="omni_accuracy", scale=0.4, wish=NOTHING, level=0.9, **columns):
    declared = metric_of(task, metric)
    rows = rows_of(**RUNS | columns)
    return power_module._width(metric, declared, rows, scale, wish, level)


def jackknifed(of, runs):
    """The standard error of a number, by how it moves when each seed is left out."""
    left = [of(np.delete(runs, i, axis=0)) for i in range(len(runs))]
    mean = sum(left) / len(left)
    return math.sqrt((len(left) - 1) / len(left) * sum((x - mean) ** 2 for x in left))


def test_what_is_not_known_of_a_width_is_not_a_number():
    bare = Width("a", PERCENT, 3, 0.5, 0.1)
    errors = ("width_error", "n_needed_error", "difference", "difference_error", "beside_noise",
              "beside_noise_error", "power", "power_error", "n_for_effect_error")  # fmt: skip
    for name in errors:
        assert math.isnan(getattr(bare, name)), name
    assert (bare.wanted, bare.n_needed, bare.effect, bare.n_for_effect) == (None,) * 4
    assert bare.reason == ""
    assert Wish() == Wish(None, None)


def test_the_error_of_a_mean_is_its_standard_error():
    runs = np.array([[1.0], [2.0], [4.0]])
    value, error = power_module._over_seeds(runs, lambda runs: float(runs.mean()))
    assert value == pytest.approx(7 / 3)
    # The variance is 7/3, of three.
    assert error == pytest.approx(math.sqrt(7 / 9))
    assert math.isnan(power_module._over_seeds(runs[:1], lambda runs: 1.0)[1])
    assert power_module._over_seeds(runs[:2], lambda runs: float(runs.mean())) == (1.5, 0.5)


def test_widths_are_carried_over_to_the_whole_set_with_their_errors():
    found = width_of(wish=Wish(width=0.05))
    assert (found.metric, found.unit.name, found.n_items) == ("omni_accuracy", "%", 250)
    assert (found.value, found.wanted, found.effect) == (pytest.approx(0.6), 0.05, None)
    # 8, 12 and 12 points: their mean, and its standard error.
    assert found.width == pytest.approx(0.32 / 3)
    assert found.width_error == pytest.approx(0.04 / 3)
    assert found.n_needed == math.ceil(250 * (0.32 / 3 / 0.05) ** 2) == 1_138
    # Without one seed it is 1,440 or 1,000 twice.
    assert found.n_needed_error == pytest.approx(440 * 2 / 3)
    assert (found.reason, found.n_for_effect) == ("", None)
    assert math.isnan(found.power)
    assert width_of(scale=1.0, n_items=[40, 41, 45]).n_items == 42
    assert width_of().n_needed is None


def test_comparisons_count_units_and_ask_for_items():
    """Two items a unit: 250 items are 125 units."""
    found = width_of(wish=Wish(effect=0.1))
    runs = rows_of(**RUNS)[[*power_module._RUNS]].to_numpy(float)

    def unit(runs):
        return power_module._unit_difference(runs, seen=20, noisy=False)

    for name, of in {
        "difference": lambda runs: difference_shown(125, unit(runs), 1 - 0.9),
        "power": lambda runs: power_of(125, 0.1, unit(runs), 1 - 0.9),
    }.items():
        assert getattr(found, name) == pytest.approx(of(runs)), name
        error = getattr(found, f"{name}_error")
        assert error == pytest.approx(jackknifed(of, runs)), name
        assert error > 0

    def items(runs):
        return 2 * units_needed(0.1, unit(runs), 1 - 0.9)

    assert found.n_for_effect == items(runs)
    assert found.n_for_effect_error == pytest.approx(jackknifed(items, runs))
    assert found.effect == 0.1
    assert found.n_needed is None


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_what_one_pair_of_runs_alone_knows_has_no_error():
    one = {"deviation": [0.5, NAN, NAN], "most": [1.0, NAN, NAN], "n_units": [20, NAN, NAN]}
    found = width_of(wish=Wish(effect=0.1), **one)
    unit = unit_of(False, **one)
    assert unit.deviation == pytest.approx(math.sqrt((22 * 0.25 - 2) / 20))
    assert found.difference == pytest.approx(difference_shown(125, unit, 1 - 0.9))
    assert found.n_for_effect == 2 * units_needed(0.1, unit, 1 - 0.9)
    for name in ("difference_error", "power_error", "n_for_effect_error"):
        assert math.isnan(getattr(found, name)), name


def test_without_pairs_of_runs_no_difference_is_known():
    found = width_of(deviation=[NAN] * 3, wish=Wish(effect=0.1))
    assert math.isnan(found.difference)
    assert math.isnan(found.power)
    assert found.n_for_effect is None
    assert found.width == pytest.approx(0.32 / 3)


@pytest.mark.parametrize(
    ("low", "reasons", "told"),
    [
        # Where half of the runs have an interval, that is enough.
        ([0.4, 0.5, NAN, NAN], ["", "", "few", "few"], ""),
        ([0.4, NAN, NAN, NAN], ["", "", "few", "fewer"], "few"),
        ([NAN] * 4, [""] * 4, "too few items for an interval"),
    ],
)
def test_a_number_that_mostly_has_no_interval_has_the_reason(low, reasons, told):
    rows = rows_of(value=[0.5, 0.6, 0.7, 0.6], low=low, high=[0.9] * 4, reason=reasons)
    declared = metric_of("knowno", "omni_accuracy")
    found = power_module._width("omni_accuracy", declared, rows, 1.0, Wish(0.1, 0.2), 0.9)
    assert found.reason == told
    assert math.isnan(found.width) == bool(told)
    assert (found.n_items, found.value) == (40, pytest.approx(0.6))
    assert (found.wanted, found.effect) == (0.1, 0.2)
    assert (found.n_needed is None) == bool(told)


def test_the_value_beyond_noise_lies_a_part_of_its_spread_above_what_noise_shows():
    found = width_of("binary_qa", "stdev_f1", null_high=[0.3] * 3)
    assert found.beside_noise == pytest.approx(0.4 * (0.3 + Z * 0.1))
    # Of two seeds the spread is 0.071 or 0.141.
    assert found.beside_noise_error == pytest.approx(0.4 * Z * math.sqrt(0.02 / 9))


def test_squares_are_taken_as_distances():
    found = width_of("format_bias", "bias_f", value=[25.0, 36.0, 49.0], null_high=[9.0] * 3)
    assert found.beside_noise == pytest.approx((0.4 * (3 + Z)) ** 2)
    assert found.beside_noise_error > 0
    beside = power_module._beside_noise
    below = np.array([[-1.0, 0, 0, -1.0], [0.25, 0, 0, 0.25]])
    # What is below zero by chance is zero: roots are 0 and a half.
    assert beside(below, True, 1.0) == pytest.approx((0.25 + Z * math.sqrt(0.125)) ** 2)


@pytest.mark.parametrize(
    ("task", "metric"),
    [("knowno", "discernment"), ("knowno", "omni_accuracy"), ("binary_qa", "mbs")],
)
def test_what_noise_does_not_raise_has_no_value_beyond_it(task, metric):
    found = width_of(task, metric, null_high=[0.3] * 3)
    assert math.isnan(found.beside_noise)
    assert math.isnan(found.beside_noise_error)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_one_seed_alone_knows_no_value_beyond_noise():
    beside = power_module._beside_noise
    assert math.isnan(beside(np.array([[0.5, 0, 0, 0.3], [NAN, 0, 0, 0.3]]), False, 1.0))
    assert math.isnan(beside(np.array([[0.5, 0, 0, NAN], [0.6, 0, 0, NAN]]), False, 1.0))
    known = beside(np.array([[0.5, 0, 0, 0.3], [0.5, 0, 0, NAN]]), False, 1.0)
    assert known == pytest.approx(0.3)


def unit_of(noisy=True, **columns):
    runs = rows_of(**RUNS | columns)[[*power_module._RUNS]].to_numpy(float)
    return power_module._unit_difference(runs, seen=20, noisy=noisy)


@pytest.mark.parametrize("most", [[0.5] * 3, [0.25, 0.5, 0.75]])
def test_the_two_units_that_are_made_up_weigh_by_how_far_a_unit_can_lie_apart(most):
    found = unit_of(False, most=most)
    mean_square = (0.09 + 0.16 + 0.25) / 3
    assert found.most == 0.5
    assert found.deviation == pytest.approx(math.sqrt((22 * mean_square - 2 * 0.25) / 20))
    noisy = unit_of(True, most=most)
    assert noisy.spread == pytest.approx(math.sqrt(40) * 0.1 / found.deviation)


def test_a_unit_that_never_differs_has_no_spread():
    # The two that are made up explain all of it.
    none = unit_of(deviation=[0.3] * 3)
    assert (none.deviation, none.most, none.spread) == (0.0, 1.0, 1.0)
    unknown = unit_of(deviation=[NAN] * 3)
    assert math.isnan(unknown.deviation)
    assert math.isnan(unknown.most)
    two = unit_of(value=[0.5, 0.7, NAN])
    assert two.spread == pytest.approx(math.sqrt(40 * 0.02) / two.deviation)
    few = unit_of(value=[0.5, NAN, NAN])
    assert (few.deviation > 0, few.spread) == (True, 1.0)
    # Noise is taken off where most of the seeds' comparisons do so.
    off = unit_of(noise_off=[1.0, 1.0, 0.0], without_noise=[0.1, 0.1, 0.1])
    assert off.spread == pytest.approx(0.0)
    assert unit_of(noise_off=[1.0, 0.0, NAN], without_noise=[0.1] * 3).spread > 0


# --- Parts of a set ------------------------------------------------------------------------------


def asked(*items, subset="s"):
    return [Sample(input="?", metadata={"item": item, "subset": subset}) for item in items]


def made_of(samples, task="knowno"):
    return Simulation(task, samples, None, None)


def test_items_are_counted_set_by_set_and_once():
    assert n_items([*asked("a", "a", "b"), *asked("a", subset="t")]) == 3
    assert n_items([]) == 0


@pytest.mark.parametrize(
    ("most", "kept"),
    [(6, "aabbcc"), (7, "aabbcc"), (5, "aabb"), (4, "aabb"), (3, "aa"), (2, "aa"), (1, "a")],
)
def test_a_part_is_of_whole_items_unless_there_is_not_even_one(most, kept):
    whole = made_of(asked(*"aabbcc"))
    part = part_of(whole, most)
    assert "".join(s.metadata["item"] for s in part.samples) == kept
    assert (part is whole) == (kept == "aabbcc")
    assert part.task == "knowno"


def test_a_headline_is_a_metric_or_one_at_a_level():
    table = pd.DataFrame(
        [
            ("bias_f", "mcq", "all", 1.0), ("bias_f", "list", "all", 2.0),
            ("bias_f", "list", "json", 3.0), ("bias_f", "odd", "all", 4.0),
            ("fi", "mcq", "all", 5.0),
        ],
        columns=["metric", "category", "format", "value"],
    )  # fmt: skip
    found = headlines("format_bias", table)
    assert dict(zip(found["headline"], found["value"], strict=True)) == {
        "bias_f_mcq": 1.0, "bias_f_list": 2.0,
    }  # fmt: skip
    rows = [(m, s, 1.0) for m in ("omni_accuracy", "gap") for s in ("all", "mctest")]
    found = headlines("knowno", pd.DataFrame(rows, columns=["metric", "subset", "value"]))
    assert found[["headline", "subset"]].values.tolist() == [["omni_accuracy", "all"]]


# --- Runs ----------------------------------------------------------------------------------------

QUICK = Interval(resamples=40)


def told_of(monkeypatch, made, **options):
    """What the headlines' numbers are made of."""
    kept = {}

    def noted(name, declared, rows, scale, wish, level):
        kept[name] = rows
        return declared.name, scale, wish, level

    monkeypatch.setattr(power_module, "_width", noted)
    about = {"epochs": 1, "wish": Wish(0.1), "seeds": 3, "interval": QUICK} | options
    return [*widths(made, "typical", **about)], kept


def test_every_seed_is_a_run_and_every_second_one_is_compared_with_the_one_before(monkeypatch):
    made, done = simulation("knowno", items=6), []
    said, kept = told_of(monkeypatch, made, on_done=done.append)
    assert said == [(name, 1.0, Wish(0.1), 0.95) for name in asked_for("knowno").headlines]
    assert done == ["knowno, run 1", "knowno, run 2", "knowno, run 3"]
    assert [*kept] == ["omni_accuracy", "discernment"]
    runs = [made.observations("typical", seed) for seed in range(3)]
    paper = asked_for("knowno")
    pair = pd.concat([runs[0].assign(model=""), runs[1]])
    paired = Paired(40, 0.95, 0, "", lambda name: metric_of("knowno", name))
    beside = headlines("knowno", paper.table(pair, interval=paired, **paper.pooled))
    for name, rows in kept.items():
        of_runs = [
            headlines("knowno", paper.table(run, interval=QUICK, **paper.pooled)) for run in runs
        ]
        for column in ("value", "low", "high", "n_items"):
            seen = [float(t[t["headline"] == name][column].iloc[0]) for t in of_runs]
            assert rows[column].tolist() == pytest.approx(seen, nan_ok=True), column
        for column in ("deviation", "most", "n_units", "noise_off"):
            first, second, third = rows[column].tolist()
            row = beside[beside["headline"] == name].iloc[0]
            assert second == pytest.approx(row[column], nan_ok=True), column
            assert pd.isna(first)
            assert pd.isna(third)
    told_of(monkeypatch, made, seeds=2)


def test_a_headline_that_no_pair_has_is_told_without_differences(monkeypatch):
    """Of three tables the last is of both runs."""
    told = {"metric": "omni_accuracy", "value": 0.5}
    tables = iter([{"a": told, "b": told}, {"a": {**told}, "b": {**told}}, {
        "a": {"deviation": 0.1, "most": 0.2, "n_units": 3, "noise_off": 0.0, "value": 9.0},
        "c": told,
    }])  # fmt: skip
    monkeypatch.setattr(power_module, "_by_headline", lambda task, table: next(tables))
    _, kept = told_of(monkeypatch, simulation("knowno", items=1), seeds=2)
    assert kept["a"]["deviation"].tolist()[1:] == [0.1]
    assert kept["a"]["value"].tolist() == [0.5, 0.5]
    assert kept["b"]["deviation"].isna().all()
    assert set(kept) == {"a", "b"}


def test_a_large_set_is_simulated_in_part(monkeypatch):
    monkeypatch.setattr(power_module, "MOST_SIMULATED", 48)
    made = simulation("knowno", items=8)
    # Of 48 samples, asked twice, 24 are answered: four items of eight.
    said, kept = told_of(monkeypatch, made, epochs=2, seeds=2)
    assert [scale for _, scale, *_ in said] == pytest.approx([math.sqrt(0.5)] * 2)
    assert set(kept["omni_accuracy"]["n_items"]) == {4}
    said, kept = told_of(monkeypatch, made, seeds=2)
    assert [scale for _, scale, *_ in said] == [1.0, 1.0]
    assert set(kept["omni_accuracy"]["n_items"]) == {8}


def test_a_thousand_samples_are_simulated_at_most(monkeypatch):
    most, whole = [], part_of

    def part(made, of):
        most.append(of)
        return whole(made, of)

    monkeypatch.setattr(power_module, "part_of", part)
    for epochs in (1, 3):
        told_of(monkeypatch, simulation("knowno", items=1), epochs=epochs, seeds=1)
    assert most == [1_000, 333]


def test_a_set_of_one_item_is_a_whole_set(monkeypatch):
    said, _ = told_of(monkeypatch, simulation("knowno", items=1), seeds=2)
    assert [scale for _, scale, *_ in said] == [1.0, 1.0]


# --- What to buy next ----------------------------------------------------------------------------


def split_of(items, wordings, *values, note="", reason=""):
    parts = {p: Part(v) for p, v in zip(PARTS, values, strict=True)}
    parts["resampling"] = Part(values[-1], reason=note)
    return Split(0.5, Design(items, wordings, 2), 0, NAN, parts, reason)


def advised(*splits, n=20, epochs=2):
    made = made_of(asked(*range(n)))
    return power_module._advice("a/b", made, splits, epochs)


def error(items, wordings, epochs, wording=0.01):
    return math.sqrt(
        0.04 / items + wording / wordings + 0.02 / (items * wordings)
        + 0.08 / (items * wordings * epochs)
    )  # fmt: skip


def test_advice_is_reckoned_from_the_parts_of_the_variance():
    found = advised(split_of(10, 3, 0.04, 0.01, 0.02, 0.08, note="one epoch"))
    assert (found.model, found.score, found.asked) == ("a/b", "correct", Design(20, 3, 2))
    assert found.error == {
        "": pytest.approx(error(20, 3, 2)),
        "items": pytest.approx(error(40, 3, 2)),
        "wordings": pytest.approx(error(20, 6, 2)),
        "epochs": pytest.approx(error(20, 3, 4)),
    }
    assert found.these == {
        "": pytest.approx(error(20, 3, 2, 0.0)),
        "items": pytest.approx(error(40, 3, 2, 0.0)),
        "epochs": pytest.approx(error(20, 3, 4, 0.0)),
    }
    assert found.shares == {
        "item": pytest.approx(4 / 15), "wording": pytest.approx(1 / 15),
        "item x wording": pytest.approx(2 / 15), "resampling": pytest.approx(8 / 15),
    }  # fmt: skip
    assert (found.reason, found.note) == ("", "one epoch")


def test_splits_weigh_as_many_items_as_they_rest_on():
    found = advised(
        split_of(1, 9, 1, 1, 1, 1, reason="too few"),
        split_of(10, 4, 0.08, 0.04, 0.08, 0.2), split_of(30, 3, 0.04, 0.0, 0.0, 0.0),
    )  # fmt: skip
    # A quarter of the first: 0.05, 0.01, 0.02 and 0.05.
    assert found.shares == {
        "item": pytest.approx(5 / 13), "wording": pytest.approx(1 / 13),
        "item x wording": pytest.approx(2 / 13), "resampling": pytest.approx(5 / 13),
    }  # fmt: skip
    # Four wordings and three: 3.25.
    assert found.asked == Design(20, 3, 2)


def test_answers_that_never_vary_have_no_shares():
    found = advised(split_of(10, 3, 0, 0, 0, 0))
    assert found.shares == dict.fromkeys(PARTS, 0.0)
    assert set(found.error.values()) == {0.0}


def test_without_a_split_the_reason_is_told():
    found = advised(split_of(1, 4, 0, 0, 0, 0, reason="one item"), epochs=3)
    assert found == Advice("a/b", "correct", Design(20, 1, 3), {}, {}, {}, "one item")
    assert advised().reason == "fewer than two wordings were asked"
    assert found.note == ""


def test_the_best_buy_has_the_smallest_error():
    found = advised(split_of(10, 3, 0.04, 0.01, 0.02, 0.08))
    assert found.best({"": 0.1, "items": 0.3, "wordings": 0.2, "epochs": 0.4}) == "wordings"
    assert found.best({"items": 0.3, "epochs": 0.2}) == "epochs"
    assert found.best({"": 0.1}) == ""


def test_a_simulated_model_is_asked_twice_by_three_seeds(monkeypatch):
    asked_of = []

    class Some:
        def observations(self, like, seed, epochs):
            asked_of.append((like, seed, epochs))
            return seed

    def part(made, most):
        asked_of.append(most)
        return Some()

    monkeypatch.setattr(power_module, "part_of", part)
    monkeypatch.setattr(power_module, "_splits", lambda task, run: [f"{task} {run}", "more"])
    monkeypatch.setattr(power_module, "_advice", lambda *about: about)
    made = made_of([])
    model, of, splits, epochs = simulated_advice(made, "typical", 4)
    assert asked_of == [500, ("typical", 0, 2), ("typical", 1, 2), ("typical", 2, 2)]
    assert (model, of is made, epochs) == ("respondent/typical", True, 4)
    assert splits == ["knowno 0", "more", "knowno 1", "more", "knowno 2", "more"]


def test_real_models_are_advised_one_by_one_on_the_task_s_own_rows():
    rows = [
        {"task": "knowno", "model": model, "subset": "s", "item": str(i), "unit": str(i),
         "hint": hint, "epoch": epoch, "run": "r", "outcome": "ok",
         "correct": float((i * shift + len(hint) + epoch) % 3 == 0)}
        for model, shift in (("b", 1), ("a", 2))
        for i in range(6) for hint in ("x", "yy") for epoch in (1, 2)
    ]  # fmt: skip
    both = pd.DataFrame(rows)
    made = made_of(asked(*range(5)))
    found = advice_of_logs(made, both, 3)
    assert [one.model for one in found] == ["b", "a"]
    assert {one.asked for one in found} == {Design(5, 2, 3)}
    for one in found:
        (alone,) = advice_of_logs(made, both[both["model"] == one.model], 3)
        assert alone.shares == pytest.approx(one.shares)
    assert advice_of_logs(made_of([], "mathcomp"), both, 3) == []
    assert advice_of_logs(made, both[:0], 3) == []
