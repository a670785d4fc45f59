"""What a page shows at first: of each model what was found, and what of each part is folded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from askew.files import yaml_of
from askew.logs.exclusions import Run
from askew.papers import get_paper
from askew.report.blocks import (
    Block,
    Cell,
    Chapter,
    Decision,
    Document,
    Figure,
    Flips,
    Headline,
    Note,
    Part,
    Section,
    SummaryCell,
    SummaryRow,
    SummaryTable,
    Table,
    make_table,
)
from askew.report.estimates import DETECTED, INCONCLUSIVE, SUGGESTIVE, VERDICTS, Model, on_page
from askew.schema import ENOUGH_ITEMS, NOT_APPLICABLE
from askew.stats.exchanges import UNKNOWN

_TOLD = yaml_of("askew.report", "report.yaml")
_WORDS: Mapping[str, str] = _TOLD["screen"]
_FOLDING = _TOLD["folding"]
# Panels of a chapter's telling figure that are drawn before anything is unfolded.
_PANELS = 2
# So many findings of a model are told; the cells hold the others.
_NAMED = 3


def make_summary(
    chapters: Sequence[Chapter], models: Sequence[Model], decided: Decision,
    runs: Sequence[Run] = (), first: Sequence[str] = (),
) -> SummaryTable | None:  # fmt: skip
    """Models by tasks, below what is to be known `first`; nothing where there is no model."""
    if not models:
        return None
    tested, rows = 0, []
    for model in models:
        cells = [_cell(model, chapter, decided, runs) for chapter in chapters]
        found = [c.headline for c in cells if c.headline and c.headline.verdict]
        others = [h for c in chapters for h in c.headlines if h.beside and h.model == model]
        compared = decided.comparisons.get(model.label, "")
        rows.append(SummaryRow(model, cells, _findings(found, others), compared))
        tested += len(found) + len(others)
    heads = []
    for column, chapter in enumerate(chapters):
        paper = get_paper(chapter.id)
        effect = paper.metric(paper.bend.metric).label if paper.bend else ""
        units = [of.unit.name for row in rows if (of := row.cells[column].headline)]
        heads.append((chapter.id, chapter.title, effect, next(iter(units), "")))
    tests = f"{tested} {_WORDS['tests'][tested != 1]}"
    legend = [_WORDS["legend"].format(tests=tests)] if tested else []
    visual = [_WORDS["drawn"]] if tested else []
    return SummaryTable("first-screen", heads, rows, legend, visual, first)


def simultaneous_verdicts(chapters: Sequence[Chapter], models: Sequence[Model]) -> list[Chapter]:
    """The chapters with verdicts that hold for all tests of the first screen together.

    A number that is not the clearest of its task and model is shown where that one is.
    """
    found = [_clearest(chapter, model) for chapter in chapters for model in models]
    found += [h for chapter in chapters for h in chapter.headlines if h.beside]
    tested = [h for h in found if h and h.verdict]
    page = on_page([h.verdict for h in tested if h.verdict])
    verdicts = {(h.task, h.model.label, h.beside): v for h, v in zip(tested, page, strict=True)}
    picked = {id(h) for h in tested}

    def told(of: Headline) -> Headline:
        if of.verdict is None:
            return of
        word = verdicts[of.task, of.model.label, of.beside]
        is_less = of.verdict.detected and not word.detected
        verdict = word if id(of) in picked or is_less else of.verdict
        why = verdict.why and not (verdict.detected or of.estimate.missing)
        sentence = f"{of.sentence} {verdict.sentence}" if why else of.sentence
        return replace(of, verdict=verdict, sentence=sentence)

    return [replace(c, headlines=tuple(map(told, c.headlines))) for c in chapters]


def _clearest(chapter: Chapter, model: Model) -> Headline | None:
    """The task's number that tells most: of several, one that is shown, and the largest."""
    own = [h for h in chapter.headlines if h.model.label == model.label and not h.beside]
    return max((h for h in own if h.verdict), key=_clearness, default=next(iter(own), None))


def _cell(model: Model, chapter: Chapter, decided: Decision, runs: Sequence[Run]) -> SummaryCell:
    found, why = _clearest(chapter, model), ""
    if found is None or found.estimate.missing:
        # Samples that failed are said before conditions that are empty.
        own_runs = [run for run in runs if run.task == chapter.id and run.model == model.label]
        scored, planned = sum(run.scored for run in own_runs), sum(run.planned for run in own_runs)
        why = found.estimate.why if found else _WORDS["not_asked"]
        if scored < planned:
            words = _WORDS["failed" if scored else "all_failed"]
            text = words.format(scored=f"{scored:,}", planned=f"{planned:,}")
            why = f"{text}; {why}" if found and scored else text
    return SummaryCell(found, why, decided.policy(chapter.id, model.label))


