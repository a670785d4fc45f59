"""What a reply settles on: True, False or Unknown, or which of numbered options, in any order.

The prompt's own words, others' claims ("the prompt says that the answer is ..."), suppositions and
denied labels are blanked first: none of them is an answer. Reading then goes from the strongest
sign to the weakest: a list of verdicts, an announced answer, the head of the reply, its last lines,
then what its sentences say ("the passage supports options 1 and 4"). A number counts only where it
stands as an answer: in prose ("there are 2 reasons") it is no choice. What these rules cannot
decide is `unparsed` or `ambiguous`. Every step is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from askew.papers.instruction_boundary.option_lists import OptionLists, spaced
from askew.papers.instruction_boundary.paper import FAMILIES, MISCELLANY, BoundaryMeta, Family
from askew.papers.instruction_boundary.questions import (
    NONE,
    PROMPTS,
    SEVERAL,
    TRUTH_LABELS,
    AnswerRead,
    numbers,
    phrases,
)
from askew.reading.choices import read_choice
from askew.reading.names import LETTERS
from askew.reading.none import (
    denies_all,
    hedges,
    is_none,
    none_position,
    starts_with_hedge,
    starts_with_none,
)
from askew.reading.reply import (
    REVISES,
    agrees,
    blanked,
    claims,
    first_line,
    has_words,
    in_english,
    last_line,
    match_end,
    own,
    plain,
    refuses,
    spaced_scripts,
    unwrapped,
    visible,
)
from askew.reading.verdicts import Verdicts, survey_end, verdicts

Says = Mapping[str, re.Pattern[str]]
Opening = Callable[[str], AnswerRead | None]
"""From a piece of text to the answer that it opens with, if it opens with one."""

_ANNOUNCEMENTS = 50
# What follows an announcement is read up to here; an answer is never this long.
_SEGMENT = 2_000
_SHORT = 60
_MARKS = " \t\n:.,-\u2013\u2014()*_\"'"
_EMPTY = AnswerRead("empty", why="the reply has no words")
_REFUSED = AnswerRead("refused", why="the reply declines to answer")
_ECHO = AnswerRead("unparsed", why="repeats the prompt and adds nothing")
_TAKEN_BACK = AnswerRead.torn("takes its answer back and settles on no other")
_NOT_ITS_OWN = AnswerRead.torn("names answers that are not its own, or denies them")
_SENTENCE = re.compile(r"[^.!?\n]*")


def _sentences(*texts: str) -> re.Pattern[str]:
    """Finds sentences of the prompt, however their blanks were set; "{...}" stands for the rest."""
    escaped = (r"\s+".join(map(re.escape, text.rstrip(".").split())) for text in texts)
    whole = "|".join(re.sub(r"\\\{\w+\\\}", r"[^.\\n]{0,200}", e) for e in escaped)
    return re.compile(rf"(?:{whole})\.?", re.IGNORECASE)


_FORMAT, _LABELS = PROMPTS["format"], PROMPTS["labels"]
_OF_LABELS, _OF_OPTIONS, _VERDICTS = phrases("labels"), phrases("options"), phrases("verdicts")
_TOLD = _sentences(
    *PROMPTS["vague"].values(), PROMPTS["ask"], PROMPTS["polished_ask"],
    *PROMPTS["guidance"].values(), _FORMAT["judging"],
    *(_FORMAT["choice"].format(forms=f"with {_FORMAT[n]}{{more}}") for n in ("one", "several")),
)  # fmt: skip
_LEGEND = {
    "judging": _sentences(*_LABELS["judging"].values(), *PROMPTS["extra"].values()),
    "choice": re.compile(
        f"{_sentences(*_LABELS['choice'].values()).pattern}|{_OF_OPTIONS['legend'].pattern}",
        re.IGNORECASE,
    ),
}
# What the prompt says of each label, behind it.
_SAID_OF = {
    label: _sentences(text.partition(": ")[2])
    for label, text in (_LABELS["judging"] | PROMPTS["extra"] | _LABELS["choice"]).items()
}


def _without_prompt(text: str, family: Family) -> str:
    """A reply without what it repeats of its prompt.

    One label with its description is an answer; two or more are the prompt's list of them.
    """
    text = blanked(text.rpartition(PROMPTS["shot"]["now"])[2], _TOLD)
    told = {" ".join(line.casefold().split()) for line in _LEGEND[family].findall(text)}
    return blanked(text, _LEGEND[family]) if len(told) > 1 else text


def _announced(text: str, says: Says) -> Iterator[tuple[re.Match[str], str]]:
    """Announcements of an answer, and what stands behind them; the last one first."""
    for match in reversed(list(says["announced"].finditer(text))[-_ANNOUNCEMENTS:]):
        yield match, text[match.end() : match.end() + _SEGMENT]


def _describes_another(rest: str, label: str) -> bool:
    """Whether all that stands behind a label describes another: "False: cannot be determined"."""
    line = first_line(rest.lstrip(_MARKS)).rstrip(_MARKS)
    bare = re.sub("^(?:the|this) ", "", line, flags=re.IGNORECASE)
    verdict = _VERDICT.fullmatch(bare) if label in TRUTH_LABELS else None
    if verdict is not None:
        return verdict.lastgroup != label
    return any(of != label and said.fullmatch(bare) for of, said in _SAID_OF.items())


def _takes_back(text: str) -> bool:
    """Whether a text takes back what its first sentence says."""
    return REVISES.search(text, match_end(_SENTENCE, text, 0)) is not None


def _concluded(text: str, opening: Opening, says: Says) -> AnswerRead | None:
    """The answer behind the last word of conclusion in the last line."""
    line = last_line(text)
    ends = [match.end() for match in says["concludes"].finditer(line)]
    return opening(line[ends[-1] :]) if ends else None


def _beside_list(beside: AnswerRead | None, listed: AnswerRead) -> AnswerRead:
    """An answer before or after a list of verdicts, unless the list comes to another one."""
    if beside is None or listed.answer in (None, beside.answer):
        return beside or listed
    return AnswerRead.torn("gives an answer and a list of verdicts that differ")


def _of_its_own(
    text: str, said: str, reads: Callable[[str], AnswerRead], agreed: Callable[[], set[str]]
) -> AnswerRead:
    """What a reply says itself or, where that is nothing, what it agrees with of others' claims."""
    found = reads(said)
    if found.outcome != "unparsed" or said == text or found.why.startswith("names"):
        return found
    answers = agreed()
    if len(answers) == 1 and agrees(said):
        return AnswerRead("ok", answers.pop(), settled=False, why="agrees with what it was told")
    return _NOT_ITS_OWN


