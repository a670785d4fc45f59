"""A task from the command line, as a user starts it."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole


def test_the_command_line_runs_the_task_by_name(tmp_path):
    """A program of its own, that finds the task by its entry point."""
    inspect = Path(sys.executable).with_name("inspect")
    asked = ["eval", "askew/knowno", "--model", "respondent/oracle", "--limit", "8"]
    command = [inspect, *asked, "--display", "plain", "--log-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "omni_accuracy" in done.stdout
    assert len(list(tmp_path.glob("*.eval"))) == 1
