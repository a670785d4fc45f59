"""What a sample must carry for its numbers: the columns that its paper declares."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import ValidationError

from askew.papers import asked_for
from askew.schema import Paper, SampleMeta
from askew.stats.tables import OVERALL
from askew.untrusted import one_line

# What places a sample; a log may name any of them by a number.
_PLACE = ("item", "unit", "subset")


def complete(row: dict[str, Any], paper: Paper) -> None:
    """Add the conditions that a row does not name; numbers that name something become texts."""
    for name in _PLACE:
        if type(row.get(name)) is int:
            row[name] = str(row[name])
    for name, value in _defaults(paper.task).items():
        row.setdefault(name, value)


def problem_of(row: Mapping[str, Any], paper: Paper) -> str:
    """Say why there is no number of a row; empty where there is one.

    A log of another origin may lack anything, or hold a text where others hold a number.
    """
    try:
        _meta(paper.task).model_validate({"task": paper.task, **row}, strict=True)
    except ValidationError as error:
        return _said(error)
    for name in paper.measures:
        value = row.get(name)
        if value is None and name not in _needed(paper.task):
            continue
        if value is None:
            return f"its score lacks {name}"
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"measure {name} is not a number"
        if not 0 <= value <= 1:
            return f"measure {name} is not between 0 and 1"
    for name in ("subset", *(factor.name for factor in paper.factors)):
        if row.get(name) == OVERALL:
            return f'its {name} is "{OVERALL}", which stands for all of them together'
    return ""


def _said(error: ValidationError) -> str:
    problems = error.errors(include_url=False)
    if lacking := [str(p["loc"][0]) for p in problems if p["type"] == "missing"]:
        return f"its metadata lacks {', '.join(lacking)}"
    first = problems[0]
    return f"its {first['loc'][0]} is {one_line(repr(first['input']), 60)}: {first['msg']}"


@cache
def _meta(task: str) -> type[SampleMeta]:
    """What the paper's samples carry."""
    there = [one for one in vars(asked_for(task).part("paper")).values() if isinstance(one, type)]
    own = [one for one in there if issubclass(one, SampleMeta) and one is not SampleMeta]
    return own[0] if own else SampleMeta


@cache
def _defaults(task: str) -> Mapping[str, str]:
    """Conditions that a sample is under where it does not say."""
    factors = {factor.name for factor in asked_for(task).factors}
    fields = _meta(task).model_fields.items()
    return {n: f.default for n, f in fields if n in factors and isinstance(f.default, str)}


@cache
def _needed(task: str) -> frozenset[str]:
    """The measures without which a paper's numbers are none."""
    paper = asked_for(task)
    if paper.told_by_score:  # of somebody else's samples each has those of its own treatment
        return frozenset((paper.split_of,))
    return frozenset(paper.measures) - frozenset(paper.added_measures)
