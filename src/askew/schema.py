"""The words every room shares: factors, papers, sample metadata, outcomes, observations.

A paper declares its factors once (`Paper`); samples, metadata, ids, scorers, metrics, docs and
tests all read that declaration, so adding a condition touches one place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import IO, Any, Literal

import click
from pydantic import BaseModel, ConfigDict, Field

Scalar = str | int | float | bool

Outcome = Literal[
    "ok",
    "frames_words",
    "refused",
    "empty",
    "unparsed",
    "ambiguous",
    "truncated",
    "filtered",
    "undecided",
]
OUTCOMES: Mapping[str, str] = {
    "ok": "an answer was read",
    "frames_words": "an answer was read; it uses the question's word about the other person",
    "refused": "the reply declines to answer",
    "empty": "the reply has no text",
    "unparsed": "the reply holds no answer that the rules can read",
    "ambiguous": "the reply gives several answers and settles on none",
    "truncated": "the reply was cut before an answer could be read",
    "filtered": "the provider's content filter withheld the reply",
    "undecided": "a judge was asked and reached no verdict",
}
# What may not stand in a sample id: Inspect's own selectors use these characters.
_BAD_IN_ID = re.compile(r"[^A-Za-z0-9_.\-]+")


# Provider name of the simulated models, and where a sample keeps its truth for them.
RESPONDENT_API = "respondent"
# Provider name of replies that were made elsewhere.
REPLAY_API = "replay"
TRUTH_KEY = "askew:truth"
# Message metadata in which a judge question says, for simulated judges, the careful verdict.
JUDGE_MARK = "askew_careful_verdict"
# Message metadata in which a request to polish says, for simulated polishers, the rewrite.
POLISH_MARK = "askew_polished"


class Refusal(click.ClickException):
    """What was asked for can't be done as asked: one message, which says what to do.

    On a command line, Inspect's or ours, that message is all that is shown, and the exit code is 2.
    """

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message; to stderr if not said otherwise."""
        click.echo(f"askew: {self.message}", file=file, err=file is None)


class SelectionError(Refusal, ValueError):
    """A parameter asks for something the paper does not have."""


@dataclass(frozen=True)
class Factor:
    """One way in which conditions differ: a name and, in order, its values with their meaning."""

    name: str
    values: Mapping[str, str]
    default: tuple[str, ...]

    def select(self, wanted: str | Iterable[str] | None) -> tuple[str, ...]:
        """Values a user asked for ("a,b", ["a", "b"], "all" or nothing), in declared order."""
        return choose(self.name, wanted, tuple(self.values), self.default)


def listed(wanted: object) -> list[str]:
    """What a parameter names: a command line makes a list of "a,b" and a number of "3"."""
    if isinstance(wanted, str):
        wanted = wanted.split(",")
    several = wanted if isinstance(wanted, Iterable) else [wanted]
    return [str(n).strip() for n in several if str(n).strip()]


def choose(
    name: str,
    wanted: str | int | Iterable[str] | None,
    valid: Sequence[str],
    default: Sequence[str] | None = None,
) -> tuple[str, ...]:
    """The chosen subset of `valid`, in its order; an unknown value is refused with the list."""
    if wanted is None:
        return tuple(valid if default is None else default)
    names = listed(wanted)
    if names == ["all"]:
        return tuple(valid)
    unknown = [n for n in names if n not in valid]
    if unknown or not names:
        what = ", ".join(repr(n) for n in unknown) or "nothing"
        raise SelectionError(
            f"{name}={wanted!r}: {what} is not a value of {name}; valid: all, {', '.join(valid)}"
        )
    return tuple(v for v in valid if v in names)


