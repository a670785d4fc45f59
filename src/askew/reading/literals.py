"""Lists and mappings written as Python literals, JSON or YAML, read from untrusted text.

Nothing is constructed but text, numbers, lists and dictionaries. Reading takes time linear in the
text, which is capped in length and nesting; what can't be read is a `LiteralError`.
"""

import ast
import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import yaml

from askew.reading import phrases

# Longer than any list or mapping that answers a question.
MAX_TEXT = 200_000
# YAML is read character by character in Python: its cap keeps a hostile reply below a second.
MAX_YAML = 20_000
MAX_DEPTH = 20
_TOO_DEEP = f"not read: nested deeper than {MAX_DEPTH} levels"


class LiteralError(ValueError):
    """A text that is not the literal it should be: why."""


_SAYS = phrases("literals")


def strip_fence(text: str) -> str:
    """The inside of a text that is one fenced code block; any other text as it is, trimmed."""
    fence = _SAYS["fence"].fullmatch(text.strip())
    return (fence["inside"] if fence else text).strip()


def read_python(text: str) -> Any:
    """The value of a Python literal: lists, dictionaries, strings, numbers, True, False, None.

    A skeleton that nobody filled in, such as `[...]`, holds an ellipsis.
    """
    if len(text) <= MAX_TEXT and _SAYS["words"].fullmatch(text) is None:
        raise LiteralError("not a literal: only lists, mappings, texts and numbers are allowed")
    with _readable(text, MAX_TEXT, "a literal"), warnings.catch_warnings():
        # An escape that Python does not know ("\\d") stands for itself, with a warning.
        warnings.simplefilter("ignore")
        # In parentheses lines may begin anywhere; a tuple can only be commas outside of them.
        return _check_depth(ast.literal_eval(f"({text}\n)"))


def read_json(text: str) -> Any:
    """The value of a JSON text."""
    with _readable(text, MAX_TEXT, "JSON"):
        return _check_depth(json.loads(text, parse_constant=_refused_constant))


def _refused_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _check_depth(value: Any, depth: int = 0) -> Any:
    """A value without nesting beyond `MAX_DEPTH`, of nothing but lists, mappings and scalars."""
    if depth > MAX_DEPTH:
        raise LiteralError(_TOO_DEEP)
    if isinstance(value, tuple | set):
        raise LiteralError("not read: a tuple or a set")
    if isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            _check_depth(inner, depth + 1)
    return value


def read_yaml(text: str) -> Any:
    """The value of one YAML document: mappings, sequences and text; a plain null is None.

    Anchors, aliases, tags and further documents are refused: an answer needs none, and aliases
    let a short text stand for an endless one. Plain scalars are text, whatever they look like.
    """
    depth = 0
    with _readable(text, MAX_YAML, "YAML"):
        for token in yaml.scan(text):
            if isinstance(token, _NOT_PLAIN):
                raise LiteralError("not read: YAML with an alias or an anchor, or with a tag")
            depth += isinstance(token, _OPENS) - isinstance(token, _CLOSES)
            # The innermost may be empty. Deeper ones take the scanner time that grows squared.
            if depth > MAX_DEPTH + 1:
                raise LiteralError(_TOO_DEEP)
        value = _check_depth(yaml.load(text, _PlainYaml))
    if isinstance(value, dict) and not all(isinstance(key, str) for key in value):
        raise LiteralError("not read: YAML keys must be strings")
    return value


_UNREADABLE = (
    *(SyntaxError, TypeError, ValueError, OverflowError, MemoryError, RecursionError),
    yaml.YAMLError,
)
_NOT_PLAIN = (yaml.AliasToken, yaml.AnchorToken, yaml.TagToken)
_OPENS = (
    *(yaml.BlockSequenceStartToken, yaml.BlockMappingStartToken),
    *(yaml.FlowSequenceStartToken, yaml.FlowMappingStartToken),
)
_CLOSES = (yaml.BlockEndToken, yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken)
_NULL = "tag:yaml.org,2002:null"


class _PlainYaml(yaml.SafeLoader):
    """A reader of lists, mappings and text, of whose plain scalars only null is no text."""


_PlainYaml.yaml_implicit_resolvers = {
    first: [(tag, plain) for tag, plain in known if tag == _NULL]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@contextmanager
def _readable(text: str, limit: int, what: str) -> Iterator[None]:
    """Says why a text can't be read as a literal, JSON or YAML."""
    if len(text) > limit:
        raise LiteralError(f"not read: longer than {limit:,} characters")
    try:
        yield
    except LiteralError:
        raise
    except _UNREADABLE as error:
        # Python names a node by its address, which no two runs share.
        text_of = str(error).partition(": <ast.")[0]
        why: object = error.msg if isinstance(error, SyntaxError) else text_of
        if what == "YAML":
            why = getattr(error, "problem", None) or type(error).__name__
        raise LiteralError(f"not {what}: {why}") from None
