"""The audit in docs/audit.md, command by command: killed, resumed, reported, compared, gated."""

import os
import re
import shlex
import signal
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from askew.decide.policy import read_policy
from askew.papers import asked_for, asking
from askew.report.study import Study

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parents[1]
RECIPE = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
ITEMS = 2
MODELS = {"openai/gpt-5-mini": "respondent/agreeable", "openai/gpt-5": "respondent/typical"}


def commands(word):
    """The recipe's commands that start with these words, as the tests run them: small, offline."""
    blocks = re.findall(r"```bash\n(.*?)```", RECIPE, re.DOTALL)
    lines = [c.strip() for b in blocks for c in b.replace("\\\n", " ").splitlines()]
    found = [c for c in lines if c.startswith(word)]
    assert found, f"the recipe has no command {word!r}"
    for real, simulated in MODELS.items():
        found = [c.replace(real, simulated) for c in found]
    return [c.replace("docs/policy.yaml", str(ROOT / "docs" / "policy.yaml")) for c in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("audit")


@pytest.fixture(scope="module")
def shell(forks, folder):
    """Do a command in the audit's folder: its exit code and what it said."""

    def _shell(command):
        for said in ("out.txt", "err.txt"):
            (folder / said).unlink(missing_ok=True)
        started = forks.start(shlex.split(command), folder, output="out.txt", errors="err.txt")
        code = forks.ended(started)
        return code, *((folder / n).read_text(encoding="utf-8") for n in ("out.txt", "err.txt"))

    return _shell


EVAL_SET = f"{commands('inspect eval-set')[0]} -T items={ITEMS}"


@pytest.fixture(scope="module")
def killed(forks, folder):
    """The audit, killed in the middle: some logs are done, one is not."""
    slow = "--max-tasks 1 --max-samples 1 --log-buffer 1"
    process = forks.start(shlex.split(f"{EVAL_SET} {slow}"), folder)
    logs = folder / "audit" / "logs"
    try:
        for _ in range(1200):
            time.sleep(0.1)
            if len(list(logs.glob("*.eval"))) >= 3:
                break
        else:
            pytest.fail("the audit never got to its third task")
    finally:
        os.kill(process, signal.SIGKILL)
        forks.ended(process)
    headers = [read_eval_log(log, header_only=True) for log in list_eval_logs(str(logs))]
    assert "started" in {h.status for h in headers}
    assert "success" in {h.status for h in headers}
    return {h.location for h in headers if h.status == "success"}


def test_an_audit_that_was_killed_can_t_pass_the_gate(shell, killed):
    code, out, err = shell(commands("askew gate")[0])
    assert code in (1, 2), err
    assert "can't tell" in out.splitlines()[-1]


@pytest.fixture(scope="module")
def resumed(shell, killed):
    code, out, err = shell(EVAL_SET)
    assert code == 0, out + err
    return killed


def test_the_same_command_completes_it_and_keeps_what_was_done(folder, resumed):
    logs = list_eval_logs(str(folder / "audit" / "logs"))
    headers = [read_eval_log(log, header_only=True) for log in logs]
    done = [(h.eval.task, h.eval.model) for h in headers if h.status == "success"]
    assert len(done) == len(set(done)) == len(asking()) * len(MODELS)
    # What the killed process had begun may stay beside its continuation.
    assert len(headers) <= len(done) + 1
    assert resumed <= {h.location for h in headers}


def test_every_sample_counts_once(folder, resumed):
    observations = Study.read(str(folder / "audit" / "logs"), quiet=True)
    asked = {t: len(asked_for(t).make(items=ITEMS).dataset) for t in asking()}
    counts = observations.rows.groupby(["task", "model"]).size()
    unscored = observations.excluded
    lost = unscored[unscored["what"] == "unscored"].groupby(["task", "model"])["count"].sum()
    assert set(counts.index) == {(t, m) for t in asking() for m in MODELS.values()}
    for (task, model), count in counts.items():
        assert count + lost.get((task, model), 0) == asked[task]
    assert not observations.rows.duplicated(["model", "task", "sample_id", "epoch"]).any()


@pytest.mark.parametrize("number", range(len(commands("askew report"))))
def test_the_reports_are_written(shell, folder, resumed, number):
    command = commands("askew report")[number]
    code, _, err = shell(command)
    assert code == 0, err
    words = command.split()
    for written in (words[i + 1] for i, word in enumerate(words) if word == "-o"):
        assert "respondent/typical" in (folder / written).read_text(encoding="utf-8")


def test_the_models_are_compared(shell, folder, resumed):
    code, out, err = shell(commands("askew compare")[0])
    assert code == 0, err
    assert all(f"{task}: respondent/agreeable (simulated)" in out for task in asking())
    assert "mitigated" not in out
    assert (folder / "audit" / "compare.html").stat().st_size > 5_000


def test_the_gate_measures_every_rule_of_the_example(shell, folder, resumed):
    code, out, err = shell(commands("askew gate")[0])
    assert code in (1, 2), err
    rules = read_policy(ROOT / "docs" / "policy.yaml").rules
    # So few items can't tell much, but every metric that a rule names is there.
    assert "no metric fits" not in out
    assert "not measured" not in out
    assert {r.task for r in rules} == set(asking())
    root = ElementTree.parse(folder / "audit" / "gate.xml").getroot()
    assert int(root.get("tests")) >= len(rules) * len(MODELS)


def test_the_file_of_the_audit_is_checked_and_its_parts_named(shell, folder):
    (folder / "docs").mkdir(exist_ok=True)
    for name in ("audit.yaml", "policy.yaml"):
        (folder / "docs" / name).write_bytes((ROOT / "docs" / name).read_bytes())
    first, second = commands("askew audit")
    assert first == f"{second} --dry-run"
    code, out, err = shell(first)
    assert code == 0, err
    assert {line.partition(",")[0] for line in out.splitlines()} == set(asking())
