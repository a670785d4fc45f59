"""What an audit asks of whom, and what is to come of it, in a file that a person can review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from inspect_ai.model import GenerateConfig, get_model
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from askew.decide.workload import GRADER, POLISHER
from askew.decide.yaml_files import problems, read_yaml_file
from askew.papers import OWN, asked_for
from askew.parameters import Refusal, near, unknown_parameter
from askew.report.writers import kind_of
from askew.schema import Paper
from askew.untrusted import one_line


class AuditError(ValueError):
    """An audit that can't be run as its file says: every problem in it."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _of_a_provider(name: str) -> str:
    """A model's name, whose provider Inspect knows."""
    try:
        # The name given twice stops it once the provider is found: no key is needed, and no model
        # is loaded or served for this.
        get_model(name, model_name=name)  # inspect-evals-lint: ignore[IEBP001] -- none is made
    except ValueError as error:
        raise ValueError(f"{error} Names are those of --model: openai/gpt-5") from None
    except TypeError:
        pass
    return name


ModelName = Annotated[str, Field(pattern=r"^[^/\s]+/\S+$"), AfterValidator(_of_a_provider)]
Told = dict[str, JsonValue]
"""What a file says to others: it is sent to the process that asks."""


class Asked(_Strict):
    """A model, and what it is asked with: a name alone, or a name with settings."""

    model: ModelName
    base_url: str | None = None
    args: Told = {}
    config: Told = {}
    """Generation settings, as `inspect eval` names them: temperature, reasoning_effort, ..."""

    @property
    def provider(self) -> str:
        return provider_of(self.model)

    @field_validator("config")
    @classmethod
    def _known_settings(cls, config: Told) -> Told:
        for name in config:
            if name == "max_connections":
                raise ValueError("max_connections is shared out over parts: set `connections`")
            if name not in GenerateConfig.model_fields:
                raise ValueError(f"no setting {name!r}. {near(name, GenerateConfig.model_fields)}")
        GenerateConfig.model_validate(config)
        return config


