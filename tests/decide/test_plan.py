"""Plans: what they count is what a run asks; what they expect is what a run shows."""

import json
import math

import numpy as np
import pytest
from inspect_ai.model import ModelCost

from askew.analysis import summarize
from askew.decide import plan as plan_module
from askew.decide import plan as workload_module
from askew.decide import simulation as module
from askew.decide.documents import plan_document
from askew.decide.plan import Load, plan, read_prices
from askew.decide.simulation import simulation
from askew.files import YamlFileError
from askew.papers import get_paper, names
from askew.papers.knowno.paper import CORE_HINTS
from askew.report.render import terminal_text
from askew.stats.tables import Interval
from tests.cases import cases

QUICK = Interval(resamples=100)


@pytest.fixture(autouse=True)
def _no_model_data(monkeypatch):
    """Looking a model up may load its provider's package; here only our own table counts."""
    monkeypatch.setattr(workload_module, "get_model_info", lambda model: None)


MADE = {}


@pytest.fixture(autouse=True)
def _samples_made_once(monkeypatch):
    """Plans of the same samples need not make them and read replies to them anew."""

    def made(task, /, **parameters):
        key = task, json.dumps(parameters, sort_keys=True)
        if key not in MADE:
            MADE[key] = simulation(task, **parameters)
        return MADE[key]

    monkeypatch.setattr(plan_module, "simulation", made)


def of_bundled(task):
    return {} if task == "bend" else {"data": "bundled"}


def planned(task="knowno", models=("a/b",), **options):
    options.setdefault("parameters", {"items": 12})
    options.setdefault("seeds", 2)
    options = {**of_bundled(task), **options}
    return plan(task, models, interval=QUICK, **options)


def of(metric, result):
    """What a plan says of one headline."""
    return next(w for w in result["widths"] if w["metric"] == metric)


def load_of(result, role="model"):
    return next(e["load"] for e in result["expenses"] if e["role"] == role)


@pytest.mark.whole
@pytest.mark.parametrize("task", ["knowno", "instruction_boundary", "bend"])
def test_calls_are_those_that_a_run_makes(run, task):
    made = get_paper(task).make(items=5, **of_bundled(task))
    log = run(made, model="respondent/typical", epochs=2)
    calls = sum(len([e for e in s.events if e.event == "model"]) for s in log.samples)
    result = planned(task, parameters={"items": 5}, epochs=2)
    assert load_of(result).calls == calls
    assert result["n_samples"] * 2 == len(log.samples)


def test_a_plan_reckons_with_the_roles_that_are_bound(monkeypatch):
    def counted(*_):
        return {"model": Load(3, 40, 5), "grader": Load(2, 30, 1), "polisher": Load(1, 9, 9)}

    monkeypatch.setattr(plan_module, "workload", counted)
    without = planned(models=("a/b", "c/d", "a/b"), epochs=2, roles={"polisher": "p/q"})
    asked = [(e["model"], e["role"], e["load"]) for e in without["expenses"]]
    # Each model once, in every epoch; the others' calls are of both.
    assert asked == [
        ("a/b", "model", Load(6, 80, 10)), ("c/d", "model", Load(6, 80, 10)),
        ("", "grader", Load(8, 120, 4)), ("p/q", "polisher", Load(4, 36, 36)),
    ]  # fmt: skip


PRICE = ModelCost(input=2.0, output=10.0, input_cache_write=0.0, input_cache_read=0.0)


def test_cost_is_tokens_by_price():
    result = planned(prices={"a/b": PRICE})
    (expense,) = result["expenses"]
    by_hand = (2 * expense["load"].tokens_in + 10 * expense["load"].tokens_out) / 1e6
    assert expense["cost"] == result["cost"] == pytest.approx(by_hand)
    assert expense["price_from"] == "your table"
    assert planned(rate=24)["expenses"][0]["minutes"] == pytest.approx(12 * len(CORE_HINTS) / 24)


def test_an_unknown_price_is_no_price_not_a_free_model():
    result = planned(models=("a/b", "c/d"), prices={"a/b": PRICE})
    assert [e["cost"] is None for e in result["expenses"]] == [False, True]
    assert result["cost"] is None
    text = terminal_text(plan_document([result]))
    assert "no price known" in text
    assert "In all" not in text


@pytest.mark.whole
@pytest.mark.parametrize("task", names())
def test_the_expected_width_is_that_of_runs(task):
    """The mean over seeds of what the whole table says."""
    made = simulation(task, items=12, **of_bundled(task))
    alike = module.IN_CLUSTERS
    runs = [made.observations("typical", seed, alike=alike) for seed in range(2)]
    tables = [summarize(run, QUICK) for run in runs]
    widths = planned(task)["widths"]
    assert widths
    for width in widths:
        metric = next(m for m in tables[0]["metric"].unique() if width["metric"].startswith(m))
        if math.isnan(width["width"]):
            assert width["reason"]
            continue
        by_run = [t[t["metric"] == metric] for t in tables]
        seen = [r["high"].to_numpy() - r["low"].to_numpy() for r in by_run]
        assert np.isclose(np.nanmean(seen, axis=0), width["width"], rtol=0.02).any()


@pytest.mark.whole
def test_power_is_0_8_at_the_smallest_difference_shown():
    # Four times as many items show half of it, but for the two that compare makes up, which weigh
    # less among many, and more in a difference of two rates.
    asked = {"items": 60}
    width = of("discernment", planned(parameters=asked))
    same = of("discernment", planned(parameters=asked, effect=width["difference"]))
    assert same["power"] == pytest.approx(0.8, abs=0.01)
    assert same["n_for_effect"] == pytest.approx(60, abs=2)  # one cluster
    half = of("discernment", planned(parameters=asked, effect=width["difference"] / 2))
    assert half["power"] < 0.4
    assert 160 < half["n_for_effect"] <= 241


@cases("options", "told")
def test_an_impossible_plan_is_rejected(options, told):
    with pytest.raises((ValueError, OSError), match=told):
        planned(**options)


def test_prices_are_read_as_inspect_reads_them(tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text("a/b: {input: 1, output: 2.5}\nc/d: {input: 0, output: 0}\n")
    table = read_prices(path)
    assert table["a/b"] == ModelCost(input=1, output=2.5, input_cache_write=0, input_cache_read=0)


@cases("text", "told")
def test_a_wrong_price_table_is_rejected(tmp_path, text, told):
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(YamlFileError, match=told):
        read_prices(path)
