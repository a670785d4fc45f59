"""A loopback server that speaks enough of three providers' wire protocols for their real SDKs.

What it says is decided by a function of the dialogue; what goes wrong is decided by a list of
faults.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.clients.protocols import PROTOCOLS, Body, Dialogue, Said


@dataclass(frozen=True)
class Fault:
    """What happens to one request in place of an answer, or on the way to it."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    reset_after: int = -1
    drip: float = 0.0


@dataclass
class Wire:
    """The running server: where it is, what it was asked, and what goes wrong next."""

    reply: Callable[[Dialogue], Said]
    faults: dict[int | Dialogue, Fault] = field(default_factory=dict)
    asked: list[Dialogue] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    refuse: Callable[[Body], bool] = lambda body: False
    address: str = ""
    lost: list[Exception] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, dialogue: Dialogue, body: Body) -> Fault | None:
        """Note a request; the fault that was planned for it."""
        with self.lock:
            self.asked.append(dialogue)
            self.bodies.append(body)
            if self.refuse(body):
                return Fault(status=400)
            planned = dialogue if dialogue in self.faults else len(self.asked) - 1
            return self.faults.pop(planned, None)


@contextmanager
def wire(
    reply: Callable[[Dialogue], Said],
    faults: Mapping[int | Dialogue, Fault] | None = None,
    refuse: Callable[[Body], bool] = lambda body: False,
) -> Iterator[Wire]:
    """Serve on a free loopback port for the time of a test.

    Args:
        reply: what is said to a dialogue.
        faults: what goes wrong with a request, by its number from 0 or by its dialogue; each once.
        refuse: whether a request's body is one that this server answers with 400.
    """
    state = Wire(reply, dict(faults or {}), refuse=refuse)

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
        speak = next((s for end, s in PROTOCOLS.items() if end in self.path), None)
        if speak is None:
            self._send(404, {"error": {"message": f"no such path {self.path}"}})
            return
        dialogue = speak.read(body)
        fault = self.served.take(dialogue, body)
        if fault is not None and fault.status:
            self._send(fault.status, speak.failed(fault.status), fault)
            return
        try:
            status, answer = speak.write(body, self.served.reply(dialogue))
        except Exception as error:
            # A line that breaks would be tried again and again: the test is to hear of it.
            self.served.lost.append(error)
            status, answer = 400, speak.failed(400)
        self._send(status, answer, fault)

    def _send(self, status: int, body: Body, fault: Fault | None = None) -> None:
        data = json.dumps(body).encode()
        fault = fault or Fault()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in fault.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if fault.reset_after >= 0:
            self._reset(data[: fault.reset_after])
            return
        step = 16 if fault.drip else len(data)
        for start in range(0, len(data), max(1, step)):
            self.wfile.write(data[start : start + step])
            self.wfile.flush()
            if fault.drip:
                time.sleep(fault.drip)

    def _reset(self, begun: bytes) -> None:
        self.wfile.write(begun)
        self.wfile.flush()
        # Closing with linger 0 sends a reset instead of an orderly end.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True
