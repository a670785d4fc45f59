"""What is said, before it is a file or lines on a terminal: five kinds of block.

Text, table, figure, flips and note: a report, a comparison, a gate's outcome, a plan and a
certificate are all made of them; `render` lays them out. Nothing here is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, ClassVar, Literal, NamedTuple

from jinja2 import Environment, StrictUndefined, Template

from askew.files import yaml_of
from askew.report.estimates import INCONCLUSIVE, Estimate, Model, RowKind, Verdict
from askew.schema import PERCENT, Unit
from askew.version import __version__

# What a policy says, the worst first.
POLICY = ("fail", INCONCLUSIVE, "pass")


@dataclass(frozen=True)
class Cell:
    """One cell: an estimate, or text; `mark` points to a note below the table."""

    text: str = ""
    estimate: Estimate | None = None
    unit: Unit = PERCENT
    mark: str = ""
    at: Mapping[str, str] = field(default_factory=dict)
    """Values of levels that its number stands at: they choose the replies behind it."""

    def plain(self) -> str:
        """The whole cell in one line of plain text."""
        text = self.text
        if self.estimate is not None:
            noise = self.estimate.noise(self.unit)
            text = "; ".join(part for part in (self.estimate.text(self.unit), noise) if part)
        return f"{text} [{self.mark}]" if self.mark else text


class Column(NamedTuple):
    """A column's head, what it means where that isn't plain, and whether it holds numbers."""

    label: str
    meaning: str = ""
    numeric: bool = True


class Row(NamedTuple):
    """A table row: its head, its cells, and whose numbers they are."""

    head: str
    cells: Sequence[Cell]
    kind: RowKind = "measured"


class Group(NamedTuple):
    """Rows under one heading; a table that needs none has one group without a title."""

    rows: Sequence[Row]
    title: str = ""
    id: str = ""


@dataclass(frozen=True)
class Table:
    """A table with a caption; notes are keyed by the marks that its cells carry."""

    id: str
    caption: str
    head: str
    columns: Sequence[Column]
    groups: Sequence[Group]
    notes: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    records: Sequence[Mapping[str, Any]] = ()
    """Its rows as plain data, where a file for programs holds what the cells put in words."""
    what: ClassVar[str] = "table"

    @property
    def has_simulated(self) -> bool:
        return any(r.kind == "simulated" for g in self.groups for r in g.rows)


def table_of(
    rows: Sequence[Mapping[str, str | Cell]],
    id: str,
    caption: str,
    *,
    texts: Collection[str] = (),
    group: str = "",
    meanings: Mapping[str, str] | None = None,
    notes: Mapping[str, str] | None = None,
    source: str = "",
    kinds: Sequence[RowKind] = (),
) -> Table:
    """A table of records: what comes first heads a row, and `group` names a column of headings.

    `texts` are columns that hold no numbers, `kinds` says whose numbers each row has.
    """
    head, *others = [c for c in (rows[0] if rows else {"": ""}) if c != group]
    groups: dict[str, list[Row]] = {}
    whose: Sequence[RowKind] = kinds or ["measured"] * len(rows)
    for row, kind in zip(rows, whose, strict=True):
        cells = [c if isinstance(c, Cell) else Cell(c) for c in (row[name] for name in others)]
        groups.setdefault(str(row[group]) if group else "", []).append(
            Row(str(row[head]), cells, kind)
        )
    used = {cell.mark for of in groups.values() for row in of for cell in row.cells}
    shown = [Group(of, title) for title, of in groups.items()]
    told = {mark: note for mark, note in (notes or {}).items() if mark in used}
    means = meanings or {}
    heads = [Column(name, means.get(name, ""), name not in texts) for name in others]
    return Table(id, caption, head, heads, shown, told, source)


class Key(NamedTuple):
    """An entry of a chart's legend: a shape in a colour, and what it stands for."""

    shape: str
    colour: str
    label: str


