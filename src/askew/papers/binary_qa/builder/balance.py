"""Which candidates become items: the paper's balance of labels, kinds and levels (Section 2.1)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from askew.papers.binary_qa.builder.sources import Candidate
from askew.papers.binary_qa.items import Comparison
from askew.papers.binary_qa.paper import LABELS, Answer

# Per domain: its kinds with their share of the items of each label. Translation's kinds follow
# from the label, so there each label has one.
SHARES: Mapping[str, Mapping[str, float]] = {
    "reading": {"reading": 1.0},
    "multi_hop": {"easy": 0.2, "medium": 0.3, "hard": 0.5},
    "numerical": {"threshold": 0.5, "exact": 0.5},
    "translation": {"error": 1.0, "correct": 1.0},
    "ethics": {"justice": 0.5, "commonsense": 0.5},
}
_LABEL_OF_KIND: Mapping[str, Answer] = {"error": "Yes", "correct": "No"}


@dataclass(frozen=True)
class Quota:
    """A kind and a label, and how many items of the set have them."""

    subset: str
    kind: str
    answer: Answer
    wanted: int


@dataclass(frozen=True)
class Drawn:
    """A candidate with its settled kind and answer, and for a numerical one what it compares."""

    candidate: Candidate
    kind: str
    answer: Answer
    check: Comparison | None = None


def quotas(subset: str, n_items: int) -> list[Quota]:
    """The balance of a domain with so many items.

    Args:
        subset: one of the five domains.
        n_items: an even number, so that half of the answers can be Yes.
    """
    if n_items < 2 or n_items % 2:
        raise ValueError(f"items={n_items}: ask for an even number of items in each domain")
    found = []
    for answer in LABELS:
        kinds = {
            kind: share
            for kind, share in SHARES[subset].items()
            if _LABEL_OF_KIND.get(kind, answer) == answer
        }
        for kind, wanted in _shared_out(n_items // 2, kinds).items():
            found.append(Quota(subset, kind, answer, wanted))
    return found


def _shared_out(n: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Whole numbers in these proportions that add up to n: the largest remainders get the rest."""
    exact = {kind: n * share for kind, share in shares.items()}
    whole = {kind: int(value + 1e-9) for kind, value in exact.items()}
    by_remainder = sorted(exact, key=lambda kind: whole[kind] - exact[kind])
    for kind in by_remainder[: n - sum(whole.values())]:
        whole[kind] += 1
    return whole


def draw(
    subset: str, found: Sequence[Candidate], n_items: int, spares: int, seed: int
) -> list[Drawn]:
    """A seeded, balanced choice; the spares of each quota come after its items.

    Args:
        subset: the domain.
        found: its candidates.
        n_items: how many items the set is to have.
        spares: how many more of each quota, for rewrites that a person will not accept.
        seed: equal seeds give equal choices.
    """
    rng = random.Random(f"{seed}/{subset}")
    shuffled = sorted(found, key=lambda c: c.id)
    rng.shuffle(shuffled)
    one_a_passage = _one_of_each_passage(shuffled)
    fill = _numerical if subset == "numerical" else _labelled
    drawn = fill(quotas(subset, n_items), one_a_passage, spares, rng)
    return list(drawn)


def shortages(drawn: Sequence[Drawn], wanted: Sequence[Quota]) -> list[str]:
    """The quotas for which there were too few candidates, in words."""
    short = []
    for quota in wanted:
        there = sum(d.kind == quota.kind and d.answer == quota.answer for d in drawn)
        if there < quota.wanted:
            name = f"{quota.subset}, {quota.kind}, {quota.answer}"
            short.append(f"{name}: {there} of {quota.wanted} items")
    return short


def _one_of_each_passage(found: Sequence[Candidate]) -> list[Candidate]:
    """Questions over one passage stand or fall together, so a set asks one of them."""
    return list({c.passage: c for c in reversed(found)}.values())[::-1]


def _labelled(
    wanted: Sequence[Quota], found: Sequence[Candidate], spares: int, rng: random.Random
) -> Iterator[Drawn]:
    for quota in wanted:
        fits = [c for c in found if c.kind == quota.kind and c.answer == quota.answer]
        yield from (Drawn(c, quota.kind, quota.answer) for c in fits[: quota.wanted + spares])


def _numerical(
    wanted: Sequence[Quota], found: Sequence[Candidate], spares: int, rng: random.Random
) -> Iterator[Drawn]:
    """Any candidate fits any quota: what is asked about its number decides kind and answer."""
    remaining = iter(found)
    for quota in wanted:
        for _ in range(quota.wanted + spares):
            candidate = next(remaining, None)
            if candidate is None or candidate.number is None:
                return
            check = COMPARISONS[quota.kind](candidate.number, quota.answer, rng)
            settled = replace(candidate, kind=quota.kind, answer=quota.answer)
            yield Drawn(settled, quota.kind, quota.answer, check)


def _threshold(number: int, answer: Answer, rng: random.Random) -> Comparison:
    """ "Over n" or "under n", so that the answer comes out as wanted."""
    step = rng.randint(1, max(1, round(number * 0.3)))
    over = rng.random() < 0.5
    # Over a smaller number and under a larger one hold; the boundary itself never does.
    smaller = over is (answer == "Yes")
    n = number - step if smaller else number + step
    if answer == "No" and rng.random() < 0.25:
        n = number
    return Comparison(value=number, op=">" if over else "<", n=n)


def _exact(number: int, answer: Answer, rng: random.Random) -> Comparison:
    step = rng.randint(1, max(1, round(number * 0.2)))
    if answer == "No":
        lower = number - step if number - step >= 1 else number + step
        return Comparison(value=number, op="==", n=rng.choice((lower, number + step)))
    return Comparison(value=number, op="==", n=number)


COMPARISONS: Mapping[str, Callable[[int, Answer, random.Random], Comparison]] = {
    "threshold": _threshold,
    "exact": _exact,
}
