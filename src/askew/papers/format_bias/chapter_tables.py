"""Format bias in tables: BiasF, formats side by side, and the cells of the paper's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askew.papers.format_bias.chapter_words import (
    ALL,
    SQUARED,
    Asked,
    Place,
    arms_of,
    categories,
    category_name,
    category_slug,
    estimate,
    format_name,
    formats_of,
    prompting_name,
    promptings_of,
    sentence_case,
    subset_name,
    subsets_of,
)
from askew.papers.format_bias.printed import (
    FormatCells,
    RatioCorrection,
    format_bias_biasf,
    format_bias_cells,
)
from askew.report.document import Cell, Column, Estimate, Group, Row, Table
from askew.report.evidence import Evidence
from askew.report.generic_chapter import items_cell
from askew.schema import MISSING, Unit

BIAS_TABLE = "format_bias-biasf"
UNRELIABLE, CONSTANT, PARTLY = "u", "c", "p"
_MARK_NOTES: Mapping[str, str] = {
    UNRELIABLE: "Unreliable: too few replies follow the format for EstTrue to be within 0.05 of "
    "the truth with 95% confidence (the paper's Theorem 3.1).",
    CONSTANT: "Reliable by the formula only because all scores of these replies are equal.",
    PARTLY: "A mean over cells of which at least one is unreliable.",
}
_PRINTED = Unit("%", digits=2)
_PRINTED_BIAS = Unit("squared points", digits=2)
_SOURCE = (
    "Published rows: Long et al., LLMs Are Biased Towards Output Formats!, as printed; they "
    "answered the paper's own questions."
)
_ZEROS = " The paper counts EstTrue as 0 where no reply follows a format; here it has no value."
METRIC_NAMES: Mapping[str, str] = {
    "est_true": "EstTrue (score per reply that follows the format)",
    "fi": "FI (replies that follow the format)",
    "sys_e": "SysE (score of all replies)",
}


def bias(evidence: Evidence) -> Table:
    """BiasF by category, the models under test above the paper's."""
    groups = []
    for category in categories(evidence):
        rows = [_bias_row(evidence, a, category) for a in arms_of(evidence, category)]
        printed = _printed_bias(category, "model")
        rows += [_published_bias(name, value) for name, value in printed.items()]
        groups.append(
            Group(rows, sentence_case(category_name(category)), bias_place(evidence, category))
        )
    return Table(
        id=BIAS_TABLE,
        caption="BiasF in squared percentage points, with 95% intervals",
        head="Model",
        columns=[
            Column("BiasF", "variance of EstTrue over formats"),
            Column("Zero-shot"),
            Column("Chain of thought"),
            Column("Over followed", "only formats that some reply followed"),
            Column("Variance of FI", "squared points"),
            Column("Formats", "followed, of those asked"),
            Column("Reliable", "share of cells, percent"),
            Column("Items"),
        ],
        groups=groups,
        source=_SOURCE + _ZEROS,
    )


def bias_place(evidence: Evidence, category: str) -> str:
    """What a link to one category's rows points to."""
    return f"{BIAS_TABLE}-{category_slug(evidence, category)}"


def _bias_row(evidence: Evidence, asked: Asked, category: str) -> Row:
    top = Place(category)
    whole = estimate(evidence, "bias_f", asked, top)
    squared = [
        whole,
        estimate(evidence, "bias_f", asked, Place(category, prompting="zs")),
        estimate(evidence, "bias_f", asked, Place(category, prompting="cot")),
        estimate(evidence, "bias_f_over_followed", asked, top),
        estimate(evidence, "fi_variance", asked, top),
    ]
    cells = [Cell(estimate=e, unit=SQUARED) for e in squared]
    followed, n_formats = (
        estimate(evidence, m, asked, top) for m in ("n_formats_followed", "n_formats")
    )
    reliable = estimate(evidence, "reliable_share", asked, top)
    counts = "" if n_formats.missing else f"{followed.value:.0f} of {n_formats.value:.0f}"
    cells += [Cell(counts or MISSING), Cell(estimate=reliable), items_cell(whole)]
    return Row(asked.name, cells, asked.kind)


