"""The cache keeps whole files, apart from each other's work, and says why it can't."""

import errno
import io
import os
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from askew import files
from askew.files import remove_leftovers
from askew.sources import pinned
from askew.sources.pinned import Source, SourceError, cached_path, fetch, make_private, new_private


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if not path.is_dir())


def test_a_full_disk_is_said_and_leaves_nothing(
    cache_folder: Path, loopback: Any, boats: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    class FullDisk(io.FileIO):
        def write(self, data: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(pinned, "open", FullDisk, raising=False)
        with pytest.raises(SourceError, match="No space left on device") as caught:
            fetch(boats)
    assert "Free space, or set ASKEW_CACHE" in str(caught.value)
    assert str(cache_folder) in str(caught.value)
    assert len(loopback.asked) == 1
    assert files_in(cache_folder) == []


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS])
def test_a_cache_that_refuses_writing_is_said(
    cache_folder: Path, boats: Source, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(pinned, "open", refuse, raising=False)
    with pytest.raises(SourceError, match="Make that folder writable, or set ASKEW_CACHE"):
        fetch(boats)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into a read-only folder")
def test_a_read_only_folder_is_said(cache_folder: Path, boats: Source) -> None:
    cache_folder.mkdir(mode=0o500)
    with pytest.raises(SourceError, match="Make that folder writable"):
        fetch(boats)


def test_what_is_kept_is_the_owners_alone_however_open_the_system(
    tmp_path: Path, usual_umask: None
) -> None:
    os.umask(0)
    folder = tmp_path / "cache" / "sources" / "one"
    make_private(folder)
    new_private(folder / "boats.jsonl").close()
    kept = [folder / "boats.jsonl", folder, folder.parent, folder.parent.parent]
    assert [stat.S_IMODE(each.stat().st_mode) for each in kept] == [0o600, 0o700, 0o700, 0o700]


@pytest.fixture
def usual_umask() -> Iterator[None]:
    """The process's umask as it was, once the test is over."""
    before = os.umask(0o022)
    os.umask(before)
    yield
    os.umask(before)


def test_a_file_in_the_place_of_the_cache_is_said(cache_folder: Path, boats: Source) -> None:
    cache_folder.write_text("not a folder", encoding="utf-8")
    with pytest.raises(SourceError, match="set ASKEW_CACHE to another one"):
        fetch(boats)
    assert cache_folder.read_text(encoding="utf-8") == "not a folder"


@pytest.mark.parametrize("locks", [True, False])
def test_threads_at_once_all_end_well(
    cache_folder: Path,
    loopback: Any,
    boats: Source,
    body: bytes,
    monkeypatch: pytest.MonkeyPatch,
    locks: bool,
) -> None:
    if not locks:
        monkeypatch.setattr(files, "_lock", lambda handle, longest: False)
    found: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: found.append(fetch(boats).read_bytes())) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [body] * 4
    assert files_in(cache_folder) == ["Harbour Log.jsonl"]
    assert len(loopback.asked) == 1 or not locks


@pytest.mark.skipif(sys.platform != "linux", reason="each system has a place of its own")
@pytest.mark.parametrize(
    ("given", "folder"),
    [
        ({"ASKEW_CACHE": "/chosen", "XDG_CACHE_HOME": "/shared"}, "/chosen"),
        ({"XDG_CACHE_HOME": "/shared"}, "/shared/askew"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/people/ada"}, "/people/ada/.cache/askew"),
    ],
)
def test_the_cache_is_where_the_user_says(
    boats: Source, monkeypatch: pytest.MonkeyPatch, given: dict[str, str], folder: str
) -> None:
    monkeypatch.delenv("ASKEW_CACHE", raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert cached_path(boats).parents[2] == Path(folder)


@pytest.mark.parametrize(("alone", "left"), [(True, []), (False, [".new.part"])])
def test_without_a_lock_only_old_leftovers_go(tmp_path: Path, alone: bool, left: list[str]) -> None:
    (tmp_path / ".new.part").write_bytes(b"at work")
    (tmp_path / ".old.part").write_bytes(b"left")
    os.utime(tmp_path / ".old.part", (0, 0))
    remove_leftovers(tmp_path, alone)
    assert files_in(tmp_path) == left
