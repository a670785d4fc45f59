"""Policies: what a person writes is read as meant, and every mistake is told at once."""

import re

import pytest
import yaml

from askew.decide.gate import gate
from askew.decide.policy import PolicyError, policy_template, read_policy
from askew.decide.yaml_files import YamlFileError, read_yaml_file
from askew.papers import metric_of
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


def test_the_template_limits_on_both_sides_what_is_best_near_zero():
    two_sided = TEMPLATE.partition("either side.")[2]
    task, metric = re.findall(r"(?:task|metric): (\w+)", two_sided)
    assert metric_of(task, metric).better == "nearer zero"


@pytest.mark.whole
def test_the_rules_that_the_template_comments_out_are_valid_too(written):
    lines = [line.removeprefix("  # ") for line in TEMPLATE.splitlines() if line.startswith("  # ")]
    rules = yaml.safe_load("\n".join(x for x in lines if x.startswith(("- ", "  "))))
    policy = read_policy(written(yaml.safe_dump({"version": 1, "rules": rules})))
    levelled, _ = policy.rules
    assert levelled.levels
    # What it shows as an example is measured where the task is run as it is.
    for rule in policy.rules:
        outcome = gate(observed(rule.task, 30, model=("oracle", 0)), policy)
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
    with pytest.raises(PolicyError) as error:
        read_policy(path)
    told = str(error.value)
    assert told.count("is a fraction: 60 % is written 0.6") == 4
    for part in (
        "version:", "modles: no such field; valid: version, models",
        "rule 1: omni_accuracy is a fraction: 60 % is written 0.6",
        "rule 2, task:", "valid: all, knowno", "rule 2, mn: no such field",
        "rule 3: min 3 lies above max 1", "rule 4: give min, max or both",
        "rule 5: min and max are finite", "rule 6, bound:",
        *(f"rule {n}: " for n in (7, 8, 9)), "rule 10: omni_accuracy has no noise to take off",
    ):  # fmt: skip
        assert part in told


@pytest.mark.parametrize("text", ["", "[]", "version: 1", "version: 1\nrules: []", "just words"])
def test_what_is_no_policy_is_refused(written, text):
    with pytest.raises(PolicyError):
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
