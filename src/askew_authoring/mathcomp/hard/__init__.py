"""Hard scenarios: six to eight operations, parts told by other parts, two units, near misses.

A person's text lists parts, then says what they come to: so many things at so much each, in two
units; shares of other parts, also of parts that are shares themselves; an amount of its own. One
number belongs to nobody's total. The totals are equal or less than two percent apart: one person's
numbers are drawn, the other's are settled so that the totals come out.

Amounts are whole numbers of the smaller unit, so that drawing is exact and quick.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import cycle
from math import lcm
from random import Random
from typing import Any

from askew.files import toml_of
from askew.papers.mathcomp.framings import Scenario
from askew.papers.mathcomp.paper import Label
from askew_authoring.mathcomp.patterns import Pattern, all_patterns

_WORDS = toml_of(__package__, "words.toml")

# In thousandths of the first total, where totals differ.
_APART = (3, 18)
_ATTEMPTS = 2_000
_TAKEN = 0.3  # how often a voucher is what is told last, where there are vouchers
_FRIEND = 0.6  # how often the number that does not count is an amount, not a number by itself
_THINGS, _SMALL_THINGS = (2, 7), (3, 9)
_SMALL = "small"
# What a total is made of beside the dear things, which come first, and an amount of its own: small
# things, and shares of parts by their places.
_STRUCTURES: Sequence[Sequence[str | tuple[int, ...]]] = (
    (_SMALL, (0,)),
    (_SMALL, (0, 1)),
    ((0,), (0, 1)),
    ((0,), (1,)),
    (_SMALL, (0,), (2,)),
)


@dataclass(frozen=True, slots=True)
class Sizes:
    """What amounts look like: in which units, and from lowest to highest in steps."""

    told: int  # of the smaller unit make one larger one
    each: tuple[str, str]
    alone: str
    dear: tuple[int, int, int]
    small: tuple[int, int, int]
    extra: tuple[int, int, int]

    @property
    def alone_is_small(self) -> bool:
        """Whether what stands alone is told in the smaller unit."""
        return self.alone in ("{n} minutes", "{n} meters", "{n} grams")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a scenario is about: a core pattern, and the things that it counts."""

    pattern: Pattern
    sizes: Sizes
    does: str
    dear: Sequence[str]
    small: Sequence[str]
    rest: Sequence[str]
    extra: Sequence[str]
    aside: str

    @property
    def says(self) -> Mapping[str, Sequence[str]]:
        return _WORDS[self.pattern.quantity]  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a total: a multiple of the dear price and one of the small price."""

    dear: Fraction
    small: Fraction
    share: str = ""
    of: tuple[int, ...] = ()


class Parts:
    """All parts of a total but what stands alone, and in which prices they come out whole."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self.dear = sum((part.dear for part in parts), Fraction(0))
        self.small = sum((part.small for part in parts), Fraction(0))
        self.dear_step = lcm(*(part.dear.denominator for part in parts))
        self.small_step = lcm(*(part.small.denominator for part in parts))

    def total(self, dear: int, small: int) -> int:
        """Of prices in which every part is whole."""
        return (
            self.dear.numerator * dear // self.dear.denominator
            + self.small.numerator * small // self.small.denominator
        )


@dataclass(frozen=True, slots=True)
class Account:
    """One person's parts with their prices; what stands alone is below nothing for a voucher."""

    parts: Parts
    dear: int
    small: int
    extra: int

    @property
    def total(self) -> int:
        return self.parts.total(self.dear, self.small) + self.extra


@cache
def subjects() -> tuple[Subject, ...]:
    """Every subject, in the order of the file."""
    patterns = {pattern.key: pattern for pattern in all_patterns()}
    sizes = {
        name: Sizes(**{key: _fixed(value) for key, value in size.items()})
        for name, size in _WORDS["sizes"].items()
    }
    found = []
    for key, entry in toml_of(__package__, "patterns.toml").items():
        told = dict(entry)
        scale = told.pop("scale", patterns[key].quantity)
        found.append(Subject(patterns[key], sizes[scale], **told))
    return tuple(found)


