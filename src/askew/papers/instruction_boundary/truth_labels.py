"""True, False, Unknown, and the extra options: the label that a reply settles on.

Reading goes from the strongest sign to the weakest: an announced answer, the head of the reply,
its last line, then a verdict on the conclusion stated anywhere. What these rules cannot decide is
`unparsed` or `ambiguous` and left to a judge.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from askew.reading.none import starts_with_hedge
from askew.reading.reply import first_line, has_words, last_line, plain, refuses, unwrapped, visible
from askew.schema import Outcome

TruthLabel = Literal["true", "false", "unknown", "all_true", "all_false"]
TRUTH_LABELS: dict[TruthLabel, str] = {
    "true": "True",
    "false": "False",
    "unknown": "Unknown",
    "all_true": "All above are true",
    "all_false": "All above are false",
}
_SEGMENT = 400
_ANNOUNCEMENTS = 50
_HEAD = 60


@dataclass(frozen=True)
class Truth:
    """What a reply settles on. `hedged`: Unknown by a hedge, not by its label or description.

    `final` marks a reply without a readable label that no judge could mend.
    """

    outcome: Outcome
    label: TruthLabel | None = None
    hedged: bool = False
    settled: bool = True
    final: bool = True
    why: str = ""


_ANNOUNCED = re.compile(
    r"\b(?:(?:final|correct|right|best|my) )?(?:answer|label|verdict|result|response|judge?ment"
    r"|classification|option)(?: (?:here|to this|to the question|for the conclusion)){0,1}"
    r"(?:[ \t]{0,3}(?:is|was|remains|(?:should|would|must|will|to) be)\b|[ \t*_\"']{0,5}[:=])"
    r"|\b(?:i|i'll|i'd|i would|i will|we) (?:choose|pick|select|go with|answer|say)\b"
    r"|\\boxed[ \t]{0,3}\{",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:[\s\"'\[({<>:=.,\-\u2013\u2014]|\\text(?:bf)?\{|(?:that|the|conclusion|statement|it|this|is"
    r"|label|therefore|thus|hence|so|answer|option|clearly|probably|likely|definitely|simply|just"
    r"|best|described|as|final|correct|either|both|still|remains|would be|must be|should be)\b)*",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?P<all>all (?:of the )?(?:above|options?|labels?|three)(?: above| options?| labels?)?"
    r"(?: (?:are|is))? (?P<which>true|false))\b"
    r"|(?P<denied>not (?:necessarily |entirely |really )?(?:true|false|unknown))\b"
    r"|(?P<label>true|false|unknown|untrue|proved|proven|disproved|disproven|refuted|(?-i:[TFU]))\b",
    re.IGNORECASE,
)
_WORD = {"true": "true", "t": "true", "false": "false", "untrue": "false", "f": "false",
         "proved": "true", "proven": "true", "disproved": "false", "disproven": "false",
         "refuted": "false", "unknown": "unknown", "u": "unknown"}  # fmt: skip
_ANOTHER = re.compile(r"[\s\"')\]]*(?:,|/|and|or|&)[\s\"'(\[]*(?:true|false|unknown)\b", re.I)
_LISTED = re.compile(
    r"\b(?:true|false|unknown)\b[\"']?(?:\s*[,/|]\s*(?:or\s+|and\s+)?|\s+(?:or|and|nor)\s+)[\"']?"
    r"\b(?:true|false|unknown)\b(?:[\"']?(?:\s*[,/|]\s*(?:or\s+|and\s+)?|\s+(?:or|and|nor)\s+)"
    r"[\"']?\b(?:true|false|unknown)\b)?",
    re.IGNORECASE,
)
_SUBJECT = (
    r"(?:the |this |that )?(?:conclusion|statement|claim|hypothesis)"
    r"(?: (?:that )?\"[^\"\n]{0,200}\")?"
)
# Where the last statement of a line begins.
_CONCLUDES = re.compile(
    r"\b(?:therefore|thus|hence|so|consequently|finally)\b[,:]?|[.!?] (?=\S)", re.I
)
_OPEN = (
    r"(?:neither|not|n't|cannot|can't)(?: be)?(?: definitively| conclusively| logically)?"
    r" (?:proved|proven|true|verified|confirmed|established|supported)(?: true)?,? ?"
    r"(?:n?or|and)(?: be)? (?:not )?(?:disproved|disproven|false|refuted|denied|contradicted)"
)
# Verdicts on the conclusion, the more specific first.
_VERDICT = re.compile(
    rf"(?P<unknown>\b{_OPEN}\b"
    rf"|\b{_SUBJECT}(?:'s truth)? (?:remains|is|stays) (?:unknown|undetermined|undecided|open"
    r"|uncertain|unproven|indeterminate)"
    r"|\b(?:conclusion|statement|claim|hypothesis|truth|it|this) (?:cannot|can't|can not"
    r"|could not) be (?:determined|decided|known|verified|established|inferred|deduced|concluded)"
    r"|\b(?:cannot|can't|can not) (?:determine|decide|tell|conclude|infer|say) (?:if|whether)"
    rf"|\b(?:facts|premises|rules|information)[^.\n]{{0,40}} (?:do not|don't|does not|doesn't)"
    r" (?:say|tell|settle|decide|determine|let us (?:determine|decide))"
    r"|\b(?:not enough|insufficient) (?:information|facts|evidence)"
    rf"|\b(?:nothing|no fact|no rule) (?:follows|is said|says anything|tells)"
    rf"|\b{_SUBJECT} (?:does not|doesn't) follow[^.\n]{{0,60}}(?:neither|nor|and its negation))"
    rf"|(?P<false>\b{_SUBJECT} (?:is|has been|can be|must be|is therefore|is thus) (?:disproved"
    r"|disproven|refuted|contradicted|false|untrue|incorrect|wrong)"
    rf"|\b(?:disproves?|refutes?|contradicts?|rules? out) {_SUBJECT}"
    rf"|\b{_SUBJECT} contradicts the (?:facts|premises|rules))"
    rf"|(?P<true>\b{_SUBJECT} (?:is|has been|can be|must be|is therefore|is thus) (?:proved|proven"
    r"|true|entailed|correct|established)"
    rf"|\b(?:proves?|entails?|establish(?:es)?) {_SUBJECT}"
    rf"|\b{_SUBJECT} (?:follows|holds)\b)",
    re.IGNORECASE,
)
_TENSE = re.compile(r"\b(?:true|false)\b", re.IGNORECASE)
# Unknown's label and its description in the prompt: no hedges.
_OWN_WORDS = re.compile(r"\bunknown\b|\bcan(?:not|'t| not) be determined\b", re.IGNORECASE)
_CONDITIONAL = re.compile(r"\b(?:if|whether|were|suppose|assume|assuming|had)\b[^.\n]{0,25}$", re.I)


def read_truth(reply: str) -> Truth:
    """Read a reply to a question whose answer is True, False or Unknown."""
    text = plain(unwrapped(visible(reply), ("answer", "label", "final_answer")))
    if not has_words(text):
        return Truth("empty", why="the reply has no words")
    # Within a sentence a small letter is what is left of a word that was cut off.
    if len(bare := text.strip("\"'*().[] \n")) == 1:
        text = bare.upper()
    for match in reversed(list(_ANNOUNCED.finditer(text))[-_ANNOUNCEMENTS:]):
        found = _segment(text[match.end() : match.end() + _SEGMENT])
        if found is not None:
            return found
    head = _segment(first_line(text))
    if head is not None and not head.hedged:
        return head
    if head is None and refuses(text):
        return Truth("refused", why="the reply declines to answer")
    if len(_verdicts(text)) > 1:
        return Truth("ambiguous", settled=False, final=False, why="states several verdicts")
    return _closing(last_line(text)) or head or _stated(text)


def _closing(line: str) -> Truth | None:
    """The label in the last line, or behind its last word of conclusion."""
    found = _segment(line)
    if found is None:
        ends = [match.end() for match in _CONCLUDES.finditer(line)]
        found = _segment(line[ends[-1] :]) if ends else None
    return found


def _segment(text: str) -> Truth | None:
    """The label that a piece of text opens with, if it opens with one."""
    lead = _LEAD.match(text)
    opened = text[lead.end() if lead else 0 :]
    match = _LABEL.match(opened)
    if match is None:
        return _open_or_verdict(text)
    if match["denied"]:
        return Truth("ambiguous", final=False, why=f"says {match[0]!r}")
    if match["all"]:
        label: TruthLabel = "all_true" if match["which"].casefold() == "true" else "all_false"
        return Truth("ok", label, why=f"says {TRUTH_LABELS[label]!r}")
    if _ANOTHER.match(opened, match.end()):
        return Truth("ambiguous", final=False, why="gives several labels")
    if len(match["label"]) == 1 and opened[match.end() :].strip(" .)]}\"'\n*"):
        return None
    word = _WORD[match["label"].casefold()]
    if _goes_on(opened[match.end() :]):
        return None
    return Truth("ok", _label(word), why=f"gives the label {TRUTH_LABELS[_label(word)]}")


def _goes_on(rest: str) -> bool:
    """Whether a label's word is part of a phrase ("true that", "false premises", "unknown to")."""
    following = rest.lstrip(" ")
    if not following or not following[0].isalpha() or rest[:1] not in (" ", "\t"):
        return False
    first = following.split(maxsplit=1)[0].rstrip(".,;:!").casefold()
    return first not in _MAY_FOLLOW


