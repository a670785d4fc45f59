"""Derivations to choose from: what is told in which words, and what then follows from what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random
from typing import Any

from askew.files import toml_of
from askew_authoring.knowno.generator.formulas import (
    Definition,
    Node,
    Value,
    latex,
    read,
    substitute,
)

FRAMES: Mapping[str, Sequence[str]] = toml_of(__package__, "frames.toml")["frames"]
_KINDS = toml_of(__package__, "frames.toml")["kinds"]
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

        def drawn(seed: str) -> float:
            low, high = _KINDS[self.kind]
            rng = Random(seed)
            return rng.randint(low, high) if isinstance(low, int) else rng.uniform(low, high)

        return (lambda *at: drawn(f"{seed}/{[*map(round, at)]}")) if self.indexed else drawn(seed)


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
        given = (
            (n, quantity) for n, quantity in self.quantities.items() if quantity.kind in _KINDS
        )
        return {name: quantity.value(f"{self.name}/{draw}/{name}") for name, quantity in given}

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

    @cache  # noqa: B019 -- there are as many as in the files
    def formula(self, cell: Cell) -> Node:
        """What is asked for, with every step put in."""
        known: dict[str, Definition] = {}
        for step, way in zip(self.steps, cell, strict=True):
            known[step.quantity.name] = (step.indexes, substitute(step.ways[way][1], known))
        return known[self.asked.name][1]


@cache
def derivations() -> tuple[Derivation, ...]:
    """Every core by itself, and with each last step that fits it."""
    cores = toml_of(__package__, "cores.toml").items()
    return tuple(each for name, entry in cores for each in _of_core(name, entry))


def _of_core(name: str, entry: Mapping[str, Any]) -> Iterator[Derivation]:
    target, quantities = read(entry["asks"]), _quantities(entry["symbols"])
    steps = tuple(_step(quantity, ways) for quantity, ways in entry["steps"])
    before, after = tuple(entry["before"]), tuple(entry["after"])
    yield Derivation(name, "", target, target, quantities, steps, before, after)
    for last in entry["lasts"]:
        tail = toml_of(__package__, "tails.toml")[last]
        final = _step("final", tail["ways"], {"core": ((), target)})
        every = {**quantities, **_quantities(tail["symbols"])}
        yield Derivation(
            name, last, final.quantity, target, every, (*steps, final), (*before, "@final"), after
        )


def _quantities(symbols: Mapping[str, str]) -> dict[str, Quantity]:
    split = {name: symbol.split(":") for name, symbol in symbols.items()}
    return {
        name.removesuffix("[]"): Quantity(kind, tuple(letters.split()), "[]" in name)
        for name, (kind, letters) in split.items()
    }


def _step(quantity: str, ways: Any, known: Mapping[str, Definition] | None = None) -> Step:
    texts = [["", ways]] if isinstance(ways, str) else ways
    return Step(
        read(quantity), tuple((text, substitute(read(term), known or {})) for text, term in texts)
    )
