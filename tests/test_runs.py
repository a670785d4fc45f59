"""Runs as they go wrong: errors, retries, rescoring, kills, edits. No sample counts twice."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from inspect_ai import eval_retry, eval_set, score
from inspect_ai.log import list_eval_logs, read_eval_log, write_eval_log

from askew import metrics
from askew.analysis import read_observations
from askew.papers.knowno.scorer import knowno_scorer
from askew.papers.knowno.tasks import knowno
from askew.respondents.provider import Respondent
from tests.conftest import metric_values

pytestmark = pytest.mark.whole

ITEMS = 12


def omni(observations):
    table = metrics.knowno(observations)
    rows = table[(table["metric"] == "omni_accuracy") & (table["subset"] == "all")]
    assert len(rows) == 1
    return float(rows["value"].iloc[0])


@pytest.fixture
def failing_tenth(monkeypatch):
    """A tenth of the samples ends in an error until the test repairs the model."""
    answer = Respondent._reply
    broken = {"on": True}

    def reply(self):
        from inspect_ai.event import SampleInitEvent
        from inspect_ai.log import transcript

        first = next(e for e in transcript().events if isinstance(e, SampleInitEvent))
        sample = str(first.sample.id)
        if broken["on"] and sum(map(ord, sample)) % 10 == 0:
            raise RuntimeError("the line went dead")
        return answer(self)

    monkeypatch.setattr(Respondent, "_reply", reply)
    return broken


@pytest.mark.parametrize("epochs", [1, 3])
def test_task_and_analysis_give_the_same_number(run, epochs):
    log = run(knowno(items=ITEMS), model="respondent/typical", epochs=epochs)
    observations = read_observations(log.location, quiet=True)
    assert len(observations) == 4 * ITEMS * epochs
    assert omni(observations) == pytest.approx(metric_values(log)["omni_accuracy"], abs=1e-12)


def test_errored_samples_are_left_out_until_a_retry_repairs_them(run, tmp_path, failing_tenth):
    whole = run("askew/knowno", task_args={"items": ITEMS}, log_dir=str(tmp_path / "whole"))
    errored = [s for s in whole.samples if s.error]
    assert 2 <= len(errored) <= 10
    observations = read_observations(whole.location, quiet=True)
    assert len(observations) == 4 * ITEMS - len(errored)
    assert omni(observations) == pytest.approx(metric_values(whole)["omni_accuracy"])

    failing_tenth["on"] = False
    (retried,) = eval_retry(whole, log_dir=str(tmp_path / "whole"), display="none")
    assert not [s for s in retried.samples if s.error]
    both = read_observations(str(tmp_path / "whole"), quiet=True)
    assert len(both) == 4 * ITEMS
    assert not both.duplicated(["sample_id", "epoch"]).any()
    assert omni(both) == pytest.approx(metric_values(retried)["omni_accuracy"])


def test_rescoring_changes_no_number(run):
    log = run(knowno(items=ITEMS), model="respondent/typical")
    before = omni(read_observations(log.location, quiet=True))
    again = score(log, knowno_scorer(), action="overwrite", display="none")
    write_eval_log(again, log.location)
    assert metric_values(again) == pytest.approx(metric_values(log), nan_ok=True)
    assert omni(read_observations(log.location, quiet=True)) == pytest.approx(before)


_EVAL_SET = """
import sys
from inspect_ai import eval_set
eval_set("askew/knowno", model="respondent/typical", log_dir=sys.argv[1], display="none",
         max_samples=2, log_level="error", log_buffer=2)
"""


def test_a_killed_eval_set_is_completed_by_a_rerun_and_counts_nothing_twice(tmp_path):
    folder = tmp_path / "set"
    environment = {**os.environ, "INSPECT_LOG_LEVEL": "error"}
    process = subprocess.Popen(
        [sys.executable, "-c", _EVAL_SET, str(folder)],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(600):
            time.sleep(0.1)
            if any(f.stat().st_size > 20_000 for f in folder.glob("*.eval")):
                break
            assert process.poll() is None, "the run ended before it could be killed"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    partial = [read_eval_log(log, header_only=True) for log in list_eval_logs(str(folder))]
    assert [log.status for log in partial] == ["started"]

    success, logs = eval_set(
        "askew/knowno", model="respondent/typical", log_dir=str(folder), display="none",
        log_level="error",
    )  # fmt: skip
    assert success
    observations = read_observations(str(folder), quiet=True)
    n_samples = len(knowno().dataset)
    assert len(observations) == n_samples
    assert not observations.duplicated(["sample_id", "epoch"]).any()
    assert omni(observations) == pytest.approx(
        metric_values(read_eval_log(logs[0].location))["omni_accuracy"]
    )


def test_an_edited_data_file_is_asked_anew(tmp_path):
    path = tmp_path / "mine.jsonl"
    records = [
        {"id": f"q{i}", "question": f"What is {i} plus 1?", "options": [str(i + 1), str(i + 9)],
         "gold_option": str(i + 1)}
        for i in range(3)
    ]  # fmt: skip

    def asked():
        path.write_text("".join(json.dumps(r) + "\n" for r in records))
        _, logs = eval_set(
            knowno(data=str(path)), model="respondent/oracle", log_dir=str(tmp_path / "set"),
            display="none", log_level="error", log_dir_allow_dirty=True,
        )  # fmt: skip
        return {Path(log.location).name for log in logs}

    first = asked()
    assert asked() == first
    records[0]["question"] = "What is 0 plus one?"
    assert not asked() & first
