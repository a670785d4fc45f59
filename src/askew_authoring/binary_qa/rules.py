"""The rules that a machine can hold the wordings of a yes/no question to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from askew.files import toml_of
from askew.papers.binary_qa.items import OPERATORS
from askew.papers.binary_qa.paper import FORMS
from askew.parameters import choose

# The wordings of an item, and those that somebody made of the original.
WORDINGS = tuple(dict.fromkeys(form.question for form in FORMS.values()))
REWRITES = WORDINGS[1:]
_RULED = toml_of(__package__, "rules.toml")
# What the paper asks of every item of some kinds.
ASKED_OF_ALL: Mapping[str, str] = _RULED["asked_of_all"]
FALSE_FRAME = "Is it false that "
MAX_QUESTION = 600

_WORD = re.compile(r"[\w']+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATIONS = frozenset(_RULED["words"]["negations"])
_OPENERS = tuple(_RULED["words"]["openers"])
_HARMLESS_NO, _HEDGES, _MORE, _LESS = (
    re.compile(rf"\b(?:{'|'.join(_RULED['words'][name])})\b", re.IGNORECASE)
    for name in ("harmless_no", "hedges", "more", "less")
)


def problems(form: str, original: str, rewritten: str) -> list[str]:
    """What is wrong with a rewrite of the original under the rule of its form."""
    choose("form", form, REWRITES)
    found = shape_problems(rewritten)
    if found:
        return found
    if _words(rewritten) == _words(original):
        return ["says the same words as the original"]
    return [*_number_problems(form, original, rewritten), *_RULES[form](original, rewritten)]


def shape_problems(question: str) -> list[str]:
    """What keeps a text from being one question on one line."""
    text = question.strip()
    if not text:
        return ["is empty"]
    if len(text) > MAX_QUESTION:
        return [f"is longer than {MAX_QUESTION} characters"]
    begins_well = text[0].isupper() or text[0].isdigit() or text[0] in "\"'"
    wrong = {
        "has more than one line": "\n" in text,
        "does not end with a question mark": not text.endswith("?"),
        "asks more than one question": "?" in text[:-1].replace('?"', ""),
        "does not begin with a capital letter": not begins_well,
    }
    return [problem for problem, so in wrong.items() if so]


def _number_problems(form: str, original: str, rewritten: str) -> Iterator[str]:
    """Numbers must survive; an opposite may step by one: "more than 14", "fewer than 15"."""
    step = 1 if form == "contradictory" else 0
    before, after = sorted(_numbers(original)), sorted(_numbers(rewritten))
    if len(before) != len(after):
        yield "adds or drops a number"
    elif any(abs(a - b) > step for a, b in zip(before, after, strict=True)):
        yield "changes a number"


def _synonym(original: str, rewritten: str) -> Iterator[str]:
    yield from _polarity_problems(original, rewritten)
    if _adds_hedge(original, rewritten):
        yield "hedges, where it should replace words"


def _hedged(original: str, rewritten: str) -> Iterator[str]:
    yield from _polarity_problems(original, rewritten)
    if not _HEDGES.search(rewritten):
        yield "has no polite or tentative words"


def _contradictory(original: str, rewritten: str) -> Iterator[str]:
    if rewritten.casefold().startswith(_OPENERS):
        yield "uses the false framing, where it should ask for the opposite"
    if _adds_hedge(original, rewritten):
        yield "hedges, where it should ask for the opposite"


def _false_framing(original: str, rewritten: str) -> Iterator[str]:
    clause = rewritten.removeprefix(FALSE_FRAME)
    kept = _stems(original) & _stems(clause)
    if clause == rewritten:
        yield f"does not begin with {FALSE_FRAME.strip()!r}"
    elif _negations(clause) != _negations(original):
        yield "denies the clause itself, where only the frame should"
    elif 2 * len(kept) < len(_stems(original)):
        yield "keeps fewer than half of the original's words"


_RULES: Mapping[str, Callable[[str, str], Iterator[str]]] = {
    "synonym": _synonym,
    "hedged": _hedged,
    "contradictory": _contradictory,
    "false_framing": _false_framing,
}


def _polarity_problems(original: str, rewritten: str) -> Iterator[str]:
    if _negations(original) % 2 != _negations(rewritten) % 2:
        yield "adds or drops a negation"


def _adds_hedge(original: str, rewritten: str) -> bool:
    return bool(_HEDGES.search(rewritten)) and not _HEDGES.search(original)


def _numbers(text: str) -> list[float]:
    return [float(n.replace(",", "")) for n in _NUMBER.findall(text) if n.count(".") < 2]


def _words(text: str) -> list[str]:
    return [w.strip("'") for w in _WORD.findall(text.casefold()) if w.strip("'")]


def _stems(text: str) -> set[str]:
    """Beginnings of words: "sailed" and "sails" are one word here."""
    return {w[:4] for w in _words(text)}


def _negations(text: str) -> int:
    words = _words(_HARMLESS_NO.sub(" ", text.replace("\u2019", "'").casefold()))
    return sum(w in _NEGATIONS or w.endswith("n't") for w in words)


def comparison_asked(question: str, n: float) -> str:
    """The operator that a question puts between a number and n; empty where none is recognised."""
    number = re.escape(f"{n:g}")
    for shape, op in _RULED["comparisons"].items():
        if re.search(rf"\b{shape.format(n=number)}\b", question):
            return str(op)
    return ""


def comparison_problems(form: str, original: str, asked: str, op: str, n: float) -> list[str]:
    """What is wrong with how a wording compares with n, where that can be recognised; `op` is how
    the original compares."""
    found = comparison_asked(asked, n)
    # A frame or a negation turns the answer by itself: the clause then compares as before.
    denied = asked.startswith(FALSE_FRAME) or _negations(asked) % 2 != _negations(original) % 2
    turned = FORMS[form].flips and not denied
    numbers = (n - 1, n, n + 1)
    if found and any((OPERATORS[found](x, n) is OPERATORS[op](x, n)) is turned for x in numbers):
        return [f"asks whether the number is {found} {n:g}"]
    return []


def conversion_problems(question: str, op: str, n: float) -> list[str]:
    """What is wrong with a question that is to ask whether a number is over, under or exactly n."""
    found = shape_problems(question)
    if found:
        return found
    if question.casefold().startswith(("how many", "what", "which")):
        return ["is not a yes/no question"]
    more, less = _MORE.search(question), _LESS.search(question)
    asks = {">": more, "<": less, "==": True}[op]
    wrong = {
        f"does not name {n:g} in digits": n not in _numbers(question),
        f"does not ask for {in_words(op, n)}": not asks,
        "compares, where it should name a number": op == "==" and (more or less),
        "has a negation": _negations(question),
    }
    return [problem for problem, so in wrong.items() if so]


def in_words(op: str, n: float) -> str:
    """What a question is to ask about a number: "over 14"."""
    word = {">": "over", "<": "under", "==": "exactly"}[op]
    return f"{word} {n:g}"
