"""What a reply settles on: True, False or Unknown, or which of numbered options, in any order.

The prompt's own words, others' claims, suppositions and denied labels are blanked first. What is
left is read by the engine that all closed sets share. Every step is linear in the text.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from askew.files import toml_of
from askew.papers.instruction_boundary.option_lists import HEDGES, OptionNumbers, OptionSets
from askew.papers.instruction_boundary.paper import FAMILIES, MISCELLANY, BoundaryMeta, Family
from askew.papers.instruction_boundary.questions import NONE, PROMPTS, TRUTH_LABELS, ParsedAnswer
from askew.reading import none, phrases
from askew.reading import reply as basics
from askew.reading.choices import read_choice
from askew.reading.engine import Choice, Reader, torn
from askew.reading.names import LETTERS, NAME, TEXT, WORD, OptionNames
from askew.reading.verdicts import verdicts

# What follows an announcement is read up to here; an answer is never this long.
_SEGMENT = 2_000
_EMPTY = ParsedAnswer("empty", why="the reply has no words")
_ECHO = ParsedAnswer("unparsed", why="repeats the prompt and adds nothing")
_NOT_ITS_OWN = ParsedAnswer.ambiguous("names answers that are not its own, or denies them")
_TAKEN_BACK = ParsedAnswer.ambiguous("takes its answer back and settles on no other")
_SENTENCE = re.compile(r"[^.!?\n]*")


def _sentences(*texts: str) -> re.Pattern[str]:
    """Finds sentences of the prompt, however their blanks were set; "{...}" stands for the rest."""
    escaped = (r"\s+".join(map(re.escape, text.rstrip(".").split())) for text in texts)
    whole = "|".join(re.sub(r"\\\{\w+\\\}", r"[^.\\n]{0,200}", e) for e in escaped)
    return re.compile(rf"(?:{whole})\.?", re.IGNORECASE)


_FORMAT, _LABELS = PROMPTS["format"], PROMPTS["labels"]
_OF_LABELS, _OF_OPTIONS, _VERDICTS = (
    phrases(table, __package__, re.IGNORECASE) for table in ("labels", "options", "verdicts")
)
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


def _read(reply: str, family: Family, settle: Callable[[str], ParsedAnswer]) -> ParsedAnswer:
    """What a reply says for itself settles on; at last, where it takes an answer back."""
    fields = ("answer", "label", "final_answer")
    given = basics.unwrap_answer(basics.ends(basics.visible(reply)), fields)
    whole = basics.spaced_scripts(basics.plain(_OF_OPTIONS["latex"].sub(" ", given)))
    text = basics.blank_matches(whole.rpartition(PROMPTS["shot"]["now"])[2], _TOLD)
    # Two labels or more with what they mean are the prompt's.
    if len({" ".join(line.casefold().split()) for line in _LEGEND[family].findall(text)}) > 1:
        text = basics.blank_matches(text, _LEGEND[family])
    if not basics.has_words(text):
        return _ECHO if basics.has_words(whole) else _EMPTY
    body = basics.own(text)
    found = settle(body)
    revised = [*basics.REVISES.finditer(body, basics.match_end(_SENTENCE, body, 0))]
    if revised and found.outcome in ("ok", "ambiguous"):
        again = settle(body[revised[-1].end() :])
        found = again if again.outcome == "ok" else _TAKEN_BACK if found.answer else found
    return _NOT_ITS_OWN if found.outcome == "unparsed" and body != text else found


# --- True, False and Unknown ---

_TOLD_BY = toml_of(__package__, "replies.toml")
_LABEL_OF = {word: label for label, words in _TOLD_BY["words"].items() for word in words}
_STATED = {n: _VERDICTS[n].pattern for n in ("unknown", "false", "true")}
_STATED |= {n: _sentences(text.partition(": ")[2]).pattern for n, text in PROMPTS["extra"].items()}
# What amounts to a label: a statement about the conclusion, or a word for it.
_GIVES = re.compile(
    "|".join(f"(?P<{label}>{pattern})" for label, pattern in _STATED.items())
    + f"|(?P<word>{_OF_LABELS['label'].pattern})",
    re.IGNORECASE,
)
_LABEL_NAMES = tuple(TRUTH_LABELS)
_HEDGES = "leaves the conclusion open"


class _Labels(OptionNames):
    def marked(self, text: str, groups: dict[str, str]) -> str:
        """The text with a sign for each label that may be an answer."""
        return basics.in_english(_GIVES.sub(lambda match: self._label(match, groups), text))

    def _label(self, match: re.Match[str], groups: dict[str, str]) -> str:
        label, text, word = str(match.lastgroup), match.string, match["label"] or ""
        before = text[max(0, match.start() - 40) : match.start()]
        # What is true or false in prose is small.
        small = word.islower() and match.start() > 0
        denied = (small or label in ("true", "false")) and _OF_LABELS["negated"].search(before)
        if not match["word"]:
            if denied or _OF_LABELS["conditional"].search(before):
                return " "
        elif word:
            label, rest = _LABEL_OF[word.casefold()], text[match.end() : match.end() + 200]
            part = _OF_LABELS["goes_on"].match(rest) and not _OF_LABELS["another"].match(rest)
            cut_off = len(word) == 1 and rest.strip(" .)]}\"'\n*")
            if denied or part or cut_off or _OF_LABELS["verdict_on"].search(before):
                return match.group()
        else:
            label = f"all_{match['which'].casefold()}"
        sign = chr((WORD if match["word"] else TEXT) + _LABEL_NAMES.index(label))
        groups[sign] = match.group()
        return sign


_OFFERED = _Labels(tuple(TRUTH_LABELS.values()))


class _Truth(Reader):
    leads_in, announces = _OF_LABELS["lead"], basics.TRUTH

    def read(self) -> Choice:
        listing = verdicts(self.body, _OF_LABELS["sign"].pattern)
        if listing is None:
            self.body = _OF_LABELS["asked"].sub(" ", self.body)
            return super().read()
        listed = torn("gives each label a verdict and settles on none")
        if listing.accepted and len(listing.accepted) == 1:
            sign = min(listing.accepted)
            listed = Choice("ok", ord(sign) & 0xFFF, why="accepts one label of a list")
        return self.beside(listing, listed)

    def named(self, name: re.Match[str]) -> Choice:
        index, is_word = ord(name.group()) & 0xFFF, ord(name.group()) >= WORD
        label = f"gives the label {self.names.written[index]}"
        return Choice("ok", index, why=label if is_word else "states a verdict on the conclusion")

    def opening(self, text: str) -> Choice | None:
        """A label, or a hedge, which yields to a label at the end."""
        found, line = super().opening(text), basics.first_line(text)
        if found is None and none.starts_with_hedge(line) and not _OF_LABELS["one"].search(line):
            return Choice("ok", text=line, said_none=True, why=_HEDGES)
        return found

    def _opening(self, text: str, name: re.Match[str]) -> Choice | None:
        other = _OF_LABELS["contradicted"].match(text, name.end())
        differs = other and ord(other[other.lastgroup or 0]) - ord(name.group()) & 0xFFF
        return torn("gives several labels") if differs else self.named(name)

    def _ends(self) -> Iterator[str]:
        yield from super()._ends()
        line = basics.last_line(self.body)[-_SEGMENT:]
        if _OF_LABELS["is_last"].search(self.restore(line)):
            yield line[[name.start() for name in NAME.finditer(line)][-1] :]

    def _new(self, segment: str) -> Choice | None:
        return None

    def _only_option(self) -> Choice:
        """The one verdict on the conclusion that sentences state."""
        stated = {ord(sign) & 0xFFF for sign in _OF_LABELS["stated"].findall(self.body)}
        if len(stated) > 1:
            return replace(torn("states several verdicts"), settled=False)
        why = "states one verdict on the conclusion"
        none_stated = Choice("unparsed", settled=False, why="no label is named")
        return Choice("ok", stated.pop(), settled=False, why=why) if stated else none_stated


def read_truth(reply: str) -> ParsedAnswer:
    """Read a reply to a question whose answer is True, False or Unknown."""
    return _read(reply, "judging", _settle_on_label)


def _settle_on_label(body: str) -> ParsedAnswer:
    # Within a sentence a small letter is what is left of a word that was cut off.
    if len(bare := body.strip("\"'*().[] \n")) == 1:
        body = bare.upper()
    if _OF_LABELS["fork"].search(body):
        return ParsedAnswer.ambiguous("gives a label under a condition and another one otherwise")
    affirmed = basics.blank_matches(body, _OF_LABELS["denied"])
    found = _Truth(affirmed, _OFFERED).read()
    if found.chosen is not None:
        return ParsedAnswer("ok", _LABEL_NAMES[found.chosen], settled=found.settled, why=found.why)
    if found.why == _HEDGES:
        hedged = not _OF_LABELS["own_words"].search(f"{found.text}\n{basics.last_line(affirmed)}")
        return ParsedAnswer("ok", "unknown", hedged, found.settled, why=found.why)
    if found.outcome not in ("ok", "unparsed"):
        return ParsedAnswer(found.outcome, settled=found.settled, why=found.why)
    named, left = ({m.casefold() for m in _OF_LABELS["one"].findall(t)} for t in (body, affirmed))
    if named == {"true", "false"} and not left:
        return ParsedAnswer("ok", "unknown", settled=False, why="denies both True and False")
    if named:
        why = f"speaks of {', '.join(sorted(named))} and settles on no label"
        return ParsedAnswer.ambiguous(why, settled=False)
    return ParsedAnswer("unparsed", settled=False, why="no label is named")


# --- numbered options ---

_prepared = lru_cache(maxsize=256)(OptionNumbers)


def read_option_set(reply: str, options: Sequence[str], first: int = 1) -> ParsedAnswer:
    """Read a reply to a question whose options, as shown, are numbered from `first` on."""
    names = _prepared(tuple(options), first)

    def settle(body: str) -> ParsedAnswer:
        found = OptionSets(basics.blank_matches(body, _OF_OPTIONS["set_aside"]), names).read()
        answer = (found.text or NONE) if found.outcome == "ok" else None
        why = found.why if first == 1 else f"{found.why} (its numbers, from {first}, as from 1)"
        return ParsedAnswer(found.outcome, answer, found.why == HEDGES.why, found.settled, why=why)

    return _read(reply, "choice", settle)


# --- labels of prompts ---

# Options of the authors' prompts are called by numbers from 0, by letters, or by 1 to 3 for what a
# conclusion is. By our rules a reply to them is read as any other once its labels are those of our
# own prompts. By theirs (`parse_as_published`) it is read as their scorer reads it, which bends the
# printed numbers: options count from 0 whether they carry numbers or not, a word such as
# "difficult" anywhere means that no option is right, and under miscellany the right letter
# anywhere, of a reply put in capitals, is the right answer.

_HEADED = re.compile(r"\A.*^#+ *final answer\b", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_JUDGED = FAMILIES["judging"].forms


def parse_reply(reply: str, options: Sequence[str], meta: BoundaryMeta) -> ParsedAnswer:
    """Read a reply by the rules alone; its options are as the prompt shows them, unlabelled."""
    labels = meta.labels.split(",")
    headed = _HEADED.match(reply) if meta.labels and meta.setting == "multi_turn" else None
    body = (reply[headed.end() :].strip() if headed else "") or reply
    if meta.family == "judging":
        found = read_option_set(body, options) if meta.labels else ParsedAnswer("unparsed")
        if found.numbers:
            return to_canonical(found, meta)
        truth = read_truth(body)
        return found if truth.outcome != "ok" and meta.labels and found.outcome != "ok" else truth
    if labels[0].isalpha():
        return to_canonical(_parse_letter(body, options, labels), meta)
    found = read_option_set(body, options, first=int(labels[0] or 1))
    # Options without numbers, of which the reply names 0: it can only count from there.
    unread = found.outcome in ("unparsed", "ambiguous")
    if labels[0] == "1" and unread and re.search(r"(?<![\w.])0\b", body):
        again = read_option_set(body, options, first=0)
        found = again if again.outcome == "ok" else found
    return to_canonical(found, meta)


def to_canonical(found: ParsedAnswer, meta: BoundaryMeta) -> ParsedAnswer:
    """An answer whose numbers, places in the prompt, are turned into the item's own or a label.

    0 stands for the statement that all other options are false: alone it says that none is right.
    """
    if not found.numbers:
        return found
    if meta.family == "judging":
        if len(found.numbers) > 1:
            return ParsedAnswer.ambiguous("gives several labels")
        return replace(found, answer=_JUDGED[min(found.numbers) - 1])
    shown = meta.shown.split(",")
    own = sorted(int(shown[place - 1]) for place in found.numbers)
    return replace(found, answer=NONE if own == [0] else ",".join(map(str, own)))


def parse_as_published(reply: str, meta: BoundaryMeta) -> ParsedAnswer:
    """Read a reply to a choice question by the authors' rules."""
    own = meta.shown.split(",")
    if meta.setting == MISCELLANY:
        right = meta.labels.split(",")[own.index(meta.truth)]
        if right in reply.upper():
            return ParsedAnswer("ok", meta.truth, why=f"has the letter {right} somewhere")
        return ParsedAnswer("unparsed", why=f"has no letter {right}")
    lower = reply.lower()
    if word := next((w for w in _TOLD_BY["published"]["no_answer"] if w in lower), ""):
        return ParsedAnswer("ok", NONE, why=f"says {word!r} somewhere")
    named = sorted({int(n) for n in re.findall(r"\b[0-3]\b", reply)})
    if not named:
        return ParsedAnswer("unparsed", why="has no number from 0 to 3")
    why = f"has {', '.join(map(str, named))} somewhere, counted from 0"
    answer = ",".join(own[n] if n < len(own) else str(n + 1) for n in named)
    return ParsedAnswer("ok", answer, why=why)


def _parse_letter(reply: str, options: Sequence[str], labels: Sequence[str]) -> ParsedAnswer:
    """A reply that names an option by its letter or its text; some letters are not shown."""
    texts = dict(zip(labels, options, strict=True))
    last = LETTERS.index(labels[-1])
    found = read_choice(reply, [texts.get(c, f"({c} is not shown)") for c in LETTERS[: last + 1]])
    if found.outcome != "ok":
        return ParsedAnswer(found.outcome, settled=found.settled, why=found.why)
    if found.said_none:
        return ParsedAnswer("ok", NONE, settled=found.settled, why=found.why)
    letter = "" if found.chosen is None else LETTERS[found.chosen]
    if letter not in texts or found.text:
        return ParsedAnswer.ambiguous(found.why, settled=found.settled)
    place = str(labels.index(letter) + 1)
    return ParsedAnswer("ok", place, settled=found.settled, why=found.why)