def _fixed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def hard_scenarios(
    n: int, seed: int, labels: Sequence[Label], verbal: Sequence[bool], rng: Random
) -> list[Scenario]:
    """`n` scenarios with these labels, told in words or in percent; categories take turns."""
    told: dict[tuple[str, str], Scenario] = {}
    wanted = zip(_in_turn(rng), labels, verbal, strict=False)
    for number, (subject, label, words) in zip(range(1, n + 1), wanted, strict=False):
        # Again where another scenario has the same two texts.
        while len(told) < number:
            scenario = _scenario(f"h{seed}-{number:04d}", subject, label, words, rng)
            told.setdefault((scenario.sentence1, scenario.sentence2), scenario)
    return [*told.values()]


def _in_turn(rng: Random) -> Iterator[Subject]:
    """Subjects without an end, category after category."""
    by_category: dict[str, list[Subject]] = {}
    for subject in subjects():
        by_category.setdefault(subject.pattern.category, []).append(subject)
    rounds = [cycle(rng.sample(own, len(own))) for own in by_category.values()]
    for own in cycle(rounds):
        yield next(own)


def _scenario(name: str, subject: Subject, label: Label, verbal: bool, rng: Random) -> Scenario:
    one, other = _pair(subject.sizes, "taken" in subject.says, label, verbal, rng)
    # What a friend has is in neither list: it can't be taken for a part of either total.
    *rest, first, second = rng.sample(subject.rest, len(subject.rest))
    told = ((one, "{A}", first), (other, "{B}", second))
    texts = [_tell(subject, *who, rng.sample(rest, len(rest)), rng) for who in told]
    return Scenario(
        id=name,
        sentence1=texts[0],
        sentence2=texts[1],
        category=subject.pattern.category,
        quantity=subject.pattern.quantity,
        task=subject.pattern.task,
        label=label,
        equation1=_equation(subject.sizes, one),
        equation2=_equation(subject.sizes, other),
        verbal=verbal,
        phrase=subject.pattern.phrase,
    )


def _pair(
    sizes: Sizes, vouchers: bool, label: Label, verbal: bool, rng: Random
) -> tuple[Account, Account]:
    for _ in range(_ATTEMPTS):
        structures = rng.sample(_STRUCTURES, 2)
        one = _drawn(sizes, _parts(structures[0], verbal, rng), vouchers, rng)
        if one is None:
            continue
        swapped = rng.random() < 0.5
        step = sizes.extra[2]
        apart = 0 if label == "equal" else step * _within(one.total, step, rng)
        wanted = one.total + (apart if (label == "more") != swapped else -apart)
        parts = _parts(structures[1], verbal, rng)
        other = _drawn(sizes, parts, vouchers, rng, wanted)
        if other is not None:
            return (other, one) if swapped else (one, other)
    raise ValueError(f"no pair of totals labelled {label!r} in {_ATTEMPTS} draws")


