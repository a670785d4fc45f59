"""The words every room shares: factors, papers, sample metadata, outcomes, observations."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, wraps
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from inspect import signature
from itertools import product, zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from askew.files import toml_of
from askew.parameters import SelectionError, choose, parse_mapping, unknown_parameter

if TYPE_CHECKING:
    import pandas as pd

Scalar = str | int | float | bool

Outcome = Literal[
    "ok", "frames_words", "refused", "empty", "unparsed", "ambiguous", "truncated", "filtered",
    "undecided",
]  # fmt: skip
_WORDS = toml_of("askew", "schema.toml")
OUTCOMES: Mapping[str, str] = _WORDS["outcomes"]
# Of replies that were not read, and when they are so many that this is said before any number.
NOT_READ, MANY_NOT_READ = ("unparsed", "ambiguous"), 0.03
# What may not stand in a sample id: Inspect's own selectors use these characters.
_BAD_IN_ID = re.compile(r"[^A-Za-z0-9_.\-]+")

# Provider name of the simulated models, and where a sample keeps its truth for them.
RESPONDENT_API = "respondent"
REPLAY_API = "replay"  # provider name of replies that were made elsewhere
TRUTH_KEY = "askew:truth"
# Where a follow-up that opens a dialogue of its own quotes the reply to the first question.
QUOTED_REPLY = "[[the first reply]]"
GRADER = "grader"  # the model role that decides what a reply says where rules leave that open
# Message metadata in which its question says, for simulated graders, the careful verdict.
GRADER_MARK = "askew_careful_verdict"
# Message metadata in which a request to polish says, for simulated polishers, the rewrite.
POLISH_MARK = "askew_polished"


@dataclass(frozen=True)
class Condition:
    """One way of asking: a value of a factor. Papers subclass it with what it does to a prompt."""

    label: str
    meaning: str  # what it does, in a sentence
    asked: bool = True  # whether it is asked where a user does not choose

    @classmethod
    def all_of(cls, told: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Self]:
        """Those of a table of a file, by the name of the value."""
        return {name: cls(**fields) for name, fields in told.items()}


@dataclass(frozen=True)
class Factor:
    """One way in which conditions differ: a column of observations and, in order, its values."""

    name: str
    conditions: Mapping[str, Condition]
    free: bool = False  # whether data brings values of its own too, such as a number of options

    @property
    def values(self) -> Mapping[str, str]:
        """Every value with its meaning."""
        return {name: condition.meaning for name, condition in self.conditions.items()}

    @property
    def default(self) -> tuple[str, ...]:
        """The values that are asked where a user does not choose."""
        return tuple(name for name, condition in self.conditions.items() if condition.asked)

    def label(self, value: str) -> str:
        """A value as it is shown; one that data brought stands for itself."""
        condition = self.conditions.get(value)
        return condition.label if condition else value

    def select(self, wanted: str | Iterable[str] | None) -> tuple[str, ...]:
        """Values a user asked for ("a,b", ["a", "b"], "all" or nothing), in declared order."""
        return choose(self.name, wanted, tuple(self.conditions), self.default)


MISSING, NOT_APPLICABLE = "–", "n/a"  # noqa: RUF001
_MINUS = "−"  # noqa: RUF001


@dataclass(frozen=True)
class Unit:
    """How a number is written."""

    name: str
    factor: float = 1.0
    digits: int = 1
    signed: bool = False

    def write(self, value: float) -> str:
        if math.isnan(value):
            return MISSING
        text = f"{value * self.factor:{'+' if self.signed else ''}.{self.digits}f}"
        if float(text) == 0:
            text = text.lstrip("+-")
        return text.replace("-", _MINUS)

    def named(self, value: float) -> str:
        """The number with the unit's name."""
        return f"{self.write(value)}{'' if self.name == '%' else ' '}{self.name}".strip()


PERCENT = Unit("%", 100.0)
POINTS = Unit("points", 100.0, signed=True)
NUMBER = Unit("", digits=3)

Better = Literal["higher", "lower", "nearer zero", "neither"]
# How a number's interval is made; "none" comes with the reason in the metric's rows.
IntervalKind = Literal[
    "rate", "composite", "score", "difference", "paired", "largest", "spread", "variance", "none"
]
INTERVAL_KINDS: Mapping[str, str] = _WORDS["intervals"]


