"""Treatments: labelled ways to bend a task that somebody else wrote. One file each, found by name.

Whoever brings a treatment in a package of their own names it under the entry point group
`askew.treatments`, as `name = "package.module:TREATMENT"`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from askew.parameters import SelectionError, near, quoted
from askew.treatments.shape import Arm, Ask, Place, Treatment

__all__ = [
    "GROUP",
    "OWN",
    "Arm",
    "Ask",
    "Place",
    "Treatment",
    "treatment_named",
    "treatments",
]

OWN = (
    "repeat", "absent", "none_offered", "order", "options", "suggestion", "framing", "system",
    "reflection", "format", "tool_order", "tool_absent", "tool_wording", "tool_result",
)  # fmt: skip
GROUP = "askew.treatments"


@cache
def treatments() -> dict[str, Treatment]:
    """All treatments by name: askew's in their usual order, then others'."""
    found: dict[str, Treatment] = {}
    for name in OWN:
        found[name] = import_module(f"{__name__}.{name}").TREATMENT
    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        if point.name not in found:
            found[point.name] = _checked(point.name, point.load())
    return found


def treatment_named(name: str) -> Treatment:
    """A treatment by its name."""
    found = treatments().get(name)
    if found is None:
        raise SelectionError(
            f"treatments={quoted(name)}: no such treatment. {near(name, treatments())}"
        )
    return found


def _checked(name: str, found: object) -> Treatment:
    if not isinstance(found, Treatment) or found.name != name:
        raise SelectionError(
            f"the entry point {GROUP} {name!r} is not a Treatment of that name; see docs/bend.md"
        )
    return found
