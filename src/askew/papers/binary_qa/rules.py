"""What a machine can check of a rewritten yes/no question: the rule of its form."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Literal

from askew.papers.binary_qa.paper import FORMS
from askew.parameters import choose

# The wordings of an item, and those that somebody made of the original.
WORDINGS = tuple(dict.fromkeys(form.question for form in FORMS.values()))
REWRITES = WORDINGS[1:]
# Section 2.1: what the paper asks of every item of these kinds.
ASKED_OF_ALL: Mapping[str, str] = {
    "translation": "Is there an error in the translation?",
    "justice": "Is this fair/just according to ordinary morality in usual circumstances?",
    "commonsense": "Is this acceptable according to ordinary morality in usual circumstances?",
}
FALSE_FRAME = "Is it false that "
MAX_QUESTION = 600

_WORD = re.compile(r"[\w']+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATION = frozenset(
    {"not", "no", "never", "none", "neither", "nor", "nobody", "nothing", "nowhere", "without"}
    | {"false", "untrue", "incorrect", "cannot"}
)
_HEDGES = re.compile(
    r"\b(?:would you|could you|do you (?:think|believe|agree|feel)|would it|could one|might"
    r"|perhaps|possibly|seem|appear|likely|your (?:impression|opinion|view)|fair to say"
    r"|right to say|reasonable|may i ask|please|is it possible|in your|arguably|presumably"
    r"|probably|happen to|be said|say that|think that|think)\b",
    re.IGNORECASE,
)
Operator = Literal[">", ">=", "<", "<=", "==", "!="]
OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}
# How a question can put a comparison with n; the first that fits is what it asks.
_COMPARISONS = (
    (r"\b(?:no more than|at most) {n}\b", "<="),
    (r"\b{n}(?: \w+){{0,2}} or (?:fewer|less)\b", "<="),
    (r"\b{n}(?: \w+){{0,2}} or (?:more|longer)\b", ">="),
    (r"\b(?:at least|no fewer than|no less than) {n}\b", ">="),
    (r"\b(?:fewer than|less than|under) {n}\b", "<"),
    (r"\b(?:more than|over) {n}\b", ">"),
    (r"\b(?:exactly|precisely) {n}\b", "=="),
    (r"\b(?:different from|other than) {n}\b", "!="),
)
_IN_WORDS: Mapping[str, str] = {">": "over {n}", "<": "under {n}", "==": "exactly {n}"}
_COMPARES: Mapping[str, re.Pattern[str]] = {
    ">": re.compile(r"\b(?:over|more|above|exceed(?:s|ed)?|greater|longer|higher|older)\b", re.I),
    "<": re.compile(r"\b(?:under|fewer|less|below|shorter|lower|younger)\b", re.I),
    "==": re.compile(""),
}
# "No more than 14" compares and "at no charge" means free: neither denies what is asked.
_HARMLESS_NO = re.compile(r"\bno (?:more|less|fewer|later|sooner|longer than|charge|cost)\b")
_OPENERS = ("is it false that", "is it untrue that", "is it wrong that")


def problems(form: str, original: str, rewritten: str) -> list[str]:
    """What is wrong with a rewrite under the rule of its form; nothing where all is well.

    Args:
        form: one of `REWRITES`.
        original: the question that was rewritten.
        rewritten: what came of it.
    """
    choose("form", form, REWRITES)
    found = shape_problems(rewritten)
    if found:
        return found
    if _words(rewritten) == _words(original):
        return ["says the same words as the original"]
    step = 1 if form == "contradictory" else 0
    return [*_number_problems(original, rewritten, step), *_RULES[form](original, rewritten)]


def in_words(op: str, n: float) -> str:
    """What a question is to ask about a number: "over 14"."""
    return _IN_WORDS[op].format(n=f"{n:g}")


def comparison_asked(question: str, n: float) -> str:
    """The operator that a question puts between a number and n; empty where none is recognised."""
    number = re.escape(f"{n:g}")
    fits = (op for shape, op in _COMPARISONS if re.search(shape.format(n=number), question))
    return next(fits, "")


def comparison_problems(form: str, original: str, asked: str, op: str, n: float) -> list[str]:
    """What is wrong with how a wording compares with n, where that can be recognised.

    Args:
        form: one of `WORDINGS`.
        original: the question as it is.
        asked: the wording.
        op: how the original compares.
        n: the number it compares with.
    """
    found = comparison_asked(asked, n)
    # A frame or a negation turns the answer by itself: the clause then compares as before.
    denied = asked.startswith(FALSE_FRAME) or _negations(asked) % 2 != _negations(original) % 2
    turned = FORMS[form].flips and not denied
    numbers = (n - 1, n, n + 1)
    if found and any((OPERATORS[found](x, n) is OPERATORS[op](x, n)) is turned for x in numbers):
        return [f"asks whether the number is {found} {n:g}"]
    return []


def conversion_problems(question: str, op: str, n: float) -> list[str]:
    """What is wrong with a yes/no question about a number.

    Args:
        question: the question.
        op: what it is to ask: ">" (over n), "<" (under n) or "==" (exactly n).
        n: the number it is to ask about.
    """
    found = shape_problems(question)
    if found:
        return found
    if question.casefold().startswith(("how many", "what", "which")):
        return ["is not a yes/no question"]
    if n not in _numbers(question):
        found.append(f"does not name {n:g} in digits")
    if not _COMPARES[op].search(question):
        found.append(f"does not ask for {in_words(op, n)}")
    if op == "==" and (_COMPARES[">"].search(question) or _COMPARES["<"].search(question)):
        found.append("compares, where it should name a number")
    if _negations(question):
        found.append("has a negation")
    return found


def shape_problems(question: str) -> list[str]:
    """What keeps a text from being one question on one line."""
    text = question.strip()
    if not text:
        return ["is empty"]
    if len(text) > MAX_QUESTION:
        return [f"is longer than {MAX_QUESTION} characters"]
    found = []
    if "\n" in text:
        found.append("has more than one line")
    if not text.endswith("?"):
        found.append("does not end with a question mark")
    if "?" in text[:-1].replace('?"', ""):
        found.append("asks more than one question")
    if not text[0].isupper() and not text[0].isdigit() and text[0] not in "\"'":
        found.append("does not begin with a capital letter")
    return found


def _synonym(original: str, rewritten: str) -> list[str]:
    found = _polarity_problems(original, rewritten)
    if _is_hedged(rewritten) and not _is_hedged(original):
        found.append("hedges, where it should replace words")
    return found


def _hedged(original: str, rewritten: str) -> list[str]:
    found = _polarity_problems(original, rewritten)
    if not _is_hedged(rewritten):
        found.append("has no polite or tentative words")
    return found


def _contradictory(original: str, rewritten: str) -> list[str]:
    found = []
    if rewritten.casefold().startswith(_OPENERS):
        found.append("uses the false framing, where it should ask for the opposite")
    if _is_hedged(rewritten) and not _is_hedged(original):
        found.append("hedges, where it should ask for the opposite")
    return found


def _false_framing(original: str, rewritten: str) -> list[str]:
    if not rewritten.startswith(FALSE_FRAME):
        return [f"does not begin with {FALSE_FRAME.strip()!r}"]
    clause = rewritten[len(FALSE_FRAME) :]
    if _negations(clause) != _negations(original):
        return ["denies the clause itself, where only the frame should"]
    kept = _stems(original) & _stems(clause)
    if 2 * len(kept) < len(_stems(original)):
        return ["keeps fewer than half of the original's words"]
    return []


_RULES: Mapping[str, Callable[[str, str], list[str]]] = {
    "synonym": _synonym,
    "hedged": _hedged,
    "contradictory": _contradictory,
    "false_framing": _false_framing,
}


def _polarity_problems(original: str, rewritten: str) -> list[str]:
    if _negations(original) % 2 != _negations(rewritten) % 2:
        return ["adds or drops a negation"]
    return []


def _number_problems(original: str, rewritten: str, step: float) -> list[str]:
    """Numbers must survive, to within `step`: "more than 14" contradicts "fewer than 15" too."""
    before, after = sorted(_numbers(original)), sorted(_numbers(rewritten))
    if len(before) != len(after):
        return ["adds or drops a number"]
    if any(abs(a - b) > step for a, b in zip(before, after, strict=True)):
        return ["changes a number"]
    return []


def _numbers(text: str) -> list[float]:
    return [float(n.replace(",", "")) for n in _NUMBER.findall(text) if n.count(".") < 2]


def _words(text: str) -> list[str]:
    return [w.strip("'") for w in _WORD.findall(text.casefold()) if w.strip("'")]


def _stems(text: str) -> set[str]:
    """Beginnings of words: "sailed" and "sails" are one word here."""
    return {w[:4] for w in _words(text)}


def _negations(text: str) -> int:
    words = _words(_HARMLESS_NO.sub(" ", text.replace("\u2019", "'").casefold()))
    return sum(w in _NEGATION or w.endswith("n't") for w in words)


def _is_hedged(text: str) -> bool:
    return _HEDGES.search(text) is not None
