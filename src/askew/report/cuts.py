"""Cuts of the results, groups by rows by columns, as a chapter's YAML asks for them; as tables.

An axis is a list of entries. An entry names a metric, or levels to go through (`by`), or both, at
fixed values of other levels (`at`); every value of these levels, in declared order, is a place on
the axis. `model` is such a level: the models under test, references, and the paper's own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from types import ModuleType
from typing import Any

from askew.report.blocks import Cell, Column, Group, Row, Table
from askew.report.estimates import Estimate, RowKind
from askew.report.evidence import OVERALL, Evidence
from askew.schema import MISSING, Unit

Entry = Mapping[str, Any]
Pair = tuple[str, str]
MODEL = "model"
# Whose numbers are measured here.
_OWN = ("measured", "simulated")
_MEAN = "Mean of models"
_MARKS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(slots=True)
class Place:
    """A place on an axis: a model, a metric, values of levels, and what it is called."""

    title: str = ""
    marked: str = ""
    """The title, with the mark that a chart's label needs."""
    slug: str = ""
    at: Mapping[str, str] = field(default_factory=dict)
    metric: str = ""
    model: str = ""
    kind: RowKind = "measured"
    told: Entry = field(default_factory=dict)
    """The entry that it comes from."""

    @property
    def is_number(self) -> bool:
        """Whether a column holds a metric's numbers, not how many items they rest on or words."""
        return not self.told.keys() & {"items", "count", "rank", "call"}

    def __add__(self, other: Place) -> Place:
        """Where two axes meet."""
        whose = other if other.model else self
        at, metric = {**self.at, **other.at}, other.metric or self.metric
        return Place("", "", "", at, metric, whose.model, whose.kind, other.told)


@dataclass(frozen=True)
class Cut:
    """A group of a table, or a panel of a figure, with its rows and columns."""

    group: Place
    rows: Sequence[Place]
    columns: Sequence[Place]


