"""The gate: pass, fail, and above all can't tell."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import pandas as pd
import pytest

from askew.decide.documents import gate_document
from askew.decide.gate import Gate, gate, junit_xml
from askew.decide.policy import Policy
from askew.logs.left_out import ATTRIBUTE, account
from askew.report.terminal import terminal_text
from askew.report.writers import write_document
from askew.statistics.tables import Interval
from tests.report.simulated import observed

QUICK = Interval(resamples=300)


@pytest.fixture(scope="module")
def logs():
    return observed("knowno", 60, good=("oracle", 0), poor=("agreeable", 0))


def checked(observations, *rules, **policy):
    return gate(
        observations, Policy.model_validate({"version": 1, "rules": list(rules), **policy}), QUICK
    )


def outcomes(result):
    return {(c.model, c.metric, c.levels): c.status for c in result.checks}


OMNI = {"task": "knowno", "metric": "omni_accuracy"}


def test_a_threshold_passes_one_model_and_fails_another(logs):
    result = checked(logs, {**OMNI, "min": 0.8})
    assert outcomes(result) == {
        ("x/good", "omni_accuracy", "subset=all"): "pass",
        ("x/poor", "omni_accuracy", "subset=all"): "fail",
    }
    assert result.exit_code == 1
    assert checked(logs, {**OMNI, "min": 0.4}).exit_code == 0


def test_a_threshold_is_kept_by_the_number_that_equals_it(logs):
    assert checked(logs, {**OMNI, "model": "x/poor", "min": 0.5, "max": 0.5}).exit_code == 0


def test_the_lower_bound_fails_where_the_number_itself_passes(logs):
    rule = {**OMNI, "model": "x/good", "min": 0.99}
    assert checked(logs, rule).exit_code == 0
    assert checked(logs, {**rule, "bound": "low"}).exit_code == 1
    assert checked(logs, {**rule, "min": 0.8, "bound": "low"}).exit_code == 0


def test_rules_take_in_subsets_metrics_and_models_by_pattern(logs):
    result = checked(logs, {"task": "know*", "metric": "hint_*", "subset": "*", "min": 0})
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


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ({**OMNI, "metric": "omni_acuracy", "min": 0}, "did you mean omni_accuracy?"),
        ({"metric": "mbs", "min": 0}, "no metric fits 'mbs'"),
        ({"task": "binary_qa", "metric": "mbs", "min": 0}, "no scored sample of this task"),
        ({**OMNI, "model": "y/*", "min": 0}, "no model in the logs fits"),
        ({**OMNI, "subset": "folio", "min": 0}, "not measured for this model, subset"),
        ({**OMNI, "min": 0, "min_items": 61}, "60 items, 61 are asked for"),
    ],
)
def test_what_was_not_measured_can_t_be_told(logs, rule, why):
    result = checked(logs, rule)
    assert result.exit_code == 2
    assert all(c.status == "can't tell" and why in c.why for c in result.checks)


def test_an_undefined_number_never_passes(logs):
    result = checked(logs[logs["hint"] != "no_hint"], {**OMNI, "min": 0})
    assert result.exit_code == 2
    assert "not asked: no_hint" in result.checks[0].why


def test_failing_wins_over_not_knowing(logs):
    result = checked(logs, {**OMNI, "min": 0.8}, {"metric": "mbs", "min": 0})
    assert (result.exit_code, result.count("can't tell")) == (1, 1)
    assert result.verdict.startswith("FAIL: 1 pass, 1 fail, 1 can't tell")


def test_no_logs_can_t_be_told(logs):
    assert checked(logs[:0], {**OMNI, "min": 0}).exit_code == 2


def test_a_model_that_must_be_there_and_is_not_can_t_be_told(logs):
    rule = {**OMNI, "min": 0.4}
    assert checked(logs, rule, models=["x/*", "x/good"]).exit_code == 0
    result = checked(logs, rule, models=["x/absent"])
    assert result.exit_code == 2
    assert "there are: x/good, x/poor" in result.checks[0].why


def read_with_losses(observations, planned):
    """The observations as if they had been read from logs that set out to ask more."""
    entries = [
        {
            "run": model, "task": "knowno", "model": model, "model_name": model, "log": "a.eval",
            "settings": {}, "packages": {}, "created": "2026-01-01T00:00:00", "planned": planned,
            "scored": len(part), "left_out": [],
        }
        for model, part in observations.groupby("model", sort=False)
    ]  # fmt: skip
    whole = observations.copy()
    whole.attrs[ATTRIBUTE] = account(entries, [])
    return whole


def test_a_run_that_lost_many_samples_can_t_pass(logs):
    rule = {**OMNI, "min": 0.4}
    assert checked(read_with_losses(logs, 240), rule).exit_code == 0
    lossy = read_with_losses(logs, 260)
    result = checked(lossy, rule)
    assert result.exit_code == 2
    assert result.checks[0].why == "240 of 260 planned samples are scored"
    assert checked(lossy, rule, max_left_out=0.1).exit_code == 0


def test_a_model_of_which_nothing_was_scored_can_t_be_told(logs):
    silent = read_with_losses(logs, 240)
    entries = silent.attrs[ATTRIBUTE]["logs"]
    entries.append({**entries[0], "run": "z", "model": "x/mute", "model_name": "x/mute"})
    result = checked(silent, {**OMNI, "min": 0.4}, max_left_out=1.0)
    assert outcomes(result)["x/mute", "", ""] == "can't tell"


def test_junit_counts_failures_and_errors_apart(logs):
    result = checked(logs, {**OMNI, "min": 0.8, "name": "release"}, {"metric": "mbs", "min": 0})
    root = ElementTree.fromstring(junit_xml(result))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "1")
    cases = {c.get("classname"): c for c in root.iter("testcase")}
    assert list(cases["knowno.x/good"]) == []
    (failure,) = cases["knowno.x/poor"]
    assert failure.tag == "failure"
    assert failure.get("message") == "50.0 % is below 0.8"
    assert cases["knowno.x/good"].get("name") == "release [omni_accuracy, subset=all]"


def test_hostile_names_make_valid_xml_and_single_lines(logs):
    evil = 'x/<evil a="1">&\x00\x1b[31m\n]]>\u202e' + "y" * 1000
    result = checked(logs.replace({"model": {"x/poor": evil}}), {**OMNI, "min": 0.8})
    broken = [replace(c, why="half a character: \ud800, none: \x0b") for c in result.checks]
    for outcome in (result, Gate(tuple(broken))):
        ElementTree.fromstring(junit_xml(outcome).encode("utf-8"))
    lines = terminal_text(gate_document(result)).splitlines()
    assert len(lines) == 1 + 2 + 1
    assert not any(set("\x00\x1b\u202e\n") & set(line) for line in lines)


def test_simulated_models_are_marked(logs):
    simulated = logs.assign(model_name="respondent/oracle")
    lines = terminal_text(gate_document(checked(simulated, {**OMNI, "min": 0.8}))).splitlines()
    assert all("(simulated)" in line for line in lines[1:-1])


def test_the_outcome_is_written_as_every_kind_of_file(logs, tmp_path):
    document = gate_document(checked(logs, {**OMNI, "min": 0.8}, {"metric": "mbs", "min": 0}))
    told = json.loads(write_document(document, tmp_path / "g.json").read_text())
    assert (told["schema"], told["exit_code"]) == ("askew-gate", 1)
    numbers = {c["model"]: c["value"] for c in told["checks"] if c["metric"]}
    assert numbers["x/poor"] == pytest.approx(0.5)
    assert [c["value"] for c in told["checks"] if not c["metric"]] == [None]
    rows = pd.read_csv(write_document(document, tmp_path / "g.csv"))
    assert rows["status"].tolist() == [c["status"] for c in told["checks"]]
    for kind in ("md", "html"):
        text = write_document(document, tmp_path / f"g.{kind}").read_text(encoding="utf-8")
        assert "FAIL: 1 pass, 1 fail" in text
        assert "below 0.8" in text
