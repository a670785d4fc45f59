"""Tasks, scorers and solvers by path: `inspect eval tasks/knowno.py`."""

import json
import shutil
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from askew import __version__, read_observations
from askew.papers import papers
from tests.cases import cases_of

ROOT = Path(__file__).resolve().parents[1]
TASKS = [paper.task for paper in papers()]
FEW = ["-T", "items=2", "--model", "respondent/oracle", "--display", "none"]
MINE = cases_of(__file__, "MINE")
OPTIONS = ["Canoe", "Cart", "Sled"]
RECORD = {"id": "boats", "story": "", "question": "Which is a boat?", "options": OPTIONS}
pytestmark = pytest.mark.whole


@pytest.fixture
def inspect(forks, tmp_path):
    """Run in a folder that has the three folders of the project, as a shell runs it there."""
    for folder in ("tasks", "scorers", "solvers"):
        shutil.copytree(ROOT / folder, tmp_path / folder)

    def _inspect(*words):
        code, out, err = forks(["inspect", *words], tmp_path)
        assert code == 0, out + err

    return _inspect


def only_log(folder):
    (log,) = folder.glob("*.eval")
    return log


def test_every_file_of_the_top_level_is_a_file_and_no_link():
    for folder in ("tasks", "scorers", "solvers"):
        assert not (ROOT / folder).is_symlink()
        assert [p for p in (ROOT / folder).iterdir() if p.is_symlink()] == []
    for folder in ("tasks", "scorers"):
        assert {p.stem for p in (ROOT / folder).glob("*.py")} == set(TASKS)


@pytest.mark.parametrize("folder", ["tasks", "scorers"])
@pytest.mark.parametrize("task", TASKS)
def test_a_file_loads_as_inspect_loads_it(task, folder):
    """Outside `sys.modules`, with a function of the task's name."""
    spec = spec_from_file_location(f"by_path_{task}", ROOT / folder / f"{task}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    made = getattr(module, task if folder == "tasks" else f"{task}_scorer")
    assert {*signature(made).parameters} >= {"tasks": {"metrics"}, "scorers": set()}[folder]


@pytest.mark.parametrize("task", ["knowno", "bend"])
def test_a_task_runs_and_is_scored_again_by_path(task, inspect, tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "mine.jsonl").write_text(json.dumps({**RECORD, "gold_option": "Canoe"}))
    more = ["task=mine.py", "-T", "treatments=repeat"] if task == "bend" else ["data=mine.jsonl"]
    run = [f"tasks/{task}.py", "-T", *more, *FEW[2:], "--log-dir", "logs"]
    inspect("eval", *run)
    log = only_log(tmp_path / "logs")
    header = read_eval_log(str(log), header_only=True)
    assert header.status == "success"
    assert header.eval.metadata["askew"] == __version__
    assert {*header.eval.task_args} > {"metrics"}, "defaults are logged"
    again = tmp_path / "again.eval"
    scorer = f"scorers/{task}.py@{task}_scorer"
    inspect("score", log, "--scorer", scorer, "--action", "overwrite", "--output-file", again,
            "--display", "none")  # fmt: skip
    if task == "bend":  # Takes over the author's scores, which `overwrite` drops.
        return
    first, second = read_observations(log), read_observations(again)
    assert len(first) > 0
    measures = [c for c in first if c in second and c not in ("log", "run", "scorer")]
    assert first[measures].equals(second[measures])


def test_a_step_runs_by_path(inspect, tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    step = "solvers/chain.py@framing_insertion"
    inspect("eval", "mine.py", "--solver", step, *FEW[2:])
