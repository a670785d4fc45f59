"""The sentences of the logic generator.

Every form states one rule exactly, without "not all", without bare plurals and without a negation
whose scope could be read two ways.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from askew.files import toml_of

_WORDS = toml_of(__package__, "words.toml")
NAMES, KINDS, ADJECTIVES = (tuple(_WORDS[k].split()) for k in ("names", "kinds", "adjectives"))
_NOUNS = frozenset(KINDS)


class Literal(NamedTuple):
    """A predicate that a subject has or, if not `positive`, lacks; no subject: the variable."""

    predicate: str
    subject: str | None
    positive: bool = True

    def negated(self) -> Literal:
        return Literal(self.predicate, self.subject, not self.positive)

    def about(self, subject: str | None) -> Literal:
        """The same property, of another subject."""
        return Literal(self.predicate, subject, self.positive)


Body = Sequence[Literal]
_Form = Callable[[Literal], str]


def is_kind(literal: Literal) -> bool:
    """Whether the predicate is a kind (a noun), not a quality (an adjective)."""
    return literal.predicate in _NOUNS


def fact_sentence(fact: Literal) -> str:
    """A fact, or the conclusion, in words."""
    return f"{fact.subject} is {_signed(fact, _singular)}."


def _singular(literal: Literal) -> str:
    return _with_article(literal.predicate) if is_kind(literal) else literal.predicate


def _with_article(phrase: str) -> str:
    """No word here starts with a vowel letter that sounds otherwise, or with a silent "h"."""
    return f"{'an' if phrase[0] in 'aeiou' else 'a'} {phrase}"


def _plural(literal: Literal) -> str:
    return literal.predicate + "s" * is_kind(literal)


def _signed(literal: Literal, form: _Form) -> str:
    return form(literal) if literal.positive else f"not {form(literal)}"


def _listed(phrases: Sequence[str]) -> str:
    *first, last = phrases
    return f"{', '.join(first)} and {last}" if first else last


def _affirmed(body: Body, form: _Form) -> str:
    """What somebody is: qualities before the first kind, "a shy and famous tovik and a loskin".

    People are all of it together: "those who are toviks and loskins" may be either.
    """
    qualities = [literal.predicate for literal in body if not is_kind(literal)]
    kinds = [literal for literal in body if is_kind(literal)]
    if not (qualities and kinds):
        phrases = [form(literal) for literal in body]
    else:
        first, *others = kinds
        whole = first._replace(predicate=f"{_listed(qualities)} {first.predicate}")
        one = _with_article(whole.predicate) if form is _singular else f"{whole.predicate}s"
        phrases = [one, *map(form, others)]
    together = {2: "both ", 3: "at once "}.get(len(kinds), "") if form is _plural else ""
    return together + _listed(phrases)


def _conjoined(body: Body, form: _Form) -> str:
    """Conditions as one phrase, negated ones last, so that no "not" can reach over an "and".

    Each "not" or "nor" has one thing to deny.
    """
    yes = [literal for literal in body if literal.positive]
    no = [form(literal) for literal in sorted(body, key=is_kind) if not literal.positive]
    denied = f"not {no[0]}" if len(no) == 1 else f"neither {' nor '.join(no)}"
    return " but ".join([_affirmed(yes, form) for _ in yes[:1]] + [denied for _ in no[:1]])


_BLANKS: Mapping[str, Callable[[Body, Literal], str | None]] = {
    "is": lambda body, head: _conjoined(body, _singular),
    "those_are": lambda body, head: _conjoined(body, _plural),
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
    "both positive": lambda body, head: len(body) == 1 and head.positive and body[0].positive,
    "both negative": lambda body, head: len(body) == 1 and not (head.positive or body[0].positive),
    # "No tovik is" and "all toviks are" say the rest shorter.
    "beyond a kind": lambda body, head: (
        len(body) > 1 or not (body[0].positive and is_kind(body[0]))
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


class Premise(NamedTuple):
    """A sentence with its meaning: a fact or, with a body, a rule in one form.

    Whatever meets every literal of a rule's body meets its head; all are about one subject.
    """

    head: Literal
    body: tuple[Literal, ...] = ()
    frame: Frame | None = None

    @property
    def text(self) -> str:
        return self.frame.sentence(self.body, self.head) if self.frame else fact_sentence(self.head)

    @property
    def makes_sense(self) -> bool:
        """Whether an exchange left nouns where the form needs them, and no condition twice."""
        once = len(set(self.body)) == len(self.body)
        return self.frame is None or (once and self.frame.fits(self.body, self.head))
