"""Judging items of any number: premises in plain English, a conclusion, a label that is proved.

The items of a group hold the same words, sentence forms, names and conclusion, and differ only in
how the parts are joined; between them they take each label as often as `LABELS` says. So nothing
that can be counted on the page tells the labels apart: only following the rules does. The price:
items of a group are not independent, so the group is the cluster to resample.

A group is made from a draft, of three people and, over predicates of their own, three chains of
rules: one leads the first person to the claim, one of the same shape leads the second to its
negation, and a dead end leads the third to neither. Its parts are joined anew without changing a
word: names are exchanged between facts, or fillings between sentences of the same form. These are
the gaps people fall for: the fact is about someone else, a link leads elsewhere, a condition is not
met, a rule is read backwards.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import combinations
from random import Random
from typing import Literal as OneOf
from typing import TypeVar

from askew.papers.instruction_boundary.questions import BoundaryItem
from askew.parameters import SelectionError, check_int, choose, quote
from askew.sources.loading import CORE, HARD, TIERS
from askew_authoring.drawing import first_fit
from askew_authoring.instruction_boundary.logic.prover import Label, Prover
from askew_authoring.instruction_boundary.logic.wording import (
    ADJECTIVES,
    KINDS,
    NAMES,
    Frame,
    Literal,
    Premise,
    fitting,
)

T = TypeVar("T")

# Those of a group's items: half sparse (unknown), half tense, as the paper's judging sets.
LABELS: tuple[Label, ...] = ("true", "false", "unknown", "unknown")
_MOST_ITEMS = 100_000
_SIZES = re.compile(r"\s*([0-9]{1,4})\s*(?:-\s*([0-9]{1,4})\s*)?")
_DIGITS = 10
_LEAST_BY_CASES = 2
_RANGES = ("depth", "width", "distractors")
_DRAFTS = 500
_TRIES = 4
# A tense item keeps the draft as it was written only half the time: were every tense theory in
# its first state and every unknown one rearranged, tidiness would tell them apart.
_REARRANGED = 0.5
_TWICE = 0.2
_NAMED_LEVEL = 0.12  # how often one level of the chains speaks of a named person, not of everyone
# How often a rule takes the form of an earlier one of its shape (exchanges need such pairs), and
# one that may be turned round a form that reads the same both ways.
_SAME_FORM = _TURNING_FORM = 0.6
_MOST_TURNED = 3  # levels of a chain that need contraposition
_LONGER_DEAD_END = 0.7  # how often its next rule goes on from the one before, not from elsewhere


# --- drafts ---

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

    @property
    def n_words(self) -> int:
        """How many predicates a draft can use at most."""
        return 2 + 2 * sum(self.widths) + 2 * self.dead_end + 4 * (self.reasoning == "cases")


class Draft:
    """A theory of a shape: premises from which the claim follows, and the people in them."""

    def __init__(self, shape: Shape, rng: Random) -> None:
        # Of the second person the claim's negation follows; the third is on the dead end.
        people = rng.sample(NAMES, 3)
        subject, self.opposed, self.bystander = people
        self.shape, self.rng, self.levels = shape, rng, len(shape.widths)
        self._named = [rng.random() < _NAMED_LEVEL for _ in range(self.levels)]
        # Adjectives alone, kinds alone or both, shuffled.
        pools = [pool for pool in (ADJECTIVES, KINDS) if len(pool) >= shape.n_words]
        words = list(rng.choice([*pools, ADJECTIVES + KINDS, ADJECTIVES + KINDS]))
        rng.shuffle(words)
        self._words = iter(words)
        self._forms: dict[tuple[object, ...], Frame] = {}
        # Levels that go another way than forwards; the chains share them.
        self._turned: list[int] = []
        if shape.reasoning != "forward":
            most = 1 if shape.reasoning == "cases" else min(_MOST_TURNED, self.levels)
            self._turned = rng.sample(range(self.levels), rng.randint(1, most))
        self.premises: Premises = ()
        goal = self._literal()._replace(positive=rng.random() < 0.5)
        self.claim = goal.about(subject)
        self._add_chain(subject, goal)
        self._add_chain(self.opposed, goal.negated())
        self._add_dead_end(self.bystander)
        if shape.idle or rng.random() < 0.5:
            for _ in range(shape.idle or 1):
                self._add_idle_facts(people)

    @property
    def reversed(self) -> Premises:
        """The same words with the first two people exchanged: the claim is now false."""
        return swap_people(self.premises, str(self.claim.subject), self.opposed)

    def _literal(self) -> Literal:
        """A new property, negative as often as the shape says."""
        return Literal(next(self._words), None, self.rng.random() >= self.shape.negation)

    def _add_rule(self, body: list[Literal], head: Literal) -> None:
        """A rule in a form that fits it."""
        self.rng.shuffle(body)
        profile = [(lit.is_kind, lit.positive) for lit in (*body, head)]
        key = (head.subject is None, *sorted(profile[:-1]), profile[-1])
        if key not in self._forms or self.rng.random() >= _SAME_FORM:
            forms = fitting(body, head)
            turning = [frame for frame in forms if frame.turns]
            prefer = turning and self.rng.random() < _TURNING_FORM
            self._forms[key] = self.rng.choice(turning if prefer else forms)
        self.premises += (Premise(head, tuple(body), self._forms[key]),)

    def _add_facts(self, subject: str, *literals: Literal) -> None:
        self.premises += tuple(Premise(literal.about(subject)) for literal in literals)

    def _add_chain(self, subject: str, goal: Literal) -> None:
        """Facts about the subject and rules that lead from them to the goal."""
        step = self._literal()
        self._add_facts(subject, step)
        for level, width in enumerate(self.shape.widths):
            speaks_of = subject if self._named[level] else None
            conditions = [self._literal() for _ in range(width - 1)]
            self._add_facts(subject, *conditions)
            body = [literal.about(speaks_of) for literal in (step, *conditions)]
            before, step = body[0], goal if level == self.levels - 1 else self._literal()
            head = step.about(speaks_of)
            if level not in self._turned:
                self._add_rule(body, head)
            elif self.shape.reasoning == "contraposition":
                self._add_rule([*body[1:], head.negated()], before.negated())
            else:
                # Whatever meets the body has one of two properties, and either leads to the head.
                one, other = (self._literal().about(speaks_of) for _ in range(2))
                self._add_rule([*body, one.negated()], other)
                self._add_rule([one], head)
                self._add_rule([other], head)

    def _add_dead_end(self, subject: str) -> None:
        """Rules that start from the subject's facts, and as many facts as the others have."""
        elsewhere = [lit.about(None) for p in self.premises for lit in p.body]
        spare = self.rng.sample(elsewhere, len(elsewhere))
        step = self._literal()
        self._add_facts(subject, step)
        facts_left = sum(self.shape.widths) - self.levels
        for rule in range(self.shape.dead_end):
            if rule and self.rng.random() >= _LONGER_DEAD_END:
                step = self.rng.choice(elsewhere)
            body = [step]
            if facts_left and self.rng.random() < 0.5:
                body.append(self._literal())
                self._add_facts(subject, body[-1])
                facts_left -= 1
            step = self._literal()
            self._add_rule(body, step)
        distinct = {literal.predicate: literal for literal in reversed(spare)}
        self._add_facts(subject, *[*distinct.values()][:facts_left])

    def _add_idle_facts(self, people: Sequence[str]) -> None:
        """One fact each, about properties that the rules speak of."""
        known = {(p.head.subject, p.head.predicate) for p in self.premises if not p.body}
        spoken_of = [lit.about(None) for p in self.premises for lit in (*p.body, p.head) if p.body]
        for person in people:
            literal = self.rng.choice(spoken_of)
            if (person, literal.predicate) not in known:
                self._add_facts(person, literal)


