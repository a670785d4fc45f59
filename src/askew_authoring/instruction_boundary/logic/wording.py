"""The sentences of the logic generator.

Every form states one rule exactly, without "not all", without bare plurals and without a negation
whose scope could be read two ways.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from askew.files import toml_of

_WORDS = toml_of(__package__, "words.toml")
NAMES, KINDS, ADJECTIVES = (tuple(_WORDS[k].split()) for k in ("names", "kinds", "adjectives"))
_NOUNS = frozenset(KINDS)
_BLANK = re.compile(r"\{(\w+)\}")


class Literal(NamedTuple):
    """A predicate that a subject has or, if not `positive`, lacks; no subject: the variable."""

    predicate: str
    subject: str | None
    positive: bool = True

    @property
    def is_kind(self) -> bool:
        """Whether the predicate is a kind (a noun), not a quality (an adjective)."""
        return self.predicate in _NOUNS

    def negated(self) -> Literal:
        return Literal(self.predicate, self.subject, not self.positive)

    def about(self, subject: str | None) -> Literal:
        """The same property, of another subject."""
        same = subject == self.subject
        return self if same else Literal(self.predicate, subject, self.positive)

    def said(self, many: bool = False) -> str:
        """What somebody is, or what people are."""
        one = _with_article(self.predicate) if self.is_kind else self.predicate
        return self.predicate + "s" * self.is_kind if many else one

    def signed(self, many: bool = False) -> str:
        return "not " * (not self.positive) + self.said(many)


Body = Sequence[Literal]


def _with_article(phrase: str) -> str:
    """No word here starts with a vowel letter that sounds otherwise, or with a silent "h"."""
    return f"{'an' if phrase[0] in 'aeiou' else 'a'} {phrase}"


def _join(phrases: Sequence[str]) -> str:
    *first, last = phrases
    return f"{', '.join(first)} and {last}" if first else last


def _affirm(body: Body, many: bool) -> str:
    """What somebody is: qualities before the first kind, "a shy and famous tovik and a loskin".

    People are all of it together: "those who are toviks and loskins" may be either.
    """
    qualities = [literal.predicate for literal in body if not literal.is_kind]
    kinds = [literal for literal in body if literal.is_kind]
    phrases = [literal.said(many) for literal in body]
    if qualities and kinds:
        whole = f"{_join(qualities)} {kinds[0].predicate}"
        others = (literal.said(many) for literal in kinds[1:])
        phrases = [f"{whole}s" if many else _with_article(whole), *others]
    together = {2: "both ", 3: "at once "}.get(len(kinds), "") if many else ""
    return together + _join(phrases)


def _conjoin(body: Body, many: bool = False) -> str:
    """Conditions as one phrase, negated ones last, so that no "not" can reach over an "and".

    Each "not" or "nor" has one thing to deny.
    """
    yes = [literal for literal in body if literal.positive]
    no = [lit.said(many) for lit in _qualities_first(body) if not lit.positive]
    denied = f"not {no[0]}" if len(no) == 1 else f"neither {' nor '.join(no)}"
    return " but ".join([_affirm(yes, many) for _ in yes[:1]] + [denied for _ in no[:1]])


def _qualities_first(body: Body) -> list[Literal]:
    return sorted(body, key=lambda literal: literal.is_kind)


_BLANKS: Mapping[str, Callable[[Body, Literal], str | None]] = {
    "is": lambda body, head: _conjoin(body),
    "those_are": lambda body, head: _conjoin(body, many=True),
    # Adjectives before the kind or, where there is none, before what the form itself names.
    "one": lambda body, head: " ".join(lit.predicate for lit in _qualities_first(body)),
    "all": lambda body, head: " ".join(lit.said(many=True) for lit in _qualities_first(body)),
    "name": lambda body, head: head.subject,
    "head": lambda body, head: head.signed(),
    "heads": lambda body, head: head.signed(many=True),
    # Without its "not", which the form's own "no" already says.
    "denied": lambda body, head: head.said(),
}
_NEEDS: Mapping[str, Callable[[Body, Literal], bool]] = {
    "positive head": lambda body, head: head.positive,
    "negative head": lambda body, head: not head.positive and all(lit.positive for lit in body),
    "both positive": lambda body, head: len(body) == 1 and head.positive and body[0].positive,
    "both negative": lambda body, head: len(body) == 1 and not (head.positive or body[0].positive),
    # "No tovik is" and "all toviks are" say the rest shorter.
    "beyond a kind": lambda body, head: (
        len(body) > 1 or not body[0].positive or not body[0].is_kind
    ),
    # At most one adjective and exactly one kind, all positive: "tall tovik".
    "kind": lambda body, head: (
        len(body) <= 2 and sum(b.is_kind for b in body) == 1 and all(b.positive for b in body)
    ),
    "quality": lambda body, head: len(body) == 1 and body[0].positive and not body[0].is_kind,
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


FRAMES = tuple(Frame(template, tuple(needs)) for template, *needs in _WORDS["frames"])
_FITTING: dict[tuple[object, ...], list[Frame]] = {}


def fitting(body: Body, head: Literal) -> list[Frame]:
    """The forms that can state a rule: what it is about doesn't matter, so they are kept."""
    profile = ((literal.is_kind, literal.positive) for literal in (*body, head))
    key = (head.subject is None, *profile)
    if key not in _FITTING:
        _FITTING[key] = [frame for frame in FRAMES if frame.fits(body, head)]
    return _FITTING[key]


class Premise(NamedTuple):
    """A sentence with its meaning: a fact or, with a body, a rule in one form.

    Whatever meets every literal of a rule's body meets its head; all are about one subject.
    """

    head: Literal
    body: tuple[Literal, ...] = ()
    frame: Frame | None = None

    @property
    def text(self) -> str:
        return _text(self)

    @property
    def makes_sense(self) -> bool:
        """Whether an exchange left nouns where the form needs them, and no condition twice."""
        once = len(set(self.body)) == len(self.body)
        return self.frame is None or (once and self.frame.fits(self.body, self.head))


# A draft's premises are told again and again while its parts change places.
@lru_cache(maxsize=4_096)
def _text(premise: Premise) -> str:
    head, body, frame = premise
    if not frame:
        return f"{head.subject} is {head.signed()}."
    return _BLANK.sub(lambda blank: str(_BLANKS[blank[1]](body, head)), frame.template)
