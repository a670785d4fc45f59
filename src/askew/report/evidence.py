"""One task's part of the results, and cuts of it: groups by rows by columns, as YAML asks for them.

An axis is a list of entries. An entry names a metric, or levels to go through (`by`), or both, at
fixed values of other levels (`at`); every value of these levels, in declared order, is a place on
the axis. `model` is such a level: the models under test, references, and the paper's own.
"""

import json
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import resources
from io import StringIO
from itertools import product
from typing import Any, NamedTuple, Self

import pandas as pd

from askew.files import yaml_of
from askew.logs.tables import NOT_LACKING
from askew.papers import get_paper
from askew.report.accounting import incomparable_runs
from askew.report.caveats import LOST
from askew.report.estimates import Estimate, Model, RowKind
from askew.report.study import Study, levels_of
from askew.schema import Paper, Unit
from askew.stats.clusters import NoEffect
from askew.stats.tables import DEFAULT_INTERVAL, NULL_COLUMNS, NUMBERS, Interval
from askew.stats.tables import OVERALL as OVERALL
from askew.untrusted import one_line

_APART = "†‡§¶"
_NOT_BESIDE = "can't be compared with models that do not carry this mark"
LOST_HERE = "none of its samples was scored"
Entry = Mapping[str, Any]
MODEL = "model"
# Whose numbers are measured here.
_OWN = ("measured", "simulated")
_MEAN = "Mean of models"


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
        at = {n: text for n, text in {"value": printed, **erratum}.items() if text}
        there = (rows[[*at]] == pd.Series(at)).all(axis=1)
        if not there.any():
            raise ValueError(f"{home}: no printed row is what errata.csv corrects: {at}")
        corrected[there] = value
        notes[there] = (f"{note} " + notes[there]).str.strip()
    return rows.assign(kind="published", value=corrected.astype(float), note=notes)


@dataclass(slots=True)
class Place:
    """A place on an axis: a model, a metric, values of levels, and what it is called."""

    title: str = ""
    marked: str = ""  # the title, with the mark that a chart's label needs
    slug: str = ""
    at: Mapping[str, str] = field(default_factory=dict)
    metric: str = ""
    model: str = ""
    kind: RowKind = "measured"
    told: Entry = field(default_factory=dict)  # the entry that it comes from

    @property
    def is_number(self) -> bool:
        """Whether a column holds a metric's numbers, not how many items they rest on or words."""
        return not self.told.keys() & {"items", "count", "rank", "call"}

    def __add__(self, other: Self) -> Self:
        """Where two axes meet, named and described as the other."""
        whose = other if other.model else self
        at, metric = {**self.at, **other.at}, other.metric or self.metric
        return replace(other, at=at, metric=metric, model=whose.model, kind=whose.kind)


class TableGroup(NamedTuple):
    """A group of a table, or a panel of a figure; the places of its rows hold the group's."""

    group: Place
    rows: Sequence[Place]
    columns: Sequence[Place]


