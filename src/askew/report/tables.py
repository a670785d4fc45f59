"""A chapter's tables: cuts of the results, as its YAML declares them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from askew.report.blocks import Cell, Column, Group, Row, Table
from askew.report.estimates import Estimate
from askew.report.evidence import Entry, Evidence, Place, TableGroup
from askew.schema import NOT_APPLICABLE

_MARKS = "abcdefghijklmnopqrstuvwxyz"


def table(evidence: Evidence, block: Entry, id: str, at: Mapping[str, str]) -> Table | None:
    """A table as a chapter's YAML declares it; None where nothing of it was asked.

    A column is a metric, the number of `items` of one, a `count` of observations, a `rank` by a
    metric, or what the chapter's code makes of a row (`call`); a metric's cell may get a `mark`
    from there. A group's id is the table's with its slug behind.
    """
    notes: dict[str, str] = {}
    if not (parts := evidence.cuts(block, at)):
        return None
    groups = [
        Group(
            [
                Row(
                    row.title or row.marked,
                    [_cell(evidence, part, row, of, notes) for of in part.columns],
                    row.kind,
                )
                for row in part.rows
            ],
            _title(evidence, part.group),
            f"{id}-{part.group.slug}" if part.group.slug else "",
        )
        for part in parts
    ]
    groups, columns = _corrected(groups, [_column(evidence, column) for column in parts[0].columns])
    rows = [row for group in groups for row in group.rows]
    used = {cell.mark for row in rows for cell in row.cells}
    marks = {mark: text for mark, text in block.get("marks", {}).items() if mark in used}
    printed = any(row.kind == "published" for row in rows)
    sources = (block.get("published_source", "") if printed else "", block.get("source", ""))
    return Table(
        id=id, caption=block["caption"], head=block.get("head", "Model"), groups=groups,
        columns=columns,
        notes={**marks, **{mark: text for text, mark in notes.items()}},
        source=" ".join(filter(None, sources)),
    )  # fmt: skip


def _corrected(groups: list[Group], columns: list[Column]) -> tuple[list[Group], list[Column]]:
    """The table with a column of noise-corrected values behind each metric that has some."""
    rows = [[_left(cell) for cell in row.cells] for group in groups for row in group.rows]
    noisy = [
        any(cell.text != NOT_APPLICABLE for cell in column) for column in zip(*rows, strict=True)
    ]

    def wider(cells: Sequence[Any], more: Callable[[Any], Any]) -> list[Any]:
        pairs = zip(cells, noisy, strict=True)
        return [one for cell, has in pairs for one in ([cell, more(cell)] if has else [cell])]

    made = [g._replace(rows=[r._replace(cells=wider(r.cells, _left)) for r in g.rows])
            for g in groups]  # fmt: skip
    return made, wider(columns, lambda _: Column("Corrected", "noise-corrected"))


def _left(cell: Cell) -> Cell:
    left = cell.estimate.null.value_debiased if cell.estimate else math.nan
    return Cell(NOT_APPLICABLE if math.isnan(left) else cell.unit.write(left))


def _title(evidence: Evidence, group: Place) -> str:
    """A group's heading: a model's says what a badge says beside a row, a metric's its meaning."""
    if "label" in group.told or not group.told.get("metric") or group.told.get("by"):
        return group.marked or group.title
    return ": ".join(filter(None, (group.title, evidence.paper.metric(group.metric).meaning)))


def _column(evidence: Evidence, column: Place) -> Column:
    entry, meaning = column.told, column.told.get("meaning", "")
    if "items" in entry:
        return Column("Items", meaning)
    # Of several columns with one number, each has the name of its place.
    if entry.get("by") or not column.metric:
        return Column(column.title, meaning, entry.get("numeric", "call" not in entry))
    declared = evidence.paper.metric(column.metric)
    label = entry.get("label") or declared.label or column.metric.replace("_", " ")
    meaning = meaning or ("" if "label" in entry or "meaning" in entry else declared.meaning)
    return Column(label[:1].upper() + label[1:], meaning)


def _cell(
    evidence: Evidence, part: TableGroup, row: Place, column: Place, notes: dict[str, str]
) -> Cell:
    place, entry = row + column, column.told
    if "items" in entry:
        return _items(evidence, row, column, part.columns)
    if "count" in entry:
        return Cell(f"{evidence.count(row.model, {**row.at, **entry['count']}):,}")
    if "rank" in entry:
        return _rank(evidence, part, row, column)
    if "call" in entry:
        cell: Cell = getattr(evidence.code, entry["call"])(evidence, place)
        return cell
    found, printed = evidence.number(place), place.kind == "published"
    if printed and found.missing:
        return Cell(NOT_APPLICABLE)
    mark = ""
    if printed and (note := evidence.note(place)):
        mark = notes.setdefault(note, _MARKS[len(notes) % len(_MARKS)])
    elif "mark" in entry and not printed:
        mark = getattr(evidence.code, entry["mark"])(evidence, place)
    unit = evidence.unit(place.metric, place.kind)
    return Cell(estimate=found, unit=unit, mark=mark, levels={} if printed else place.at)


def _items(evidence: Evidence, row: Place, column: Place, columns: Sequence[Place]) -> Cell:
    """How many items a row rests on: those of one metric, or of all beside it."""
    if row.kind == "published":
        return Cell(NOT_APPLICABLE)
    items = [replace(column, metric=column.told["items"])] if column.told["items"] else columns
    found = [evidence.number(row + of) for of in items if of.is_number or of.metric]
    numbers = list(dict.fromkeys(map(_count, found)))
    if len(numbers) > 2:
        numbers = [*map(_count, sorted(found, key=lambda e: e.n_items))]
        return Cell(f"{numbers[0]} to {numbers[-1]}")
    return Cell(", ".join(numbers))


def _count(found: Estimate) -> str:
    dropped = f" ({found.n_dropped} of {found.dropped_of} dropped)" if found.n_dropped else ""
    return f"{found.n_items}{dropped}"


def _rank(evidence: Evidence, part: TableGroup, row: Place, column: Place) -> Cell:
    """A number's place among those beside it, from the highest; ties share one.

    A model that was asked otherwise than most has none.
    """
    apart = {model.label for model in evidence.models if model.apart}
    own, *others = (
        evidence.number(replace(of + column, metric=column.told["rank"])).value
        for of in (row, *part.rows)
        if of.model not in apart or of is row
    )
    if math.isnan(own) or row.model in apart:
        return Cell(NOT_APPLICABLE)
    ties = "=" if others.count(own) > 1 else ""
    return Cell(f"{1 + sum(other > own for other in others)}{ties}")
