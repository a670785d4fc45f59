"""Policies: what a person writes is read as meant, and every mistake is told at once."""

import re

import pytest
import yaml

from askew.decide.gate import gate
from askew.decide.policy import Policy, Rule, policy_template, read_policy
from askew.files import YamlFileError
from askew.report.study import Study
from tests.cases import cases
from tests.report.simulated import observed


@pytest.fixture
def written(tmp_path):
    def _written(text):
        path = tmp_path / "policy.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return _written


TEMPLATE = policy_template()


def test_the_template_is_a_valid_policy(written):
    policy = read_policy(written(TEMPLATE))
    assert [r.bound for r in policy.rules] == ["interval", "interval"]
    assert policy.rules[0].min_items == 30
    assert policy.max_left_out == 0.05
    assert not policy.allow_simulated


@pytest.mark.whole
def test_the_rules_that_the_template_comments_out_are_valid_too(written):
    lines = [line.removeprefix("  # ") for line in TEMPLATE.splitlines() if line.startswith("  # ")]
    rules = yaml.safe_load("\n".join(x for x in lines if x.startswith(("- ", "  "))))
    policy = read_policy(written(yaml.safe_dump({"version": 1, "rules": rules})))
    levelled, *_, against = policy.rules
    assert levelled.levels
    assert against.baseline
    policy = policy.model_copy(update={"rules": policy.rules[:-1]})
    # What it shows as an example is measured where the task is run as it is.
    for rule in policy.rules:
        outcome = gate(Study(observed(rule.task, 30, model=("oracle", 0))), policy)
        assert all(c.n_items for c in outcome.checks if c.rule is rule)


def test_all_problems_of_a_policy_are_reported_at_once(written):
    path = written("""\
version: 2
modles: []
rules:
  - {metric: omni_accuracy, min: 60}
  - {task: knono, metric: x, mn: 3}
  - {metric: a, min: 3, max: 1}
  - {metric: a}
  - {metric: a, max: .inf}
  - {metric: a, min: 0, bound: lower}
  - {metric: "omni_*", min: -60}
  - {task: knowno, metric: e_wo_gold, max: 40}
  - {task: "know*", metric: "*", max: 40}
  - {metric: omni_accuracy, min: 0.1, of: debiased}
""")
    with pytest.raises(YamlFileError) as error:
        read_policy(path)
    told = str(error.value)
    assert told.count("must be a fraction: write 0.6 for 60%") == 4
    for part in (
        "version:", "modles: no such field; valid: version, models",
        "rules 1: omni_accuracy must be a fraction: write 0.6 for 60%",
        "rules 2, task:", "Did you mean knowno?", "rules 2, mn: no such field",
        "rules 3: min 3 lies above max 1", "rules 4: give min, max or both",
        "rules 5, max: ", "rules 6, bound:",
        *(f"rules {n}: " for n in (7, 8, 9)), "rules 10: omni_accuracy has no noise to take off",
    ):  # fmt: skip
        assert part in told


@pytest.mark.parametrize("text", ["", "[]", "version: 1", "version: 1\nrules: []", "just words"])
def test_what_is_no_policy_is_refused(written, text):
    with pytest.raises(YamlFileError):
        read_policy(written(text))


def test_metrics_that_are_no_rates_may_have_any_threshold(written):
    text = "version: 1\nrules:\n- {task: askew/binary_qa, metric: mbs, min: 60}"
    assert read_policy(written(text)).rules[0].task == "binary_qa"


# --- Rules and checks ----------------------------------------------------------------------------


def rule(**given):
    return Rule(**{"metric": "omni_accuracy", "task": "knowno", "min": 0.5} | given)


@cases("given", "limits")
def test_limits_are_described_in_words(given, limits):
    made = rule(**given)
    assert made.limits == limits
    assert made.title == f"{made.metric} {limits}"
    assert rule(**given, name="so\nnamed").title == "so named"


@cases("given", "told")
def test_a_rule_that_makes_no_sense_is_refused(given, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        rule(**given)


@cases("given")
def test_a_rule_that_makes_sense_is_taken(given):
    assert rule(**given)


@pytest.mark.parametrize("of", ["debiased", "without_noise"])
def test_a_policy_of_an_earlier_version_is_read(of):
    noisy = rule(metric="bias_f", task="format_bias", min=None, max=9.0, of=of)
    assert (noisy.of, noisy.column) == ("debiased", "value_debiased")


@cases("where", "name")
def test_a_yes_or_no_is_no_number(where, name):
    rule = {"metric": "omni_accuracy", "min": 0.5} | ({name: True} if where == "rule" else {})
    policy = {"version": 1, "rules": [rule]} | ({name: True} if where == "policy" else {})
    with pytest.raises(ValueError, match="give a number, not yes or no"):
        Policy.model_validate(policy)


@cases("rule")
def test_a_policy_that_was_written_out_whole_is_read_again(rule):
    policy = Policy.model_validate({"version": 1, "rules": [rule]})
    assert Policy.model_validate_json(policy.model_dump_json()) == policy
