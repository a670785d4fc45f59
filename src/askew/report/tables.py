"""Tables from declarations: columns over the tidy table, slices of it, and rows.

A chapter says which numbers stand in which column (`Value`), how the table is cut (`Slice`) and
whose rows it has (`Line`). Labels, meanings and units come from the paper's metrics where a
chapter names no others; the paper's printed numbers are rows of the same table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from askew.report.document import Cell, Column, Group, Row, Table
from askew.report.estimates import Estimate, RowKind
from askew.report.evidence import Evidence
from askew.schema import MISSING, Unit
from askew.stats.tables import OVERALL

MARKS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Slice:
    """A part of the tidy table: a table's group, or a figure's panel.

    Attributes:
        title: as it is shown.
        at: values of levels; others are pooled.
        slug: what it adds to ids; without one, nothing can point to it.
        lines: rows of its own; the table's where there are none.
        columns: of its own, as many as the table's; the table's where there are none.
    """

    title: str = ""
    at: Mapping[str, str] = field(default_factory=dict)
    slug: str = ""
    lines: Sequence[Line] = ()
    columns: Sequence[ColumnOf] = ()


@dataclass(frozen=True)
class Line:
    """A row: whose numbers it shows, and where.

    Attributes:
        head: as it is shown.
        model: the model's label, or its name in print.
        kind: whether it is measured, simulated, printed or a reference.
        at: values of levels.
        marked: its name on charts.
    """

    head: str
    model: str
    kind: RowKind = "measured"
    at: Mapping[str, str] = field(default_factory=dict)
    marked: str = ""


@dataclass(frozen=True)
class Value:
    """A column of numbers.

    Attributes:
        metric: its name.
        label: the column's head; the metric's own where it is empty.
        meaning: what stands below the head; the metric's own where it is None.
        at: values of levels.
        unit: of measured numbers; the metric's own where it is None.
        printed: of printed numbers; that of measured ones where it is None.
        mark: gives a cell its mark, from the evidence, the line and the levels.
        marked: its name on charts.
        plain: whether printed cells are text: the number stands as one elsewhere.
    """

    metric: str
    label: str = ""
    meaning: str | None = None
    at: Mapping[str, str] = field(default_factory=dict)
    unit: Unit | None = None
    printed: Unit | None = None
    mark: Callable[[Evidence, Line, Mapping[str, str]], str] | None = None
    marked: str = ""
    plain: bool = False

    @property
    def series(self) -> str:
        """What charts call it."""
        return self.marked or self.metric.replace("_", " ")

    def column(self, evidence: Evidence) -> Column:
        declared = evidence.paper.metric(self.metric)
        meaning = declared.meaning if self.meaning is None else self.meaning
        return Column(self.label or declared.label or self.metric.replace("_", " "), meaning)

    def estimate(self, evidence: Evidence, line: Line, at: Mapping[str, str]) -> Estimate:
        return evidence.number(self.metric, line.model, line.kind, {**at, **line.at, **self.at})

    def cell(self, evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        found = self.estimate(evidence, line, at)
        measured = self.unit or evidence.paper.metric(self.metric).unit
        if line.kind != "published":
            mark = self.mark(evidence, line, {**at, **line.at, **self.at}) if self.mark else ""
            place = {**at, **line.at, **self.at}
            return Cell(estimate=found, unit=measured, mark=mark, at=place)
        if found.missing:
            return Cell(MISSING)
        unit = self.printed or measured
        return Cell(unit.write(found.value)) if self.plain else Cell(estimate=found, unit=unit)


@dataclass(frozen=True)
class Items:
    """The column that says how many items a row rests on.

    Attributes:
        of: the metric that is asked; without one, the columns beside it are: one number where
            all rest on as many, otherwise one each, or the most with `most`.
        meaning: which items these are.
        most: of several numbers of items, only the largest.
        at: values of levels.
    """

    of: str = ""
    meaning: str = ""
    most: bool = False
    at: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Words:
    """A column that a function fills, such as a count or a verdict in words."""

    label: str
    write: Callable[[Evidence, Line, Mapping[str, str]], Cell]
    meaning: str = ""
    numeric: bool = False


@dataclass(frozen=True)
class Rank:
    """A column with a number's place among those of the lines, from the highest; ties share one.

    A model that was asked otherwise than most has none.
    """

    metric: str
    label: str


ColumnOf = Value | Items | Words | Rank


def counted(label: str, meaning: str = "", **having: object) -> Words:
    """A column that counts a row's observations, or those with a value in some columns."""

    def write(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        found = evidence.observations
        for column, value in {"model": line.model, **at, **having}.items():
            found = found[found[column] == value]
        return Cell(f"{len(found):,}")

    return Words(label, write, meaning, numeric=True)


def items_cell(estimate: Estimate) -> Cell:
    """How many items a number rests on, and how many were left out."""
    dropped = f" ({estimate.n_dropped} dropped)" if estimate.n_dropped else ""
    return Cell(f"{estimate.n_items}{dropped}")


def slices(
    evidence: Evidence, level: str, *, whole: bool = True, anchored: bool = True
) -> list[Slice]:
    """What was asked of a level, one slice a value.

    Args:
        evidence: the task's numbers.
        level: a column of the metric rows.
        whole: whether the whole comes first where there are several values.
        anchored: whether links can point to the slices.
    """
    values = evidence.values(level)
    if whole and len(values) > 1:
        values = [OVERALL, *values]
    return [
        Slice(
            evidence.label(level, v),
            {level: v} if v != OVERALL else {},
            evidence.slug(level, v) if anchored else "",
        )
        for v in values
    ]


def models(evidence: Evidence) -> list[Line]:
    """A line a model under test."""
    return [Line(m.short, m.label, m.kind, marked=m.marked) for m in evidence.models]


def by_model(evidence: Evidence, rows: Sequence[Slice]) -> list[Slice]:
    """A slice a model, whose rows are slices."""
    return [
        Slice(
            model.marked,
            slug=f"model-{n}",
            lines=[replace(model, head=row.title, marked="", at=row.at) for row in rows],
        )
        for n, model in enumerate(models(evidence), start=1)
    ]


def places(
    evidence: Evidence, metrics: Collection[str], line: Line, levels: Sequence[str]
) -> Iterator[Line]:
    """A line for each place, by these levels, where a line's model has some of the metrics."""
    rows = evidence.rows[evidence.rows["metric"].isin(metrics)]
    for column, value in {"model": line.model, **line.at}.items():
        rows = rows[rows[column].astype(str) == value]
    for place in rows[[*levels]].astype(str).drop_duplicates().itertuples(index=False, name=None):
        at = dict(zip(levels, place, strict=True))
        named = (evidence.label(level, value) for level, value in at.items() if value != OVERALL)
        yield replace(line, head=", ".join(named) or OVERALL, at={**line.at, **at})


def printed_models(
    evidence: Evidence, columns: Iterable[ColumnOf], at: Mapping[str, str]
) -> list[Line]:
    """A line for each of the paper's models that some column has a printed number of, in order."""
    values = [c for c in columns if isinstance(c, Value)]
    fixed = set(at) - {level for v in values for level in v.at}
    names = evidence.printed_names({v.metric for v in values}, {name: at[name] for name in fixed})
    lines = [Line(name, name, "published", {}, f"{name} (published)") for name in names]
    return [
        line for line in lines if any(not v.estimate(evidence, line, at).missing for v in values)
    ]


def table(
    evidence: Evidence,
    table_id: str,
    caption: str,
    columns: Sequence[ColumnOf],
    parts: Sequence[Slice] = (Slice(),),
    *,
    lines: Sequence[Line] | None = None,
    printed: bool = True,
    head: str = "Model",
    notes: Mapping[str, str] | None = None,
    marks: Sequence[str] = MARKS,
    source: str = "",
    of_printed: str = "",
) -> Table:
    """A table as it is declared.

    Args:
        evidence: the task's numbers.
        table_id: the table's id; a group's is the id with its slug behind.
        caption: what stands on top.
        columns: from left to right.
        parts: its groups.
        lines: its rows; default the models under test.
        printed: whether the paper's rows stand below the measured ones.
        head: of the first column.
        notes: what marks mean, beside those of printed numbers.
        marks: of printed numbers that something is to be said of, in order.
        source: where its printed numbers come from.
        of_printed: the same, said only where there are some.
    """
    said: dict[str, str] = {}
    groups = []
    for part in parts:
        own = list(part.lines or (models(evidence) if lines is None else lines))
        filled = part.columns or columns
        shown = own + (printed_models(evidence, filled, part.at) if printed else [])
        rows = [_row(evidence, line, filled, part.at, shown, said, marks) for line in shown]
        place = f"{table_id}-{part.slug}" if part.slug else ""
        groups.append(Group(rows, part.title, place))
    rows = [row for group in groups for row in group.rows]
    used = {cell.mark for row in rows for cell in row.cells}
    more = {mark: text for mark, text in (notes or {}).items() if mark in used}
    return Table(
        id=table_id,
        caption=caption,
        head=head,
        columns=[_column(evidence, c) for c in columns],
        groups=groups,
        notes={**more, **{mark: text for text, mark in said.items()}},
        source=source or (of_printed if any(r.kind == "published" for r in rows) else ""),
    )


def _column(evidence: Evidence, column: ColumnOf) -> Column:
    match column:
        case Value():
            return column.column(evidence)
        case Items():
            return Column("Items", column.meaning)
        case Rank():
            return Column(column.label)
        case Words():
            return Column(column.label, column.meaning, column.numeric)


def _row(
    evidence: Evidence,
    line: Line,
    columns: Sequence[ColumnOf],
    at: Mapping[str, str],
    lines: Sequence[Line],
    said: dict[str, str],
    marks: Sequence[str],
) -> Row:
    def cell(column: ColumnOf) -> Cell:
        match column:
            case Items():
                return _items(evidence, line, column, values, at)
            case Words():
                return column.write(evidence, line, {**at, **line.at})
            case Rank():
                return _place(evidence, line, Value(column.metric), at, lines)
            case Value():
                found, place = column.cell(evidence, line, at), {**at, **line.at, **column.at}
                printed = line.kind == "published"
                note = evidence.note(column.metric, line.model, place) if printed else ""
                if not note or found.estimate is None:
                    return found
                return replace(found, mark=said.setdefault(note, marks[len(said) % len(marks)]))

    values = [c for c in columns if isinstance(c, Value)]
    return Row(line.head, [cell(column) for column in columns], line.kind)


def _items(
    evidence: Evidence, line: Line, column: Items, values: Sequence[Value], at: Mapping[str, str]
) -> Cell:
    if line.kind == "published":
        return Cell(MISSING)
    asked = [Value(column.of, at=column.at)] if column.of else values
    found = [value.estimate(evidence, line, at) for value in asked]
    if column.most:
        return items_cell(max(found, key=lambda e: e.n_items))
    each = list(dict.fromkeys(items_cell(e).text for e in found))
    return Cell(each[0] if len(each) == 1 else ", ".join(items_cell(e).text for e in found))


def _place(
    evidence: Evidence, line: Line, value: Value, at: Mapping[str, str], lines: Sequence[Line]
) -> Cell:
    apart = {model.label for model in evidence.models if model.apart}
    ranked = (of for of in lines if of.kind == "published" or of.model not in apart)
    own, *others = (value.estimate(evidence, of, at).value for of in (line, *ranked))
    if math.isnan(own) or (line.kind != "published" and line.model in apart):
        return Cell(MISSING)
    ties = "=" if others.count(own) > 1 else ""
    return Cell(f"{1 + sum(other > own for other in others)}{ties}")
