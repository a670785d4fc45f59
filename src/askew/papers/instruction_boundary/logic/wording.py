"""The words and sentence forms of the logic generator: an invented town's people.

Names and kinds are invented, so nothing is known of them beforehand; the adjectives are everyday
ones, chosen so that none implies or excludes another. Every form states one rule exactly, without
"not all", without bare plurals and without a negation whose scope could be read two ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from askew.papers.instruction_boundary.logic.prover import Literal


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NAMES: tuple[str, ...] = _words(
    "Tarvin Melka Brisal Corvan Dellin Eskar Fendra Gorvel Hesmin Ildra Jorvan Kelsor Lumera "
    "Mirvo Nasket Orvell Pellora Quendo Rasmel Selvin Tolira Ulvane Vessa Wendrik Yarrin Zelmo "
    "Ashkel Borlen Cadmira Dorvin Elsor Fargil Halvo Ismel Jendra Kandor Lorvik Mondra Nivella "
    "Ostrik Pravo Rundel Sarvel Tamsor Uldin Vorla Wisko Zorrin"
)
KINDS: tuple[str, ...] = _words(
    "tovik marrel plinder gosket wembler zubbin lonket crovit hestin narbit snorvel pemmick "
    "drummel quenner yorrel brasket fennock jolbin kestin vollet grindol thrammer skellin "
    "dorvat murbick tindrel plocket rasnick vibbet corlet zandel hulbet belquin trossick "
    "glimmet farrin wrendle jarnock loskin podrel nemblet squimmer ambrick elvit ostrel irrin "
    "ettock olvane"
)
ADJECTIVES: tuple[str, ...] = _words(
    "patient freckled bilingual punctual hungry barefoot tall witty frugal shy curious stubborn "
    "musical bearded sunburnt superstitious ticklish clumsy famous athletic generous sleepy tidy "
    "married bald honest forgetful hoarse wealthy vegetarian nervous polite thirsty grumpy "
    "nostalgic ambitious lonely feverish loyal sceptical jealous seasick retired inventive bookish "
    "observant fashionable sarcastic"
)
_KINDS = frozenset(KINDS)


def is_kind(literal: Literal) -> bool:
    """Whether the predicate is a kind (a noun), not a quality (an adjective)."""
    return literal.predicate in _KINDS


def article(word: str) -> str:
    """The indefinite article; no word here starts with a vowel letter that sounds otherwise."""
    return "an" if word[0] in "aeiou" else "a"


def _singular(literal: Literal) -> str:
    word = literal.predicate
    return f"{article(word)} {word}" if is_kind(literal) else word


def _plural(literal: Literal) -> str:
    return f"{literal.predicate}s" if is_kind(literal) else literal.predicate


def _signed(literal: Literal, phrase: str) -> str:
    return phrase if literal.positive else f"not {phrase}"


def _conjoined(body: Sequence[Literal], form: Callable[[Literal], str], verb: str) -> str:
    """Conditions as one phrase, negated ones last, so that no "not" can reach over an "and"."""
    ordered = sorted(body, key=lambda literal: (not literal.positive, not is_kind(literal)))
    mixed = len({is_kind(literal) for literal in body}) > 1
    phrases = [_signed(literal, form(literal)) for literal in ordered]
    if mixed:
        phrases[1:] = [f"{verb} {phrase}" for phrase in phrases[1:]]
    *first, last = phrases
    return f"{', '.join(first)} and {last}" if first else last


def _body_is(body: Sequence[Literal]) -> str:
    return _conjoined(body, _singular, "is")


def _body_they(body: Sequence[Literal]) -> str:
    return _conjoined(body, _singular, "are")


def _body_those(body: Sequence[Literal]) -> str:
    return _conjoined(body, _plural, "are")


def _body_attributive(body: Sequence[Literal]) -> str:
    """Adjectives before the kind or, where there is none, before what the form itself names."""
    return " ".join(lit.predicate for lit in sorted(body, key=is_kind))


def _body_attributive_plural(body: Sequence[Literal]) -> str:
    return " ".join(_plural(literal) for literal in sorted(body, key=is_kind))


def _head(head: Literal) -> str:
    return _signed(head, _singular(head))


def _head_plural(head: Literal) -> str:
    return _signed(head, _plural(head))


def _any(body: Sequence[Literal], head: Literal) -> bool:
    return True


def _positive_head(body: Sequence[Literal], head: Literal) -> bool:
    return head.positive


def _excluding(body: Sequence[Literal], head: Literal) -> bool:
    return not head.positive and all(literal.positive for literal in body)


def _both_positive(body: Sequence[Literal], head: Literal) -> bool:
    return len(body) == 1 and body[0].positive and head.positive


def _both_negative(body: Sequence[Literal], head: Literal) -> bool:
    return len(body) == 1 and not body[0].positive and not head.positive


def _names_a_kind(body: Sequence[Literal], head: Literal) -> bool:
    """At most one adjective and exactly one kind, all positive: "tall tovik"."""
    kinds = sum(is_kind(literal) for literal in body)
    return len(body) <= 2 and kinds == 1 and all(literal.positive for literal in body)


def _names_a_quality(body: Sequence[Literal], head: Literal) -> bool:
    return len(body) == 1 and body[0].positive and not is_kind(body[0])


@dataclass(frozen=True, slots=True)
class Frame:
    """A sentence form for a rule: where it may be used, and how body and head are put in it."""

    name: str
    template: str
    needs: tuple[Callable[[Sequence[Literal], Literal], bool], ...]
    body: Callable[[Sequence[Literal]], str] = _body_is
    head: Callable[[Literal], str] = _head
    turns: bool = False  # condition and outcome stand alike: neither of them beside a comma or stop

    def fits(self, body: Sequence[Literal], head: Literal) -> bool:
        """Whether the form can state this rule."""
        about_one = head.subject is not None
        return about_one == ("{name}" in self.template) and all(
            need(body, head) for need in self.needs
        )

    def sentence(self, body: Sequence[Literal], head: Literal) -> str:
        return self.template.format(body=self.body(body), head=self.head(head), name=head.subject)


def _head_positive_form(head: Literal) -> str:
    """The head without its "not", which the form's own "no" already says."""
    return _singular(head)


