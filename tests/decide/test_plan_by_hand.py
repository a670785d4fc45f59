"""What a plan is put together from, with each of its parts made by hand."""

import math
from types import SimpleNamespace

import pandas as pd
import pytest
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelCost

from askew.decide import plan as plan_module
from askew.decide.plan import Expense, Plan, plan
from askew.decide.power import Wish
from askew.decide.workload import Assumptions, Load
from askew.parameters import SelectionError
from askew.report.ceiling import NO_CEILING
from askew.statistics.tables import Interval
from tests.report.observed import observed

PRICE = ModelCost(input=1.0, output=10.0, input_cache_write=0.0, input_cache_read=0.0)
LOADS = {"model": Load(30, 2_000, 100), "grader": Load(3, 500, 9)}


@pytest.fixture
def parts(monkeypatch):
    """What is asked of each part of a plan, by its name."""
    asked = {}
    samples = [
        Sample(input="?", metadata={"item": i // 2, "subset": subset, "tier": "hard"})
        for i, subset in enumerate(["mine", *["yours"] * 5])
    ]

    def simulation(task, **parameters):
        asked["simulation"] = (task, parameters)
        return SimpleNamespace(task=task.removeprefix("askew/"), samples=samples)

    def widths(made, like, epochs, wish, seeds, interval, on_done):
        asked["widths"] = (made.task, like, epochs, wish, seeds, interval)
        for seed in range(seeds):
            on_done(f"run {seed + 1}")
        return ["a width"]

    def workload(task, samples, parameters, assumptions, *, has_grader):
        asked["workload"] = (task, len(samples), parameters, assumptions, has_grader)
        return LOADS

    def simulated_advice(made, like, epochs):
        return ("simulated", made.task, like, epochs)

    def advice_of_logs(made, observations, epochs):
        return [("real", made.task, len(observations), epochs)]

    def ceilings(observations, interval):
        asked["ceilings"] = (set(observations["task"]), interval)
        return "high"

    made = (simulation, widths, workload, simulated_advice, advice_of_logs, ceilings)
    for part in made:
        monkeypatch.setattr(plan_module, part.__name__, part)
    monkeypatch.setattr(plan_module, "reasons", lambda model: model.startswith("thinks"))
    monkeypatch.setattr(
        plan_module, "price_of",
        lambda model, prices: (prices[model], "mine") if model in prices else (None, "unknown"),
    )  # fmt: skip
    return asked


def test_a_plan_asks_what_its_defaults_say(parts):
    made = plan("knowno", ["a/b"])
    how = Interval(resamples=500)
    assert parts == {
        "simulation": ("knowno", {"data": "bundled"}),
        "widths": ("knowno", "typical", 1, Wish(None, None), 12, how),
        "workload": ("knowno", 6, {}, Assumptions(), False),
    }
    assert (made.task, made.data, made.n_items, made.n_samples) == ("knowno", "bundled", 4, 6)
    assert (made.epochs, made.rate, made.like, made.level, made.seeds) == (
        1, 60.0, "typical", 0.95, 12,
    )  # fmt: skip
    assert (made.widths, made.assumptions) == (("a width",), Assumptions())
    assert made.advice == (("simulated", "knowno", "typical", 1),)
    assert (made.at_least, made.ceilings) == (False, NO_CEILING)
    assert [(one.tier, one.n_items) for one in made.tiers] == [("hard", 4)]


def test_what_is_chosen_reaches_every_part(parts):
    how, taken = Interval(resamples=9, level=0.8), Assumptions(answer_tokens=1)
    made = plan(
        "knowno", ["a/b"], data="paper", parameters={"judge": True}, epochs=3, rate=6.0,
        wanted_width=0.1, effect=0.02, seeds=2, like="even", assumptions=taken, interval=how,
        observations=pd.DataFrame({"task": ["knowno", "mathcomp"]}), roles={"grader": "j/k"},
    )  # fmt: skip
    assert parts == {
        "simulation": ("knowno", {"data": "paper", "judge": True}),
        "widths": ("knowno", "even", 3, Wish(0.1, 0.02), 2, how),
        "workload": ("knowno", 6, {"judge": True}, taken, True),
        "ceilings": ({"knowno"}, how),
    }
    assert made.advice == (("simulated", "knowno", "even", 3), ("real", "knowno", 2, 3))
    assert (made.data, made.epochs, made.rate, made.like) == ("paper", 3, 6.0, "even")
    assert (made.level, made.seeds, made.assumptions, made.ceilings) == (0.8, 2, taken, "high")


def test_a_task_of_somebody_s_has_its_own_data_unless_they_are_chosen(parts):
    made = plan("bend", ["a/b"])
    assert parts["simulation"] == ("bend", {})
    assert (made.data, made.at_least) == ("mine", True)
    assert "ceilings" not in parts


def test_a_task_that_has_no_data_to_choose_refuses_them(parts):
    with pytest.raises(SelectionError, match=r"^bend has no questions of its own"):
        plan("bend", ["a/b"], data="mine.jsonl")


@pytest.mark.parametrize("rows", [None, pd.DataFrame(), pd.DataFrame({"model": ["a"]})])
def test_without_answers_nothing_is_at_its_ceiling(rows):
    assert plan_module._ceilings("knowno", rows, Interval(50)) is NO_CEILING


def test_answers_of_the_task_alone_are_looked_at_for_its_ceiling():
    right = observed("x/a", lambda hint, i: True, items=60)
    found = plan_module._ceilings("knowno", right, Interval(50))
    assert {one.task for one in found.found} == {"knowno"}
    assert plan_module._ceilings("mathcomp", right, Interval(50)).found == ()


def test_every_model_has_an_expense_and_every_role_one_of_all(parts):
    made = plan("knowno", ["a/b", "thinks/c", "a/b"], epochs=2, rate=30.0, roles={"polisher": "p"},
                prices={"a/b": PRICE})  # fmt: skip
    told = [(e.model, e.role, e.load, e.price_from, e.thinks, e.minutes) for e in made.expenses]
    assert told == [
        ("a/b", "model", Load(60, 4_000, 200), "mine", False, 2.0),
        # 600 hidden tokens a call.
        ("thinks/c", "model", Load(60, 4_000, 200 + 36_000), "unknown", True, 2.0),
        ("", "grader", Load(12, 2_000, 36), "no model named", False, 0.4),
    ]
    assert [e.cost for e in made.expenses] == [pytest.approx(0.006), None, None]
    assert made.cost is None
    graded = plan("knowno", ["a/b"], roles={"grader": "thinks/j"}, prices={"thinks/j": PRICE})
    assert graded.expenses[1].load == Load(3, 500, 9 + 3 * 600)
    assert graded.expenses[1].cost == pytest.approx(500e-6 + 1_809e-5)


def test_a_plan_says_no_more_than_it_is_given():
    about = {"task": "t", "data": "d", "n_items": 1, "n_samples": 2, "epochs": 1, "rate": 60.0,
             "expenses": (), "widths": (), "assumptions": Assumptions(), "like": "typical",
             "level": 0.95}  # fmt: skip
    bare = Plan(**about)
    assert (bare.seeds, bare.advice, bare.at_least, bare.tiers) == (12, (), False, ())
    assert bare.ceilings is NO_CEILING
    free = Expense("a", "model", Load(), 0.0, "mine", False, 0.0)
    assert Plan(**about | {"expenses": (free, free)}).cost == 0.0


def test_what_a_plan_costs_is_the_sum_of_what_is_known(parts):
    one = plan("knowno", ["a/b"], roles={"grader": "j"}, prices={"a/b": PRICE, "j": PRICE})
    assert one.cost == pytest.approx(0.003 + 0.00059)
    assert Plan(**{**vars(one), "expenses": ()}).cost == 0.0


def test_every_run_is_told_and_the_terminal_only_where_that_is_asked_for(parts, terminal):
    told = []
    plan("knowno", ["a/b"], seeds=2, progress=lambda *step: told.append(step))
    assert told == [(1, 2, "run 1"), (2, 2, "run 2")]
    plan("knowno", ["a/b"])
    assert terminal.getvalue() == ""
    plan("knowno", ["a/b"], quiet=False)
    assert terminal.getvalue().startswith("\rsimulating runs: 1 of 12 (run 1)")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"epochs": 0}, "epochs=0, rate=60.0: give at least 1 epoch and a rate above 0"),
        ({"rate": 0.0}, "epochs=1, rate=0.0: give at least 1 epoch and a rate above 0"),
        ({"rate": math.nan}, "epochs=1, rate=nan: give at least 1 epoch and a rate above 0"),
        ({"wanted_width": 0.0}, "width=0.0: give a width above 0"),
        ({"wanted_width": math.nan}, "width=nan: give a width above 0"),
        ({"effect": -1.0}, "effect=-1.0: give an effect above 0"),
        ({"seeds": 1}, "seeds=1: give at least 2 seeds, to tell the error from"),
    ],
)
def test_what_makes_no_plan_is_refused_with_what_does(parts, options, told):
    with pytest.raises(ValueError, match=f"^{told}$"):
        plan("knowno", ["a/b"], **options)
    assert parts == {}


def test_the_least_that_makes_a_plan_is_taken(parts):
    assert plan("knowno", [], epochs=1, rate=0.5, wanted_width=0.001, effect=0.001, seeds=2)
