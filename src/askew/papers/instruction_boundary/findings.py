"""Questions that are no sound items of their form: those that `strict_items` leaves out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from askew.papers.instruction_boundary.questions import BoundaryItem, mentions_others
from askew.schema import Finding

# The commonest endings of words, behind three letters or more.
_ENDING = re.compile(r"(?<=...)(?:ing|ies|ed|es|s)$")


def find(items: Sequence[BoundaryItem]) -> list[Finding]:
    """Find repeats, and options that are unsound; `excluded` marks what is left out.

    Args:
        items: as a file or the generator gives them.
    """
    return [*_repeats(items), *(finding for item in items for finding in _of_options(item))]


def _repeats(items: Sequence[BoundaryItem]) -> Iterator[Finding]:
    """Items that ask the same, or the same with another truth."""
    first: dict[tuple[object, ...], BoundaryItem] = {}
    for item in items:
        texts = _folded(item.passage), _folded(item.question), frozenset(map(_folded, item.options))
        earlier = first.setdefault((item.subset, *texts), item)
        if earlier is item:
            continue
        same = f"asks the same as {earlier.id}"
        truths = [{i.form, *(_folded(i.options[n]) for n in i.gold)} for i in (earlier, item)]
        if truths[0] == truths[1]:
            yield Finding(item.id, "repeat", f"{same}: kept, in one bootstrap unit")
            continue
        for one in (earlier, item):
            yield Finding(one.id, "contradiction", f"{same}, with another answer", excluded=True)


def _of_options(item: BoundaryItem) -> Iterator[Finding]:
    """Options about others or offered twice, and the one taken out where it is still offered."""
    if mentions_others(item.options):
        message = "an option speaks of other options: it does not survive a shuffle"
        yield Finding(item.id, "option about options", message, excluded=True)
    right = {_folded(item.options[i]) for i in item.gold}
    for text, number in Counter(map(_folded, item.options)).items():
        if number > 1:
            what = "right" if text in right else "wrong"
            message = f"the {what} option {text!r:.60} is offered {number} times"
            yield Finding(item.id, "same option twice", message, excluded=text in right)
    gone = _stems(item.missing_gold)
    for option in item.options if item.missing_gold else ():
        left = _stems(option)
        if left == gone:
            message = f"{option!r:.60} is the option taken out, {item.missing_gold!r:.60}"
            yield Finding(item.id, "right option still offered", message, excluded=True)
        elif left and gone and (left < gone or gone < left):
            message = f"{option!r:.60} shares words with {item.missing_gold!r:.60}: look at it"
            yield Finding(item.id, "right option resembled", message)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .,;:!?\"'")


def _stems(text: str) -> frozenset[str]:
    """Words without their commonest endings and without articles."""
    words = set(re.findall(r"[a-z0-9]+", text.casefold())) - {"a", "an", "the", "to", "in"}
    return frozenset(_ENDING.sub("", word) for word in words)
