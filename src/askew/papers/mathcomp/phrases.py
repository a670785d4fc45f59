"""The words of a MathComp question that depend on the task and the quantity.

Figure 1 prints its questions for time spent on home maintenance. `Phrase` holds
the words that change with the scenario; they stand in these places:

    How does the amount of {noun} B {verb_s} {rest} compare to that of A?
    Does B {verb} more {noun} {rest} than A?

Money and time fit the printed wording as they are (`spends money on groceries`).
Distance is covered, not spent. Weight and the quantity "others" need words of
their own, and so do task phrases of the authors' file that don't fit; `phrases.toml`
lists them with the reasons. A noun must be one that "amount", "more" and "less"
all fit ("reading", not "pages": nobody reads "less pages").
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

QUANTITIES = ("money", "time", "distance", "weight", "others")
_WORDS = ("noun", "verb", "verb_s")
# Where a task brings no words of its own.
_USUAL = {
    "money": ("money", "spend", "spends"),
    "time": ("time", "spend", "spends"),
    "distance": ("distance", "cover", "covers"),
}


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


def phrase_for(task: str, quantity: str) -> Phrase:
    """The words for a task, by the rule for its quantity."""
    if quantity not in QUANTITIES:
        raise ValueError(f"quantity {quantity!r} is unknown: use one of {', '.join(QUANTITIES)}")
    if not task.strip():
        raise ValueError("the task phrase is empty: name what the two people do")
    if quantity in _USUAL:
        return Phrase(*_USUAL[quantity], f"{'while' if quantity == 'distance' else 'on'} {task}")
    raise ValueError(
        f"task {task!r} with quantity {quantity!r} needs words of its own: "
        "give a Phrase with a noun that 'more' and 'less' both fit"
    )


def _read_fixes() -> Iterator[PhraseFix]:
    text = resources.files(__package__).joinpath("phrases.toml").read_text("utf-8")
    table = tomllib.loads(text)
    reasons = table.pop("reasons")
    for quantity, tasks in table.items():
        if quantity not in QUANTITIES:
            raise ValueError(f"phrases.toml: {quantity!r} is none of {', '.join(QUANTITIES)}")
        for task, entry in tasks.items():
            try:
                reason = reasons[entry.pop("reason")]
                usual = {} if "noun" in entry else dict(zip(_WORDS, _USUAL[quantity], strict=True))
                yield PhraseFix(task, quantity, Phrase(**usual, **entry), reason)
            except (KeyError, TypeError) as problem:
                raise ValueError(f"phrases.toml: {task!r} in {quantity}: {problem}") from problem


FIXES: tuple[PhraseFix, ...] = tuple(_read_fixes())
_PHRASES = {(fix.task, fix.quantity): fix.phrase for fix in FIXES}


def paper_phrase(task: str, quantity: str) -> Phrase:
    """The words for a task of the authors' file."""
    return _PHRASES.get((task, quantity)) or phrase_for(task, quantity)
