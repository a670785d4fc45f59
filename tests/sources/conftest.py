"""A loopback server whose answers are scripted, standing in for the network."""

import hashlib
import socket
import struct
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from askew.sources.pinned import Source, on_github

BODY = b"".join(b'{"id": "q%d", "question": "Is the ferry late?"}\n' % i for i in range(5000))


class Loopback:
    """Gives one scripted answer a request, the last one for good.

    An answer is a mapping of `code`, `body`, `headers`, `says` (the length claimed, None for
    none) and `then`: "reset" breaks the connection after the body.
    """

    def __init__(self) -> None:
        self.answers: list[dict[str, Any]] = [{}]
        self.asked: list[str] = []
        script = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                script.asked.append(self.path)
                place = min(len(script.asked), len(script.answers)) - 1
                script._answer(self, **script.answers[place])

            def log_message(self, *args: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(
        self,
        handler: BaseHTTPRequestHandler,
        code: int = 200,
        body: bytes = BODY,
        headers: dict[str, str] | None = None,
        says: int | None = -1,
        then: str = "",
    ) -> None:
        handler.send_response(code)
        if says is not None:
            handler.send_header("Content-Length", str(len(body) if says < 0 else says))
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.end_headers()
        try:
            handler.wfile.write(body)
        except OSError:
            return  # The client has hung up, as it may.
        if then == "reset":
            # A linger time of 0 sends a reset instead of an orderly end. The handler's files
            # still hold the connection, so shutting them down is what closes it.
            linger = struct.pack("ii", 1, 0)
            time.sleep(0.05)
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            handler.rfile.close()
            handler.connection.close()


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    server = Loopback()
    yield server
    server.close()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds between attempts, noted instead of sat out."""
    noted: list[float] = []
    monkeypatch.setattr("askew.sources.pinned.sleep", noted.append)
    return noted


@pytest.fixture
def body() -> bytes:
    """What the loopback server gives where nothing else is scripted."""
    return BODY


@pytest.fixture
def boats() -> Source:
    """A source with the content that the loopback server gives."""
    commit = "0123456789abcdef0123456789abcdef01234567"
    blob_id = hashlib.sha1(b"blob %d\0" % len(BODY) + BODY).hexdigest()
    [source] = on_github(
        "boats", "quay/boats", commit, "CC0", {"data/Harbour Log.jsonl": blob_id}
    ).values()
    return source


@pytest.fixture
def cache_folder(tmp_path: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that does not exist yet, and the loopback server as the only place to ask."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ASKEW_CACHE", str(folder))
    monkeypatch.setenv("ASKEW_MIRROR", loopback.address)
    monkeypatch.setenv("no_proxy", "*")
    return folder