# --- True, False and Unknown ---

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
    whole = spaced_scripts(plain(unwrapped(visible(reply), ("answer", "label", "final_answer"))))
    text = _without_prompt(whole, "judging")
    if not has_words(text):
        return _ECHO if has_words(whole) else _EMPTY
    # Within a sentence a small letter is what is left of a word that was cut off.
    if len(bare := text.strip("\"'*().[] \n")) == 1:
        text = bare.upper()
    text = _AGAIN.sub(r"\1", text)
    return _of_its_own(text, own(text), _read_truth, lambda: _names(" ".join(claims(text))))


def _read_truth(said: str) -> AnswerRead:
    """The label that a reply gives, once what is not its own was blanked."""
    listing, fork = verdicts(said, _ONE), _OF_LABELS["fork"].search(said)
    affirmed = blanked(blanked(_affirmed(said), _OF_LABELS["asked"]), _OF_LABELS["several"])
    if listing is not None:
        beside = _settled(listing.after(affirmed)) or _settled(affirmed[: listing.start])
        return _beside_list(beside, _of_labels(listing))
    for match, behind in _announced(affirmed, _OF_LABELS):
        if (fork is None or match.start() >= fork.end()) and (found := _label(behind[:400])):
            return _unless_another(found, match, affirmed)
    if fork is not None:
        return AnswerRead.torn("gives a label under a condition and another one otherwise")
    head = _label(first_line(affirmed))
    if head is not None and _takes_back(affirmed):
        behind = affirmed[match_end(_SENTENCE, affirmed, 0) :]
        instead = _ending(behind) or _label(last_line(behind).rpartition(". ")[2])
        return instead or _ending(affirmed) or _TAKEN_BACK
    if head is not None and not head.hedged:
        return head
    if head is None and refuses(said):
        return _REFUSED
    if len(_verdicts(said)) > 1:
        return AnswerRead.torn("states several verdicts", settled=False)
    return _ending(affirmed) or head or _stated(said, affirmed)


