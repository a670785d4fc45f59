"""Pinned files arrive whole and verified, or not at all with an error that says what to do."""

import hashlib
import os
import re
import socket
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import askew
from askew.papers import asked_for, papers
from askew.sources.download import Patience
from askew.sources.pinned import (
    Source,
    SourceError,
    cached_path,
    fetch,
    git_blob_id,
    is_cached,
    on_github,
    sha256_of,
    sources_of,
)

SOURCE_ROOT = Path(askew.__file__).resolve().parents[1]
SHARED_DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
AT_HAND = 16
IMPATIENT = Patience(wait=lambda seconds: None)


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if not path.is_dir())


def test_a_fetched_file_is_whole_private_and_alone(
    cache_folder: Path, boats: Source, body: bytes
) -> None:
    path = fetch(boats)
    assert path.read_bytes() == body
    assert path == cached_path(boats)
    assert path.relative_to(cache_folder).parts == ("sources", boats.blob_id, "Harbour Log.jsonl")
    assert files_in(cache_folder) == ["Harbour Log.jsonl"]
    kept = [path, path.parent, path.parent.parent, cache_folder]
    assert [stat.S_IMODE(each.stat().st_mode) for each in kept] == [0o600, 0o700, 0o700, 0o700]


def test_a_file_is_downloaded_once(cache_folder: Path, loopback: Any, boats: Source) -> None:
    assert not is_cached(boats)
    assert fetch(boats) == fetch(boats)
    assert is_cached(boats)
    assert len(loopback.asked) == 1


@pytest.mark.parametrize("damage", [b"", b"cut short", None])
def test_a_damaged_cached_file_is_fetched_again(
    cache_folder: Path, loopback: Any, boats: Source, body: bytes, damage: bytes | None
) -> None:
    same_size = body.replace(b"late", b"lost", 1)
    fetch(boats).write_bytes(same_size if damage is None else damage)
    assert not is_cached(boats)
    assert fetch(boats).read_bytes() == body
    assert len(loopback.asked) == 2


def test_a_body_that_is_not_the_pinned_one_is_refused(
    cache_folder: Path, loopback: Any, boats: Source, body: bytes
) -> None:
    loopback.answers = [{"body": body[:-1] + b" "}]
    with pytest.raises(SourceError, match="not the pinned file") as caught:
        fetch(boats)
    for said in (boats.key, boats.blob_id, loopback.address, "ASKEW_MIRROR"):
        assert said in str(caught.value)
    assert files_in(cache_folder) == []


def test_a_damaged_file_is_never_handed_out_when_its_replacement_fails(
    cache_folder: Path, loopback: Any, boats: Source
) -> None:
    fetch(boats).write_bytes(b"damaged")
    loopback.answers = [{"code": 403}]
    with pytest.raises(SourceError, match="403 Forbidden"):
        fetch(boats)
    assert not is_cached(boats)


def test_a_missing_file_names_every_place_asked(
    cache_folder: Path, loopback: Any, boats: Source
) -> None:
    loopback.answers = [{"code": 404}]
    with pytest.raises(SourceError, match="404 Not Found") as caught:
        fetch(boats)
    assert loopback.asked == [
        "/boats/Harbour%20Log.jsonl",
        "/quay/boats/0123456789abcdef0123456789abcdef01234567/data/Harbour%20Log.jsonl",
    ]
    assert all(path in str(caught.value) for path in loopback.asked)
    assert files_in(cache_folder) == []


def test_a_mirror_may_be_laid_out_as_the_repositories_are(
    cache_folder: Path, loopback: Any, boats: Source, body: bytes
) -> None:
    loopback.answers = [{"code": 404}, {}]
    assert fetch(boats).read_bytes() == body


@pytest.mark.parametrize("then", ["", "reset"])
def test_a_broken_download_is_taken_up_again(
    cache_folder: Path, loopback: Any, boats: Source, body: bytes, then: str
) -> None:
    loopback.answers = [{"code": 500}, {"body": body[:9000], "says": 90_000, "then": then}, {}]
    assert fetch(boats, patience=IMPATIENT).read_bytes() == body
    assert files_in(cache_folder) == ["Harbour Log.jsonl"]


@pytest.mark.whole
@pytest.mark.parametrize(
    "answer",
    [{"code": 500}, {"body": b"x", "says": 9, "then": "reset"}, {"body": b"x", "says": 9}],
)
def test_a_lost_download_leaves_nothing(
    cache_folder: Path, loopback: Any, boats: Source, answer: dict[str, Any]
) -> None:
    loopback.answers = [answer]
    with pytest.raises(SourceError, match="4 attempts"):
        fetch(boats, patience=IMPATIENT)
    assert files_in(cache_folder) == []


