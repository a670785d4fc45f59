"""Judging items of any number: premises in plain English, a conclusion, a label that is proved.

Items come in groups. The items of a group hold the same words, sentence forms, names and
conclusion, and differ only in how the parts are joined; between them they take each label as often
as `labels` says. So nothing that can be counted on the page tells the labels apart: not the words,
not the negations, not the lengths, not how often the conclusion's words occur in the premises.
Only following the rules does. The price: items of a group are not independent, so the group is the
unit to resample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from askew.papers.instruction_boundary.logic.prover import LABELS, Label, Literal, Prover, Theory
from askew.papers.instruction_boundary.logic.theories import (
    REARRANGEMENTS,
    Draft,
    Premises,
    Shape,
    draft,
    theory_of,
    words_needed,
    words_of,
)
from askew.papers.instruction_boundary.logic.wording import ADJECTIVES, KINDS, fact_sentence
from askew.parameters import SelectionError

# Half sparse (unknown) and half tense, as the paper halves its judging sets.
HALF_SPARSE: tuple[Label, ...] = ("true", "false", "unknown", "unknown")
_DRAFTS = 500
_TRIES = 4
# A tense item keeps the draft as it was written only half the time: were every tense theory in
# its first state and every unknown one rearranged, tidiness would tell them apart.
_REARRANGED = 0.5
_TWICE = 0.2


@dataclass(frozen=True, slots=True)
class LogicItem:
    """One judging item: what is shown, its label, and what it was made from."""

    id: str
    group: str  # items of one group share their words; resample groups, not items
    premises: tuple[str, ...]  # facts and rules together, in the order shown
    facts: tuple[str, ...]
    rules: tuple[str, ...]
    conclusion: str
    label: Label
    depth: int  # of the shortest proof; unknown: of the proof that its siblings have and it lacks
    width: int  # most conditions in one rule
    distractors: int  # premises that the group's proofs do not need
    gap: str  # unknown: what was rearranged so that nothing follows; otherwise empty
    theory: Theory
    claim: Literal

    @property
    def rules_count(self) -> int:
        return len(self.rules)


@dataclass(frozen=True, slots=True)
class _Ranges:
    """The parameters, checked."""

    depth: tuple[int, int]
    width: tuple[int, int]
    distractors: tuple[int, int]
    negation: float
    labels: tuple[Label, ...]

    def shape(self, rng: Random) -> Shape:
        depth = rng.randint(*self.depth)
        widths = tuple(rng.randint(*self.width) for _ in range(depth))
        return Shape(depth, widths, rng.randint(*self.distractors), self.negation)


@dataclass(frozen=True, slots=True)
class _Variant:
    premises: Premises
    label: Label
    gap: str = ""


def generate_logic(
    n: int,
    seed: int,
    *,
    depth: int | tuple[int, int] = (1, 3),
    width: int | tuple[int, int] = (1, 2),
    distractors: int | tuple[int, int] = (1, 3),
    negation: float = 0.3,
    labels: Sequence[Label] = HALF_SPARSE,
) -> list[LogicItem]:
    """`n` items, group by group; the same arguments give the same items.

    Args:
      n: How many. A multiple of `len(labels)` gives whole groups; the last group is otherwise
        cut so that the shares of the labels stay as close as they can.
      seed: Seeds every draw. Whole groups do not depend on `n`.
      depth: Rule applications in the longest line of the shortest proof, a number or a range.
      width: Conditions in one rule, a number or a range.
      distractors: Rules on the dead end, at least one, a number or a range. (The rules that lead
        someone else to the opposite conclusion come on top.)
      negation: How often a property is negative.
      labels: The labels of one group's items, e.g. ("true", "false", "unknown") for thirds.
    """
    ranges = _checked(n, depth, width, distractors, negation, labels)
    return list(islice(_items(n, seed, ranges), n))


def _items(n: int, seed: int, ranges: _Ranges) -> Iterator[LogicItem]:
    size = len(ranges.labels)
    for index in range(-(-n // size)):
        rng = Random(f"logic {seed} {index}")
        plan, variants = _group(ranges, rng)
        left = n - index * size
        if left < size:
            variants = _cut(variants, left, rng)
        rng.shuffle(variants)  # an id must not tell its label
        group = f"logic-{seed}-{index:05d}"
        for place, variant in enumerate(variants):
            yield _item(f"{group}-{place}", group, plan, variant, rng)


def _group(ranges: _Ranges, rng: Random) -> tuple[Draft, list[_Variant]]:
    """A draft and, for each label asked for, a variant of it."""
    for _ in range(_DRAFTS):
        plan = draft(ranges.shape(rng), rng)
        words = words_of(plan.premises)
        if words != words_of(plan.reversed):
            continue
        if not (_admits(plan, plan.premises, "true") and _admits(plan, plan.reversed, "false")):
            continue
        variants: list[_Variant] = []
        for label in ranges.labels:
            variant = _variant(plan, label, words, variants, rng)
            if variant is None:
                break
            variants.append(variant)
        else:
            return plan, variants
    raise ValueError(
        f"no group found in {_DRAFTS} drafts for labels {ranges.labels}; ask for fewer items of "
        "one label, or allow more depth, width or distractors"
    )


def _variant(
    plan: Draft, label: Label, words: list[str], taken: list[_Variant], rng: Random
) -> _Variant | None:
    """The draft joined so that the claim gets the label, unlike the variants taken."""
    seen = {frozenset(variant.premises) for variant in taken}
    plain = plan.reversed if label == "false" else plan.premises
    if label != "unknown" and rng.random() >= _REARRANGED and frozenset(plain) not in seen:
        return _Variant(plain, label)
    for gap in rng.sample(tuple(REARRANGEMENTS), len(REARRANGEMENTS)):
        for _ in range(_TRIES):
            start = rng.choice((plan.premises, plan.reversed)) if label == "unknown" else plain
            premises, name = _rearranged(plan, start, gap, rng)
            if (
                frozenset(premises) not in seen
                and words_of(premises) == words
                and _admits(plan, premises, label)
            ):
                return _Variant(premises, label, name if label == "unknown" else "")
    # Rearranging a tense theory often breaks its proof; as it was written it is still right.
    usable = label != "unknown" and frozenset(plain) not in seen
    return _Variant(plain, label) if usable else None


def _rearranged(plan: Draft, start: Premises, gap: str, rng: Random) -> tuple[Premises, str]:
    """The premises after one rearrangement, sometimes two, and its name; unchanged if no place."""
    premises = REARRANGEMENTS[gap](plan, start, rng) or start
    if rng.random() < _TWICE:
        again = rng.choice(tuple(REARRANGEMENTS.values()))(plan, premises, rng)
        if again:
            return again, "several"
    return premises, gap


def _admits(plan: Draft, premises: Premises, label: Label) -> bool:
    """Whether the claim has the label here, at the right depth, in a theory without faults."""
    if len(set(premises)) < len(premises) or not all(premise.well_formed for premise in premises):
        return False
    prover = Prover(theory_of(premises), [str(plan.claim.subject)])
    if not prover.consistent or prover.decide(plan.claim) != label or prover.vacuous_rules():
        return False
    if label == "unknown":
        return True
    proved = plan.claim if label == "true" else plan.claim.negated()
    return prover.depth(proved) == plan.shape.depth


def _cut(variants: list[_Variant], size: int, rng: Random) -> list[_Variant]:
    """The first `size` variants of a group whose label shares stay closest to the whole's."""
    kept: list[_Variant] = []
    rest = rng.sample(variants, len(variants))
    whole = Counter(variant.label for variant in variants)
    while len(kept) < size:
        have = Counter(variant.label for variant in kept)
        due = {
            label: whole[label] * (len(kept) + 1) / len(variants) - have[label] for label in whole
        }
        best = max(rest, key=lambda variant: due[variant.label])
        rest.remove(best)
        kept.append(best)
    return kept


