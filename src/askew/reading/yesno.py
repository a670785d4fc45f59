"""Yes or No: which of the two a reply settles on, or why neither is clear.

The final answer counts. Reading goes from the strongest sign to the weakest: an announced answer
("the answer is ..."), the head of the reply against its last line, then a clause that is a bare
Yes or No in a short reply. "No" as a word of a sentence ("there is no error") is no answer: whether
it would mean Yes or No depends on how the question was put.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from askew.reading import phrases
from askew.reading.reply import has_words, match_end, plain, refuses, visible
from askew.reading.restated import LEADS_ON, REVISES, blanked, own, spaced_scripts
from askew.reading.verdicts import verdicts
from askew.schema import Outcome

_SAYS = phrases("yesno")

YesOrNo = Literal["Yes", "No"]

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n")
_CLAUSE_END = ".,;:!?)]}\"'\n\u2013\u2014("
_CLAUSE_START = "\n.,;:!?([{\"'-\u2013\u2014>\u662f"


@dataclass(frozen=True)
class YesNoAnswer:
    """What a reply settles on."""

    outcome: Outcome
    answer: YesOrNo | None = None
    settled: bool = True
    """Whether the reply states it; a lone clause in a reply that was cut settles nothing."""
    why: str = ""


@dataclass(frozen=True)
class _Said:
    """A Yes or No that stands as an answer, and where."""

    answer: YesOrNo
    start: int
    end: int


# How far into a reply its head reaches, and how much of its end can announce or close.
_HEAD = 600
_TAIL = 20_000
# In a reply of up to so many characters a single bare clause counts as the answer.
_SHORT = 400


def read_yes_no(reply: str, asked: str = "") -> YesNoAnswer:
    """Read a reply to a question that offered Yes and No.

    Args:
        reply: the model's whole reply.
        asked: the prompt, whose words a reply may affirm or deny ("That is not likely.").
    """
    text = visible(reply)
    if not has_words(text):
        return YesNoAnswer("empty", why="the reply has no words")
    text = _SAYS["markup"].sub(" ", spaced_scripts(plain(text).replace("_", " "))).strip()
    text = _SAYS["foreign"].sub(_translated, text)
    initial = _SAYS["initial"].fullmatch(text) if len(text) <= 12 else None
    if initial is not None:
        return YesNoAnswer("ok", _meaning(initial[1]), why="gives the initial alone")
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    if len(text) < _SHORT and _SAYS["both"].search(text):
        return YesNoAnswer("ambiguous", why="gives both Yes and No")
    # As many spaces as the echo was long: places in the text stay what they were.
    without_echo = blanked(text, _SAYS["echo"])
    reading = _of_list(without_echo) or _stated(blanked(own(without_echo), _SAYS["not_but"]))
    if reading is not None:
        return reading
    if refuses(text):
        return YesNoAnswer("refused", why="the reply declines to answer")
    return _taken_up(own(without_echo), asked) or _unclear(text, without_echo)


def _translated(said: re.Match[str]) -> str:
    """A Yes or No of another language in English, behind what stands before it."""
    before = "answer: " if said["answer"] else said.group()[: said.end("before") - said.start()]
    return f"{before}{'yes' if said['yes'] else 'no'}"


def _taken_up(text: str, asked: str) -> YesNoAnswer | None:
    """The answer of a reply whose first or last sentence agrees or disagrees."""
    ends = [s.strip() for s in _SENTENCE_END.split(f"{text[:_HEAD]}\n{text[-_HEAD:]}") if s.strip()]
    alone = len(set(ends)) == 1
    said = {_agreed(end, asked, alone) for end in (*ends[:1], *ends[-1:])} - {None}
    if len(said) > 1:
        return YesNoAnswer("ambiguous", why="agrees and disagrees")
    return YesNoAnswer("ok", said.pop(), why="takes up the question") if said else None


def _agreed(said: str, asked: str, alone: bool) -> YesOrNo | None:
    """What a sentence says that agrees, or affirms or denies a word of the question."""
    agrees = _SAYS["agrees"].match(said)
    if agrees is not None:
        return "No" if agrees["no"] else "Yes" if agrees["yes"] or alone else None
    takes_up = _SAYS["takes_up"].match(said)
    question = [asked, *_SAYS["question"].findall(asked)][-1].casefold()
    if takes_up is None or _SAYS["turned"].search(question):
        return None
    prefix, word = (takes_up["un"] or "").casefold(), takes_up["word"].casefold()
    words = _SAYS["word"].findall(question)
    denied = bool(takes_up["not"] or takes_up["isnt"])
    opposites = (word,) if prefix else (f"un{word}", f"in{word}", f"im{word}")
    if prefix + word in words:
        return "No" if denied else "Yes"
    # What is likely or not is what was asked, in whatever words; "not unlikely" is neither.
    if (denied and prefix) or not (word == "likely" or any(one in words for one in opposites)):
        return None
    turned = bool(prefix) or word != "likely"
    return "No" if denied != turned else "Yes"


def _of_list(text: str) -> YesNoAnswer | None:
    """The one answer that a list of verdicts on both accepts, or that follows the list."""
    listing = verdicts(text, "yes|no")
    if listing is None:
        return None
    beside = _stated(listing.after(text)) or _stated(text[: listing.start])
    if beside is not None:
        return beside
    accepted = listing.accepted
    if accepted is None or len(accepted) != 1:
        return YesNoAnswer(
            "ambiguous", why="gives both Yes and No a verdict and settles on neither"
        )
    return YesNoAnswer("ok", _meaning(accepted.pop()), why="accepts one answer of both")


def _meaning(word: str) -> YesOrNo:
    return "Yes" if word[:1] in "yY" else "No"


def _stated(text: str) -> YesNoAnswer | None:
    earlier, announced = [None, None, *_announced(text)][-2:]
    tail = _tail(text)
    numbered = match_end(_SAYS["numbered"], text, match_end(_SAYS["lead"], text, 0))
    head = _head_of(text, numbered, opens=True)
    if announced is not None:
        if head is not None and _at_odds(text, head, announced):
            return _two(text, head, announced)
        if earlier is not None and earlier.answer != announced.answer:
            between = max(earlier.end, announced.start - 12), announced.end
            if not _SAYS["settles"].search(text, *between):
                return _two(text, earlier, announced)
        if tail is not None and tail.start > announced.end and tail.answer != announced.answer:
            return _two(text, announced, tail)
        return YesNoAnswer("ok", announced.answer, why="announces its answer")
    if head is not None and head.answer == "No" and _SAYS["declines"].match(text, head.end):
        return YesNoAnswer("refused", why="the reply declines to answer")
    if head is not None and _contradicted(text, head):
        return YesNoAnswer("ambiguous", why="gives both Yes and No")
    if head is not None and tail is not None and head.answer != tail.answer:
        return _two(text, head, tail)
    if head is not None:
        other = _opening_a_line(text, head)
        if other is not None:
            return _two(text, head, other)
        return YesNoAnswer("ok", head.answer, why="opens with its answer")
    if tail is not None:
        return YesNoAnswer("ok", tail.answer, why="closes with its answer")
    return _only_clause(text)


def _two(text: str, first: _Said, second: _Said) -> YesNoAnswer:
    """Two stated answers that differ: the second counts where the reply takes the first back."""
    if REVISES.search(text, first.end, second.start):
        return YesNoAnswer("ok", second.answer, why="takes its first answer back")
    return YesNoAnswer("ambiguous", why=f"states {first.answer}, then {second.answer}")


def _at_odds(text: str, head: _Said, announced: _Said) -> bool:
    """Whether the other answer is announced right behind the head: "No. The answer is Yes."."""
    if head.answer == announced.answer or head.end > announced.start:
        return False
    return LEADS_ON.fullmatch(text, head.end, announced.start) is not None


def _opening_a_line(text: str, head: _Said) -> _Said | None:
    """The other answer, where a line below the head, or the reason given for it, opens with it."""
    for match in _SAYS["opens_line"].finditer(text, head.end):
        if _meaning(match["answer"]) != head.answer:
            return _Said(_meaning(match["answer"]), match.start("answer"), match.end())
    return None


def _announced(text: str) -> list[_Said]:
    """The answers behind announcements that announce one."""
    found = []
    for match in list(_SAYS["announced"].finditer(text))[-50:]:
        at = match_end(_SAYS["opening"], text, match_end(_SAYS["lead"], text, match.end()))
        said = _answer_at(text, match_end(_SAYS["lead"], text, at))
        if said is not None and not _SAYS["denied"].search(text[max(0, match.start() - 30) : at]):
            found.append(replace(said, start=match.start()))
    for match in list(_SAYS["by_subject"].finditer(text))[-50:]:
        found.append(_Said(_meaning(match["answer"]), match.start(), match.end()))
    return sorted(found, key=lambda said: said.end)


def _tail(text: str) -> _Said | None:
    """The answer that the last line is, or that its last sentence opens or ends with."""
    end = len(text.rstrip())
    begin = text.rfind("\n", 0, end) + 1
    line = _head_of(text, match_end(_SAYS["numbered"], text, begin))
    if line is not None and not text[line.end : end].strip(" .!\"')]}*"):
        return line
    ends = (text.rfind(mark, 0, end) for mark in (". ", "! ", "? ", "; "))
    begin = max([begin, *(at + 2 for at in ends if at >= 0)])
    sentence = _head_of(text, begin)
    if sentence is not None:
        return sentence
    last = next(reversed(list(_clauses(text, begin))), None)
    if last is None:
        last = _announced_at_a_distance(text, begin, end)
    closes = last is not None and not text[last.end : end].strip(" .!\"')]}")
    return last if closes else None


def _announced_at_a_distance(text: str, begin: int, end: int) -> _Said | None:
    """The last word of "The answer to whether it sails is no"."""
    last = next(reversed(list(_SAYS["token"].finditer(text, max(begin, end - 20), end))), None)
    if last is None or not _SAYS["answer_is"].search(
        text[max(begin, last.start() - 340) : last.start()]
    ):
        return None
    return _answer_at(text, last.start())


def _head_of(text: str, begin: int, opens: bool = False) -> _Said | None:
    """The answer that the text opens with from a place on."""
    at = match_end(_SAYS["opening"], text, match_end(_SAYS["lead"], text, begin))
    return _answer_at(text, match_end(_SAYS["lead"], text, at), opens)


def _contradicted(text: str, head: _Said) -> bool:
    """Whether the other answer follows at once: "No, yes."."""
    said = _answer_at(text, match_end(_SAYS["lead"], text, head.end))
    if said is None or said.answer == head.answer or "\n" in text[head.end : said.start]:
        return False
    return said.answer == "Yes" or not text[said.end : said.end + 1].strip(_CLAUSE_END)


def _only_clause(text: str) -> YesNoAnswer | None:
    """In a short reply: the one answer that stands as a clause of its own."""
    if len(text) > _SHORT:
        return None
    answers = {said.answer for said in _clauses(text, 0)}
    if len(answers) == 2:
        return YesNoAnswer("ambiguous", why="gives both Yes and No")
    if answers:
        return YesNoAnswer("ok", answers.pop(), settled=False, why="gives one answer only")
    return None


def _clauses(text: str, begin: int) -> Iterator[_Said]:
    """Answers that punctuation sets off on both sides."""
    for match in _SAYS["token"].finditer(text, begin):
        before = text[max(0, match.start() - 40) : match.start()]
        bare = before.rstrip(" \t")
        if bare and bare[-1] not in _CLAUSE_START and not _SAYS["so"].search(before):
            continue
        after = text[match.end() : match.end() + 3]
        if after[:1] in _CLAUSE_END or after.lstrip(" \t")[:1] in ("-", "\u2013", "\u2014", "("):
            said = _answer_at(text, match.start())
            if said is not None:
                yield said


def _answer_at(text: str, at: int, opens: bool = False) -> _Said | None:
    """The Yes or No that stands at this place as an answer, not as a word of a sentence."""
    match = _SAYS["token"].match(text, at)
    if match is None:
        return None
    answer = _meaning(match.group())
    rest = text[match.end() : match.end() + 60]
    if rest[:1] == "-" and rest[1:2].isalpha():
        return None
    if answer == "No" and not _is_bare_no(rest, opens):
        return None
    if _SAYS["names_a_value"].match(rest) or (
        answer == "No" and _SAYS["not_an_answer"].match(rest)
    ):
        return None
    return _Said(answer, at, match.end())


def _is_bare_no(rest: str, opens: bool) -> bool:
    """Whether what follows a No lets it be an answer."""
    head = rest.lstrip(" \t")
    if not head or rest[0] == ">" or head[0] in ",;:!?)]}\"'\n\u2013\u2014-(*|":
        return True
    if head[0] == ".":
        # "No. 5" names a number, but a reply that opens with it answers: "No. 5 were sold."
        return opens or not head[1:].lstrip(" ")[:1].isdigit()
    return _SAYS["after_no"].match(rest) is not None


def _unclear(text: str, without_echo: str) -> YesNoAnswer:
    if text != without_echo and not _SAYS["token"].search(without_echo):
        return YesNoAnswer("unparsed", why="repeats the options and chooses neither")
    words = [w.casefold() for w in _SAYS["word"].findall(text[:200])]
    foreign = [w for w in (*words[:1], *words[-1:]) if _SAYS["foreign"].fullmatch(w)]
    if foreign:
        return YesNoAnswer("unparsed", why=f"answers in another language ({foreign[0]})")
    if words and words[0] in ("true", "false", "correct", "incorrect"):
        return YesNoAnswer("unparsed", why=f"says {words[0]}, which is neither Yes nor No")
    found = {_meaning(m.group()) for m in _SAYS["token"].finditer(without_echo)}
    if len(found) == 2:
        return YesNoAnswer("ambiguous", why="names both Yes and No and settles on neither")
    if found:
        return YesNoAnswer("unparsed", why=f"uses the word {found.pop()} without answering by it")
    return YesNoAnswer("unparsed", why="neither Yes nor No is named")
