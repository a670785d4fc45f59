"""Inspect's own commands over askew's tasks: scored again, retried, answered from the cache."""

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from askew.analysis import left_out, read_observations
from askew.papers import asked_for, asking

pytestmark = pytest.mark.whole
SMALL = {"knowno": 3, "instruction_boundary": 3, "mathcomp": 2, "format_bias": 4, "binary_qa": 3}


@pytest.fixture
def inspect(forks, tmp_path):
    def _inspect(*words, ended=0, **how):
        started = forks.start(["inspect", *words], tmp_path, **how)
        said = forks.ended(started)
        assert said == ended, (tmp_path / "output.txt").read_text(encoding="utf-8")

    return _inspect


def evaluated(inspect, task, *more, ended=0, **how):
    given = ["--model", "respondent/typical", "-T", f"items={SMALL[task]}", "--log-dir", "logs"]
    inspect("eval", f"askew/{task}", *given, *more, ended=ended, **how)


def found(folder):
    observations = read_observations(folder, quiet=True)
    assert not observations.duplicated(["sample_id", "epoch"]).any()
    kept = observations.drop(columns=["log", "run"]).sort_values(["sample_id", "epoch"])
    return kept.reset_index(drop=True), left_out(observations)


@pytest.mark.parametrize("task", asking())
def test_a_log_scored_again_by_command_counts_each_sample_once_and_alike(inspect, tmp_path, task):
    evaluated(inspect, task)
    first, _ = found(tmp_path / "logs")
    (log,) = list_eval_logs(str(tmp_path / "logs"))
    scorer = ["--scorer", f"askew/{task}_scorer"]
    inspect("score", log.name, *scorer, "--action", "append", "--output-file", "logs/a-scored.eval")
    inspect("score", log.name, *scorer, "--action", "overwrite", "--overwrite")
    again, told = found(tmp_path / "logs")
    assert again.equals(first)
    assert dict(zip(told["what"], told["count"], strict=True)) == {"superseded": len(first)}


def test_a_killed_run_is_retried_by_command_and_nothing_counts_twice(inspect, tmp_path):
    evaluated(
        inspect, "knowno", "--log-buffer", "1", "--max-samples", "1", moment="asking", ended=-9
    )
    begun, told = found(tmp_path / "logs")
    planned = [str(s.id) for s in asked_for("knowno").make(items=SMALL["knowno"]).dataset]
    assert 0 < len(begun) < len(planned)
    assert told["count"].sum() == len(planned) - len(begun)
    (log,) = list_eval_logs(str(tmp_path / "logs"))
    inspect("eval-retry", log.name, "--log-dir", "logs")
    whole, told = found(tmp_path / "logs")
    assert sorted(whole["sample_id"]) == sorted(planned)
    assert set(told["what"]) <= {"superseded"}
    kept = whole[whole["sample_id"].isin(begun["sample_id"])].reset_index(drop=True)
    assert kept["answer"].tolist() == begun["answer"].tolist()


def test_a_cached_run_says_what_the_first_one_said_and_epochs_stay_apart(inspect, tmp_path):
    """Calls are counted by Inspect's own mark on a reply that came from the cache."""
    cache = {"INSPECT_CACHE_DIR": str(tmp_path / "cache")}
    logs = []
    for folder in ("one", "two"):
        evaluated(inspect, "knowno", "--cache", "1D", "--epochs", "2", "--log-dir", folder, **cache)
        (log,) = list_eval_logs(str(tmp_path / folder))
        logs.append(read_eval_log(log))
    cached = [
        [e.cache for s in log.samples for e in s.events if e.event == "model"] for log in logs
    ]
    assert {*cached[0]} == {"write"}
    assert {*cached[1]} == {"read"}
    (one, _), (two, _) = found(tmp_path / "one"), found(tmp_path / "two")
    assert one["epoch"].value_counts().to_dict() == {1: len(one) / 2, 2: len(one) / 2}
    assert two.equals(one)
