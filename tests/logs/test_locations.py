"""Whatever the caller calls logs: every file once, and problems said instead of raised."""

import os
from pathlib import Path

import fsspec
import pytest
from inspect_ai.log import list_eval_logs

from askew.analysis import read_observations
from askew.logs.locations import find_logs
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


def test_one_listed_log_is_enough(folder):
    info = next(i for i in list_eval_logs(str(folder)) if i.name.endswith("1.eval"))
    assert items(info) == ["i1"]


def test_logs_in_memory_are_read_as_they_are(folder):
    assert items(a_log([a_sample("i3")])) == ["i3"]
    assert items([a_log([a_sample("i3")]), str(folder)]) == ["i1", "i2", "i3"]


def test_without_an_argument_inspects_own_folder_is_read(folder, monkeypatch):
    # Inspect takes its folder from the environment when it is imported.
    infos = list_eval_logs(str(folder))
    monkeypatch.setattr("askew.logs.locations.list_eval_logs", lambda: infos)
    assert items(None) == ["i1", "i2"]


def test_logs_of_a_folder_come_in_the_order_of_their_names(folder):
    written(a_log([a_sample("i0")]), folder, "0.eval")
    assert [p.name for p in find_logs(folder)] == ["0.eval", "1.eval", "2.eval"]


def test_where_nothing_is_the_error_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent: no such file or folder"):
        read_observations(tmp_path / "absent", quiet=True)


def test_one_absent_path_does_not_hide_the_others(folder):
    observations = Study.read([folder, folder / "absent"], quiet=True)
    assert len(observations.rows) == 2
    assert table_of(observations.excluded, "log", "what", "why") == [
        ("absent", "unreadable log", "no such file or folder")
    ]


def test_an_empty_folder_gives_an_empty_table_with_columns_and_says_why(tmp_path):
    observations = Study.read(tmp_path, quiet=True)
    assert observations.rows.empty
    assert {"model", "task", "item", "answer", "run", "log"} <= set(observations.rows)
    assert list(observations.excluded["why"]) == ["no logs are in this folder"]


def test_no_logs_at_all_give_an_empty_table():
    assert read_observations([], quiet=True).empty


def test_a_folder_that_may_not_be_opened_is_named_and_the_rest_is_read(folder, monkeypatch):
    locked = folder / "locked"
    written(a_log([a_sample("i3")]), locked, "3.eval")
    real = os.scandir

    def scandir(path="."):
        if Path(os.fsdecode(path)).name == "locked":
            raise PermissionError(13, "Permission denied", os.fsdecode(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    observations = Study.read(folder, quiet=True)
    assert sorted(observations.rows["item"]) == ["i1", "i2"]
    assert table_of(observations.excluded, "log", "what", "why") == [
        ("locked", "unreadable log", "can't be opened: Permission denied")
    ]


def test_links_that_lead_in_a_circle_are_followed_once(folder):
    (folder / "below" / "round").symlink_to(folder)
    assert items(folder) == ["i1", "i2"]


def test_links_are_followed_within_a_folder_and_named_where_they_lead_out(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    log = written(a_log([a_sample("secret")]), outside, "secret.eval")
    (folder / "again").symlink_to("below")
    (folder / "again.eval").symlink_to(folder / "1.eval")
    (folder / "out").symlink_to(outside)
    (folder / "out.eval").symlink_to(log)
    (folder / "root").symlink_to("/")
    observations = Study.read(folder, quiet=True)
    assert sorted(observations.rows["item"]) == ["i1", "i2"]
    why = "a link that leads out of the folder: name what it leads to"
    assert table_of(observations.excluded, "log", "why") == [
        (name, why) for name in ("out", "out.eval", "root")
    ]


def test_a_folder_that_is_a_link_is_read_as_what_it_leads_to(folder, tmp_path_factory):
    link = tmp_path_factory.mktemp("links") / "mine"
    link.symlink_to(folder)
    (folder / "again.eval").symlink_to(folder / "1.eval")
    observations = Study.read(link, quiet=True)
    assert sorted(observations.rows["item"]) == ["i1", "i2"]
    assert observations.excluded.empty
    assert items([folder / "below", link]) == ["i1", "i2"]


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


def test_storage_of_a_kind_that_is_not_installed_is_named(folder):
    observations = Study.read([folder, "nowhere://bucket/logs"], quiet=True)
    assert len(observations.rows) == 2
    [why] = observations.excluded["why"]
    assert why.startswith("can't be listed: ValueError")
