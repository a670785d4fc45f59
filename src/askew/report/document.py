"""What a report says, before it is a file: headlines, sections, tables, charts, flips.

Chapters build these; the writers (html, md, json) only lay them out. Nothing here is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

from askew.schema import MISSING, PERCENT, Unit
from askew.untrusted import one_line


@dataclass(frozen=True)
class Estimate:
    """A number with its interval and what it rests on; nan comes with a reason."""

    value: float
    low: float = math.nan
    high: float = math.nan
    n_items: int = 0
    n_dropped: int = 0
    reason: str = ""

    @property
    def missing(self) -> bool:
        return math.isnan(self.value)

    @property
    def why(self) -> str:
        """Why there is no number; empty where there is one."""
        return (self.reason or "nothing was observed") if self.missing else ""

    def interval(self, unit: Unit) -> str:
        if math.isnan(self.low) or math.isnan(self.high):
            return ""
        return f"{unit.write(self.low)} to {unit.write(self.high)}"

    def text(self, unit: Unit) -> str:
        """The number with its interval in one line, or a dash with the reason."""
        if self.missing:
            return f"{MISSING} ({self.why})"
        interval = self.interval(unit)
        return f"{unit.write(self.value)} ({interval})" if interval else unit.write(self.value)


RowKind = Literal["measured", "simulated", "published", "reference"]


@dataclass(frozen=True)
class Model:
    """A model as the report names it."""

    label: str
    """Its value in the column `model`."""
    short: str
    """The same without the provider's name, where that leaves it unique."""
    simulated: bool = False

    @property
    def label_shown(self) -> str:
        """The whole label, fit to be shown."""
        return one_line(self.label)

    @property
    def kind(self) -> RowKind:
        return "simulated" if self.simulated else "measured"

    @property
    def marked(self) -> str:
        """The short name, with the mark that a chart's label needs."""
        return f"{self.short} (simulated)" if self.simulated else self.short


@dataclass(frozen=True)
class Cell:
    """One cell: an estimate, or text; `mark` points to a note below the table."""

    text: str = ""
    estimate: Estimate | None = None
    unit: Unit = PERCENT
    mark: str = ""

    def written(self) -> str:
        """The cell without its interval."""
        return self.text if self.estimate is None else self.unit.write(self.estimate.value)

    def plain(self) -> str:
        """The whole cell in one line of plain text."""
        text = self.text if self.estimate is None else self.estimate.text(self.unit)
        return f"{text} [{self.mark}]" if self.mark else text


@dataclass(frozen=True)
class Column:
    """A column's head, what it means where that isn't plain, and whether it holds numbers."""

    label: str
    meaning: str = ""
    numeric: bool = True


@dataclass(frozen=True)
class Row:
    """A table row: its head, its cells, and whose numbers they are."""

    head: str
    cells: Sequence[Cell]
    kind: RowKind = "measured"


@dataclass(frozen=True)
class Group:
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
    what: ClassVar[str] = "table"

    @property
    def has_simulated(self) -> bool:
        return any(r.kind == "simulated" for g in self.groups for r in g.rows)


@dataclass(frozen=True)
class Key:
    """An entry of a chart's legend: a shape in a colour, and what it stands for."""

    shape: Literal["dot", "ring", "diamond", "square", "bar", "line"]
    colour: str
    label: str


@dataclass(frozen=True)
class Panel:
    """One small chart.

    Attributes:
        name: of the panel among those of its figure.
        title: as it is shown.
        draw: makes the Vega-Lite specification, with colours by meaning; only what shows or
            exports charts asks for it.
        wide: whether it needs room for many columns, and scrolls where there is too little.
    """

    name: str
    title: str
    draw: Callable[[], Mapping[str, Any]]
    wide: bool = False

    @cached_property
    def spec(self) -> Mapping[str, Any]:
        return self.draw()


@dataclass(frozen=True)
class Chart:
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
    what: ClassVar[str] = "chart"


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
class FlipList:
    """Flips worth reading, chosen by a stated rule."""

    id: str
    rule: str
    flips: Sequence[Flip]
    n_found: int
    what: ClassVar[str] = "flips"


Block = Table | Chart | FlipList


@dataclass(frozen=True)
class Section:
    """A part of a chapter: what it shows, then the blocks that show it."""

    id: str
    title: str
    paragraphs: Sequence[str]
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Finding:
    """The worst thing found, in a sentence, and the id of what shows it."""

    sentence: str
    target: str


@dataclass(frozen=True)
class Headline:
    """A model's number of one task, what it means, and the worst finding."""

    task: str
    title: str
    model: Model
    metric: str
    label: str
    estimate: Estimate
    unit: Unit
    scale: tuple[float, float] | None
    """The metric's range, as in the table, for the little plot beside it; without one, no plot."""
    sentence: str
    finding: Finding | None = None
    nothing_found: str = ""
    """What to say where findings were looked for and there is none."""

    @property
    def basis(self) -> str:
        """The interval, where there is one, and the number of items."""
        interval = self.estimate.interval(self.unit)
        return f"{interval}, n = {self.estimate.n_items}".removeprefix(", ")


@dataclass(frozen=True)
class Chapter:
    """All that the report says about one task."""

    task: str
    title: str
    question: str
    reference: str
    headlines: Sequence[Headline]
    sections: Sequence[Section]
