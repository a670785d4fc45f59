"""A chapter's tables: cuts of the results with their intervals, the paper's rows below."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from askew.report.blocks import Cell, Column, Group, Row, Table
from askew.report.cuts import Cuts, Entry, Part, Place
from askew.report.estimates import Estimate
from askew.schema import MISSING

_MARKS = "abcdefghijklmnopqrstuvwxyz"


def table(cuts: Cuts, block: Entry, id: str, at: Mapping[str, str]) -> Table | None:
    """A table as a chapter's YAML declares it; None where nothing of it was asked.

    Args:
        cuts: the task's numbers.
        block: its words and axes. A column is a metric, the number of `items` of one, a `count`
            of observations, a `rank` by a metric, or what the chapter's code makes of a row
            (`call`); a metric's cell may get a `mark` from there.
        id: the table's; a group's is the id with its slug behind.
        at: values of levels at which all of it stands.
    """
    said: dict[str, str] = {}
    parts = cuts.parts(block, at)
    if not parts:
        return None
    groups = [
        Group(
            [_row(cuts, part, row, said) for row in part.rows],
            _title(cuts, part.group),
            f"{id}-{part.group.slug}" if part.group.slug else "",
        )
        for part in parts
    ]
    rows = [row for group in groups for row in group.rows]
    used = {cell.mark for row in rows for cell in row.cells}
    marks = {mark: text for mark, text in block.get("marks", {}).items() if mark in used}
    source = block.get("source", "")
    if any(row.kind == "published" for row in rows):
        source = " ".join(filter(None, (block.get("published_source", ""), source)))
    return Table(
        id=id,
        caption=block["caption"],
        head=block.get("head", "Model"),
        columns=[_column(cuts, column) for column in parts[0].columns],
        groups=groups,
        notes={**marks, **{mark: text for text, mark in said.items()}},
        source=source,
    )


def _title(cuts: Cuts, group: Place) -> str:
    """A group's heading: a model's says what a badge says beside a row, a metric's its meaning."""
    if "label" in group.told or not group.told.get("metric") or group.told.get("by"):
        return group.marked or group.title
    return ": ".join(filter(None, (group.title, cuts.evidence.paper.metric(group.metric).meaning)))


def _column(cuts: Cuts, column: Place) -> Column:
    told = column.told
    if "items" in told:
        return Column("Items", told.get("meaning", ""))
    meaning = told.get("meaning", "")
    # Of several columns with one number, each has the name of its place.
    if told.get("by") or not column.metric:
        return Column(column.title, meaning, told.get("numeric", "call" not in told))
    declared = cuts.evidence.paper.metric(column.metric)
    if "label" not in told:
        meaning = told.get("meaning", declared.meaning)
    label = told.get("label") or declared.label or column.metric.replace("_", " ")
    return Column(label[:1].upper() + label[1:], meaning)


def _row(cuts: Cuts, part: Part, row: Place, said: dict[str, str]) -> Row:
    place = part.group + row
    cells = [_cell(cuts, part, place, column, said) for column in part.columns]
    return Row(row.title or row.marked, cells, place.kind)


def _cell(cuts: Cuts, part: Part, row: Place, column: Place, said: dict[str, str]) -> Cell:
    place, told = row + column, column.told
    if "items" in told:
        return _items(cuts, row, column, part.columns)
    if "count" in told:
        asked = {**row.at, **told["count"]}
        return Cell(f"{cuts.evidence.count(row.model, asked):,}")
    if "rank" in told:
        return _rank(cuts, part, replace(place, metric=told["rank"]))
    if "call" in told:
        cell: Cell = getattr(cuts.code, told["call"])(cuts, place)
        return cell
    found = cuts.estimate(place)
    if place.kind == "published" and found.missing:
        return Cell(MISSING)
    mark = ""
    if place.kind == "published":
        if note := cuts.evidence.note(place.metric, place.model, place.at):
            mark = said.setdefault(note, _MARKS[len(said) % len(_MARKS)])
    elif "mark" in told:
        mark = getattr(cuts.code, told["mark"])(cuts, place)
    unit = cuts.unit(place.metric, place.kind)
    at = {} if place.kind == "published" else place.at
    return Cell(estimate=found, unit=unit, mark=mark, at=at)


def _items(cuts: Cuts, row: Place, column: Place, columns: Sequence[Place]) -> Cell:
    """How many items a row rests on: those of one metric, or of all beside it."""
    if row.kind == "published":
        return Cell(MISSING)
    asked = [replace(column, metric=column.told["items"])] if column.told["items"] else columns
    found = [cuts.estimate(row + of) for of in asked if of.is_number or of.metric]
    numbers = list(dict.fromkeys(map(_counted, found)))
    if len(numbers) > 2:
        numbers = [*map(_counted, sorted(found, key=lambda e: e.n_items))]
        return Cell(f"{numbers[0]} to {numbers[-1]}")
    return Cell(", ".join(numbers))


def _counted(found: Estimate) -> str:
    dropped = f" ({found.n_dropped} dropped)" if found.n_dropped else ""
    return f"{found.n_items}{dropped}"


def _rank(cuts: Cuts, part: Part, place: Place) -> Cell:
    """A number's place among those beside it, from the highest; ties share one.

    A model that was asked otherwise than most has none.
    """
    apart = {model.label for model in cuts.evidence.models if model.apart}
    ranked = [cuts.estimate(place + row).value for row in part.rows if row.model not in apart]
    own = cuts.estimate(place).value
    if math.isnan(own) or place.model in apart:
        return Cell(MISSING)
    ties = "=" if ranked.count(own) > 1 else ""
    return Cell(f"{1 + sum(other > own for other in ranked)}{ties}")