def _ending(text: str) -> AnswerRead | None:
    """The label in the last line, or behind its last word of conclusion."""
    return _label(last_line(text)) or _concluded(text, _label, _OF_LABELS)


def _settled(text: str) -> AnswerRead | None:
    """The label that a part of a reply announces, opens with or ends with."""
    behind = (_label(behind[:400]) for _, behind in _announced(text, _OF_LABELS))
    return next(filter(None, behind), None) or _label(first_line(text)) or _ending(text)


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


def _of_labels(listing: Verdicts) -> AnswerRead:
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
    if _describes_another(rest, label):
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
    stated = _verdicts(line)
    if len(stated) == 1 and len(line.split()) <= _SHORT:
        return AnswerRead("ok", stated.pop(), why="states a verdict on the conclusion")
    if not stated and starts_with_hedge(line) and not _TENSE.search(line):
        named = _OF_LABELS["own_words"].search(line) is not None
        return AnswerRead("ok", "unknown", hedged=not named, why="leaves the conclusion open")
    return None


def _verdicts(text: str) -> set[str]:
    """Labels that statements about the conclusion amount to, unless supposed or denied."""
    found = set()
    for match in _VERDICT.finditer(text):
        label, before = str(match.lastgroup), text[max(0, match.start() - 40) : match.start()]
        denied = label != "unknown" and _OF_LABELS["negated"].search(before)
        if not denied and not _OF_LABELS["conditional"].search(before):
            found.add(label)
    return found


def _stated(said: str, affirmed: str) -> AnswerRead:
    """The one verdict or label that a reply without an announced answer states."""
    masked = _OF_LABELS["listed"].sub(" ", affirmed)
    stated, named, denied = _verdicts(said), _names(masked), _names(said) - _names(affirmed)
    answered = partial(AnswerRead, "ok", settled=False)
    if len(stated) == 1:
        return answered(stated.pop(), why="states one verdict on the conclusion")
    if named == {"unknown"} and not re.search(r"\ball above\b", masked, re.IGNORECASE):
        return answered("unknown", why="names one label only")
    if not _TENSE.search(said) and any(map(starts_with_hedge, (said, last_line(said)))):
        return answered("unknown", hedged=True, why="leaves the conclusion open")
    if denied == {"true", "false"} and not named:
        return answered("unknown", why="denies both True and False")
    if named := _names(said):
        why = f"speaks of {', '.join(sorted(named))} and settles on no label"
        return AnswerRead.torn(why, settled=False)
    return AnswerRead("unparsed", settled=False, why="no label is named")


# --- numbered options ---

_LABEL_ONLY = phrases("lists", flags=0)["label_only"]
_OPTION = r"(?:(?:option|choice|statement|opción|选项) ?)?#?\d{1,2}[.)]?"
_prepared = lru_cache(maxsize=256)(OptionLists)
_NONE = AnswerRead("ok", NONE, why="says that none is right")
_OPEN = AnswerRead("ok", NONE, hedged=True, why="leaves the question open")
_ONE_OPTION = AnswerRead("unparsed", why="says that one option is right and names none")
_SEVERAL = AnswerRead("ok", SEVERAL, why="says that several are right and names none")