def _published_bias(name: str, value: float, n_cells: int = 8) -> Row:
    cells = [Cell(estimate=Estimate(value), unit=_PRINTED_BIAS)]
    return Row(name, cells + [Cell(MISSING)] * (n_cells - 1), "published")


def _printed_bias(category: str, group: str) -> dict[str, float]:
    table = format_bias_biasf()
    rows = table[(table["category"] == category) & (table["group"] == group)]
    return {str(n): float(v) for n, v in zip(rows["name"], rows["bias_f"], strict=True)}


def published_models(category: str) -> dict[str, float]:
    """BiasF of the paper's models, in squared points."""
    return _printed_bias(category, "model")


def bias_by_task(evidence: Evidence, category: str) -> Table:
    """BiasF of each paper task; the paper gives the mean model's."""
    printed = _printed_bias(category, "task")
    groups = []
    for subset in subsets_of(evidence, category):
        rows = []
        for asked in arms_of(evidence, category):
            place = Place(category, subset)
            whole, over = (
                estimate(evidence, m, asked, place) for m in ("bias_f", "bias_f_over_followed")
            )
            cells = [Cell(estimate=e, unit=SQUARED) for e in (whole, over)]
            rows.append(Row(asked.name, [*cells, items_cell(whole)], asked.kind))
        if subset in printed:
            rows.append(_published_bias("Mean of the paper's models", printed[subset], 3))
        groups.append(Group(rows, subset_name(subset)))
    return Table(
        id=f"format_bias-{category_slug(evidence, category)}-tasks",
        caption=f"BiasF by task, {category_name(category)}, in squared percentage points",
        head="Model",
        columns=[Column("BiasF"), Column("Over followed formats"), Column("Items")],
        groups=groups,
        source=_SOURCE,
    )


def by_format(evidence: Evidence, category: str) -> Table:
    """SysE beside EstTrue, and zero-shot against chain of thought, a row a format."""
    asked_ways = promptings_of(evidence, category)
    groups = []
    for asked in arms_of(evidence, category):
        rows = [
            _format_row(evidence, asked, category, f, asked_ways)
            for f in formats_of(evidence, category)
        ]
        groups.append(Group(rows, asked.marked))
    ways = [
        Column(f"{name}, {prompting_name(p)}") for p in asked_ways for name in ("EstTrue", "FI")
    ]
    return Table(
        id=by_format_id(evidence, category),
        caption=f"{sentence_case(category_name(category))}: means over tasks, in percent",
        head="Format",
        columns=[
            Column("SysE", "score of all replies"),
            Column("FI", "replies that follow the format"),
            Column("EstTrue", "SysE / FI, cell by cell"),
            *ways,
            Column("Reliable cells"),
            Column("Items"),
        ],
        groups=groups,
        notes=_notes_used(groups),
    )


def by_format_id(evidence: Evidence, category: str) -> str:
    """The table that holds a category's formats side by side."""
    return f"format_bias-{category_slug(evidence, category)}-formats"


def _format_row(
    evidence: Evidence, asked: Asked, category: str, name: str, ways: Sequence[str]
) -> Row:
    place = Place(category, format=name)
    sys_e, fi = (estimate(evidence, m, asked, place) for m in ("sys_e", "fi"))
    cells = [Cell(estimate=sys_e), Cell(estimate=fi), est_true_cell(evidence, asked, place)]
    for way in ways:
        there = Place(category, format=name, prompting=way)
        cells.append(est_true_cell(evidence, asked, there))
        cells.append(Cell(estimate=estimate(evidence, "fi", asked, there)))
    marks = _reliability(evidence, asked, place)
    cells += [Cell(f"{sum(marks)} of {len(marks)}"), items_cell(fi)]
    return Row(format_name(name), cells, asked.kind)


def est_true_cell(evidence: Evidence, asked: Asked, place: Place) -> Cell:
    """EstTrue with what Theorem 3.1 says of it; a mean is marked where a part is unreliable."""
    found = estimate(evidence, "est_true", asked, place)
    marks = _reliability(evidence, asked, place)
    one_cell = ALL not in (place.subset, place.prompting)
    mark = ""
    if not all(marks):
        mark = UNRELIABLE if one_cell else PARTLY
    elif one_cell and estimate(evidence, "est_true_constant", asked, place).value == 1:
        mark = CONSTANT
    return Cell(estimate=found, mark=mark)


