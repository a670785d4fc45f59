"""Derivations to choose from: what is told in which words, and what then follows from what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random
from typing import Any

from askew.files import toml_of
from askew_authoring.knowno.generator.formulas import Definition, Node, Value, latex, put_in, read

FRAMES: Mapping[str, Sequence[str]] = toml_of(__package__, "frames.toml")
# The values that a check draws for quantities of each kind; a few kinds are whole numbers.
_WHOLE: Mapping[str, tuple[int, int]] = {"few": (2, 3), "place": (2, 4), "count": (5, 7)}
_WHOLE_OR_NOT: Mapping[str, tuple[float, float]] = {
    "share": (0.12, 0.88), "low": (0.08, 0.4), "high": (0.55, 0.95), "real": (0.6, 3.5),
    "large": (5.0, 9.0), "many": (40.0, 60.0),
}  # fmt: skip
_PUT = re.compile(r"\{([^{}]+)\}")
Cell = tuple[int, ...]
"""Of each step, which of its ways."""


@dataclass(frozen=True)
class Quantity:
    """Something that a passage names: what kind of number it is, and the letters it may have."""

    kind: str
    letters: tuple[str, ...]
    indexed: bool

    def value(self, seed: str) -> Value:
        """A value for it, the same for the same seed; an indexed one has one for each index."""
        if self.indexed:
            return lambda *at: _drawn(self.kind, f"{seed}/{[*map(round, at)]}")
        return _drawn(self.kind, seed)


def _drawn(kind: str, seed: str) -> float:
    rng = Random(seed)
    return rng.randint(*_WHOLE[kind]) if kind in _WHOLE else rng.uniform(*_WHOLE_OR_NOT[kind])


@dataclass(frozen=True)
class Step:
    """A quantity that is put into others: ways to say what it is, each with its formula."""

    quantity: Node
    ways: tuple[tuple[str, Node], ...]

    @property
    def indexes(self) -> tuple[str, ...]:
        return tuple(index.name for index in self.quantity.parts)


@dataclass(frozen=True, eq=False)
class Derivation:
    """A core, and perhaps a last step made of it."""

    name: str
    last: str
    asked: Node
    core: Node
    quantities: Mapping[str, Quantity]
    steps: tuple[Step, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(step.ways) for step in self.steps)

    def values(self, draw: int) -> dict[str, Value]:
        """Numbers for all given quantities: of one draw."""
        return {
            name: quantity.value(f"{self.name}/{draw}/{name}")
            for name, quantity in self.quantities.items()
            if quantity.kind != "index"
        }

    def letters(self, rng: Random) -> dict[str, str] | None:
        """A letter for each quantity, none like another; nothing where this draw fails."""
        taken: dict[str, str] = {}
        for name, quantity in self.quantities.items():
            looks = {x.replace("\\var", "\\") for x in taken.values()}
            free = [x for x in quantity.letters if x.replace("\\var", "\\") not in looks]
            if not free:
                return None
            taken[name] = rng.choice(free)
        return taken

    def texts(self, cell: Cell, letters: Mapping[str, str]) -> list[str]:
        """What is told before the equation and after it."""
        ways = {s.quantity.name: s.ways[w][0] for s, w in zip(self.steps, cell, strict=True)}
        return [
            self.told(" ".join(ways[t[1:]] if t[0] == "@" else t for t in side), letters)
            for side in (self.before, self.after)
        ]

    def told(self, text: str, letters: Mapping[str, str]) -> str:
        """A text with its quantities in LaTeX."""

        def put(found: re.Match[str]) -> str:
            node = self.core if found[1] == "core" else read(found[1])
            return f"${latex(node, letters)}$"

        return _PUT.sub(put, text)


@cache
def formula_of(of: Derivation, cell: Cell) -> Node:
    """What is asked for, with every step put in."""
    known: dict[str, Definition] = {}
    for step, way in zip(of.steps, cell, strict=True):
        known[step.quantity.name] = (step.indexes, put_in(step.ways[way][1], known))
    return known[of.asked.name][1]


@cache
def derivations() -> tuple[Derivation, ...]:
    """Every core by itself, and with each last step that fits it."""
    return tuple(_all())


def _all() -> Iterator[Derivation]:
    lasts = toml_of(__package__, "tails.toml")
    for name, told in toml_of(__package__, "cores.toml").items():
        asked, quantities = read(told["asks"]), _quantities(told["symbols"])
        steps, before = (
            tuple(_step(name, ways, {}) for name, ways in told["steps"]),
            tuple(told["before"]),
        )
        after = tuple(told["after"])
        yield Derivation(name, "", asked, asked, quantities, steps, before, after)
        for last in told["lasts"]:
            final = _step("final", lasts[last]["ways"], {"core": ((), asked)})
            yield Derivation(
                name, last, final.quantity, asked,
                {**quantities, **_quantities(lasts[last]["symbols"])},
                (*steps, final), (*before, "@final"), after,
            )  # fmt: skip


def _quantities(told: Mapping[str, str]) -> dict[str, Quantity]:
    found = {}
    for name, said in told.items():
        kind, letters = said.split(":")
        found[name.removesuffix("[]")] = Quantity(kind, tuple(letters.split()), "[]" in name)
    return found


def _step(quantity: str, ways: Any, known: Mapping[str, Definition]) -> Step:
    told = [["", ways]] if isinstance(ways, str) else ways
    return Step(read(quantity), tuple((text, put_in(read(said), known)) for text, said in told))
