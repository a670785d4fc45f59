"""The content of a document before rendering: definitions, tables, figures, flips and notes.

All commands' output consists of these blocks; `render` lays them out. Nothing here is escaped.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import pandas as pd
from jinja2 import Environment, StrictUndefined, Template

from askew.files import yaml_of
from askew.report.estimates import Estimate, Model, RowKind, Verdict


@dataclass(frozen=True)
class Cell:
    """One cell: an estimate, or text; `mark` points to a note below the table."""

    text: str = ""
    estimate: Estimate | None = None
    mark: str = ""
    # Values of the columns (subset, arm, ...) that select the replies of this number.
    levels: Mapping[str, str] = field(default_factory=dict)

    def plain(self) -> str:
        """The whole cell in one line of plain text."""
        of = self.estimate
        text = "; ".join(filter(None, (str(of), of.noise))) if of else self.text
        return f"{text} [{self.mark}]" if self.mark else text


class Column(NamedTuple):
    """A column heading, its explanation if it needs one, and whether its cells are numbers."""

    label: str
    meaning: str = ""
    numeric: bool = True


class Row(NamedTuple):
    """A row: heading, cells, and whether they are measured, simulated or from the paper."""

    head: str
    cells: Sequence[Cell]
    kind: RowKind = "measured"


class Group(NamedTuple):
    """Rows under one heading; a table without headings has one group without a title."""

    rows: Sequence[Row]
    title: str = ""
    id: str = ""

    @property
    def n_items(self) -> int:
        """The most items behind a number of a model; 0 without numbers."""
        rows = (r for r in self.rows if r.kind not in ("published", "reference"))
        return max((c.estimate.n_items for r in rows for c in r.cells if c.estimate), default=0)


@dataclass(frozen=True)
class Table:
    """A table with a caption; notes are keyed by the marks that its cells carry."""

    id: str
    caption: str
    head: str  # heading of the first column
    columns: Sequence[Column]
    groups: Sequence[Group]
    notes: Mapping[str, str] = field(default_factory=dict)
    source: str = ""  # where the published rows come from
    records: Sequence[Mapping[str, Any]] = ()  # the rows as data, if the cells are only texts
    kind: ClassVar[str] = "table"

    @property
    def has_simulated(self) -> bool:
        return any(r.kind == "simulated" for g in self.groups for r in g.rows)


def make_table(
    words: Mapping[str, Any], records: Iterable[Mapping[Any, Any]], id: str, /, **values: Any
) -> Table:
    """Make a table as YAML declares it, a row a record.

    `columns` have a heading and a template each, which the record and `values` fill. The first has
    the row headings, that named in `group` the groups, those in `texts` no numbers; those that
    `may_be_empty` are left out where they are empty in all rows. A record's `cells` come behind its
    columns or in their place, its `kind` is its row's, its `mark` is of the column `marked`.
    """
    columns, empty = words.get("columns", {}), {*words.get("may_be_empty", ())}
    rows: list[tuple[dict[str, Any], RowKind]] = []
    for record in records:
        filled = values | dict(record)
        row: dict[str, Any] = {name: fill(str(text), **filled) for name, text in columns.items()}
        row |= record.get("cells", {})
        if marked := words.get("marked"):
            row[marked] = Cell(row[marked], mark=record["mark"])
        empty -= {name for name in empty if row[name]}
        rows.append((row, record.get("kind", "measured")))
    group, meanings = words.get("group", ""), words.get("meanings", {})
    named = rows[0][0] if rows else {"": ""}
    head, *others = [name for name in named if name != group and name not in empty]
    heads = {name: fill(name, **values) if name in columns else name for name in (head, *others)}
    groups: dict[str, list[Row]] = {}
    for row, kind in rows:
        cells = [c if isinstance(c, Cell) else Cell(c) for c in (row[name] for name in others)]
        groups.setdefault(str(row.get(group, "")), []).append(Row(str(row[head]), cells, kind))
    used = {cell.mark for own in groups.values() for row in own for cell in row.cells}
    return Table(
        id, fill(words.get("caption", ""), **values), heads[head],
        [Column(heads[n], meanings.get(n, ""), n not in words.get("texts", ())) for n in others],
        [Group(own, title) for title, own in groups.items()],
        {mark: note for mark, note in words.get("notes", {}).items() if mark in used},
        fill(words.get("source", ""), **values),
    )  # fmt: skip


class LegendEntry(NamedTuple):
    shape: str
    colour: str
    label: str


@dataclass(frozen=True)
class Panel:
    """One small chart of a figure; its name is unique there."""

    name: str
    title: str
    draw: Callable[..., Mapping[str, Any]]
    """Makes the Vega-Lite specification, in colours of the style sheet; images need a `legend`."""
    wide: bool = False  # whether the chart has many columns: it scrolls on a narrow screen

    @cached_property
    def spec(self) -> Mapping[str, Any]:
        return self.draw()


@dataclass(frozen=True)
class Figure:
    """A figure of one or several panels that share a legend."""

    id: str
    caption: str
    reading: str  # how to read it; also the alternative text
    legend: Sequence[LegendEntry]
    panels: Sequence[Panel]
    simulated: Sequence[str] = ()  # names of the simulated models it shows
    table_id: str = ""  # the table that holds its numbers
    kind: ClassVar[str] = "figure"


@dataclass(frozen=True)
class FlipReply:
    """One of the replies of a flip, with its place in the log."""

    condition: str
    answer: str
    outcome: str
    correct: bool | None  # None where an ordinary log's score is neither right nor wrong
    log: str = ""
    sample_id: str = ""
    epoch: int = 1
    prompt: str = ""
    reply: str = ""
    unread: str = ""  # why prompt and reply are not shown


@dataclass(frozen=True)
class Flip:
    """An item answered correctly in one condition and incorrectly in another."""

    id: str
    model: Model
    item: str
    subset: str
    right_answer: str
    before: FlipReply
    after: FlipReply
    others: Sequence[FlipReply] = ()  # replies in further conditions, in short
    difference: Sequence[tuple[Literal["same", "del", "ins"], str]] = ()
    """Both prompts as one text: parts of both, of the first only, and of the second only."""


@dataclass(frozen=True)
class Flips:
    """Flips worth reading, chosen by a stated rule."""

    id: str
    rule: str
    flips: Sequence[Flip]
    n_found: int
    kind: ClassVar[str] = "flips"


@dataclass(frozen=True)
class Headline:
    """A model's result in one task: value, explanation and verdict."""

    task: str
    title: str
    model: Model
    metric: str
    label: str
    estimate: Estimate
    sentence: str
    finding: str = ""  # one sentence on the largest fall, if the effect is detected
    verdict: Verdict | None = None
    null_text: str = ""  # the value expected of a model without the effect
    detected_finding: str = ""  # the clause for the summary if the effect is detected or suggestive
    beside: bool = False  # a further effect: tested, but without a cell in the summary
    is_shown: bool = False  # the page's verdict is on it, not on another number of its task

    @property
    def word(self) -> str:
        return self.verdict.word if self.verdict else ""

    @property
    def text(self) -> str:
        """The value with unit, interval and items in one line, or why it is missing."""
        of, name = self.estimate, self.estimate.unit.name
        if of.missing:
            return str(of)
        unit = "%" if name == "%" else f" {name}".rstrip()
        basis = ", ".join(filter(None, (of.interval, f"n = {of.n_items}")))
        return f"{of.written}{unit} ({basis})"


