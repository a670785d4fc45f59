"""Drafting theories for the logic generator.

A draft has three people and, over predicates of their own, three chains of rules: one leads the
first person to the claim, one of the same shape leads the second to its negation, and a dead end
leads the third to neither. Because both outcomes are written into every draft, which of them
holds for the person asked about depends only on how its parts are joined.

A draft's parts can be joined anew without changing a word of it. Each rearrangement exchanges
names between facts, or fillings between sentences of the same form, so the words on the page (and
the words around each blank) stay the same while what follows may change. They are the gaps people
fall for: the fact is about someone else, a link leads elsewhere, a condition is not met, a rule is
read backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Literal as OneOf

from askew.papers.instruction_boundary.logic.wording import (
    ADJECTIVES,
    FRAMES,
    KINDS,
    NAMES,
    Frame,
    Literal,
    Premise,
    is_kind,
)

# How often one level of the chains speaks of a named person instead of everyone.
_NAMED_LEVEL = 0.12
# How often a rule takes the form of an earlier one of its shape (exchanges need such pairs).
_SAME_FORM = 0.6
# How often a rule that may be turned round takes a form that reads the same both ways.
_TURNING_FORM = 0.6
# How many levels of a chain that needs contraposition need it, at most.
_MOST_TURNED = 3
# How often a dead-end rule goes on from the one before, instead of branching off elsewhere.
_LONGER_DEAD_END = 0.7


# What a proof takes beside rules read from their conditions to their outcome.
Reasoning = OneOf["forward", "contraposition", "cases"]


Premises = tuple[Premise, ...]


def words_of(premises: Premises) -> list[str]:
    """The words on the page, their commas and full stops attached, in alphabetical order.

    Equal for premises that differ only in how they are joined, however a reader tells words apart.
    """
    return sorted(" ".join(premise.text for premise in premises).split())


@dataclass(frozen=True, slots=True)
class Shape:
    """What one draft should look like."""

    depth: int
    widths: tuple[int, ...]  # of the levels of a chain; one that goes by cases counts twice
    dead_end: int
    negation: float
    reasoning: Reasoning = "forward"
    idle: int = 0  # further facts about each person; none: one each, in every other draft


@dataclass(frozen=True, slots=True)
class Draft:
    """Premises from which the claim follows, and the people in them."""

    premises: Premises
    claim: Literal
    opposed: str  # the person of whom the claim's negation follows
    bystander: str  # the person on the dead end
    shape: Shape

    @property
    def reversed(self) -> Premises:
        """The same words with the first two people exchanged: the claim is now false."""
        return renamed(self.premises, str(self.claim.subject), self.opposed)


class _Drafting:
    """One draft in the making: the words left, and the forms used so far."""

    def __init__(self, shape: Shape, rng: Random) -> None:
        self.shape, self.rng = shape, rng
        self.levels = len(shape.widths)
        self.named = [rng.random() < _NAMED_LEVEL for _ in range(self.levels)]
        self._words = _vocabulary(shape, rng)
        self._forms: dict[tuple[object, ...], Frame] = {}
        self.premises: list[Premise] = []
        # Levels that go another way than forwards; the chains share them.
        self.turned: list[int] = []
        if shape.reasoning != "forward":
            most = 1 if shape.reasoning == "cases" else min(_MOST_TURNED, self.levels)
            self.turned = rng.sample(range(self.levels), rng.randint(1, most))

    def literal(self, subject: str | None = None) -> Literal:
        """A new property, negative as often as the shape says."""
        return Literal(next(self._words), subject, self.rng.random() >= self.shape.negation)

    def add_rule(self, body: list[Literal], head: Literal) -> None:
        """A rule in a form that fits it."""
        self.rng.shuffle(body)
        profile = [(is_kind(lit), lit.positive) for lit in (*body, head)]
        key = (head.subject is None, *sorted(profile[:-1]), profile[-1])
        if key not in self._forms or self.rng.random() >= _SAME_FORM:
            fitting = [frame for frame in FRAMES if frame.fits(body, head)]
            turning = [frame for frame in fitting if frame.turns]
            prefer = turning and self.rng.random() < _TURNING_FORM
            self._forms[key] = self.rng.choice(turning if prefer else fitting)
        self.premises.append(Premise(head, tuple(body), self._forms[key]))

    def add_cases(self, body: list[Literal], head: Literal) -> None:
        """Whatever meets the body has one of two properties, and either leads to the head."""
        one, other = self.literal().about(head.subject), self.literal().about(head.subject)
        self.add_rule([*body, one.negated()], other)
        self.add_rule([one], head)
        self.add_rule([other], head)

    def add_fact(self, subject: str, literal: Literal) -> None:
        self.premises.append(Premise(literal.about(subject)))

    def add_chain(self, subject: str, goal: Literal) -> None:
        """Facts about the subject and rules that lead from them to the goal."""
        step = self.literal()
        self.add_fact(subject, step)
        for level, width in enumerate(self.shape.widths):
            speaks_of = subject if self.named[level] else None
            conditions = [self.literal() for _ in range(width - 1)]
            for condition in conditions:
                self.add_fact(subject, condition)
            body = [literal.about(speaks_of) for literal in (step, *conditions)]
            before, step = body[0], goal if level == self.levels - 1 else self.literal()
            head = step.about(speaks_of)
            if level not in self.turned:
                self.add_rule(body, head)
            elif self.shape.reasoning == "cases":
                self.add_cases(body, head)
            else:
                self.add_rule([*body[1:], head.negated()], before.negated())

    def add_dead_end(self, subject: str) -> None:
        """Rules that start from the subject's facts, and as many facts as the others have."""
        elsewhere = [lit.about(None) for p in self.premises for lit in p.body]
        spare = self.rng.sample(elsewhere, len(elsewhere))
        step = self.literal()
        self.add_fact(subject, step)
        facts_left = sum(self.shape.widths) - self.levels
        for rule in range(self.shape.dead_end):
            if rule and self.rng.random() >= _LONGER_DEAD_END:
                step = self.rng.choice(elsewhere)
            body = [step]
            if facts_left and self.rng.random() < 0.5:
                body.append(self.literal())
                self.add_fact(subject, body[-1])
                facts_left -= 1
            step = self.literal()
            self.add_rule(body, step)
        distinct = {literal.predicate: literal for literal in reversed(spare)}
        for literal in [*distinct.values()][:facts_left]:
            self.add_fact(subject, literal)

    def add_idle_facts(self, people: tuple[str, ...]) -> None:
        """One fact each, about properties that the rules speak of."""
        known = {(p.head.subject, p.head.predicate) for p in self.premises if not p.body}
        spoken_of = [lit.about(None) for p in self.premises for lit in (*p.body, p.head) if p.body]
        for person in people:
            literal = self.rng.choice(spoken_of)
            if (person, literal.predicate) not in known:
                self.add_fact(person, literal)