@dataclass(frozen=True)
class Cuts:
    """A task's evidence with what its chapter adds in code.

    A paper's `chapter.py` may hold `label(evidence, at)`, the words for values of levels, and
    functions that a column calls by name.
    """

    evidence: Evidence
    code: ModuleType | None = None
    units: Mapping[str, Unit] = field(default_factory=dict)
    """Units of metrics that the chapter writes otherwise than they are declared."""
    named: Collection[str] = ()
    """Every word of the chapter that may be a metric's name."""
    _found: dict[Hashable, set[tuple[str, ...]]] = field(default_factory=dict, init=False)
    _axes: dict[Hashable, tuple[Any, list[Place]]] = field(default_factory=dict, init=False)
    _parts: dict[Pair, Cuts] = field(default_factory=dict, init=False)

    def narrowed(self, level: str, value: str) -> Cuts:
        """The same at one value of a level, made once for all sections and blocks."""
        if (level, value) not in self._parts:
            narrowed = replace(self, evidence=self.evidence.narrowed(level, value))
            self._parts[level, value] = narrowed
        return self._parts[level, value]

    def unit(self, metric: str, kind: RowKind = "measured") -> Unit:
        """How a number is written; a printed one with two digits, as papers print them."""
        if metric in self.units:
            return self.units[metric]
        own = self.evidence.paper.metric(metric).unit
        return Unit(own.name, own.factor, 2, own.signed) if kind == "published" else own

    def estimate(self, place: Place) -> Estimate:
        return self.evidence.number(place.metric, place.model, place.kind, place.at)

    def label(self, at: Mapping[str, str]) -> str:
        """Values of levels in words."""
        if at and self.code and hasattr(self.code, "label"):
            return str(self.code.label(self.evidence, at))
        return ", ".join(filter(None, (self.evidence.label(*pair) for pair in at.items())))

    def values(self, level: str, entry: Entry) -> list[str]:
        """Values of a level that was asked, as an entry chooses among them."""
        found = self.evidence.values(level, entry.get("order", {}).get(level, ()))
        if only := entry.get("only", {}).get(level):
            found = [v for v in found if v in only]
        rows = self.evidence.observations
        for key, wanted in (("seen", True), ("unseen", False)):
            for column, asked in entry.get(key, {}).items():
                seen = set(rows.loc[rows[column].isin(asked), level].astype(str))
                found = [v for v in found if (v in seen) is wanted]
        without = entry.get("without", {}).get(level, ())
        return [v for v in found if v not in without]

    def places(self, entry: Entry) -> Iterator[Place]:
        """The places of an entry; none where a level of it was not asked."""
        by = [by] if isinstance(by := entry.get("by", []), str) else [*by]
        fixed = {str(k): str(v) for k, v in entry.get("at", {}).items()}
        if any(n not in self.evidence.levels for n in (*by, *fixed) if n != MODEL):
            return
        metric, levels = str(entry.get("metric", "")), [level for level in by if level != MODEL]
        if entry.get("optional") and (entry.get("items") or metric) not in self.evidence.asked:
            return
        if not by:
            label = self.evidence.paper.metric(metric).label or metric.replace("_", " ")
            title = entry.get("label") or label * bool(metric)
            title = title[:1].upper() + title[1:]
            yield Place(title, title, self._slug(entry), fixed, metric, told=entry)
            return
        pooled = [OVERALL] * bool(entry.get("pooled"))
        values = {level: self.values(level, entry) + pooled for level in levels}
        asked = self._asked(tuple(levels), tuple(fixed.items()), entry.get("having"), bool(pooled))
        if (whole := entry.get("whole")) and len(values[levels[0]]) > 1:
            named = whole if isinstance(whole, str) else self.label({levels[0]: OVERALL})
            yield Place(named, named, OVERALL, fixed, metric, told=entry)
        models = self._models(entry)
        several = [n for n in levels if len(self.evidence.values(n)) > 1]
        for chosen in product(*(models if level == MODEL else values[level] for level in by)):
            own = next((c for c in chosen if isinstance(c, Place)), Place())
            at = {n: c for n, c in zip(by, chosen, strict=True) if isinstance(c, str)}
            if levels and tuple(at.values()) not in asked:
                continue
            # What has one value alone needs no word beside others.
            shown = {n: v for n, v in at.items() if n in several and v != OVERALL}
            words = self.label(shown or ({} if own.model else at))
            # A name that a user's data brought, or that users type, stays as it is.
            if not own.model and words not in {at.get("subset"), at.get("arm")}:
                words = words[:1].upper() + words[1:]
            words = entry.get("label", "{place}").format(place=words)
            slugs = (self.evidence.slug(n, v) for n, v in at.items() if v)
            slug = "-".join(filter(None, (own.slug, self._slug(entry), *slugs)))
            title, marked = (", ".join(filter(None, (n, words))) for n in (own.title, own.marked))
            yield Place(title, marked, slug, {**at, **fixed}, metric, own.model, own.kind, entry)

    def _asked(
        self, levels: tuple[str, ...], fixed: tuple[Pair, ...], having: str | None, pooled: bool
    ) -> set[tuple[str, ...]]:
        """The values of levels that were asked together."""
        key = (levels, fixed, having, pooled)
        if key not in self._found:
            rows = self.evidence.rows
            for level, value in fixed:
                rows = rows[rows[level].astype(str) == value]
            if having is not None:
                own = rows[rows["metric"] == having]
                some = own["value"].notna() | pooled
                rows = own[some] if some.any() else own
            told = rows[[*levels]].drop_duplicates().astype(str)
            self._found[key] = set(told.itertuples(index=False, name=None))
        return self._found[key]

    @staticmethod
    def _slug(entry: Entry) -> str:
        return str(entry.get("slug", entry.get("metric", "").replace("_", "-")))

    def _models(self, entry: Entry) -> list[Place]:
        """All that an axis of models may hold: of `whose`, in order.

        They are those under test, a `mean` over them, references, and those of the paper.
        """
        evidence = self.evidence
        tested = [
            Place(m.short, m.marked, f"model-{n}", model=m.label, kind=m.kind)
            for n, m in enumerate(evidence.models, start=1)
        ]
        kind: RowKind = "simulated" if any(m.simulated for m in evidence.models) else "measured"
        mean = [Place(_MEAN, _MEAN, "mean", model=OVERALL, kind=kind)]
        known = {OVERALL, *(place.model for place in tested)}
        others = [m for m in self._named[0] if m not in known]
        found = {
            "tested": tested,
            "mean": mean,
            "references": [Place(n, f"{n} (reference)", model=n, kind="reference") for n in others],
            "printed": [
                Place(n, f"{n} (published)", model=n, kind="published") for n in self._named[1]
            ],
        }
        whose = entry.get("whose", ("tested", "references", "printed"))
        return [place for name in whose for place in found[name]]

    @cached_property
    def _named(self) -> list[list[str]]:
        """The models of the metric rows, and of the printed ones."""
        both = (self.evidence.rows["model"], self.evidence.printed["model"])
        return [[*map(str, models.unique())] for models in both]

    def _has(self, place: Place) -> bool:
        """Whether there is such a number, known or not; of printed ones, only what is known."""
        if place.metric and place.kind == "published":
            return not self.estimate(place).missing
        if place.metric:
            return self.evidence.has(place.metric, place.model, place.at)
        return place.kind != "published" and self.evidence.count(place.model, place.at) > 0

    def parts(self, block: Entry, at: Mapping[str, str]) -> list[Cut]:
        """A block's groups, rows and columns of which something was asked, at values of levels."""
        if level := block.get("several"):
            several = self.evidence.models if level == MODEL else self.evidence.values(level)
            if len(several) < 2:
                return []
        if "needs" in block and block["needs"] not in self.evidence.asked:
            return []
        where, wanted = {**at, **self.where(block.get("where", {}))}, block.get("published", True)
        parts = []
        for place in self._axis(block.get("groups", [{}]), "by"):
            group = replace(place, at={**where, **place.at})
            columns = self._axis(group.told.get("columns", block.get("columns", [{}])), "metric")
            asked = [c for c in columns if c.is_number or "count" in c.told]
            rows = []
            for row in self._axis(group.told.get("rows", block.get("rows", [MODEL])), "by"):
                kind = (place := group + row).kind
                if not (kind == "published" if wanted == "only" else wanted or kind != "published"):
                    continue
                there = any(self._has(place + column) for column in asked)
                # A model that was not asked what others were stands there with the reason.
                if there or (row.model and not row.at and kind in _OWN):
                    rows.append((row, there and (kind in _OWN or not row.model)))
            # What the paper printed stands beside something measured.
            if any(own for _, own in rows) or (rows and wanted == "only"):
                parts.append(Cut(group, [row for row, _ in rows], columns))
        return parts

    def where(self, told: Mapping[str, Any]) -> dict[str, str]:
        """Fixed values of levels; of several, the first that was asked."""
        found = {}
        for level, value in told.items():
            asked = self.evidence.values(level)
            wanted = [value] if isinstance(value, str) else [v for v in value if v in asked]
            found[level] = next(iter([*wanted, *asked]), OVERALL)
        return found

    def _axis(self, entries: Sequence[Any], kind: str) -> list[Place]:
        """All places of an axis, which is usually the same for every group of many tables."""
        # What is kept with its places can't give way to another axis with its id.
        found = self._axes.get((id(entries), kind)) or (entries, [*self._along(entries, kind)])
        return self._axes.setdefault((id(entries), kind), found)[1]

    def _along(self, entries: Sequence[Any], kind: str) -> Iterator[Place]:
        """The places of an axis; a plain name, or a list of some, is of the axis' usual kind.

        In the place of an entry of the `rest` stands each metric that the chapter does not name.
        """
        for entry in entries:
            told = [entry if isinstance(entry, Mapping) else {kind: entry}]
            if told[0].get("rest"):
                names = (metric.name for metric in self.evidence.paper.metrics)
                rest = [n for n in names if n not in self.named and "*" not in n]
                told = [{"metric": name, "optional": True} for name in rest]
            for one in told:
                yield from self.places(one)


