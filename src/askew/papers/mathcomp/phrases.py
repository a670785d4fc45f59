"""The words of a MathComp question that depend on the task and the quantity.

Figure 1 prints its questions for time spent on home maintenance. `Phrase` holds
the words that change with the scenario; they stand in these places:

    How does the amount of {noun} B {verb_s} {rest} compare to that of A?
    Does B {verb} more {noun} {rest} than A?

Money and time fit the printed wording as they are (`spends money on groceries`).
Distance is covered, not spent. Weight and the quantity "others" need words of
their own, and so do task phrases that don't fit; `mathcomp_phrase_table` lists
them with the reasons. A noun must be one that "amount", "more" and "less" all
fit ("reading", not "pages": nobody reads "less pages").
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

QUANTITIES = ("money", "time", "distance", "weight", "others")


@dataclass(frozen=True, slots=True)
class Phrase:
    """What is compared (`noun`), what a person does with it (`verb`), and in what (`rest`)."""

    noun: str
    verb: str
    verb_s: str
    rest: str = ""

    @property
    def tail(self) -> str:
        """The rest as it follows a word: with its space, or nothing."""
        return f" {self.rest}" if self.rest else ""


@dataclass(frozen=True, slots=True)
class PhraseFix:
    """A task of the paper's file that needs words of its own, and why."""

    task: str
    quantity: str
    phrase: Phrase
    reason: str


def spends(quantity: str, rest: str) -> Phrase:
    return Phrase(quantity, "spend", "spends", rest)


def covers(rest: str) -> Phrase:
    return Phrase("distance", "cover", "covers", rest)


def does(noun: str, rest: str = "") -> Phrase:
    return Phrase(noun, "do", "does", rest)


def phrase_for(
    task: str, quantity: str, fixes: Mapping[tuple[str, str], Phrase] = MappingProxyType({})
) -> Phrase:
    """The words for a task: from the table of fixes, else by the rule for its quantity."""
    if quantity not in QUANTITIES:
        raise ValueError(f"quantity {quantity!r} is unknown: use one of {', '.join(QUANTITIES)}")
    if not task.strip():
        raise ValueError("the task phrase is empty: name what the two people do")
    fixed = fixes.get((task, quantity))
    if fixed is not None:
        return fixed
    if quantity in ("money", "time"):
        return spends(quantity, f"on {task}")
    if quantity == "distance":
        return covers(f"while {task}")
    raise ValueError(
        f"task {task!r} with quantity {quantity!r} needs words of its own: "
        "give a Phrase with a noun that 'more' and 'less' both fit"
    )