def swap_people(premises: Premises, one: str, other: str, facts_only: bool = False) -> Premises:
    """Two people exchanged, in every premise or in the facts alone."""
    swap: Mapping[str | None, str] = {one: other, other: one}

    def rename(p: Premise) -> Premise:
        if p.head.subject not in swap or (facts_only and p.body):
            return p
        subject = swap[p.head.subject]
        return Premise(p.head.about(subject), tuple(c.about(subject) for c in p.body), p.frame)

    return tuple(map(rename, premises))


# Takes a draft and premises in its words; returns them joined anew, or None where the premises
# offer no place for it. What then follows is for the prover to say.
Rearrangement = Callable[[Draft, Premises, Random], Premises | None]


def other_person(plan: Draft, premises: Premises, rng: Random) -> Premises | None:
    """The person asked about and the bystander exchange their facts."""
    return swap_people(premises, str(plan.claim.subject), plan.bystander, facts_only=True)


def other_fact(plan: Draft, premises: Premises, rng: Random) -> Premises | None:
    """The person asked about and someone else exchange one fact."""
    facts = [i for i, p in enumerate(premises) if not p.body]
    mine = [i for i in facts if premises[i].head.subject == plan.claim.subject]
    if len(mine) < 2:
        return None  # it would be all that is known of them: `other_person` does that
    places = rng.choice(mine), rng.choice([i for i in facts if i not in mine])
    return _swap(premises, *places, lambda p, q: Premise(p.head.about(q.head.subject)))


