"""The audit as an inspect-flow spec: it runs offline, and its logs are those of an eval-set."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from askew.papers import task_papers
from askew.report.study import Study

pytestmark = [
    pytest.mark.whole,
    # Importing it takes seconds: only its programs do so.
    pytest.mark.skipif(not find_spec("inspect_flow"), reason="inspect-flow is not installed"),
]

ROOT = Path(__file__).resolve().parents[1]
MODELS = {"openai/gpt-5-mini": "respondent/agreeable", "openai/gpt-5": "respondent/typical"}
# Of the tasks that the spec lists; the others run in the same way.
RUN = ("knowno", "binary_qa")


def flow(folder, *options):
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        [
            Path(sys.executable).with_name("flow"), "run", "audit_flow.py", "--store", "none",
            *options,
        ],
        cwd=folder, env={**os.environ, "PATH": programs, "INSPECT_LOG_LEVEL": "error"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_spec_lists_every_task_and_runs_on_every_model(tmp_path):
    if not (shutil.which("uv") or Path(sys.executable).with_name("uv").exists()):
        pytest.skip("inspect-flow needs the program uv")
    spec = (ROOT / "docs" / "audit_flow.py").read_text(encoding="utf-8")
    for real, simulated in MODELS.items():
        spec = spec.replace(real, simulated)
    for task in task_papers():
        assert f'"askew/{task}",' in spec
        spec = spec if task in RUN else spec.replace(f'"askew/{task}",', "")
    (tmp_path / "audit_flow.py").write_text(spec.replace('"items": 40', '"items": 2'))
    ran = flow(tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr

    def answered():
        logs = list_eval_logs(str(tmp_path / "audit" / "logs"))
        headers = [read_eval_log(log, header_only=True) for log in logs]
        return sorted((h.eval.task, h.eval.model, h.status) for h in headers)

    first = answered()
    assert first == sorted(
        (f"askew/{task}", model, "success") for task in RUN for model in MODELS.values()
    )
    observations = Study.read(str(tmp_path / "audit" / "logs"), quiet=True)
    assert set(observations.rows["task"]) == {*RUN}
    assert not observations.rows.duplicated(["model", "task", "sample_id", "epoch"]).any()
