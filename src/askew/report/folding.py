"""What a page shows at first of each part, what it folds away, and what it only names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from askew.files import yaml_of
from askew.papers import asked_for
from askew.report.blocks import (
    Block,
    Chapter,
    Document,
    Figure,
    Flips,
    Group,
    Note,
    Part,
    Section,
    Table,
)
from askew.schema import ENOUGH_ITEMS

_WORDS = yaml_of("askew.report", "report.yaml")["folding"]
# Panels of a chapter's telling figure that are drawn before anything is unfolded.
_PANELS = 2


def folded(document: Document) -> Document:
    """Show the first section and the telling figure of each part; fold what else it has."""
    return replace(document, parts=[_folded(part) for part in document.parts])


def _folded(part: Part) -> Part:
    first, *others = part.sections
    if isinstance(part, Chapter):
        left = _Left(part)
        telling, rest = _told_apart(part, others)
        folded = [s for s in map(left.pruned, rest) if s.blocks or s.paragraphs]
        if left.notes:
            folded.append(Section(f"{part.id}-not-drawn", _WORDS["left"], (), (Note(left.notes),)))
        shown = [first, *([Section("", "", (), (left.linked(telling),))] if telling else [])]
    else:
        long = [b for b in part.blocks if not isinstance(b, Note)]
        if not long or not part.short:
            return part
        shown = [replace(first, blocks=[b for b in first.blocks if b not in long])]
        behind = [b for b in first.blocks if b in long]
        folded = [replace(first, paragraphs=(), blocks=behind), *others]
    return replace(part, sections=shown, folded=folded, folds=_counts(folded))


def _counts(sections: Sequence[Section]) -> str:
    """What is folded, counted by kind."""
    blocks = [b for s in sections for b in s.blocks]
    kinds = Counter(b.what for b in blocks)
    kinds["flips"] = sum(len(b.flips) for b in blocks if isinstance(b, Flips))
    told = [
        f"{kinds[kind]} {one if kinds[kind] == 1 else several}"
        for kind, (one, several) in _WORDS["kinds"].items()
        if kinds[kind]
    ]
    return ", ".join(told)


def _told_apart(
    part: Chapter, sections: Sequence[Section]
) -> tuple[Figure | None, Sequence[Section]]:
    """The figure that tells most with its first panels, and the sections with the rest of it."""
    bend = asked_for(part.id).bend
    charts = {b.id: b for s in sections for b in s.blocks if isinstance(b, Figure)}
    chart = charts.get(bend.figure if bend else "") or next(iter(charts.values()), None)
    if chart is None:
        return None, sections
    more = replace(chart, id=f"{chart.id}-more", panels=chart.panels[_PANELS:])
    rest = []
    for section in sections:
        kept = (more if block is chart else block for block in section.blocks)
        rest.append(replace(section, blocks=[b for b in kept if b is not more or more.panels]))
    return replace(chart, panels=chart.panels[:_PANELS]), rest


@dataclass
class _Left:
    """What a chapter does not draw, because it rests on too few items or is zero throughout."""

    part: Chapter
    few: dict[str, list[str]] = field(default_factory=dict)
    zero: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    least: int = ENOUGH_ITEMS

    def pruned(self, section: Section) -> Section:
        tables = {b.id: self._table(b) for b in section.blocks if isinstance(b, Table)}
        blocks: list[Block] = []
        for block in section.blocks:
            drawn: Block | None = block
            if isinstance(block, Table):
                drawn = tables[block.id]
            elif isinstance(block, Figure):
                drawn = self._chart(block)
            blocks += [drawn] if drawn is not None else []
        return replace(section, paragraphs=section.paragraphs if blocks else (), blocks=blocks)

    def _table(self, table: Table) -> Table | None:
        groups, values = [], []
        for group in table.groups:
            items, own = _measured(group)
            if 0 < items < ENOUGH_ITEMS:
                few = f"{group.title} ({items})" if group.title else f"{items}"
                self.few.setdefault(table.caption, []).append(few)
                self.least = min(self.least, items)
                self.ids |= {table.id, group.id} if group.id else set()
            else:
                groups.append(group)
                values += own
        zero = len(values) > 1 and not any(values)
        if zero and groups:
            self.zero.append(table.caption)
        if zero or not groups:
            self.ids.add(f"{table.id}-*")
            return None
        return replace(table, groups=groups)

    def _chart(self, chart: Figure) -> Figure | None:
        if f"{chart.table_id}-*" in self.ids:
            return None
        panels = [p for p in chart.panels if f"{chart.table_id}-{p.name}" not in self.ids]
        return self.linked(replace(chart, panels=panels)) if panels else None

    def linked(self, chart: Figure) -> Figure:
        """The figure with a link to the table of its numbers, where that is drawn."""
        gone = f"{chart.table_id}-*" in self.ids
        return replace(chart, table_id=f"{self.part.id}-headlines") if gone else chart

    @property
    def notes(self) -> list[str]:
        """What is not drawn, and how many items would do."""
        lines = [
            _WORDS["few"].format(what=what, items=", ".join(of), least=ENOUGH_ITEMS)
            for what, of in self.few.items()
        ]
        asked = max((h.estimate.n_items for h in self.part.headlines), default=0)
        if self.few and (would := math.ceil(asked * ENOUGH_ITEMS / self.least)):
            lines.append(_WORDS["would_do"].format(items=f"{would:,}", asked=asked))
        if self.zero:
            lines.append(_WORDS["zero"].format(what="; ".join(self.zero)))
        return lines


def _measured(group: Group) -> tuple[int, list[float]]:
    """How many items the measured numbers of a group rest on at most, and these numbers."""
    found = [
        cell.estimate
        for row in group.rows
        if row.kind not in ("published", "reference")
        for cell in row.cells
        if cell.estimate is not None
    ]
    values = [e.value for e in found if not e.missing]
    return max((e.n_items for e in found), default=0), values
