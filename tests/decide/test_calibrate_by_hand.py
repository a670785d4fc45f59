"""A calibration step by step, on measurements that are made by hand."""

import math
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from askew.decide import calibrate as calibrate_module
from askew.decide.calibrate import (
    Certificate,
    binomial_tail,
    calibrate,
    flagged,
    repetitions_for,
)
from askew.papers import asked_for
from askew.respondents.answering import Expectation
from askew.respondents.provider import Answerer
from askew.statistics.tables import Interval

NAN = math.nan


def certificate(*rows, repetitions=40):
    return Certificate(pd.DataFrame(rows), 0.95, ("mine",), repetitions)


def test_a_certificate_is_empty_where_nothing_is_said():
    bare = Certificate(pd.DataFrame(), 0.95, ())
    assert (bare.repetitions, bare.needed, bare.unseen, bare.judged) == (0, 0, {}, ())
    assert "table" not in repr(bare)
    assert "level=0.95" in repr(bare)


def test_what_a_certificate_sees_hangs_on_how_many_tests_its_rows_are_put_to():
    row = {"verdict": "holds", "tested": 0}
    assert certificate(row).sees(0.85) == flagged(40, 0.95, 0.85, 1)
    # One row with p-values is put to three tests.
    both = certificate(row, row | {"tested": 1})
    assert both.sees(0.85) == flagged(40, 0.95, 0.85, 4) < flagged(40, 0.95, 0.85, 1)
    assert Certificate(pd.DataFrame(), 0.95, (), 40).sees(0.85) == flagged(40, 0.95, 0.85, 1)


def test_the_smallest_gap_is_told_to_a_thousandth():
    gap = certificate({"verdict": "holds", "tested": 0}, repetitions=100).smallest_gap
    assert gap == round(gap, 3)
    assert flagged(100, 0.95, 0.95 - gap, 1) >= 0.9 > flagged(100, 0.95, 0.95 - gap + 0.001, 1)
    assert math.isnan(certificate(repetitions=1).smallest_gap)
    # Two of two have to miss: where all but one in a thousand do, it shows.
    assert certificate(repetitions=2).smallest_gap == pytest.approx(0.95 - 0.051, abs=0.001)


def test_chances_are_those_of_coins():
    assert calibrate_module._chances(2, 0.5).tolist() == pytest.approx([0.25, 0.5, 0.25])
    assert calibrate_module._chances(2, 0.9).tolist() == pytest.approx([0.01, 0.18, 0.81])
    assert calibrate_module._chances(0, 0.9).tolist() == [1.0]
    assert binomial_tail(6, 6, 0.5) == 1.0
    assert binomial_tail(1, 2, 0.9) == pytest.approx(0.19)


def test_what_is_as_rare_as_the_limit_is_not_called_off(monkeypatch):
    rare = float(np.cumsum(calibrate_module._chances(5, 0.9))[1])
    monkeypatch.setattr(calibrate_module, "_RARE", rare)
    assert flagged(5, 0.9, 0.5, 1) == pytest.approx(1 / 32)
    monkeypatch.setattr(calibrate_module, "_RARE", rare * 1.01)
    assert flagged(5, 0.9, 0.5, 1) == pytest.approx(6 / 32)
    assert flagged(5, 0.9, 0.5, 2) == pytest.approx(1 / 32)


@pytest.mark.parametrize(("coverage", "level"), [(0.0, 0.95), (0.95, 0.95), (-0.1, 0.95)])
def test_a_coverage_lies_between_nothing_and_the_level(coverage, level):
    told = f"coverage={coverage}: give one between 0 and the level, {level}"
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        repetitions_for(level, coverage, 0.9, 1)


def test_one_repetition_less_does_not_show_it():
    for coverage, power in ((0.5, 0.9), (0.8, 0.5), (0.88, 0.9)):
        n = repetitions_for(0.95, coverage, power, 3)
        assert flagged(n, 0.95, coverage, 3) >= power > flagged(n - 1, 0.95, coverage, 3)
    # Both of two have to miss, by chance once in 400; one that misses is one in 20.
    assert repetitions_for(0.95, 0.01, 0.98, 3) == 2
    assert flagged(2, 0.95, 0.01, 3) == pytest.approx(0.9801)


def test_as_many_repetitions_are_made_as_it_takes():
    assert [repetitions_for(0.95, 0.88, 0.9, rows) for rows in (1, 40, 600)] == [194, 325, 416]
    assert [repetitions_for(0.9, 0.5, 0.9, rows) for rows in (1, 40)] == [17, 26]


