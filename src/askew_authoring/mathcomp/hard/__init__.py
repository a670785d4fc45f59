"""Hard scenarios: six to eight operations, parts told by other parts, two units, near misses.

A person's text lists parts, then says what they come to: so many things at so much each, in two
units; shares of other parts, also of parts that are shares themselves; an amount of its own. One
number belongs to nobody's total. The totals are equal or less than two percent apart: one person's
numbers are drawn, the other's are settled so that the totals come out.

Amounts are whole numbers of the smaller unit, so that drawing is exact and quick.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import cycle
from math import lcm
from random import Random

from askew.files import toml_of
from askew.papers.mathcomp.framings import Scenario
from askew.papers.mathcomp.generator import Ends, Subject, in_words, share_of, subjects
from askew.papers.mathcomp.paper import Label
from askew_authoring.drawing import first_fit

_WORDS = toml_of("askew.papers.mathcomp", "scenario_words.toml")
# In thousandths of the first total, where totals differ.
_APART = (3, 18)
_ATTEMPTS = 2_000
_TAKEN = 0.3  # how often a voucher is what is told last, where there are vouchers
_FRIEND = 0.6  # how often the number that does not count is an amount, not a number by itself
_THINGS, _SMALL_THINGS = (2, 7), (3, 9)
# What a total is made of beside the dear things, which come first, and an amount of its own: small
# things (no places), and shares of parts by their places.
_STRUCTURES: Sequence[Sequence[tuple[int, ...]]] = (
    ((), (0,)), ((), (0, 1)), ((0,), (0, 1)), ((0,), (1,)), ((), (0,), (2,)),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a total: a multiple of the dear price and one of the small price."""

    dear: Fraction
    small: Fraction
    share: str = ""
    of: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Account:
    """One person's parts with their prices; what stands alone is below nothing for a voucher."""

    subject: Subject
    parts: Sequence[Part]
    dear: int
    small: int
    extra: int
    total: int

    def text(self, person: str, beside: str, rest: list[str], rng: Random) -> str:
        """The list of parts, then what they come to in any order, with a number that does not
        count."""
        of, says, sizes = self.subject, self.subject.says, self.subject.sizes
        dear, small, extra = (rng.choice(pool) for pool in (of.dear, of.small, of.extra))
        names: list[str] = []
        counted, listed, texts = [], [], []
        for part in self.parts:
            names.append(rest.pop() if part.share else dear if part.dear else small)
            if not part.share:
                price = sizes.larger(self.dear) if part.dear else str(self.small)
                each = sizes.each[not part.dear].format(n=price)
                counted.append(f"{part.dear or part.small} {names[-1]} {each}")
                continue
            listed.append(names[-1])
            words = dict(zip(("one", "two"), (names[i] for i in part.of), strict=False))
            form = rng.choice(says["of_two" if len(part.of) > 1 else "of_one"])
            texts.append(form.format(it=names[-1], share=in_words(part.share), **words))
        if self.extra > 0:
            listed.append(extra)
            words = {"It": extra[0].upper() + extra[1:], "it": extra}
            texts.append(rng.choice(says["extra"]).format(x=sizes.apart(self.extra), **words))
        else:
            texts.append(says["taken"].format(P=person, x=sizes.apart(-self.extra)))
        if rng.random() < _FRIEND:
            amount = rng.choice(range(*sizes.extra))
            amount += sizes.extra[2] * (amount == sizes.told)
            words = {"P": person, "x": sizes.apart(amount), "it": beside, "does": of.does}
            texts.append(says["friend"].format(**words))
        else:
            texts.append(of.aside.format(P=person, k=rng.randint(12, 89)))
        rng.shuffle(listed)
        rng.shuffle(texts)
        *most, last = [*counted, *listed]
        return f"{person} {of.does} {', '.join(most)}, and {last}. {' '.join(texts)}"

    @property
    def equation(self) -> str:
        """The total in the larger unit, each part written out."""
        sizes, written = self.subject.sizes, list[str]()
        for part in self.parts:
            inner = " + ".join(written[i] for i in part.of)
            if part.share:
                inner = inner if len(part.of) == 1 else f"({inner})"
                written.append(f"({part.share} \u00d7 {inner})")
            elif part.dear:
                written.append(f"({part.dear} \u00d7 {sizes.larger(self.dear)})")
            else:
                written.append(f"({part.small} \u00d7 {self.small} / {sizes.told})")
        alone, sign = abs(self.extra), "+" if self.extra > 0 else "-"
        extra = f"{alone} / {sizes.told}" if sizes.alone_is_small else sizes.larger(alone)
        return f"{' + '.join(written)} {sign} {extra}"


