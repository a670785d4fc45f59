"""Ways of giving no answer: that no option fits ("none-of-them"), or that the question is open."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from askew.reading import phrases
from askew.reading.reply import fold, lower_in_place

_SAYS = phrases("none")

NONE_OF_THEM = "none-of-them"

_WINDOW = 110


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
    return _SAYS["bare"].fullmatch(_SAYS["separators"].sub(" ", fold(text)).strip()) is not None


def starts_with_none(text: str) -> bool:
    """Whether the text opens by saying that none fits."""
    head = _SAYS["agrees"].sub("", fold(text[:300]), count=1)
    if is_none(head) or _SAYS["head_none"].match(head):
        return True
    leads = ("", "there is ", "there are ", "there was ", "there's ", "the ", "i think ")
    begins = [len(lead) for lead in leads if head.startswith(lead)]
    return any(denial.start in begins for denial in denials(head))


def denials(text: str) -> Iterator[Denial]:
    """Every statement in the text that none fits, firm ones first."""
    low = lower_in_place(text)
    if _SAYS["head_none"].match(low):
        yield Denial(0, len("none"), firm=False)
    for pattern, firm in ((_SAYS["firm"], True), (_SAYS["loose"], False)):
        for match in pattern.finditer(low):
            start = match.start()
            inside_word = start > 0 and low[start - 1].isalnum()
            if not inside_word and not _is_hypothetical(match):
                partial = _SAYS["partial"].match(match.group()) is not None
                complete = not partial or _SAYS["completes"].match(low, match.end()) is not None
                yield Denial(start, match.end(), firm and complete)


def _is_hypothetical(match: re.Match[str]) -> bool:
    """Whether a condition or a doubt stands before a statement, or a condition behind it."""
    text, start, end = match.string, match.start(), match.end()
    before = _SAYS["only_weighed"].search(text[max(0, start - _WINDOW) : start])
    return before is not None or _SAYS["only_if"].match(text, end) is not None


def denies_all(text: str) -> bool:
    """Whether a text that names no option says in any words that it is none of them."""
    found = _SAYS["denies_all"].search(lower_in_place(text))
    return found is not None and not _is_hypothetical(found) and not hedges(text)


def none_position(text: str) -> int:
    """Where the last statement that none fits begins, or -1."""
    return max((d.start for d in denials(text)), default=-1)


def denies(option: str) -> bool:
    """Whether an offered option says none in its own words ("No one.", "None of these")."""
    text = fold(option)
    return len(text) < 200 and _SAYS["denials"].fullmatch(text) is not None


def hedges(text: str) -> bool:
    """Whether a text leaves the question open anywhere."""
    return _SAYS["hedge"].search(text) is not None


def starts_with_hedge(text: str) -> bool:
    """Whether a text opens by leaving the question open, in its first few words."""
    head = text[:200].strip(" \t\n\"'([{*_:.-")
    if _SAYS["bare_hedge"].fullmatch(head.casefold().rstrip(" .!)]}\"'")):
        return True
    match = _SAYS["hedge"].search(head)
    return match is not None and len(head[: match.start()].split()) <= 4
