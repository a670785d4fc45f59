"""Whatever the caller calls logs: every file once, and problems said instead of raised."""

import fsspec
import pytest
from inspect_ai.log import list_eval_logs

from askew.analysis import read_observations
from askew.report.study import Study
from tests.logs.made_logs import a_log, a_sample, table_of, written


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
