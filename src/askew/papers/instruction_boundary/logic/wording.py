"""The sentences of the logic generator.

Every form states one rule exactly, without "not all", without bare plurals and without a negation
whose scope could be read two ways.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from askew.files import toml_of
from askew.papers.instruction_boundary.logic.prover import Literal

_WORDS = toml_of(__package__, "words.toml")
NAMES, KINDS, ADJECTIVES = (tuple(_WORDS[k].split()) for k in ("names", "kinds", "adjectives"))
_NOUNS = frozenset(KINDS)
Body = Sequence[Literal]


def is_kind(literal: Literal) -> bool:
    """Whether the predicate is a kind (a noun), not a quality (an adjective)."""
    return literal.predicate in _NOUNS


def fact_sentence(fact: Literal) -> str:
    """A fact, or the conclusion, in words."""
    return f"{fact.subject} is {_signed(fact, _singular)}."


def _singular(literal: Literal) -> str:
    """With the article of a noun; no word here starts with a vowel letter that sounds otherwise."""
    word = literal.predicate
    article = "an" if word[0] in "aeiou" else "a"
    return f"{article} {word}" if is_kind(literal) else word


def _plural(literal: Literal) -> str:
    return f"{literal.predicate}s" if is_kind(literal) else literal.predicate


def _signed(literal: Literal, form: Callable[[Literal], str]) -> str:
    return form(literal) if literal.positive else f"not {form(literal)}"


def _conjoined(body: Body, form: Callable[[Literal], str], verb: str) -> str:
    """Conditions as one phrase, negated ones last, so that no "not" can reach over an "and"."""
    ordered = sorted(body, key=lambda literal: (not literal.positive, not is_kind(literal)))
    phrases = [_signed(literal, form) for literal in ordered]
    if len({is_kind(literal) for literal in body}) > 1:
        phrases[1:] = [f"{verb} {phrase}" for phrase in phrases[1:]]
    *first, last = phrases
    return f"{', '.join(first)} and {last}" if first else last


_BLANKS: Mapping[str, Callable[[Body, Literal], str | None]] = {
    "is": lambda body, head: _conjoined(body, _singular, "is"),
    "they_are": lambda body, head: _conjoined(body, _singular, "are"),
    "those_are": lambda body, head: _conjoined(body, _plural, "are"),
    # Adjectives before the kind or, where there is none, before what the form itself names.
    "one": lambda body, head: " ".join(lit.predicate for lit in sorted(body, key=is_kind)),
    "all": lambda body, head: " ".join(_plural(lit) for lit in sorted(body, key=is_kind)),
    "name": lambda body, head: head.subject,
    "head": lambda body, head: _signed(head, _singular),
    "heads": lambda body, head: _signed(head, _plural),
    # Without its "not", which the form's own "no" already says.
    "denied": lambda body, head: _singular(head),
}


def _only_positive(body: Body) -> bool:
    return all(literal.positive for literal in body)


_NEEDS: Mapping[str, Callable[[Body, Literal], bool]] = {
    "positive head": lambda body, head: head.positive,
    "negative head": lambda body, head: not head.positive and _only_positive(body),
    "both positive": lambda body, head: len(body) == 1 and head.positive and _only_positive(body),
    "both negative": lambda body, head: (
        len(body) == 1 and not head.positive and not body[0].positive
    ),
    # At most one adjective and exactly one kind, all positive: "tall tovik".
    "kind": lambda body, head: (
        len(body) <= 2 and sum(map(is_kind, body)) == 1 and _only_positive(body)
    ),
    "quality": lambda body, head: len(body) == 1 and body[0].positive and not is_kind(body[0]),
}


@dataclass(frozen=True, slots=True)
class Frame:
    """A sentence form for a rule: its words with blanks, and what a rule must be to fit it."""

    template: str
    needs: tuple[str, ...] = ()

    @property
    def turns(self) -> bool:
        """Whether condition and outcome stand alike: neither of them beside a comma or stop."""
        return "both positive" in self.needs or "both negative" in self.needs

    def fits(self, body: Body, head: Literal) -> bool:
        """Whether the form can state this rule."""
        about_one = head.subject is not None
        return about_one == ("{name}" in self.template) and all(
            _NEEDS[need](body, head) for need in self.needs
        )

    def sentence(self, body: Body, head: Literal) -> str:
        return _BLANK.sub(lambda blank: str(_BLANKS[blank[1]](body, head)), self.template)


_BLANK = re.compile(r"\{(\w+)\}")
FRAMES = tuple(Frame(template, tuple(needs)) for template, *needs in _WORDS["frames"])