def table(cuts: Cuts, block: Entry, id: str, at: Mapping[str, str]) -> Table | None:
    """A table as a chapter's YAML declares it; None where nothing of it was asked.

    A column is a metric, the number of `items` of one, a `count` of observations, a `rank` by a
    metric, or what the chapter's code makes of a row (`call`); a metric's cell may get a `mark`
    from there. A group's id is the table's with its slug behind.
    """
    said: dict[str, str] = {}
    parts = cuts.parts(block, at)
    if not parts:
        return None
    groups = [
        Group(
            [
                Row(
                    row.title or row.marked,
                    [_cell(cuts, part, part.group + row, of, said) for of in part.columns],
                    (part.group + row).kind,
                )
                for row in part.rows
            ],
            _title(cuts, part.group),
            f"{id}-{part.group.slug}" if part.group.slug else "",
        )
        for part in parts
    ]
    rows = [row for group in groups for row in group.rows]
    used = {cell.mark for row in rows for cell in row.cells}
    marks = {mark: text for mark, text in block.get("marks", {}).items() if mark in used}
    printed = any(row.kind == "published" for row in rows)
    sources = (block.get("published_source", "") if printed else "", block.get("source", ""))
    return Table(
        id=id, caption=block["caption"], head=block.get("head", "Model"), groups=groups,
        columns=[_column(cuts, column) for column in parts[0].columns],
        notes={**marks, **{mark: text for text, mark in said.items()}},
        source=" ".join(filter(None, sources)),
    )  # fmt: skip


