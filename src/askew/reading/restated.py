"""What stands in a reply without being its answer: others' claims, suppositions, wrong answers.

"The prompt says that the answer is X", "if a rule were missing, it would be X" and "incorrect
answer: X" name an answer that the reply does not give. It is blanked before the reply is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from askew.reading import phrases

_SAYS = phrases("restated")

REVISES = _SAYS["revises"]
LEADS_ON = _SAYS["leads_on"]
"""Finds where a reply takes back what it said."""


def blanked(text: str, pattern: re.Pattern[str]) -> str:
    """The text with spaces where the pattern matches: places and lines stay what they were."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def claims(text: str) -> Sequence[str]:
    """What the reply says that others say the answer is."""
    return [match.group() for match in _SAYS["claims"].finditer(text)]


def own(text: str) -> str:
    """What the reply says for itself."""
    text = blanked(text, _SAYS["claims"])
    text = _SAYS["unit"].sub(lambda unit: _kept(unit.group()), text)
    return blanked(text, _SAYS["wrong"])


def _kept(unit: str) -> str:
    """A piece of a sentence, blank where it only supposes, or says which answer is wrong."""
    if _SAYS["would"].search(unit) and _SAYS["supposes"].search(unit):
        return " " * len(unit)
    return " " * len(unit) if _SAYS["is_wrong"].search(unit) else unit


def spaced_scripts(text: str) -> str:
    """Text with blanks between Chinese characters and Latin ones: words end there."""
    return _SAYS["scripts"].sub(" ", text)


def agrees(rest: str) -> bool:
    """Whether what a reply says beside others' claims takes them up, and nothing in it objects."""
    return _SAYS["agrees"].search(rest) is not None and _SAYS["disagrees"].search(rest) is None
