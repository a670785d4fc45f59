"""The rules that a machine can hold the wordings of a yes/no question to: rows of `rules.toml`."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True)
class _Case:
    """A wording, the original that it was made of, or what it is to ask about a number."""

    text: str
    original: str = ""
    op: str = ""
    n: float = 0.0

    def problems(self, rules: str) -> list[str]:
        rows = _RULED["problems"][rules]
        values = {"n": self.n, "wanted": in_words(self.op, self.n) if self.op else ""}
        return [text.format(**values) for check, text in rows if _CHECKS[check](self)]

    @property
    def clause(self) -> str:
        return self.text.removeprefix(FALSE_FRAME)

    @property
    def framed(self) -> bool:
        return self.text.startswith(FALSE_FRAME)

    @property
    def turned(self) -> bool:
        """Whether one of the two has a negation that the other lacks."""
        return _negations(self.original) % 2 != _negations(self.text) % 2

    @property
    def denied(self) -> bool:
        return self.framed and _negations(self.clause) != _negations(self.original)

    def numbers_beyond(self, step: float) -> bool:
        """Whether as many numbers are told, and one differs by more than a step."""
        before, after = sorted(_numbers(self.original)), sorted(_numbers(self.text))
        pairs = zip(before, after, strict=False)
        return len(before) == len(after) and any(abs(a - b) > step for a, b in pairs)

    @property
    def keeps_half(self) -> bool:
        """Beginnings of words are compared: "sailed" and "sails" are one word here."""
        before, after = ({w[:4] for w in _words(text)} for text in (self.original, self.clause))
        return 2 * len(before & after) >= len(before)


_CHECKS: Mapping[str, Callable[[_Case], object]] = {
    "lines": lambda c: "\n" in c.text,
    "no mark": lambda c: not c.text.endswith("?"),
    "two marks": lambda c: "?" in c.text[:-1].replace('?"', ""),
    "small letter": lambda c: (
        not (c.text[0].isupper() or c.text[0].isdigit() or c.text[0] in "\"'")
    ),
    "count": lambda c: len(_numbers(c.original)) != len(_numbers(c.text)),
    "number": lambda c: c.numbers_beyond(0),
    # An opposite may step by one: "more than 14", "fewer than 15".
    "far number": lambda c: c.numbers_beyond(1),
    "polarity": lambda c: c.turned,
    "no hedge": lambda c: not _HEDGES.search(c.text),
    "new hedge": lambda c: _HEDGES.search(c.text) and not _HEDGES.search(c.original),
    "frame": lambda c: c.text.casefold().startswith(_OPENERS),
    "no frame": lambda c: not c.framed,
    "denied": lambda c: c.denied,
    "other words": lambda c: c.framed and not c.denied and not c.keeps_half,
    "no number": lambda c: c.n not in _numbers(c.text),
    "not asked": lambda c: not {">": _MORE, "<": _LESS, "==": _WORD}[c.op].search(c.text),
    "compares": lambda c: c.op == "==" and (_MORE.search(c.text) or _LESS.search(c.text)),
    "negation": lambda c: _negations(c.text),
}


def problems(form: str, original: str, rewritten: str) -> list[str]:
    """What is wrong with a rewrite of the original under the rule of its form."""
    choose("form", form, REWRITES)
    if found := shape_problems(rewritten):
        return found
    if _words(rewritten) == _words(original):
        return ["says the same words as the original"]
    return _Case(rewritten, original).problems(form)


def shape_problems(question: str) -> list[str]:
    """What keeps a text from being one question on one line."""
    text = question.strip()
    if not text:
        return ["is empty"]
    if len(text) > MAX_QUESTION:
        return [f"is longer than {MAX_QUESTION} characters"]
    return _Case(text).problems("shape")


def _numbers(text: str) -> list[float]:
    return [float(n.replace(",", "")) for n in _NUMBER.findall(text) if n.count(".") < 2]


def _words(text: str) -> list[str]:
    return [w.strip("'") for w in _WORD.findall(text.casefold()) if w.strip("'")]


def _negations(text: str) -> int:
    words = _words(_HARMLESS_NO.sub(" ", text.replace("\u2019", "'").casefold()))
    return sum(w in _NEGATIONS or w.endswith("n't") for w in words)


def comparison_operator(question: str, n: float) -> str:
    """The operator that a question puts between a number and n; empty where none is recognised."""
    number = re.escape(f"{n:g}")
    shapes = _RULED["comparisons"].items()
    operators = (op for s, op in shapes if re.search(rf"\b{s.format(n=number)}\b", question))
    return str(next(operators, ""))


def comparison_problems(form: str, original: str, text: str, op: str, n: float) -> list[str]:
    """What is wrong with how a wording compares with n, where that can be recognised; `op` is how
    the original compares."""
    found, case = comparison_operator(text, n), _Case(text, original)
    # A frame or a negation turns the answer by itself: the clause then compares as before.
    turned = FORMS[form].flips and not (case.framed or case.turned)
    numbers = (n - 1, n, n + 1)
    if found and any((OPERATORS[found](x, n) is OPERATORS[op](x, n)) is turned for x in numbers):
        return [f"asks whether the number is {found} {n:g}"]
    return []


def conversion_problems(question: str, op: str, n: float) -> list[str]:
    """What is wrong with a question that is to ask whether a number is over, under or exactly n."""
    if found := shape_problems(question):
        return found
    if question.casefold().startswith(("how many", "what", "which")):
        return ["is not a yes/no question"]
    return _Case(question, op=op, n=n).problems("conversion")


def in_words(op: str, n: float) -> str:
    """What a question is to ask about a number: "over 14"."""
    word = {">": "over", "<": "under", "==": "exactly"}[op]
    return f"{word} {n:g}"
