"""Multiple choice: which lettered option a reply settles on, or that none fits, or why neither."""

from __future__ import annotations

from collections.abc import Sequence

from askew.reading import phrases
from askew.reading.engine import Choice, Reader
from askew.reading.languages import in_english
from askew.reading.names import LETTERS, OptionNames, composed
from askew.reading.reply import ends, has_words, unwrapped, visible

_SAYS = phrases("engine")
_FIELDS = frozenset(
    {"letter", "choice", "option", "answer", "final_answer", "correct_answer", "correct_option"}
    | {"text", "answer_text", "selected_option", "response"}
)


def read_choice(reply: str, options: Sequence[str], removed: str = "") -> Choice:
    """Read a lettered multiple-choice reply.

    Args:
        reply: the model's whole reply.
        options: offered options in order; the first is A.
        removed: the right option where it was taken away, so that it can be recognised.
    """
    text = ends(visible(reply))
    if not has_words(text):
        return Choice("empty", why="the reply has no words")
    names = OptionNames(options, removed)
    text = composed(_SAYS["blanks"].sub(" ", unwrapped(text, _FIELDS)))
    tokens = "".join(_SAYS["token"].findall(text)) if len(text) < 4 * len(options) + 20 else ""
    if 1 < len(tokens) == len(set(tokens)) and all(c in LETTERS[: len(options)] for c in tokens):
        return Choice("ambiguous", why=f"gives {' and '.join(tokens)}")
    return Reader(in_english(text, names.written), names).read()
