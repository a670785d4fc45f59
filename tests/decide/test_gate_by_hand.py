"""The gate's steps one by one, on numbers that are made by hand."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from askew.decide import gate as gate_module
from askew.decide.gate import Gate, compared, gate
from askew.decide.policy import Check, Policy, PolicyError, Rule
from askew.report.ceiling import NO_CEILING, AtCeiling, Ceilings, ceilings
from askew.report.document import Estimate
from askew.report.summary import summarize
from askew.schema import Metric
from askew.statistics.tables import Interval
from tests.report.observed import observed

NAN = math.nan
RULE = Rule(task="knowno", metric="omni_accuracy", min=0.5, max=0.75)


def of(*statuses):
    return Gate(tuple(Check(RULE, status, "") for status in statuses))


@pytest.mark.parametrize(
    ("statuses", "code", "verdict"),
    [
        ((), 2, "CAN'T TELL: nothing was checked"),
        (("pass", "pass"), 0, "PASS: 2 pass"),
        (("pass", "can't tell"), 2, "CAN'T TELL: 1 pass, 1 can't tell"),
        (("can't tell", "fail", "pass"), 1, "FAIL: 1 pass, 1 fail, 1 can't tell"),
        (("fail",), 1, "FAIL: 1 fail"),
    ],
)
def test_a_gate_fails_where_one_fails_and_passes_where_all_pass(statuses, code, verdict):
    made = of(*statuses)
    assert (made.exit_code, made.verdict) == (code, verdict)
    assert (made.ceilings, made.stopped) == (NO_CEILING, ())


def test_only_a_check_that_is_at_the_ceiling_has_something_to_say_of_it():
    found = AtCeiling("knowno", "m", "all", "", Estimate(0.99, 0.96, 1.0, 200), "Ask harder ones")
    tops = Ceilings((found,), {("knowno", "m"): frozenset({("s", "")})})
    check = Check(RULE, "pass", "", "knowno", "m", subset="s", ceiling="at")
    made = Gate((check,), tops)
    said = "at the ceiling, too easy to tell strong models apart. Ask harder ones"
    assert made.ceiling_of(check) == said
    assert made.ceiling_of(replace(check, ceiling="")) == ""
    assert made.ceiling_of(replace(check, model="other")) == ""


@pytest.mark.parametrize(
    ("interval", "said"),
    [
        ((0.4, 0.49), ("fail", "below 0.5")),
        ((0.76, 0.8), ("fail", "above 0.75")),
        ((0.4, 0.5), ("can't tell", "the interval holds 0.5")),
        ((0.4, 0.9), ("can't tell", "the interval holds 0.5")),
        ((0.75, 0.9), ("can't tell", "the interval holds 0.75")),
        ((0.5, 0.75), ("pass", "")),
    ],
)
def test_an_interval_is_told_by_the_limit_that_it_breaks(interval, said):
    assert compared(RULE, *interval) == said


PLAIN, MARK = Metric("acc"), Metric("mark", interval="none")


@pytest.mark.parametrize(
    ("given", "metric", "number", "row", "said"),
    [
        ({}, PLAIN, (0.6, 0.55, 0.7), {}, ("pass", "")),
        ({}, PLAIN, (0.6, 0.55, 0.7), {"n_items": 19},
         ("can't tell", "19 items, 20 are asked for")),
        ({}, PLAIN, (0.6, NAN, NAN), {}, ("can't tell", "no interval")),
        ({}, PLAIN, (0.6, NAN, 0.7), {}, ("can't tell", "no interval")),
        ({}, PLAIN, (0.6, 0.55, NAN), {"reason": "why\nnot"}, ("can't tell", "why not")),
        ({}, PLAIN, (NAN, NAN, NAN), {"value": NAN},
         ("can't tell", "not defined for what was scored")),
        ({}, PLAIN, (NAN, NAN, NAN), {"value": NAN, "reason": "empty"}, ("can't tell", "empty")),
        ({}, PLAIN, (NAN, 0.1, 0.2), {},
         ("can't tell", "it has no noise that could be taken off")),
        ({}, MARK, (0.6, NAN, NAN), {},
         ("can't tell", "it has no interval; bound: value checks the number alone")),
        ({"bound": "value"}, MARK, (0.6, NAN, NAN), {}, ("pass", "")),
        ({"bound": "value"}, PLAIN, (0.4, 0.3, 0.8), {}, ("fail", "below 0.5")),
        ({"bound": "value"}, PLAIN, (0.6, 0.3, 0.8), {}, ("pass", "")),
    ],
)  # fmt: skip
def test_a_number_that_may_not_be_told_of_has_the_reason(given, metric, number, row, said):
    rule = RULE.model_copy(update=given)
    told = {"value": 0.6, "n_items": 20, "reason": "", **row}
    assert gate_module._status(rule, number, told, metric) == said


# --- Numbers -------------------------------------------------------------------------------------


def task_of(*rows, name="knowno", metrics=("omni_accuracy", "gap")):
    table = pd.DataFrame(rows, columns=["metric", "model", "subset", "value"])
    return SimpleNamespace(
        name=name, table=table, levels=["subset"], intervals=SimpleNamespace(metrics=metrics)
    )


ROW = {
    "metric": "omni_accuracy", "model": "m", "subset": "all", "value": 0.6, "n_items": 1_200.0,
    "reason": "", "without_noise": 0.25, "null_high": 0.3, "null_p": 0.04,
}  # fmt: skip


def test_a_number_is_alone_and_without_a_level_until_its_rule_says_so():
    number = gate_module._Number(RULE, task_of(), ROW)
    assert (number.together, number.place) == (1, ("omni_accuracy", "m", "all"))
    assert math.isnan(number.level)


def checked(rule=RULE, said=None, models=None, tops=NO_CEILING, **row):
    task = task_of()
    task.levels = ["subset", "tier"]
    number = gate_module._Number(rule, task, {**ROW, "tier": "", **row}, 3, 0.98)
    said = said or {"low": 0.55, "high": 0.7}
    return gate_module._check(number, said, models or {"m": True}, tops)


def test_a_check_holds_all_that_decides_it():
    assert checked(tier="har\nd") == Check(
        RULE, "pass", "", "knowno", "m", True, "omni_accuracy", "subset=all, tier=har d",
        "60.0 % (55.0 to 70.0)", 1_200, 0.6, 0.55, 0.7, 0.98, 3, 0.25, 0.3, 0.04, "all", "",
    )  # fmt: skip
    real = checked(models={"m": False}, subset="mctest")
    assert (real.simulated, real.subset, real.levels) == (False, "mctest", "subset=mctest")
    assert checked(subset=NAN).subset == "all"
    assert checked(subset=NAN).levels == ""


def test_an_interval_is_stretched_to_hold_the_number_itself():
    low = checked(said={"low": 0.65, "high": 0.7})
    assert (low.low, low.high, low.shown) == (0.6, 0.7, "60.0 % (60.0 to 70.0)")
    none = checked(said={"low": NAN, "high": NAN, "reason": "few"})
    assert (none.shown, none.status, none.why) == ("60.0 %", "can't tell", "few")
    assert math.isnan(none.low)
    unknown = checked(value=NAN)
    assert (unknown.status, unknown.low) == ("can't tell", 0.55)
    clean = checked(RULE.model_copy(update={"of": "without_noise"}))
    assert (clean.value, clean.low) == (0.25, 0.25)


def test_a_check_says_whether_its_questions_are_at_the_ceiling():
    found = AtCeiling("knowno", "m", "s", "", Estimate(0.99, 0.96, 1.0, 200), "Ask harder ones")
    tops = Ceilings((found,), {("knowno", "m"): frozenset({("s", ""), ("t", "")})})
    words = {subset: checked(tops=tops, subset=subset).ceiling for subset in ("s", "t", "all")}
    assert words == {"s": "at", "t": "", "all": "in part"}


def together(*values, rule=RULE, level=0.9):
    found = [
        gate_module._Number(rule, task_of(), ROW | {"value": v}) if isinstance(v, float) else v
        for v in values
    ]
    return [*gate_module._together(rule, found, level)]


def test_numbers_of_a_rule_share_its_error_where_there_are_several():
    check = Check(RULE, "can't tell", "why")
    first, between, second, unknown = together(0.5, check, 0.6, NAN)
    assert between is check
    for number in (first, second, unknown):
        assert (number.together, number.level) == (2, pytest.approx(0.95))
    (alone, _) = together(0.5, NAN)
    assert (alone.together, alone.level) == (1, 0.9)
    (none,) = together(NAN)
    assert (none.together, none.level) == (1, 0.9)
    # A number alone has the very level that was asked for.
    assert together(0.5, level=0.1)[0].level == 0.1
    value = RULE.model_copy(update={"bound": "value"})
    assert {(n.together, n.level) for n in together(0.5, 0.6, rule=value)} == {(1, 0.9)}


def taken(rule, *tasks, models=("m", "n"), lacks=lambda task, model, subset: ""):
    asked = SimpleNamespace(lacks=lacks)
    found = gate_module._taken_in(rule, tasks, {m: m == "n" for m in models}, asked)
    return [
        (one.task, one.model, one.simulated, one.why) if isinstance(one, Check)
        else (one.task.name, one.row["model"], one.row["subset"], one.row["value"])
        for one in found
    ]  # fmt: skip


def rows(model, *subsets, metric="omni_accuracy"):
    return [(metric, model, s, 0.1 * i) for i, s in enumerate(subsets)]


def test_a_rule_takes_in_the_numbers_of_its_subset_model_by_model():
    task = task_of(*rows("m", "all", "a", "b"), *rows("n", "all", "a"), *rows("o", "all"))
    assert taken(RULE, task) == [("knowno", "m", "all", 0.0), ("knowno", "n", "all", 0.0)]
    named = RULE.model_copy(update={"subset": "b"})
    assert taken(named, task) == [
        ("knowno", "m", "b", 0.2),
        ("knowno", "n", True, "not measured for this model, subset and levels"),
    ]
    each = RULE.model_copy(update={"subset": "*"})
    assert [place[1:3] for place in taken(each, task)] == [
        ("m", "all"), ("m", "a"), ("m", "b"), ("n", "all"), ("n", "a"),
    ]  # fmt: skip


def test_where_a_subset_is_missing_there_is_no_number_of_all_of_them():
    def lacks(task, model, subset):
        return f"{task} {subset} missing" if model == "m" else ""

    task = task_of(*rows("m", "all", "a"), *rows("n", "all", "a"))
    assert taken(RULE, task, lacks=lacks) == [
        ("knowno", "m", False, "knowno all missing"), ("knowno", "n", "all", 0.0),
    ]  # fmt: skip
    each = RULE.model_copy(update={"subset": "*"})
    assert taken(each, task, lacks=lacks, models=("m",)) == [
        ("knowno", "m", False, "knowno * missing"), ("knowno", "m", "all", 0.0),
        ("knowno", "m", "a", 0.1),
    ]  # fmt: skip


def test_a_rule_that_takes_in_nothing_says_what_there_is():
    no_model = "no model in the logs fits the rule"
    assert taken(RULE, task_of(*rows("m", "all")), models=()) == [("", "*", False, no_model)]
    no_task = "the logs hold no scored sample of this task"
    other = task_of(*rows("m", "all"), name="mathcomp")
    assert taken(RULE, other) == [("knowno", "", False, no_task)]
    assert taken(RULE) == [("knowno", "", False, no_task)]
    near = task_of(*rows("m", "all", metric="gap"), metrics=("gap", "omni_acuracy"))
    assert taken(RULE, near) == [
        ("knowno", "", False, "no metric fits 'omni_accuracy'; did you mean omni_acuracy?")
    ]
    several = task_of(metrics=tuple("abcdefgh"))
    assert taken(RULE, several)[0][3] == (
        "no metric fits 'omni_accuracy'; there are: a, b, c, d, e, f and 2 more"
    )
    six = task_of(metrics=tuple("abcdef"))
    assert taken(RULE, six)[0][3].endswith("there are: a, b, c, d, e, f")


def test_a_task_without_the_metric_is_left_out_where_another_has_it():
    rule = Rule(metric="omni_accuracy", min=0)
    found = taken(rule, task_of(*rows("m", "all")), task_of(name="mathcomp"), models=("m",))
    assert found == [("knowno", "m", "all", 0.0)]
    other = task_of(*rows("m", "all", metric="gap"), name="mathcomp")
    assert taken(rule, task_of(*rows("m", "all")), other, models=("m",)) == found


def test_a_level_that_no_number_has_is_refused_by_its_rule():
    both = task_of(*rows("m", "all")), task_of(name="mathcomp")
    rule = Rule(metric="omni_accuracy", min=0, levels={"sub\nst": "*"}, name="mine")
    with pytest.raises(PolicyError) as error:
        taken(rule, *both)
    assert str(error.value) == (
        "rule 'mine': no number of knowno, mathcomp has a level 'sub st'; did you mean subset?"
    )
    far = rule.model_copy(update={"levels": {"colour": "*"}})
    with pytest.raises(PolicyError, match=r"of knowno has a level 'colour'; there are: subset$"):
        taken(far, both[0])
    assert taken(far) == [("*", "", False, "the logs hold no scored sample of this task")]
    known = rule.model_copy(update={"levels": {"subset": "a"}})
    assert taken(known, task_of(*rows("m", "all", "a")), models=("m",)) == [
        ("knowno", "m", "a", 0.1)
    ]


# --- From observations ---------------------------------------------------------------------------

QUICK = Interval(resamples=40)


def policy(*rules, **given):
    return Policy.model_validate({"version": 1, "rules": list(rules), **given})


GAP = {"task": "knowno", "metric": "gap", "max": 0.5, "min_items": 1}


@pytest.fixture(scope="module")
def two():
    return pd.concat([observed("x/a"), observed("x/b")], ignore_index=True)


def test_every_task_is_told_when_its_numbers_and_its_intervals_are_there(two):
    told = []
    gate(two, policy(GAP), QUICK, progress=lambda *step: told.append(step))
    assert told == [(1, 2, "knowno"), (2, 2, "knowno, intervals")]
    told.clear()
    other = {"task": "mathcomp", "metric": "accuracy", "min": 0}
    gate(two, policy(other), QUICK, progress=lambda *step: told.append(step))
    assert told == []


def test_the_terminal_is_told_only_where_that_is_asked_for(two, terminal):
    gate(two, policy(GAP), QUICK)
    assert terminal.getvalue() == ""
    gate(two, policy(GAP), QUICK, quiet=False)
    assert terminal.getvalue().startswith("\rchecking rules: 1 of 2 (knowno)")


def test_a_model_may_be_named_as_inspect_names_it(two):
    named = two.assign(model=two["model"] + " [1]")
    made = gate(named, policy({**GAP, "model": "x/b"}), QUICK)
    assert [c.model for c in made.checks] == ["x/b [1]"]
    bare = gate(two.drop(columns="model_name"), policy({**GAP, "model": "x/b"}), QUICK)
    assert [c.model for c in bare.checks] == ["x/b"]


def test_an_executor_draws_the_intervals_and_says_the_same(two, counting):
    made = gate(two, policy(GAP), QUICK, executor=counting)
    assert counting.submitted == 2
    assert [vars(c) for c in made.checks] == [vars(c) for c in gate(two, policy(GAP), QUICK).checks]


def test_the_level_and_the_seed_of_intervals_are_those_asked_for(two):
    about = ((40, 0.95, 0), (40, 0.8, 0), (40, 0.95, 1), (50, 0.95, 0))
    one = policy({**GAP, "model": "x/a"})
    found = [gate(two, one, Interval(*how)).checks[0] for how in about]
    assert [c.level for c in found] == [0.95, 0.8, 0.95, 0.95]
    for how, check in zip(about, found, strict=True):
        table = summarize(two, Interval(*how)).set_index(["model", "metric", "subset"])
        row = table.loc["x/a", "gap", "all"]
        assert (check.low, check.high) == pytest.approx((row["low"], row["high"]))


def test_what_is_checked_is_left_as_it_was_given(two):
    given = two.copy()
    given.attrs["mine"] = 1
    gate(given, policy(GAP), QUICK)
    pd.testing.assert_frame_equal(given, two)
    assert given.attrs == {"mine": 1}


def test_only_what_rules_take_in_is_looked_at_for_its_ceiling(two):
    right = pd.concat([observed(m, lambda hint, i: True, items=60) for m in ("x/a", "x/b")])
    one = gate(right, policy({**GAP, "model": "x/a"}), QUICK)
    assert {found.model for found in one.ceilings.found} == {"x/a"}
    assert [c.ceiling for c in one.checks] == ["at"]
    how = Interval(30, 0.8, 1)
    said = gate(right, policy(GAP), how).ceilings
    assert said.records == ceilings(right, how).records != ceilings(right).records
    none = gate(right, policy({"task": "mathcomp", "metric": "accuracy", "min": 0}), QUICK)
    assert none.ceilings is NO_CEILING
    assert [c.ceiling for c in none.checks] == [""]