class SummaryCell(NamedTuple):
    headline: Headline | None = None
    why: str = ""  # the reason for a missing value
    policy: str = ""  # the worst policy outcome of the task's metrics


class SummaryRow(NamedTuple):
    model: Model
    cells: Sequence[SummaryCell]
    findings: Sequence[str]
    comparison: str = ""


class SummaryTable(NamedTuple):
    """The summary table: one row per model, one column per task."""

    id: str
    heads: Sequence[tuple[str, str, str, str]]  # the task's id and name, its effect metric, unit
    rows: Sequence[SummaryRow]
    notes: Sequence[str]
    visual_notes: Sequence[str] = ()  # notes on bars, marks and links, which only HTML has
    warnings: Sequence[str] = ()  # what a reader must know first, above the table


@dataclass(frozen=True)
class Note:
    """What a reader should know before trusting the numbers, one line each."""

    lines: Sequence[str]
    kind: ClassVar[str] = "note"


@dataclass(frozen=True)
class Definitions:
    meanings: Mapping[str, str]
    kind: ClassVar[str] = "definitions"


Block = Definitions | Table | Figure | Flips | Note


@dataclass(frozen=True)
class Section:
    """A titled piece of a part: paragraphs, then blocks."""

    id: str
    title: str
    paragraphs: Sequence[str]
    blocks: Sequence[Block] = ()


