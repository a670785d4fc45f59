"""What a release must show: thresholds on metrics, in a file that a person can read and review."""

from __future__ import annotations

import math
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import Path
from string import Template
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails

from askew.decide.yaml_files import problems, read_yaml_file
from askew.papers import names, papers
from askew.parameters import choose
from askew.schema import PERCENT, POINTS, Factor, Paper
from askew.untrusted import one_line

_GLOB = frozenset("*?[")
_TEMPLATE = "policy_template.yaml"
_FRACTIONS = (PERCENT, POINTS)


class PolicyError(ValueError):
    """A policy that can't be applied: every problem in it."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Rule(_Strict):
    """One threshold; every number that it takes in has to keep it."""

    metric: str = Field(min_length=1)
    task: str = Field(default="*", min_length=1)
    model: str = Field(default="*", min_length=1)
    subset: str = Field(default="all", min_length=1)
    levels: dict[str, str] = {}
    bound: Literal["interval", "value", "low", "high"] = "interval"
    """What must keep the limits: the interval (either of its bounds means all of it), or, for those
    who ask for it, the number as it came out."""
    min: float | None = None
    max: float | None = None
    min_items: int = Field(default=20, ge=1)
    name: str = ""

    @field_validator("task")
    @classmethod
    def _known_task(cls, task: str) -> str:
        plain = task.removeprefix("askew/")
        return plain if set(plain) & _GLOB else choose("task", plain, names())[0]

    @model_validator(mode="after")
    def _has_limits(self) -> Rule:
        limits = [x for x in (self.min, self.max) if x is not None]
        if not limits:
            raise ValueError("give min, max or both")
        if not all(map(math.isfinite, limits)):
            raise ValueError("min and max are finite numbers")
        if len(limits) == 2 and limits[0] > limits[1]:
            raise ValueError(f"min {self.min:g} lies above max {self.max:g}")
        asked = [p for p in papers() if self.task == p.task] or papers()
        taken = [p for p in asked if self.task == p.task or fnmatchcase(p.task, self.task)] or asked
        declared = [m for p in taken for m in p.metrics if fnmatchcase(m.name, self.metric)]
        fractions = [m for m in declared if m.unit in _FRACTIONS]
        if fractions and any(abs(x) > 1 for x in limits):
            raise ValueError(f"{fractions[0].name} is a fraction: 60 % is written 0.6")
        return self

    @property
    def title(self) -> str:
        """The rule's name, or what it asks."""
        return one_line(self.name) if self.name else f"{one_line(self.metric)} {self.limits}"

    @property
    def limits(self) -> str:
        """What is asked of the number, in words."""
        parts = [f">= {self.min:g}"] if self.min is not None else []
        parts += [f"<= {self.max:g}"] if self.max is not None else []
        return ("the value alone " if self.bound == "value" else "") + " and ".join(parts)


class Policy(_Strict):
    """All thresholds, and what must be there for them to mean anything."""

    version: Literal[1]
    models: list[str] = []
    max_left_out: float = Field(default=0.05, ge=0, le=1)
    allow_simulated: bool = False
    rules: list[Rule] = Field(min_length=1)


def read_policy(path: str | Path) -> Policy:
    """The policy in a YAML file; all of its problems are told at once.

    Args:
        path: the file.
    """
    data = read_yaml_file(path)
    try:
        return Policy.model_validate(data)
    except ValidationError as error:
        hint = "askew gate --init prints a policy that explains itself"
        told = [f"{_place(e['loc'])}: {_why(e)}" for e in error.errors()]
        raise PolicyError(problems(path, hint, told)) from None


def _place(location: tuple[int | str, ...]) -> str:
    """Where a problem lies, rules counted from 1."""
    names = [f"rule {part + 1}" if isinstance(part, int) else str(part) for part in location]
    return ", ".join(names[1:] if names[:1] == ["rules"] and len(names) > 1 else names) or "policy"


def _why(error: ErrorDetails) -> str:
    if error["type"] == "extra_forbidden":
        fields = Rule.model_fields if len(error["loc"]) > 1 else Policy.model_fields
        return "no such field; valid: " + ", ".join(fields)
    return one_line(error["msg"].removeprefix("Value error, "), 300)


def policy_template() -> str:
    """A policy that explains itself; its examples are of metrics as papers declare them."""
    text = resources.files("askew.decide").joinpath(_TEMPLATE).read_text(encoding="utf-8")
    declared = [(paper, metric) for paper in papers() for metric in paper.metrics]
    rates = [(p, m) for p, m in declared if m.unit in _FRACTIONS and "*" not in m.name]
    rising = [(p, m) for p, m in rates if m.better == "higher"]
    rated, rate = next((p, m) for p, m in rising if m.name in p.headlines)
    cut, of, factor = next(
        (p, m, f) for p, m in rising for f in _levels(p) if m.name not in p.headlines
    )
    leaning, lean = next((p, m) for p, m in rates if m.better == "nearer zero")
    return Template(text).substitute(
        rate_question=rated.question,
        rate_name=f"{rated.name} holds",
        rate_task=rated.task,
        rate_metric=rate.name,
        level_task=cut.task,
        level_metric=of.name,
        level=factor.name,
        level_value=factor.default[0],
        lean_task=leaning.task,
        lean_metric=lean.name,
    )


def _levels(paper: Paper) -> list[Factor]:
    """Factors whose values stand in a column of the metrics, where they are no metrics."""
    named = {metric.name for metric in paper.metrics}
    return [f for f in paper.factors if len(f.default) > 1 and not named & set(f.conditions)]