def draft(shape: Shape, rng: Random) -> Draft:
    """A theory of the given shape, with the claim that it settles."""
    asked, opposed, bystander = rng.sample(NAMES, 3)
    making = _Drafting(shape, rng)
    claim = Literal(making.literal().predicate, None, rng.random() < 0.5)
    making.add_chain(asked, claim)
    making.add_chain(opposed, claim.negated())
    making.add_dead_end(bystander)
    if shape.idle or rng.random() < 0.5:
        for _ in range(shape.idle or 1):
            making.add_idle_facts((asked, opposed, bystander))
    return Draft(tuple(making.premises), claim.about(asked), opposed, bystander, shape)


def words_needed(shape: Shape) -> int:
    """How many predicates a draft of this shape can use at most."""
    return 2 + 2 * sum(shape.widths) + 2 * shape.dead_end + 4 * (shape.reasoning == "cases")


def _vocabulary(shape: Shape, rng: Random) -> Iterator[str]:
    """Adjectives alone, kinds alone or both, shuffled."""
    pools = [pool for pool in (ADJECTIVES, KINDS) if len(pool) >= words_needed(shape)]
    words = list(rng.choice([*pools, ADJECTIVES + KINDS, ADJECTIVES + KINDS]))
    rng.shuffle(words)
    return iter(words)


