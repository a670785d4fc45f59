"""LaTeX equations: when two are the same but for how they are written, and what is odd in a set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# What changes how an equation is set, and not what it says.
_SETTING = re.compile(
    r"\\(?:left|right|[Bb]igg?[lr]?|displaystyle|textstyle|nonumber|notag|quad|qquad)(?![A-Za-z])"
    r"|\\label\{[^{}]{0,200}\}|\\[,;:! ]|[~\s]|&"
)
_ONE_IN_BRACES = re.compile(r"\{([A-Za-z0-9])\}")


def bare(equation: str) -> str:
    """An equation without spacing, sizes, labels and its closing mark, to compare by."""
    text = _ONE_IN_BRACES.sub(r"\1", _SETTING.sub("", equation))
    return text.rstrip(".,;")


def left_side(equation: str) -> str:
    """What stands in front of the first equals sign; empty where there is none."""
    left, equals, _ = equation.partition("=")
    return left.strip() if equals else ""


def oddities(options: Sequence[str], gold: int, context: str) -> Iterator[tuple[str, str]]:
    """What is odd about the options of an equation's question: each with its kind."""
    written = [bare(option) for option in options]
    for i, text in enumerate(written):
        if i != gold and text == written[gold]:
            what = f"{options[i]!r:.80} is the right one but for how it is written"
            yield "same equation twice", what
        elif i != gold and text in written[:i]:
            yield "same equation twice", f"{options[i]!r:.80} stands there in another writing"
    if written[gold] and written[gold] in bare(context):
        yield "equation in its context", "the right equation stands in the text around it"
