"""`askew gate`: exit codes that a pipeline can trust."""

from xml.etree import ElementTree

import pytest

from tests.cases import cases, cases_of


@pytest.fixture
def policy(tmp_path):
    def _policy(text):
        path = tmp_path / "policy.yaml"
        head = "version: 1\nallow_simulated: true\nrules:\n"
        path.write_text(head + text, encoding="utf-8")
        return path

    return _policy


OMNI = "- {task: knowno, metric: omni_accuracy, min_items: 1, %s}\n"


@cases("rules", "code", "verdict")
def test_the_exit_code_shows_pass_fail_or_inconclusive(askew, logs, policy, rules, code, verdict):
    done, out, _ = askew("gate", logs, "--policy", policy(rules))
    assert (done, out.splitlines()[-1]) == (code, verdict)


def test_simulated_models_pass_only_if_the_policy_allows_them(askew, logs, policy):
    path = policy(OMNI % "min: 0.1")
    path.write_text(path.read_text().replace("allow_simulated: true", ""), encoding="utf-8")
    code, out, _ = askew("gate", logs, "--policy", path)
    assert (code, out.splitlines()[-1]) == (3, "INCONCLUSIVE: 2 passed, 0 failed, 2 inconclusive")


def test_junit_xml_is_written_also_where_the_gate_fails(askew, logs, policy, tmp_path):
    target = tmp_path / "out" / "gate.xml"
    code, _, _ = askew("gate", logs, "--policy", policy(OMNI % "min: 0.99"), "--junit", target)
    assert code == 1
    assert ElementTree.parse(target).getroot().get("failures") == "1"
    assert [p.name for p in target.parent.iterdir()] == ["gate.xml"]


def test_a_wrong_policy_is_rejected_before_logs_are_read(askew, policy, tmp_path):
    code, _, err = askew("gate", tmp_path / "no logs", "--policy", policy(OMNI % "min: 50"))
    assert code == 2
    assert "write 0.6 for 60%" in err
    assert "Traceback" not in err


STAGES = cases_of(__file__, "STAGES")


@pytest.mark.parametrize("stage", STAGES)
def test_an_unforeseen_error_never_exits_as_a_rule_that_fails(
    askew, logs, policy, tmp_path, monkeypatch, stage
):
    def fail(*_, **__):
        raise RuntimeError("unforeseen") if stage in STAGES[::2] else BrokenPipeError(32, "broken")

    monkeypatch.setattr(f"askew.{stage}", fail)
    monkeypatch.setattr("os.dup2", lambda *_: None)
    junit = tmp_path / "gate.xml"
    code, *_ = askew("gate", logs, "--policy", policy(OMNI % "min: 0.1"), "--junit", junit)
    assert code == 2
