"""What a page shows at first: of each model what was found, and what of each part is folded."""

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
    Group,
    Headline,
    Note,
    Part,
    Section,
    SummaryCell,
    SummaryRow,
    SummaryTable,
    Table,
    corrected_cell,
    fill,
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
        effect = paper.metric(paper.bend.shown or paper.bend.metric).label if paper.bend else ""
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
    tested = [(h, h.verdict) for h in found if h and h.verdict]
    page = on_page([verdict for _, verdict in tested])
    verdicts = {_test_of(h): v for (h, _), v in zip(tested, page, strict=True)}
    picked = {id(h) for h, _ in tested}

    def told(of: Headline) -> Headline:
        if of.verdict is None:
            return of
        verdict = verdicts[_test_of(of)]
        if id(of) not in picked and (verdict.detected or not of.verdict.detected):
            verdict = of.verdict
        why = verdict.why and not (verdict.detected or of.estimate.missing)
        sentence = f"{of.sentence} {verdict.sentence}" if why else of.sentence
        return replace(of, verdict=verdict, sentence=sentence)

    return [replace(c, headlines=tuple(map(told, c.headlines))) for c in chapters]


def _test_of(of: Headline) -> tuple[str, Model, str]:
    """What a headline is tested with: a further effect is a test of its own."""
    return of.task, of.model, of.metric if of.beside else ""


def _clearest(chapter: Chapter, model: Model) -> Headline | None:
    """The task's number that tells most: of several, one that is shown, and the largest."""
    own = [h for h in chapter.headlines if h.model.label == model.label and not h.beside]
    return max((h for h in own if h.verdict), key=_clearness, default=next(iter(own), None))


def _clearness(of: Headline) -> tuple[bool, bool, bool, float]:
    """What is shown comes first, by size; then what can't be told, by the items that it rests on.

    What is ruled out of one number is not ruled out of all.
    """
    rank = _points(of) if of.word == DETECTED else of.estimate.n_items
    return of.word == DETECTED, of.word == INCONCLUSIVE, not of.estimate.missing, rank


def _points(headline: Headline) -> float:
    """The size of a bend in points, a variance by its root."""
    size = abs(headline.estimate.value) * headline.unit.factor
    return math.sqrt(size) if headline.unit.name.startswith("squared") else size


def _cell(model: Model, chapter: Chapter, decided: Decision, runs: Sequence[Run]) -> SummaryCell:
    found, why = _clearest(chapter, model), ""
    if found is None or found.estimate.missing:
        # Samples that failed are said before conditions that are empty.
        own = [run for run in runs if (run.task, run.model) == (chapter.id, model.label)]
        scored, planned = sum(run.scored for run in own), sum(run.planned for run in own)
        why = found.estimate.why if found else _WORDS["not_asked"]
        if scored < planned:
            words = _WORDS["failed" if scored else "all_failed"]
            text = words.format(scored=f"{scored:,}", planned=f"{planned:,}")
            why = f"{text}; {why}" if found and scored else text
    return SummaryCell(found, why, decided.policy(chapter.id, model.label))


def _findings(bends: Sequence[Headline], others: Sequence[Headline]) -> list[str]:
    """What was found of a model, a sentence each, the largest first; else that nothing was."""
    if not bends:
        return [_WORDS["nothing_asked"]]
    if all(headline.estimate.missing for headline in bends):
        return [_WORDS["unscored"]]
    by = {w: [h for h in (*bends, *others) if h.word == w] for w in VERDICTS}
    ranked = []
    for of in by[DETECTED]:
        bend = get_paper(of.task).bend
        words = _WORDS["finding"].format(what=bend.by if bend else "", found=of.text)
        ranked.append((_points(of), f"{of.detected_finding or words}."))
    shown = [sentence for _, sentence in sorted(ranked, reverse=True)]
    if len(shown) > _NAMED:
        shown = [*shown[:_NAMED], _WORDS["more"].format(n=len(shown) - _NAMED)]
    if some := by[SUGGESTIVE]:
        names = [*dict.fromkeys(of.title for of in some)]
        shown.append(fill(_WORDS["suggestive"], names=names, finding=some[0].detected_finding))
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
        rows.append({
            "Model": of.model.short,
            "Metric": f"{of.label}{unit}",
            "Interpretation": " ".join(filter(None, (of.sentence, found))),
            "Value": Cell(estimate=replace(of.estimate, null=UNKNOWN), unit=of.unit),
            **({"Corrected": corrected_cell(of.estimate, of.unit)} if has_noise else {}),
            "Null": of.null_text or NOT_APPLICABLE,
            "n": f"{of.estimate.n_items}",
            "Verdict": of.word or NOT_APPLICABLE,
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
        behind = _without_few(part, rest)
        tables = {b.id for s in behind for b in s.blocks if isinstance(b, Table)}
        if telling and telling.table_id not in tables:
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


def _without_few(part: Chapter, sections: Sequence[Section]) -> list[Section]:
    """The sections without groups of too few items and their panels; a note lists them."""
    listed: dict[str, list[Group]] = {}
    gone: set[str] = set()
    for table in (b for s in sections for b in s.blocks if isinstance(b, Table)):
        if few := [g for g in table.groups if 0 < g.n_items < ENOUGH_ITEMS]:
            listed.setdefault(table.caption, []).extend(few)
            gone |= {g.id for g in few} if len(few) < len(table.groups) else {f"{table.id}-*"}

    def kept(block: Block) -> list[Block]:
        if isinstance(block, Table):
            groups = [g for g in block.groups if not 0 < g.n_items < ENOUGH_ITEMS]
            return [replace(block, groups=groups)] if groups else []
        if isinstance(block, Figure):
            id = block.table_id
            panels = [p for p in block.panels if not {f"{id}-*", f"{id}-{p.name}"} & gone]
            return [replace(block, panels=panels)] if panels else []
        return [block]

    drawn = [replace(s, blocks=[b for block in s.blocks for b in kept(block)]) for s in sections]
    if listed:
        lines = []
        for what, groups in listed.items():
            each = [f"{g.n_items} ({g.title})" if g.title else f"{g.n_items}" for g in groups]
            words = {"what": what, "items": ", ".join(each), "least": ENOUGH_ITEMS}
            lines.append(_FOLDING["few"].format(**words))
        least = min(g.n_items for groups in listed.values() for g in groups)
        asked = max((h.estimate.n_items for h in part.headlines), default=0)
        if would := math.ceil(asked * ENOUGH_ITEMS / least):
            lines.append(_FOLDING["would_do"].format(items=f"{would:,}", asked=asked))
        drawn.append(Section(f"{part.id}-not-drawn", _FOLDING["left"], (), (Note(lines),)))
    return [section for section in drawn if section.blocks]
