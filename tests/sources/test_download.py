"""A body arrives whole within its limits of size, time and attempts, or the reason is said."""

import io
from typing import Any

import httpx
import pytest

from askew.sources.pinned import UnreachableError, download


def got(address: str, limit: int = 10**7) -> bytes:
    """What a download leaves in its file."""
    file = io.BytesIO()
    download(address, file, limit, advance=lambda done, total: None)
    return file.getvalue()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


def test_a_body_arrives_whole(loopback: Any, body: bytes) -> None:
    assert got(loopback.address) == body


@pytest.mark.whole
@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param({"code": 500, "body": b"later"}, id="500"),
        pytest.param({"code": 503, "body": b"later"}, id="503"),
        pytest.param({"code": 429, "body": b"later"}, id="429"),
        pytest.param({"body": b"x" * 10_000, "says": 10**6, "then": "reset"}, id="reset"),
        pytest.param({"body": b"x" * 10_000, "says": 10_009}, id="shorter than it says"),
    ],
)
def test_passing_trouble_is_retried_from_the_start(
    loopback: Any, body: bytes, waits: list[float], trouble: dict[str, Any]
) -> None:
    loopback.answers = [trouble, trouble, {}]
    assert got(loopback.address) == body
    assert waits == [1.0, 2.0]


def test_a_server_is_asked_again_when_it_says(
    loopback: Any, body: bytes, waits: list[float]
) -> None:
    later = [{"code": 429, "headers": {"Retry-After": after}} for after in ("7", "9999", "soon")]
    loopback.answers = [*later, {}]
    assert got(loopback.address) == body
    assert waits == [7.0, 60.0, 4.0]


@pytest.mark.parametrize("says", [-1, None])
def test_a_body_above_the_limit_is_refused(loopback: Any, body: bytes, says: int | None) -> None:
    loopback.answers = [{"says": says}]
    with pytest.raises(UnreachableError, match="larger than"):
        got(loopback.address, limit=len(body) - 1)
    assert len(loopback.asked) == 1


@pytest.mark.parametrize("target", ["file:///etc/hostname", "ftp://127.0.0.1/a", "data:,a"])
def test_a_redirect_away_from_http_is_refused(loopback: Any, target: str) -> None:
    loopback.answers = [{"code": 302, "headers": {"Location": target}}]
    with pytest.raises(UnreachableError):
        got(loopback.address)
    assert len(loopback.asked) == 1


@pytest.mark.parametrize("target", ["http://b.example/a", "https://b.example/a"])
def test_a_redirect_from_https_goes_to_https_only(
    monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    def answer(transport: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        if request.url.host == "b.example":
            return httpx.Response(200, content=iter([b"tides"]))
        return httpx.Response(302, headers={"Location": target})

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", answer)
    if target.startswith("https"):
        assert got("https://harbour.example/a") == b"tides"
    else:
        with pytest.raises(UnreachableError, match="from https to http, which is not followed"):
            got("https://harbour.example/a")


@pytest.mark.parametrize("address", ["ftp://127.0.0.1/a", "file:///etc/hostname", "no scheme"])
def test_other_addresses_are_not_opened(address: str) -> None:
    with pytest.raises(UnreachableError):
        got(address)