@dataclass(frozen=True)
class Null:
    """What a model without the effect is, where noise alone moves a number one way."""

    trading: str  # whose labels trade places then: an exchange that the paper's numbers name
    growth: Literal["plain", "square", "neither"] = "square"
    """How noise adds to the number: as it stands, as to a variance, or in its square, as to a
    distance or a standard deviation; or neither: it moves the number both ways alike."""
    lowers: bool = False  # noise lowers the number, by what it adds to the spreads in it

    @property
    def one_way(self) -> bool:
        """Whether noise moves the number one way, so that some of it can be taken off."""
        return self.growth != "neither"


@dataclass(frozen=True)
class Metric:
    """A number of a paper, declared once: whoever computes, shows or judges it reads this."""

    name: str  # in every table; one that ends in "*" stands for all that begin like it
    label: str = ""
    meaning: str = ""
    better: Better = "higher"  # which way a model improves; "neither" for what only describes
    unit: Unit = PERCENT
    bounds: tuple[float, float] = (0.0, 1.0)
    margin: float = 0.05  # the smallest difference that matters, in the metric's own unit
    interval: IntervalKind = "rate"
    null: Null | None = None  # a model without the effect, where it would not simply show zero
    floor: str = ""  # a metric of which a verdict must be true too, where it was measured
    no_true_value: str = ""  # why calibration has no true value of this metric

    def fits(self, name: str) -> bool:
        """Whether this declaration is about a metric of that name."""
        return name == self.name or (self.name[-1:] == "*" and name.startswith(self.name[:-1]))

    @classmethod
    def all_of(cls, package: str) -> tuple[Self, ...]:
        """Those of a paper's `metrics.toml`; a `kind` is what several declare alike."""
        told = dict(toml_of(package, "metrics.toml"))
        kinds = told.pop("kinds", {})
        made = ((name, {**kinds.get(own.get("kind"), {}), **own}) for name, own in told.items())
        return tuple(cls(name, **_typed(fields)) for name, fields in made)


def _typed(told: Mapping[str, Any]) -> dict[str, Any]:
    """What a file tells of a metric, as its declaration takes it."""
    made: Any = {"unit": lambda of: Unit(**of), "bounds": tuple, "null": lambda of: Null(**of)}
    return {n: made.get(n, lambda of: of)(v) for n, v in told.items() if n != "kind"}


HARDEST = 10  # the last level of difficulty; the first is 1
# The metrics of questions at levels of difficulty.
THRESHOLDS = tuple(Metric(name, **_typed(told)) for name, told in _WORDS["thresholds"].items())


@dataclass(frozen=True)
class PrimaryEffect:
    """What bends a model in a paper's task: the number that says so on a report's first screen.

    `by` follows "bent by". Where `base`, the rate that it is taken off, is at its floor, nothing
    could be seen. `figure` is the chapter's that tells most of it; default its first.
    """

    metric: str
    by: str
    base: str = ""
    base_at: Mapping[str, str] = field(default_factory=dict)
    figure: str = ""
    shown: str = ""  # the metric of its headlines, where these are parts of `metric`


ENOUGH_ITEMS = 20  # of fewer items a rate may lie 20 points off: nothing could be decided on it

# What is said of a metric that nobody declared: it can be shown, and gets no verdict.
UNDECLARED = Metric("*", better="neither", unit=NUMBER, interval="difference")


