"""Plans: what they count is what a run asks; what they expect is what a run shows."""

import json
import math

import pandas as pd
import pytest
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelCost

from askew.analysis import read_observations, summarize
from askew.decide import plan as plan_module
from askew.decide import workload as workload_module
from askew.decide.documents import plan_document
from askew.decide.plan import plan
from askew.decide.workload import Assumptions, Load, PriceError, read_prices, workload
from askew.papers import asked_for, names
from askew.report.terminal import terminal_text
from askew.report.writers import write_document
from askew.statistics.tables import Interval

QUICK = Interval(resamples=300)


@pytest.fixture(autouse=True)
def _no_model_data(monkeypatch):
    """Looking a model up may load its provider's package; here only our own table counts."""
    monkeypatch.setattr(workload_module, "get_model_info", lambda model: None)


def planned(task="knowno", models=("a/b",), **options):
    options.setdefault("parameters", {"items": 12})
    return plan(task, models, interval=QUICK, **options)


def shown(result):
    return terminal_text(plan_document([result]))


def load_of(result, role="model"):
    return next(e.load for e in result.expenses if e.role == role)


@pytest.mark.parametrize("task", names())
def test_calls_are_those_that_a_run_makes(run, task):
    log = run(asked_for(task).make(items=5), model="respondent/typical", epochs=2)
    calls = sum(len([e for e in s.events if e.event == "model"]) for s in log.samples)
    result = planned(task, parameters={"items": 5}, epochs=2)
    assert load_of(result).calls == calls
    assert result.n_samples * 2 == len(log.samples)


@pytest.mark.parametrize("task", names())
def test_tokens_in_are_those_that_a_simulated_model_counts(run, task):
    """Respondents count four characters a token too: what differs are the marks of messages."""
    log = run(asked_for(task).make(items=5), model="respondent/oracle")
    (usage,) = log.stats.model_usage.values()
    exact = Assumptions(message_tokens=0, shown_reasoning=0, answer_tokens=0)
    result = planned(task, parameters={"items": 5}, assumptions=exact)
    assert load_of(result).tokens_in == pytest.approx(usage.input_tokens, rel=0.03)


def test_a_second_turn_reads_the_first_one_again():
    sample = Sample(
        input="x" * 400, target="yes", id="a",
        metadata={"item": "a", "subset": "s", "reflection": "y" * 40},
    )  # fmt: skip
    assumed = Assumptions(answer_tokens=9, shown_reasoning=100, message_tokens=0)
    once = Sample(input="x" * 400, target="yes", id="a", metadata={"item": "a", "subset": "s"})
    assert workload("knowno", [once], {}, assumed)["model"] == Load(1, 100, 10)
    assert workload("knowno", [sample], {}, assumed)["model"] == Load(2, 100 + 220, 2 * 110)


def test_replies_that_reason_cost_more():
    short = load_of(planned("mathcomp", parameters={"items": 6}))
    long = load_of(planned("mathcomp", parameters={"items": 6, "output": "cot"}))
    assert long.calls == short.calls
    assert long.tokens_out > 20 * short.tokens_out


@pytest.mark.parametrize(
    ("task", "parameters", "roles", "calls"),
    [
        ("knowno", {"items": 30}, {}, None),
        # A tenth of the replies to no_hint, one a question.
        ("knowno", {"items": 30, "judge": True}, {}, 3),
        ("mathcomp", {"items": 10, "output": "cot", "read": "judge"}, {}, 140),
        ("mathcomp", {"items": 10, "output": "cot", "read": "rules_then_judge"}, {}, 14),
        ("mathcomp", {"items": 10, "output": "cot"}, {"grader": "j/k"}, None),
        ("instruction_boundary", {"items": 6, "judge": "never"}, {"grader": "j/k"}, None),
        ("format_bias", {"items": 6}, {"grader": "j/k"}, None),
    ],
)
def test_a_judges_calls_are_counted_where_it_is_asked(task, parameters, roles, calls):
    result = planned(task, parameters=parameters, roles=roles)
    judged = [e.load.calls for e in result.expenses if e.role == "grader"]
    assert judged == ([] if calls is None else [calls])


def test_every_model_under_test_brings_its_own_judge_calls():
    options = {"parameters": {"items": 30, "judge": True}, "roles": {"grader": "j/k"}}
    one, two = planned(**options), planned(models=("a/b", "c/d"), **options)
    assert load_of(two, "grader").calls == 2 * load_of(one, "grader").calls
    assert [e.model for e in two.expenses] == ["a/b", "c/d", "j/k"]


def test_rewrites_by_a_model_are_counted():
    parameters = {"items": 6, "setting": "vanilla,prompt_polishing", "polish": "model"}
    result = planned("instruction_boundary", parameters=parameters)
    assert load_of(result, "polisher").calls == result.n_items == result.n_samples / 2


PRICE = ModelCost(input=2.0, output=10.0, input_cache_write=0.0, input_cache_read=0.0)


def test_cost_is_tokens_by_price():
    result = planned(prices={"a/b": PRICE})
    (expense,) = result.expenses
    by_hand = (2 * expense.load.tokens_in + 10 * expense.load.tokens_out) / 1e6
    assert expense.cost == result.cost == pytest.approx(by_hand)
    assert expense.price_from == "your table"


