"""The gate: pass, fail, and above all inconclusive."""

from zipfile import ZipFile

import pandas as pd
import pytest
from inspect_ai.log import write_eval_log

from askew.decide.documents import junit_xml, summarize_decision
from askew.decide.gate import Gate, check_limits, gate
from askew.decide.policy import Check, Policy, Rule, unmet
from askew.report.caveats import AtCeiling, Ceilings
from askew.report.study import Study, summarize
from askew.stats.tables import Interval
from askew.untrusted import one_line
from tests.cases import cases, cases_of
from tests.chapters import row_at
from tests.logs.made_logs import a_log, a_sample, a_score
from tests.report.logged import study_of
from tests.report.simulated import observed

QUICK = Interval(resamples=300)


@pytest.fixture(scope="module")
def answers():
    return observed("knowno", 60, good=("oracle", 0), poor=("agreeable", 0))


def checked(observations, *rules, **policy):
    return gate(
        study_of(observations),
        Policy.model_validate({"version": 1, "rules": list(rules), **policy}),
        QUICK,
    )


def outcomes(result):
    return {(c.model, c.metric, c.levels): c.status for c in result.checks}


OMNI = {"task": "knowno", "metric": "omni_accuracy"}


def test_a_threshold_passes_one_model_and_fails_another(answers):
    result = checked(answers, {**OMNI, "min": 0.8})
    assert outcomes(result) == {
        ("x/good", "omni_accuracy", "subset=all"): "pass",
        ("x/poor", "omni_accuracy", "subset=all"): "fail",
    }
    assert result.exit_code == 1
    assert checked(answers, {**OMNI, "min": 0.4}).exit_code == 0


def test_a_threshold_is_kept_by_the_number_that_equals_it(answers):
    rule = {**OMNI, "model": "x/poor", "min": 0.5, "max": 0.5, "bound": "value"}
    result = checked(answers, rule)
    assert result.exit_code == 0
    assert result.checks[0].asked == "the value alone 50 to 50%"
    # The value alone needs no correction.
    every = checked(answers, {**OMNI, "subset": "*", "min": 0.4, "bound": "value"})
    assert {(c.n_together, c.level) for c in every.checks} == {(1, 0.95)}


def test_a_limit_inside_the_interval_is_inconclusive(answers):
    rule = {**OMNI, "model": "x/good", "min": 0.99}
    (check,) = checked(answers, rule).checks
    assert (check.value, check.status) == (1.0, "inconclusive")
    assert check.low < 0.99 < check.high
    assert checked(answers, {**rule, "bound": "low"}).exit_code == 3
    assert checked(answers, {**rule, "bound": "value"}).exit_code == 0
    assert checked(answers, {**rule, "min": 0.8}).exit_code == 0


@cases("limits", "interval", "status")
def test_the_whole_interval_passes_or_fails(limits, interval, status):
    assert check_limits(Rule(metric="acc", **limits), *interval)[0] == status


def test_all_values_of_a_rule_are_corrected_together(answers):
    each = {**OMNI, "subset": "*", "min": 0.4}
    result = checked(answers, each)
    assert len(result.checks) == 8
    for check in result.checks:
        assert (check.n_together, check.level) == (8, pytest.approx(1 - 0.05 / 8))
        assert check.asked == "≥ 40% (1 of 8, 99.38% CI)"
    (alone,) = checked(answers, {**OMNI, "model": "x/good", "min": 0.4}).checks
    (among,) = (c for c in result.checks if c.model == "x/good" and c.levels == "subset=all")
    assert (alone.n_together, alone.level, alone.asked) == (1, 0.95, "≥ 40%")
    assert among.low < alone.low
    table = summarize(answers, Interval(resamples=300, level=1 - 0.05 / 8))
    row = row_at(table, "omni_accuracy", model="x/good", subset="all")
    assert (among.low, among.high) == pytest.approx((row["low"], row["high"]))


def test_rules_take_in_subsets_metrics_and_models_by_pattern(answers):
    result = checked(answers, {"task": "know*", "metric": "hint_*", "subset": "*", "min": 0.001})
    told = outcomes(result)
    assert len(told) == 2 * 2 * 4
    assert ("x/poor", "hint_as_option", "subset=bank77") in told


