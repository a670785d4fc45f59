"""Scenarios from a seed at ten levels of difficulty: the items of `data=generated`.

A person's total is a list of parts, then what each part comes to: an amount, so many things at so
much each, or what another part tells. `difficulty.toml` says what each level adds. Parts are drawn
for both people until one more amount makes their totals equal, or differ by as much as the level
says. All amounts are whole numbers of the smaller unit (cents, minutes, meters, grams).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import count, cycle
from math import lcm
from random import Random
from typing import Any

from askew.files import toml_of
from askew.papers.mathcomp.framings import Phrase, Scenario, phrase_for
from askew.papers.mathcomp.paper import LABELS as TARGETS
from askew.papers.mathcomp.paper import PAPER, Label
from askew.sources.levels import Generator, endless, levels_of

REVISION = "1"
_WORDS = toml_of(__package__, "scenario_words.toml")
_ATTEMPTS, _TRIES, _SHARES_TRIED = 5_000, 15, 5
_NONE = Fraction(0)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Sizes:
    """What amounts look like: in which units, and from lowest to highest in steps."""

    told: int  # of the smaller unit make one larger one
    each: tuple[str, str]
    alone: str
    dear: range
    small: range
    extra: range
    alone_is_small: bool = False  # whether what stands alone is told in the smaller unit
    dear_is_small: bool = False  # and the price of a dear thing

    def grid(self, kind: str) -> range:
        """What an amount of a part of this kind may be."""
        return {"counted": self.dear, "amount": self.extra}.get(kind, self.small)

    def larger(self, amount: int) -> str:
        """An amount in the larger unit; money has no cents or two."""
        if amount % self.told == 0:
            return str(amount // self.told)
        cents = "$" in self.alone
        text = f"{amount / self.told:.{2 if cents else 3}f}"
        return text if cents else text.rstrip("0")

    def apart(self, amount: int) -> str:
        """What stands alone, as a sentence has it."""
        text = f"{amount:,}" if self.alone_is_small else self.larger(amount)
        return self.alone.format(n=text)

    def written(self, amount: int, is_small: bool) -> str:
        """An amount in the larger unit, as an equation has it."""
        return f"{amount} / {self.told}" if is_small else self.larger(amount)


# What a scenario is about and the things that it counts: an entry of `scenarios.toml`, its key, its
# phrase, what its quantity is said with, and the sizes of its amounts.
Subject = Mapping[str, Any]


@cache
def subjects() -> Mapping[str, Sequence[Subject]]:
    """Every subject by its category, in the order of the file."""
    sizes: dict[str, Sizes] = {}
    for name, told in _WORDS["sizes"].items():
        # A file has no first value behind a range, but the last one in it.
        ends = ((grid, *told[grid]) for grid in ("dear", "small", "extra"))
        sizes[name] = Sizes(**told | {grid: range(a, b + 1, step) for grid, a, b, step in ends})
    found: dict[str, list[Subject]] = {}
    for key, entry in toml_of(__package__, "scenarios.toml").items():
        quantity = entry["quantity"]
        scale, asks = entry.get("scale", quantity), entry.get("asks")
        # What an amount alone comes to need not be round where others are not.
        extra = sizes[scale].extra
        fine = replace(sizes[scale], extra=range(extra.start, extra.stop))
        made = {
            "key": key, "says": _WORDS[quantity],
            "phrase": Phrase(**asks) if asks else phrase_for(entry["task"], quantity),
            "scales": {"two units": fine, "round": sizes[f"{scale}-round"]},
        }  # fmt: skip
        found.setdefault(entry["category"], []).append(entry | made)
    return found


def in_words(share: str) -> str:
    """ "two-sevenths" for 2/7; a percentage stands as it is."""
    if "/" not in share:
        return share
    above, below = share.split("/")
    if share == "1/2":
        return "half"
    part = _WORDS["parts"][below]
    return f"a {part}" if above == "1" else f"{_WORDS['counts'][above]}-{part}s"


@cache
def share_of(share: str) -> Fraction:
    """The value of "2/7" or "37.5%"."""
    return Fraction(share[:-1]) / 100 if share.endswith("%") else Fraction(share)


@dataclass(frozen=True, slots=True)
class Level:
    """What a person's total is made of at a level of difficulty."""

    adds: str
    parts: Sequence[str]
    amounts: int
    apart: tuple[int, int]
    asides: int = 0
    sizes: str = "round"
    shares: str = "shares"
    fair: bool = False


LEVELS = levels_of(__package__, Level)