def test_an_unknown_price_is_no_price_not_a_free_model():
    result = planned(models=("a/b", "c/d"), prices={"a/b": PRICE})
    assert [e.cost is None for e in result.expenses] == [False, True]
    assert result.cost is None
    text = shown(result)
    assert "no price known" in text
    assert "In all" not in text


class _Info:
    cost = PRICE
    reasoning = True


def test_inspects_own_price_is_used_and_reasoning_counted(monkeypatch):
    plain = planned()
    monkeypatch.setattr(workload_module, "get_model_info", lambda model: _Info())
    result = planned(assumptions=Assumptions(hidden_reasoning=1_000))
    (expense,) = result.expenses
    assert expense.price_from == "Inspect's data"
    assert expense.load.tokens_out == load_of(plain).tokens_out + 1_000 * expense.load.calls
    assert "hidden" in shown(result)


def test_time_is_calls_by_rate():
    assert planned(rate=24).expenses[0].minutes == pytest.approx(48 / 24)


@pytest.mark.parametrize("task", names())
def test_the_expected_width_is_that_of_a_run(run, task):
    log = run(asked_for(task).make(items=12), model="respondent/typical")
    table = summarize(read_observations(log.location, quiet=True), QUICK)
    widths = planned(task).widths
    assert widths
    for width in widths:
        metric = next(m for m in table["metric"].unique() if width.metric.startswith(m))
        rows = table[table["metric"] == metric]
        seen = [h - lo for lo, h in zip(rows["low"], rows["high"], strict=True)]
        if math.isnan(width.width):
            assert width.reason
        else:
            assert any(w == pytest.approx(width.width) for w in seen)


def test_half_the_width_needs_four_times_the_items():
    (width,) = planned(parameters={"items": 60}, wanted_width=0.1).widths
    (half,) = planned(parameters={"items": 60}, wanted_width=0.05).widths
    assert half.n_needed == pytest.approx(4 * width.n_needed, abs=4)
    text = shown(planned(parameters={"items": 60}, wanted_width=0.05))
    assert f"{half.n_needed:,} (there are 60)" in text


def test_the_width_of_a_large_set_is_carried_over_from_a_part(monkeypatch):
    whole = planned(parameters={"items": 120}).widths[0]
    monkeypatch.setattr(plan_module, "MOST_SIMULATED", 160)
    part = planned(parameters={"items": 120}).widths[0]
    assert part.n_items == whole.n_items == 120
    assert part.width == pytest.approx(whole.width, rel=0.25)
    assert part.width != whole.width


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"epochs": 0}, "at least 1 epoch"),
        ({"rate": 0.0}, "a rate above 0"),
        ({"wanted_width": -1.0}, "a width above 0"),
        ({"parameters": {"hint": "loud"}}, "'loud' is not a value of hint"),
        ({"parameters": {"itms": 2}}, "no parameter itms"),
        ({"data": "no.jsonl"}, r"no\.jsonl"),
    ],
)
def test_what_can_t_be_planned_is_told(options, told):
    with pytest.raises((ValueError, OSError), match=told):
        planned(**options)


def test_characters_a_token_must_be_a_number_above_zero():
    with pytest.raises(ValueError, match="characters_a_token=0"):
        Assumptions(characters_a_token=0)


def test_prices_are_read_as_inspect_reads_them(tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text("a/b: {input: 1, output: 2.5}\nc/d: {input: 0, output: 0}\n")
    table = read_prices(path)
    assert table["a/b"] == ModelCost(input=1, output=2.5, input_cache_write=0, input_cache_read=0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a/b: {input: 1}", "a/b, output: Field required"),
        ("a/b: {input: -1, output: x}", "2 problem"),
        ("a/b: {input: .nan, output: 1}", "a/b, input"),
        ("- 1", "valid dictionary"),
        ("a/b: {input: 1, output: 2, outptu: 3}", "outptu"),
    ],
)
def test_a_wrong_price_table_is_told_apart(tmp_path, text, told):
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(PriceError, match=told):
        read_prices(path)


def test_plans_of_several_tasks_are_one_document(tmp_path):
    plans = [planned(), planned("binary_qa", parameters={"items": 10})]
    document = plan_document(plans)
    told = json.loads(write_document(document, tmp_path / "p.json").read_text())
    assert [p["task"] for p in told["plans"]] == ["knowno", "binary_qa"]
    assert told["plans"][0]["expenses"][0]["load"]["calls"] == load_of(plans[0]).calls
    assert told["plans"][0]["cost"] is None
    rows = pd.read_csv(write_document(document, tmp_path / "p.csv"))
    assert rows["calls"].dropna().tolist() == [load_of(p).calls for p in plans]
    for kind in ("html", "md"):
        text = write_document(document, tmp_path / f"p.{kind}").read_text(encoding="utf-8")
        assert "knowno (bundled): 12 items" in text.replace("\\", "")
        assert "binary_qa (bundled): 10 items" in text.replace("\\", "")
