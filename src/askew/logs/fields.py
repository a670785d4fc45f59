"""What a sample must carry for its numbers, and of which kind, as its paper declares it.

A log of another origin may lack anything, or hold a text where others hold a number: its samples
are then named, and no column changes its kind for the logs beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from askew.logs.bounds import LARGEST_WHOLE
from askew.papers import OWN, asked_for
from askew.schema import OUTCOMES, Paper, SampleMeta
from askew.statistics.tables import OVERALL

NEEDED = ("item", "unit", "subset")
_MOST_CONDITIONS = 400
_MOST_NUMBERS = 1_000
_Types = tuple[type, ...]
_NUMBER: _Types = (int, float)
_KINDS: Mapping[Any, _Types] = {str: (str,), int: (int,), float: _NUMBER, bool: (bool,)}


@dataclass(frozen=True)
class _Field:
    """A column of a paper's own."""

    kinds: _Types
    """None where it may hold anything."""
    values: frozenset[Any] = frozenset()
    """All that it may be, where that is declared."""
    optional: bool = False
    needed: bool = False
    share: bool = False
    """Whether it is from 0 to 1."""

    @cached_property
    def any_text(self) -> bool:
        """Whether it may be every text."""
        return self.kinds == (str,) and not self.values


@dataclass(frozen=True)
class _Shape:
    """What the rows of a paper hold."""

    fields: Mapping[str, _Field]
    needed: tuple[str, ...]
    measured: tuple[str, ...]
    """The measures without which its numbers are none."""
    declared: Mapping[str, frozenset[str]]
    """Columns whose values are told apart, each with those that are known."""
    given: Mapping[str, Any]
    """Conditions that a sample is under where it does not say."""


def complete(row: dict[str, Any], paper: Paper) -> None:
    """Add the conditions that a row does not name; numbers that name something become texts."""
    for name in NEEDED:
        if type(row[name]) is int:
            row[name] = str(row[name])
    for name, value in _shape(paper.task).given.items():
        row.setdefault(name, value)


def odd_row(row: Mapping[str, Any], paper: Paper) -> str:
    """Why there is no number of a row; empty where nothing is odd about it."""
    shape = _shape(paper.task)
    for names, of in ((shape.needed, "metadata"), (shape.measured, "score")):
        if None in map(row.get, names):
            return f"its {of} lacks {', '.join(n for n in names if row.get(n) is None)}"
    columns = _columns(paper.task, tuple(row))
    for (name, value), field in zip(row.items(), columns, strict=True):
        if field is None or (field.any_text and type(value) is str):
            continue
        if odd := _unlike(field, value):
            return f"its {name} is {odd}"
        if field.share and value is not None and not 0 <= value <= 1:
            return f"measure {name} is not between 0 and 1"
    if OVERALL in map(row.get, shape.declared):
        name = next(name for name in shape.declared if row.get(name) == OVERALL)
        return f'its {name} is "{OVERALL}", which stands for all of them together'
    return ""


def check_conditions(rows: Iterable[Mapping[str, Any]], paper: Paper) -> None:
    """Raise where the samples of a log bring more subsets and conditions than any questions have.

    The work of most numbers grows with the square of these.
    """
    declared = _shape(paper.task).declared
    texts: set[tuple[str, ...]] = set()
    numbers: set[float] = set()
    for values in {tuple(map(row.get, declared)) for row in rows}:
        own = [v for v, of in zip(values, declared.values(), strict=True) if str(v) not in of]
        texts.add(tuple(value for value in own if isinstance(value, str)))
        numbers.update(value for value in own if isinstance(value, int | float))
    if len(texts) > _MOST_CONDITIONS or len(numbers) > _MOST_NUMBERS:
        raise ValueError(
            f"its samples have more than {_MOST_CONDITIONS} subsets and conditions that its task "
            "does not declare"
        )