@dataclass(frozen=True)
class Panel:
    """One small chart, named among those of its figure."""

    name: str
    title: str
    draw: Callable[..., Mapping[str, Any]]
    """Makes the Vega-Lite specification, with colours by meaning; in a file with a `legend`."""
    wide: bool = False
    """Whether it needs room for many columns, and scrolls where there is too little."""

    @cached_property
    def spec(self) -> Mapping[str, Any]:
        return self.draw()


@dataclass(frozen=True)
class Figure:
    """A figure of one or several panels that share a legend."""

    id: str
    caption: str
    reading: str
    """How to read it; also what a screen reader is told."""
    legend: Sequence[Key]
    panels: Sequence[Panel]
    simulated: Sequence[str] = ()
    """Names of the simulated models it shows."""
    table_id: str = ""
    """The table that holds its numbers."""
    what: ClassVar[str] = "figure"


@dataclass(frozen=True)
class Side:
    """One asking of a flip: its condition, what was answered, and where the log has it."""

    condition: str
    answer: str
    outcome: str
    correct: bool
    log: str = ""
    sample_id: str = ""
    epoch: int = 1
    prompt: str = ""
    reply: str = ""
    unread: str = ""
    """Why prompt and reply are not shown."""


@dataclass(frozen=True)
class Flip:
    """The same item asked in two ways: right in one, wrong in the other."""

    id: str
    model: Model
    item: str
    subset: str
    right_answer: str
    before: Side
    after: Side
    others: Sequence[Side] = ()
    difference: Sequence[tuple[Literal["same", "del", "ins"], str]] = ()
    """Both prompts as one text: shared parts, parts only of the first, parts only of the second."""


@dataclass(frozen=True)
class Flips:
    """Flips worth reading, chosen by a stated rule."""

    id: str
    rule: str
    flips: Sequence[Flip]
    n_found: int
    what: ClassVar[str] = "flips"


@dataclass(frozen=True)
class Headline:
    """A model's number of one task, what it means, and what may be said of it."""

    task: str
    title: str
    model: Model
    metric: str
    label: str
    estimate: Estimate
    unit: Unit
    sentence: str
    finding: str = ""
    """The worst that was found, in a sentence."""
    verdict: Verdict | None = None
    """What may be said of it, where the number looks for a bend."""
    without: str = ""
    """What a model without the effect shows."""
    finding_said: str = ""
    """What it says where it is shown, in a sentence without its end."""

    @property
    def said(self) -> str:
        """The number with its unit, interval and items in one line, or why there is none."""
        if self.estimate.missing:
            return self.estimate.text(self.unit)
        unit = "%" if self.unit.name == "%" else f" {self.unit.name}".rstrip()
        basis = (self.estimate.interval(self.unit), f"n = {self.estimate.n_items}")
        return f"{self.unit.write(self.estimate.value)}{unit} ({', '.join(filter(None, basis))})"


class GridCell(NamedTuple):
    """What one task says of one model on the first screen; without a headline, why not."""

    headline: Headline | None = None
    why: str = ""
    policy: str = ""
    """The worst that a policy says of the task's numbers."""


class GridRow(NamedTuple):
    """A model on the first screen, with what is found of it, a sentence each."""

    model: Model
    cells: Sequence[GridCell]
    findings: Sequence[str]
    against: str = ""
    """What a comparison with the baseline says."""


@dataclass(frozen=True)
class Grid:
    """Models by tasks: which effects were detected."""

    id: str
    heads: Sequence[tuple[str, str, str]]
    """A column per task: its id, its name, and its effect metric."""
    rows: Sequence[GridRow]
    notes: Sequence[str]
    drawn: Sequence[str] = ()
    """Notes on what only a page has: bars, marks and links."""
    first: Sequence[str] = ()
    """What is to be known before any number."""


@dataclass(frozen=True)
class Note:
    """What a reader should know before trusting the numbers, a line each."""

    lines: Sequence[str]
    what: ClassVar[str] = "note"