def other_outcome(plan: Draft, premises: Premises, rng: Random) -> Premises | None:
    """Two rules of the same form exchange their heads."""
    return (pair := _same_form(premises, rng)) and _swap(
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

    return _swap(premises, *pair, with_condition_of)


def other_direction(plan: Draft, premises: Premises, rng: Random) -> Premises | None:
    """A rule with one condition is turned round, if its form reads the same both ways."""
    # Both outcomes stay written into the premises: a claim no rule leads to would give itself away.
    places = [
        place
        for place, (head, body, frame) in enumerate(premises)
        if frame and frame.turns and body[0].is_kind == head.is_kind
        if head.predicate != plan.claim.predicate
    ]
    if not places:
        return None
    place = rng.choice(places)
    return _swap(premises, place, place, lambda p, _: Premise(p.body[0], (p.head,), p.frame))


REARRANGEMENTS: Sequence[Rearrangement] = (
    other_person, other_fact, other_outcome, other_condition, other_direction,
)  # fmt: skip


def _same_form(premises: Premises, rng: Random, conditions: int = 1) -> tuple[int, int] | None:
    """The places of two rules of one form, with so many conditions or more."""
    rules = [i for i, p in enumerate(premises) if len(p.body) >= conditions]
    pairs = [(i, j) for i, j in combinations(rules, 2) if premises[i].frame is premises[j].frame]
    return rng.choice(pairs) if pairs else None


def _swap(
    premises: Premises, i: int, j: int, merge: Callable[[Premise, Premise], Premise]
) -> Premises:
    changed = list(premises)
    changed[i], changed[j] = merge(premises[i], premises[j]), merge(premises[j], premises[i])
    return tuple(changed)


# --- items ---


@dataclass(frozen=True)
class LogicShape:
    """How many items to make, and what they look like. Ranges are (low, high)."""

    # Of groups asked whole, the last is cut so that labels keep their shares as near as they can.
    items: int = 120
    # Rule applications in the longest line of the shortest proof, and conditions in one rule.
    depth: tuple[int, int] = (1, 3)
    width: tuple[int, int] = (1, 2)
    # Rules on the dead end. (Those that lead someone else to the opposite conclusion come on top.)
    distractors: tuple[int, int] = (1, 3)
    negation: float = 0.3  # how often a property is negative
    # What proofs take, group by group, as often as each is listed.
    reasoning: tuple[Reasoning, ...] = ("forward",)
    # Further facts about each person that no proof needs; 0: one each, in every other group.
    idle: int = 0
    # How many items of a group are kept. One each is as many independent items as can be; all of
    # them show the same words under every label.
    per_group: int = 4
    tier: str = CORE

    @classmethod
    def of(cls, tier: str = CORE, **given: object) -> LogicShape:
        """What a tier's items look like, but for values of the task's parameters of these names.

        They are checked, and may be texts as a command line gives them.
        """
        values = {"n_logic": cls.items, "negation": cls.negation, "per_group": 1, **given}
        negation, n_logic, per_group = (
            _number(values.pop(name)) for name in ("negation", "n_logic", "per_group")
        )
        if isinstance(negation, bool) or not (
            isinstance(negation, int | float) and 0 <= negation <= 1
        ):
            raise SelectionError(f"negation={quote(negation)}: give a share, from 0 to 1")
        return replace(
            PRESETS[tier],
            items=check_int("n_logic", n_logic, least=0, most=_MOST_ITEMS),
            negation=negation,
            per_group=check_int("per_group", per_group, most=len(LABELS)),
            **{name: _range(name, text) for name, text in values.items()},  # type: ignore[arg-type]
        )

    def require_possible(self) -> None:
        """Refuse what no item can look like."""
        (least, depth), (_, width), (_, dead_end) = self.depth, self.width, self.distractors
        if "cases" in self.reasoning and least < _LEAST_BY_CASES:
            why = f"depth={self.depth!r}: cases take {_LEAST_BY_CASES} rules in a line, or more"
            raise SelectionError(why)
        levels = {r: (width,) * (depth - (r == "cases")) for r in self.reasoning}
        needed = max(Shape(depth, widths, dead_end, 0, r).n_words for r, widths in levels.items())
        if needed > (known := len(ADJECTIVES) + len(KINDS)):
            raise SelectionError(
                f"depth, width and distractors need up to {needed} properties in one item, but "
                f"there are names for {known} only: lower one of the three"
            )

    def drawn(self, rng: Random, reasoning: Reasoning) -> Shape:
        """The shape of one draft."""
        depth = rng.randint(*self.depth)
        # The level that goes by cases takes two rules, one after the other.
        levels = max(1, depth - (reasoning == "cases"))
        widths = tuple(rng.randint(*self.width) for _ in range(levels))
        dead_end = rng.randint(*self.distractors)
        return Shape(depth, widths, dead_end, self.negation, reasoning, self.idle)


PRESETS: Mapping[str, LogicShape] = {
    CORE: LogicShape(),
    # Two proofs in five take more than rules read forwards.
    HARD: LogicShape(
        depth=(6, 8), width=(2, 3), distractors=(3, 5), idle=2, tier=HARD,
        reasoning=("forward", "forward", "forward", "contraposition", "cases"),
    ),
}  # fmt: skip


def _number(text: object) -> object:
    """The number that a short text is; anything else as it is."""
    if isinstance(text, str) and len(text) <= _DIGITS:
        with suppress(ValueError):
            return int(text) if text.isdecimal() else float(text)
    return text


def _range(name: str, text: object) -> tuple[int, int]:
    """A number from 1 or a range: 2, "2" or "1-3"."""
    shown = str(text) if isinstance(text, str) else quote(text)
    if found := _SIZES.fullmatch(shown):
        low, high = int(found[1]), int(found[2] or found[1])
        if 1 <= low <= high:
            return low, high
    raise SelectionError(f"{name}={quote(text)}: write a number from 1, or a range such as 1-3")


@dataclass(frozen=True, slots=True)
class LogicItem:
    """One judging item: what is shown, its label, and what it was made from."""

    id: str
    group: str  # its items share their words: resample groups, not items
    shown: Premises  # facts and rules together, in the order shown
    claim: Literal  # what the conclusion says
    label: Label
    shape: Shape  # unknown: depth and reasoning are of the proof that its siblings have

    @property
    def premises(self) -> tuple[str, ...]:
        return tuple(premise.text for premise in self.shown)

    @property
    def conclusion(self) -> str:
        return Premise(self.claim).text


def theories(tier: object = None, **given: object) -> list[Callable[[int], Sequence[BoundaryItem]]]:
    """What makes the paper's judging items from a seed, tier by tier.

    What says how large an item is describes core items, unless hard ones alone are asked for.
    """
    wanted = TIERS if tier is None or tier == "all" else choose("tier", tier, tuple(TIERS))  # type: ignore[arg-type]
    rest = {k: v for k, v in given.items() if k not in _RANGES}
    shapes = (LogicShape.of(t, **(rest if t == HARD and CORE in wanted else given)) for t in wanted)
    return [partial(_boundary_items, shape) for shape in shapes]


@lru_cache(maxsize=16, typed=True)
def _boundary_items(shape: LogicShape, seed: int) -> tuple[BoundaryItem, ...]:
    """Items, kept: proofs take their time. Groups are the clusters."""
    return tuple(
        BoundaryItem(
            i.id, "logic", i.group, "judging", i.label, "\n".join(i.premises), i.conclusion,
            tier=shape.tier,
        )
        for i in generate_logic(shape, seed)
    )  # fmt: skip


def generate_logic(shape: LogicShape, seed: int) -> list[LogicItem]:
    """Items, group by group; the same arguments give the same, and more items the same first."""
    shape.require_possible()
    items: list[LogicItem] = []
    for index in range(-(-shape.items // shape.per_group)):
        rng = Random(f"logic {seed} {index}")
        reasoning = in_turn(shape.reasoning, index, f"logic reasoning {seed}")
        labels = LABELS if shape.per_group > 1 else _one_label(index, seed)
        plan, variants = first_fit(
            _DRAFTS, partial(_group, shape, reasoning, labels, rng),
            f"no group found in {_DRAFTS} drafts: allow more depth, width or distractors",
        )  # fmt: skip
        left = min(shape.items - len(items), shape.per_group)
        if shape.per_group == 1:
            variants = variants[-1:]
        elif left < len(variants):
            variants = _trim_group(variants, left, rng)
        rng.shuffle(variants)  # an id must not tell its label
        group = f"logic{'-hard' if shape.tier == HARD else ''}-{seed}-{index:05d}"
        for place, (premises, label) in enumerate(variants):
            shown = tuple(rng.sample(premises, len(premises)))
            items.append(LogicItem(f"{group}-{place}", group, shown, plan.claim, label, plan.shape))
    return items


def _one_label(index: int, seed: int) -> tuple[Label, ...]:
    """The label of a group's one item, last: groups take turns so that all keep their shares.

    Before it comes what breaks a proof: drafts in which none can be broken are kept for no label.
    """
    wanted = in_turn(LABELS, index, f"logic labels {seed}")
    return (wanted,) if wanted == "unknown" else ("unknown", wanted)


def in_turn(values: Sequence[T], index: int, seed: str) -> T:
    """Each value once a turn, in a seeded order."""
    turn, place = divmod(index, len(values))
    return Random(f"{seed} {turn}").sample(values, len(values))[place]


_Variant = tuple[Premises, Label]


def _group(
    shape: LogicShape, reasoning: Reasoning, labels: Sequence[Label], rng: Random
) -> tuple[Draft, list[_Variant]] | None:
    """A draft and, for each label asked for, a variant of it; nothing where this draft has none."""
    plan = Draft(shape.drawn(rng, reasoning), rng)
    if not (
        _admits(plan, plan.premises, "true")
        and words_of(plan.premises) == words_of(plan.reversed)
        and _admits(plan, plan.reversed, "false")
    ):
        return None
    variants: list[_Variant] = []
    for label in labels:
        premises = _variant(plan, label, {frozenset(taken) for taken, _ in variants}, rng)
        if premises is None:
            return None
        variants.append((premises, label))
    return plan, variants


def _variant(
    plan: Draft, label: Label, seen: set[frozenset[Premise]], rng: Random
) -> Premises | None:
    """The draft joined so that the claim gets the label, unlike the variants seen."""
    words = words_of(plan.premises)
    plain = plan.reversed if label == "false" else plan.premises
    # Rearranging a tense theory often breaks its proof; as it was written it is still right.
    usable = label != "unknown" and frozenset(plain) not in seen
    if label != "unknown" and rng.random() >= _REARRANGED and usable:
        return plain
    for rearrange in rng.sample(REARRANGEMENTS, len(REARRANGEMENTS)):
        for _ in range(_TRIES):
            start = rng.choice((plan.premises, plan.reversed)) if label == "unknown" else plain
            premises = rearrange(plan, start, rng) or start
            if rng.random() < _TWICE:
                premises = rng.choice(REARRANGEMENTS)(plan, premises, rng) or premises
            if (
                frozenset(premises) not in seen
                and words_of(premises) == words
                and _admits(plan, premises, label)
            ):
                return premises
    return plain if usable else None


def _admits(plan: Draft, premises: Premises, label: Label) -> bool:
    """Whether the claim has the label here, at the right depth, in a theory without faults."""
    if len(set(premises)) < len(premises) or not all(p.makes_sense for p in premises):
        return False
    prover = Prover(premises, [str(plan.claim.subject)])
    # What is told by propagation alone comes first: most drafts end there.
    if label != "unknown" and not _as_deep(prover, plan, label):
        return False
    return prover.consistent and prover.decide(plan.claim) == label and not prover.vacuous_rules()


def _as_deep(prover: Prover, plan: Draft, label: Label) -> bool:
    """Whether the claim, or its negation, takes the proof that the draft's shape asks for."""
    proved = plan.claim if label == "true" else plan.claim.negated()
    depth, kind = prover.depth(proved), plan.shape.reasoning
    if kind == "cases":
        return depth is None and prover.depth_by_cases(proved) == plan.shape.depth
    forwards = kind == "forward" or not prover.follows_forwards(proved)
    return depth == plan.shape.depth and forwards


def _trim_group(variants: list[_Variant], size: int, rng: Random) -> list[_Variant]:
    """The first `size` variants of a group whose label shares stay closest to the whole's."""
    kept: list[_Variant] = []
    rest = rng.sample(variants, len(variants))
    whole = Counter(label for _, label in variants)
    while len(kept) < size:
        have, share = Counter(label for _, label in kept), (len(kept) + 1) / len(variants)
        best = max(rest, key=lambda variant: whole[variant[1]] * share - have[variant[1]])
        rest.remove(best)
        kept.append(best)
    return kept
