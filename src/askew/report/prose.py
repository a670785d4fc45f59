"""Sentences that several chapters say."""

from __future__ import annotations

from collections.abc import Sequence


def comparability(data: Sequence[str], shape: str) -> str:
    """What the published rows may be compared with.

    Args:
        data: where the questions came from.
        shape: what can be compared where the questions are others, in brackets.
    """
    if tuple(data) == ("paper",):
        return "The questions are the paper's own: levels compare with the published rows."
    whose = "askew's own" if tuple(data) == ("bundled",) else "not the paper's"
    return f"The questions are {whose}: compare the published rows in shape {shape}, not in level."
