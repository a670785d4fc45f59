"""What a release must show: thresholds on metrics, in a file that a person can read and review."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from askew.decide.yaml_files import read_yaml_file
from askew.papers import names, papers
from askew.parameters import choose
from askew.schema import PERCENT, POINTS
from askew.untrusted import one_line

_GLOB = frozenset("*?[")


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
    bound: Literal["value", "low", "high"] = "value"
    min: float | None = None
    max: float | None = None
    min_items: int = Field(default=1, ge=1)
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
        declared = [m for p in asked for m in p.metrics if m.name == self.metric]
        fractions = [m for m in declared if m.unit in (PERCENT, POINTS)]
        if declared and declared == fractions and any(abs(x) > 1 for x in limits):
            raise ValueError(f"{self.metric} is a fraction: 60 % is written 0.6")
        return self

    @property
    def title(self) -> str:
        """The rule's name, or what it asks."""
        return one_line(self.name) if self.name else f"{one_line(self.metric)} {self.limits}"

    @property
    def limits(self) -> str:
        """What is asked of the number, in words."""
        bounds = {"value": "", "low": "lower bound ", "high": "upper bound "}
        parts = [f">= {self.min:g}"] if self.min is not None else []
        parts += [f"<= {self.max:g}"] if self.max is not None else []
        return bounds[self.bound] + " and ".join(parts)


class Policy(_Strict):
    """All thresholds, and what must be there for them to mean anything."""

    version: Literal[1]
    models: list[str] = []
    max_left_out: float = Field(default=0.05, ge=0, le=1)
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
        problems = [f"  {_place(e['loc'])}: {_why(e)}" for e in error.errors()]
        raise PolicyError(
            f"{path}: {len(problems)} problem(s) (askew gate --init prints a policy that "
            "explains itself)\n" + "\n".join(problems)
        ) from None


def _place(location: tuple[int | str, ...]) -> str:
    """Where a problem lies, rules counted from 1."""
    names = [f"rule {part + 1}" if isinstance(part, int) else str(part) for part in location]
    return ", ".join(names[1:] if names[:1] == ["rules"] and len(names) > 1 else names) or "policy"


def _why(error: object) -> str:
    told = dict(error) if isinstance(error, dict) else {}
    if told.get("type") == "extra_forbidden":
        return "no such field; valid: " + ", ".join(
            Rule.model_fields if len(told["loc"]) > 1 else Policy.model_fields
        )
    return one_line(str(told.get("msg", error)).removeprefix("Value error, "), 300)


TEMPLATE = """\
# A policy for `askew gate`: what a release must show.
#
#   askew gate LOGS --policy policy.yaml --junit gate.xml
#
# Exit code 0: every rule holds. 1: some rule fails. 2: none fails, but some can't be told (the
# metric was not measured or is not defined, too few items) or this file has errors.
version: 1

# Models that must be in the logs (glob patterns; * stands for anything).
models: []

# The share of a run's samples that may be without a score (errors, limits, a killed run): where
# more are missing, nothing can be told, since what is left may be the easy part.
max_left_out: 0.05

rules:
  # The model must notice that no option is right, with confidence: the lower bound of the 95%
  # interval counts, so too few items can't pass by luck.
  - name: notices missing answers
    task: knowno              # a task, or a glob pattern; default: every task with this metric
    metric: omni_accuracy     # a metric or a glob pattern, as the report's JSON and CSV name it
    model: "*"                # labels as the report shows them; default: every model
    subset: all               # a subset, "all" (over all of them, the default), or "*" (each)
    bound: low                # value (default), low or high: the number, or a bound of it
    min: 0.55                 # rates are fractions: 60 % is 0.6
    min_items: 30             # fewer items than this can't tell

  # No subset may lag far behind.
  - name: no subset collapses
    task: knowno
    metric: omni_accuracy
    subset: "*"
    min: 0.4

  # A threshold on any other level: format, prompting, setting, ...
  # - task: format_bias
  #   metric: fi
  #   levels: {category: mapping, format: json}
  #   min: 0.9

  # An upper limit.
  # - task: binary_qa
  #   metric: delta_recall
  #   min: -0.1
  #   max: 0.1
"""