def _within(total: int, step: int, rng: Random) -> int:
    """How many steps totals are apart."""
    least, most = (total * part // (1000 * step) for part in _APART)
    return rng.randint(max(1, least), max(1, most))


def _parts(structure: Sequence[str | tuple[int, ...]], verbal: bool, rng: Random) -> Parts:
    none = Fraction(0)
    parts = [Part(Fraction(rng.randint(*_THINGS)), none)]
    for spec in structure:
        if isinstance(spec, str):
            parts.append(Part(none, Fraction(rng.randint(*_SMALL_THINGS))))
            continue
        share = rng.choice(_WORDS["shares"]["verbal" if verbal else "arabic"])
        by, of = _value(share), [parts[i] for i in spec]
        dear, small = sum((p.dear for p in of), none), sum((p.small for p in of), none)
        parts.append(Part(by * dear, by * small, share, spec))
    return Parts(parts)


def _drawn(
    sizes: Sizes, parts: Parts, vouchers: bool, rng: Random, wanted: int | None = None
) -> Account | None:
    """Prices that make every part whole, and the wanted total where one is."""
    dear = _multiples(sizes.dear, parts.dear_step, but=sizes.told)
    small = _multiples(sizes.small, parts.small_step)
    if not dear or not small:
        return None
    price, extra = rng.choice(small), rng.choice(_range(sizes.extra))
    extra = -extra if vouchers and rng.random() < _TAKEN else extra
    if wanted is None:
        return Account(parts, rng.choice(dear), price, extra)
    # The dear price that leaves about this much to stand alone.
    left = wanted - parts.total(0, price) - extra
    aim = round(left / parts.dear / dear.step) * dear.step
    if aim not in dear:
        return None
    alone = wanted - parts.total(aim, price)
    fits = abs(alone) in _range(sizes.extra) and (alone > 0 or vouchers)
    return Account(parts, aim, price, alone) if fits and abs(alone) != sizes.told else None


@cache
def _multiples(ends: tuple[int, int, int], step: int, but: int = 0) -> range:
    """The prices in steps, without the ones below and at `but`: "1 hours" is no English."""
    low, high, least = ends
    step = lcm(step, least)
    first = -(-low // step) * step
    return range(but + step if but in range(first, high + 1, step) else first, high + 1, step)


def _range(ends: tuple[int, int, int]) -> range:
    low, high, step = ends
    return range(low, high + 1, step)


@cache
def _value(share: str) -> Fraction:
    return Fraction(share[:-1]) / 100 if share.endswith("%") else Fraction(share)


# --- telling it ---


def _tell(
    subject: Subject, account: Account, person: str, beside: str, rest: list[str], rng: Random
) -> str:
    """The list of parts, then what they come to in any order, with a number that does not count."""
    says, sizes = subject.says, subject.sizes
    dear, small, extra = (rng.choice(pool) for pool in (subject.dear, subject.small, subject.extra))
    names: list[str] = []
    counted, listed, told = [], [], []
    for part in account.parts.parts:
        names.append(rest.pop() if part.share else small if part.small and not part.dear else dear)
        if not part.share:
            of_dear = bool(part.dear)
            price = _units(account.dear, sizes) if of_dear else str(account.small)
            each = sizes.each[not of_dear].format(n=price)
            counted.append(f"{part.dear or part.small} {names[-1]} {each}")
            continue
        listed.append(names[-1])
        words = dict(zip(("one", "two"), (names[i] for i in part.of), strict=False))
        form = rng.choice(says["of_two" if len(part.of) > 1 else "of_one"])
        told.append(form.format(it=names[-1], share=_in_words(part.share), **words))
    if account.extra > 0:
        listed.append(extra)
        form = rng.choice(says["extra"])
        told.append(
            form.format(It=extra[0].upper() + extra[1:], it=extra, x=_alone(account.extra, sizes))
        )
    else:
        told.append(str(says["taken"]).format(P=person, x=_alone(-account.extra, sizes)))
    if rng.random() < _FRIEND:
        amount = rng.choice(_range(sizes.extra))
        amount += sizes.extra[2] * (amount == sizes.told)
        words = {"P": person, "x": _alone(amount, sizes), "it": beside, "does": subject.does}
        told.append(str(says["friend"]).format(**words))
    else:
        told.append(subject.aside.format(P=person, k=rng.randint(12, 89)))
    rng.shuffle(listed)
    rng.shuffle(told)
    *most, last = [*counted, *listed]
    return f"{person} {subject.does} {', '.join(most)}, and {last}. {' '.join(told)}"


@cache
def _units(amount: int, sizes: Sizes) -> str:
    """An amount in the larger unit; money has no cents or two."""
    value = Fraction(amount, sizes.told)
    decimals = f"{float(value):.2f}"
    money = sizes.alone.startswith("$") and value.denominator != 1
    return decimals if money else decimals.rstrip("0").rstrip(".")


def _alone(amount: int, sizes: Sizes) -> str:
    return sizes.alone.format(n=f"{amount:,}" if sizes.alone_is_small else _units(amount, sizes))


def _in_words(share: str) -> str:
    """ "two-sevenths" for 2/7; a percentage stands as it is."""
    if share.endswith("%"):
        return share
    value = Fraction(share)
    of, parts = _WORDS["counts"], _WORDS["parts"]
    return f"{of[str(value.numerator)]}-{parts[str(value.denominator)]}s"


def _equation(sizes: Sizes, account: Account) -> str:
    """The total in the larger unit, each part written out."""
    written: list[str] = []
    for part in account.parts.parts:
        if part.share:
            whole = " + ".join(written[i] for i in part.of)
            inner = written[part.of[0]] if len(part.of) == 1 else f"({whole})"
            written.append(f"({part.share} \u00d7 {inner})")
        elif part.dear:
            written.append(f"({part.dear} \u00d7 {_units(account.dear, sizes)})")
        else:
            written.append(f"({part.small} \u00d7 {account.small} / {sizes.told})")
    alone = abs(account.extra)
    extra = f"{alone} / {sizes.told}" if sizes.alone_is_small else _units(alone, sizes)
    return f"{' + '.join(written)} {'+' if account.extra > 0 else '-'} {extra}"