def read_option_set(reply: str, options: Sequence[str]) -> AnswerRead:
    """Read a reply to a question whose options, in the order shown, are numbered from 1."""
    latex = unwrapped(visible(reply), ("answer", "final_answer"))
    whole = spaced_scripts(plain(_OF_OPTIONS["latex"].sub(" ", latex)))
    text = _without_prompt(whole, "choice")
    if not has_words(text):
        return _ECHO if has_words(whole) else _EMPTY
    lists = _prepared(tuple(options))
    opening = partial(_opening, lists=lists)

    def agreed() -> set[str]:
        claimed = (opening(b) for c in claims(text) for _, b in _announced(c, _OF_OPTIONS))
        return {str(read.answer) for read in claimed if read and read.outcome == "ok"}

    said = blanked(own(text), _OF_OPTIONS["asked"])
    found = _of_its_own(text, said, partial(_read_options, lists=lists), agreed)
    closing = opening(survey_end(said, str)) if found.answer is None else None
    # What a line below such a list is, and nothing else, is the answer.
    return replace(closing, settled=False) if closing and closing.outcome == "ok" else found


def _read_options(said: str, lists: OptionLists) -> AnswerRead:
    """What a reply chooses, once what is not its own was blanked."""
    opening = partial(_opening, lists=lists)
    shown = lists.numbered(said)
    if (listing := verdicts(shown, _OPTION)) is not None:
        before, behind = shown[: listing.start], shown[listing.end :]
        beside = _told(behind, listing.after(shown), opening) or _told(before, before, opening)
        return _beside_list(beside, _of_options(listing, lists))
    text = lists.without_listing(said)
    if not has_words(text):
        return AnswerRead.torn("repeats the options")
    if lists.begins_listing(text):
        return AnswerRead.torn("repeats the question and begins its options")
    # Behind each announcement, the last one first; then at the head of the reply.
    places = [(m.start(), m.end(), behind) for m, behind in _announced(text, _OF_OPTIONS)]
    for start, end, behind in (*places, (0, 0, text)):
        if found := opening(behind) or opening(first_line(behind)):
            if _takes_back(text[end:]):
                return _closing(text, opening) or _TAKEN_BACK
            return _beside_denial(_beside_others(found, text[start:], lists), text, after=start)
    if refuses(text):
        return _REFUSED
    if found := lists.tail(text) or opening(last_line(text)):
        return _beside_denial(found, text)
    if (so := _OF_OPTIONS["so_numbered"].search(last_line(text))) and (found := opening(so[1])):
        return replace(_beside_denial(found, text), settled=False)
    argued = lists.argued(text)
    if argued is not None and argued.outcome == "ok":
        return _beside_denial(argued, text)
    if found := _closing(text, opening):
        return _beside_denial(_beside_others(found, text, lists), text)
    found = _denial(text, lists) or argued or _mentioned(text, lists)
    repeats = text != said and found.outcome == "unparsed"
    return AnswerRead.torn("repeats the options and chooses none") if repeats else found


def _closing(text: str, opening: Opening) -> AnswerRead | None:
    """The answer behind the last word of conclusion, or the last sentence's."""
    # "So the rocky planets are Mars and Venus": a number there may be one of the prose.
    named = _OF_OPTIONS["so_named"].search(last_line(text))
    return _concluded(text, opening, _OF_OPTIONS) or (opening(named[1]) if named else None)


def _told(text: str, lines: str, opening: Opening) -> AnswerRead | None:
    """What a part of a reply announces or, in whole lines, opens or ends with."""
    so = _OF_OPTIONS["so_numbered"].search(last_line(text))
    said = [behind for _, behind in _announced(text, _OF_OPTIONS)]
    said += [first_line(lines), last_line(lines), so[1] if so else ""]
    return next(filter(None, map(opening, said)), None)


def _of_options(listing: Verdicts, lists: OptionLists) -> AnswerRead:
    """The options that a list of verdicts accepts."""
    accepted = listing.accepted
    if accepted is None or not (accepted or len(listing.of) == lists.size):
        return AnswerRead.torn("goes through options and leaves some open")
    return lists.chosen({lists.index_of(name, listing.of) for name in accepted})


def _beside_others(found: AnswerRead, text: str, lists: OptionLists) -> AnswerRead:
    """A chosen set, beside sentences that call other options right as well."""
    right, chosen = lists.called_right(text), found.numbers
    if not chosen or right <= chosen:
        return found
    argued = lists.argued(text)
    if argued is not None and argued.answer is not None and right >= chosen:
        return argued
    return AnswerRead.torn("calls other options right as well")


