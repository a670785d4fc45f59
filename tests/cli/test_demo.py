"""`askew demo`: all tasks on three simulated models, from a folder that holds nothing else."""

from contextlib import nullcontext
from importlib import import_module
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from askew import files
from askew.cli import main
from askew.papers import OWN, task_papers
from askew.report.study import Study


@pytest.fixture
def here(monkeypatch):
    """The demo's runs in this process, on the first of its models."""
    plan = files.yaml_of("askew.cli", "demo.yaml")
    few = {"demo.yaml": {**plan, "models": plan["models"][:1]}}
    told = files.yaml_of
    monkeypatch.setattr(files, "yaml_of", lambda at, name: few.get(name) or told(at, name))
    pool = nullcontext(SimpleNamespace(map=map))
    monkeypatch.setattr(
        import_module("askew.cli.demo"), "ProcessPoolExecutor", lambda *_, **__: pool
    )
    return plan["models"][0]


@pytest.mark.whole
def test_demo_runs_all_tasks_and_writes_the_report(here, tmp_path):
    folder = tmp_path / "shown"
    (folder / "logs").mkdir(parents=True)  # an earlier demo's, which goes
    (folder / "logs" / "earlier.txt").touch()
    done = CliRunner().invoke(main, ["demo", str(folder), "--items", "1"])
    assert done.exit_code == 0, done.output
    assert str(folder / "report.html") in done.output
    assert not (folder / "logs" / "earlier.txt").exists()
    rows = Study.read(str(folder / "logs"), quiet=True)
    assert set(rows.rows["model"]) == {here}
    assert set(rows.rows["task"]) == {t for t in task_papers() if t in OWN}
    assert rows.rows.groupby(["task", "model"])["log"].nunique().max() == 1
    printed = CliRunner().invoke(main, ["report", str(folder / "logs"), "--row"]).output
    assert f"| {here} | " in printed
    assert "Simulated" in (folder / "report.md").read_text(encoding="utf-8")


def test_a_folder_with_other_files_is_left_untouched(tmp_path):
    mine = tmp_path / "thesis.txt"
    mine.write_text("mine", encoding="utf-8")
    done = CliRunner().invoke(main, ["demo", str(tmp_path)])
    assert done.exit_code == 2
    assert "thesis.txt" in done.output
    assert mine.read_text(encoding="utf-8") == "mine"