def test_a_file_above_the_size_limit_is_refused(
    cache_folder: Path, boats: Source, body: bytes
) -> None:
    with pytest.raises(SourceError, match="larger than"):
        fetch(replace(boats, limit=len(body) - 1))
    assert files_in(cache_folder) == []


def test_without_a_mirror_the_advice_is_to_set_one(
    cache_folder: Path, boats: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unresolved(*args: Any, **kwargs: Any) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.delenv("ASKEW_MIRROR")
    monkeypatch.setattr(socket, "getaddrinfo", unresolved)
    with pytest.raises(SourceError, match=r"no network\?") as caught:
        fetch(boats, patience=IMPATIENT)
    assert boats.url in str(caught.value)
    assert f"set ASKEW_MIRROR to a folder that holds {boats.key}" in str(caught.value)


@pytest.mark.parametrize("place", ["boats/Harbour Log.jsonl", "Harbour Log.jsonl"])
def test_a_mirror_may_be_a_folder(
    cache_folder: Path,
    tmp_path: Path,
    loopback: Any,
    boats: Source,
    body: bytes,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
) -> None:
    file = tmp_path / "mirror" / place
    file.parent.mkdir(parents=True)
    file.write_bytes(body)
    monkeypatch.setenv("ASKEW_MIRROR", str(tmp_path / "mirror"))
    assert fetch(boats).read_bytes() == body
    assert fetch(boats) == cached_path(boats)
    assert loopback.asked == []


def test_a_folder_that_lacks_the_file_is_the_only_place_asked(
    cache_folder: Path, tmp_path: Path, boats: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASKEW_MIRROR", str(tmp_path))
    os.mkfifo(tmp_path / "Harbour Log.jsonl")  # A pipe is no file, and reading it would hang.
    with pytest.raises(SourceError, match=r"no such file.*no such file") as caught:
        fetch(boats)
    assert str(tmp_path / "boats" / "Harbour Log.jsonl") in str(caught.value)
    assert "unset ASKEW_MIRROR" in str(caught.value)


@pytest.mark.parametrize(
    "mirror",
    ["ftp://a", "file:///srv", "http://", "http://[", "http://me:secret@a", "http://a/?b"],
)
def test_other_mirrors_are_refused(
    cache_folder: Path, boats: Source, monkeypatch: pytest.MonkeyPatch, mirror: str
) -> None:
    monkeypatch.setenv("ASKEW_MIRROR", mirror)
    with pytest.raises(SourceError, match="neither a folder nor an http") as caught:
        fetch(boats)
    assert "secret" not in str(caught.value)
    assert files_in(cache_folder) == []


def fetching(source: Source) -> "subprocess.Popen[str]":
    """A process that fetches: it says when there are bytes, and the file's name when it has it."""
    program = f"""
from askew.sources.pinned import Source, fetch
class Told:
    def update(self, name, done, total): print("begun", flush=True)
    def close(self): pass
print(fetch({source!r}, progress=Told()).name)
"""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE_ROOT)}
    command = [sys.executable, "-c", program]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


@pytest.mark.whole
def test_a_killed_download_leaves_no_file_and_its_rest_is_cleaned(
    cache_folder: Path, loopback: Any, boats: Source, body: bytes
) -> None:
    loopback.answers = [{"body": body[:9000], "says": len(body), "then": "drip"}, {}]
    process = fetching(boats)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    process.kill()
    process.communicate()
    assert [Path(name).suffix for name in files_in(cache_folder)] == [".part"]
    assert fetch(boats).read_bytes() == body
    assert files_in(cache_folder) == ["Harbour Log.jsonl"]


@pytest.mark.whole
def test_two_processes_at_once_both_end_well(
    cache_folder: Path, loopback: Any, boats: Source
) -> None:
    both = [fetching(boats), fetching(boats)]
    said = [process.communicate(timeout=600)[0].splitlines() for process in both]
    assert [lines[-1] for lines in said] == ["Harbour Log.jsonl"] * 2
    assert sorted("begun" in lines for lines in said) == [False, True]
    assert len(loopback.asked) == 1
    assert files_in(cache_folder) == ["Harbour Log.jsonl"]


class Seen:
    """A progress that keeps what it is told, and may be interrupted."""

    def __init__(self, interrupt: bool = False) -> None:
        self.steps: list[tuple[str, int, int | None]] = []
        self.closed = 0
        self._interrupt = interrupt

    def update(self, name: str, done: int, total: int | None) -> None:
        self.steps.append((name, done, total))
        if self._interrupt:
            raise KeyboardInterrupt

    def close(self) -> None:
        self.closed += 1


