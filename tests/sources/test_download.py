"""A body arrives whole within its limits of size, time and attempts, or the reason is said."""

import gzip
import io
import socket
import threading
from typing import Any

import httpx
import pytest

from askew.sources.download import Patience, UnreachableError, copy, download


def got(address: str, waits: list[float] | None = None, limit: int = 10**7, **limits: Any) -> bytes:
    """What a download leaves in its file, with waits noted instead of sat out."""
    file = io.BytesIO()
    patience = Patience(wait=(waits if waits is not None else []).append, **limits)
    download(address, file, limit=limit, patience=patience, advance=lambda done, total: None)
    return file.getvalue()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


def test_a_body_arrives_whole(loopback: Any, body: bytes) -> None:
    assert got(loopback.address) == body


def test_a_body_of_unsaid_length_arrives_whole(loopback: Any, body: bytes) -> None:
    loopback.answers = [{"says": None}]
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
    loopback: Any, body: bytes, trouble: dict[str, Any]
) -> None:
    loopback.answers = [trouble, trouble, {}]
    waits: list[float] = []
    assert got(loopback.address, waits) == body
    assert waits == [1.0, 2.0]


def test_a_reset_is_told_from_an_orderly_end(loopback: Any) -> None:
    loopback.answers = [{"body": b"x" * 10_000, "says": 10**6, "then": "reset"}]
    with pytest.raises(UnreachableError, match="ConnectionResetError"):
        got(loopback.address)


def test_retries_end(loopback: Any) -> None:
    loopback.answers = [{"code": 502}]
    waits: list[float] = []
    with pytest.raises(UnreachableError, match=r"502 Bad Gateway \(4 attempts\)"):
        got(loopback.address, waits)
    assert (len(loopback.asked), waits) == (4, [1.0, 2.0, 4.0])


@pytest.mark.parametrize("code", [401, 403, 404, 410])
def test_lasting_trouble_is_not_retried(loopback: Any, code: int) -> None:
    loopback.answers = [{"code": code}]
    with pytest.raises(UnreachableError, match=f"answered {code}") as caught:
        got(loopback.address)
    assert caught.value.missing == (code in (404, 410))
    assert len(loopback.asked) == 1


@pytest.mark.parametrize(
    ("asked", "waited"), [("7", 7.0), ("9999", 60.0), ("soon", 1.0), ("9" * 5000, 1.0)]
)
def test_a_server_may_name_the_wait(loopback: Any, asked: str, waited: float) -> None:
    loopback.answers = [{"code": 503, "headers": {"Retry-After": asked}}, {}]
    waits: list[float] = []
    got(loopback.address, waits)
    assert waits == [waited]


def test_silence_is_a_failed_attempt(
    loopback: Any, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first attempt goes to a place that never says anything, and alone waits briefly."""
    send = httpx.HTTPTransport.handle_request
    waited: list[float] = []

    with socket.create_server(("127.0.0.1", 0)) as deaf:

        def first_to_the_deaf(
            transport: httpx.HTTPTransport, request: httpx.Request
        ) -> httpx.Response:
            waited.append(request.extensions["timeout"]["read"])
            if len(waited) == 1:
                request.extensions["timeout"]["read"] = 0.2
                request.url = request.url.copy_with(port=deaf.getsockname()[1])
            return send(transport, request)

        monkeypatch.setattr(httpx.HTTPTransport, "handle_request", first_to_the_deaf)
        assert got(loopback.address, silence=90.0) == body
    assert waited == [90.0, 90.0]
    assert len(loopback.asked) == 1


def test_a_slow_drip_is_given_up_in_time(loopback: Any) -> None:
    loopback.answers = [{"body": b"", "says": 10**6, "then": "drip"}]
    with pytest.raises(UnreachableError, match=r"not done within 0\.3 seconds"):
        got(loopback.address, total=0.3)
    assert len(loopback.asked) <= 1


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


def test_a_redirect_within_http_is_followed(loopback: Any, body: bytes) -> None:
    loopback.answers = [{"code": 302, "headers": {"Location": "/elsewhere"}}, {}]
    assert got(loopback.address) == body
    assert loopback.asked[-1] == "/elsewhere"


def test_a_redirect_loop_ends(loopback: Any) -> None:
    loopback.answers = [{"code": 302, "headers": {"Location": "/round"}}]
    with pytest.raises(UnreachableError, match="redirects more than 10 times"):
        got(loopback.address)
    assert len(loopback.asked) < 20


@pytest.mark.parametrize("address", ["ftp://127.0.0.1/a", "file:///etc/hostname", "no scheme"])
def test_other_addresses_are_not_opened(address: str) -> None:
    with pytest.raises(UnreachableError):
        got(address)


def test_a_refused_connection_is_said() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        with pytest.raises(UnreachableError, match=r"connection failed.*\(4 attempts\)"):
            got(f"http://127.0.0.1:{deaf.getsockname()[1]}")


def test_an_answer_that_is_not_http_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as odd:
        odd.settimeout(60)
        address = f"http://127.0.0.1:{odd.getsockname()[1]}"

        def answer() -> None:
            connection, _ = odd.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"220 ready\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(UnreachableError, match="connection failed"):
            got(address, attempts=1)
        thread.join()


def test_a_packed_body_is_kept_as_it_came(loopback: Any) -> None:
    packed = gzip.compress(b"0" * 10**6)
    loopback.answers = [{"body": packed, "headers": {"Content-Encoding": "gzip"}}]
    assert got(loopback.address) == packed


def test_a_proxy_is_asked_where_one_is_named(
    loopback: Any, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("http_proxy", loopback.address)
    assert got("http://harbour.example/a") == body
    assert loopback.asked == ["http://harbour.example/a"]


def test_a_proxy_that_cannot_be_used_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("https_proxy", "gopher://127.0.0.1:70")
    with pytest.raises(UnreachableError, match="a proxy named by HTTPS_PROXY"):
        got("https://harbour.example/a")


def test_no_pause_outlasts_the_time_for_all_attempts(loopback: Any) -> None:
    loopback.answers = [{"code": 503, "headers": {"Retry-After": "50"}}]
    waits: list[float] = []
    with pytest.raises(UnreachableError):
        got(loopback.address, waits, total=20.0)
    assert all(wait <= 20.0 for wait in waits)


def test_the_servers_own_words_are_not_repeated(loopback: Any) -> None:
    loopback.answers = [{"code": 403, "body": b"\x1b[2Jread this"}]
    with pytest.raises(UnreachableError) as caught:
        got(loopback.address)
    assert str(caught.value) == "the server answered 403 Forbidden"


def test_writing_trouble_is_not_the_networks(loopback: Any) -> None:
    class Full(io.BytesIO):
        def write(self, data: Any) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        download(
            loopback.address, Full(), limit=10**7, patience=Patience(), advance=lambda *_: None
        )
    assert len(loopback.asked) == 1


def test_a_copy_replaces_what_was_there(tmp_path: Any) -> None:
    (tmp_path / "a").write_bytes(b"short")
    file = io.BytesIO(b"something longer")
    copy(tmp_path / "a", file, limit=5, advance=lambda *_: None)
    assert file.getvalue() == b"short"
    with pytest.raises(UnreachableError, match="larger than the 4 bytes"):
        copy(tmp_path / "a", file, limit=4, advance=lambda *_: None)
