"""What a page shows at first: of each model what was found, and what of each part is folded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from askew.files import yaml_of
from askew.logs.excluded import Run
from askew.papers import asked_for
from askew.report.blocks import (
    Block,
    Cell,
    Chapter,
    Column,
    Decided,
    Document,
    Figure,
    Flips,
    Grid,
    GridCell,
    GridRow,
    Group,
    Headline,
    Note,
    Part,
    Row,
    Section,
    Table,
)
from askew.report.estimates import Model
from askew.report.verdicts import (
    CANT_TELL,
    SHOWN,
    SUGGESTIVE,
    VERDICTS,
    Verdict,
    on_page,
)
from askew.schema import ENOUGH_ITEMS, MISSING
from askew.stats.nulls import UNKNOWN

_TOLD = yaml_of("askew.report", "report.yaml")
_WORDS: Mapping[str, str] = _TOLD["screen"]
_FOLDING = _TOLD["folding"]
# Panels of a chapter's telling figure that are drawn before anything is unfolded.
_PANELS = 2
# So many findings of a model are told; the cells hold the others.
_NAMED = 3


def grid(
    chapters: Sequence[Chapter],
    models: Sequence[Model],
    decided: Decided,
    runs: Sequence[Run] = (),
) -> Grid | None:
    """Models by tasks; nothing where there is no model."""
    if not models:
        return None
    each = [[_cell(model, chapter, decided, runs) for chapter in chapters] for model in models]
    cells = [c.headline for of in each for c in of if c.headline and c.headline.verdict]
    together = on_page([h.verdict for h in cells if h.verdict])
    said = {id(h): v for h, v in zip(cells, together, strict=True) if v != h.verdict}
    rows = [
        _row(model, chapters, [_said(cell, said) for cell in of], decided)
        for model, of in zip(models, each, strict=True)
    ]
    return Grid(
        "first-screen",
        [(c.id, c.title, bend.by if (bend := asked_for(c.id).bend) else "") for c in chapters],
        rows,
        [_WORDS["legend"].format(cells=len(cells))] if cells else [],
    )


def _said(cell: GridCell, said: Mapping[int, Verdict]) -> GridCell:
    """The cell with what the page says of it, where its number alone says something else."""
    if cell.headline is None or id(cell.headline) not in said:
        return cell
    return replace(cell, headline=replace(cell.headline, verdict=said[id(cell.headline)]))


def _row(
    model: Model, chapters: Sequence[Chapter], cells: Sequence[GridCell], decided: Decided
) -> GridRow:
    bends = [
        (bend.by, cell.headline)
        for chapter, cell in zip(chapters, cells, strict=True)
        if (bend := asked_for(chapter.id).bend) and cell.headline and cell.headline.verdict
    ]
    return GridRow(model, [*cells], _findings(bends), decided.against.get(model.label, ""))


def _cell(model: Model, chapter: Chapter, decided: Decided, runs: Sequence[Run]) -> GridCell:
    """The task's number that tells most: of several, one that is shown, and the largest."""
    own = [h for h in chapter.headlines if h.model.label == model.label]
    found = max((h for h in own if h.verdict), key=_clearness, default=None)
    if found is None:
        found = next(iter(own), None)
    missing = found is None or found.estimate.missing
    why = _unscored(model, chapter, runs, found) if missing else ""
    return GridCell(found, why, decided.policy(chapter.id, model.label))


def _unscored(model: Model, chapter: Chapter, runs: Sequence[Run], found: Headline | None) -> str:
    """Why there is no number: samples that failed are said before conditions that are empty."""
    own = [run for run in runs if run.task == chapter.id and run.model == model.label]
    scored, planned = sum(run.scored for run in own), sum(run.planned for run in own)
    if scored < planned:
        told: str = _WORDS["failed" if scored else "all_failed"].format(
            scored=f"{scored:,}", planned=f"{planned:,}"
        )
        return told
    return found.estimate.why if found else _WORDS["not_asked"]