def _clearness(headline: Headline) -> tuple[bool, bool, bool, float]:
    """What is shown comes first, by size; then what can't be told, by the items that it rests on.

    What is ruled out of one number is not ruled out of all.
    """
    word, missing = headline.verdict.word if headline.verdict else "", headline.estimate.missing
    rank = _points(headline) if word == DETECTED else headline.estimate.n_items
    return word == DETECTED, word == INCONCLUSIVE, not missing, rank


def _points(headline: Headline) -> float:
    """The size of a bend in points, a variance by its root."""
    size = abs(headline.estimate.value) * headline.unit.factor
    return math.sqrt(size) if headline.unit.name.startswith("squared") else size


def _findings(bends: Sequence[Headline], others: Sequence[Headline]) -> list[str]:
    """What was found of a model, a sentence each, the largest first; else that nothing was."""
    if not bends:
        return [_WORDS["nothing_asked"]]
    if all(headline.estimate.missing for headline in bends):
        return [_WORDS["unscored"]]
    by: dict[str, list[Headline]] = {word: [] for word in VERDICTS}
    for headline in (*bends, *others):
        by[headline.verdict.word if headline.verdict else INCONCLUSIVE].append(headline)
    ranked = []
    for headline in by[DETECTED]:
        bend = get_paper(headline.task).bend
        words = _WORDS["finding"].format(what=bend.by if bend else "", found=headline.text)
        ranked.append((_points(headline), f"{headline.detected_finding or words}."))
    shown = [sentence for _, sentence in sorted(ranked, reverse=True)]
    if len(shown) > _NAMED:
        shown = [*shown[:_NAMED], _WORDS["more"].format(n=len(shown) - _NAMED)]
    if by[SUGGESTIVE]:
        *names, last = dict.fromkeys(get_paper(of.task).name for of in by[SUGGESTIVE])
        what = (
            f"{', '.join(names)} and {last}"
            if names
            else by[SUGGESTIVE][0].detected_finding or last
        )
        shown.append(_WORDS["suggestive"].format(what=what))
    unknown = len({of.task for of in by[INCONCLUSIVE]})
    nothing = _WORDS["unknown" if unknown else "ruled_out"].format(n=unknown, all=len(bends))
    return shown or [nothing]


def in_short(chapter: Chapter) -> Chapter:
    """The chapter with its headlines in a table before all else."""
    if not chapter.headlines:
        return chapter
    words = _TOLD["headlines"]
    rows: list[dict[str, str | Cell]] = []
    has_noise = any(not math.isnan(h.estimate.null.value_debiased) for h in chapter.headlines)
    for of in chapter.headlines:
        found = words["found"].format(found=of.finding) if of.finding else ""
        unit = f", {of.unit.name}" if of.unit.name and of.unit.name not in of.label else ""
        left = of.estimate.null.value_debiased
        corrected = {"Corrected": of.unit.write(left) if not math.isnan(left) else NOT_APPLICABLE}
        rows.append({
            "Model": of.model.short,
            "Metric": f"{of.label}{unit}",
            "Interpretation": " ".join(filter(None, (of.sentence, found))),
            "Value": Cell(estimate=replace(of.estimate, null=UNKNOWN), unit=of.unit),
            **(corrected if has_noise else {}),
            "Null": of.null_text or NOT_APPLICABLE,
            "n": f"{of.estimate.n_items}",
            "Verdict": of.verdict.word if of.verdict else NOT_APPLICABLE,
        })  # fmt: skip
    shown = make_table(
        rows, f"{chapter.id}-headlines", words["caption"].format(task=chapter.title),
        texts=words["texts"], meanings=words["meanings"],
        kinds=[of.model.kind for of in chapter.headlines],
    )  # fmt: skip
    return replace(chapter, sections=(Section("", "", (), (shown,)), *chapter.sections))


def fold_details(document: Document) -> Document:
    """Show the first section and the telling figure of each part; fold what else it has."""
    return replace(document, parts=[_fold(part) for part in document.parts])


