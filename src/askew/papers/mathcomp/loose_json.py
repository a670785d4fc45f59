"""JSON objects in a reply, the way models write them; nothing is evaluated, all is capped."""

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from askew.files import toml_of
from askew.papers.mathcomp.comparisons import bare_option
from askew.papers.mathcomp.paper import OPTIONS

MAX_TEXT = 60_000
# Braces of a hostile reply that are tried.
_MOST = 500
# Objects within each other in which an answer is looked for.
_DEEPEST = 100

# What makes Python's quotes, names and trailing commas JSON, sign by sign: places stay what they
# were. A quote opens or closes a string where something stands that may stand beside one.
_REPAIRS = (
    (re.compile(r"([{\[,:]\s{0,40})'"), r'\1"'),
    (re.compile(r"'(?=\s{0,40}[,:}\]])"), '"'),
    (re.compile(r",(?=\s{0,40}[}\]])"), " "),
    (re.compile(r"(?<=[:\[,\s])T(?=rue\b)"), "t"),
    (re.compile(r"(?<=[:\[,\s])F(?=alse\b)"), "f"),
    (re.compile(r"(?<=[:\[,\s])None\b"), "null"),
)
_DECODER = json.JSONDecoder(strict=False)

_FIELDS = toml_of(__package__, "replies.toml")["fields"]
_AMOUNT = re.compile(r"\d[\d.,]*")
# An option in a field has no more characters.
_LONGEST = 120


@dataclass(frozen=True)
class JsonObject:
    """An object of a text, and where it stands."""

    value: dict[str, Any]
    start: int
    end: int
    in_list: bool = False  # whether it is an element of a list of the reply's own, beside others


def answer_values(record: dict[str, Any], depth: int = 0) -> list[Any]:
    """What an object gives as its answer: a field, an inner object's, a true key, an option."""
    if depth > _DEEPEST:
        return []
    named = {_key(k): v for k, v in record.items()}
    options = [v for v in named.values() if isinstance(v, str) and bare_option(v[:_LONGEST])]
    alone = options if len(options) == 1 else []
    # {"type": "less", "value": 10}: of an amount, the answer stands beside it.
    amounts = {k for k in _FIELDS["amount"] if alone and _AMOUNT.fullmatch(str(named.get(k)))}
    for value in (named[k] for k in _FIELDS["answer"] if k in named and k not in amounts):
        inner = answer_values(value, depth + 1) if isinstance(value, dict) else []
        return inner or (value if isinstance(value, list) and value else [value])
    inside = [answer_values(v, depth + 1) for v in record.values() if isinstance(v, dict)]
    marked = [k for k, v in named.items() if k in OPTIONS and v is True]
    return next(filter(None, reversed(inside)), marked or alone)


def _key(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def reasons_of(record: dict[str, Any]) -> str:
    """What an object gives as its reasons."""
    texts = (v for k, v in record.items() if _key(k) in _FIELDS["reason"] and isinstance(v, str))
    return "\n".join(texts)


def objects_in(text: str) -> list[JsonObject]:
    """The outermost readable objects of a text, in order; of a long text, those at its end."""
    offset = max(0, len(text) - MAX_TEXT)
    body = text[offset:]
    repaired = body
    for pattern, sign in _REPAIRS:
        repaired = pattern.sub(sign, repaired)
    found: list[JsonObject] = []
    end = at = 0
    for _ in range(_MOST):
        if (at := body.find("{", at)) < 0:
            break
        if read := _object_at(body, at) or _object_at(repaired, at):
            between = body[end:at].strip()
            in_list = between[-1:] == "[" or (between == "," and any(f.in_list for f in found[-1:]))
            found.append(JsonObject(read[0], offset + at, offset + read[1], in_list))
            end = read[1]
        at = max(at + 1, end)
    return found


def _object_at(text: str, at: int) -> tuple[dict[str, Any], int] | None:
    """The object at a place, and where it ends."""
    with suppress(ValueError, RecursionError):
        return _DECODER.raw_decode(text, at)
    return None