def _clearness(headline: Headline) -> tuple[bool, bool, bool, float]:
    """What is shown comes first, by size; then what can't be told, by the items that it rests on.

    What is ruled out of one number is not ruled out of all.
    """
    word, missing = headline.verdict.word if headline.verdict else "", headline.estimate.missing
    rank = points(headline)[0] if word == SHOWN else headline.estimate.n_items
    return word == SHOWN, word == CANT_TELL, not missing, rank


def points(headline: Headline) -> tuple[float, float, float]:
    """The size of a bend and the ends of its interval in points, a variance by its root."""
    found, unit = headline.estimate, headline.unit
    ends = [abs(v) * unit.factor for v in (found.value, found.low, found.high)]
    if unit.name.startswith("squared"):
        ends = [math.sqrt(v) for v in ends]
    return ends[0], min(ends[1:]), max(ends[1:])


def _findings(bends: Sequence[tuple[str, Headline]]) -> list[str]:
    """What was found of a model, a sentence each, the largest first; else that nothing was."""
    by: dict[str, list[tuple[float, str]]] = {word: [] for word in VERDICTS}
    for name, headline in bends:
        assert headline.verdict is not None
        said = headline.finding_said or _WORDS["finding"].format(what=name, found=headline.said)
        by[headline.verdict.word].append((points(headline)[0], f"{said}."))
    shown = [said for _, said in sorted(by[SHOWN], reverse=True)]
    if not bends:
        return [_WORDS["nothing_asked"]]
    if all(headline.estimate.missing for _, headline in bends):
        return [_WORDS["unscored"]]
    if len(shown) > _NAMED:
        shown = [*shown[:_NAMED], _WORDS["more"].format(n=len(shown) - _NAMED)]
    if by[SUGGESTIVE]:
        names = [
            asked_for(h.task).name for _, h in bends if h.verdict and h.verdict.word == SUGGESTIVE
        ]
        shown.append(_WORDS["suggestive"].format(what=_listed(names)))
    unknown = len(by[CANT_TELL])
    if not shown:
        return [_WORDS["unknown" if unknown else "ruled_out"].format(n=unknown, all=len(bends))]
    return shown


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def in_short(chapter: Chapter) -> Chapter:
    """The chapter with its headlines in a table before all else."""
    if not chapter.headlines:
        return chapter
    words = _TOLD["headlines"]
    shown = Table(
        id=f"{chapter.id}-headlines",
        caption=words["caption"].format(task=chapter.title),
        head="Model",
        columns=[Column(**told) for told in words["columns"]],
        groups=[Group([_headline_row(h) for h in chapter.headlines])],
    )
    first = Section("", "", (), (shown,))
    return replace(chapter, sections=(first, *chapter.sections))


def _headline_row(of: Headline) -> Row:
    found = f"Largest fall: {of.finding.sentence}" if of.finding else ""
    unit = f", {of.unit.name}" if of.unit.name and of.unit.name not in of.label else ""
    return Row(
        of.model.short,
        [
            Cell(f"{of.label}{unit}"),
            Cell(" ".join(filter(None, (of.sentence, found)))),
            Cell(estimate=replace(of.estimate, null=UNKNOWN), unit=of.unit),
            Cell(of.verdict.word if of.verdict else MISSING),
            Cell(f"{of.estimate.n_items}"),
            Cell(of.without or MISSING),
        ],
        of.model.kind,
    )


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
            folded.append(
                Section(f"{part.id}-not-drawn", _FOLDING["left"], (), (Note(left.notes),))
            )
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
        for kind, (one, several) in _FOLDING["kinds"].items()
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
            _FOLDING["few"].format(what=what, items=", ".join(of), least=ENOUGH_ITEMS)
            for what, of in self.few.items()
        ]
        asked = max((h.estimate.n_items for h in self.part.headlines), default=0)
        if self.few and (would := math.ceil(asked * ENOUGH_ITEMS / self.least)):
            lines.append(_FOLDING["would_do"].format(items=f"{would:,}", asked=asked))
        if self.zero:
            lines.append(_FOLDING["zero"].format(what="; ".join(self.zero)))
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
