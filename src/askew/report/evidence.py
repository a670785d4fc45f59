"""What a chapter is built from: one task's observations, its metric rows, and the models."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import resources
from io import StringIO
from itertools import repeat
from typing import Any

import pandas as pd

from askew.papers import asked_for
from askew.report.accounting import incomparable_runs
from askew.report.estimates import NUMBERS, Estimate, Model, RowKind
from askew.report.study import Study, levels_of
from askew.schema import Paper
from askew.stats.nulls import NoEffect
from askew.stats.tables import DEFAULT_INTERVAL, NULL_COLUMNS, Interval
from askew.stats.tables import OVERALL as OVERALL
from askew.untrusted import one_line

_APART = "†‡§¶"
_NOT_BESIDE = "can't be compared with models that do not carry this mark"


@cache
def printed_rows(home: str) -> pd.DataFrame:
    """What a paper printed, as rows of its metric table; none where its package has nothing.

    `published/printed.csv` has it as printed, `published/errata.csv` where that contradicts its
    own parts: there the value and the note are what is shown.
    """
    published = resources.files(home).joinpath("published")
    if not (table := published.joinpath("printed.csv")).is_file():
        return pd.DataFrame(columns=["kind", "metric", "model", "value", "note", "source"])
    rows, errata = (
        pd.read_csv(StringIO(file.read_text(encoding="utf-8")), dtype=str, keep_default_na=False)
        for file in (table, published.joinpath("errata.csv"))
    )
    corrected, notes = rows["value"].replace("", "nan"), rows["note"].copy()
    for erratum in errata.to_dict("records"):
        value, note, printed = (erratum.pop(name) for name in ("value", "note", "printed"))
        at = {n: said for n, said in {"value": printed, **erratum}.items() if said}
        there = (rows[[*at]] == pd.Series(at)).all(axis=1)
        if not there.any():
            raise ValueError(f"{home}: no printed row is what errata.csv corrects: {at}")
        corrected[there] = value
        notes[there] = (f"{note} " + notes[there]).str.strip()
    return rows.assign(kind="published", value=corrected.astype(float), note=notes)


def _records(table: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    """The rows as tuples: pandas' own walk takes several times as long where texts are."""
    return zip(*(table[column].tolist() for column in table), strict=True)