def test_a_chance_that_just_reaches_the_power_is_enough(monkeypatch):
    chances = {1: 0.1, 2: 0.2, 3: 0.9, 4: 0.9}
    monkeypatch.setattr(calibrate_module, "flagged", lambda n, *_: chances.get(n, 0.95))
    assert repetitions_for(0.95, 0.88, 0.9, 1) == 3
    assert certificate({"verdict": "holds", "tested": 0}, repetitions=3).smallest_gap == 0.001


def test_a_row_that_is_just_as_rare_as_the_limit_holds(monkeypatch):
    row = {"given": 20, "held": 14, "tested": 0, "alarms": 0, "excess": NAN}
    rare = binomial_tail(14, 20, 0.95)
    for limit, verdict in ((rare, "holds"), (1.01 * rare, "off")):
        monkeypatch.setattr(calibrate_module, "_RARE", limit)
        judged = calibrate_module._judged(pd.DataFrame([row]), 0.95)
        assert judged["verdict"].tolist() == [verdict]


def test_verdicts_stand_beside_their_rows_whatever_these_are_called():
    whole = {"given": 20, "held": 20, "tested": 0, "alarms": 0, "excess": NAN}
    rows = pd.DataFrame([whole, whole | {"held": 0}], index=[7, 3])
    judged = calibrate_module._judged(rows, 0.95)
    assert judged["verdict"].to_dict() == {7: "holds", 3: "off"}
    assert judged["verdict"].dtype == object
    none = calibrate_module._judged(pd.DataFrame(), 0.95)
    assert (len(none), none["verdict"].dtype) == (0, object)


def test_together_rows_are_called_off_by_chance_once_in_a_hundred():
    assert [calibrate_module._limit(rows) for rows in (0, 1, 4)] == [0.01, 0.01, 0.0025]


def test_very_many_repetitions_see_a_thousandth():
    assert certificate({"verdict": "holds", "tested": 0}, repetitions=900_000).smallest_gap == 0.001


def test_rows_with_a_null_are_put_to_two_tests_more():
    planted = [Expectation("a", 1.0), Expectation("b", 1.0, null=True), Expectation("c", 0.0)]
    assert calibrate_module._n_tests(planted) == 5
    assert calibrate_module._n_tests([]) == 0


# --- What is planted, and how it is measured -----------------------------------------------------


def test_runs_are_certain_where_all_of_their_numbers_are_equal():
    same, other = np.array([[0.5, NAN]]), np.array([[0.5, 0.1]])
    certain = calibrate_module._is_certain
    assert certain([same, same.copy(), same.copy()])
    assert not certain([same, same, other])
    assert not certain([other, same])
    assert certain([same])


def made_of(monkeypatch, planted):
    """Simulations of a task with two sets of parameters; what each plants for a respondent."""
    asked = []

    def simulation(task, **parameters):
        asked.append((task, parameters))
        return f"made with {parameters}"

    def planted_in(made, respondent, overrides):
        return planted[made, respondent]

    monkeypatch.setattr(calibrate_module, "simulation", simulation)
    monkeypatch.setattr(calibrate_module, "_planted", planted_in)
    return asked


def test_what_was_planted_by_default_is_not_planted_again(monkeypatch):
    a, b, at, c = (
        Expectation("a", 1.0), Expectation("b", 1.0), Expectation("a", 1.0, {"x": "y"}),
        Expectation("c", 1.0),
    )  # fmt: skip
    first, second, third = (f"made with {p}" for p in (
        {"items": 7}, {"items": 7, "more": 1}, {"items": 7, "most": 2}))  # fmt: skip
    planted = {
        (first, "one"): [a], (first, "two"): [], (second, "one"): [a, at, b],
        (second, "two"): [a], (third, "one"): [a, b, at], (third, "two"): [a, c],
    }  # fmt: skip
    asked = made_of(monkeypatch, planted)
    answerer = Answerer(print, {}, also=({"more": 1}, {"most": 2}))
    found = [*calibrate_module._planned("t", answerer, ["one", "two"], 7, {})]
    assert found == [
        (first, "one", [a]), (second, "one", [at, b]), (second, "two", [a]), (third, "two", [c]),
    ]  # fmt: skip
    assert asked == [
        ("t", {"items": 7}), ("t", {"items": 7, "more": 1}), ("t", {"items": 7, "most": 2}),
    ]  # fmt: skip


def test_what_is_not_a_number_is_not_planted(monkeypatch):
    def expected(truths, tendencies):
        return [Expectation("a", 0.5), Expectation("b", NAN), Expectation(truths, tendencies)]

    monkeypatch.setattr(calibrate_module, "tendencies_of", lambda *about: 0.25 * len(about))
    made = SimpleNamespace(answerer=Answerer(print, {}, expected), truths=lambda: "truths")
    found = calibrate_module._planted(made, "even", {})
    assert [(e.metric, e.value) for e in found] == [("a", 0.5), ("truths", 0.75)]
    none = SimpleNamespace(answerer=Answerer(print, {}), truths=lambda: "truths")
    assert calibrate_module._planted(none, "even", {}) == []