_MAY_FOLLOW = frozenset(
    ["because", "since", "as", "is", "for", "this", "the", "from", "based", "given", "by", "here",
     "according", "due", "we", "it", "i", "follows", "explanation", "reason", "reasoning"]
)  # fmt: skip


def _open_or_verdict(text: str) -> Truth | None:
    """A short segment without a label's word: a verdict on the conclusion, or a hedge."""
    line = first_line(text)
    verdicts = _verdicts(line)
    if len(verdicts) == 1 and len(line.split()) <= _HEAD:
        return Truth("ok", verdicts.pop(), why="states a verdict on the conclusion")
    if not verdicts and starts_with_hedge(line) and not _TENSE.search(line):
        named = _OWN_WORDS.search(line) is not None
        return Truth("ok", "unknown", hedged=not named, why="leaves the conclusion open")
    return None


def _verdicts(text: str) -> set[TruthLabel]:
    """Labels that statements about the conclusion amount to; suppositions don't count."""
    found: set[TruthLabel] = set()
    for match in _VERDICT.finditer(text):
        if _CONDITIONAL.search(text[max(0, match.start() - 40) : match.start()]):
            continue
        found.add(_label(str(match.lastgroup)))
    return found


def _stated(text: str) -> Truth:
    """The one verdict or label that a reply without an announced answer states."""
    masked = _LISTED.sub(" ", text)
    verdicts = _verdicts(text)
    if len(verdicts) == 1:
        label = next(iter(verdicts))
        return Truth("ok", label, settled=False, why="states one verdict on the conclusion")
    if re.search(r"\bunknown\b", masked, re.IGNORECASE) and not re.search(
        r"\b(?:not unknown|true|false|all above)\b", masked, re.IGNORECASE
    ):
        return Truth("ok", "unknown", settled=False, why="names one label only")
    if not _TENSE.search(masked) and any(map(starts_with_hedge, (text, last_line(text)))):
        return Truth("ok", "unknown", hedged=True, settled=False, why="leaves the conclusion open")
    named = sorted(set(re.findall(r"\b(?:true|false|unknown)\b", masked.casefold())))
    if named:
        why = f"speaks of {', '.join(named)} and settles on no label"
        return Truth("ambiguous", settled=False, final=False, why=why)
    return Truth("unparsed", settled=False, final=False, why="no label is named")


def _label(name: str) -> TruthLabel:
    return next(label for label in TRUTH_LABELS if label == name)
