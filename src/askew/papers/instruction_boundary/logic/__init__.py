"""Judging items of any number: premises in plain English, a conclusion, a label that is proved.

Items come in groups. The items of a group hold the same words, sentence forms, names and
conclusion, and differ only in how the parts are joined; between them they take each label as often
as `labels` says. So nothing that can be counted on the page tells the labels apart: not the words,
not the negations, not the lengths, not how often the conclusion's words occur in the premises.
Only following the rules does. The price: items of a group are not independent, so the group is the
unit to resample.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from askew.papers.instruction_boundary.logic.prover import Label, Prover
from askew.papers.instruction_boundary.logic.theories import (
    REARRANGEMENTS,
    Draft,
    Premises,
    Reasoning,
    Shape,
    draft,
    words_needed,
    words_of,
)
from askew.papers.instruction_boundary.logic.wording import (
    ADJECTIVES,
    KINDS,
    Literal,
    Premise,
    fact_sentence,
)
from askew.parameters import SelectionError, choose, quoted, whole_number
from askew.sources.loading import CORE, HARD, TIERS

T = TypeVar("T")

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


@dataclass(frozen=True)
class LogicShape:
    """How many items to make, and what they look like. Ranges are (low, high)."""

    # A multiple of `len(labels)` gives whole groups; the last group is otherwise cut so that the
    # shares of the labels stay as close as they can.
    items: int = 120
    # Rule applications in the longest line of the shortest proof, and conditions in one rule.
    depth: tuple[int, int] = (1, 3)
    width: tuple[int, int] = (1, 2)
    # Rules on the dead end. (Those that lead someone else to the opposite conclusion come on top.)
    distractors: tuple[int, int] = (1, 3)
    negation: float = 0.3  # how often a property is negative
    # Those of one group's items: half sparse (unknown), half tense, as the paper's judging sets.
    labels: tuple[Label, ...] = ("true", "false", "unknown", "unknown")
    # What proofs take, group by group, as often as each is listed.
    reasoning: tuple[Reasoning, ...] = ("forward",)
    # Further facts about each person that no proof needs; 0: one each, in every other group.
    idle: int = 0
    # How many items of a group are kept. One each is as many independent items as can be; all of
    # them show the same words under every label.
    per_group: int = 4
    tier: str = CORE

    @classmethod
    def in_tiers(cls, tier: object = None, **given: object) -> tuple[LogicShape, ...]:
        """The shapes of the tiers asked for, as `of` makes them.

        What says how large an item is describes core items, unless hard ones alone are asked for.
        """
        wanted = TIERS if tier is None or tier == "all" else choose("tier", tier, tuple(TIERS))  # type: ignore[arg-type]
        rest = {k: v for k, v in given.items() if k not in _RANGES}
        return tuple(cls.of(t, **(rest if t == HARD and CORE in wanted else given)) for t in wanted)

    @classmethod
    def of(cls, tier: str = CORE, **given: object) -> LogicShape:
        """What a tier's items look like, but for values of the task's parameters of these names.

        They are checked, and may be texts as a command line gives them.
        """
        told = {"n_logic": cls.items, "negation": cls.negation, "per_group": 1, **given}
        negation, n_logic, per_group = (
            _number(told.pop(name)) for name in ("negation", "n_logic", "per_group")
        )
        is_number = isinstance(negation, int | float) and not isinstance(negation, bool)
        if not is_number or not 0 <= negation <= 1:  # type: ignore[operator]
            raise SelectionError(f"negation={quoted(negation)}: give a share, from 0 to 1")
        return replace(
            PRESETS[tier],
            items=whole_number("n_logic", n_logic, least=0, most=_MOST_ITEMS),
            negation=negation,  # type: ignore[arg-type]
            per_group=whole_number("per_group", per_group),
            **{name: _range(name, text) for name, text in told.items()},  # type: ignore[arg-type]
        )

    def require_possible(self) -> None:
        """Refuse what no item can look like."""
        for name in _RANGES:
            low, high = getattr(self, name)
            if not 1 <= low <= high:
                raise SelectionError(
                    f"{name}={(low, high)!r}: a number from 1, or a range (low, high)"
                )
        if "cases" in self.reasoning and self.depth[0] < _LEAST_BY_CASES:
            raise SelectionError(
                f"depth={self.depth!r}: cases take {_LEAST_BY_CASES} rules in a line, or more"
            )
        if not 1 <= self.per_group <= len(self.labels):
            raise SelectionError(
                f"per_group={self.per_group}: from 1 to the {len(self.labels)} items of a group"
            )
        depth, width, dead_end = self.depth[1], self.width[1], self.distractors[1]
        needed = max(
            words_needed(Shape(depth, (width,) * (depth - (r == "cases")), dead_end, 0, r))
            for r in self.reasoning
        )
        vocabulary = len(ADJECTIVES) + len(KINDS)
        if needed > vocabulary:
            raise SelectionError(
                f"depth, width and distractors can take {needed} properties in one item and there "
                f"are words for {vocabulary}: lower one of them"
            )

    def drawn(self, rng: Random, reasoning: Reasoning = "forward") -> Shape:
        """The shape of one draft."""
        depth = rng.randint(*self.depth)
        # The level that goes by cases takes two rules, one after the other.
        levels = max(1, depth - (reasoning == "cases"))
        widths = tuple(rng.randint(*self.width) for _ in range(levels))
        dead_end = rng.randint(*self.distractors)
        return Shape(depth, widths, dead_end, self.negation, reasoning, self.idle)

    def reasoning_of(self, index: int, seed: int) -> Reasoning:
        """What the proofs of a group take: each kind in a seeded turn."""
        return _in_turn(self.reasoning, index, f"logic reasoning {seed}")


PRESETS: Mapping[str, LogicShape] = {
    CORE: LogicShape(),
    # Two proofs in five take more than rules read forwards.
    HARD: LogicShape(
        tier=HARD,
        depth=(6, 8),
        width=(2, 3),
        distractors=(3, 5),
        reasoning=("forward", "forward", "forward", "contraposition", "cases"),
        idle=2,
    ),
}


def _number(said: object) -> object:
    """The number that a short text is; anything else as it is."""
    if isinstance(said, str) and len(said) <= _DIGITS:
        with suppress(ValueError):
            return int(said) if said.isdecimal() else float(said)
    return said


def _range(name: str, text: object) -> tuple[int, int]:
    """A number or a range: 2, "2" or "1-3"."""
    said = str(text) if isinstance(text, str) else quoted(text)
    if (found := _SIZES.fullmatch(said)) is None:
        raise SelectionError(f"{name}={quoted(text)}: write a number, or a range such as 1-3")
    return int(found[1]), int(found[2] or found[1])


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
        return fact_sentence(self.claim)


_Variant = tuple[Premises, Label]


def generate_logic(shape: LogicShape, seed: int) -> list[LogicItem]:
    """Items, group by group; the same arguments give the same, and more items the same first."""
    shape.require_possible()
    items: list[LogicItem] = []
    for index in range(-(-shape.items // shape.per_group)):
        rng = Random(f"logic {seed} {index}")
        labels = shape.labels if shape.per_group > 1 else _one_label(shape.labels, index, seed)
        plan, variants = _group(shape, shape.reasoning_of(index, seed), labels, rng)
        left = min(shape.items - len(items), shape.per_group)
        if shape.per_group == 1:
            variants = variants[-1:]
        elif left < len(variants):
            variants = _cut(variants, left, rng)
        rng.shuffle(variants)  # an id must not tell its label
        group = f"logic{'-hard' if shape.tier == HARD else ''}-{seed}-{index:05d}"
        for place, (premises, label) in enumerate(variants):
            shown = tuple(rng.sample(premises, len(premises)))
            items.append(LogicItem(f"{group}-{place}", group, shown, plan.claim, label, plan.shape))
    return items


def _one_label(labels: Sequence[Label], index: int, seed: int) -> tuple[Label, ...]:
    """The label of a group's one item, last: groups take turns so that all keep their shares.

    Before it comes what breaks a proof: drafts in which none can be broken are kept for no label.
    """
    wanted = _in_turn(labels, index, f"logic labels {seed}")
    return (wanted,) if wanted == "unknown" else ("unknown", wanted)


def _in_turn(values: Sequence[T], index: int, seed: str) -> T:
    """Each value once a turn, in a seeded order."""
    turn, place = divmod(index, len(values))
    return Random(f"{seed} {turn}").sample(values, len(values))[place]


def _group(
    shape: LogicShape, reasoning: Reasoning, labels: Sequence[Label], rng: Random
) -> tuple[Draft, list[_Variant]]:
    """A draft and, for each label asked for, a variant of it."""
    for _ in range(_DRAFTS):
        plan = draft(shape.drawn(rng, reasoning), rng)
        if words_of(plan.premises) != words_of(plan.reversed):
            continue
        if not (_admits(plan, plan.premises, "true") and _admits(plan, plan.reversed, "false")):
            continue
        variants: list[_Variant] = []
        for label in labels:
            premises = _variant(plan, label, {frozenset(taken) for taken, _ in variants}, rng)
            if premises is None:
                break
            variants.append((premises, label))
        else:
            return plan, variants
    raise ValueError(
        f"no group found in {_DRAFTS} drafts for labels {shape.labels}; ask for fewer items of "
        "one label, or allow more depth, width or distractors"
    )


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
    if not prover.consistent or prover.decide(plan.claim) != label or prover.vacuous_rules():
        return False
    if label == "unknown":
        return True
    proved = plan.claim if label == "true" else plan.claim.negated()
    if plan.shape.reasoning == "cases":
        return prover.depth(proved) is None and prover.depth_by_cases(proved) == plan.shape.depth
    turned = plan.shape.reasoning == "contraposition"
    return prover.depth(proved) == plan.shape.depth and not (
        turned and prover.follows_forwards(proved)
    )


def _cut(variants: list[_Variant], size: int, rng: Random) -> list[_Variant]:
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
