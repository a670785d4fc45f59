"""What a release must show: thresholds on metrics, in a file that a person can read and review."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationInfo, field_validator, model_validator

from askew.files import near_file, read_validated
from askew.papers import papers, task_name
from askew.parameters import name_hint, quote
from askew.schema import ENOUGH_ITEMS, NUMBER, PERCENT, POINTS, Metric
from askew.untrusted import one_line

Status = Literal["pass", "fail", "inconclusive"]
EXIT_CODES: Mapping[str, int] = {"pass": 0, "fail": 1, "inconclusive": 3}  # 2: an error
_MINUS = "−"  # noqa: RUF001
_GLOB = frozenset("*?[")
_TEMPLATE = "policy_template.yaml"
_FRACTIONS = (PERCENT, POINTS)
# Fields of a rule on metrics, and of one on the loss since a baseline.
_OF_METRICS = {"metric", "subset", "levels", "bound", "of", "min", "max"}
_OF_BASELINES = {"max_loss", "score", "lower_is_better", "cluster_by", "allow_diff"}
# Of a run's samples, the largest share without a score with which it can pass.
MAX_LEFT_OUT = 0.05


def _no_yes_or_no(value: object) -> object:
    """Refuse yes, no, on, off, true and false, which YAML makes numbers of."""
    if isinstance(value, bool):
        raise ValueError("give a number, not yes or no")
    return value


class Rule(BaseModel, extra="forbid", frozen=True):
    """One threshold on metrics, or on the loss since the logs of a baseline.

    Every number that it takes in has to keep it.
    """

    metric: str = ""
    baseline: str = ""  # accepted logs of any Inspect task: a file, a folder or a pattern of files
    max_loss: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    score: str = "*"
    lower_is_better: bool = False
    cluster_by: str = ""
    allow_diff: list[Literal["input", "target", "scorer"]] = []
    task: str = Field(default="*", min_length=1)
    model: str = Field(default="*", min_length=1)
    subset: str = Field(default="all", min_length=1)
    levels: dict[str, str] = {}
    bound: Literal["interval", "value", "low", "high"] = "interval"
    """What must keep the limits: the interval (either of its bounds means all of it), or, for those
    who ask for it, the number as it came out."""
    of: Literal["value", "debiased"] = "value"
    """Which number: as it is printed, or with its noise taken off, where noise alone moves it."""
    min: float | None = Field(default=None, allow_inf_nan=False)
    max: float | None = Field(default=None, allow_inf_nan=False)
    min_items: int = Field(default=ENOUGH_ITEMS, ge=1)
    name: str = ""

    _no_words = field_validator("min", "max", "max_loss", "min_items", mode="before")(_no_yes_or_no)

    @field_validator("of", mode="before")
    @classmethod
    def _by_its_name(cls, of: object) -> object:
        """Policies of earlier versions say `without_noise`."""
        return "debiased" if of == "without_noise" else of

    @field_validator("task")
    @classmethod
    def _known_task(cls, task: str, info: ValidationInfo) -> str:
        if info.data.get("baseline"):  # of any author
            return task
        plain = task.removeprefix("askew/")
        return plain if set(plain) & _GLOB else task_name(plain)

    @model_validator(mode="after")
    def _has_limits(self) -> Rule:
        about = "a rule with a baseline" if self.baseline else "a rule without a baseline"
        needed = ("baseline", "max_loss") if self.baseline else ("metric",)
        if missing := [name for name in needed if getattr(self, name) in ("", None)]:
            raise ValueError(f"{about} needs {missing[0]}")
        others, empty = _OF_METRICS if self.baseline else _OF_BASELINES, Rule.model_construct()
        if wrong := {name for name in others if getattr(self, name) != getattr(empty, name)}:
            raise ValueError(f"{about} has no {', '.join(sorted(wrong))}")
        if self.baseline:
            return self
        limits = [x for x in (self.min, self.max) if x is not None]
        if not limits:
            raise ValueError("give min, max or both")
        least = -math.inf if self.min is None else self.min
        most = math.inf if self.max is None else self.max
        if least > most:
            raise ValueError(f"min {least:g} lies above max {most:g}")
        known, declared = _declared(self)
        if known and not declared and not set(self.metric) & _GLOB:
            hint = name_hint(self.metric, {m.name for m in known})
            raise ValueError(f"unknown metric {quote(self.metric)}. {hint}")
        fractions = [m for m in declared if m.unit in _FRACTIONS]
        if fractions and any(abs(x) > 1 for x in limits):
            raise ValueError(f"{fractions[0].name} must be a fraction: write 0.6 for 60%")
        hundreds = [m for m in declared if m.bounds == (0, 100)]
        if hundreds and any(0 < abs(x) <= 1 for x in limits):
            raise ValueError(f"{hundreds[0].name} runs from 0 to 100: write 60, not 0.6")
        # Metrics of which every value keeps the limits, or none.
        always = [least <= m.bounds[0] and m.bounds[1] <= most for m in declared]
        never = [least > m.bounds[1] or m.bounds[0] > most for m in declared]
        if declared and (all(always) or all(never)):
            (low, high), end = declared[0].bounds, "fail" if always[0] else "pass"
            hint = f"{declared[0].name} runs from {low:g} to {high:g}"
            raise ValueError(f"a rule that nothing can {end}: {hint}")
        noisy = [m for m in declared if m.null and m.null.one_way]
        if self.of == "debiased" and declared and not noisy:
            raise ValueError(f"{declared[0].name} has no noise to take off: leave out `of`")
        return self

    @property
    def named(self) -> Mapping[str, str]:
        """What the rule says of each level that it names; elsewhere it is about what pools all."""
        return {"subset": self.subset, **self.levels}

    @property
    def title(self) -> str:
        """The rule's name, or what it asks."""
        if self.name:
            return one_line(self.name)
        what = f"{self.score} against {self.baseline}:" if self.baseline else self.metric
        return f"{one_line(what)} {self.limits}"

    @property
    def column(self) -> str:
        """The column of result tables that the rule tests."""
        return "value_debiased" if self.of == "debiased" else self.of

    def write(self, limit: float, named: bool = True) -> str:
        """Write a limit in the unit of the values: 0.55 of a rate is 55%."""
        units = {m.unit for m in _declared(self)[1]}
        # A share of runs is of no declared metric.
        own = NUMBER if units or set(self.metric) & _GLOB else PERCENT
        unit = units.pop() if len(units) == 1 else own
        name = {PERCENT.name: "%", POINTS.name: " points"}.get(unit.name, "") if named else ""
        return f"{limit * unit.factor:g}{name}".replace("-", _MINUS)

    @property
    def limits(self) -> str:
        """The limits in words."""
        if self.baseline:
            return f"loss ≤ {self.max_loss:g}"
        what = "noise-corrected " if self.of == "debiased" else ""
        what += "the value alone " if self.bound == "value" else ""
        if self.min is not None and self.max is not None:
            return f"{what}{self.write(self.min, named=False)} to {self.write(self.max)}"
        given = [(s, x) for s, x in (("≥", self.min), ("≤", self.max)) if x is not None]
        return what + "".join(f"{sign} {self.write(x)}" for sign, x in given)