def test_an_interrupt_leaves_nothing(cache_folder: Path, boats: Source) -> None:
    seen = Seen(interrupt=True)
    with pytest.raises(KeyboardInterrupt):
        fetch(boats, progress=seen)
    assert (len(seen.steps), seen.closed) == (1, 1)
    assert files_in(cache_folder) == []


def test_progress_tells_the_bytes_so_far(cache_folder: Path, boats: Source, body: bytes) -> None:
    seen = Seen()
    fetch(boats, progress=seen)
    assert seen.steps[-1] == (boats.key, len(body), len(body))
    assert seen.steps == sorted(set(seen.steps))
    fetch(boats, progress=seen)
    assert seen.closed == 1


def test_progress_is_for_terminals(
    cache_folder: Path,
    boats: Source,
    body: bytes,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fetch(boats).unlink()
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    fetch(boats)
    out, shown = capsys.readouterr()
    size = f"{len(body):,}"
    assert out == ""
    assert shown.endswith(f"\rboats/Harbour Log.jsonl: {size} of {size} bytes, 100%\n")


@pytest.mark.parametrize("content", [b"", b"hello\n"])
def test_blob_ids_are_those_of_git(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    ids = {b"": "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"}
    assert git_blob_id(tmp_path / "a") == ids.get(
        content, "ce013625030ba8dba906f756967f9e9ca394464a"
    )


def test_a_digest_names_the_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert sha256_of(tmp_path / "a").startswith("ba7816bf8f01")
    (tmp_path / "a").write_bytes(b"abd")
    assert not sha256_of(tmp_path / "a").startswith("ba7816bf8f01")


def test_only_a_file_of_an_allowed_size_fits(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"hello\n")
    os.mkfifo(tmp_path / "pipe")
    made = Source("a/a", "https://a.example/a", "a@1", "CC0", git_blob_id(tmp_path / "a"), limit=6)
    assert made.fits(tmp_path / "a")
    assert not replace(made, limit=5).fits(tmp_path / "a")
    assert not any(made.fits(tmp_path / name) for name in ("", "b", "pipe"))


@pytest.mark.parametrize("known", [True, False])
def test_a_source_may_be_pinned_by_another_digest_or_by_its_revision_alone(
    cache_folder: Path, loopback: Any, body: bytes, known: bool
) -> None:
    digest = hashlib.sha256(body).hexdigest() if known else ""
    tides = Source("boats/t.csv", "https://a.example/v1/t.csv", "t@v1", "CC0", sha256=digest)
    assert fetch(tides).read_bytes() == body
    folder = hashlib.sha256(tides.url.encode()).hexdigest()[:16]
    assert cached_path(tides) == cache_folder / "sources" / folder / "t.csv"
    fetch(tides).write_bytes(b"damaged")
    assert is_cached(tides) != known
    assert (fetch(tides).read_bytes() == body) == known
    loopback.answers = [{"code": 404}]
    cached_path(tides).unlink()
    with pytest.raises(SourceError, match=r"v1/t\.csv: the server answered 404"):
        fetch(tides)


def test_addresses_are_percent_encoded() -> None:
    made = on_github("boats", "quay/boats", "c0ffee", "CC0", {"a b/Judging Questions.json": "1"})
    assert made["Judging Questions.json"].url == (
        "https://raw.githubusercontent.com/quay/boats/c0ffee/a%20b/Judging%20Questions.json"
    )


SOURCES = [source for paper in papers() for source in sources_of(paper)]


def test_every_paper_names_its_sources_and_pins_them_in_full() -> None:
    assert len({source.blob_id for source in SOURCES}) == len(SOURCES) >= 19
    for paper in papers():
        for source in sources_of(paper):
            assert source.key == f"{paper.task}/{source.filename}"
            assert re.fullmatch("[0-9a-f]{40}", source.blob_id)
            commit = source.revision.partition("@")[2]
            assert re.fullmatch("[0-9a-f]{40}", commit)
            assert f"/{commit}/" in source.url
            assert source.licence


def test_a_paper_that_published_no_questions_has_no_sources() -> None:
    assert sources_of(asked_for("binary_qa")) == ()


@pytest.mark.real_data
@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="no papers' files beside the project")
def test_the_papers_files_have_the_pinned_ids(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_hand = [source for source in SOURCES if (SHARED_DATA / source.key).is_file()]
    monkeypatch.setenv("ASKEW_MIRROR", str(SHARED_DATA))
    for source in at_hand:
        assert git_blob_id(SHARED_DATA / source.key) == source.blob_id, source.key
        assert git_blob_id(fetch(source)) == source.blob_id, source.key
    assert len(at_hand) == AT_HAND