def _reliability(evidence: Evidence, asked: Asked, place: Place) -> list[bool]:
    """For each cell that a number averages over, whether it is reliable."""
    subsets = subsets_of(evidence, place.category) if place.subset == ALL else [place.subset]
    ways = promptings_of(evidence, place.category) if place.prompting == ALL else [place.prompting]
    cells = [Place(place.category, s, place.format, w) for s in subsets for w in ways]
    found = [
        estimate(evidence, "est_true_reliable", asked, cell)
        for cell in cells
        if estimate(evidence, "fi", asked, cell).n_items
    ]
    return [e.value == 1 for e in found]


def cells(evidence: Evidence, category: str, metric: str) -> Table:
    """One metric cell by cell, formats as columns, laid out like the paper's tables."""
    names = formats_of(evidence, category)
    printed = format_bias_cells(category)
    marks = _correction_marks(printed) if printed and metric == "est_true" else {}
    groups = []
    for subset in subsets_of(evidence, category):
        for way in promptings_of(evidence, category):
            rows = []
            for asked in arms_of(evidence, category):
                places = [Place(category, subset, name, way) for name in names]
                rows.append(_cells_row(evidence, asked, metric, places))
            if printed is not None:
                rows += _published_cells(printed, metric, (subset, way), names, marks)
            groups.append(Group(rows, f"{subset_name(subset)}, {prompting_name(way)}"))
    corrected = {mark: _correction_note(c) for c, mark in marks.items()}
    source = _SOURCE + f" They are those of {printed.name}." if printed else ""
    if printed and category == "list":
        source += " Mistral's SemEval2017 columns bullet and separator seem swapped in print."
    return Table(
        id=f"format_bias-{category_slug(evidence, category)}-{metric.replace('_', '-')}",
        caption=f"{METRIC_NAMES[metric]} by task and prompting, in percent",
        head="Model",
        columns=[*(Column(sentence_case(format_name(n))) for n in names), Column("Items")],
        groups=groups,
        notes=_notes_used(groups, corrected),
        source=source + (_ZEROS if printed and metric == "est_true" else ""),
    )


def _cells_row(evidence: Evidence, asked: Asked, metric: str, places: Sequence[Place]) -> Row:
    found = [
        est_true_cell(evidence, asked, p)
        if metric == "est_true"
        else Cell(estimate=estimate(evidence, metric, asked, p))
        for p in places
    ]
    most = max((c.estimate for c in found if c.estimate), key=lambda e: e.n_items)
    return Row(asked.name, [*found, items_cell(most)], asked.kind)


def _published_cells(
    printed: FormatCells,
    metric: str,
    where: tuple[str, str],
    names: Sequence[str],
    marks: Mapping[RatioCorrection, str],
) -> list[Row]:
    table = printed.cells
    part = table[(table["subset"] == where[0]) & (table["prompting"] == where[1])]
    noted = {(c.subset, c.prompting, c.model, c.format): mark for c, mark in marks.items()}
    rows = []
    for model, own in part.groupby("model", sort=False):
        values = dict(zip(own["format"], own[metric], strict=True))
        shown = [
            Cell(
                estimate=Estimate(float(values[n]) if n in values else float("nan")),
                unit=_PRINTED,
                mark=noted.get((*where, str(model), n), ""),
            )
            if n in values
            else Cell(MISSING)
            for n in names
        ]
        rows.append(Row(str(model), [*shown, Cell(MISSING)], "published"))
    return rows


def _correction_marks(printed: FormatCells) -> dict[RatioCorrection, str]:
    return {c: str(i) for i, c in enumerate(printed.corrections, start=1)}


def _correction_note(correction: RatioCorrection) -> str:
    return (
        f"{subset_name(correction.subset)}, {correction.model}, {format_name(correction.format)}: "
        f"printed {correction.printed:g}, which is not SysE / FI of its own row; shown is what "
        f"the definition gives, {_PRINTED.write(correction.by_definition)}."
    )


def _notes_used(groups: Sequence[Group], more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Notes for the marks that some cell carries."""
    used = {c.mark for g in groups for r in g.rows for c in r.cells}
    return {m: note for m, note in {**_MARK_NOTES, **(more or {})}.items() if m in used}
