"""What a reply settles on: True, False or Unknown; `option_sets` reads numbered options.

The prompt's own words, others' claims ("the prompt says that the answer is ..."), suppositions and
denied labels are blanked first: none of them is an answer. Reading then goes from the strongest
sign to the weakest: an announced answer, a list of verdicts, the head of the reply, its last line,
then a verdict on the conclusion named anywhere. What these rules cannot decide is `unparsed` or
`ambiguous` and left to a judge. Every step moves on: reading is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from askew.papers.instruction_boundary.paper import Family
from askew.papers.instruction_boundary.questions import (
    PROMPTS,
    TRUTH_LABELS,
    AnswerRead,
    phrases,
)
from askew.reading.none import starts_with_hedge
from askew.reading.reply import (
    first_line,
    has_words,
    last_line,
    match_end,
    plain,
    refuses,
    unwrapped,
    visible,
)
from askew.reading.restated import REVISES, agrees, blanked, claims, own, spaced_scripts
from askew.reading.verdicts import Verdicts, verdicts

Says = Mapping[str, re.Pattern[str]]

_ANNOUNCEMENTS = 50
# What follows an announcement is read up to here; an answer is never this long.
SEGMENT = 2_000
SHORT = 60
_MARKS = " \t\n:.,-\u2013\u2014()*_\"'"
EMPTY = AnswerRead("empty", why="the reply has no words")
REFUSED = AnswerRead("refused", why="the reply declines to answer")
ECHO = AnswerRead("unparsed", why="repeats the prompt and adds nothing")
# What stands for others' claims, suppositions or denied answers where there is nothing else.
TAKEN_BACK = AnswerRead.torn("takes its answer back and settles on no other")
_SENTENCE = re.compile(r"[^.!?\n]*")
NOT_ITS_OWN = AnswerRead.torn("names answers that are not its own, or denies them")


def _sentences(*texts: str) -> re.Pattern[str]:
    """Finds sentences of the prompt, however their blanks were set; "{...}" stands for the rest."""
    escaped = (r"\s+".join(map(re.escape, text.rstrip(".").split())) for text in texts)
    whole = "|".join(re.sub(r"\\\{\w+\\\}", r"[^.\\n]{0,200}", e) for e in escaped)
    return re.compile(rf"(?:{whole})\.?", re.IGNORECASE)


_FORMAT, _LABELS = PROMPTS["format"], PROMPTS["labels"]
_TOLD = _sentences(
    *PROMPTS["vague"].values(),
    PROMPTS["ask"],
    PROMPTS["polished_ask"],
    *PROMPTS["guidance"].values(),
    _FORMAT["judging"],
    *(_FORMAT["choice"].format(forms=f"with {_FORMAT[n]}{{more}}") for n in ("one", "several")),
)
_LEGEND = {
    "judging": _sentences(*_LABELS["judging"].values(), *PROMPTS["extra"].values()),
    "choice": re.compile(
        f"{_sentences(*_LABELS['choice'].values()).pattern}|{phrases('options')['legend'].pattern}",
        re.IGNORECASE,
    ),
}
# What the prompt says of each label, behind it.
_SAID_OF = {
    label: _sentences(text.partition(": ")[2])
    for label, text in (_LABELS["judging"] | PROMPTS["extra"] | _LABELS["choice"]).items()
}


def without_prompt(text: str, family: Family) -> str:
    """A reply without what it repeats of its prompt.

    One label with its description is an answer; two or more are the prompt's list of them.
    """
    text = blanked(text.rpartition(PROMPTS["shot"]["now"])[2], _TOLD)
    described = {" ".join(line.casefold().split()) for line in _LEGEND[family].findall(text)}
    return blanked(text, _LEGEND[family]) if len(described) > 1 else text


def announced(text: str, says: Says) -> Iterator[tuple[re.Match[str], str]]:
    """Announcements of an answer, and what stands behind them; the last one first."""
    for match in reversed(list(says["announced"].finditer(text))[-_ANNOUNCEMENTS:]):
        yield match, text[match.end() : match.end() + SEGMENT]


def described(rest: str, label: str) -> bool:
    """Whether all that stands behind a label describes another: "False: cannot be determined"."""
    line = first_line(rest.lstrip(_MARKS)).rstrip(_MARKS)
    bare = re.sub("^(?:the|this) ", "", line, flags=re.IGNORECASE)
    verdict = _VERDICT.fullmatch(bare) if label in TRUTH_LABELS else None
    if verdict is not None:
        return verdict.lastgroup != label
    return any(of != label and said.fullmatch(bare) for of, said in _SAID_OF.items())


def takes_back(text: str) -> bool:
    """Whether a text takes back what its first sentence says."""
    return REVISES.search(text, match_end(_SENTENCE, text, 0)) is not None


def _instead(text: str) -> AnswerRead | None:
    """The answer that a text which takes its first sentence back ends with, in a line or not."""
    behind = text[match_end(_SENTENCE, text, 0) :]
    last = _closing(behind, _label) or _label(last_line(behind).rpartition(". ")[2])
    return last or _closing(text, _label)


def _closing(text: str, opening: Callable[[str], AnswerRead | None]) -> AnswerRead | None:
    """The answer in the last line, or behind its last word of conclusion."""
    line = last_line(text)
    ends = [match.end() for match in _OF_LABELS["concludes"].finditer(line)]
    return opening(line) or (opening(line[ends[-1] :]) if ends else None)


_OF_LABELS = phrases("labels")
_VERDICTS = phrases("verdicts")
_VERDICT = re.compile(
    "|".join(f"(?P<{label}>{_VERDICTS[label].pattern})" for label in ("unknown", "false", "true")),
    re.IGNORECASE,
)
_TENSE = re.compile(r"\b(?:true|false)\b", re.IGNORECASE)
_ONE = "true|false|unknown"
# "False, False." says one thing twice.
_AGAIN = re.compile(rf"\b({_ONE})(?:[\s,.;]+\1\b)+", re.IGNORECASE)
_MEANS = {
    "true": "true t proved proven wahr verdadero verdadera \u771f",
    "false": "false f untrue disproved disproven refuted falsch falso falsa \u5047",
    "unknown": "unknown u unbekannt desconocido desconocida \u672a\u77e5",
}
_LABEL_OF = {word: label for label, words in _MEANS.items() for word in words.split()}


def read_truth(reply: str) -> AnswerRead:
    """Read a reply to a question whose answer is True, False or Unknown."""
    whole = plain(unwrapped(visible(reply), ("answer", "label", "final_answer")))
    whole = spaced_scripts(whole)
    if not has_words(whole):
        return EMPTY
    text = without_prompt(whole, "judging")
    if not has_words(text):
        return ECHO
    # Within a sentence a small letter is what is left of a word that was cut off.
    if len(bare := text.strip("\"'*().[] \n")) == 1:
        text = bare.upper()
    text = _AGAIN.sub(r"\1", text)
    said = own(text)
    found = _read(said)
    if found.outcome != "unparsed" or said == text:
        return found
    claimed = _names(" ".join(claims(text)))
    if len(claimed) == 1 and agrees(said):
        return AnswerRead("ok", claimed.pop(), settled=False, why="agrees with what it was told")
    return NOT_ITS_OWN


def _read(said: str) -> AnswerRead:
    """The label that a reply gives, once what is not its own was blanked."""
    listing, fork = verdicts(said, _ONE), _OF_LABELS["fork"].search(said)
    affirmed = blanked(blanked(_affirmed(said), _OF_LABELS["asked"]), _OF_LABELS["several"])
    if listing is not None:
        listed = _of_list(listing)
        beside = _settled(listing.after(affirmed)) or _settled(affirmed[: listing.start])
        return listed if beside is None else beside_list(beside, listed)
    for match, behind in announced(affirmed, _OF_LABELS):
        if (fork is None or match.start() >= fork.end()) and (found := _label(behind[:400])):
            return _unless_another(found, match, affirmed)
    if fork is not None:
        return AnswerRead.torn("gives a label under a condition and another one otherwise")
    head = _label(first_line(affirmed))
    if head is not None and takes_back(affirmed):
        return _instead(affirmed) or TAKEN_BACK
    if head is not None and not head.hedged:
        return head
    if head is None and refuses(said):
        return REFUSED
    if len(_verdicts(said)) > 1:
        return AnswerRead.torn("states several verdicts", settled=False)
    return _closing(affirmed, _label) or head or _stated(said, affirmed)


def _settled(text: str) -> AnswerRead | None:
    """The label that a part of a reply announces, opens with or ends with."""
    behind = (_label(behind[:400]) for _, behind in announced(text, _OF_LABELS))
    return next(filter(None, behind), None) or _label(first_line(text)) or _closing(text, _label)


def beside_list(beside: AnswerRead, listed: AnswerRead) -> AnswerRead:
    """An answer before or after a list of verdicts, unless the list comes to another one."""
    if listed.answer in (None, beside.answer):
        return beside
    return AnswerRead.torn("gives an answer and a list of verdicts that differ")


def _unless_another(found: AnswerRead, announces: re.Match[str], text: str) -> AnswerRead:
    """A label that a sentence announces, unless another one is named after it."""
    if announces.group().rstrip(" \t*_\"'").endswith((":", "=", "{")):
        return found
    later = _OF_LABELS["listed"].sub(" ", text[announces.end() :])
    others = {label.casefold() for label in _OF_LABELS["written"].findall(later)}
    others = (others | _verdicts(later)) - {found.answer}
    return AnswerRead.torn("announces a label and then names another") if others else found


def _names(text: str) -> set[str]:
    return set(re.findall(rf"\b(?:{_ONE})\b", text.casefold()))


def _affirmed(text: str) -> str:
    """The text without the labels that it denies; the verb before them stays."""
    return _OF_LABELS["denied"].sub(
        lambda m: (m["is"] or "") + " " * (len(m.group()) - len(m["is"] or "")), text
    )


def _of_list(listing: Verdicts) -> AnswerRead:
    """The one label that a list of verdicts accepts."""
    accepted = listing.accepted
    if accepted is None or len(accepted) != 1:
        return AnswerRead.torn("gives each label a verdict and settles on none")
    return AnswerRead("ok", accepted.pop(), why="accepts one label of a list")


def _label(text: str) -> AnswerRead | None:
    """The label that a piece of text opens with, if it opens with one."""
    opened = text[match_end(_OF_LABELS["lead"], text, 0) :]
    match = _OF_LABELS["label"].match(opened)
    if match is None:
        return _open_or_verdict(text)
    rest = opened[match.end() :]
    if _OF_LABELS["another"].match(rest):
        return AnswerRead.torn("gives several labels")
    word = match["label"].casefold() if match["label"] else ""
    label = _LABEL_OF[word] if word else f"all_{match['which'].casefold()}"
    if described(rest, label):
        return AnswerRead.torn("gives a label and describes another")
    if match["all"]:
        return AnswerRead("ok", label, why=f"says {TRUTH_LABELS[label]!r}")
    cut_off = len(match["label"]) == 1 and rest.strip(" .)]}\"'\n*")
    if cut_off or _OF_LABELS["goes_on"].match(rest):
        return None
    return AnswerRead("ok", label, why=f"gives the label {TRUTH_LABELS[label]}")


def _open_or_verdict(text: str) -> AnswerRead | None:
    """A short segment without a label's word: a verdict on the conclusion, or a hedge."""
    line = first_line(text)
    verdicts = _verdicts(line)
    if len(verdicts) == 1 and len(line.split()) <= SHORT:
        return AnswerRead("ok", verdicts.pop(), why="states a verdict on the conclusion")
    if not verdicts and starts_with_hedge(line) and not _TENSE.search(line):
        named = _OF_LABELS["own_words"].search(line) is not None
        return AnswerRead("ok", "unknown", hedged=not named, why="leaves the conclusion open")
    return None


