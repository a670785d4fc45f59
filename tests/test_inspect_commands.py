"""Inspect's own commands over askew's tasks: scored again, retried, answered from the cache."""

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from askew.report.study import Study

pytestmark = pytest.mark.whole
SMALL = {"knowno": "items=3", "format_bias": "items=4"}


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


SUMS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate

@task
def sums():
    samples = [Sample(id=a, input=f"What is {a} + 5?", target=str(a + 5)) for a in (3, 4)]
    return Task(dataset=samples, solver=generate(), scorer=match(numeric=True))
"""
# How a task is run, and at which call it is killed.
KILLED = {
    "knowno": (["items=2"], "asking"),
    "bend": (["task=sums.py", "treatments=repeat,reflection"], "second turn"),
}


def answered(folder):
    """The calls of a folder's last log: whose, and how answered, as Inspect marks."""
    log = read_eval_log(max(list_eval_logs(str(folder)), key=lambda log: log.mtime))
    for sample in log.samples:
        for call in (e for e in sample.events if e.event == "model"):
            yield (sample.id, sample.epoch), call.cache


@pytest.mark.parametrize("task", KILLED)
def test_a_killed_run_is_retried_by_command_and_a_second_one_answered_from_the_cache(
    inspect, tmp_path, task
):
    (tmp_path / "sums.py").write_text(SUMS, encoding="utf-8")
    given, moment = KILLED[task]
    words = [f"askew/{task}", "--model", "respondent/typical", "--cache", "1D", "--epochs", "2"]
    words += [word for told in given for word in ("-T", told)]
    cache = {"INSPECT_CACHE_DIR": str(tmp_path / "cache")}
    slowly = ["--log-buffer", "1", "--max-samples", "1"]
    inspect("eval", *words, "--log-dir", "logs", *slowly, moment=moment, ended=-9, **cache)
    begun, told = found(tmp_path / "logs")
    (log,) = list_eval_logs(str(tmp_path / "logs"))
    planned = 2 * len(read_eval_log(log, header_only=True).eval.dataset.sample_ids)
    assert 0 < len(begun) < planned
    assert told["count"].sum() == planned - len(begun)

    inspect("eval-retry", log.name, "--log-dir", "logs", **cache)
    whole, told = found(tmp_path / "logs")
    assert len(whole) == planned
    assert whole["epoch"].value_counts().to_dict() == {1: planned / 2, 2: planned / 2}
    assert set(told["what"]) <= {"superseded"}
    assert whole.merge(begun[["sample_id", "epoch"]]).equals(begun)
    # One sample was under way: its first calls were kept. No epoch is answered by another.
    assert len({sample for sample, how in answered(tmp_path / "logs") if how == "read"}) <= 1

    inspect("eval", *words, "--log-dir", "again", **cache)
    again, _ = found(tmp_path / "again")
    assert again.equals(whole)
    # What measures noise is asked anew.
    calls = [*answered(tmp_path / "again")]
    assert {how for (sample, _), how in calls if not sample.endswith("/repeat")} == {"read"}
    assert {how for (sample, _), how in calls if sample.endswith("/repeat")} <= {"write"}
