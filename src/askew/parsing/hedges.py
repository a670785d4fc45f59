"""Ways of not committing: "it cannot be determined", "unclear", "I am not sure"."""

from __future__ import annotations

import re

_CANNOT = r"(?:can(?:not|'t| not)|could(?: not|n't)|is not possible to|isn't possible to)"
_HEDGE = re.compile(
    rf"\b{_CANNOT} (?:really |truly |definitively |reliably )?(?:be )?"
    r"(?:determined?|decided?|known?|answer(?:ed)?|verif(?:y|ied)|infer(?:red)?|establish(?:ed)?"
    r"|tell|told|sa(?:y|id)|conclude(?:d)?|confirm(?:ed)?|deduced?)\b"
    r"|\b(?:unclear|uncertain|undecidable|undecided|undetermined|undeterminable|unanswerable"
    r"|unverifiable|indeterminate|indeterminable|inconclusive|unknowable|unknown)\b"
    r"|\bnot (?:entirely |fully |quite |really )?(?:sure|certain|clear|determinable)\b"
    r"|\b(?:not|n't) (?:have |provide |give |contain |offer )?(?:enough|sufficient) "
    r"(?:information|info|evidence|context|data|detail|facts)\b"
    r"|\b(?:insufficient|not enough|too little|lack of) "
    r"(?:information|info|evidence|context|data)\b"
    r"|\b(?:impossible|hard|difficult) to (?:say|tell|determine|know|decide|judge|conclude)\b"
    r"|\b(?:do not|don't) know\b|\bno (?:idea|clear answer|definite answer|way (?:to|of) "
    r"(?:tell|know|telling|knowing))\b",
    re.IGNORECASE,
)
# Whole replies that leave the question open.
_BARE = frozenset({"unclear", "uncertain", "unknown", "not sure", "unsure", "undetermined", "?"})


def hedge_positions(text: str) -> list[int]:
    """Where statements that leave the question open begin."""
    return [match.start() for match in _HEDGE.finditer(text)]


def hedges(text: str) -> bool:
    """Whether a text leaves the question open anywhere."""
    return _HEDGE.search(text) is not None


def starts_with_hedge(text: str) -> bool:
    """Whether a text opens by leaving the question open, in its first few words."""
    head = text[:200].strip(" \t\n\"'([{*_:.-")
    if head.casefold().rstrip(" .!)]}\"'") in _BARE:
        return True
    match = _HEDGE.search(head)
    return match is not None and len(head[: match.start()].split()) <= 4