def test_a_level_that_is_not_named_means_the_overall_number():
    observations = observed("format_bias", 60, good=("oracle", 0))
    rule = {"task": "format_bias", "metric": "fi", "min": 0.9}
    overall = checked(observations, rule)
    assert {c.levels for c in overall.checks} == {
        f"subset=all, category={c}, format=all, prompting=all, demos=0, repeat=1"
        for c in ("mcq", "wrapping", "list", "mapping")
    }
    one = checked(observations, {**rule, "levels": {"format": "json", "prompting": "zs"}})
    (check,) = one.checks
    assert check.levels.startswith("subset=all, category=mapping, format=json, prompting=zs")


@cases("rule", "why")
def test_what_was_not_measured_is_inconclusive(answers, rule, why):
    result = checked(answers, rule)
    assert result.exit_code == 3
    assert all(c.status == "inconclusive" and why in c.why for c in result.checks)


def test_an_undefined_number_never_passes(answers):
    result = checked(answers[answers["hint"] != "no_hint"], {**OMNI, "min": 0.001})
    assert result.exit_code == 3
    assert "not asked: no_hint" in result.checks[0].why


@cases("levels", "told")
def test_a_level_that_no_number_of_the_task_has_is_an_error(answers, levels, told):
    with pytest.raises(ValueError, match=told):
        checked(answers, {**OMNI, "min": 0.001, "levels": levels})


# --- What stands behind the numbers ------------------------------------------------------------


def sampled(*items, subset="mctest", score=None):
    hints = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")
    about = {"subset": subset, "score": score}
    return [a_sample(item, hint, **about) for item in items for hint in hints]


SUBSETS = ("mctest", "bank77", "equinfer")
EVERY = [s for subset in SUBSETS for s in sampled(f"{subset}1", f"{subset}2", subset=subset)]
LOW = {**OMNI, "min": 0.001, "min_items": 1}


def gated(logs, rule=LOW, **policy):
    return checked(Study.read(logs, quiet=True), rule, **policy)


def whys(result):
    return [c.why for c in result.checks if c.status == "inconclusive"]


def test_a_run_that_was_resumed_counts_each_sample_once():
    ids = [sample.id for sample in EVERY]
    first = a_log(EVERY[:8], planned=ids, status="cancelled")
    assert gated([first, a_log(EVERY[8:], planned=ids, made=1)]).exit_code == 0
    assert gated([first, a_log(EVERY[8:16], planned=ids, made=1)]).exit_code == 3


@pytest.mark.parametrize("data", ["bundled", "paper"])
def test_all_subsets_are_those_that_the_task_runs_by_default(data):
    easy = a_log(sampled("a", "b"), data=data, args={"subset": "mctest"})
    result = gated([easy])
    assert result.exit_code == 3
    assert whys(result) == ["not asked, or nothing of it is scored: bank77, equinfer"]
    assert whys(gated([easy], {**LOW, "subset": "*"})) == whys(result)
    assert gated([easy], {**LOW, "subset": "mctest"}).exit_code == 0
    parts = [a_log(sampled(f"{s}1", subset=s), data=data, args={"subset": s}) for s in SUBSETS]
    assert gated(parts).exit_code == 0
    # So few items that a subset has none.
    assert gated([a_log(sampled("a"), data=data, args={"items": 1})]).exit_code == 3


def test_a_failing_subset_fails_even_if_others_did_not_run():
    easy = a_log(sampled(*map(str, range(30)), score=a_score(0.0)), args={"subset": "mctest"})
    assert gated([easy], {**OMNI, "min": 0.5}).exit_code == 3
    assert gated([easy], {**OMNI, "min": 0.5, "subset": "*"}).exit_code == 1


# --- Which numbers are computed, and what noise makes of them ----------------------------------


@pytest.fixture(scope="module")
def formats():
    return observed("format_bias", 24, typical=("typical", 0))


BIAS = {"task": "format_bias", "metric": "bias_f", "max": 150, "min_items": 1}


def test_an_undefined_interval_is_inconclusive_for_any_value(formats):
    result = checked(formats, BIAS)
    unknown = [c for c in result.checks if pd.isna(c.high)]
    assert any(c.value == 0.0 for c in unknown)
    assert {c.status for c in unknown} == {"inconclusive"}
    assert all("no interval" in c.why for c in unknown if not pd.isna(c.value))
    # Without an interval the value decides; where there is none either, nothing does.
    alone = checked(formats, {**BIAS, "bound": "value"})
    statuses = {(pd.isna(c.value), c.status) for c in alone.checks}
    assert statuses == {(False, "pass"), (True, "inconclusive")}