def _title(cuts: Cuts, group: Place) -> str:
    """A group's heading: a model's says what a badge says beside a row, a metric's its meaning."""
    if "label" in group.told or not group.told.get("metric") or group.told.get("by"):
        return group.marked or group.title
    return ": ".join(filter(None, (group.title, cuts.evidence.paper.metric(group.metric).meaning)))


def _column(cuts: Cuts, column: Place) -> Column:
    told, meaning = column.told, column.told.get("meaning", "")
    if "items" in told:
        return Column("Items", meaning)
    # Of several columns with one number, each has the name of its place.
    if told.get("by") or not column.metric:
        return Column(column.title, meaning, told.get("numeric", "call" not in told))
    declared = cuts.evidence.paper.metric(column.metric)
    label = told.get("label") or declared.label or column.metric.replace("_", " ")
    meaning = meaning or ("" if "label" in told or "meaning" in told else declared.meaning)
    return Column(label[:1].upper() + label[1:], meaning)


def _cell(cuts: Cuts, part: Cut, row: Place, column: Place, said: dict[str, str]) -> Cell:
    place, told = row + column, column.told
    if "items" in told:
        return _items(cuts, row, column, part.columns)
    if "count" in told:
        return Cell(f"{cuts.evidence.count(row.model, {**row.at, **told['count']}):,}")
    if "rank" in told:
        return _rank(cuts, part, replace(place, metric=told["rank"]))
    if "call" in told:
        cell: Cell = getattr(cuts.code, told["call"])(cuts, place)
        return cell
    found, printed = cuts.estimate(place), place.kind == "published"
    if printed and found.missing:
        return Cell(MISSING)
    mark = ""
    if printed and (note := cuts.evidence.note(place.metric, place.model, place.at)):
        mark = said.setdefault(note, _MARKS[len(said) % len(_MARKS)])
    elif "mark" in told and not printed:
        mark = getattr(cuts.code, told["mark"])(cuts, place)
    unit = cuts.unit(place.metric, place.kind)
    return Cell(estimate=found, unit=unit, mark=mark, at={} if printed else place.at)


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


def _rank(cuts: Cuts, part: Cut, place: Place) -> Cell:
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
