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
from functools import cache, partial
from itertools import chain, count, cycle
from math import lcm
from random import Random
from typing import Any

from askew.files import toml_of
from askew.papers.mathcomp.framings import Phrase, Scenario, phrase_for
from askew.papers.mathcomp.paper import LABELS as TARGETS
from askew.papers.mathcomp.paper import SUBSETS, Label
from askew.parameters import choose
from askew.sources.levels import endless, in_turns, levels_of
from askew.sources.loading import ItemSet

# Raised whenever a seed would give other scenarios than before.
REVISION = "1"
_WORDS = toml_of(__package__, "scenario_words.toml")
_ATTEMPTS, _TRIES, _SHARES_TRIED = 5_000, 15, 5
_NONE = Fraction(0)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
# Lowest, behind the highest, step.
Ends = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Sizes:
    """What amounts look like: in which units, and from lowest to highest in steps."""

    told: int  # of the smaller unit make one larger one
    each: tuple[str, str]
    alone: str
    dear: Ends
    small: Ends
    extra: Ends
    alone_is_small: bool = False  # whether what stands alone is told in the smaller unit
    dear_is_small: bool = False  # and the price of a dear thing

    def ends(self, kind: str) -> Ends:
        """What an amount of a part of this kind lies between."""
        return {"counted": self.dear, "amount": self.extra}.get(kind, self.small)

    def grid(self, kind: str) -> range:
        return range(*self.ends(kind))

    def larger(self, amount: int) -> str:
        """An amount in the larger unit; money has no cents or two."""
        whole, rest = divmod(amount, self.told)
        if not rest:
            return str(whole)
        text = f"{amount / self.told:.2f}" if "$" in self.alone else f"{amount / self.told:.3f}"
        return text if "$" in self.alone else text.rstrip("0")

    def apart(self, amount: int) -> str:
        """What stands alone, as a sentence has it."""
        text = f"{amount:,}" if self.alone_is_small else self.larger(amount)
        return self.alone.format(n=text)

    def written(self, amount: int, is_small: bool) -> str:
        """An amount in the larger unit, as an equation has it."""
        return f"{amount} / {self.told}" if is_small else self.larger(amount)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a scenario is about, and the things that it counts."""

    key: str
    category: str
    quantity: str
    task: str
    phrase: Phrase
    sizes: Sizes
    scales: Mapping[str, Sizes]
    says: Mapping[str, Any]
    does: str
    dear: Sequence[str]
    small: Sequence[str]
    rest: Sequence[str]
    extra: Sequence[str]
    aside: str

    def scenario(
        self, name: str, label: Label, verbal: bool, pairs: Sequence[tuple[str, str]],
        pattern: str = "", difficulty: int = 0,
    ) -> Scenario:  # fmt: skip
        """The scenario of two people's sentences, each with its equation."""
        (sentence1, equation1), (sentence2, equation2) = pairs
        return Scenario(
            name, sentence1, sentence2, self.category, self.quantity, self.task,
            label, equation1, equation2, verbal, self.phrase,
            pattern=pattern or self.key, difficulty=difficulty,
        )  # fmt: skip


@cache
def subjects() -> Mapping[str, Sequence[Subject]]:
    """Every subject by its category, in the order of the file."""
    # A range has no last step in a file: the highest is one of its values.
    sizes: dict[str, Sizes] = {}
    for name, told in _WORDS["sizes"].items():
        ends: dict[str, Any] = {k: (told[k][0], told[k][1] + 1, told[k][2]) for k in _SIZED}
        sizes[name] = Sizes(**{**told, **ends})
    found: dict[str, list[Subject]] = {}
    for key, entry in toml_of(__package__, "scenarios.toml").items():
        own = dict(entry)
        scale, asks = own.pop("scale", own["quantity"]), own.pop("asks", None)
        phrase = Phrase(**asks) if asks else phrase_for(own["task"], own["quantity"])
        # What an amount alone comes to need not be round where others are not.
        fine = replace(sizes[scale], extra=(*sizes[scale].extra[:2], 1))
        scales = {"two units": fine, "round": sizes[f"{scale}-round"]}
        subject = Subject(key, own.pop("category"), own.pop("quantity"), own.pop("task"), phrase,
                          sizes[scale], scales, _WORDS[entry["quantity"]], **own)  # fmt: skip
        found.setdefault(subject.category, []).append(subject)
    return found


