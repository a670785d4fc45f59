"""Ways of saying that no option fits: "none-of-them" and its spellings."""

from __future__ import annotations

import re

from askew.parsing.reply import folded

NONE_OF_THEM = "none-of-them"

_OPTIONS = (
    r"(?:(?:provided|given|listed|available|offered|above|presented|suggested|answer|intent|class"
    r"|multiple[- ]choice) ){0,3}"
    r"(?:options?|choices?|answers?|equations?|intents?|class(?:es)?|labels?|names?"
    r"|possibilities|alternatives|candidates|categories)"
)
# Phrases about "the other options" compare with a chosen one; they don't deny all of them.
_PHRASES = re.compile(
    r"\bnone[\s_-]{1,3}of[\s_-]{1,3}(?:them|these|those|the[\s_-]{1,3}above|above)\b"
    r"(?!\s(?:other|remaining|rest))"
    rf"|\bnone of (?:the |these |those )(?:four |three |above )?{_OPTIONS}\b"
    r"|\bnone (?:is|are|fits?|applies|apply|match(?:es)?|seems?|appears?|works?)\b"
    rf"|\b(?:there (?:is|are|was|were|seems? to be) )?no {_OPTIONS} "
    r"(?:is|are|fits?|applies|apply|match(?:es)?|seems?|appears?)\b(?! (?:better|closer))"
    rf"|\b(?:there (?:is|are|was|were|seems? to be) )?no (?:correct|right|valid|suitable"
    rf"|appropriate|matching|accurate|fitting) {_OPTIONS}\b"
    rf"|\bnot any of (?:the |these |those )?{_OPTIONS}\b"
    rf"|\bneither of (?:the |these |those )?{_OPTIONS}\b"
    rf"|\b(?:the )?(?:correct|right) {_OPTIONS} (?:is|are|was) (?:not|n't) "
    r"(?:listed|offered|given|provided|included|present|available|among|there|in the|one of)"
    rf"|\ball (?:of )?(?:the |these )?{_OPTIONS} (?:are|seem|appear)(?: to be)? "
    r"(?:incorrect|wrong|false)\b"
    rf"|\b{_OPTIONS} (?:do not|don't|does not|doesn't) (?:include|contain|offer|list) "
    r"(?:the|a|any) (?:correct|right)\b",
    re.IGNORECASE,
)
_OTHER = re.compile(r"\s*(?:other|remaining|rest)\b", re.IGNORECASE)
_BARE = frozenset(
    {"none", "none of them", "none-of-them", "none_of_them", "none of these", "none of those"}
    | {"none of the above", "none of the options", "no correct option", "no correct answer"}
    | {"no option", "no answer", "no option is correct", "neither", "not listed", "none of it"}
)
# Whole options that deny in their own words, such as a story question's "No one."
_DENIALS = re.compile(
    r"(?:none|nothing|nobody|no one|no-one|nowhere|neither)"
    r"(?:[\s,](?:of|did|was|were|he|she|it|they|has|had|in|live|lives)\b.*)?"
    r"|the (?:story|text|passage) (?:does not|doesn't|did not|didn't) (?:say|tell|mention).*"
)


def is_none(text: str) -> bool:
    """Whether the whole text is a spelling of none-of-them."""
    return folded(text) in _BARE


def starts_with_none(text: str) -> bool:
    """Whether the text opens by saying that none fits."""
    head = folded(text[:200])
    if head in _BARE:
        return True
    match = _PHRASES.match(head)
    if match is not None:
        return not _OTHER.match(head, match.end())
    first = head.split(maxsplit=1)[0].strip(".,;:!-") if head else ""
    return first == "none" and not head.startswith(("none of the other", "none of the rem"))


def none_position(text: str) -> int:
    """Where the last statement that none fits begins, or -1."""
    last = -1
    for match in _PHRASES.finditer(text):
        if not _OTHER.match(text, match.end()):
            last = match.start()
    return last


def denies(option: str) -> bool:
    """Whether an offered option says none in its own words ("No one.", "None of these")."""
    text = folded(option)
    return len(text) < 200 and _DENIALS.fullmatch(text) is not None
