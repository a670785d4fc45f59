"""Treatments of any Inspect task by name; packages add theirs as entry points of `GROUP`."""

from functools import cache
from importlib.metadata import entry_points

from askew.parameters import SelectionError, load_or_tell, name_hint, wrong_value
from askew.treatments import dialogue, messages, options, tools, wordings
from askew.treatments.base import Arm, Case, Place, Repeat, Treatment

__all__ = ["GROUP", "OWN", "Arm", "Case", "Place", "Treatment", "get_treatment", "treatments"]

_OWN: tuple[Treatment, ...] = (
    Repeat(), *wordings.TREATMENTS, *options.TREATMENTS, *messages.TREATMENTS,
    *dialogue.TREATMENTS, *tools.TREATMENTS,
)  # fmt: skip
OWN = tuple(treatment.name for treatment in _OWN)
GROUP = "askew.treatments"


@cache
def treatments() -> dict[str, Treatment]:
    """All treatments by name: askew's in their usual order, then others'."""
    found = {treatment.name: treatment for treatment in _OWN}
    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        if point.name not in found:
            made = load_or_tell(point, Treatment)
            if made and made.name != point.name:
                told = f"the entry point {GROUP} {point.name!r} is not a Treatment of that name"
                raise SelectionError(f"{told}; see docs/reference/bend.md")
            found |= {made.name: made} if made else {}
    return found


def get_treatment(name: str) -> Treatment:
    """A treatment by its name."""
    found = treatments().get(name)
    if found is None:
        hint = name_hint(name, treatments())
        raise wrong_value("treatments", name, f"no such treatment. {hint}")
    return found