def _scenarios(level: int, seed: int, subsets: Sequence[str]) -> Iterator[Scenario]:
    """A level's scenarios without an end; those of other subsets are drawn, and left out."""
    rng = Random(f"mathcomp/{REVISION}/{seed}/{level}")
    about = {own: cycle(rng.sample(of, len(of))) for own, of in subjects().items()}
    categories, labels = endless(list(about), rng), endless(TARGETS, rng)
    known: set[str] = set()
    for number in count(1):
        subject, label = next(about[next(categories)]), next(labels)
        made = None
        while made is None or made.sentence1 in known:
            made = _scenario(f"g{seed}-{level:02}-{number:04}", subject, level, label, rng)
        known.add(made.sentence1)
        if made.subset in subsets:
            yield made


# As many as the paper has.
generate = Generator(_scenarios, REVISION, 300, PAPER.selection("generated"))


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a total: an amount, a `number` of things at one, or what it is `of` other parts.

    `own` is the place of its amount among the person's; `slope` by how much its value moves with
    the first of these.
    """

    kind: str
    value: int
    slope: Fraction
    own: int = -1
    number: int = 1
    share: str = ""
    of: Sequence[int] = ()


# A person's parts, and the amounts that they are made of.
Account = tuple[list[Part], list[int]]
_THINGS = {"counted": (2, 7), "small": (3, 9)}


def _scenario(name: str, subject: Subject, level: int, label: Label, rng: Random) -> Scenario:
    of = LEVELS[level]
    verbal = "share" in of.parts and rng.random() < 0.5
    right = rng.random() < 0.5, rng.random() < 0.5
    for _ in range(_ATTEMPTS):
        if (pair := _pair(subject["scales"][of.sizes], of, label, verbal, rng)) is None:
            continue
        # What a friend has is in neither list: it can't be taken for a part of either total.
        *rest, friend1, friend2 = rng.sample(subject["rest"], len(subject["rest"]))
        people = zip(pair, ("{A}", "{B}"), (friend1, friend2), strict=True)
        told = [
            _told(subject, of, *own, person, rest, friend, rng) for own, person, friend in people
        ]
        (sentence1, equation1), (sentence2, equation2) = told
        if not of.fair or label == "equal" or _is_fair((sentence1, sentence2), label, right):
            return Scenario(
                name, sentence1, sentence2, subject["category"], subject["quantity"],
                subject["task"], label, equation1, equation2, verbal, subject["phrase"],
                pattern=f"generated-{subject['key']}", difficulty=level,
            )  # fmt: skip
    raise ValueError(f"{name}: no totals labelled {label!r} in {_ATTEMPTS} draws")


def _is_fair(texts: Sequence[str], label: Label, right: Sequence[bool]) -> bool:
    """Whether the largest number and the first point to the larger total as they are to.

    A coin says so for each; a reader who goes by them is then right in one of two.
    """
    one, two = ([float(n.replace(",", "")) for n in _NUMBER.findall(text)] for text in texts)
    if len(one) < 3 and (min(two) > min(one)) == (max(two) > max(one)):
        return False
    marks = ((max(one), max(two)), (one[0], two[0]))
    return all(
        mine == theirs or ((theirs > mine) == (label == "more")) is is_right
        for (mine, theirs), is_right in zip(marks, right, strict=True)
    )


def _pair(
    sizes: Sizes, of: Level, label: Label, verbal: bool, rng: Random
) -> Sequence[Account] | None:
    """Two people's parts, whose totals have the label; nothing if this draw has none."""
    shares = _WORDS[of.shares]["verbal" if verbal else "arabic"]
    step, swapped = sizes.extra.step, rng.random() < 0.5
    if (one := _account(sizes, of, shares, rng)) is None:
        return None
    total = sum(part.value for part in one[0])
    apart = 0 if label == "equal" else total * rng.randint(*of.apart) // (1000 * step) * step
    wanted = total + (apart if (label == "more") != swapped else -apart)
    for _ in range(_TRIES if apart or label == "equal" else 0):
        other = _account(sizes, of, shares, rng)
        if other is None or not _settle(sizes, other, wanted):
            continue
        # An amount of both would leave less to add up; "1 hours" is no English.
        (_, mine), (_, theirs) = one, other
        if mine[0] not in theirs and mine[-1] not in theirs and sizes.told not in (*mine, *theirs):
            return [other, one] if swapped else [one, other]
    return None