def renamed(premises: Premises, one: str, other: str, facts_only: bool = False) -> Premises:
    """Two people exchanged, in every premise or in the facts alone."""
    swap: Mapping[str | None, str] = {one: other, other: one}

    def rename(literal: Literal) -> Literal:
        return literal.about(swap.get(literal.subject, literal.subject))

    return tuple(
        p if facts_only and p.body else Premise(rename(p.head), tuple(map(rename, p.body)), p.frame)
        for p in premises
    )


# Takes a draft and premises in its words; returns them joined anew, or None where the premises
# offer no place for it. What then follows is for the prover to say.
Rearrangement = Callable[[Draft, Premises, Random], Premises | None]


def other_person(plan: Draft, premises: Premises, rng: Random) -> Premises | None:
    """The person asked about and the bystander exchange their facts."""
    return renamed(premises, str(plan.claim.subject), plan.bystander, facts_only=True)


def other_fact(plan: Draft, premises: Premises, rng: Random) -> Premises | None:
    """The person asked about and someone else exchange one fact."""
    facts = [i for i, p in enumerate(premises) if not p.body]
    mine = [i for i in facts if premises[i].head.subject == plan.claim.subject]
    if len(mine) < 2:
        return None  # it would be all that is known of them: `other_person` does that
    places = rng.choice(mine), rng.choice([i for i in facts if i not in mine])
    return _exchanged(premises, *places, lambda p, q: Premise(p.head.about(q.head.subject)))


def other_outcome(plan: Draft, premises: Premises, rng: Random) -> Premises | None:
    """Two rules of the same form exchange their heads."""
    return (pair := _same_form(premises, rng)) and _exchanged(
        premises, *pair, lambda p, q: p._replace(head=q.head.about(p.head.subject))
    )


def other_condition(plan: Draft, premises: Premises, rng: Random) -> Premises | None:
    """Two rules of the same form exchange one of their conditions."""
    if (pair := _same_form(premises, rng, conditions=2)) is None:
        return None
    at = rng.randrange(min(len(premises[i].body) for i in pair))

    def with_condition_of(p: Premise, q: Premise) -> Premise:
        condition = q.body[at].about(p.head.subject)
        return p._replace(body=(*p.body[:at], condition, *p.body[at + 1 :]))

    return _exchanged(premises, *pair, with_condition_of)


def other_direction(plan: Draft, premises: Premises, rng: Random) -> Premises | None:
    """A rule with one condition is turned round, if its form reads the same both ways."""
    # Both outcomes stay written into the premises: a claim no rule leads to would give itself away.
    places = [
        place
        for place, (head, body, frame) in enumerate(premises)
        if frame and frame.turns and is_kind(body[0]) == is_kind(head)
        if head.predicate != plan.claim.predicate
    ]
    if not places:
        return None
    place = rng.choice(places)
    return _exchanged(premises, place, place, lambda p, _: Premise(p.body[0], (p.head,), p.frame))


REARRANGEMENTS: tuple[Rearrangement, ...] = (
    *(other_person, other_fact, other_outcome, other_condition, other_direction),
)


def _same_form(premises: Premises, rng: Random, conditions: int = 1) -> tuple[int, int] | None:
    """The places of two rules of one form, with so many conditions or more."""
    rules = [i for i, p in enumerate(premises) if len(p.body) >= conditions]
    pairs = [(i, j) for i, j in combinations(rules, 2) if premises[i].frame is premises[j].frame]
    return rng.choice(pairs) if pairs else None


def _exchanged(
    premises: Premises, i: int, j: int, merge: Callable[[Premise, Premise], Premise]
) -> Premises:
    changed = list(premises)
    changed[i], changed[j] = merge(premises[i], premises[j]), merge(premises[j], premises[i])
    return tuple(changed)
