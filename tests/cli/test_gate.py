"""`askew gate`: exit codes that a pipeline can trust."""

from xml.etree import ElementTree

import pytest


@pytest.fixture
def policy(tmp_path):
    def _policy(text):
        path = tmp_path / "policy.yaml"
        head = "version: 1\nallow_simulated: true\nrules:\n"
        path.write_text(head + text, encoding="utf-8")
        return path

    return _policy


OMNI = "- {task: knowno, metric: omni_accuracy, min_items: 1, %s}\n"
NONE = "INCONCLUSIVE: 0 passed, 0 failed, %d inconclusive"


@pytest.mark.parametrize(
    ("rules", "code", "verdict"),
    [
        (OMNI % "min: 0.1", 0, "PASS: 2 passed, 0 failed, 0 inconclusive"),
        (OMNI % "min: 0.99, bound: value", 1, "FAIL: 1 passed, 1 failed, 0 inconclusive"),
        (OMNI % "min: 0.99", 1, "FAIL: 0 passed, 1 failed, 1 inconclusive"),
        (OMNI.replace("1,", "100,") % "min: 0.1", 3, NONE % 2),
        ("- {task: binary_qa, metric: mbs, min: 10}\n", 3, NONE % 1),
    ],
)
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


STAGES = ("decide.policy.read_policy", "report.study.Study.read", "decide.gate.gate",
          "decide.documents.junit_xml", "decide.documents.gate_document",
          "report.render.terminal_text")  # fmt: skip


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
