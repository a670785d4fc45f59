"""How three providers write requests and replies: a dialogue out of one, a reply into the other.

OpenAI chat completions and responses, Anthropic messages, Google generateContent.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

Body = dict[str, Any]
Dialogue = tuple[tuple[str, str], ...]
Answer = tuple[int, Body]


@dataclass(frozen=True)
class Said:
    """One reply, whoever gives it.

    Args:
        text: what is said.
        stop: why it ended: stop, max_tokens, content_filter; "declined" where the provider marks
            a refusal as such, "blocked" where it takes the prompt for a forbidden one, "nothing"
            where it returns no reply at all.
        reasoning: what the provider returns beside it.
        verdict: arguments of a call of the tool `verdict`, as JSON.
        also: what a second choice says, where a provider can send several.
    """

    text: str = ""
    stop: str = "stop"
    reasoning: str = ""
    verdict: str = ""
    also: str = ""


class Protocol(NamedTuple):
    """What a provider understands and how it answers."""

    read: Callable[[Body], Dialogue]
    write: Callable[[Body, Said], Answer]


def _text(content: Any) -> str:
    """The text of a message, whether a string or a list of parts; a refusal is said, too."""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text") or part.get("refusal") or "") for part in content or [])


def _role(role: str) -> str:
    return {"developer": "system", "model": "assistant"}.get(role, role)


# --- OpenAI -------------------------------------------------------------------------------------

_BLOCKED = "Invalid prompt: your prompt was flagged as a violation of our usage policy."


def _dialogue(messages: list[Body]) -> Dialogue:
    return tuple((_role(m["role"]), _text(m.get("content"))) for m in messages)


def _read_chat(body: Body) -> Dialogue:
    return _dialogue(body["messages"])


def _write_chat(body: Body, said: Said) -> Answer:
    if said.stop == "blocked":
        return 400, _refused_openai()
    message: Body = {"role": "assistant", "content": said.text}
    if said.stop in ("declined", "nothing"):
        message |= {"content": None, "refusal": said.text or None}
    if said.reasoning:
        message["reasoning_content"] = said.reasoning
    if said.verdict:
        call = {"name": "verdict", "arguments": said.verdict}
        message["tool_calls"] = [{"id": "t1", "type": "function", "function": call}]
    stops = {"max_tokens": "length", "content_filter": "content_filter"}
    finish = stops.get(said.stop, "tool_calls" if said.verdict else "stop")
    return 200, {
        "id": "c1", "object": "chat.completion", "created": 1, "model": body["model"],
        "choices": [
            {"index": 0, "message": message, "finish_reason": finish},
            *([{"index": 1, "message": {"role": "assistant", "content": said.also},
                "finish_reason": "stop"}] if said.also else []),
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
    }  # fmt: skip


def _read_responses(body: Body) -> Dialogue:
    given = body["input"]
    if isinstance(given, str):
        return (("user", given),)
    return _dialogue([m for m in given if m.get("type", "message") == "message"])


def _write_responses(body: Body, said: Said) -> Answer:
    if said.stop == "blocked":
        return 400, _refused_openai()
    output: list[Body] = []
    if said.reasoning:
        thought = {"type": "summary_text", "text": said.reasoning}
        output.append({"type": "reasoning", "id": "r1", "summary": [thought]})
    if said.text or said.stop == "stop":
        part = {"type": "output_text", "text": said.text, "annotations": []}
        if said.stop == "declined":
            part = {"type": "refusal", "refusal": said.text}
        output.append(
            {"type": "message", "id": "m1", "role": "assistant", "status": "completed",
             "content": [part]}
        )  # fmt: skip
    if said.verdict:
        output.append(
            {"type": "function_call", "id": "f1", "call_id": "t1", "name": "verdict",
             "arguments": said.verdict, "status": "completed"}
        )  # fmt: skip
    reasons = {"max_tokens": "max_output_tokens", "content_filter": "content_filter"}
    cut = reasons.get(said.stop)
    return 200, {
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


def _refused_openai() -> Body:
    kind = {"type": "invalid_request_error", "param": None, "code": "invalid_prompt"}
    return {"error": {"message": _BLOCKED, **kind}}


# --- Anthropic ----------------------------------------------------------------------------------


def _read_anthropic(body: Body) -> Dialogue:
    system = _text(body.get("system", ""))
    turns = tuple((m["role"], _text(m["content"])) for m in body["messages"])
    return ((("system", system),) if system else ()) + turns


def _write_anthropic(body: Body, said: Said) -> Answer:
    if said.stop == "blocked":
        why = "Output blocked by content filtering policy"
        return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": why}}
    content: list[Body] = []
    if said.reasoning:
        content.append({"type": "thinking", "thinking": said.reasoning, "signature": "s"})
    if said.text:
        content.append({"type": "text", "text": said.text})
    if said.verdict:
        given = json.loads(said.verdict) if said.stop == "stop" else {}
        content.append({"type": "tool_use", "id": "t1", "name": "verdict", "input": given})
    stops = {"max_tokens": "max_tokens", "content_filter": "refusal", "declined": "refusal"}
    return 200, {
        "id": "m1", "type": "message", "role": "assistant", "model": body["model"],
        "content": content,
        "stop_reason": stops.get(said.stop, "tool_use" if said.verdict else "end_turn"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": 9, "output_tokens": 3, "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }  # fmt: skip


# --- Google -------------------------------------------------------------------------------------


def _read_google(body: Body) -> Dialogue:
    system = _text(body.get("systemInstruction", {}).get("parts", []))
    turns = tuple((_role(c.get("role", "user")), _text(c["parts"])) for c in body["contents"])
    return ((("system", system),) if system else ()) + turns


def _write_google(body: Body, said: Said) -> Answer:
    sent: Body = {
        "usageMetadata": {
            "promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 12,
        },
        "modelVersion": "gemini-test",
    }  # fmt: skip
    rating = {"category": "HARM_CATEGORY_HARASSMENT", "probability": "HIGH", "blocked": True}
    if said.stop == "blocked":
        sent["promptFeedback"] = {"blockReason": "SAFETY", "safetyRatings": [rating]}
    elif said.stop != "nothing":
        sent["candidates"] = [_candidate(said, rating)]
        if said.also:
            sent["candidates"].append({**_candidate(Said(said.also), rating), "index": 1})
    return 200, sent


def _candidate(said: Said, rating: Body) -> Body:
    parts: list[Body] = []
    if said.reasoning:
        parts.append({"text": said.reasoning, "thought": True})
    if said.text or said.stop == "stop":
        parts.append({"text": said.text})
    if said.verdict:
        given = json.loads(said.verdict) if said.stop == "stop" else {}
        parts.append({"functionCall": {"name": "verdict", "args": given}})
    stops = {"max_tokens": "MAX_TOKENS", "content_filter": "SAFETY"}
    stops["declined"] = "PROHIBITED_CONTENT"
    candidate: Body = {"index": 0, "finishReason": stops.get(said.stop, "STOP")}
    # Where nothing came of it, there is a role without parts, or not even that.
    if parts or said.stop == "max_tokens":
        candidate["content"] = {"role": "model", **({"parts": parts} if parts else {})}
    if candidate["finishReason"] == "SAFETY":
        candidate["safetyRatings"] = [rating]
    return candidate


PROTOCOLS = {
    "/chat/completions": Protocol(_read_chat, _write_chat),
    "/responses": Protocol(_read_responses, _write_responses),
    "/messages": Protocol(_read_anthropic, _write_anthropic),
    ":generateContent": Protocol(_read_google, _write_google),
}
