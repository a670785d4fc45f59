"""What a machine can find odd in Instruction Boundary's items, with ids."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from askew.papers.instruction_boundary.paper import SETTINGS
from askew.papers.instruction_boundary.questions import BoundaryItem, mentions_others
from askew.schema import Finding

# Standard errors above chance from which a favourite place of the right option is no accident.
_FAVOURED = 4.0
_ENDINGS = ("ing", "ies", "ed", "es", "s")


def find(items: Sequence[BoundaryItem]) -> list[Finding]:
    """Every finding; `excluded` marks what is no sound item of its form."""
    choice = [item for item in items if item.family == "choice"]
    found = [*_repeats(items)]
    for item in choice:
        found += [*_option_findings(item), *_gold_findings(item)]
    found += [finding for item in items for finding in _label_findings(item)]
    return [*found, *_position_findings(choice), *_passage_findings(choice)]


def _repeats(items: Sequence[BoundaryItem]) -> Iterator[Finding]:
    """Items that ask the same, or the same with another truth."""
    first: dict[tuple[object, ...], BoundaryItem] = {}
    for item in items:
        asked = (
            item.subset,
            *(_folded(text) for text in (item.passage, item.question)),
            frozenset(_folded(option) for option in item.options),
        )
        earlier = first.setdefault(asked, item)
        if earlier is item:
            continue
        if _truth_words(earlier) == _truth_words(item):
            message = f"asks the same as {earlier.id}: kept, in one bootstrap unit"
            yield Finding(item.id, "repeat", message)
        else:
            message = f"asks the same as {earlier.id}, with another answer"
            for one in (earlier, item):
                yield Finding(one.id, "contradiction", message, excluded=True)


def _truth_words(item: BoundaryItem) -> frozenset[str]:
    return frozenset([item.form, *(_folded(item.options[i]) for i in item.gold)])


def _option_findings(item: BoundaryItem) -> Iterator[Finding]:
    if mentions_others(item.options):
        message = "an option speaks of other options: it does not survive a shuffle"
        yield Finding(item.id, "option about options", message, excluded=True)
    right = {_folded(item.options[i]) for i in item.gold}
    for text, number in Counter(_folded(o) for o in item.options).items():
        if number == 1:
            continue
        what = "right" if text in right else "wrong"
        message = f"the {what} option {text!r:.60} is offered {number} times"
        yield Finding(item.id, "same option twice", message, excluded=text in right)


def _label_findings(item: BoundaryItem) -> Iterator[Finding]:
    """Items whose own words name a label."""
    for label in SETTINGS["missing_choices"].variants[item.family]:
        if item.says(label):
            message = f"its text says {label!r}: not asked where that label goes missing"
            yield Finding(item.id, "label in the text", message)


def _gold_findings(item: BoundaryItem) -> Iterator[Finding]:
    """None items that still offer the option that was taken out, in its words or near them."""
    if not item.missing_gold:
        return
    gone = _stems(item.missing_gold)
    for option in item.options:
        left = _stems(option)
        if left == gone:
            message = f"{option!r:.60} is the option taken out, {item.missing_gold!r:.60}"
            yield Finding(item.id, "right option still offered", message, excluded=True)
        elif left and gone and (left < gone or gone < left):
            message = f"{option!r:.60} shares words with {item.missing_gold!r:.60}: look at it"
            yield Finding(item.id, "right option resembled", message)


def _position_findings(choice: Sequence[BoundaryItem]) -> Iterator[Finding]:
    """Sources whose right option has a favourite place."""
    places: defaultdict[tuple[str, int], Counter[int]] = defaultdict(Counter)
    for item in choice:
        if item.form == "single":
            places[(item.source or item.subset, len(item.options))][item.gold[0]] += 1
    for (source, size), counts in places.items():
        n, (place, most) = counts.total(), counts.most_common(1)[0]
        excess = (most - n / size) / math.sqrt(n / size * (1 - 1 / size))
        if excess > _FAVOURED:
            message = (
                f"the right one of {size} options stands at place {place + 1} in {most} of {n} "
                "items: options are shuffled, seeded"
            )
            yield Finding(source, "position of the right option", message)


def _passage_findings(choice: Sequence[BoundaryItem]) -> Iterator[Finding]:
    """Passages that come with one form only: what the layout cannot hide."""
    with_passage: defaultdict[str, Counter[str]] = defaultdict(Counter)
    forms: defaultdict[str, set[str]] = defaultdict(set)
    for item in choice:
        forms[item.subset].add(item.form)
        if item.passage:
            with_passage[item.subset][item.form] += 1
    for subset, counts in with_passage.items():
        if len(forms[subset]) > 1 and len(counts) == 1:
            (form,) = counts
            message = (
                f"only {form} items carry a passage ({counts[form]}), and need it: a passage "
                "still gives the form away"
            )
            yield Finding(subset, "leaking passage", message)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .,;:!?\"'")


def _stems(text: str) -> frozenset[str]:
    """Words without their commonest endings and without articles."""
    words = re.findall(r"[a-z0-9]+", text.casefold())
    return frozenset(_stem(word) for word in words if word not in ("a", "an", "the", "to", "in"))


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
