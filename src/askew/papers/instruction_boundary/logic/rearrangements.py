"""Joining a draft's parts anew without changing a word of it.

Each rearrangement exchanges names between facts, or fillings between sentences of the same form,
so the words on the page (and the words around each blank) stay the same while what follows may
change. They are the gaps people fall for: the fact is about someone else, a link leads elsewhere,
a condition is not met, a rule is read backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from random import Random

from askew.papers.instruction_boundary.logic.theories import Draft, Premise, Premises, renamed
from askew.papers.instruction_boundary.logic.wording import is_kind

# Takes a draft and premises in its words; returns them joined anew, or None where the premises
# offer no place for it. What then follows is for the prover to say.
Rearrangement = Callable[[Draft, Premises, Random], Premises | None]


def other_person(plan: Draft, premises: Premises, rng: Random) -> Premises | None:
    """The person asked about and the bystander exchange their facts."""
    return renamed(premises, str(plan.claim.subject), plan.bystander, facts_only=True)


def other_fact(plan: Draft, premises: Premises, rng: Random) -> Premises | None:
    """The person asked about and someone else exchange one fact."""
    asked = plan.claim.subject
    mine = [i for i, p in enumerate(premises) if p.is_fact and p.head.subject == asked]
    others = [i for i, p in enumerate(premises) if p.is_fact and p.head.subject != asked]
    if len(mine) < 2:
        return None  # it would be all that is known of them: `other_person` does that
    here, there = rng.choice(mine), rng.choice(others)
    return _exchanged(
        premises,
        here,
        there,
        lambda one, other: replace(one, head=one.head.about(other.head.subject)),
    )


def other_outcome(plan: Draft, premises: Premises, rng: Random) -> Premises | None:
    """Two rules of the same form exchange their heads."""
    pair = _same_form(premises, rng, lambda rule: True)
    return pair and _exchanged(
        premises,
        *pair,
        lambda one, other: replace(one, head=other.head.about(one.head.subject)),
    )


def other_condition(plan: Draft, premises: Premises, rng: Random) -> Premises | None:
    """Two rules of the same form exchange one of their conditions."""
    pair = _same_form(premises, rng, lambda rule: len(rule.body) > 1)
    if pair is None:
        return None
    place = rng.randrange(min(len(premises[i].body) for i in pair))

    def with_condition_of(one: Premise, other: Premise) -> Premise:
        body = list(one.body)
        body[place] = other.body[place].about(one.head.subject)
        return replace(one, body=tuple(body))

    return _exchanged(premises, *pair, with_condition_of)


def other_direction(plan: Draft, premises: Premises, rng: Random) -> Premises | None:
    """A rule with one condition is turned round, if its form reads the same both ways."""
    # Both outcomes stay written into the premises: a claim no rule leads to would give itself away.
    claim = plan.claim.predicate
    places = [i for i, p in enumerate(premises) if _can_turn(p) and p.head.predicate != claim]
    if not places:
        return None
    place = rng.choice(places)
    rule = premises[place]
    turned = replace(rule, body=(rule.head,), head=rule.body[0])
    return (*premises[:place], turned, *premises[place + 1 :])


REARRANGEMENTS: Mapping[str, Rearrangement] = {
    "other_person": other_person,
    "other_fact": other_fact,
    "other_outcome": other_outcome,
    "other_condition": other_condition,
    "other_direction": other_direction,
}


def _can_turn(premise: Premise) -> bool:
    if premise.frame is None or not premise.frame.turns:
        return False
    return is_kind(premise.body[0]) == is_kind(premise.head)


def _same_form(
    premises: Premises, rng: Random, wanted: Callable[[Premise], bool]
) -> tuple[int, int] | None:
    rules = [i for i, p in enumerate(premises) if not p.is_fact and wanted(p)]
    pairs = [(i, j) for i, j in combinations(rules, 2) if premises[i].frame is premises[j].frame]
    return rng.choice(pairs) if pairs else None


def _exchanged(
    premises: Premises, i: int, j: int, merge: Callable[[Premise, Premise], Premise]
) -> Premises:
    changed = list(premises)
    changed[i], changed[j] = merge(premises[i], premises[j]), merge(premises[j], premises[i])
    return tuple(changed)
