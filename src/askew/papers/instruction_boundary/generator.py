"""Theories from a seed at ten levels of difficulty: the items of `data=generated`.

A theory tells of three people, and has three chains of rules of one shape. One leads from what the
first person is to the goal, one from what the second is to its negation; the third, from what the
third is, breaks off at one link. The conclusion states the goal of one of the three: it is true,
false or unknown. So all but the name in the conclusion is the same under each label, and nothing
that can be counted tells them apart. `difficulty.toml` says what each level adds.

Labels are exact by construction. No two chains share a property but the goal; other rules lead out
of a chain to properties that no chain has, or need a property that no one has. So the first two
goals are proved, no rule or fact contradicts another, and the third is open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Literal as OneOf
from typing import NamedTuple

from askew.files import toml_of
from askew.papers.instruction_boundary.paper import PAPER, Form
from askew.papers.instruction_boundary.questions import BoundaryItem
from askew.sources.levels import Generator, endless, levels_of, listed

REVISION = "2"
_WORDS = toml_of(__package__, "theory_words.toml")
_NAMES, _ADJECTIVES = (tuple(_WORDS[kind].split()) for kind in ("names", "adjectives"))
# Which label the conclusion about each of the three people has.
LABELS: tuple[Form, ...] = ("true", "false", "unknown")


class Property(NamedTuple):
    """What a person is, or is not."""

    word: str
    positive: bool = True

    @property
    def opposite(self) -> Property:
        return Property(self.word, not self.positive)

    @property
    def text(self) -> str:
        return self.word if self.positive else f"not {self.word}"


class Rule(NamedTuple):
    """Who has all properties of the body has the head; of two heads, at least one."""

    body: Sequence[Property]
    head: Sequence[Property]


@dataclass(frozen=True, slots=True)
class Level:
    """What the chains of a theory are made of at a level of difficulty."""

    adds: str
    depth: int
    pairs: int = 0
    derived: int = 0
    turned: int = 0
    cases: int = 0
    strays: int = 0
    idle: int = 0
    negation: float = 0.0
    forms: OneOf["plain", "all"] = "plain"


LEVELS = levels_of(__package__, Level)


def _items(level: int, seed: int, subsets: Sequence[str]) -> Iterator[BoundaryItem]:
    """A level's items without an end; each has a theory of its own."""
    rng = Random(f"instruction_boundary/{REVISION}/{seed}/{level}")
    labels = endless(LABELS, rng)
    for number in count(1):
        name, label = f"g{seed}-{level:02}-{number:04}", next(labels)
        theory = Theory(LEVELS[level], rng)
        # Names are in a random order, so the label is in no one's name.
        asked = theory.people[LABELS.index(label)]
        yield BoundaryItem(
            name, "logic", name, "judging", label, "\n".join(theory.sentences()),
            _fact(asked, [theory.goal]), difficulty=level,
        )  # fmt: skip


generate = Generator(_items, REVISION, 120, PAPER.selection("generated"))