def _beside_denial(found: AnswerRead, text: str, after: int = 0) -> AnswerRead:
    """A chosen set, unless the reply says from there on that no option is right."""
    if found.numbers and none_position(text) >= after:
        return AnswerRead.torn("chooses and says that none is right")
    return found


def _opening(text: str, lists: OptionLists) -> AnswerRead | None:
    """The answer that a piece of text opens with, if it opens with one."""
    opened = text[:_SEGMENT].strip(" \t\n\r\"'_[({<>:=-\u2013\u2014.,;}$\\").removeprefix("that ")
    if not opened:
        return None
    how_many, _, behind = opened.partition(":")
    label = how_many.casefold()
    if label in _LABELS["choice"] and _describes_another(behind, label):
        return AnswerRead.torn("says how many are right and describes another number")
    if starts_with_none(opened) or is_none(first_line(opened).rstrip("}$")):
        return _NONE
    bare = spaced(opened).rstrip(" .!})\"'")
    if len(bare) < _SHORT and _LABEL_ONLY.fullmatch(bare):
        one = bare.startswith(("one", "single", "exactly", "a single"))
        return _ONE_OPTION if one else _SEVERAL
    listing = lists.at_start(opened)
    if listing is None and starts_with_hedge(opened) and not lists.mentions(opened):
        return _OPEN
    return listing


def _denial(text: str, lists: OptionLists) -> AnswerRead | None:
    """A reply that denies all options, or leaves the question open, in the middle of its prose."""
    if none_position(in_english(text)) >= 0 or (not lists.mentions(text) and denies_all(text)):
        return _NONE
    if not hedges(text):
        return None
    if lists.named(text):
        return AnswerRead.torn("names options and leaves the question open")
    return _OPEN


def _mentioned(text: str, lists: OptionLists) -> AnswerRead:
    """The one option that a short reply without a stated answer names and does not deny."""
    named = lists.named(text)
    if len(named) == 1 and named <= set(range(lists.size)) and len(text.split()) <= _SHORT:
        if _OF_OPTIONS["denial"].search(text):
            return AnswerRead.torn("names one option beside a denial")
        return AnswerRead("ok", numbers(named), settled=False, why="names one option only")
    if named:
        return AnswerRead.torn(f"names {len(named)} options and settles on none", settled=False)
    return AnswerRead("unparsed", settled=False, why="no option is named")


# --- labels of prompts ---

# Options of the authors' prompts are called by numbers from 0, by letters, or by 1 to 3 for what a
# conclusion is. By our rules a reply to them is read as any other once its labels are those of our
# own prompts. By theirs (`read_as_published`) it is read as their scorer reads it, which bends the
# printed numbers: options count from 0 whether they carry numbers or not, a word such as
# "difficult" anywhere means that no option is right, and under miscellany the right letter
# anywhere, of a reply put in capitals, is the right answer.