@dataclass(frozen=True)
class Evidence:
    """One task's observations, its metric rows and the models, with what its chapter declares."""

    task: str
    observations: pd.DataFrame
    rows: pd.DataFrame
    models: Sequence[Model]
    data: Sequence[str] = ()  # where the questions came from: "bundled", "paper", users' files
    interval: Interval = DEFAULT_INTERVAL  # of the rows, and of numbers that a chapter adds
    losses: pd.DataFrame | None = None  # what was left out of the task; None: nobody asked
    items: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """How many items the sets have that models were asked from, by subset, as far as logs say."""
    transcripts: bool = False  # whether logs are opened for the prompts and replies of flips
    _kept: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def paper(self) -> Paper:
        return get_paper(self.task)

    @cached_property
    def told(self) -> Entry:
        """What the paper's `chapter.yaml` declares; empty where it has none."""
        there = resources.files(self.paper.home).joinpath("chapter.yaml").is_file()
        return yaml_of(self.paper.home, "chapter.yaml") if there else {}

    @cached_property
    def code(self) -> Any:
        """What the paper's chapter has in code: its `chapter.py`, or the part that its YAML names.

        None where it needs none.
        """
        part = self.told.get("code", "chapter")
        return self.paper.part(part) if self.paper.has(part) else None

    @cached_property
    def apart(self) -> Mapping[str, str]:
        """Marks of models that were asked otherwise, and what that means for their numbers."""
        settings = dict(m.apart.split(" ", 1) for m in self.models if m.apart)
        return {mark: f"asked with {why}: {_NOT_BESIDE}" for mark, why in settings.items()}

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
    def printed(self) -> pd.DataFrame:
        """The paper's printed numbers as rows like the measured ones, with `note` and `source`."""
        rows = printed_rows(self.paper.home)
        if hasattr(self.code, "published_rows"):
            # It leaves out, or notes, what means something else than what was asked.
            rows = self.code.published_rows(rows, self.observations)
        return rows.assign(**{level: OVERALL for level in self.levels if level not in rows})

    @cached_property
    def _index(self) -> dict[tuple[Hashable, ...], Estimate]:
        """The measured numbers by metric, model and levels."""
        rows = self.rows.reindex(columns=[*{*self.rows, *NULL_COLUMNS, *LOST}])
        rows = rows.astype({"dropped_of": object, LOST[0]: object})
        rows = rows.fillna({"n_clusters": rows["n_items"], "dropped_of": "items", LOST[0]: ""})
        rows = rows.astype(dict.fromkeys(("n_items", "n_clusters", "n_dropped"), int))
        places = rows[["metric", "model", *self.levels]].astype(str)
        parts = (places, rows[[*NUMBERS]], rows[[*NULL_COLUMNS]].astype(float), rows[[*LOST]])
        every: Any = zip(*(p.itertuples(index=False, name=None) for p in parts), strict=True)
        return {
            at: Estimate(*(*found, NoEffect(*null), *lost, self.unit(at[0])))
            for at, found, null, lost in every
        }

    @cached_property
    def _parts(self) -> tuple[set[tuple[Hashable, ...]], set[tuple[Hashable, ...]]]:
        """Which models have a metric anywhere, and at which levels they have any."""
        return {key[:2] for key in self._index}, {key[1:] for key in self._index}

    @cached_property
    def _printed_index(self) -> dict[tuple[Hashable, ...], tuple[float, str]]:
        rows = self.printed[["metric", "model", *self.levels, "value", "note"]]
        return {row[:-2]: row[-2:] for row in rows.itertuples(index=False, name=None)}

    def _key(self, of: Place) -> tuple[Hashable, ...]:
        """Where a number stands; nowhere, where a level was not asked."""
        there = of.at.keys() <= set(self.levels)
        return (of.metric, of.model, *(of.at.get(n, OVERALL) for n in self.levels)) if there else ()

    def estimate(self, metric: str, model: Model, **at: str) -> Estimate:
        """A model's measured number, at values of levels; those that are not named are pooled."""
        return self.number(Place(at=at, metric=metric, model=model.label))

    def number(self, at: Place) -> Estimate:
        """A measured or printed number of a model; levels that are not named are pooled."""
        none = Estimate(math.nan, unit=self.unit(at.metric, at.kind))
        if not (key := self._key(at)):
            return replace(none, reason="not asked")
        if at.kind == "published":
            value, _ = self._printed_index.get(key, (math.nan, ""))
            return replace(none, value=value, reason="not printed")
        if key in self._index:
            return self._index[key]
        if at.model != OVERALL and not (self.observations["model"] == at.model).any():
            return replace(none, reason="no sample was scored")
        # What was run there, and has the number elsewhere, has none of its kind there.
        has_number, was_run = self._parts
        if key[:2] in has_number and key[1:] in was_run:
            return replace(none, reason="n/a")
        lost = self.losses if self.losses is not None else pd.DataFrame(columns=["model", "what"])
        ran = (lost["model"] == at.model) & ~lost["what"].isin([*NOT_LACKING, "not run"])
        return replace(none, reason=LOST_HERE if ran.any() else "not run")

    def note(self, at: Place) -> str:
        """What is to be said of a printed number; empty where print and definition agree."""
        return self._printed_index.get(self._key(at), (math.nan, ""))[1]

    def count(self, model: str, at: Mapping[str, Any]) -> int:
        """How many observations of a model have these values in their columns."""
        wanted = {n: v if isinstance(v, list) else [v] for n, v in {"model": model, **at}.items()}
        return int(self.observations.reindex(columns=[*wanted]).isin(wanted).all(axis=1).sum())

    def there(self, metric: str, model: Model, at: Mapping[str, str]) -> int:
        """How many items the sets have that a number is about; 0 where no log says."""
        known = self.items.get(model.label, {})
        place = pd.Series({"metric": metric, "model": model.label, **at})
        found = (self.rows[place.index].astype(str) == place).all(axis=1)
        rows = self.rows[found & (self.rows["n_items"] > 0)]
        parts = {*rows["subset"]} & {*known} if "subset" in self.levels else ()
        return sum(known[subset] for subset in parts or known)

    def of(self, model: Model) -> pd.DataFrame:
        """The observations of one model."""
        return self.observations[self.observations["model"] == model.label]

    def narrowed(self, level: str, value: str) -> Self:
        """Its part at one value of a level, made once; others have the values they have there."""
        if (level, value) not in self._kept:
            rows, observed = (
                table[table[level].astype(str) == value] if level in table else table
                for table in (self.rows, self.observations)
            )
            self._kept[level, value] = replace(self, rows=rows, observations=observed)
        part: Self = self._kept[level, value]
        return part

    def unit(self, metric: str, kind: RowKind = "measured") -> Unit:
        """How a number is written; a printed one with two digits, as papers print them."""
        if unit := self.told.get("units", {}).get(metric):
            return Unit(**unit)
        own = self.paper.metric(metric).unit
        return Unit(own.name, own.factor, 2, own.signed) if kind == "published" else own

    @cached_property
    def _seen(self) -> dict[str, list[str]]:
        every = {n: map(str, self.rows[n].dropna().unique()) for n in self.levels}
        return {level: [v for v in values if v != OVERALL] for level, values in every.items()}

    def values(self, level: str, order: Iterable[str] = ()) -> list[str]:
        """What was asked of a level: values in their declared order, or this one, then others."""
        seen, declared = self._seen.get(level, []), order or self._declaration_of(level)
        known = [v for v in declared if v in seen]
        return known + [v for v in seen if v not in known]

    def _declaration_of(self, level: str) -> Sequence[str]:
        if level == "subset":
            return list(self.paper.subset_names) or self.paper.subsets
        if order := self.told.get("levels", {}).get(level):
            return list(order)
        return [c for f in self.paper.factors if f.name == level for c in f.conditions]

    def label(self, level: str, value: str) -> str:
        """A value of a level as it is shown: as declared, or as it is, in one line."""
        if level == "subset":
            return self.paper.subset_names.get(value) or one_line(value)
        factor = next((f for f in self.paper.factors if f.name == level), None)
        return factor.label(value) if factor and value in factor.conditions else one_line(value)

    def words(self, at: Mapping[str, str]) -> str:
        """Values of levels in words."""
        if at and self.code and hasattr(self.code, "label"):
            return str(self.code.label(self, at))
        return ", ".join(filter(None, (self.label(*pair) for pair in at.items())))

    def slug(self, level: str, value: str) -> str:
        """A value as a part of ids: one that a user's file or log brought may hold anything."""
        if value == OVERALL or value in self._declaration_of(level):
            return value.replace("_", "-") if level != "subset" else value
        return f"{level}-{self.values(level).index(value) + 1}"

    def chosen(self, level: str, entry: Entry) -> list[str]:
        """Values of a level that was asked, as an entry chooses among them."""
        found = self.values(level)
        only, without = (entry.get(key, {}).get(level, ()) for key in ("only", "without"))
        rows = self.observations
        for column, selected in entry.get("seen", {}).items():
            seen = set(rows.loc[rows[column].isin(selected), level].astype(str))
            found = [v for v in found if v in seen]
        return [v for v in found if v not in without and (v in only or not only)]

    def where(self, conditions: Mapping[str, Any]) -> dict[str, str]:
        """Fixed values of levels; of several, the first that was asked."""
        found = {}
        for level, value in conditions.items():
            values = self.values(level)
            wanted = [value] if isinstance(value, str) else [v for v in value if v in values]
            found[level] = next(iter([*wanted, *values]), OVERALL)
        return found

    def places(self, entry: Entry) -> Iterator[Place]:
        """The places of an entry; none where a level of it was not asked."""
        by = [by] if isinstance(by := entry.get("by", []), str) else [*by]
        fixed = {str(k): str(v) for k, v in entry.get("at", {}).items()}
        if any(n not in self.levels for n in (*by, *fixed) if n != MODEL):
            return
        metric, levels = str(entry.get("metric", "")), [level for level in by if level != MODEL]
        if entry.get("optional") and (entry.get("items") or metric) not in self.asked:
            return
        own_slug = str(entry.get("slug", metric.replace("_", "-")))
        if not by:
            label = self.paper.metric(metric).label or metric.replace("_", " ")
            title = entry.get("label") or label * bool(metric)
            title = title[:1].upper() + title[1:]
            yield Place(title, title, own_slug, fixed, metric, told=entry)
            return
        pooled = [OVERALL] * bool(entry.get("pooled"))
        values = {level: self.chosen(level, entry) + pooled for level in levels}
        together = self._together(levels, fixed, entry)
        if (whole := entry.get("whole")) and len(values[levels[0]]) > 1:
            named = whole if isinstance(whole, str) else self.words({levels[0]: OVERALL})
            yield Place(named, named, OVERALL, fixed, metric, told=entry)
        models = self._models(entry) if MODEL in by else []
        several = [n for n in levels if len(self.values(n)) > 1]
        for chosen in product(*(models if level == MODEL else values[level] for level in by)):
            own = next((c for c in chosen if isinstance(c, Place)), Place())
            at = {n: c for n, c in zip(by, chosen, strict=True) if isinstance(c, str)}
            if levels and tuple(at.values()) not in together:
                continue
            # What has one value alone needs no word beside others.
            shown = {n: v for n, v in at.items() if n in several and v != OVERALL}
            words = self.words(shown or ({} if own.model else at))
            # A name that a user's data brought, or that users type, stays as it is.
            if not own.model and words not in {at.get("subset"), at.get("arm")}:
                words = words[:1].upper() + words[1:]
            words = entry.get("label", "{place}").format(place=words)
            slugs = (self.slug(n, v) for n, v in at.items() if v)
            slug = "-".join(filter(None, (own.slug, own_slug, *slugs)))
            title, marked = (", ".join(filter(None, (n, words))) for n in (own.title, own.marked))
            yield Place(title, marked, slug, {**at, **fixed}, metric, own.model, own.kind, entry)

    def _together(
        self, levels: list[str], fixed: Mapping[str, str], entry: Entry
    ) -> set[tuple[str, ...]]:
        """The values of levels that were asked together: the groups of a table share them."""
        having, pooled = entry.get("having"), bool(entry.get("pooled"))
        if (key := (*levels, "at", *fixed.items(), having, pooled)) not in self._kept:
            rows = self.rows
            for level, value in fixed.items():
                rows = rows[rows[level].astype(str) == value]
            if having:
                own = rows[rows["metric"] == having]
                some = own["value"].notna() | pooled
                rows = own[some] if some.any() else own
            every = rows[levels].drop_duplicates().astype(str)
            self._kept[key] = set(every.itertuples(index=False, name=None))
        found: set[tuple[str, ...]] = self._kept[key]
        return found

    def _models(self, entry: Entry) -> list[Place]:
        """The models on an axis: those under test, a mean over them, references, the paper's."""
        kind: RowKind = "simulated" if any(m.simulated for m in self.models) else "measured"
        measured, printed = ([*map(str, t["model"].unique())] for t in (self.rows, self.printed))
        others = [n for n in measured if n not in {OVERALL, *(m.label for m in self.models)}]
        tested = enumerate(self.models, start=1)
        found = {
            "tested": [Place(m.short, m.marked, f"model-{n}", {}, "", m.label, m.kind)
                       for n, m in tested],
            "mean": [Place(_MEAN, _MEAN, "mean", model=OVERALL, kind=kind)],
            "references": [Place(n, f"{n} (reference)", model=n, kind="reference") for n in others],
            "printed": [Place(n, f"{n} (published)", model=n, kind="published") for n in printed],
        }  # fmt: skip
        whose = entry.get("whose", ("tested", "references", "printed"))
        return [place for name in whose for place in found[name]]

    def _has(self, place: Place) -> bool:
        """Whether there is such a number, known or not; of printed ones, only what is known."""
        if place.kind == "published":
            return bool(place.metric) and not self.number(place).missing
        if place.metric:
            return self._key(place) in self._index
        return self.count(place.model, place.at) > 0

    def cuts(self, block: Entry, at: Mapping[str, str]) -> list[TableGroup]:
        """A block's groups, rows and columns of which something was asked, at values of levels."""
        level, needs = block.get("several"), block.get("needs")
        if level and len(self.models if level == MODEL else self.values(level)) < 2:
            return []
        if needs and needs not in self.asked:
            return []
        where, wanted = {**at, **self.where(block.get("where", {}))}, block.get("published", True)
        every_row = self._axis(block.get("rows", [MODEL]), "by")
        every_column = self._axis(block.get("columns", [{}]), "metric")
        parts = []
        for place in self._axis(block.get("groups", [{}]), "by"):
            group, told = replace(place, at={**where, **place.at}), place.told
            columns = self._axis(told["columns"], "metric") if "columns" in told else every_column
            selected = [c for c in columns if c.is_number or "count" in c.told]
            rows, is_asked = [], wanted == "only"
            for row in self._axis(told["rows"], "by") if "rows" in told else every_row:
                place = group + row
                is_own = place.kind in _OWN
                if wanted == (False if place.kind == "published" else "only"):
                    continue
                there = any(self._has(place + column) for column in selected)
                # A model that was not asked what others were stands there with the reason.
                if there or (row.model and not row.at and is_own):
                    rows.append(place)
                    is_asked |= there and (is_own or not row.model)
            # What the paper printed stands beside something measured.
            if rows and is_asked:
                parts.append(TableGroup(group, rows, columns))
        return parts

    def _axis(self, entries: Sequence[Any], kind: str) -> list[Place]:
        """The places of an axis; a plain name, or a list of some, is of the axis' usual kind."""
        cuts = [entry if isinstance(entry, Mapping) else {kind: entry} for entry in entries]
        if any(one.get("rest") for one in cuts):  # each metric that the chapter does not name
            own = {k: v for k, v in self.told.items() if k not in ("headlines", "units")}
            named = json.dumps(own)
            rest = [
                {"metric": metric.name, "optional": True}
                for metric in self.paper.metrics
                if f'"{metric.name}"' not in named and "*" not in metric.name
            ]
            cuts = [more for one in cuts for more in (rest if one.get("rest") else [one])]
        return [place for one in cuts for place in self.places(one)]


def evidence_of(
    study: Study, task: str, interval: Interval = DEFAULT_INTERVAL, transcripts: bool = False
) -> Evidence:
    """What the chapter on a task is built from; models asked otherwise have a mark, one a way."""
    runs = [run for run in study.runs if run.task == task]
    summary, rows = study.summary(interval), study.by_task[task]
    ran, apart = {run.model for run in runs} | set(rows["model"]), incomparable_runs(runs)
    ways, models = [*dict.fromkeys(apart.values())], []
    for model in (m for m in study.models if m.label in ran):
        if why := apart.get(model.label):
            repeats, at = divmod(ways.index(why), len(_APART))
            mark = _APART[at] * (1 + repeats)
            model = replace(model, short=f"{model.short} {mark}", apart=f"{mark} {why}")
        models.append(model)
    data, items = tuple(dict.fromkeys(run.data for run in runs)), {r.model: r.items for r in runs}
    own, excluded = (of[of["task"] == task] for of in (summary, study.excluded))
    return Evidence(task, rows, own, models, data, interval, excluded, items, transcripts)