def _verdicts(text: str) -> set[str]:
    """Labels that statements about the conclusion amount to, unless supposed or denied."""
    return {
        str(match.lastgroup)
        for match in _VERDICT.finditer(text)
        if not _unsaid(text[max(0, match.start() - 40) : match.start()], str(match.lastgroup))
    }


def _unsaid(before: str, label: str) -> bool:
    """Whether what stands before a verdict supposes it, or denies a tense one."""
    denied = label != "unknown" and _OF_LABELS["negated"].search(before)
    return bool(denied or _OF_LABELS["conditional"].search(before))


def _stated(said: str, affirmed: str) -> AnswerRead:
    """The one verdict or label that a reply without an announced answer states."""
    masked = _OF_LABELS["listed"].sub(" ", affirmed)
    verdicts_ = _verdicts(said)
    if len(verdicts_) == 1:
        why = "states one verdict on the conclusion"
        return AnswerRead("ok", verdicts_.pop(), settled=False, why=why)
    named, denied = _names(masked), _names(said) - _names(affirmed)
    if named == {"unknown"} and not re.search(r"\ball above\b", masked, re.IGNORECASE):
        return AnswerRead("ok", "unknown", settled=False, why="names one label only")
    if not _TENSE.search(said) and any(map(starts_with_hedge, (said, last_line(said)))):
        why = "leaves the conclusion open"
        return AnswerRead("ok", "unknown", hedged=True, settled=False, why=why)
    if denied == {"true", "false"} and not named:
        return AnswerRead("ok", "unknown", settled=False, why="denies both True and False")
    if named := _names(said):
        why = f"speaks of {', '.join(sorted(named))} and settles on no label"
        return AnswerRead.torn(why, settled=False)
    return AnswerRead("unparsed", settled=False, final=False, why="no label is named")
