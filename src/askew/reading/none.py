"""Ways of giving no answer: that no option fits ("none-of-them"), or that the question is open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from askew.reading.reply import folded, lowered

NONE_OF_THEM = "none-of-them"

_KINDS = r"(?:options?|choices?|answers?|equations?|intents?|alternatives|candidates|possibilities)"
# These stand for options too, but a story may speak of them in another sense.
_OTHER_KINDS = r"(?:class(?:es)?|labels?|names?|categor(?:y|ies)|responses?|statements?)"
_WHICH = (
    r"(?:(?:provided|given|listed|available|offered|above|presented|suggested|answer|intent|class"
    r"|multiple[- ]choice|following|stated|possible|two|three|four|five|[2-9]) ){0,3}"
)
_OPTIONS = rf"{_WHICH}{_KINDS}"
_RIGHT = (
    r"(?:(?:quite|exactly|fully|actually|strictly|entirely|perfectly|completely|really) )?"
    r"(?:the |a )?(?:correct|right|valid|suitable|appropriate|accurate|true|applicable|matching"
    r"|good|proper|exact|fitting|perfect|adequate|satisfactory)"
)
# "... fits", "... is correct", "... seem to match": what an option can do to a question.
_FITS = (
    r"(?:(?:really|quite|exactly|actually|seems? to|appears? to) )?"
    r"(?:fits?|match(?:es)?|appl(?:y|ies)|works?|suits?|corresponds?|describes?|covers?|captures?"
    rf"|(?:is|are|was|were|seems?|appears?|looks?)(?: to be)? {_RIGHT})\b"
)
# Only some are denied: what remains may hold the answer.
_NOT_ALL = (
    r"(?! (?:other|others|remaining|rest|except|but|besides|apart from|other than"
    r"|[a-z](?:\b(?!')))|s? (?:better|closer))"
)
# Matched on lower-case text, each alternative with a literal head, so that a scan of a long
# reply skips from head to head. Denials of all options by name are firm; a pronoun ("none of
# them fits") may stand for something else, so it never overturns an answer.
_APPOSED = r"(?: ?\([^()\n]{0,80}\)|, [^,.\n]{0,80},)?"
_FIRM = re.compile(
    rf"none of (?:the |these |those |your |all (?:the |these )?)?{_OPTIONS}\b{_NOT_ALL}"
    rf"|none of (?:the |these |those )?{_WHICH}{_OTHER_KINDS} "
    rf"(?:(?:provided|given|listed|above|offered)\b|{_FITS}){_NOT_ALL}"
    rf"|none of (?:the |these |those )?(?:provided|given|listed|above|offered|available) "
    rf"{_OTHER_KINDS}\b{_NOT_ALL}"
    rf"|none of (?:the )?above\b{_NOT_ALL}"
    rf"|no {_WHICH}(?:{_KINDS}|class|label|category) "
    rf"(?:here |above |given |provided |listed )?(?:that |which )?{_FITS}"
    rf"|no (?:correct|right|valid|suitable|appropriate|matching|accurate|fitting) {_OPTIONS}\b"
    rf"|not any of (?:the |these |those )?{_OPTIONS}\b{_NOT_ALL}"
    rf"|neither of (?:the |these |those )?{_OPTIONS}\b{_NOT_ALL}"
    rf"|(?:correct|right|actual|true) (?:{_OPTIONS}|one){_APPOSED} (?:is|was|are)"
    r"(?:n't| not) (?:even )?(?:listed|offered|given|provided|included|present|available|among"
    r"|there|in the|one of|shown|an option)"
    rf"|(?:correct|right|actual|true) (?:{_OPTIONS}|one){_APPOSED} "
    r"(?:is|seems to be|appears to be) (?:missing|absent|left out|omitted)\b"
    rf"|(?:correct|right|actual|true) (?:{_OPTIONS}|one) (?:does not|doesn't|did not|didn't) appear"
    rf"|(?:answer|intent) (?:is|was)(?:n't| not) (?:listed|offered|among|included|one of|in"
    rf"|provided|given|present|available|shown|found) "
    rf"(?:among |in |by )?(?:the |these |those )?{_OPTIONS}\b"
    rf"|all (?:of )?(?:the |these |those )?{_OPTIONS} (?:are|seem|appear)(?: to be)? "
    r"(?:incorrect|wrong|false|invalid)\b"
    rf"|every (?:single )?{_OPTIONS} (?:is|seems|appears)(?: to be)? (?:incorrect|wrong|false)\b"
    rf"|{_KINDS} (?:provided |given |listed |above )?(?:do not|don't|does not|doesn't) "
    r"(?:include|contain|offer|list|have) (?:the|a|any) (?:correct|right|true)\b"
    r"|not (?:listed|included|given|offered|an option)(?: here| above)?(?= ?\))"
    r"|not an option (?:here|above|listed|given|provided|offered)\b"
    rf"|not (?:among|one of|listed (?:in|among)|in) (?:the |these |those )"
    rf"(?:{_WHICH}(?:options|choices|alternatives)|list)\b"
    rf"|(?:isn't|is not|aren't|are not|wasn't) (?:an? |any )?"
    rf"(?:correct|right|valid|suitable|matching) {_OPTIONS}\b"
    rf"|cannot be (?:answered|determined|chosen) (?:with|from|by|using|among) "
    rf"(?:the |these |any of the ){_OPTIONS}\b"
    r"|(?:error|mistake|problem) (?:in|with) the (?:question|options|choices|problem)\b"
    r"|something (?:is|seems|must be) wrong with the (?:problem|question|options|choices)"
    rf"|(?:problem|question|{_KINDS}) (?:seems?|appears?|looks?)(?: to be)? "
    r"(?:flawed|faulty|wrong|incorrect)\b"
)
_LOOSE = re.compile(
    r"none[\s_-]{1,3}of[\s_-]{1,3}(?:them|these|those|it)"
    rf"(?=[ \"'*_`]{{0,4}}(?:[.,;:!?)\]}}\n(]|- |-- |\u2013|\u2014|$)"
    rf"| (?:because|since|as)\b| {_FITS})"
    rf"|none {_FITS}"
    r"|none-of-them\b|none_of_them\b"
    r"|(?:it|this|that|which)(?:'s not| is not| isn't| was not| wasn't) "
    r"(?:listed|offered|an option|among|one of the)\b"
)
# "None of the options mentions a key" denies less than "none of the options is correct".
_PARTIAL = ("none of", "not any", "neither of")
_COMPLETES = re.compile(
    r"(?: (?:provided|given|listed|above|offered|here|available|presented))*"
    rf"(?: {_FITS}|[\s\"'*_`]*(?:$|[.,;:!?)(/\n\-\u2013\u2014]))"
)
# A statement that is only weighed: "if none of the options fits", "I first thought that none".
_ONLY_WEIGHED = re.compile(
    r"(?:\b(?:if|whether|unless|in case|not that|don't think|do not think|doubt)\b|first thought"
    r"|at first|initially|tempt|might (?:say|think|seem|argue))(?:(?!\bbut\b)[^.!?\n]){0,40}$"
)
_WINDOW = 64
_BARE = re.compile(
    r"none(?: of (?:them|these|those|it|all|the above|above|(?:the |these |those )?"
    rf"{_OPTIONS})(?: above| provided| given| listed| offered)?)?"
    r"(?: (?:is|are|seems?|appears?|fits?|match(?:es)?|appl(?:y|ies))"
    r"(?: to be)?(?: correct| right| suitable| valid)?)?"
    rf"|neither|n/a|not listed|no (?:correct |right |valid |suitable |matching )?{_OPTIONS}"
    r"(?: (?:is|are|fits|matches|applies)(?: correct| right| suitable| valid)?)?"
)
_HEAD_NONE = re.compile(
    r"(?:none|n/a)(?:$|[.,;:!?)\]\n]| [-\u2013\u2014(]| (?:because|since|as|the|it|this)\b)"
)
_SEPARATORS = re.compile(r"[\s_-]+")
# Whole options that deny in their own words, such as a story question's "No one."
_DENIALS = re.compile(
    r"(?:none|nothing|nobody|no one|no-one|nowhere|neither)"
    r"(?:,?\s(?:of|did|was|were|he|she|it|they|has|had|in|else|live|lives)\b.*)?"
    r"|(?:the )?(?:story|text|passage|author|it) (?:does not|doesn't|did not|didn't|never) "
    r"(?:say|says|tell|tells|mention|mentions|state|states|specify).*"
    r"|(?:it is |it's |this is )?not (?:mentioned|stated|said|specified|given|told)(?: in .*)?"
)


@dataclass(frozen=True)
class Denial:
    """A statement that no option fits: where it begins and ends, and whether it names options."""

    start: int
    end: int
    firm: bool


def is_none(text: str) -> bool:
    """Whether the whole text is a spelling of none-of-them."""
    if len(text) > 200:
        return False
    return _BARE.fullmatch(_SEPARATORS.sub(" ", folded(text)).strip()) is not None


def starts_with_none(text: str) -> bool:
    """Whether the text opens by saying that none fits."""
    head = folded(text[:300])
    if is_none(head) or _HEAD_NONE.match(head):
        return True
    return any(d.start == 0 for d in denials(head)) or any(
        head.startswith(lead) and any(d.start == len(lead) for d in denials(head))
        for lead in ("there is ", "there are ", "there was ", "there's ", "the ", "i think ")
    )


def denials(text: str) -> Iterator[Denial]:
    """Every statement in the text that none fits, firm ones first."""
    low = lowered(text)
    if _HEAD_NONE.match(low):
        yield Denial(0, len("none"), firm=False)
    for pattern, firm in ((_FIRM, True), (_LOOSE, False)):
        for match in pattern.finditer(low):
            start = match.start()
            inside_word = start > 0 and low[start - 1].isalnum()
            if not inside_word and not _ONLY_WEIGHED.search(low[max(0, start - _WINDOW) : start]):
                partial = match.group().startswith(_PARTIAL)
                complete = not partial or _COMPLETES.match(low, match.end()) is not None
                yield Denial(start, match.end(), firm and complete)


def none_position(text: str) -> int:
    """Where the last statement that none fits begins, or -1."""
    return max((d.start for d in denials(text)), default=-1)


def denies(option: str) -> bool:
    """Whether an offered option says none in its own words ("No one.", "None of these")."""
    text = folded(option)
    return len(text) < 200 and _DENIALS.fullmatch(text) is not None


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
_BARE_HEDGES = frozenset(
    {"unclear", "uncertain", "unknown", "not sure", "unsure", "undetermined", "?"}
)


def hedges(text: str) -> bool:
    """Whether a text leaves the question open anywhere."""
    return _HEDGE.search(text) is not None


def starts_with_hedge(text: str) -> bool:
    """Whether a text opens by leaving the question open, in its first few words."""
    head = text[:200].strip(" \t\n\"'([{*_:.-")
    if head.casefold().rstrip(" .!)]}\"'") in _BARE_HEDGES:
        return True
    match = _HEDGE.search(head)
    return match is not None and len(head[: match.start()].split()) <= 4