@dataclass(frozen=True)
class Evidence:
    """One task's part of the tables."""

    task: str
    observations: pd.DataFrame
    rows: pd.DataFrame
    models: Sequence[Model]
    data: Sequence[str] = ()
    """Where the questions came from: "bundled", "paper", or the user's files."""
    interval: Interval = DEFAULT_INTERVAL
    """How the intervals of the rows were made, for numbers that a chapter adds."""
    losses: pd.DataFrame | None = None
    """What was left out of the task, as `left_out` tells it; None where nobody asked."""
    items: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """How many items the sets have that models were asked from, by subset, as far as logs say."""
    order: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Values of levels that are no factors, in order, as the paper's chapter declares them."""

    @cached_property
    def apart(self) -> Mapping[str, str]:
        """Marks of models that were asked otherwise, and what that means for their numbers."""
        told = dict(m.apart.split(" ", 1) for m in self.models if m.apart)
        return {mark: f"asked with {why}: {_NOT_BESIDE}" for mark, why in told.items()}

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """The columns of the metric rows that tell numbers of one metric and model apart."""
        return tuple(c for c in levels_of(self.rows) if self.rows[c].notna().any())

    @cached_property
    def asked(self) -> set[str]:
        """The metrics that were asked for, of anybody, with a value or without."""
        known = self.rows["value"].notna() | ~self.rows["reason"].str.startswith("not asked")
        return set(self.rows.loc[known, "metric"])

    @cached_property
    def _index(self) -> dict[tuple[Hashable, ...], Estimate]:
        keys = ["metric", "model", *self.levels]
        table: dict[tuple[Hashable, ...], Estimate] = {}
        for row in _records(self.rows.reindex(columns=[*keys, *NUMBERS, *NULL_COLUMNS])):
            value, low, high, n_items, n_dropped, reason, *null = row[len(keys) :]
            table[*row[:2], *map(str, row[2 : len(keys)])] = Estimate(
                float(value), float(low), float(high), int(n_items), int(n_dropped), str(reason),
                NoEffect(*map(float, null)),
            )  # fmt: skip
        return table

    def estimate(self, metric: str, model: Model, **at: str) -> Estimate:
        """A model's measured number, at values of levels; those that are not named are pooled."""
        return self.number(metric, model.label, model.kind, at)

    @cached_property
    def paper(self) -> Paper:
        """The declaration of the task's paper."""
        return asked_for(self.task)

    @cached_property
    def printed(self) -> pd.DataFrame:
        """The paper's printed numbers as rows like the measured ones, with `note` and `source`.

        A level that is not named is pooled. A chapter's `beside` leaves out, or notes, what means
        something else than what was asked.
        """
        rows = printed_rows(self.paper.home)
        chapter: Any = self.paper.part("chapter") if self.paper.has("chapter") else None
        if hasattr(chapter, "beside"):
            rows = chapter.beside(rows, self.observations)
        return rows.assign(**{level: OVERALL for level in self.levels if level not in rows})

    @cached_property
    def _printed_index(self) -> dict[tuple[Hashable, ...], tuple[float, str]]:
        keys, values = ["metric", "model", *self.levels], ["value", "note"]
        return dict(zip(*map(_records, (self.printed[keys], self.printed[values])), strict=True))

    def number(self, metric: str, model: str, kind: RowKind, at: Mapping[str, str]) -> Estimate:
        """A measured or printed number of a model; levels that are not named are pooled."""
        if not (place := self._place(metric, model, at)):
            return Estimate(math.nan, reason="not asked")
        if kind == "published":
            value, _ = self._printed_index.get(place, (math.nan, ""))
            return Estimate(float(value), reason="not printed")
        if place in self._index:
            return self._index[place]
        known = model == OVERALL or (self.observations["model"] == model).any()
        return Estimate(math.nan, reason="not asked" if known else "no sample was scored")

    def narrowed(self, level: str, value: str) -> Evidence:
        """Its part at one value of a level; other levels have the values that they have there."""
        rows, observed = (
            table[table[level].astype(str) == value] if level in table else table
            for table in (self.rows, self.observations)
        )
        return replace(self, rows=rows, observations=observed)

    def has(self, metric: str, model: str, at: Mapping[str, str]) -> bool:
        """Whether there is a measured row, with a value or with the reason for none."""
        return self._place(metric, model, at) in self._index

    def count(self, model: str, at: Mapping[str, Any]) -> int:
        """How many observations of a model have these values in their columns."""
        kept = self.observations["model"] == model
        for column, wanted in at.items():
            values = wanted if isinstance(wanted, list) else [wanted]
            there = column in self.observations
            kept &= self.observations[column].isin(values) if there else False
        return int(kept.sum())

    def there(self, metric: str, model: Model, at: Mapping[str, str]) -> int:
        """How many items the sets have that a number is about; 0 where no log says."""
        known = self.items.get(model.label, {})
        wanted = {"metric": metric, "model": model.label, **at}.items()
        rows = self.rows[self.rows["n_items"] > 0]
        for name, value in wanted:
            rows = rows[rows[name].astype(str) == value]
        parts = set(rows["subset"]) if "subset" in self.levels else set()
        return sum(known.get(subset, 0) for subset in (parts & set(known)) or known)

    def note(self, metric: str, model: str, at: Mapping[str, str]) -> str:
        """What is to be said of a printed number; empty where print and definition agree."""
        return self._printed_index.get(self._place(metric, model, at), (math.nan, ""))[1]

    def _place(self, metric: str, model: str, at: Mapping[str, str]) -> tuple[Hashable, ...]:
        """Where a number stands; nowhere, where a level was not asked."""
        there = at.keys() <= set(self.levels)
        return (metric, model, *map(at.get, self.levels, repeat(OVERALL))) if there else ()

    @cached_property
    def _seen(self) -> dict[str, list[str]]:
        every = {n: dict.fromkeys(map(str, self.rows[n].dropna().unique())) for n in self.levels}
        return {level: [v for v in asked if v != OVERALL] for level, asked in every.items()}

    def values(self, level: str, order: Iterable[str] = ()) -> list[str]:
        """What was asked of a level: values in their declared order, or this one, then others."""
        seen, declared = self._seen.get(level, []), order or self._declared(level)
        known = [v for v in declared if v in seen]
        return known + [v for v in seen if v not in known]

    def _declared(self, level: str) -> Sequence[str]:
        if level == "subset":
            return list(self.paper.subset_names) or self.paper.subsets
        if level in self.order:
            return self.order[level]
        return [c for f in self.paper.factors if f.name == level for c in f.conditions]

    def label(self, level: str, value: str) -> str:
        """A value of a level as it is shown: as declared, or as it is, in one line."""
        if level == "subset":
            return self.paper.subset_names.get(value) or one_line(value)
        factor = next((f for f in self.paper.factors if f.name == level), None)
        return factor.label(value) if factor and value in factor.conditions else one_line(value)

    def slug(self, level: str, value: str) -> str:
        """A value as a part of ids: one that a user's file or log brought may hold anything."""
        if value == OVERALL or value in self._declared(level):
            return value.replace("_", "-") if level != "subset" else value
        return f"{level}-{self.values(level).index(value) + 1}"

    def of(self, model: Model) -> pd.DataFrame:
        """The observations of one model."""
        return self.observations[self.observations["model"] == model.label]

    @property
    def simulated(self) -> tuple[str, ...]:
        return tuple(m.short for m in self.models if m.simulated)


def evidence_of(study: Study, task: str, interval: Interval = DEFAULT_INTERVAL) -> Evidence:
    """What the chapter on a task is built from; models asked otherwise have a mark, one a way."""
    runs = [run for run in study.runs if run.task == task]
    summary, rows = study.summary(interval), study.by_task[task]
    ran, apart = {run.model for run in runs} | set(rows["model"]), incomparable_runs(runs)
    marks = {
        why: _APART[n % len(_APART)] * (1 + n // len(_APART))
        for n, why in enumerate(dict.fromkeys(apart.values()))
    }
    models = [
        replace(m, short=f"{m.short} {marks[why]}", apart=f"{marks[why]} {why}")
        if (why := apart.get(m.label))
        else m
        for m in study.models
        if m.label in ran
    ]
    return Evidence(
        task,
        rows,
        summary[summary["task"] == task],
        models,
        tuple(dict.fromkeys(run.data for run in runs)),
        interval,
        study.excluded[study.excluded["task"] == task],
        items={run.model: run.items for run in runs},
    )