def _unlike(field: _Field, value: Any) -> str:
    """What a value is not that a field holds; empty where it is of its kind."""
    if not field.kinds or (value is None and field.optional):
        return ""
    bad = not isinstance(value, field.kinds) or (
        isinstance(value, bool) and bool not in field.kinds
    )
    if bad or (isinstance(value, float) and not math.isfinite(value)):
        return f"no {'text' if str in field.kinds else 'number'}"
    if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
        return "no number"
    if field.values and value not in field.values:
        return f"none of {', '.join(sorted(map(str, field.values)))}"
    return ""


@lru_cache(maxsize=256)
def _columns(task: str, names: tuple[str, ...]) -> tuple[_Field | None, ...]:
    """What columns hold, where that is known. What others call their details, only they know."""
    fields = _shape(task).fields
    return tuple(fields.get(n) or (_elsewhere(n) if task in OWN else None) for n in names)


@cache
def _shape(task: str) -> _Shape:
    paper = asked_for(task)
    own = {name: field for model in _models(paper) for name, field in _fields(model)}
    factors = tuple(factor.name for factor in paper.factors)
    needed = tuple(n for n, field in own.items() if field.needed) if own else factors
    measured = tuple(m for m in paper.measures if m not in paper.added_measures)
    if paper.told_by_score:
        # Of somebody else's samples each has the measures of its own treatment.
        measured = (paper.split_of,)
        needed = (*needed, "treatment") if "treatments" in paper.selectors else needed
    fields = {
        **dict.fromkeys(paper.measures, _Field(_NUMBER, optional=True, share=True)),
        **dict.fromkeys((*NEEDED, "tier", "outcome"), _Field((str,))),
        **own,
    }
    given = {
        name: field.default
        for model in _models(paper)
        for name, field in model.model_fields.items()
        if name in factors and isinstance(field.default, str)
    }
    declared = {
        "subset": frozenset(paper.subsets),
        "tier": frozenset(("", "core", "hard")),
        "outcome": frozenset(OUTCOMES),
        **{name: frozenset[str]() for name in paper.selectors if name in own},
        **{factor.name: frozenset(factor.conditions) for factor in paper.factors},
    }
    return _Shape(fields, (*NEEDED, *needed), measured, declared, given)


def _models(paper: Paper) -> list[type[SampleMeta]]:
    """What its samples carry, beside what all do; none where they are somebody else's."""
    there = [one for one in vars(paper.part("paper")).values() if isinstance(one, type)]
    return [one for one in there if issubclass(one, SampleMeta) and one is not SampleMeta]


def _fields(model: type[SampleMeta]) -> Iterator[tuple[str, _Field]]:
    hints = get_type_hints(model)
    for name, field in model.model_fields.items():
        if name not in SampleMeta.model_fields:
            yield name, _field_of(hints[name], field.is_required())


def _field_of(hint: Any, needed: bool) -> _Field:
    several = {*get_args(hint)} if get_origin(hint) in (Union, UnionType) else {hint}
    parts = several - {NoneType}
    if len(parts) > 1:
        return _Field((), needed=needed)
    (part,) = parts
    values = frozenset(get_args(part) if get_origin(part) is Literal else ())
    kinds = {kind for value in values for kind in _KINDS[type(value)]}
    return _Field(tuple(kinds) or _KINDS.get(part, ()), values, NoneType in several, needed)


@lru_cache(maxsize=1_024)
def _elsewhere(name: str) -> _Field | None:
    """What a column holds of another paper, or holds as a detail of a score; none for texts.

    A detail that is called like a metric, or after a measure, is a number as they are.
    """
    known = [asked_for(task) for task in OWN]
    for paper in known:
        field = _shape(paper.task).fields.get(name)
        if field is not None and field.kinds and str not in field.kinds:
            return _Field(field.kinds, optional=True)
    metrics = {metric.name for paper in known for metric in paper.metrics}
    measures = tuple(f"{measure}_" for paper in known for measure in paper.measures)
    called_so = name in metrics or name.startswith(measures)
    return _Field(_NUMBER, optional=True) if called_so else None