def test_a_rule_can_check_the_noise_corrected_value(formats):
    one = {**BIAS, "levels": {"category": "list"}, "bound": "value", "max": 10}
    assert checked(formats, one).exit_code == 1
    (check,) = checked(formats, {**one, "of": "debiased"}).checks
    assert (check.status, check.value) == ("pass", 0.0)
    assert check.asked == "noise-corrected the value alone ≤ 10"


def test_a_mark_has_no_interval_to_decide_on(formats):
    rule = {"task": "format_bias", "metric": "n_formats", "min": 1, "min_items": 1}
    assert all("bound: value" in c.why for c in checked(formats, rule).checks)
    assert checked(formats, {**rule, "bound": "value"}).exit_code == 0


# --- What is written -----------------------------------------------------------------------------


def test_items_of_three_templates_are_too_few_for_a_decision(answers):
    good = answers[answers["model"] == "x/good"]
    template = pd.factorize(good["item"])[0] % 3
    rule = {**OMNI, "min": 0.5}
    assert checked(good, rule).exit_code == 0
    found = checked(good.assign(cluster=template.astype(str)), rule)
    assert found.exit_code == 3
    assert "n = 3 clusters of 60 items < min_items = 20" in found.checks[0].why


RULE = Rule(task="knowno", metric="omni_accuracy", min=0.5)
FOUND = AtCeiling("knowno", "x/good", "all", "", "at", 0.99, 0.96, 1.0, 200, 200, "Ask harder ones")


def test_every_check_is_a_case_of_its_task_s_suite():
    checks = (
        Check(RULE, "fail", "below 0.5", "knowno", "x/poor", metric="omni_accuracy",
              levels="subset=all", shown="40.0 % (30.0 to 45.0)"),
        unmet("models", "no <such> model"),
        Check(RULE, "pass", "", "knowno", "x/good", metric="omni_accuracy", subset="all",
              ceiling="at"),
        Check(RULE, "inconclusive", "not measured", "mathcomp"),
    )  # fmt: skip
    at = Ceilings((FOUND,), {("knowno", "x/good"): frozenset({("mctest", "")})})
    assert junit_xml(Gate(checks, at)) == cases_of(__file__, "JUNIT")


def test_junit_replaces_invalid_characters_and_cuts_long_messages():
    text = junit_xml(Gate((Check(RULE, "inconclusive", "a\ufffeb\ud800c" + "y" * 400, "k"),)))
    (line,) = (line for line in text.splitlines() if "message=" in line)
    said = line.partition('message="')[2].partition('"')[0]
    assert said == one_line("a?b?c" + "y" * 400, 300)


def check(status, model, why=""):
    return Check(RULE, status, why, "knowno", model, metric="omni_accuracy")


def test_unmet_rules_are_listed_worst_first_and_by_model():
    checks = (
        check("pass", "good"), check("inconclusive", "few", "3 items"),
        check("fail", "poor", "is below"), check("inconclusive", "poor", "no interval"),
    )  # fmt: skip
    told = summarize_decision(Gate(checks), None)
    assert told.outcome.startswith("FAIL: 1 passed, 1 failed, 2 inconclusive")
    assert [c.model for c in told.checks] == ["poor", "few", "poor", "good"]
    assert told.unmet == [c.text for c in told.checks[:3]]
    outcomes = [told.policy("knowno", model) for model in ("good", "few", "poor", "none")]
    assert outcomes == ["pass", "inconclusive", "fail", ""]
    assert (told.compared, told.comparisons) == ("", {})


def test_summaries_that_differ_from_samples_are_a_contradiction(tmp_path):
    path, other = tmp_path / "a.eval", tmp_path / "b.eval"
    samples = [a_sample(f"i{n}", hint) for n in range(6) for hint in ("with_gold", "no_hint")]
    write_eval_log(a_log(samples), str(path))
    with ZipFile(path) as old, ZipFile(other, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name.startswith("samples/"):
                text = text.replace(b'"correct":1.0', b'"correct":0.0')
                text = text.replace(b'"correct": 1.0', b'"correct": 0.0')
            new.writestr(name, text)
    rule = {**OMNI, "metric": "with_gold", "subset": "mctest", "min_items": 1, "min": 0.5}
    codes = [gated(str(log), {**rule, "bound": "value"}).exit_code for log in (path, other)]
    assert codes == [0, 3]
