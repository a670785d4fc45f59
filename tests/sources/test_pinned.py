"""Pinned files arrive whole and verified, or not at all with an error that says what to do."""

import hashlib
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from askew.papers import papers
from askew.sources.pinned import Source, SourceError, cached_path, fetch, is_cached, sources_of


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if not path.is_dir())


def test_a_fetched_file_is_whole_and_alone(cache_folder: Path, boats: Source, body: bytes) -> None:
    path = fetch(boats)
    assert path.read_bytes() == body
    assert path == cached_path(boats)
    assert path.relative_to(cache_folder).parts == ("sources", boats.blob_id, "Harbour Log.jsonl")
    assert files_in(cache_folder) == ["Harbour Log.jsonl"]


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


def test_a_missing_file_error_names_every_address_tried(
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


@pytest.mark.parametrize(
    "trouble", [{"code": 503}, {"code": 429}, {"body": b"x" * 9, "says": 10**6, "then": "reset"}]
)
def test_passing_trouble_is_retried_from_the_start_and_a_lost_download_leaves_nothing(
    cache_folder: Path, loopback: Any, boats: Source, body: bytes, waits: list[float], trouble: Any
) -> None:
    loopback.answers = [trouble]
    with pytest.raises(SourceError, match="could not be had"):
        fetch(boats)
    assert files_in(cache_folder) == []
    assert waits == [1.0, 2.0, 4.0] * 2
    loopback.answers = [*[trouble] * (len(loopback.asked) + 2), {}]
    assert fetch(boats).read_bytes() == body
    assert waits[6:] == [1.0, 2.0]


def test_a_download_over_https_is_not_taken_from_a_plain_address(
    cache_folder: Path, boats: Source, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def redirected(address: str, **_: Any) -> httpx.Response:
        assert address.startswith("https:")
        request = httpx.Request("GET", "http://elsewhere.example/log.jsonl")
        return httpx.Response(200, content=body, request=request)

    monkeypatch.delenv("ASKEW_MIRROR", raising=False)
    monkeypatch.setattr(httpx, "get", redirected)
    with pytest.raises(SourceError, match=r"redirects to elsewhere\.example without"):
        fetch(boats)
    assert files_in(cache_folder) == []


@pytest.mark.parametrize("mirror", ["ftp://127.0.0.1/a", "http://me:key@127.0.0.1:9/a"])
@pytest.mark.usefixtures("waits")
def test_a_mirror_that_is_none_is_named_without_its_password(
    cache_folder: Path, boats: Source, monkeypatch: pytest.MonkeyPatch, mirror: str
) -> None:
    monkeypatch.setenv("ASKEW_MIRROR", mirror)
    with pytest.raises(SourceError, match="could not be had") as caught:
        fetch(boats)
    assert "127.0.0.1" in str(caught.value)
    assert "me:key" not in str(caught.value)


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


def test_a_source_may_be_pinned_by_another_digest(
    cache_folder: Path, loopback: Any, body: bytes
) -> None:
    digest = hashlib.sha256(body).hexdigest()
    tides = Source("boats/t.csv", "https://a.example/v1/t.csv", "t@v1", "CC0", sha256=digest)
    assert fetch(tides).read_bytes() == body
    folder = hashlib.sha256(tides.url.encode()).hexdigest()[:16]
    assert cached_path(tides) == cache_folder / "sources" / folder / "t.csv"
    fetch(tides).write_bytes(b"damaged")
    assert not is_cached(tides)
    assert fetch(tides).read_bytes() == body
    loopback.answers = [{"code": 404}]
    cached_path(tides).unlink()
    with pytest.raises(SourceError, match=r"v1/t\.csv: the server answered 404"):
        fetch(tides)


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
