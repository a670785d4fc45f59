"""Inspect's own commands over askew's tasks: a log scored again."""

import pytest
from inspect_ai.log import list_eval_logs

from askew.report.study import Study

pytestmark = pytest.mark.whole
SMALL = {"knowno": "items=3"}


@pytest.fixture
def inspect(forks, tmp_path):
    def _inspect(*words, ended=0, **how):
        started = forks.start(["inspect", *words], tmp_path, **how)
        said = forks.ended(started)
        assert said == ended, (tmp_path / "output.txt").read_text(encoding="utf-8")

    return _inspect


def found(folder):
    observations = Study.read(folder, quiet=True)
    assert not observations.rows.duplicated(["sample_id", "epoch"]).any()
    kept = observations.rows.drop(columns=["log", "run"]).sort_values(["sample_id", "epoch"])
    return kept.reset_index(drop=True), observations.excluded


@pytest.mark.parametrize("task", SMALL)
def test_a_log_scored_again_by_command_counts_each_sample_once_and_alike(inspect, tmp_path, task):
    asked = [f"askew/{task}", "-T", SMALL[task], "--model", "respondent/typical"]
    inspect("eval", *asked, "--log-dir", "logs")
    first, _ = found(tmp_path / "logs")
    (log,) = list_eval_logs(str(tmp_path / "logs"))
    scorer = ["--scorer", f"askew/{task}_scorer"]
    inspect("score", log.name, *scorer, "--action", "append", "--output-file", "logs/a-scored.eval")
    inspect("score", log.name, *scorer, "--action", "overwrite", "--overwrite")
    again, told = found(tmp_path / "logs")
    assert again.equals(first)
    assert dict(zip(told["what"], told["count"], strict=True)) == {"superseded": len(first)}