def _account(sizes: Sizes, of: Level, shares: Sequence[str], rng: Random) -> Account | None:
    """A person's parts; the last one is an amount that no other part is told by.

    Nothing where a share comes out in no whole number of the smaller unit, or in next to nothing.
    """
    parts: list[Part] = []
    amounts: list[int] = []
    for kind in [*of.parts, *["amount"] * of.amounts]:
        own, shown = len(amounts), len(parts) - 1
        if kind in (*_THINGS, "amount", "further"):
            amounts.append(rng.choice(sizes.grid(kind)))
        if kind in (*_THINGS, "amount"):
            number = rng.randint(*_THINGS[kind]) if kind in _THINGS else 1
            slope = _NONE if own else Fraction(number)
            parts.append(Part(kind, number * amounts[-1], slope, own, number))
            continue
        base = rng.choice([i for i, part in enumerate(parts) if part.kind in _THINGS])
        bases = {"chain": [shown], "pair": [base, shown]}.get(kind, [base])
        value = sum(parts[i].value for i in bases)
        slope = sum((parts[i].slope for i in bases), _NONE)
        if kind == "further":
            parts.append(Part(kind, value + amounts[-1], slope, own, of=bases))
            continue
        for share in rng.sample(shares, _SHARES_TRIED):
            above, below = share_of(share).as_integer_ratio()
            come = value * above
            if come % below == 0 and come >= sizes.small.start * below:
                moves = slope * share_of(share)
                parts.append(Part(kind, come // below, moves, share=share, of=bases))
                break
        else:
            return None
    return parts, amounts


def _settle(sizes: Sizes, account: Account, wanted: int) -> bool:
    """Change the first amount and the last so that the total is the wanted one, if they can."""
    parts, amounts = account
    slope = sum((part.slope for part in parts), _NONE)
    # In such steps every part stays a whole number.
    step = lcm(sizes.grid(parts[0].kind).step, *(part.slope.denominator for part in parts))
    left = wanted - sum(part.value for part in parts)
    moved = round(left / (slope * step)) * step
    amounts[0] += moved
    amounts[-1] += left - int(slope * moved)
    parts[-1] = replace(parts[-1], value=amounts[-1])
    return all(amounts[i] in sizes.grid(parts[i].kind) for i in (0, -1))


def _told(
    subject: Subject, of: Level, parts: Sequence[Part], amounts: Sequence[int],
    person: str, rest: Sequence[str], friend: str, rng: Random,
) -> tuple[str, str]:  # fmt: skip
    """The text of a person's parts, and the equation of their total in the larger unit.

    The list of parts comes first, then what they come to in any order, with numbers that do not
    count.
    """
    sizes, says = subject["scales"][of.sizes], subject["says"]
    own = {"counted": "dear", "small": "small", "amount": "extra"}
    pools = {kind: subject[things] for kind, things in own.items()} | {"": rest}
    free = {kind: rng.sample(pool, len(pool)) for kind, pool in pools.items()}
    if "amount" in of.parts:
        free["amount"] = free[""]
    names, written, texts = list[str](), list[str](), list[str]()
    counted, others = list[str](), list[str]()
    for part in parts:
        name, amount = free.get(part.kind, free[""]).pop(), amounts[part.own]
        names.append(name)
        if part.kind in _THINGS:
            is_small = part.kind == "small" or sizes.dear_is_small
            price = f"{amount:,}" if is_small else sizes.larger(amount)
            each = sizes.each[part.kind == "small"].format(n=price)
            counted.append(f"{part.number} {name} {each}")
            written.append(f"({part.number} \u00d7 {sizes.written(amount, is_small)})")
            continue
        others.append(name)
        of_all = " + ".join(written[i] for i in part.of)
        own = sizes.written(amount, sizes.alone_is_small)
        if part.share:
            form = rng.choice(says["of_two" if len(part.of) > 1 else "of_one"])
            base = of_all if len(part.of) == 1 else f"({of_all})"
            written.append(f"({part.share} \u00d7 {base})")
        else:
            form = says["further"] if part.of else rng.choice(says["extra"])
            written.append(f"({of_all} + {own})" if part.of else own)
        bases = dict(zip(("one", "two"), (names[i] for i in part.of), strict=False))
        texts.append(
            form.format(
                it=name, It=name[0].upper() + name[1:], x=sizes.apart(amount),
                share=in_words(part.share), **bases,
            )
        )  # fmt: skip
    words = {"P": person, "does": subject["does"]}
    if "amount" in of.parts:
        (it, x), (other, y) = rng.sample([*zip(names, map(sizes.apart, amounts), strict=True)], 2)
        text = says["two"].format(it=it, x=x, other=other, y=y, **words)
        return text, " + ".join(written)
    *most, last = [*counted, *rng.sample(others, len(others))]
    amount = rng.choice(sizes.extra)
    amount += sizes.extra.step * (amount == sizes.told)
    aside = says["friend"].format(x=sizes.apart(amount), it=friend, **words)
    asides = [aside, subject["aside"].format(P=person, k=rng.randint(12, 89))]
    texts += rng.sample(asides, of.asides)
    rng.shuffle(texts)
    things = f"{', '.join(most)}{',' * (len(most) > 1)} and {last}"
    return f"{person} {subject['does']} {things}. {' '.join(texts)}", " + ".join(written)
