"""Sentences that several chapters say."""

from __future__ import annotations

from collections.abc import Sequence


def comparability(data: Sequence[str], shape: str, what: str = "questions") -> str:
    """What the published rows may be compared with.

    Args:
        data: where the questions came from.
        shape: what can be compared where the questions are others, in brackets.
        what: what the paper calls its questions.
    """
    if tuple(data) == ("paper",):
        return f"The {what} are the paper's own: levels compare with the published rows."
    whose = "askew's own" if tuple(data) == ("bundled",) else "not the paper's"
    return f"The {what} are {whose}: compare the published rows in shape {shape}, not in level."