def subjects_in_turn(rng: Random) -> Iterator[Subject]:
    """Subjects without an end, category after category."""
    rounds = [cycle(rng.sample(own, len(own))) for own in subjects().values()]
    for own in cycle(rounds):
        yield next(own)


def hard_scenario(name: str, subject: Subject, label: Label, verbal: bool, rng: Random) -> Scenario:
    """A scenario with this label, its shares told in words or in percent."""
    why = f"no pair of totals labelled {label!r} in {_ATTEMPTS} draws"
    accounts = first_fit(_ATTEMPTS, lambda: _pair(subject, label, verbal, rng), why)
    # What a friend has is in neither list: it can't be taken for a part of either total.
    *rest, first, second = rng.sample(subject.rest, len(subject.rest))
    pairs = [
        (account.text(person, beside, rng.sample(rest, len(rest)), rng), account.equation)
        for account, person, beside in zip(accounts, ("{A}", "{B}"), (first, second), strict=True)
    ]
    return subject.scenario(name, label, verbal, pairs)


def _pair(
    subject: Subject, label: Label, verbal: bool, rng: Random
) -> tuple[Account, Account] | None:
    structures = rng.sample(_STRUCTURES, 2)
    one = _draw(subject, _parts(structures[0], verbal, rng), rng)
    if one is None:
        return None
    swapped = rng.random() < 0.5
    step = subject.sizes.extra[2]
    least, most = (max(1, one.total * part // (1000 * step)) for part in _APART)
    apart = 0 if label == "equal" else step * rng.randint(least, most)
    wanted = one.total + (apart if (label == "more") != swapped else -apart)
    other = _draw(subject, _parts(structures[1], verbal, rng), rng, wanted)
    if other is None:
        return None
    return (other, one) if swapped else (one, other)


def _parts(structure: Sequence[tuple[int, ...]], verbal: bool, rng: Random) -> list[Part]:
    none = Fraction(0)
    parts = [Part(Fraction(rng.randint(*_THINGS)), none)]
    for places in structure:
        if not places:
            parts.append(Part(none, Fraction(rng.randint(*_SMALL_THINGS))))
            continue
        share = rng.choice(_WORDS["shares"]["verbal" if verbal else "arabic"])
        by, of = share_of(share), [parts[i] for i in places]
        dear, small = sum((p.dear for p in of), none), sum((p.small for p in of), none)
        parts.append(Part(by * dear, by * small, share, places))
    return parts


def _draw(
    subject: Subject, parts: Sequence[Part], rng: Random, wanted: int | None = None
) -> Account | None:
    """Prices that make every part whole, and the wanted total where one is."""
    sizes, vouchers = subject.sizes, "taken" in subject.says
    dear = _multiples(sizes.dear, lcm(*(p.dear.denominator for p in parts)), but=sizes.told)
    small = _multiples(sizes.small, lcm(*(p.small.denominator for p in parts)))
    if not dear or not small:
        return None
    price, extra = rng.choice(small), rng.choice(range(*sizes.extra))
    extra = -extra if vouchers and rng.random() < _TAKEN else extra
    by, cheap = sum(p.dear for p in parts), int(sum(p.small for p in parts) * price)
    if wanted is None:
        each = rng.choice(dear)
        return Account(subject, parts, each, price, extra, int(by * each) + cheap + extra)
    # The dear price that leaves about this much to stand alone.
    aim = round((wanted - cheap - extra) / by / dear.step) * dear.step
    alone = wanted - cheap - int(by * aim)
    fits = abs(alone) in range(*sizes.extra) and abs(alone) != sizes.told and aim in dear
    if not fits or (alone < 0 and not vouchers):
        return None
    return Account(subject, parts, aim, price, alone, wanted)


@cache
def _multiples(ends: Ends, step: int, but: int = 0) -> range:
    """The prices in steps, without the ones below and at `but`: "1 hours" is no English."""
    low, end, least = ends
    step = lcm(step, least)
    first = -(-low // step) * step
    return range(but + step if but in range(first, end, step) else first, end, step)
