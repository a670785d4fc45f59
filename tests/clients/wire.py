"""A loopback server that speaks enough of three providers' wire protocols for their real SDKs.

What it says is decided by a function of the dialogue.
"""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.clients.protocols import PROTOCOLS, Body, Dialogue, Said


@dataclass
class Wire:
    """The running server: where it is, and what it was asked."""

    reply: Callable[[Dialogue], Said]
    asked: list[Dialogue] = field(default_factory=list)
    address: str = ""
    lost: list[Exception] = field(default_factory=list)


@contextmanager
def wire(reply: Callable[[Dialogue], Said]) -> Iterator[Wire]:
    """Serve on a free port of this machine; `reply` is what is said to a dialogue."""
    state = Wire(reply)

    class Handler(_Handler):
        served = state

    server = _Server(("127.0.0.1", 0), Handler)
    state.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        server.hang_up()
    if state.lost:
        raise state.lost[0]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # The usual 5 turn connections away when many come at once to a busy machine, and a client
    # that waits for one runs into its own time limit.
    request_queue_size = 128

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.open: set[socket.socket] = set()

    def get_request(self) -> tuple[socket.socket, Any]:
        request, address = super().get_request()
        self.open.add(request)
        return request, address

    def shutdown_request(self, request: Any) -> None:
        self.open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End connections that a client keeps alive: each would keep a thread until the end."""
        for request in list(self.open):
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A body that waits until its headers are acknowledged comes 40 ms later.
    disable_nagle_algorithm = True
    served: Wire

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if "/count_tokens" in self.path:
            self._send(200, {"input_tokens": 5})
            return
        speak = next(s for end, s in PROTOCOLS.items() if end in self.path)
        dialogue = speak.read(body)
        self.served.asked.append(dialogue)
        try:
            status, answer = speak.write(body, self.served.reply(dialogue))
        except Exception as error:
            # A line that breaks would be tried again and again: the test is to hear of it.
            self.served.lost.append(error)
            status, answer = 400, {"error": {"message": "lost"}}
        self._send(status, answer)

    def _send(self, status: int, body: Body) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
