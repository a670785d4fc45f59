"""Where the variance of answers comes from, for all papers alike: items, wordings, chance."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from askew.files import yaml_of
from askew.report.blocks import Cell, Section, table_of
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
    one_each = all(len(sets) <= 1 for _, sets in found)
    told = [
        (_row(model.short if one_each else name, split), model)
        for model, sets in found
        for name, split in sets
    ]
    table = table_of(
        [row | {"of": "" if one_each else model.marked} for row, model in told],
        f"{evidence.task}-variance-table",
        words["caption"],
        group="of",
        meanings=words["meanings"],
        source=words["source"],
        kinds=[model.kind for _, model in told],
    )
    what = evidence.paper.measures[evidence.paper.split_of]
    said = [text.format(what=what, wordings=", ".join(asked)) for text in words["said"]]
    return Section(f"{evidence.task}-variance", words["title"], said, [table] if told else [])


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


def _row(name: str, split: Split) -> dict[str, str | Cell]:
    left_out = f" ({split.n_dropped} dropped)" if split.n_dropped else ""
    asked = split.asked
    row: dict[str, str | Cell] = {
        "Asked": name,
        "Items": f"{asked.items}{left_out}",
        "Wordings": f"{asked.wordings}",
        "Epochs": f"{asked.epochs}",
    }
    parts = [part.capitalize() for part in PARTS]
    last = ("Wordings lie apart", "One more wording", "Best for as many replies")
    whole = math.fsum(part.value for part in split.parts.values())
    if split.reason or not whole > 0:
        why = f"{MISSING} ({split.reason or 'every answer was scored alike'})"
        return row | dict.fromkeys((*parts, *last), MISSING) | {"One more wording": why}
    wording = split.parts["wording"]
    # No number between 0 and 1 lies further apart than this.
    value, low, high = (min(0.5, math.sqrt(v)) for v in (wording.value, wording.low, wording.high))
    seen = " to ".join(_SHARE.write(min(1.0, max(0.0, end))) for end in split.elsewhere())
    apart = Cell(estimate=Estimate(value, low, high), unit=_POINTS)
    shares = zip(parts, _shares(split, whole), strict=True)
    return {**row, **dict(shares), **dict(zip(last, (apart, seen, _best(split)), strict=True))}


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