_DIGITS = re.compile(r"(?<!\d)\d{1,4}(?!\d)")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
# Where number words may be options'.
_NAMED = re.compile(r"\b(?:options?|choices?|numbers?)\b[^.;\n]{0,60}", re.IGNORECASE)
_HEADED = re.compile(r"\A.*^#+ *final answer\b", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_JUDGED = FAMILIES["judging"].forms


def read(reply: str, options: Sequence[str], meta: BoundaryMeta) -> AnswerRead:
    """Read a reply by the rules alone."""
    if meta.labels:
        return read_labelled(reply, options, meta)
    if meta.family == "judging":
        return read_truth(reply)
    return canonical(read_option_set(reply, options), meta)


def canonical(found: AnswerRead, meta: BoundaryMeta) -> AnswerRead:
    """An answer whose numbers, places in the prompt, are turned into the item's own or a label.

    0 stands for the statement that all other options are false: alone it says that none is right.
    """
    if not found.numbers:
        return found
    if meta.family == "judging":
        if len(found.numbers) > 1:
            return AnswerRead.torn("gives several labels")
        return replace(found, answer=_JUDGED[min(found.numbers) - 1])
    shown = meta.shown.split(",")
    own = sorted(int(shown[place - 1]) for place in found.numbers)
    return replace(found, answer=NONE if own == [0] else ",".join(map(str, own)))


def read_labelled(reply: str, options: Sequence[str], meta: BoundaryMeta) -> AnswerRead:
    """Read a reply by our rules.

    Args:
        reply: the model's whole reply.
        options: as the prompt shows them, without their labels.
        meta: says what they are called.
    """
    headed = _HEADED.match(reply) if meta.setting == "multi_turn" else None
    said = reply[headed.end() :] if headed and reply[headed.end() :].strip() else reply
    labels = meta.labels.split(",")
    if meta.family == "judging":
        found = read_option_set(said, options)
        if found.numbers:
            return canonical(found, meta)
        truth = read_truth(said)
        return truth if truth.outcome == "ok" or found.outcome == "ok" else found
    if labels[0].isalpha():
        return canonical(_lettered(said, options, labels), meta)
    from_one = labels[0] == "1"
    found = read_option_set(said, options) if from_one else _from_zero(said, options)
    # Options without numbers, of which the reply names 0: it can only count from there.
    if from_one and found.outcome == "unparsed" and re.search(r"(?<![\w.])0\b", said):
        again = _from_zero(said, options)
        found = again if again.outcome == "ok" else found
    return canonical(found, meta)


def read_as_published(reply: str, meta: BoundaryMeta) -> AnswerRead:
    """Read a reply to a choice question by the authors' rules."""
    own = meta.shown.split(",")
    if meta.setting == MISCELLANY:
        right = meta.labels.split(",")[own.index(meta.truth)]
        if right in reply.upper():
            return AnswerRead("ok", meta.truth, why=f"has the letter {right} somewhere")
        return AnswerRead("unparsed", why=f"has no letter {right}")
    lower = reply.lower()
    if word := next((w for w in _NO_ANSWER if w in lower), ""):
        return AnswerRead("ok", NONE, why=f"says {word!r} somewhere")
    named = sorted({int(n) for n in re.findall(r"\b[0-3]\b", reply)})
    if not named:
        return AnswerRead("unparsed", why="has no number from 0 to 3")
    why = f"has {', '.join(map(str, named))} somewhere, counted from 0"
    answer = ",".join(own[n] if n < len(own) else str(n + 1) for n in named)
    return AnswerRead("ok", answer, why=why)


# What their scorer takes for "no option is right", wherever it stands.
_NO_ANSWER = (
    *("none", "no correct answer", "no correct option", "not applicable", "all wrong"),
    *("all options are wrong", "cannot", "unable", "insufficient", "ambiguous", "unclear"),
    *("uncertain", "unsure", "difficult", "hard to", "not sure", "don't know"),
)


def _from_zero(reply: str, options: Sequence[str]) -> AnswerRead:
    """A reply whose numbers count from 0, read with all of them, the options' too, one higher."""
    digits = _NAMED.sub(
        lambda named: _WORD.sub(lambda word: str(_WORDS.index(word[0].lower())), named[0]), reply
    )
    found = read_option_set(_higher(digits), [_higher(option) for option in options])
    return replace(found, why=f"{found.why} (its numbers, from 0, are read as from 1)")


def _higher(text: str) -> str:
    return _DIGITS.sub(lambda number: str(int(number[0]) + 1).zfill(len(number[0])), text)


def _lettered(reply: str, options: Sequence[str], labels: Sequence[str]) -> AnswerRead:
    """A reply that names an option by its letter or its text; some letters are not shown."""
    texts = dict(zip(labels, options, strict=True))
    last = LETTERS.index(labels[-1])
    found = read_choice(reply, [texts.get(c, f"({c} is not shown)") for c in LETTERS[: last + 1]])
    if found.outcome != "ok":
        return AnswerRead(found.outcome, settled=found.settled, why=found.why)
    if found.said_none:
        return AnswerRead("ok", NONE, settled=found.settled, why=found.why)
    letter = "" if found.chosen is None else LETTERS[found.chosen]
    if letter not in texts or found.text:
        return AnswerRead.torn(found.why, settled=found.settled)
    place = str(labels.index(letter) + 1)
    return AnswerRead("ok", place, settled=found.settled, why=found.why)