class AskedTask(_Strict):
    """A task with its parameters; each of its subsets is a part of its own."""

    task: str
    subsets: list[str] = []
    parameters: Told = {}

    @field_validator("task")
    @classmethod
    def _known_task(cls, task: str) -> str:
        return asked_for(task).task

    @model_validator(mode="after")
    def _can_be_asked(self) -> AskedTask:
        paper = asked_for(self.task)
        if missing := [name for name in paper.stand_in if name not in self.parameters]:
            raise ValueError(f"parameters: {', '.join(missing)}: {self.task} asks a task of yours")
        # What asks somebody else's questions takes the names of their task as well, and refuses.
        for name in self.parameters if paper.has("items") else ():
            if name not in paper.parameters:
                raise ValueError(str(unknown_parameter(self.task, name, paper.parameters)))
        if self.subsets and "subset" in self.parameters:
            raise ValueError("give subsets, or subset among the parameters, not both")
        if len(set(self.subsets)) < len(self.subsets):
            raise ValueError("a subset is given twice")
        try:
            for given in self.asked:
                paper.make(**given)
        except Refusal as refusal:
            raise ValueError(refusal.message) from None
        return self

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The parameters of each part."""
        return [{**self.parameters, "subset": s} for s in self.subsets] or [self.parameters]


class AuditFile(_Strict):
    """Which models are asked what, by how many connections, and what is said of it in the end."""

    version: Literal[1]
    log_dir: str = ""
    models: list[Asked] = Field(min_length=1)
    tasks: list[AskedTask] = Field(min_length=1)
    roles: dict[str, ModelName] = {}
    epochs: int = Field(default=1, ge=1)
    connections: dict[str, int] = {}
    """By provider, how many requests may be under way at a time, over all parts."""
    policy: str = ""
    baseline: str = ""
    report: list[str] = []

    @field_validator("models", mode="before")
    @classmethod
    def _names_alone(cls, models: Any) -> Any:
        if not isinstance(models, list):
            return models
        return [{"model": m} if isinstance(m, str) else m for m in models]

    @field_validator("report")
    @classmethod
    def _kinds(cls, report: list[str]) -> list[str]:
        for path in report:
            kind_of(path)
        return report

    @model_validator(mode="after")
    def _asks_nothing_twice(self) -> AuditFile:
        for place, model in enumerate(self.models):
            if model in self.models[:place]:
                raise ValueError(f"models: {model.model} is given twice, asked in the same way")
        asked = [(task.task, given) for task in self.tasks for given in task.asked]
        for place, (task, given) in enumerate(asked):
            if (task, given) in asked[:place]:
                of = given.get("subset", "all")
                raise ValueError(
                    f"tasks: {task} ({of!s:.60}) is given twice, asked in the same way"
                )
        return self

    @model_validator(mode="after")
    def _fits_together(self) -> AuditFile:
        asked = {m.provider for m in self.models} | {*map(provider_of, self.roles.values())}
        for provider, number in self.connections.items():
            if provider not in asked:
                raise ValueError(f"connections: no model is asked at {provider!r:.60}")
            if number < 1:
                raise ValueError(f"connections: {provider}: at least 1")
        papers = [asked_for(task.task) for task in self.tasks]
        _check_roles(self.roles, papers)
        if self.baseline:
            _check_baseline(self.baseline, [m.model for m in self.models], papers)
        return self


def _check_roles(roles: Mapping[str, str], papers: Sequence[Paper]) -> None:
    """Raise at a role that no task has, where every task says which it has."""
    if any(paper.task not in OWN or not paper.has("items") for paper in papers):
        return  # what somebody else's task asks of which role, only it knows
    has = {
        **{GRADER: any(paper.judge for paper in papers)},
        **{POLISHER: any(paper.polishes is not Paper.polishes for paper in papers)},
    }
    known = [role for role, there in has.items() if there]
    for role in roles:
        if role not in known:
            told = near(role, known) if known else "They have none"
            raise ValueError(f"roles: no task of these has a role {role!r:.60}. {told}")


def _check_baseline(baseline: str, models: Sequence[str], papers: Sequence[Paper]) -> None:
    """Raise where no comparison with this model can come of the audit."""
    # A label adds what tells a model's runs apart: "openai/gpt-5 (temperature=1)".
    name = baseline.partition(" (")[0]
    if name not in models:
        raise ValueError(
            f"baseline: {baseline!r:.80} is no model of these. {near(name, {*models})}"
        )
    if name == baseline and models.count(name) > 1:
        raise ValueError(
            f"baseline: {name} is asked in several ways: give the label of one, as reports show it"
        )
    if len(models) == 1 and not any(paper.has("treatments") for paper in papers):
        raise ValueError(f"baseline: there is no other model to compare {name} with")


def provider_of(model: str) -> str:
    """Who serves a model, by its name."""
    return model.partition("/")[0]


def read_audit(path: str | Path) -> AuditFile:
    """The audit in a YAML file; all of its problems are told at once.

    Args:
        path: the file.
    """
    data = read_yaml_file(path)
    try:
        return AuditFile.model_validate(data)
    except ValidationError as error:
        told = [f"{_place(e['loc'])}: {_why(e)}" for e in error.errors()]
        raise AuditError(problems(path, "docs/audit.md explains its fields", told)) from None


def _place(location: tuple[int | str, ...]) -> str:
    """Where a problem lies, models and tasks counted from 1."""
    counted = (f"{part + 1}" if isinstance(part, int) else str(part) for part in location)
    return " ".join(counted) or "audit"


_FIELDS: Mapping[str, type[BaseModel]] = {"models": Asked, "tasks": AskedTask}


def _why(error: ErrorDetails) -> str:
    if error["type"] == "extra_forbidden":
        within = _FIELDS.get(str(error["loc"][0]), AuditFile)
        fields = within.model_fields if len(error["loc"]) > 1 else AuditFile.model_fields
        return "no such field; valid: " + ", ".join(fields)
    if error["type"] == "invalid-json-value":
        given = error["input"]
        if isinstance(given, date):
            return f"{given} is a date: write '{given}', with quotes"
        kinds = "text, numbers, true, false, null, lists and mappings"
        return f"{type(given).__name__} can't be sent to who asks, only {kinds} can"
    return one_line(error["msg"].removeprefix("Value error, "), 300)
