"""Every Eval Ever: its own validator takes what askew writes, and all of it comes back."""

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest
from inspect_ai import eval

from askew.analysis import read_exchange, write_exchange
from askew.papers import OWN, get_paper, task_papers
from askew.report.study import Study
from askew.stats.tables import Interval
from tests.cases import cases_of

pytestmark = pytest.mark.whole

QUICK = Interval(resamples=60)
# The validator of Every Eval Ever: installed, or unpacked by .ci/validator.
UNPACKED = os.environ.get("EVERY_EVAL_EVER", "")
HERE = bool(find_spec("every_eval_ever")) or Path(UNPACKED, "every_eval_ever").is_dir()
CHECK = cases_of(__file__, "CHECK")


@pytest.fixture(scope="module")
def observations(tmp_path_factory):
    logs = str(tmp_path_factory.mktemp("logs"))
    tasks = [
        get_paper(t).make(
            items=2, **({} if t in task_papers() else {"treatments": "repeat,absent"})
        )
        for t in OWN
    ]
    eval(tasks, model="respondent/typical", log_dir=logs, display="none", log_level="error")
    eval(tasks[0], model="respondent/chatty", epochs=2, log_dir=logs, display="none")
    return Study.read(logs, quiet=True)


@pytest.fixture(scope="module")
def written(observations, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exchange")
    write_exchange(observations, folder, interval=QUICK)
    return folder


def records(folder):
    for path in sorted(folder.rglob("*_samples.jsonl")):
        yield from (json.loads(line) for line in path.read_text("utf-8").split("\n") if line)


@pytest.mark.skipif(not HERE, reason="every-eval-ever is not here: .ci/validator, EVERY_EVAL_EVER")
def test_its_own_validator_finds_nothing_wrong(written):
    paths = os.pathsep.join(filter(None, [UNPACKED, os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, "-c", CHECK, str(written)], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == 2 * 7
    assert [f for f in found if not f[1] or f[3] or f[4]] == []


def test_conditions_and_scores_come_back_as_they_were(observations, written):
    back = read_exchange(written)
    keys = ["run", "sample_id", "epoch"]
    before = observations.rows.sort_values(keys).reset_index(drop=True)
    after = back.sort_values(keys).reset_index(drop=True)[list(before.columns)]
    pd.testing.assert_frame_equal(after, before, check_dtype=False, check_like=True)


def test_a_sample_has_its_prompt_and_reply(written):
    found = list(records(written))
    assert all(r["input"]["raw"] for r in found)
    assert all(r["input"]["reference"] for r in found)
    assert {r["interaction_type"] for r in found} == {"single_turn", "multi_turn"}
    for record in found:
        said = record["output"]["raw"] if record["output"] else [record["messages"][-1]["content"]]
        assert said[0]


def test_values_have_intervals_and_sample_files_have_checksums(written):
    heads = list(written.rglob("*.json"))
    assert len(heads) == 7
    for path in heads:
        head = json.loads(path.read_text("utf-8"))
        results = head["evaluation_results"]
        assert results
        for result in results:
            shown = result["score_details"]["uncertainty"]
            assert shown["num_samples"] > 0
            if interval := shown.get("confidence_interval"):
                assert interval["lower"] <= interval["upper"]
        told = head["detailed_evaluation_results"]
        samples = (written / told["file_path"]).read_bytes()
        assert hashlib.sha256(samples).hexdigest() == told["checksum"]
        assert samples.count(b"\n") == told["total_rows"]
        assert head["model_info"]["additional_details"]["simulated"] == "true"


def test_a_log_that_is_gone_is_named(observations, tmp_path):
    rows = observations.rows.assign(log=str(tmp_path / "gone.eval"))
    gone = replace(observations, rows=rows)
    with pytest.raises(ValueError, match=r"gone\.eval"):
        write_exchange(gone, tmp_path / "out", interval=QUICK)


def test_rows_without_a_known_run_raise_an_error(observations, tmp_path):
    with pytest.raises(ValueError, match="nothing says what it was"):
        write_exchange(Study(observations.rows), tmp_path, interval=QUICK)
    assert not [*tmp_path.rglob("*")]


def test_models_with_long_or_hidden_names_stay_two_and_fit_a_file_system(observations, tmp_path):
    names = [f"lab/{'ü' * 200}/{end}" for end in "ab"] + ["lab/x\u202ey", "alone"]
    one = observations.rows[observations.rows["task"] == "binary_qa"]
    for name in names:
        write_exchange(replace(observations, rows=one.assign(model_name=name)), tmp_path)
    heads = [json.loads(path.read_text("utf-8")) for path in tmp_path.rglob("*.json")]
    ids = {head["model_info"]["id"] for head in heads}
    assert len(ids) == len(names)
    assert "unstated/alone" in ids
    assert not any("\u202e" in found for found in ids)
    assert all(len(part.encode()) <= 255 for path in tmp_path.rglob("*") for part in path.parts)
