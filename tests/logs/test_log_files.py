"""Damaged, foreign and odd logs: named, never fatal, and never hiding the others."""

import gzip
import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import fsspec
import pytest
from inspect_ai.log import list_eval_logs
from pandas.testing import assert_frame_equal

from askew.analysis import compare_logs, read_observations
from askew.logs.locations import find_logs
from askew.logs.read import read_log
from askew.logs.scores import read_scores
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


def test_half_characters_in_names_of_a_log_do_not_stop_a_table():
    half = a_log([a_sample(cluster="c\ud800")], model="lab/\ud800", model_args={"a": "\ud800"})
    assert compare_logs(half, a_log([a_sample()], model="lab/?")).differs["a"].tolist() == ["?"]
    failed = a_log([a_sample(cluster="c\ud800", error="x")])
    assert Study.read(failed, quiet=True).runs[0].lost[0]["cluster"] == "c?"


def test_a_log_of_more_samples_than_any_memory_takes_is_named(tmp_path, good):
    written(a_log([a_sample()], epochs=2**62), tmp_path, "bad.eval")
    assert named(tmp_path) == [("bad.eval", "unreadable log")]
    assert read_scores(tmp_path).unread[0].startswith("bad.eval: ValueError: its header states")


def test_logs_of_other_tasks_are_counted_and_not_named_one_by_one(tmp_path, good):
    for n in range(3):
        log = a_log([a_sample()], task="someone/gpqa", metadata={"x": 1})
        written(log, tmp_path, f"foreign{n}.eval")
    observations = Study.read(tmp_path, quiet=True)
    assert table_of(observations.excluded, "log", "task", "what", "count") == [
        ("", "someone/gpqa", "log of another task", 3)
    ]


def test_a_task_is_recognized_by_its_metadata_under_any_name():
    logs = [a_log([a_sample()], task=task) for task in ("knowno", "askew/knowno", "renamed")]
    assert all(len(read_observations(log, quiet=True)) == 1 for log in logs)


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


@pytest.fixture
def folder(tmp_path):
    """Two logs, one in a folder below, and something that is no log."""
    written(a_log([a_sample("i1")]), tmp_path, "1.eval")
    written(a_log([a_sample("i2")]), tmp_path / "below", "2.eval")
    (tmp_path / "notes.txt").write_text("not a log")
    (tmp_path / "other.json").write_text("{}")
    return tmp_path


def items(logs):
    return sorted(read_observations(logs, quiet=True)["item"])


@pytest.mark.whole
@pytest.mark.parametrize(
    "form",
    [
        str,
        lambda folder: folder,
        lambda folder: f"file://{folder}",
        lambda folder: [folder / "1.eval", str(folder / "below")],
        lambda folder: list_eval_logs(str(folder)),
        lambda folder: [folder, list_eval_logs(str(folder))[0], folder / "1.eval"],
        lambda folder: [folder / "below" / ".." / "below" / "2.eval", folder],
    ],
)
def test_logs_are_found_by_path_folder_listing_or_any_mixture_and_count_once(folder, form):
    observations = Study.read(form(folder), quiet=True)
    assert sorted(observations.rows["item"]) == ["i1", "i2"]
    assert observations.excluded.empty


def test_one_absent_path_does_not_hide_the_others(folder):
    observations = Study.read([folder, folder / "absent"], quiet=True)
    assert len(observations.rows) == 2
    assert table_of(observations.excluded, "log", "what", "why") == [
        ("absent", "unreadable log", "no such file or folder")
    ]


def test_remote_storage_is_read_by_address(folder):
    storage = fsspec.filesystem("memory")
    storage.put(str(folder / "1.eval"), "/askew-test/1.eval")
    try:
        assert items("memory://askew-test") == ["i1"]
        assert items("memory://askew-test/1.eval") == ["i1"]
        assert items([str(folder), "memory://askew-test"]) == ["i1", "i2"]
        with pytest.raises(FileNotFoundError, match="no such file or folder, or it holds no logs"):
            read_observations("memory://askew-test-empty", quiet=True)
    finally:
        storage.rm("/askew-test", recursive=True)


REQUEST = json.dumps({"messages": "m" * 2_000}, indent=2)
ERROR = f"Error code 429: {REQUEST}\n\nthe quota is used up"


@pytest.mark.parametrize("name", ["failed.eval", JSON_NAME])
def test_the_reason_after_a_long_request_is_reported(name, tmp_path):
    log = a_log([a_sample(f"i{n}", error=ERROR) for n in range(3)], model="lab/failed")
    [run] = Study.read(written(log, tmp_path, name), quiet=True).runs
    assert (run.task, run.model) == ("knowno", "lab/failed")
    assert run.failure == "3 errored: the quota is used up"
