"""The action: its steps on a stand-in for what a runner gives them, and what they conclude."""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from tests.cases import cases

pytestmark = pytest.mark.whole

ACTION = Path(__file__).resolve().parents[1] / "action"
TOLD = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
RULES = "rules: [{name: sees what is missing, task: knowno, metric: gap, max: 0.2}]"


@dataclass
class Job:
    """What came of a job."""

    failed: bool = False
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    said: str = ""
    kept: set[str] = field(default_factory=set)


def run(folder: Path, programs: Path, **given: str) -> Job:
    """Every step in its order, as a runner does: files for outputs and summary, `if`, and `env`."""
    inputs = {name: i.get("default", "") for name, i in TOLD["inputs"].items()} | given
    job, steps = Job(), {}
    for n, step in enumerate(TOLD["runs"]["steps"]):
        condition = step.get("if", "")
        if condition == "inputs.install != ''" and not inputs["install"]:
            continue
        if job.failed and condition != "always()":
            continue

        def filled(text: str) -> str:
            found = re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: inputs[m[1]], text)
            outputs = r"\$\{\{ steps\.(\w+)\.outputs\.(\w+) \}\}"
            return re.sub(outputs, lambda m: steps.get(m[1], {}).get(m[2], ""), found)

        if "uses" in step:
            kept = folder / filled(step["with"]["path"])
            job.kept = {p.relative_to(kept).as_posix() for p in kept.rglob("*") if p.is_file()}
            continue
        files = {name: folder / f"{name}-{n}" for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.touch()
        assert "${{" not in step["run"], "inputs reach the shell by its environment alone"
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder, capture_output=True, text=True,
            env={
                **os.environ,
                "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
                "GITHUB_ACTION_PATH": str(ACTION),
                **{name: str(path) for name, path in files.items()},
                **{name: filled(value) for name, value in step.get("env", {}).items()},
            },
        )  # fmt: skip
        told = files["GITHUB_OUTPUT"].read_text("utf-8").splitlines()
        steps[step.get("id", str(n))] = dict(line.split("=", 1) for line in told)
        job.summary += files["GITHUB_STEP_SUMMARY"].read_text("utf-8")
        job.said += done.stdout + done.stderr
        job.failed |= done.returncode != 0
    job.outputs = steps.get("audit", {})
    return job


def audit(folder: Path, **given: str | Path) -> Job:
    (folder / "policy.yaml").write_text(f"version: 1\nallow_simulated: true\n{RULES}\n", "utf-8")
    usual = {"tasks": "askew/knowno", "items": "24", "install": "", "policy": "policy.yaml"}
    return run(folder, **{**usual, "models": "respondent/agreeable", **given})


KEPT = {"report.html", "report.json", "summary.md", "gate.json", "gate.xml"}


def test_an_audit_fails_by_its_policy_and_keeps_its_results(forks, tmp_path):
    job = audit(tmp_path, programs=forks.programs(tmp_path / "programs"))
    assert (job.outputs["conclusion"], job.failed) == ("fail", True), job.said
    assert "Policy: FAIL" in job.summary
    assert RULES in job.summary
    assert job.kept >= KEPT
    assert any(name.startswith("logs/") and name.endswith(".eval") for name in job.kept)
    assert {"cards/respondent-agreeable.md", "cards/respondent-agreeable.json"} <= job.kept
    assert "::error" in job.said
    assert "::warning" not in job.said


# In the place of askew: writes what it is told to, and its gate ends as is said.
STANDIN = """#!/bin/sh
command=$1
while [ $# -gt 0 ]; do if [ "$1" = -o ]; then echo found > "$2"; fi; shift; done
if [ "$command" = {command} ]; then exit {code}; fi
"""


def stand_ins(folder: Path, command: str, code: int) -> Path:
    programs = folder / "programs"
    programs.mkdir()
    for name, text in (("askew", STANDIN), ("inspect", "#!/bin/sh\n")):
        (programs / name).write_text(text.format(command=command, code=code), "utf-8")
        (programs / name).chmod(0o755)
    return programs


@cases("code", "conclusion", "failed")
def test_an_audit_concludes_as_its_gate_ends(tmp_path, code, conclusion, failed):
    job = audit(tmp_path, programs=stand_ins(tmp_path, "gate", code), inconclusive="warn")
    assert (job.outputs["conclusion"], job.failed) == (conclusion, failed)
    assert ("::error" in job.said) == failed
    assert ("::warning" in job.said) == (conclusion == "inconclusive")


# Words of an input are no commands.
@cases("given")
def test_an_audit_that_can_not_run_is_an_error_with_the_reason(tmp_path, given):
    job = audit(tmp_path, programs=stand_ins(tmp_path, "report", 2), **given)
    assert (job.outputs["conclusion"], job.failed) == ("error", True)
    assert "did not run" in job.summary
    assert not (tmp_path / "stolen").exists()


@cases("conclusion", "inconclusive", "code", "told")
def test_what_is_no_clear_pass_stops_the_job(conclusion, inconclusive, code, told):
    given = {**os.environ, "CONCLUSION": conclusion, "INCONCLUSIVE": inconclusive}
    script = ["bash", str(ACTION / "conclude.sh")]
    done = subprocess.run(script, env=given, capture_output=True, text=True, check=False)
    assert (done.returncode, told in done.stdout) == (code, True)


def test_the_policy_that_comes_with_it_is_one():
    from askew.decide.policy import read_policy

    assert len(read_policy(str(ACTION / "policy.yaml")).rules) == 3
