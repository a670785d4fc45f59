"""True, False, Unknown, and the extra options: the label that a reply settles on.

Reading goes from the strongest sign to the weakest: an announced answer, the head of the reply,
its last line, then a verdict on the conclusion stated anywhere. What these rules cannot decide is
`unparsed` or `ambiguous` and left to a judge.
"""

from __future__ import annotations

import re

from askew.papers.instruction_boundary.questions import TRUTH_LABELS, AnswerRead, phrases
from askew.reading.none import starts_with_hedge
from askew.reading.reply import first_line, has_words, last_line, plain, refuses, unwrapped, visible

_SEGMENT = 400
_ANNOUNCEMENTS = 50
_HEAD = 60

_SAYS = phrases("labels")
_VERDICTS = phrases("verdicts")
_VERDICT = re.compile(
    "|".join(f"(?P<{label}>{_VERDICTS[label].pattern})" for label in ("unknown", "false", "true")),
    re.IGNORECASE,
)
_TENSE = re.compile(r"\b(?:true|false)\b", re.IGNORECASE)
_MEANS = {
    "true": "true t proved proven",
    "false": "false f untrue disproved disproven refuted",
    "unknown": "unknown u",
}
_LABEL_OF = {word: label for label, words in _MEANS.items() for word in words.split()}


def read_truth(reply: str) -> AnswerRead:
    """Read a reply to a question whose answer is True, False or Unknown."""
    text = plain(unwrapped(visible(reply), ("answer", "label", "final_answer")))
    if not has_words(text):
        return AnswerRead("empty", why="the reply has no words")
    # Within a sentence a small letter is what is left of a word that was cut off.
    if len(bare := text.strip("\"'*().[] \n")) == 1:
        text = bare.upper()
    for match in reversed(list(_SAYS["announced"].finditer(text))[-_ANNOUNCEMENTS:]):
        found = _segment(text[match.end() : match.end() + _SEGMENT])
        if found is not None:
            return found
    head = _segment(first_line(text))
    if head is not None and not head.hedged:
        return head
    if head is None and refuses(text):
        return AnswerRead("refused", why="the reply declines to answer")
    if len(_verdicts(text)) > 1:
        return AnswerRead.torn("states several verdicts", settled=False)
    return _closing(last_line(text)) or head or _stated(text)


def _closing(line: str) -> AnswerRead | None:
    """The label in the last line, or behind its last word of conclusion."""
    found = _segment(line)
    if found is None:
        ends = [match.end() for match in _SAYS["concludes"].finditer(line)]
        found = _segment(line[ends[-1] :]) if ends else None
    return found


def _segment(text: str) -> AnswerRead | None:
    """The label that a piece of text opens with, if it opens with one."""
    lead = _SAYS["lead"].match(text)
    opened = text[lead.end() if lead else 0 :]
    match = _SAYS["label"].match(opened)
    if match is None:
        return _open_or_verdict(text)
    if match["denied"]:
        return AnswerRead.torn(f"says {match[0]!r}")
    if match["all"]:
        label = f"all_{match['which'].casefold()}"
        return AnswerRead("ok", label, why=f"says {TRUTH_LABELS[label]!r}")
    rest = opened[match.end() :]
    if _SAYS["another"].match(rest):
        return AnswerRead.torn("gives several labels")
    if len(match["label"]) == 1 and rest.strip(" .)]}\"'\n*"):
        return None
    if _SAYS["goes_on"].match(rest):
        return None
    label = _LABEL_OF[match["label"].casefold()]
    return AnswerRead("ok", label, why=f"gives the label {TRUTH_LABELS[label]}")


def _open_or_verdict(text: str) -> AnswerRead | None:
    """A short segment without a label's word: a verdict on the conclusion, or a hedge."""
    line = first_line(text)
    verdicts = _verdicts(line)
    if len(verdicts) == 1 and len(line.split()) <= _HEAD:
        return AnswerRead("ok", verdicts.pop(), why="states a verdict on the conclusion")
    if not verdicts and starts_with_hedge(line) and not _TENSE.search(line):
        named = _SAYS["own_words"].search(line) is not None
        return AnswerRead("ok", "unknown", hedged=not named, why="leaves the conclusion open")
    return None


def _verdicts(text: str) -> set[str]:
    """Labels that statements about the conclusion amount to; suppositions don't count."""
    return {
        str(match.lastgroup)
        for match in _VERDICT.finditer(text)
        if not _SAYS["conditional"].search(text[max(0, match.start() - 40) : match.start()])
    }


def _stated(text: str) -> AnswerRead:
    """The one verdict or label that a reply without an announced answer states."""
    masked = _SAYS["listed"].sub(" ", text)
    verdicts = _verdicts(text)
    if len(verdicts) == 1:
        why = "states one verdict on the conclusion"
        return AnswerRead("ok", verdicts.pop(), settled=False, why=why)
    if re.search(r"\bunknown\b", masked, re.IGNORECASE) and not re.search(
        r"\b(?:not unknown|true|false|all above)\b", masked, re.IGNORECASE
    ):
        return AnswerRead("ok", "unknown", settled=False, why="names one label only")
    if not _TENSE.search(masked) and any(map(starts_with_hedge, (text, last_line(text)))):
        why = "leaves the conclusion open"
        return AnswerRead("ok", "unknown", hedged=True, settled=False, why=why)
    named = sorted(set(re.findall(r"\b(?:true|false|unknown)\b", masked.casefold())))
    if named:
        return AnswerRead.torn(
            f"speaks of {', '.join(named)} and settles on no label", settled=False
        )
    return AnswerRead("unparsed", settled=False, final=False, why="no label is named")