_SIZED = ("dear", "small", "extra")


def in_words(share: str) -> str:
    """ "two-sevenths" for 2/7; a percentage stands as it is."""
    if share.endswith("%"):
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


_RATIOS = {
    share: share_of(share).as_integer_ratio()
    for kind in ("easy", "shares")
    for share in chain(*_WORDS[kind].values())
}


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

    def sizes_of(self, subject: Subject) -> Sizes:
        return subject.scales[self.sizes]


LEVELS = levels_of(__package__, Level)


def generate(
    levels: Sequence[int], n: int, seed: int, subset: str | Sequence[str] | None = None
) -> ItemSet[Scenario]:
    """So many scenarios, levels in turns; within each, categories and labels in turns."""
    wanted = choose("subset", subset, SUBSETS)
    return in_turns(levels, n, seed, REVISION, partial(_scenarios, seed=seed, subsets=wanted))


def _scenarios(level: int, seed: int, subsets: Sequence[str]) -> Iterator[Scenario]:
    """A level's scenarios without an end; those of other subsets are drawn, and left out."""
    rng = Random(f"mathcomp/{REVISION}/{seed}/{level}")
    about = {own: cycle(rng.sample(of, len(of))) for own, of in subjects().items()}
    categories, labels = endless(list(about), rng), endless(TARGETS, rng)
    known: set[str] = set()
    for number in count(1):
        subject, label = next(about[next(categories)]), next(labels)
        name = f"g{seed}-{level:02}-{number:04}"
        made = _scenario(name, subject, level, label, rng)
        while made.sentence1 in known:
            made = _scenario(name, subject, level, label, rng)
        known.add(made.sentence1)
        if made.subset in subsets:
            yield made


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
        if (pair := _pair(of.sizes_of(subject), of, label, verbal, rng)) is None:
            continue
        # What a friend has is in neither list: it can't be taken for a part of either total.
        *rest, friend1, friend2 = rng.sample(subject.rest, len(subject.rest))
        told = [
            _told(subject, of, *account, person, rest, friend, rng)
            for account, person, friend in zip(
                pair, ("{A}", "{B}"), (friend1, friend2), strict=True
            )
        ]
        texts = [text for text, _ in told]
        if not of.fair or label == "equal" or _is_fair(texts, label, right):
            return subject.scenario(name, label, verbal, told, f"generated-{subject.key}", level)
    raise ValueError(f"{name}: no totals labelled {label!r} in {_ATTEMPTS} draws")


def _is_fair(texts: Sequence[str], label: Label, right: Sequence[bool]) -> bool:
    """Whether the largest number and the first point to the larger total as they are to.

    A coin says so for each; a reader who goes by them is then right in one of two.
    """
    numbers = [[float(n.replace(",", "")) for n in _NUMBER.findall(text)] for text in texts]
    points = [
        0 if one == other else 1 if (other > one) == (label == "more") else -1
        for one, other in (map(max, numbers), (each[0] for each in numbers))
    ]
    if numbers[0][2:] == [] and (min(numbers[1]) > min(numbers[0])) == (
        max(numbers[1]) > max(numbers[0])
    ):
        return False
    return all(
        point in (0, 1 if is_right else -1) for point, is_right in zip(points, right, strict=True)
    )


