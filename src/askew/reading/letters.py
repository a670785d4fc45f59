"""The letter that a piece of text answers with, in any dress, and what stands behind it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from askew.reading.reply import match_end

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# Marks before an answer, and LaTeX that only dresses it.
_LEAD = re.compile(
    r"(?:[\s\"'\[({<>=:*_`#$,\u2013\u2014\u2022\u2192|]|[.\-](?!\d)|\\[(\[]"
    r"|\d{1,2}[.)]\s|\\(?:text|textbf|mathrm|mathbf|boxed|fbox)\b)*"
)
_LEAD_IN = re.compile(
    r"(?:(?:so|thus|therefore|hence|then|finally|ok|okay|sure|well|yes|certainly|in conclusion"
    r"|i(?:'d| would)? (?:think|believe|guess|say)(?: that)?|i'm (?:going with|sure)"
    r"|it(?:'s| is| must be| should be)|that(?:'s| is| would be)|this is|must be|maybe"
    r"|perhaps|possibly|presumably|it (?:could|might|may) be"
    r"|definitely|clear|clearly|obvious|obviously|indeed|actually|simply|certainly|just|still|now"
    r"|in fact|as follows|final|(?:most )?(?:likely|probably)|that|my (?:final )?(?:guess|pick)"
    r"|both|either)\b"
    r"[\s,:!.*_]*)+",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"(?P<named>(?i:(?:the )?(?:(?:correct|right|final|best) )?(?:option|choice|letter|answer))"
    r"[\s*_`\"'(\[{:#]{1,8})?"
    r"(?P<letter>[A-Za-z])"
    r"(?P<tail>[)\]}\"'*_`.:,;!?>$\\|]*(?: ?(?:[-\u2013\u2014:]|->|=>|\u2192)(?=[ \n]|$))?)"
    r"(?P<space>\s*)"
)
_CLOSED = re.compile(r"[)\]\"'*_.]*")
_ANOTHER = re.compile(
    r"\s*(?:(?:and|or|&|/|\+|,|and/or)\s*){1,2}(?:(?i:the )?(?i:option|choice|letter) )?[(\[*\"']*"
    r"(?P<letter>[A-Z])[)\]*\"']*(?=[\s.,;:!?)]|$)"
)
REASON = re.compile(
    r"\(?(?:because|since|as|for (?:the|this|that|it)|this|that|it|explanation|reason|reasoning"
    r"|according|based|the (?:story|text|passage|context|question|answer|equation|author|user"
    r"|utterance|correct|paper))\b",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"(?:(?:is|was)\b(?! (?:not|in?correct|wrong|false|out)\b)|(?:over|rather than|instead of)\b)"
)
_TOKEN = re.compile(r"[^\s.,;/&+*()\[\]\"']+")


@dataclass(frozen=True)
class NamedLetter:
    """A letter given as an answer.

    Attributes:
        letter: the letter, upper case.
        also: a second letter given along with it.
        rest: what follows on the same line or below.
        labels_text: whether it stands in front of a text, as in "C. Rick".
        alone: whether nothing follows on its line.
    """

    letter: str
    also: str
    rest: str
    labels_text: bool
    alone: bool

    @property
    def index(self) -> int:
        return LETTERS.index(self.letter)


def without_marks(text: str) -> str:
    """Text without the marks in front of an answer."""
    return text[match_end(_LEAD, text, 0) :]


def without_lead_in(text: str) -> str:
    """Text without what leads to an answer: "So I think it is B" is "B"."""
    text = without_marks(text)
    return text[match_end(_LEAD_IN, text, 0) :]


def named_letter(text: str, n_offered: int) -> NamedLetter | None:
    """The letter that the text opens with, if it stands as an answer and not as a word."""
    lead = text[: match_end(_LEAD, text, 0)]
    body = text[len(lead) :]
    match = _LETTER.match(body)
    if match is None:
        return None
    letter = match["letter"].upper()
    other = _another(body, match)
    rest = body[match.end() :]
    alone = not rest or "\n" in match["space"] or rest.startswith("<")
    # Letters far beyond the offered ones are initials ("J. Smith") or pronouns.
    is_far = LETTERS.index(letter) > n_offered and not alone
    if is_far or not _stands(match, lead, body, other, n_offered):
        return None
    labels = any(c in match["tail"] for c in ".:)]>|-\u2013\u2014\u2192") or bool(
        set(match["tail"]) & set(lead)
    )
    also = other if other and other != letter and LETTERS.index(other) < n_offered else ""
    return NamedLetter(letter, also, rest, labels, alone)


def only_letters(text: str, n_offered: int) -> str:
    """Several offered letters that are all of the text: "AC", or one on each line."""
    if len(text) > 4 * n_offered + 20:
        return ""
    word = "".join(_TOKEN.findall(text))
    offered = LETTERS[:n_offered]
    return word if 1 < len(word) == len(set(word)) and all(c in offered for c in word) else ""


def _stands(match: re.Match[str], lead: str, body: str, other: str, n_offered: int) -> bool:
    letter, tail = match["letter"], match["tail"]
    after = body[match.end() :]
    following = body[match.end("letter") :][:1]
    if following and unicodedata.category(following)[0] == "M":
        return False
    if after[:1].isalnum() and not match["space"]:
        # "C.Rick", but not "A.M.", "Cat" or "C-section".
        initials = len(after) > 1 and not after[1].isalnum()
        return (
            bool(tail)
            and tail[-1] in ".):]"
            and letter.isupper()
            and (after[0].isupper() and not initials)
        )
    pronoun = letter in "aAI" if n_offered > 8 else letter in "aA"
    if match["named"] is not None and not (pronoun and letter != "A"):
        return True
    if not after or "\n" in match["space"] or after.startswith("<"):
        return True
    if any(c in tail for c in ")]}.:;>|-\u2013\u2014\u2192,"):
        return letter != "I" or "," not in tail
    if tail:
        return set(tail) <= set(lead)
    if not letter.isupper():
        return False
    aside = after[0] == "(" and bool(match["space"])
    said = aside or (_VERDICT.match(after) is not None and not pronoun)
    return said or bool(other) or REASON.match(after) is not None


def _another(body: str, match: re.Match[str]) -> str:
    another = _ANOTHER.match(body, match_end(_CLOSED, body, match.end("letter")))
    return "" if another is None else another["letter"]
