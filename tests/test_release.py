"""The release: versions come from tags, and a checklist is walked through."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def git(folder, *words):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def ready(tmp_path):
    """A tree in which all quick steps are met for 1.2.3."""
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 (2026-12-01)\n\n- All.\n")
    (tmp_path / "register" / "knowno").mkdir(parents=True)
    changes = "# Changes\n\n## 1-A (2026-12-01)\n"
    (tmp_path / "register" / "knowno" / "CHANGELOG.md").write_text(changes)
    words = f"repository:\n  url: https://git.example.com/a/b\n  commit: {'a1' * 20}\n"
    (tmp_path / "register" / "words.yaml").write_text(words)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    return tmp_path


def walk(folder, version="1.2.3"):
    return subprocess.run(
        [sys.executable, str(ROOT / ".ci" / "release"), version, "--brief"],
        env={**os.environ, "ASKEW_RELEASE_ROOT": str(folder)}, capture_output=True, text=True,
    )  # fmt: skip


@pytest.mark.whole
def test_what_is_met_ends_in_the_steps_that_are_left_to_a_person(ready):
    done = walk(ready)
    assert done.returncode == 0, done.stdout
    assert "[ ]" not in done.stdout
    assert "git tag -a v1.2.3" in done.stdout


def test_the_version_stands_in_no_file():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert told["project"]["dynamic"] == ["version"]
    assert "version" not in told["project"]
    assert told["tool"]["hatch"]["version"]["source"] == "vcs"