def _declared(rule: Rule) -> tuple[list[Metric], list[Metric]]:
    """Declared metrics of a rule's tasks, and those that the rule may take in."""
    known = [m for p in papers() if fnmatchcase(p.task, rule.task) for m in p.metrics]
    return known, [m for m in known if fnmatchcase(m.name, rule.metric) or m.fits(rule.metric)]


class Policy(BaseModel, extra="forbid", frozen=True):
    """All thresholds, and what must be there for them to mean anything."""

    version: Literal[1]
    models: list[str] = []
    max_left_out: float = Field(default=MAX_LEFT_OUT, ge=0, le=1)
    allow_simulated: bool = False
    rules: list[Rule] = Field(min_length=1)

    _no_words = field_validator("version", "max_left_out", mode="before")(_no_yes_or_no)


@dataclass(frozen=True)
class Check:
    """One rule on one number, or on where a number should be."""

    rule: Rule
    status: Status
    why: str
    task: str = ""
    model: str = ""
    simulated: bool = False
    metric: str = ""
    levels: str = ""
    shown: str = ""  # the number with its interval, as the table has it
    n_items: int = 0
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan  # the number that was checked, with the interval that decides
    level: float = math.nan  # confidence level of that interval
    n_together: int = 1  # how many numbers the rule decides: all of their intervals hold together
    value_debiased: float = math.nan
    null_q95: float = math.nan
    p_value: float = math.nan  # what noise makes of the number, where it moves it one way
    subset: str = ""
    """Of which set the number is; "all" of all together."""
    ceiling: str = ""
    """Whether its questions are too easy to tell models apart: "at", "perhaps at", "in part"."""

    @property
    def asked(self) -> str:
        """What the rule asks of the number, and of how many together."""
        if self.n_together == 1:
            return self.rule.limits
        return f"{self.rule.limits} (1 of {self.n_together}, {100 * self.level:.4g}% CI)"


def overall(statuses: Iterable[Status]) -> Status:
    """Fail if one fails, pass if there are some and all pass, else inconclusive."""
    found = {*statuses}
    return "fail" if "fail" in found else "pass" if found == {"pass"} else "inconclusive"


SIMULATED = "simulated model (set allow_simulated: true to accept)"


def unmet(name: str, why: str, **about: Any) -> Check:
    """What is inconclusive under any rules."""
    return Check(Rule.model_construct(metric=name, name=name), "inconclusive", why, **about)


def read_policy(path: str | Path) -> Policy:
    """Read a policy from a YAML file.

    Args:
        path: The file.

    Returns:
        The policy.

    Raises:
        ValueError: The file has errors; the message lists all of them, with their fields.
    """
    hint = "askew gate --init prints a policy that explains itself"
    policy = read_validated(path, Policy, hint)
    rules = [r.model_copy(update={"baseline": near_file(path, r.baseline)}) for r in policy.rules]
    return policy.model_copy(update={"rules": rules})


def policy_template() -> str:
    """A policy that explains itself."""
    return resources.files("askew.decide").joinpath(_TEMPLATE).read_text(encoding="utf-8")