def _item(id_: str, group: str, plan: Draft, variant: _Variant, rng: Random) -> LogicItem:
    shown = tuple(rng.sample(variant.premises, len(variant.premises)))
    needed = 1 + sum(plan.shape.widths)  # the rules of a chain, and the facts they start from
    return LogicItem(
        id=id_,
        group=group,
        premises=tuple(premise.text for premise in shown),
        facts=tuple(premise.text for premise in shown if premise.is_fact),
        rules=tuple(premise.text for premise in shown if not premise.is_fact),
        conclusion=fact_sentence(plan.claim),
        label=variant.label,
        depth=plan.shape.depth,
        width=max(len(premise.body) for premise in shown),
        distractors=len(shown) - needed,
        gap=variant.gap,
        theory=theory_of(shown),
        claim=plan.claim,
    )


def _checked(
    n: int,
    depth: int | tuple[int, int],
    width: int | tuple[int, int],
    distractors: int | tuple[int, int],
    negation: float,
    labels: Sequence[Label],
) -> _Ranges:
    if n < 0:
        raise SelectionError(f"n={n}: the number of items cannot be negative")
    if not isinstance(negation, int | float) or not 0 <= negation <= 1:
        raise SelectionError(f"negation={negation}: a share, from 0 to 1")
    odd = [label for label in labels if label not in LABELS]
    if odd or not labels:
        raise SelectionError(
            f"labels={labels!r}: at least one of {', '.join(LABELS)}, and no other"
        )
    ranges = _Ranges(
        _range("depth", depth),
        _range("width", width),
        _range("distractors", distractors),
        negation,
        tuple(labels),
    )
    largest = Shape(
        ranges.depth[1], (ranges.width[1],) * ranges.depth[1], ranges.distractors[1], negation
    )
    vocabulary = len(ADJECTIVES) + len(KINDS)
    if words_needed(largest) > vocabulary:
        raise SelectionError(
            f"depth, width and distractors can take {words_needed(largest)} properties in one "
            f"item and there are words for {vocabulary}: lower one of them"
        )
    return ranges


def _range(name: str, value: int | tuple[int, int]) -> tuple[int, int]:
    low, high = (value, value) if isinstance(value, int) else value
    if not 1 <= low <= high:
        raise SelectionError(f"{name}={value!r}: a number from 1, or a range (low, high)")
    return low, high
