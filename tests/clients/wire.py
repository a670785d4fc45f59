"""A loopback server that speaks enough of three providers' wire protocols for their real SDKs.

OpenAI chat completions and responses, Anthropic messages, Google generateContent. What it says is
decided by a function of the dialogue; what goes wrong is decided by a list of faults.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Dialogue = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Said:
    """One reply: its text, why it ended, and reasoning that the provider returns beside it."""

    text: str
    stop: str = "stop"
    reasoning: str = ""


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
    faults: dict[int, Fault] = field(default_factory=dict)
    asked: list[Dialogue] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    refuse: Callable[[dict[str, Any]], bool] = lambda body: False
    address: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, dialogue: Dialogue, body: dict[str, Any]) -> Fault | None:
        """Note a request; the fault that was planned for it, by its number from 0."""
        with self.lock:
            self.asked.append(dialogue)
            self.bodies.append(body)
            if self.refuse(body):
                return Fault(status=400)
            return self.faults.pop(len(self.asked) - 1, None)


@contextmanager
def wire(
    reply: Callable[[Dialogue], Said],
    faults: dict[int, Fault] | None = None,
    refuse: Callable[[dict[str, Any]], bool] = lambda body: False,
) -> Iterator[Wire]:
    """Serve on a free loopback port for the time of a test.

    Args:
        reply: what is said to a dialogue.
        faults: what goes wrong with a request, by its number from 0; each once.
        refuse: whether a request's body is one that this server answers with 400.
    """
    state = Wire(reply, dict(faults or {}), refuse=refuse)

    class Handler(_Handler):
        served = state

    server = _Server(("127.0.0.1", 0), Handler)
    state.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # The usual 5 turn connections away when many come at once to a busy machine, and a client
    # that waits for one runs into its own time limit.
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
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
        read, write, failed = speak
        dialogue = read(body)
        fault = self.served.take(dialogue, body)
        if fault is not None and fault.status:
            self._send(fault.status, failed(fault.status), fault.headers)
            return
        self._send(200, write(body, self.served.reply(dialogue)), {}, fault)

    def _send(
        self, status: int, body: Any, headers: dict[str, str] | None = None,
        fault: Fault | None = None,
    ) -> None:  # fmt: skip
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if fault is not None and fault.reset_after >= 0:
            self.wfile.write(data[: fault.reset_after])
            self.wfile.flush()
            # Closing with linger 0 sends a reset instead of an orderly end.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
            return
        step = 16 if fault is not None and fault.drip else len(data)
        for start in range(0, len(data), max(1, step)):
            self.wfile.write(data[start : start + step])
            self.wfile.flush()
            if fault is not None and fault.drip:
                time.sleep(fault.drip)


def _text(content: Any) -> str:
    """The text of a message, whether a string or a list of parts."""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content or [])


def _read_chat(body: dict[str, Any]) -> Dialogue:
    return tuple(
        ("system" if m["role"] == "developer" else m["role"], _text(m["content"]))
        for m in body["messages"]
    )


def _write_chat(body: dict[str, Any], said: Said) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text}
    if said.reasoning:
        message["reasoning_content"] = said.reasoning
    stops = {"max_tokens": "length", "content_filter": "content_filter"}
    return {
        "id": "c1", "object": "chat.completion", "created": 1, "model": body["model"],
        "choices": [
            {"index": 0, "message": message, "finish_reason": stops.get(said.stop, "stop")}
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
    }  # fmt: skip


def _read_responses(body: dict[str, Any]) -> Dialogue:
    given = body["input"]
    if isinstance(given, str):
        return (("user", given),)
    return tuple(
        ("system" if m["role"] == "developer" else m["role"], _text(m["content"]))
        for m in given
        if m.get("type", "message") == "message"
    )


def _write_responses(body: dict[str, Any], said: Said) -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    if said.reasoning:
        output.append(
            {"type": "reasoning", "id": "r1",
             "summary": [{"type": "summary_text", "text": said.reasoning}]}
        )  # fmt: skip
    output.append(
        {"type": "message", "id": "m1", "role": "assistant", "status": "completed",
         "content": [{"type": "output_text", "text": said.text, "annotations": []}]}
    )  # fmt: skip
    reasons = {"max_tokens": "max_output_tokens", "content_filter": "content_filter"}
    cut = reasons.get(said.stop)
    return {
        "id": "resp1", "object": "response", "created_at": 1, "model": body["model"],
        "status": "incomplete" if cut else "completed", "output": output,
        "incomplete_details": {"reason": cut} if cut else None, "error": None,
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "instructions": None,
        "metadata": {}, "temperature": 0, "top_p": 1,
        "usage": {
            "input_tokens": 9, "output_tokens": 3, "total_tokens": 12,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }  # fmt: skip


def _read_anthropic(body: dict[str, Any]) -> Dialogue:
    system = _text(body.get("system", ""))
    turns = tuple((m["role"], _text(m["content"])) for m in body["messages"])
    return ((("system", system),) if system else ()) + turns


def _write_anthropic(body: dict[str, Any], said: Said) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if said.reasoning:
        content.append({"type": "thinking", "thinking": said.reasoning, "signature": "s"})
    if said.text:
        content.append({"type": "text", "text": said.text})
    stops = {"max_tokens": "max_tokens", "content_filter": "refusal"}
    return {
        "id": "m1", "type": "message", "role": "assistant", "model": body["model"],
        "content": content, "stop_reason": stops.get(said.stop, "end_turn"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": 9, "output_tokens": 3, "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }  # fmt: skip


def _read_google(body: dict[str, Any]) -> Dialogue:
    system = _text(body.get("systemInstruction", {}).get("parts", []))
    roles = {"model": "assistant"}
    turns = tuple(
        (roles.get(c.get("role", "user"), c.get("role", "user")), _text(c["parts"]))
        for c in body["contents"]
    )
    return ((("system", system),) if system else ()) + turns


def _write_google(body: dict[str, Any], said: Said) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    if said.reasoning:
        parts.append({"text": said.reasoning, "thought": True})
    parts.append({"text": said.text})
    stops = {"max_tokens": "MAX_TOKENS", "content_filter": "SAFETY"}
    return {
        "candidates": [
            {"content": {"role": "model", "parts": parts}, "index": 0,
             "finishReason": stops.get(said.stop, "STOP")}
        ],
        "usageMetadata": {
            "promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 12,
        },
        "modelVersion": "gemini-test",
    }  # fmt: skip


def _failed_openai(status: int) -> dict[str, Any]:
    return {"error": {"message": f"status {status}", "type": "server_error", "code": None}}


def _failed_anthropic(status: int) -> dict[str, Any]:
    kind = "rate_limit_error" if status == 429 else "api_error"
    return {"type": "error", "error": {"type": kind, "message": f"status {status}"}}


def _failed_google(status: int) -> dict[str, Any]:
    return {"error": {"code": status, "message": f"status {status}", "status": "UNAVAILABLE"}}


PROTOCOLS = {
    "/chat/completions": (_read_chat, _write_chat, _failed_openai),
    "/responses": (_read_responses, _write_responses, _failed_openai),
    "/messages": (_read_anthropic, _write_anthropic, _failed_anthropic),
    ":generateContent": (_read_google, _write_google, _failed_google),
}
