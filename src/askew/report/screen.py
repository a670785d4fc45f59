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
from askew.report.verdicts import CANT_TELL, SHOWN, SUGGESTIVE, VERDICTS, on_page
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
    chapters: Sequence[Chapter], models: Sequence[Model], decided: Decided,
    runs: Sequence[Run] = (), first: Sequence[str] = (),
) -> Grid | None:  # fmt: skip
    """Models by tasks, below what is to be known `first`; nothing where there is no model."""
    if not models:
        return None
    each = [[_cell(model, chapter, decided, runs) for chapter in chapters] for model in models]
    tested = [c.headline for of in each for c in of if c.headline and c.headline.verdict]
    rows = []
    for model, cells in zip(models, each, strict=True):
        found = _findings([c.headline for c in cells if c.headline and c.headline.verdict])
        rows.append(GridRow(model, cells, found, decided.against.get(model.label, "")))
    heads = [(c.id, c.title, bend.by if (bend := asked_for(c.id).bend) else "") for c in chapters]
    legend = [_WORDS["legend"].format(cells=len(tested))] if tested else []
    return Grid("first-screen", heads, rows, legend, first)


def told_together(chapters: Sequence[Chapter], models: Sequence[Model]) -> list[Chapter]:
    """The chapters with verdicts that hold for all cells of the first screen together.

    A number that is not the clearest of its task and model is shown where that one is.
    """
    found = (_clearest(chapter, model) for chapter in chapters for model in models)
    clearest = [h for h in found if h and h.verdict]
    page = on_page([h.verdict for h in clearest if h.verdict])
    said = {(h.task, h.model.label): v for h, v in zip(clearest, page, strict=True)}
    picked = {id(h) for h in clearest}

    def told(of: Headline) -> Headline:
        if of.verdict is None:
            return of
        word = said[of.task, of.model.label]
        is_less = of.verdict.shown and not word.shown
        return replace(of, verdict=word) if id(of) in picked or is_less else of

    return [replace(c, headlines=tuple(map(told, c.headlines))) for c in chapters]


def _clearest(chapter: Chapter, model: Model) -> Headline | None:
    """The task's number that tells most: of several, one that is shown, and the largest."""
    own = [h for h in chapter.headlines if h.model.label == model.label]
    return max((h for h in own if h.verdict), key=_clearness, default=next(iter(own), None))


def _cell(model: Model, chapter: Chapter, decided: Decided, runs: Sequence[Run]) -> GridCell:
    found, why = _clearest(chapter, model), ""
    if found is None or found.estimate.missing:
        # Samples that failed are said before conditions that are empty.
        asked = [run for run in runs if run.task == chapter.id and run.model == model.label]
        scored, planned = sum(run.scored for run in asked), sum(run.planned for run in asked)
        why = found.estimate.why if found else _WORDS["not_asked"]
        if scored < planned:
            words = _WORDS["failed" if scored else "all_failed"]
            told = words.format(scored=f"{scored:,}", planned=f"{planned:,}")
            why = f"{told}; {why}" if found and scored else told
    return GridCell(found, why, decided.policy(chapter.id, model.label))


def _clearness(headline: Headline) -> tuple[bool, bool, bool, float]:
    """What is shown comes first, by size; then what can't be told, by the items that it rests on.

    What is ruled out of one number is not ruled out of all.
    """
    word, missing = headline.verdict.word if headline.verdict else "", headline.estimate.missing
    rank = _points(headline) if word == SHOWN else headline.estimate.n_items
    return word == SHOWN, word == CANT_TELL, not missing, rank


def _points(headline: Headline) -> float:
    """The size of a bend in points, a variance by its root."""
    size = abs(headline.estimate.value) * headline.unit.factor
    return math.sqrt(size) if headline.unit.name.startswith("squared") else size


def _findings(bends: Sequence[Headline]) -> list[str]:
    """What was found of a model, a sentence each, the largest first; else that nothing was."""
    if not bends:
        return [_WORDS["nothing_asked"]]
    if all(headline.estimate.missing for headline in bends):
        return [_WORDS["unscored"]]
    by: dict[str, list[Headline]] = {word: [] for word in VERDICTS}
    for headline in bends:
        by[headline.verdict.word if headline.verdict else CANT_TELL].append(headline)
    told = []
    for headline in by[SHOWN]:
        bend = asked_for(headline.task).bend
        words = _WORDS["finding"].format(what=bend.by if bend else "", found=headline.said)
        told.append((_points(headline), f"{headline.finding_said or words}."))
    shown = [said for _, said in sorted(told, reverse=True)]
    if len(shown) > _NAMED:
        shown = [*shown[:_NAMED], _WORDS["more"].format(n=len(shown) - _NAMED)]
    if by[SUGGESTIVE]:
        *names, last = (asked_for(headline.task).name for headline in by[SUGGESTIVE])
        what = f"{', '.join(names)} and {last}" if names else by[SUGGESTIVE][0].finding_said or last
        shown.append(_WORDS["suggestive"].format(what=what))
    unknown = len(by[CANT_TELL])
    nothing = _WORDS["unknown" if unknown else "ruled_out"].format(n=unknown, all=len(bends))
    return shown or [nothing]


def in_short(chapter: Chapter) -> Chapter:
    """The chapter with its headlines in a table before all else."""
    if not chapter.headlines:
        return chapter
    words, rows = _TOLD["headlines"], []
    for of in chapter.headlines:
        found = f"Largest fall: {of.finding}" if of.finding else ""
        unit = f", {of.unit.name}" if of.unit.name and of.unit.name not in of.label else ""
        cells = [
            Cell(f"{of.label}{unit}"),
            Cell(" ".join(filter(None, (of.sentence, found)))),
            Cell(estimate=replace(of.estimate, null=UNKNOWN), unit=of.unit),
            Cell(of.verdict.word if of.verdict else MISSING),
            Cell(f"{of.estimate.n_items}"),
            Cell(of.without or MISSING),
        ]
        rows.append(Row(of.model.short, cells, of.model.kind))
    caption = words["caption"].format(task=chapter.title)
    columns = [Column(**told) for told in words["columns"]]
    shown = Table(f"{chapter.id}-headlines", caption, "Model", columns, [Group(rows)])
    return replace(chapter, sections=(Section("", "", (), (shown,)), *chapter.sections))


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
    words = _FOLDING["kinds"].items()
    return ", ".join(f"{n} {words[n > 1]}" for kind, words in words if (n := kinds[kind]))


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
            own = [
                cell.estimate
                for row in group.rows
                if row.kind not in ("published", "reference")
                for cell in row.cells
                if cell.estimate is not None
            ]
            items = max((e.n_items for e in own), default=0)
            if 0 < items < ENOUGH_ITEMS:
                few = f"{group.title} ({items})" if group.title else f"{items}"
                self.few.setdefault(table.caption, []).append(few)
                self.least = min(self.least, items)
                self.ids |= {table.id, group.id} if group.id else set()
            else:
                groups.append(group)
                values += [e.value for e in own if not e.missing]
        zero = len(values) > 1 and not any(values)
        self.zero += [table.caption] * zero
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