def whole_number(name: str, value: object, least: int | None = 1, most: int | None = None) -> int:
    """A parameter that is a whole number within bounds; a command line may have made it anything.

    Args:
        name: the parameter, as errors name it.
        value: what was given.
        least: the smallest number that makes sense, if any.
        most: the largest, if any.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        too_small = least is not None and value < least
        too_large = most is not None and value > most
        if not too_small and not too_large:
            return value
    bounds = f" of at least {least:,}" if least is not None else ""
    if least is not None and most is not None:
        bounds = f" from {least:,} to {most:,}"
    raise SelectionError(f"{name}={value!r:.60}: give a whole number{bounds}")


@dataclass(frozen=True)
class Paper:
    """A paper as a task: what it asks about, in which conditions, and what it headlines."""

    task: str
    title: str
    reference: str
    subsets: tuple[str, ...]
    factors: tuple[Factor, ...]
    headlines: tuple[str, ...]
    measures: Mapping[str, str]
    """Keys of every `Score.value` of this task, with their meaning."""
    selectors: tuple[str, ...] = ()
    """Task parameters, beside subset, items and the factors, that only choose what is asked."""

    def factor(self, name: str) -> Factor:
        return next(f for f in self.factors if f.name == name)

    def conditions(self, selected: Mapping[str, Sequence[Scalar]]) -> Iterator[dict[str, Scalar]]:
        """Every combination of the selected values, first factor slowest."""
        names = [f.name for f in self.factors]
        for values in product(*(selected[n] for n in names)):
            yield dict(zip(names, values, strict=True))


class SampleMeta(BaseModel):
    """Flat metadata of a sample: short scalars only, so log summaries keep all of it.

    Papers subclass it with their factors and what their scorer needs. The treatment texts are
    what the solver chain inserts; an empty one changes nothing.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    task: str
    item: str
    unit: str
    """What bootstrap resamples: the item, or the story, passage or scenario it shares."""
    subset: str
    system_prompt: str = ""
    framing: str = ""
    framing_position: Literal["begin", "end"] = "begin"
    reflection: str = ""
    format_instruction: str = ""

    def as_metadata(self) -> dict[str, Any]:
        """The dictionary a sample carries: unused treatments are left out."""
        dumped = self.model_dump()
        for name in TREATMENTS:
            if not dumped[name]:
                del dumped[name]
        if "framing" not in dumped:
            del dumped["framing_position"]
        return dumped


# The step that runs several steps of the chain; a log names it, and they are its `steps`.
ONE_STEP = "one_step"
TREATMENTS = ("system_prompt", "framing", "reflection", "format_instruction")
# Metadata that says how a sample was asked or grouped, not what was observed.
_NOT_OBSERVED = {*TREATMENTS, "framing_position"}


class Observation(BaseModel):
    """One scored sample of one epoch: a row of the table that every metric reads."""

    model_config = ConfigDict(extra="allow")

    task: str = Field(description="Which paper's task asked.")
    subset: str = Field(description="Data set, domain or category of the item.")
    item: str = Field(description="The question.")
    unit: str = Field(description="What intervals resample: items that share a text share a unit.")
    epoch: int = Field(description="Which repetition of the whole run.")
    answer: str | None = Field(description="The canonical answer that was read, if any.")
    outcome: str = Field(description="Why there is an answer or none: " + ", ".join(OUTCOMES))


@dataclass(frozen=True)
class Finding:
    """Something in a data set that bends an answer, and what is done about it."""

    item: str
    kind: str
    message: str
    excluded: bool = False


def sample_id(item: str, condition: Mapping[str, Scalar]) -> str:
    """`<item>/<factor values>`: readable, stable, free of the characters Inspect selects by."""
    return "/".join([item, *(clean_id(str(v)) for v in condition.values())])


def clean_id(text: str) -> str:
    """Text as part of an id: anything outside letters, digits, `_ . -` becomes one hyphen."""
    return _BAD_IN_ID.sub("-", text).strip("-") or "x"


def observation_row(
    metadata: Mapping[str, Any],
    values: Mapping[str, Any],
    answer: str | None,
    score_metadata: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """One row of the observation table from what a sample's metadata and its score carry."""
    row = {k: v for k, v in metadata.items() if k not in _NOT_OBSERVED}
    row.update(values)
    row.update(score_metadata or {})
    row.setdefault("epoch", 1)
    row.setdefault("outcome", "ok")
    row["answer"] = answer
    return row


def round_robin(groups: Mapping[str, Sequence[Any]]) -> Iterator[Any]:
    """One from each group in turn, so that any prefix spreads over all of them."""
    iterators = [iter(group) for group in groups.values()]
    while iterators:
        alive = []
        for iterator in iterators:
            for element in iterator:
                yield element
                alive.append(iterator)
                break
        iterators = alive