def _in_tuples(value: Any) -> Any:
    """A value of a file with its lists as tuples."""
    if isinstance(value, Mapping):
        return {name: _in_tuples(part) for name, part in value.items()}
    return tuple(map(_in_tuples, value)) if isinstance(value, list) else value


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper as a task: what it is, what it asks, what it measures, and who is called.

    Its package holds its parts: `items`, `tasks`, `scorer`, `numbers`, `respondent`, `chapter` and
    others, imported when they are asked for.
    """

    # What it is.
    task: str
    home: str  # the package that holds the paper's parts
    title: str
    reference: str
    arxiv: str = ""  # the paper's number there, such as "2406.16203"
    version: str = "1-A"
    """Of the task: a number that rises where results can no longer be compared, and the letter of
    its interface (parameters, sample ids, measures). `register/<task>/CHANGELOG.md` tells each."""

    # What is asked, and in which conditions.
    subsets: tuple[str, ...]
    subset_names: Mapping[str, str] = field(default_factory=dict)  # as they are shown, "all" too
    # Subsets of bundled, generated or published data that are asked by default, if not all.
    selections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    factors: tuple[Factor, ...]
    # Conditions, as values of factors, in which nothing bends a model: who is nearly always right
    # there has no room left to show. Of several, a subset has the first that it was asked under.
    plain: tuple[Mapping[str, Scalar], ...] = ()
    selectors: tuple[str, ...] = ()  # task parameters, beside factors, that only choose questions
    grouped: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # those of several parts
    everything: Mapping[str, Any] = field(default_factory=dict)  # those that ask all conditions
    # Of a paper without questions of its own: task parameters that bring some to try it with.
    stand_in: Mapping[str, Any] = field(default_factory=dict)
    # Whether a sample asks to reason in the open, from its metadata.
    reasons: Callable[[Mapping[str, Any]], bool] = lambda metadata: False

    # What is measured of the replies, and how it is shown.
    measures: Mapping[str, str]  # keys of every `Score.value` of this task, with their meaning
    added_measures: tuple[str, ...] = ()  # those that logs from before later versions lack
    told_by_score: bool = False  # whether item and condition stand in its own score
    metrics: tuple[Metric, ...] = ()
    headlines: tuple[str, ...]
    console: tuple[str, ...] = ()
    """What Inspect shows beside the first headline and its interval: the first three of these, by
    their names there, or of the declared metrics. A task's `metrics="all"` shows all."""
    bend: PrimaryEffect | None = None  # what bends a model there
    # Arguments of its `table` for the rows at the top alone, where all of them take long.
    pooled: Mapping[str, Any] = field(default_factory=dict)
    averaged: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of its `table` for means over models, as its own tables print them, in a summary;
    what holds single models against something (compare, gate, plan) has no use for them."""
    formulas: Mapping[str, str] = field(default_factory=dict)  # public ones, with the part of each
    chance: float = 0.0  # right answers of a model that guesses, where its questions have levels
    # By column and its value, where that share is another.
    chances: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    # Why not every answer can be right under some conditions, by these: they have no threshold.
    capped: Mapping[str, str] = field(default_factory=dict)
    compared: tuple[str, ...] = ()  # without plain: the factor compared by level, and within what
    # Why a row can't be what a reply was scored; empty where it can.
    impossible: Callable[[Mapping[str, Any]], str] = lambda row: (
        "an empty reply is scored as correct"
        if row.get("outcome") == "empty" and row.get("correct") == 1
        else ""
    )

    # Who is called.
    graded: Callable[[Mapping[str, Any]], int] | None = None
    """How many questions about a reply the role `grader` may be asked, from its sample's metadata:
    none, one, or another that an answer brings. A task that has this has a `parser`."""
    # Whether the role `polisher` rewrites a sample's question, from its metadata.
    polishes: Callable[[Mapping[str, Any]], bool] = lambda metadata: False
    # What `metric` found: every number of a table asks for it.
    _metrics_by_name: dict[str, Metric] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def of(cls, home: str, **made: Any) -> Paper:
        """The paper that a package declares in `paper.toml`, with what only code can say of it."""
        told = {name: _in_tuples(value) for name, value in toml_of(home, "paper.toml").items()}
        if files(home).joinpath("difficulty.toml").is_file():
            made["metrics"] = (*made["metrics"], *THRESHOLDS)
        return cls(home=home, bend=PrimaryEffect(**told.pop("effect")), **told, **made)

    @property
    def name(self) -> str:
        """The paper in one word, from its title."""
        return self.title.partition(":")[0]

    @property
    def citation(self) -> str:
        """The reference, with the paper's number where it has one."""
        return f"{self.reference}, arXiv:{self.arxiv}" if self.arxiv else self.reference

    @property
    def question(self) -> str:
        """What the paper asks, from its title."""
        rest = self.title.partition(": ")[2] or self.title
        return rest[:1].upper() + rest[1:]

    def has(self, part: str) -> bool:
        """Whether the paper has a part of this name."""
        return find_spec(f"{self.home}.{part}") is not None

    def part(self, part: str) -> Any:
        """The module that holds a part."""
        return import_module(f"{self.home}.{part}")

    def selection(self, data: str) -> tuple[str, ...]:
        """Subsets that are asked of data where a user does not choose; of a file nobody knows."""
        own = data.partition(",")[0]
        known = own in ("bundled", "generated", "paper")
        return self.selections.get(own, self.subsets if known else ())

    def factor(self, name: str) -> Factor:
        return next(f for f in self.factors if f.name == name)

    def conditions(self, selected: Mapping[str, Sequence[Scalar]]) -> Iterator[dict[str, Scalar]]:
        """Every combination of the selected values, first factor slowest."""
        names = [f.name for f in self.factors]
        for values in product(*(selected[n] for n in names)):
            yield dict(zip(names, values, strict=True))

    @property
    def split_of(self) -> str:
        """The measure whose variance is told by item, wording and resampling: the first."""
        return next(iter(self.measures))

    def not_read(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The replies that were not read, where they are so many that this is said first.

        Where following a format is what is measured, its own numbers say how often.
        """
        of = rows[unread(rows)] if "outcome" in rows else rows[:0]
        many = len(of) > MANY_NOT_READ * len(rows) and "format_ok" not in self.measures
        return of if many else rows[:0]

    def metric(self, name: str) -> Metric:
        """The declaration of a metric; of several that fit, the longest name."""
        if name not in self._metrics_by_name:
            fitting = [m for m in self.metrics if m.fits(name)]
            longest = max(fitting, key=lambda m: (m.name == name, len(m.name)), default=UNDECLARED)
            self._metrics_by_name[name] = longest
        return self._metrics_by_name[name]

    def headline_declaration(self, name: str) -> Metric:
        """The declaration of a headline, which may add to a metric's name what it is of."""
        of = [m for m in self.metrics if m.fits(name) or name.startswith(f"{m.name}_")]
        return max(of, key=lambda m: (m.name == name, len(m.name)), default=UNDECLARED)

    @property
    def has_levels(self) -> bool:
        """Whether questions can be generated at levels of difficulty."""
        return bool({*THRESHOLDS} & {*self.metrics})

    @property
    def decisive(self) -> tuple[str, ...]:
        """Its primary metrics and its effect metric, by their names in tables."""
        named = [self.headline_declaration(name).name for name in self.headlines]
        return tuple(dict.fromkeys([*named, *([self.bend.metric] if self.bend else [])]))

    @property
    def items(self) -> Any:
        """The module that holds its questions; an error where they are somebody else's."""
        if not self.has("items"):
            what = f"{self.task} has no questions of its own: it asks a task of yours"
            raise SelectionError(what)
        return self.part("items")

    @property
    def make(self) -> Callable[..., Any]:
        """The task's function; without questions of its own, of those that stand in."""
        made: Callable[..., Any] = getattr(self.part("tasks"), self.task)
        return partial(made, **self.stand_in) if self.stand_in else made

    @property
    def parameters(self) -> tuple[str, ...]:
        """What the task takes: its parameters, and the parts of those that have several."""
        own = [p.name for p in signature(self.make).parameters.values() if p.kind != p.VAR_KEYWORD]
        return (*own, *(part for parts in self.grouped.values() for part in parts))

    def parts(self, alone: Mapping[str, Any], **given: object) -> dict[str, dict[str, Any]]:
        """What was asked of each part of the parameters that have several."""
        for name in alone:
            if name not in self.parameters:
                raise unknown_parameter(self.task, name, self.parameters)
        return {
            name: parse_mapping(name, value, self.grouped[name])
            | {part: own for part, own in alone.items() if part in self.grouped[name]}
            for name, value in given.items()
        }

    @property
    def table(self) -> Callable[..., pd.DataFrame]:
        """From observations to metric rows."""
        made: Callable[..., pd.DataFrame] = getattr(self.part("numbers"), self.task)

        @wraps(made)
        def table(observations: pd.DataFrame, *args: Any, **how: Any) -> pd.DataFrame:
            rows = named_now(observations)
            found = made(rows, *args, **how)
            given = signature(made).bind(rows, *args, **how)
            given.apply_defaults()
            at_levels: Callable[..., pd.DataFrame]
            at_levels = import_module("askew.stats.thresholds").with_thresholds
            return at_levels(self, rows, found, *map(given.arguments.get, ("by", "interval")))

        return table


TREATMENTS = ("system_prompt", "framing", "reflection", "format_instruction")


class SampleMeta(BaseModel):
    """Flat metadata of a sample: short scalars only, so log summaries keep all of it.

    Papers subclass it with their factors and what their scorer needs. The treatment texts are
    what the solver chain inserts; an empty one changes nothing.
    """

    model_config = ConfigDict(frozen=True, extra="allow")
    optional: ClassVar[tuple[str, ...]] = (*TREATMENTS, "tier", "difficulty", "reflection_opens")

    task: str
    item: str
    cluster: str = Field(validation_alias=AliasChoices("cluster", "unit"))
    """What the bootstrap resamples: the item, or the story, passage or scenario it shares."""
    subset: str
    tier: str = ""  # of a set whose questions stand in tiers, which one
    difficulty: int = 0  # of a question that was generated at a level of difficulty, which one
    system_prompt: str = ""
    framing: str = ""
    framing_position: Literal["begin", "end"] = "begin"
    reflection: str = ""
    reflection_opens: Literal["turn", "dialogue"] = "turn"
    """Whether it follows the first reply, or is asked afresh and quotes that."""
    format_instruction: str = ""

    def as_metadata(self) -> dict[str, Any]:
        """The dictionary a sample carries, without optional fields that are at their default."""
        fields = type(self).model_fields
        unused = {n for n in self.optional if getattr(self, n) == fields[n].default}
        if "framing" in unused:
            unused.add("framing_position")
        return self.model_dump(exclude=unused)


# The step that runs several steps of the chain; a log names it, and they are its `steps`.
ONE_STEP = "one_step"
# Metadata that says how a sample was asked or grouped, not what was observed.
_NOT_OBSERVED = {*TREATMENTS, "framing_position", "reflection_opens"}


# What stops a run once its headline is known well enough, as Inspect's logs name it.
STOPPED_BY = "askew stop_when"
# The reason of a score of a published question that is wrong; earlier logs have the second.
INVALID_ITEM, OLD_INVALID_ITEM = "invalid item", "set aside"


# What earlier versions called columns, in logs and in tables that are read.
OLD_NAMES = {
    "unit": "cluster", "n_units": "n_clusters", "without_noise": "value_debiased",
    "null_high": "null_q95", "null_p": "p_value",
}  # fmt: skip


def named_now(rows: pd.DataFrame) -> pd.DataFrame:
    """A table, with the columns of earlier versions under their names now; one that is stays."""
    old = {n: now for n, now in OLD_NAMES.items() if n in rows and now not in rows}
    return rows.rename(columns=old) if old else rows


# Columns that all tasks have in the table that metrics read, a row a scored sample and epoch, with
# their meaning; and those that reading a log adds.
OBSERVED: Mapping[str, str] = _WORDS["observed"]
SOURCE: Mapping[str, str] = _WORDS["source"]


@dataclass(frozen=True)
class LintIssue:
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
    row: dict[str, Any] = {k: v for k, v in metadata.items() if k not in _NOT_OBSERVED}
    row |= {**values, **(score_metadata or {})}
    row |= {now: row.pop(old) for old, now in OLD_NAMES.items() if old in row and now not in row}
    usual = {"tier": "", "epoch": 1, "outcome": "ok"}
    row |= {name: value for name, value in usual.items() if name not in row} | {"answer": answer}
    if row.get("decided_by") == "judge":  # what a grader was called before
        row["decided_by"] = GRADER
    return row


def unread(rows: pd.DataFrame) -> pd.Series[bool]:
    """Which replies nobody read: rules found no answer in them, and no grader decided."""
    return rows["outcome"].isin(NOT_READ) & (rows.get("decided_by", "") != GRADER)


_NOTHING = object()


def round_robin(groups: Mapping[str, Sequence[Any]]) -> Iterator[Any]:
    """One from each group in turn, so that any prefix spreads over all of them."""
    for turn in zip_longest(*groups.values(), fillvalue=_NOTHING):
        yield from (element for element in turn if element is not _NOTHING)
