"""Tasks through Inspect's front doors: mock models with canned replies, names and paths."""

import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from askew.papers.knowno.scorer import knowno_scorer
from askew.papers.knowno.tasks import knowno
from askew.solvers.chain import reveal_truth
from tests.conftest import metric_values

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parents[1]


def always(text):
    """A mock model with one reply; its usage is given, so no token encoding is fetched."""

    def reply(messages, tools, tool_choice, config):
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
        return output

    return get_model("mockllm/model", custom_outputs=reply)


def test_a_model_that_always_says_none_has_half(tmp_path):
    (log,) = eval(
        knowno(items=9, metrics="all"), model=always("none-of-them"), display="none",
        log_dir=str(tmp_path),
    )  # fmt: skip
    assert log.status == "success"
    assert metric_values(log)["omni_accuracy"] == 0.5
    assert metric_values(log)["pattern_none"] == 1.0


def test_a_mock_model_never_meets_the_truth(tmp_path):
    task = Task(dataset=knowno(items=1).dataset, solver=reveal_truth(), scorer=knowno_scorer())
    (log,) = eval(task, model=always("A"), display="none", log_dir=str(tmp_path))
    assert not log.samples[0].store


COMMAND = [
    "--model", "respondent/oracle", "--limit", "8", "--display", "plain", "--log-dir",
]  # fmt: skip


def test_the_command_line_runs_the_task_by_name(tmp_path):
    """As a user starts it: a program of its own, that finds the task by its entry point."""
    inspect = Path(sys.executable).with_name("inspect")
    command = [inspect, "eval", "askew/knowno", *COMMAND, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "omni_accuracy" in done.stdout
    assert len(list(tmp_path.glob("*.eval"))) == 1


def test_the_command_line_runs_the_task_by_path(forks, tmp_path):
    words = ["inspect", "eval", "tasks/knowno.py", *COMMAND, tmp_path]
    code = forks.ended(forks.start(words, ROOT, output=str(tmp_path / "output.txt")))
    said = (tmp_path / "output.txt").read_text(encoding="utf-8")
    assert code == 0, said
    assert "omni_accuracy" in said
    assert len(list(tmp_path.glob("*.eval"))) == 1


def test_the_scorer_rescores_a_log_by_name(forks, tmp_path):
    eval(knowno(items=2), model=always("A"), display="none", log_dir=str(tmp_path))
    (path,) = tmp_path.glob("*.eval")
    options = ["--scorer", "askew/knowno_scorer", "--action", "overwrite", "--overwrite"]
    code = forks.ended(forks.start(["inspect", "score", path, *options], tmp_path))
    assert code == 0, (tmp_path / "output.txt").read_text(encoding="utf-8")