def measured(monkeypatch, planted, rows, columns=("metric", "subset", "category", "value")):
    table = pd.DataFrame(rows, columns=[*columns, "low", "high", "n_items", "null_p",
                                        "without_noise"])  # fmt: skip
    paper = SimpleNamespace(table=lambda run, interval, **pooled: table, pooled={})
    monkeypatch.setattr(calibrate_module, "asked_for", lambda task: paper)
    return calibrate_module._measured("t", pd.DataFrame({"x": [1]}), planted, Interval(10))


def test_a_number_is_read_where_it_was_planted(monkeypatch):
    rows = [
        ("a", "all", "one", 0.1, 0.0, 0.2, 10, 0.5, 0.05),
        ("a", "s", "one", 0.2, 0.1, 0.3, 5, 1, 0),
        ("b", "all", "one", 0.3, NAN, NAN, 10, NAN, NAN),
    ]  # fmt: skip
    planted = [Expectation("b", 0.0), Expectation("a", 0.0, {"subset": "s"}), Expectation("a", 0.0)]
    found = measured(monkeypatch, planted, rows)
    # Value, low, high, items, p-value, without noise.
    np.testing.assert_array_equal(
        found,
        [[0.3, NAN, NAN, 10, NAN, NAN], [0.2, 0.1, 0.3, 5, 1, 0], [0.1, 0.0, 0.2, 10, 0.5, 0.05]],
    )
    with pytest.raises(ValueError, match=r"^t: no number a at {'subset': 'u'} in the table$"):
        measured(monkeypatch, [Expectation("a", 0.0, {"subset": "u"})], rows)
    with pytest.raises(ValueError, match=r"^t: no number c at {} in the table$"):
        measured(monkeypatch, [Expectation("c", 0.0)], rows)


def test_a_run_without_rows_measures_nothing():
    planted = [Expectation("a", 0.0)] * 2
    found = calibrate_module._measured("knowno", pd.DataFrame(), planted, Interval(10))
    np.testing.assert_array_equal(found, [[NAN, NAN, NAN, 0, NAN, NAN]] * 2)


def test_a_value_is_held_by_a_bound_that_is_off_by_rounding():
    value, off = 0.5, 1e-9
    planted = [Expectation("a", value)]
    runs = [
        (value, value + off, 0.9), (value, 0.1, value - off), (value, value + 2 * off, 0.9),
        (value, 0.1, value - 2 * off),
    ]  # fmt: skip
    arrays = [np.array([[*run, 3, NAN, NAN]]) for run in runs]
    (row,) = calibrate_module._compared("t", "even", planted, arrays)
    assert (row["held"], row["given"], row["coverage"]) == (2, 4, 0.5)
    (one,) = calibrate_module._compared("t", "even", planted, arrays[:1])
    assert math.isnan(one["deviation"])
    assert one["measured"] == 0.5
    (two,) = calibrate_module._compared("t", "even", planted, arrays[:2])
    assert two["deviation"] == 0.0


def test_levels_that_say_nothing_are_not_told():
    planted = [Expectation("a", 0.0, {"x": "one", "y": "", "z": "two"})]
    arrays = [np.array([[0.1, NAN, NAN, 3, NAN, NAN]])]
    (row,) = calibrate_module._compared("t", "even", planted, arrays)
    assert row["levels"] == "x=one, z=two"


def test_metrics_that_no_row_checks_have_the_reason():
    table = pd.DataFrame({"task": ["format_bias", "knowno"], "metric": ["fi", "bias_f"]})
    unseen = calibrate_module._unseen("format_bias", table)
    declared = {m.name: m.unplanted for m in asked_for("format_bias").metrics}
    default = "not asked of these respondents, or not by default"
    assert unseen == {name: why or default for name, why in declared.items() if name != "fi"}
    assert default in unseen.values()
    assert set(calibrate_module._unseen("format_bias", pd.DataFrame())) == set(declared)


def test_respondents_are_those_asked_for_or_each_that_differs():
    answerer = Answerer(print, {"oracle": 1, "typical": 2, "even": 1, "nay": 3})
    assert calibrate_module._respondents(answerer, None) == ["oracle", "typical", "nay"]
    assert calibrate_module._respondents(answerer, ["even", "mute"]) == ["even", "mute"]
    with pytest.raises(ValueError, match=r"^no respondent 'hal'; there are: oracle, .*, \w+$"):
        calibrate_module._respondents(answerer, ["oracle", "hal", "cal"])