@dataclass(frozen=True)
class Text:
    """Words, and what they mean here."""

    meanings: Mapping[str, str]
    what: ClassVar[str] = "text"


Block = Text | Table | Figure | Flips | Note


@dataclass(frozen=True)
class Section:
    """A part of a chapter: what it shows, then the blocks that show it."""

    id: str
    title: str
    paragraphs: Sequence[str]
    blocks: Sequence[Block] = ()


@dataclass(frozen=True)
class Part:
    """What stands under one heading of a document, below all models by tasks (`screen`)."""

    id: str
    title: str
    sections: Sequence[Section]
    """One without a title stands right below the heading."""
    short: str = ""
    """Its name among the contents; without one it is not listed there."""
    question: str = ""
    reference: str = ""
    folded: Sequence[Section] = ()
    """Sections that are unfolded on demand, of which `folds` says in a line what they hold."""
    folds: str = ""
    screen: Grid | None = None

    @property
    def blocks(self) -> Iterator[Block]:
        """All that it shows, what is folded away last."""
        return (block for section in (*self.sections, *self.folded) for block in section.blocks)


@dataclass(frozen=True)
class Chapter(Part):
    """All that the report says about one task; its id is the task's name."""

    headlines: Sequence[Headline] = ()


@dataclass(frozen=True)
class Explorer:
    """What the page's browser of replies holds: of all observations, those listed, with texts."""

    total: int
    listed: int
    texts: int
    index: str = field(repr=False)
    """The list, packed."""
    chunks: Sequence[str] = field(repr=False)
    """Prompts and replies, packed in parts."""


@dataclass(frozen=True)
class DecisionBlock:
    """What was decided on the same logs: a policy's outcome, a comparison, both as parts."""

    outcome: str = ""
    """A policy's, in a line that begins with its word."""
    unmet: Sequence[str] = ()
    """What failed or can't be told, a line each."""
    unmet_of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The same by model; what is of no model alone stands under ""."""
    statuses: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    """By task and model, what the policy says of each of the numbers there."""
    compared: str = ""
    against: Mapping[str, str] = field(default_factory=dict)
    """By model, what the comparison came to."""
    parts: Sequence[Part] = ()

    def policy(self, task: str, model: str) -> str:
        """The worst that the policy says of a task's numbers of a model; empty without a rule."""
        said = self.statuses.get((task, model), ())
        return next((word for word in POLICY if word in said), "")


NOTHING_DECIDED = DecisionBlock()


@dataclass(frozen=True)
class Document:
    """All that is said of something that was measured, compared, checked or planned."""

    title: str
    lede: str
    """What it rests on, in a sentence."""
    parts: Sequence[Part]
    data: Callable[[], Mapping[str, Any]]
    """Its content for programs."""
    outcome: str = ""
    """What came of it, in a line."""
    simulated: str = ""
    """What simulated models in it mean for its numbers; empty where there are none."""
    written: str = ""
    explorer: Explorer | None = None
    decided: DecisionBlock | None = None

    @property
    def blocks(self) -> Iterator[Block]:
        return (block for part in self.parts for block in part.blocks)


def colophon(written: str) -> str:
    """What wrote a document, and when."""
    return f"Written by askew {__version__}{', ' if written else ''}{written}."


def simulated_note(names: Sequence[str]) -> str:
    """Which models are simulated, and what that means for numbers; empty where none is."""
    told = yaml_of("askew.report", "report.yaml")["simulated"]
    return f"{', '.join(names)}: {told}" if names else ""


@cache
def _template(text: str) -> Template:
    return Environment(undefined=StrictUndefined).from_string(text)


def fill(text: str, **values: Any) -> str:
    """A text with its braces filled, on one line."""
    return " ".join(_template(text).render(values).split()) if "{" in text else text


def lines_of(text: str, **values: Any) -> list[str]:
    """The lines of a text with its braces filled, without empty ones."""
    lines = (" ".join(line.split()) for line in _template(text).render(values).splitlines())
    return [line for line in lines if line]
