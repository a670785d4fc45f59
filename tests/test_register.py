"""The register's entries: declared, measured, and such as the register takes."""

import re
import runpy
from pathlib import Path

import pytest
import yaml
from inspect_evals.metadata import ExternalEvalMetadata, TaskVersion

from askew.papers import OWN, get_paper, task_papers

ROOT = Path(__file__).resolve().parents[1]
REGISTER = ROOT / "register"


def entry(task):
    told = yaml.safe_load((REGISTER / task / "eval.yaml").read_text(encoding="utf-8"))
    return told | {"id": task}


@pytest.mark.whole
def test_the_drafts_are_what_is_declared():
    draft = runpy.run_path(str(REGISTER / "draft.py"))
    for file, wanted in draft["entries"]():
        assert file.read_text(encoding="utf-8") == wanted, "run: python register/draft.py"


@pytest.mark.parametrize("task", OWN)
def test_the_registers_own_model_takes_the_entry(task):
    taken = ExternalEvalMetadata(**entry(task))
    assert [t.name for t in taken.tasks] == [task]
    assert "\n" not in taken.description
    assert (ROOT / taken.tasks[0].task_path).is_file()


@pytest.mark.parametrize("task", OWN)
def test_the_version_has_the_registers_form_and_a_changelog_entry(task):
    version = get_paper(task).version
    assert TaskVersion(version).full_version == version
    changes = (REGISTER / task / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", changes, re.M)[0] == version


@pytest.mark.parametrize("task", task_papers())
def test_a_tasks_version_is_the_registers_and_then_its_questions_and_prompts(task):
    paper = get_paper(task)
    made = paper.make(items=1)
    revisions = (made.metadata["data_revision"], made.metadata["prompt_revision"])
    assert made.version == "-".join((paper.version, *revisions))
