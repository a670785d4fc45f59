"""Where the variance of answers comes from, for all papers alike: items, wordings, chance."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from askew.files import yaml_of
from askew.report.document import Cell, Column, Group, Row, Section, Table, columns, text_row
from askew.report.estimates import Estimate, Model
from askew.report.evidence import Evidence
from askew.schema import MISSING, Unit
from askew.stats.variance import PARTS, Design, Split, splits

_SHARE = Unit("%", 100.0, 0)
_POINTS = Unit("points", 100.0, 1)
_NAMED_SUBSETS = 3
# How many more wordings and epochs a better design may have.
_MORE_WORDINGS, _MOST_EPOCHS = 4, 5


def variance_section(evidence: Evidence) -> Section:
    """How much of the answers' variance is the wordings', and what that means for others."""
    words = yaml_of("askew.report", "report.yaml")["variance"]
    found = [(model, _sets(evidence, model)) for model in evidence.models]
    rows = evidence.observations
    asked = [
        f.name for f in evidence.paper.factors if f.name in rows and rows[f.name].nunique() > 1
    ]
    columns_shown = [
        *columns("Items", "Wordings", "Epochs"),
        *columns(*(part.capitalize() for part in PARTS)),
        Column("Wordings lie apart", "standard deviation, points"),
        Column("One more wording", "would be seen at, %"),
        Column("Best for as many replies", "items x wordings x epochs"),
    ]
    groups = [
        Group([_row(name, split, model) for name, split in sets], model.marked)
        for model, sets in found
        if sets
    ]
    if groups and all(len(group.rows) == 1 for group in groups):
        groups = [Group([_row(m.short, split, m) for m, sets in found for _, split in sets])]
    table = Table(
        id=f"{evidence.task}-variance-table",
        caption=words["caption"],
        head="Asked",
        columns=columns_shown,
        groups=groups,
        source=words["source"],
    )
    what = evidence.paper.measures[evidence.paper.split_of]
    said = [text.format(what=what, wordings=", ".join(asked)) for text in words["said"]]
    return Section(f"{evidence.task}-variance", words["title"], said, [table] if groups else [])


def _sets(evidence: Evidence, model: Model) -> list[tuple[str, Split]]:
    """A split for every set of items that were asked alike, by their subsets; one item has none."""
    paper = evidence.paper
    own = splits(evidence.of(model), paper.split_of, [f.name for f in paper.factors])
    several = [(_named(evidence, rows), split) for rows, split in own if split.asked.items > 1]
    names = [name for name, _ in several]
    return [
        (f"{name}, {s.asked.wordings} wordings" if names.count(name) > 1 else name, s)
        for name, s in several
    ]


def _named(evidence: Evidence, rows: pd.DataFrame) -> str:
    subsets = list(dict.fromkeys(rows["subset"]))
    if len(subsets) > 1 and len(subsets) == len(evidence.values("subset")):
        return "all"
    named = [evidence.label("subset", s) for s in subsets[:_NAMED_SUBSETS]]
    more = len(subsets) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _row(name: str, split: Split, model: Model) -> Row:
    left_out = f" ({split.n_dropped} dropped)" if split.n_dropped else ""
    asked = [f"{split.asked.items}{left_out}", f"{split.asked.wordings}", f"{split.asked.epochs}"]
    whole = math.fsum(part.value for part in split.parts.values())
    if split.reason or not whole > 0:
        why = split.reason or "every answer was scored alike"
        nothing = [MISSING] * (len(PARTS) + 1)
        return text_row(name, [*asked, *nothing, f"{MISSING} ({why})", MISSING], model.kind)
    wording = split.parts["wording"]
    # No number between 0 and 1 lies further apart than this.
    value, low, high = (min(0.5, math.sqrt(v)) for v in (wording.value, wording.low, wording.high))
    cells = [
        *(Cell(text) for text in asked),
        *(Cell(text) for text in _shares(split, whole)),
        Cell(estimate=Estimate(value, low, high), unit=_POINTS),
        Cell(" to ".join(_SHARE.write(min(1.0, max(0.0, end))) for end in split.elsewhere())),
        Cell(_best(split)),
    ]
    return Row(name, cells, model.kind)


def _shares(split: Split, whole: float) -> Iterator[str]:
    for name in PARTS:
        part = split.parts[name]
        share = f"{_SHARE.write(part.value / whole)}%"
        yield MISSING if part.reason else share


def _best(split: Split) -> str:
    asked = split.asked
    most = Design(asked.replies, _MORE_WORDINGS * asked.wordings, _MOST_EPOCHS)
    best = split.best(asked.replies, most)
    return f"{best.items} x {best.wordings} x {best.epochs}"