FRAMES: tuple[Frame, ...] = (
    Frame("if", "If someone is {body}, then they are {head}.", (_any,), _body_is),
    Frame("anyone", "Anyone who is {body} is {head}.", (_any,)),
    Frame("person_if", "A person is {head} if they are {body}.", (_any,), _body_they),
    Frame("those", "Those who are {body} are {head}.", (_any,), _body_those, _head_plural),
    Frame("everyone", "Everyone who is {body} is {head}.", (_positive_head,)),
    Frame(
        "no_one",
        "No one who is {body} is {head}.",
        (_excluding,),
        _body_is,
        _head_positive_form,
    ),
    Frame("every", "Every {body} is {head}.", (_names_a_kind, _positive_head), _body_attributive),
    Frame(
        "all",
        "All {body} are {head}.",
        (_names_a_kind, _positive_head),
        _body_attributive_plural,
        _head_plural,
    ),
    Frame(
        "no",
        "No {body} is {head}.",
        (_names_a_kind, _excluding),
        _body_attributive,
        _head_positive_form,
    ),
    Frame(
        "every_person",
        "Every {body} person is {head}.",
        (_names_a_quality, _positive_head),
        _body_attributive,
    ),
    Frame(
        "all_people",
        "All {body} people are {head}.",
        (_names_a_quality, _positive_head),
        _body_attributive,
        _head_plural,
    ),
    Frame(
        "no_person",
        "No {body} person is {head}.",
        (_names_a_quality, _excluding),
        _body_attributive,
        _head_positive_form,
    ),
    Frame(
        "everyone_too", "Everyone who is {body} is {head} as well.", (_both_positive,), turns=True
    ),
    Frame(
        "every_too",
        "Every {body} is {head} as well.",
        (_names_a_kind, _both_positive),
        _body_attributive,
        turns=True,
    ),
    Frame(
        "all_too",
        "All {body} are {head} as well.",
        (_names_a_kind, _both_positive),
        _body_attributive_plural,
        _head_plural,
        turns=True,
    ),
    Frame("anyone_either", "Anyone who is {body} is {head} either.", (_both_negative,), turns=True),
    Frame(
        "those_either",
        "Those who are {body} are {head} either.",
        (_both_negative,),
        _body_those,
        _head_plural,
        turns=True,
    ),
    Frame("named", "If {name} is {body}, then {name} is {head}.", (_any,)),
    Frame("named_if", "{name} is {head} if {name} is {body}.", (_any,)),
)


def fact_sentence(fact: Literal) -> str:
    """A fact, or the conclusion, in words."""
    return f"{fact.subject} is {_head(fact)}."