def _pair(
    sizes: Sizes, of: Level, label: Label, verbal: bool, rng: Random
) -> Sequence[Account] | None:
    """Two people's parts, whose totals have the label; nothing if this draw has none."""
    shares = _WORDS[of.shares]["verbal" if verbal else "arabic"]
    step, swapped = sizes.extra[2], rng.random() < 0.5
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

    Nothing where a share comes out in no whole number of the smaller unit.
    """
    parts: list[Part] = []
    amounts: list[int] = []
    for kind in [*of.parts, *["amount"] * of.amounts]:
        if kind in ("counted", "small", "amount", "further"):
            own = len(amounts)
            amounts.append(rng.choice(sizes.grid(kind)))
        if kind in _THINGS or kind == "amount":
            number = rng.randint(*_THINGS[kind]) if kind in _THINGS else 1
            slope = _NONE if own else Fraction(number)
            parts.append(Part(kind, number * amounts[-1], slope, own, number))
            continue
        base = rng.choice([i for i, part in enumerate(parts) if part.kind in _THINGS])
        shown = len(parts) - 1
        bases = {"chain": [shown], "pair": [base, shown]}.get(kind, [base])
        value = sum(parts[i].value for i in bases)
        slope = sum((parts[i].slope for i in bases), _NONE)
        if kind == "further":
            parts.append(Part(kind, value + amounts[-1], slope, own, of=bases))
            continue
        share = _share_of(value, shares, sizes.small[0], rng)
        if not share:
            return None
        by = share_of(share)
        parts.append(Part(kind, int(value * by), slope * by, share=share, of=bases))
    return parts, amounts


def _share_of(value: int, shares: Sequence[str], least: int, rng: Random) -> str:
    """A share that comes out in a whole number, and in more than next to nothing; else none."""
    for share in rng.sample(shares, _SHARES_TRIED):
        above, below = _RATIOS[share]
        if value * above % below == 0 and value * above >= least * below:
            return share
    return ""


def _settle(sizes: Sizes, account: Account, wanted: int) -> bool:
    """Change the first amount and the last so that the total is the wanted one, if they can."""
    parts, amounts = account
    slope = sum((part.slope for part in parts), _NONE)
    # In such steps every part stays a whole number.
    step = lcm(sizes.ends(parts[0].kind)[2], *(part.slope.denominator for part in parts))
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
    sizes, says = of.sizes_of(subject), subject.says
    pools = {"counted": subject.dear, "small": subject.small, "amount": subject.extra}
    free = {kind: rng.sample(pool, len(pool)) for kind, pool in (pools | {"": rest}).items()}
    if "amount" in of.parts:
        free["amount"] = free[""]
    names: list[str] = []
    written: list[str] = []
    listed, texts = [list[str](), list[str]()], list[str]()
    for part in parts:
        name = free[part.kind if part.kind in free else ""].pop()
        names.append(name)
        of_all = " + ".join(written[i] for i in part.of)
        words = dict(zip(("one", "two"), (names[i] for i in part.of), strict=False)) | {"it": name}
        amount = amounts[part.own]
        if part.kind in _THINGS:
            is_small = part.kind == "small" or sizes.dear_is_small
            price = f"{amount:,}" if is_small else sizes.larger(amount)
            each = sizes.each[part.kind == "small"].format(n=price)
            listed[0].append(f"{part.number} {name} {each}")
            written.append(f"({part.number} \u00d7 {sizes.written(amount, is_small)})")
            continue
        listed[1].append(name)
        if part.share:
            form = rng.choice(says["of_two" if len(part.of) > 1 else "of_one"])
            texts.append(form.format(share=in_words(part.share), **words))
            written.append(
                f"({part.share} \u00d7 {of_all})"
                if len(part.of) == 1
                else f"({part.share} \u00d7 ({of_all}))"
            )
            continue
        own = sizes.written(amount, sizes.alone_is_small)
        written.append(f"({of_all} + {own})" if part.of else own)
        words |= {"It": name[0].upper() + name[1:], "x": sizes.apart(amount)}
        texts.append((says["further"] if part.of else rng.choice(says["extra"])).format(**words))
    equation = " + ".join(written)
    if "amount" in of.parts:
        one, two = rng.sample(range(2), 2)
        words = {
            "it": names[one],
            "x": sizes.apart(amounts[one]),
            "other": names[two],
            "y": sizes.apart(amounts[two]),
        }
        return says["two"].format(P=person, does=subject.does, **words), equation
    *most, last = [*listed[0], *rng.sample(listed[1], len(listed[1]))]
    amount = rng.choice(range(*sizes.extra))
    amount += sizes.extra[2] * (amount == sizes.told)
    words = {"P": person, "x": sizes.apart(amount), "it": friend, "does": subject.does}
    asides = [says["friend"].format(**words), subject.aside.format(P=person, k=rng.randint(12, 89))]
    texts += rng.sample(asides, of.asides)
    rng.shuffle(texts)
    things = f"{', '.join(most)}{',' * (len(most) > 1)} and {last}"
    return f"{person} {subject.does} {things}. {' '.join(texts)}", equation