def _fold(part: Part) -> Part:
    first, *others = part.sections
    if isinstance(part, Chapter):
        telling, rest = _telling(part, others)
        behind, gone = _drop_few(part, rest)
        if telling and f"{telling.table_id}-*" in gone:
            telling = replace(telling, table_id=f"{part.id}-headlines")
        shown = [first, *([Section("", "", (), (telling,))] if telling else [])]
    else:
        long = [b for b in part.blocks if not isinstance(b, Note)]
        if not long or not part.short:
            return part
        shown = [replace(first, blocks=[b for b in first.blocks if b not in long])]
        behind = [replace(first, paragraphs=(), blocks=[b for b in first.blocks if b in long])]
        behind += others
    blocks = [b for s in behind for b in s.blocks]
    kinds = Counter(b.kind for b in blocks)
    kinds["flips"] = sum(len(b.flips) for b in blocks if isinstance(b, Flips))
    words = _FOLDING["kinds"].items()
    counts = ", ".join(f"{n} {word[n > 1]}" for kind, word in words if (n := kinds[kind]))
    return replace(part, sections=shown, folded=behind, folded_summary=counts)


def _telling(part: Chapter, sections: Sequence[Section]) -> tuple[Figure | None, Sequence[Section]]:
    """The figure that tells most with its first panels, and the sections with the rest of it."""
    bend = get_paper(part.id).bend
    charts = {b.id: b for s in sections for b in s.blocks if isinstance(b, Figure)}
    chart = charts.get(bend.figure if bend else "") or next(iter(charts.values()), None)
    if chart is None:
        return None, sections
    more = replace(chart, id=f"{chart.id}-more", panels=chart.panels[_PANELS:])
    instead = [more] if more.panels else []
    rest = [
        replace(s, blocks=[k for b in s.blocks for k in (instead if b is chart else [b])])
        for s in sections
    ]
    return replace(chart, panels=chart.panels[:_PANELS]), rest


def _drop_few(part: Chapter, sections: Sequence[Section]) -> tuple[list[Section], set[str]]:
    """The sections without what rests on too few items, with a note on it.

    Also the ids of groups and, with `-*` behind, of tables that are gone.
    """
    few: dict[str, list[str]] = {}
    clustered: dict[str, int] = {}
    gone: set[str] = set()
    least = ENOUGH_ITEMS
    tables: dict[int, Table] = {}
    for table in (b for s in sections for b in s.blocks if isinstance(b, Table)):
        groups = []
        for group in table.groups:
            own = [
                cell.estimate
                for row in group.rows
                if row.kind not in ("published", "reference")
                for cell in row.cells
                if cell.estimate is not None
            ]
            items = max((e.n_items for e in own), default=0)
            clusters = max((e.n_clusters or e.n_items for e in own), default=0)
            if 0 < items < ENOUGH_ITEMS:
                text = f"{items} ({group.title})" if group.title else f"{items}"
                few.setdefault(table.caption, []).append(text)
                least = min(least, items)
                gone.add(group.id)
                continue
            groups.append(group)
            if 0 < clusters < ENOUGH_ITEMS:
                clustered.setdefault(group.title or table.caption, clusters)
        if groups:
            tables[id(table)] = replace(table, groups=groups)
        else:
            gone.add(f"{table.id}-*")

    def kept(block: Block) -> Block | None:
        if isinstance(block, Table):
            return tables.get(id(block))
        if not isinstance(block, Figure):
            return block
        if f"{block.table_id}-*" in gone:
            return None
        panels = [p for p in block.panels if f"{block.table_id}-{p.name}" not in gone]
        return replace(block, panels=panels) if panels else None

    lines = [
        _FOLDING["few"].format(what=what, items=", ".join(of), least=ENOUGH_ITEMS)
        for what, of in few.items()
    ]
    most_items = max((h.estimate.n_items for h in part.headlines), default=0)
    if few and (would := math.ceil(most_items * ENOUGH_ITEMS / least)):
        lines.append(_FOLDING["would_do"].format(items=f"{would:,}", asked=most_items))
    if clustered:
        where = "; ".join(f"{name} {n}" for name, n in clustered.items())
        lines.append(_FOLDING["clusters"].format(where=where, least=ENOUGH_ITEMS))
    drawn = [replace(s, blocks=[k for b in s.blocks if (k := kept(b))]) for s in sections]
    if lines:
        drawn.append(Section(f"{part.id}-not-drawn", _FOLDING["left"], (), (Note(lines),)))
    return [s for s in drawn if s.blocks], gone