@dataclass(frozen=True)
class Part:
    """One heading of a document with its sections, below an optional `summary_table`."""

    id: str
    title: str
    sections: Sequence[Section]  # one without a title comes right below the heading
    short: str = ""  # its name in the table of contents; without one it is not listed
    question: str = ""
    reference: str = ""
    folded: Sequence[Section] = ()  # collapsed; `folded_summary` describes them in one line
    folded_summary: str = ""
    summary_table: SummaryTable | None = None

    @property
    def blocks(self) -> Iterator[Block]:
        """All blocks; collapsed ones come last."""
        return (block for section in (*self.sections, *self.folded) for block in section.blocks)


@dataclass(frozen=True)
class Chapter(Part):
    """The report's part on one task; its id is the task's name."""

    headlines: Sequence[Headline] = ()


@dataclass(frozen=True)
class Explorer:
    """The reply browser: how many replies there are, are listed, have texts; both, packed."""

    total: int
    listed: int
    texts: int
    index: str
    chunks: Sequence[str]


@dataclass(frozen=True)
class OtherTasks:
    """What logs of other tasks than askew's show: parts of the document, and data."""

    parts: Sequence[Part] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    scores: pd.DataFrame | None = None  # a row a sample, epoch and measure, for the reply browser
    notes: Sequence[str] = ()


class CheckLine(NamedTuple):
    """A rule's outcome in one line; a rule that concerns no single model has the model ""."""

    task: str
    model: str
    status: str
    text: str


@dataclass(frozen=True)
class Decision:
    """Policy outcome and comparison of the same logs, with their document parts.

    Attributes:
        outcome: The policy outcome in one line, such as "FAIL: ...".
        checks: The outcomes of all rules, worst first.
        compared: The comparison in one line.
        comparisons: The result of the comparison, by model.
    """

    outcome: str = ""
    checks: Sequence[CheckLine] = ()
    compared: str = ""
    comparisons: Mapping[str, str] = field(default_factory=dict)
    parts: Sequence[Part] = ()
    others: OtherTasks = OtherTasks()

    @property
    def unmet(self) -> list[str]:
        """Failed and inconclusive rules, one line each."""
        return [check.text for check in self.checks if check.status != "pass"]

    def policy(self, task: str, model: str) -> str:
        """The worst policy outcome of a task and model; empty without a rule."""
        return next((c.status for c in self.checks if (c.task, c.model) == (task, model)), "")


NOTHING_DECIDED = Decision()


@dataclass(frozen=True)
class Document:
    """A report, a comparison, a gate outcome, a plan or another command's result."""

    title: str
    basis: str  # one sentence on the data used
    parts: Sequence[Part]
    data: Callable[[], Mapping[str, Any]]
    """Its content for JSON output: `results`, or of a report by its own schema."""
    outcome: str = ""  # the outcome in one line
    simulated: str = ""  # what simulated models mean for the numbers; empty without any
    written_at: str = ""
    explorer: Explorer | None = None
    decided: Decision | None = None

    @property
    def blocks(self) -> Iterator[Block]:
        return (block for part in self.parts for block in part.blocks)


def results(
    command: str, tables: Mapping[str, Iterable[Mapping[Any, Any]]], **about: Any
) -> Mapping[str, Any]:
    """What `askew COMMAND --json` prints, by `results.schema.json`: rows by table, and the rest."""
    rows = {name: [*table] for name, table in tables.items()}
    return {
        "schema": "askew-results", "version": "1.0", "command": command, "tables": rows,
        "about": about,
    }  # fmt: skip


def simulated_note(names: Sequence[str]) -> str:
    """The names of simulated models and what that means for numbers; empty without names."""
    note = yaml_of("askew.report", "report.yaml")["simulated"]
    return f"{', '.join(names)}: {note}" if names else ""


@cache
def _template(text: str) -> Template:
    return Environment(undefined=StrictUndefined).from_string(text)


def fill(text: str, /, **values: Any) -> str:
    """Render a Jinja template to one line."""
    return " ".join(_template(text).render(values).split()) if "{" in text else text


def render_lines(text: str, **values: Any) -> list[str]:
    """Render a Jinja template to its lines, without empty ones."""
    lines = (" ".join(line.split()) for line in _template(text).render(values).splitlines())
    return [line for line in lines if line]
