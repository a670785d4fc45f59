"""`askew demo`: all tasks on three simulated models, from a folder that holds nothing else."""

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.papers import OWN, task_papers
from askew.report.study import Study


@pytest.mark.whole
def test_demo_runs_all_tasks_on_all_models_and_writes_the_report(tmp_path):
    folder = tmp_path / "shown"
    (folder / "logs").mkdir(parents=True)  # an earlier demo's, which goes
    (folder / "logs" / "earlier.txt").touch()
    done = CliRunner().invoke(main, ["demo", str(folder), "--items", "1"])
    assert done.exit_code == 0, done.output
    assert str(folder / "report.html") in done.output
    assert not (folder / "logs" / "earlier.txt").exists()
    rows = Study.read(str(folder / "logs"), quiet=True)
    assert set(rows.rows["model"]) == {
        f"respondent/{m}" for m in ("oracle", "typical", "agreeable")
    }
    assert set(rows.rows["task"]) == {t for t in task_papers() if t in OWN}
    assert rows.rows.groupby(["task", "model"])["log"].nunique().max() == 1
    printed = CliRunner().invoke(main, ["report", str(folder / "logs"), "--row"]).output
    models = {line.split(" | ")[0].removeprefix("| respondent/") for line in printed.splitlines()}
    assert models == {"typical", "oracle", "agreeable"}
    assert "Simulated" in (folder / "report.md").read_text(encoding="utf-8")


def test_a_folder_with_other_files_is_left_untouched(tmp_path):
    mine = tmp_path / "thesis.txt"
    mine.write_text("mine", encoding="utf-8")
    done = CliRunner().invoke(main, ["demo", str(tmp_path)])
    assert done.exit_code == 2
    assert "thesis.txt" in done.output
    assert mine.read_text(encoding="utf-8") == "mine"
