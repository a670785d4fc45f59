"""Damaged, foreign and odd logs: named, never fatal, and never hiding the others."""

import gzip
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from pandas.testing import assert_frame_equal

from askew.analysis import read_observations
from askew.logs.locations import find_logs
from askew.logs.read import read_log
from askew.report.study import Study
from tests.logs.made_logs import a_log, a_sample, table_of, written

JSON_NAME = "2026-03-01T12-00-00+00-00_knowno_x.json"


@pytest.fixture
def good(tmp_path):
    return written(a_log([a_sample("good")]), tmp_path, "good.eval")


def named(folder):
    observations = Study.read(folder, quiet=True)
    assert list(observations.rows["item"]) == ["good"]
    return table_of(observations.excluded, "log", "what")


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[-len(whole) // 8 :],
        lambda whole: b"not a zip at all",
        lambda whole: gzip.compress(whole),
        lambda whole: whole.replace(b"header.json", b"hexder.json").replace(b"start", b"stxrt"),
    ],
)
def test_a_damaged_log_is_named_and_the_others_are_read(tmp_path, good, damage):
    (tmp_path / "bad.eval").write_bytes(damage(good.read_bytes()))
    assert named(tmp_path) == [("bad.eval", "unreadable log")]


def test_logs_of_other_tasks_are_counted_and_not_named_one_by_one(tmp_path, good):
    for n in range(3):
        log = a_log([a_sample()], task="someone/gpqa", metadata={"x": 1})
        written(log, tmp_path, f"foreign{n}.eval")
    observations = Study.read(tmp_path, quiet=True)
    assert table_of(observations.excluded, "log", "task", "what", "count") == [
        ("", "someone/gpqa", "log of another task", 3)
    ]


@pytest.mark.parametrize("task", ["knowno", "askew/knowno", "renamed"])
def test_a_task_is_recognized_by_its_metadata_under_any_name(task):
    assert len(read_observations(a_log([a_sample()], task=task), quiet=True)) == 1


def test_json_logs_are_read_like_zipped_ones(tmp_path):
    log = a_log([a_sample("i1", epoch=2), a_sample("i2", error="x"), a_sample("i3")], epochs=2)
    zipped = Study.read(written(log, tmp_path, "x.eval"), quiet=True)
    plain = Study.read(written(log, tmp_path, JSON_NAME), quiet=True)
    assert plain.rows.drop(columns="log").equals(zipped.rows.drop(columns="log"))
    columns = ("what", "count", "why")
    assert table_of(plain.excluded, *columns) == table_of(zipped.excluded, *columns)


def test_an_executor_reads_what_one_process_reads_and_prompts_stay_where_they_are(tmp_path, good):
    written(a_log([a_sample("other", framing="SAY-NOTHING")]), tmp_path, "other.eval")
    logs = [tmp_path, a_log([a_sample("here")])]
    here = Study.read(logs, quiet=True)
    with ThreadPoolExecutor(2) as executor:
        there = Study.read(logs, quiet=True, executor=executor)
    assert_frame_equal(there.rows, here.rows)
    assert_frame_equal(there.excluded, here.excluded)
    assert there.runs == here.runs
    read = read_log(find_logs(tmp_path / "other.eval")[0])
    sent = pickle.dumps(read)
    assert pickle.loads(sent) == read
    assert b"SAY-NOTHING" not in sent