class Theory:
    """Facts about three people, and rules of which three chains lead to a goal or not to it."""

    def __init__(self, level: Level, rng: Random) -> None:
        self.level, self.rng = level, rng
        self.people = rng.sample(_NAMES, len(LABELS))
        self.rules: list[Rule] = []
        self._left = list(_ADJECTIVES)
        # Which links are of which kind is the same in all chains.
        links = range(level.depth)
        self._pairs = rng.sample(links, level.pairs)
        self._derived = self._pairs[: level.derived]
        ways = rng.sample(links, level.turned + level.cases)
        self._turned, self._cases = ways[: level.turned], ways[level.turned :]
        self.goal = self._new()
        ends = [self.goal, self.goal.opposite, rng.choice((self.goal, self.goal.opposite))]
        self._steps: list[Property] = []
        proofs = [self._chain(end, broken) for end, broken in zip(ends, (-1, -1, rng.choice(links)),
                                                                 strict=True)]  # fmt: skip
        aside = self._strays(ends)
        self.facts = []
        for own in proofs:
            # Conditions of the other chains lead nowhere without what comes before them.
            others = [p for proof in proofs if proof is not own for p in proof[1:]]
            self.facts.append([*own, *rng.sample([*aside, *others], level.idle)])

    def sentences(self) -> list[str]:
        """Facts and then rules, each in any order."""
        facts = [_fact(*told) for told in zip(self.people, self.facts, strict=True)]
        rules = [_rule(rule, self.level.forms, self.rng) for rule in self.rules]
        return [*self.rng.sample(facts, len(facts)), *self.rng.sample(rules, len(rules))]

    def _new(self, positive: bool = False) -> Property:
        """A property that nothing was said of yet."""
        left, drawn = self._left, self.rng.random() >= self.level.negation
        place = int(self.rng.random() * len(left))
        left[place], left[-1] = left[-1], left[place]
        return Property(left.pop(), positive or drawn)

    def _chain(self, end: Property, broken: int) -> list[Property]:
        """Rules from a person's facts to the end, but for the broken link; returns the facts."""
        step = self._new()
        facts = [step]
        for link in range(self.level.depth):
            then = end if link == self.level.depth - 1 else self._new()
            breaks = ["reversed", "elsewhere", *["unmet"] * (link in self._pairs)]
            how = self.rng.choice(breaks) if link == broken else ""
            body = [step]
            if link in self._pairs:
                condition = told = self._new()
                if link in self._derived:
                    told = self._new()
                    self._add([told], condition)
                body.append(condition)
                facts.append(self._new() if how == "unmet" else told)
            self._add_link(link, body, then, how)
            self._steps.append(step)
            step = then
        return facts

    def _add_link(self, link: int, body: list[Property], then: Property, how: str) -> None:
        """The rules of one link, or those that only look like it: turned round, or to elsewhere."""
        step, *rest = body
        if link in self._cases:
            one, other = self._new(positive=True), self._new(positive=True)
            self._add(body, one, other)
            self._add([one], then)
            if how == "reversed":
                self._add([then], other)
            else:
                self._add([other], self._new() if how == "elsewhere" else then)
            return
        if how == "reversed":
            step, then = then, step
        elif how == "elsewhere":
            then = self._new()
        if link in self._turned:
            step, then = then.opposite, step.opposite
        self._add([step, *rest], then)

    def _strays(self, ends: Sequence[Property]) -> list[Property]:
        """Rules that lead out of chains, or into them from what no one is; what leads nowhere."""
        rng, aside = self.rng, [self._new() for _ in range(self.level.idle and 2)]
        for number in range(self.level.strays):
            inner = rng.choice(self._steps)
            if number % 2:
                heads = [p for p in (*self._steps, *ends[:2]) if p != inner]
                self._add([self._new(), *[inner] * (rng.random() < 0.5)], rng.choice(heads))
                continue
            # A second condition may be told of anyone.
            second = rng.sample(aside, 1) if aside and rng.random() < 0.5 else []
            aside.append(self._new())
            self._add([inner, *second], aside[-1])
        return aside

    def _add(self, body: Sequence[Property], *head: Property) -> None:
        self.rules.append(Rule(self.rng.sample(body, len(body)), head))


def _fact(person: str, properties: Sequence[Property]) -> str:
    return f"{person} is {_said(properties)}."


def _rule(rule: Rule, forms: str, rng: Random) -> str:
    """A rule in one of the forms that fit it."""
    body, head = rule
    fits = {
        "denies": not head[0].positive and all(p.positive for p in body),
        "affirms": len(body) == 1 and body[0].positive and head[0].positive,
    }
    offered = _WORDS["forms"]["cases" if len(head) > 1 else forms]
    form = rng.choice([text for text, *needs in offered if all(fits[need] for need in needs)])
    texts = {"body": _said(body), "head": " or ".join(p.text for p in head), "denied": head[0].word}
    return str(form.format(**texts))


def _said(properties: Sequence[Property]) -> str:
    """Properties as one phrase, "not" last, so that it can't reach over an "and"."""
    yes, no = ([p.word for p in properties if p.positive is sign] for sign in (True, False))
    denied = f"not {no[0]}" if len(no) == 1 else f"neither {' nor '.join(no)}"
    return " but ".join([listed(yes)] * bool(yes) + [denied] * bool(no))