def test_a_task_without_planted_values_is_refused_by_name(monkeypatch):
    known = {"knowno": Answerer(print, {}, print), "mathcomp": Answerer(print, {}, None)}
    monkeypatch.setattr(calibrate_module, "answerer_of", known.get)
    assert calibrate_module._answerers() == {"knowno": known["knowno"]}
    assert calibrate_module._answerers(["askew/knowno"]) == {"knowno": known["knowno"]}
    told = r"^no planted values are declared for mathcomp, bend$"
    with pytest.raises(ValueError, match=told):
        calibrate_module._answerers(["mathcomp", "knowno", "bend"])


# --- A whole calibration -------------------------------------------------------------------------


@pytest.fixture
def simulated(monkeypatch):
    """Two simulations, of which one's numbers never vary, and what they are asked."""
    asked = []

    def of(task, vary):
        def observations(respondent, seed, overrides):
            asked.append((task, respondent, seed, overrides))
            return 0.5 + vary * (seed % 2) / 100

        return SimpleNamespace(task=task, observations=observations)

    def planned(task, answerer, respondents, items, overrides):
        assert (items, overrides) == (asked[0] if asked else (120, None))
        yield of(task, 0), "certain", [Expectation("gap", 0.5), Expectation("with_gold", 0.5)]
        yield of(task, 1), "varied", [Expectation("gap", 0.5, null=True)]

    def measured(task, run, planted, how):
        asked.append(how.resamples)
        return np.array([[run, run - 0.1, run + 0.1, 30, NAN, NAN]] * len(planted))

    answerer = Answerer(print, {"oracle": 1}, print)
    monkeypatch.setattr(calibrate_module, "_answerers", lambda tasks=None: {"knowno": answerer})
    monkeypatch.setattr(calibrate_module, "_planned", planned)
    monkeypatch.setattr(calibrate_module, "_measured", measured)
    return asked


def test_who_never_varies_is_asked_five_times_and_the_others_as_often_as_it_takes(simulated):
    told = []
    made = calibrate(progress=lambda *step: told.append(step))
    # Two rows of one test, and one of three.
    needed = repetitions_for(0.95, 0.88, 0.9, 5)
    assert (made.repetitions, made.needed, made.level) == (needed, needed, 0.95)
    runs = [one for one in simulated if isinstance(one, tuple)]
    assert runs == [
        *(("knowno", "certain", seed, None) for seed in range(5)),
        *(("knowno", "varied", seed, None) for seed in range(needed)),
    ]
    assert set(simulated) - set(runs) == {1_000}
    assert [step[:2] for step in told] == [(n, 2 * needed) for n in range(1, 2 * needed + 1)]
    assert {step[2] for step in told[:needed]} == {"knowno, certain"}
    assert {step[2] for step in told[needed:]} == {"knowno, varied"}
    about = made.table[["respondent", "metric", "repetitions", "verdict"]].values.tolist()
    assert about == [
        ["certain", "gap", 5, "holds"], ["certain", "with_gold", 5, "holds"],
        ["varied", "gap", needed, "holds"],
    ]  # fmt: skip
    assert made.judged == ("knowno",)
    assert "omni_accuracy" in made.unseen["knowno"]
    assert "gap" not in made.unseen["knowno"]
    assert made.uncovered == tuple(t for t in calibrate_module.names() if t != "knowno")


def test_repetitions_and_intervals_may_be_chosen(simulated):
    made = calibrate(repetitions=7, interval=Interval(resamples=20, level=0.9))
    assert made.table["repetitions"].tolist() == [5, 5, 7]
    assert (made.repetitions, made.level) == (7, 0.9)
    assert made.needed == repetitions_for(0.9, 0.88, 0.9, 5)
    assert {one for one in simulated if not isinstance(one, tuple)} == {20}
    simulated[:] = [(6, {"knows": 1})]
    calibrate(repetitions=1, items=6, overrides={"knows": 1})
    assert [one[2:] for one in simulated[1:] if isinstance(one, tuple)] == [(0, {"knows": 1})] * 2
    with pytest.raises(ValueError, match=r"^repetitions=0: run at least once$"):
        calibrate(repetitions=0)


def test_the_terminal_is_told_only_where_that_is_asked_for(simulated, terminal):
    calibrate(repetitions=1)
    assert terminal.getvalue() == ""
    simulated.clear()
    calibrate(repetitions=1, quiet=False)
    assert terminal.getvalue().startswith("\rcalibrating: 1 of 2 (knowno, certain)")
