"""Policies: what a person writes is read as meant, and every mistake is told at once."""

import re

import pytest
import yaml

from askew.decide.gate import gate
from askew.decide.policy import (
    Policy,
    Rule,
    policy_template,
    read_policy,
)
from askew.files import YamlFileError, read_yaml_file
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
    levelled, _ = policy.rules
    assert levelled.levels
    # What it shows as an example is measured where the task is run as it is.
    for rule in policy.rules:
        outcome = gate(Study(observed(rule.task, 30, model=("oracle", 0))), policy)
        assert all(c.n_items for c in outcome.checks if c.rule is rule)


def test_all_problems_are_told_at_once_with_their_rule(written):
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
  - {metric: omni_accuracy, min: 0, of: without_noise}
""")
    with pytest.raises(YamlFileError) as error:
        read_policy(path)
    told = str(error.value)
    assert told.count("is a fraction: 60 % is written 0.6") == 4
    for part in (
        "version:", "modles: no such field; valid: version, models",
        "rules 1: omni_accuracy is a fraction: 60 % is written 0.6",
        "rules 2, task:", "valid: all, knowno", "rules 2, mn: no such field",
        "rules 3: min 3 lies above max 1", "rules 4: give min, max or both",
        "rules 5: min and max are finite", "rules 6, bound:",
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


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: &x [1]\nb: *x", "line 2: aliases are not read"),
        ("a: 1\nb: 2\na: 3", "line 3: 'a' is given twice"),
        ("a: !!python/object/apply:os.getcwd []", "line 1: could not determine a constructor"),
        ("a: [1", "line 1"),
        ("- " * 5000 + "x", "nested too deep"),
        ("a: 1\n---\nb: 2", "line 2"),
        ("\x00", "policy.yaml"),
    ],
)
def test_yaml_that_is_no_plain_data_is_refused_with_its_line(written, text, told):
    with pytest.raises(YamlFileError, match=r"policy\.yaml") as error:
        read_yaml_file(written(text))
    assert told in str(error.value)


def test_a_file_that_is_not_text_or_too_large_is_refused(tmp_path):
    binary, large = tmp_path / "b.yaml", tmp_path / "l.yaml"
    binary.write_bytes(b"\xff\xfe\x00")
    large.write_text("# " + "x" * 1_100_000, encoding="utf-8")
    with pytest.raises(YamlFileError, match="not UTF-8"):
        read_yaml_file(binary)
    with pytest.raises(YamlFileError, match="larger than"):
        read_yaml_file(large)


# --- Rules and checks ----------------------------------------------------------------------------


def rule(**given):
    return Rule(**{"metric": "omni_accuracy", "task": "knowno", "min": 0.5} | given)


def test_what_a_rule_does_not_say_is_about_all_models_and_what_pools_all():
    made = Rule(metric="mbs", min=60)
    assert made.model_dump() == {
        "metric": "mbs", "task": "*", "model": "*", "subset": "all", "levels": {},
        "bound": "interval", "of": "value", "min": 60.0, "max": None, "min_items": 20, "name": "",
    }  # fmt: skip
    policy = Policy(version=1, rules=[made])
    assert policy.model_dump(exclude={"rules"}) == {
        "version": 1, "models": [], "max_left_out": 0.05, "allow_simulated": False,
    }  # fmt: skip
    assert rule(subset="b*", levels={"tier": "hard"}).named == {"subset": "b*", "tier": "hard"}
    assert made.named == {"subset": "all"}
    assert Rule(metric="mbs", max=60).min is None


@cases("given", "limits")
def test_limits_are_told_in_words(given, limits):
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


def test_every_problem_stands_on_its_line_with_its_place(written):
    path = written(
        "version: 1\nmodels: [1]\nmax_left_out: 2\nrules:\n- 7\n- {metric: a, min: 1, lvls: 2}\n"
        "- {metric: a, min: 1, levels: {x: 3}}"
    )
    with pytest.raises(YamlFileError) as error:
        read_policy(path)
    fields = "metric, task, model, subset, levels, bound, of, min, max, min_items, name"
    first, *lines = str(error.value).splitlines()
    assert first == (
        f"{path}: 5 problem(s) (askew gate --init prints a policy that explains itself)"
    )
    assert lines == [
        "  models 1: Input should be a valid string",
        "  max_left_out: Input should be less than or equal to 1",
        "  rules 1: Input should be a valid dictionary or instance of Rule",
        f"  rules 2, lvls: no such field; valid: {fields}",
        "  rules 3, levels, x: Input should be a valid string",
    ]


def test_a_file_that_is_no_mapping_is_a_problem_of_the_policy_or_of_its_rules(written):
    texts = {"[]": "file", "version: 1": "rules", "version: 1\nrules: x": "rules"}
    for text, place in texts.items():
        with pytest.raises(YamlFileError, match=rf"\n  {place}: ") as error:
            read_policy(written(text))
        assert "1 problem(s)" in str(error.value)
