"""An audit in one file: which models are asked what, asked by Inspect's `eval_set`."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
from inspect_ai import eval_set
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import GenerateConfig, Model, get_model
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, JsonValue, PositiveInt

from askew.decide.plan import POLISHER, check_provider
from askew.files import near_file, read_validated
from askew.papers import OWN, get_paper
from askew.parameters import UsageError, name_hint, quote
from askew.report.render import REPORTS, kind_of
from askew.respondents.provider import respondents
from askew.schema import GRADER, RESPONDENT_API, Paper, clean_id
from askew.untrusted import digest, mask_secrets


class _Strict(BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)


def _known_model(name: str) -> str:
    simulated = name.removeprefix(f"{RESPONDENT_API}/")
    if simulated != name and simulated not in respondents():
        raise ValueError(
            f"{quote(name)}: no such simulated model. {name_hint(simulated, respondents())}"
        )
    return check_provider(name)


ModelName = Annotated[str, AfterValidator(_known_model)]
TaskName = Annotated[str, AfterValidator(lambda task: get_paper(task).task)]
ReportFile = Annotated[str, AfterValidator(lambda path: kind_of(path, REPORTS) and path)]
Settings = dict[str, JsonValue]


class AuditModel(_Strict):
    """A model, and what it is asked with: a name alone, or a name with settings."""

    model: ModelName
    base_url: str | None = None
    args: Settings = {}
    # Generation settings, as `inspect eval` names them: temperature, reasoning_effort, ...
    config: Settings = {}

    @pydantic.field_validator("base_url", "args")
    @classmethod
    def _holds_no_secret(cls, given: Any) -> Any:
        """Refuse what every log would repeat; Inspect leaves out `api_key` alone."""
        values = given if isinstance(given, dict) else {"": given}
        if any(mask_secrets(str(v)) != str(v) for name, v in values.items() if name != "api_key"):
            raise ValueError("contains a secret, which every log would repeat: set it in .env")
        return given

    @pydantic.field_validator("config")
    @classmethod
    def _known_settings(cls, config: Settings) -> Settings:
        for name in config:
            if name == "max_connections":
                raise ValueError("max_connections is set for a provider: set `connections`")
            if name not in GenerateConfig.model_fields:
                hint = name_hint(name, GenerateConfig.model_fields)
                raise ValueError(f"no setting {name!r}. {hint}")
        GenerateConfig.model_validate(config)
        return config


class AuditTask(_Strict):
    """A task with its parameters; each of its subsets is asked by itself."""

    task: TaskName
    subsets: list[str] = []
    parameters: Settings = {}

    @pydantic.model_validator(mode="after")
    def _check_parameters(self) -> AuditTask:
        paper = get_paper(self.task)
        if missing := [name for name in paper.stand_in if name not in self.parameters]:
            raise ValueError(f"{self.task} needs the parameters: {', '.join(missing)}")
        if self.subsets and "subset" in self.parameters:
            raise ValueError("give subsets, or subset among the parameters, not both")
        if len(set(self.subsets)) < len(self.subsets):
            raise ValueError("a subset is given twice")
        try:
            for given in self.asked:
                paper.make(**given)
        except UsageError as refusal:
            raise ValueError(refusal.message) from None
        return self

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The parameters of each Inspect task that is made of it."""
        return [{**self.parameters, "subset": s} for s in self.subsets] or [self.parameters]


# A model is given by its name alone, or by a name with settings.
_GivenModel = BeforeValidator(lambda given: {"model": given} if isinstance(given, str) else given)


class Audit(_Strict):
    """Which models are asked what, by how many connections, and what comes of it."""

    version: Literal[1]
    log_dir: str = ""
    models: list[Annotated[AuditModel, _GivenModel]] = Field(min_length=1)
    tasks: list[AuditTask] = Field(min_length=1)
    roles: dict[str, ModelName] = {}
    epochs: int = Field(default=1, ge=1)
    # By provider, how many requests to each of its models may be under way.
    connections: dict[str, PositiveInt] = {}
    policy: str = ""
    baseline: str = ""
    report: list[ReportFile] = []

    @pydantic.model_validator(mode="after")
    def _fits_together(self) -> Audit:
        models = [(m, f"models: {m.model}") for m in self.models]
        tasks = [((t, g), f"tasks: {t} ({g.get('subset', 'all')!s:.60})") for t, g in self.asked]
        for given in (models, tasks):
            for place, (one, hint) in enumerate(given):
                if one in [other for other, _ in given[:place]]:
                    raise ValueError(f"{hint} is listed twice with the same settings")
        named = [m.model for m in self.models]
        providers = {name.partition("/")[0] for name in (*named, *self.roles.values())}
        for provider in (p for p in self.connections if p not in providers):
            raise ValueError(f"connections: no model here is of provider {provider!r:.60}")
        papers = [get_paper(task.task) for task in self.tasks]
        # What other tasks ask of which role, only they know.
        if all(paper.task in OWN and paper.has("items") for paper in papers):
            known = [GRADER] * any(paper.graded for paper in papers)
            known += [POLISHER] * any(paper.polishes is not Paper.polishes for paper in papers)
            for role in (r for r in self.roles if r not in known):
                hint = name_hint(role, known) if known else "They have none"
                raise ValueError(f"roles: no task of these has a role {role!r:.60}. {hint}")
        # A label adds what tells a model's runs apart: "openai/gpt-5 (temperature=1)".
        name = self.baseline.partition(" (")[0]
        if name and name not in named:
            hint = name_hint(name, {*named})
            raise ValueError(f"baseline: {self.baseline!r:.80} is no model of these. {hint}")
        if name and name == self.baseline and named.count(name) > 1:
            hint = "is asked in several ways: give the label of one, as reports show it"
            raise ValueError(f"baseline: {name} {hint}")
        if name and len(named) == 1 and not any(paper.has("treatments") for paper in papers):
            raise ValueError(f"baseline: there is no other model to compare {name} with")
        return self

    @property
    def asked(self) -> list[tuple[str, dict[str, Any]]]:
        """Every task with its parameters."""
        return [(task.task, given) for task in self.tasks for given in task.asked]


def read_audit(path: str | Path) -> Audit:
    """Read the audit in a YAML file; all of its problems are told at once."""
    audit = read_validated(path, Audit, "docs/how-to/run-an-audit.md explains its fields")
    # Paths are relative to the file, as are those of what lies next to it.
    near = partial(near_file, path)
    paths = {"policy": near(audit.policy), "log_dir": near(audit.log_dir)}
    return audit.model_copy(update={**paths, "report": [*map(near, audit.report)]})


def groups(audit: Audit, log_dir: str) -> dict[str, list[AuditModel]]:
    """Group models by generation settings: each group is one `eval_set` in a folder of its own.

    A task's own settings go before those of a model, and those of `eval_set` before both.
    """
    base = (log_dir if "://" in log_dir else os.path.abspath(log_dir)).rstrip("/")
    found: dict[str, list[AuditModel]] = {}
    for model in audit.models:
        folder = f"{base}/default"
        if model.config:
            named = clean_id(" ".join(f"{k} {v}" for k, v in model.config.items()))
            folder = f"{base}/{named[:60]}-{_mark(model.config)}"
        if any(other.model == model.model for other in found.get(folder, ())):
            folder += f"-{_mark([model.base_url, model.args])}"
        found.setdefault(folder, []).append(model)
    return found


def count_finished(audit: Audit, log_dir: str) -> tuple[int, int]:
    """Count the runs that an earlier start of this audit completed, and those that it has."""
    planned, finished = Counter[tuple[str, str, str]](), Counter[tuple[str, str, str]]()
    for folder, models in groups(audit, log_dir).items():
        planned.update((folder, t, m.model) for t, _ in audit.asked for m in models)
        headers = (read_eval_log(log, header_only=True) for log in list_eval_logs(folder))
        done = (h.eval for h in headers if h.status == "success")
        finished.update((folder, e.task.rpartition("/")[2], e.model) for e in done)
    return (planned & finished).total(), planned.total()


def _mark(value: Any) -> str:
    return digest(json.dumps(value, sort_keys=True), 8)


def run_audit(audit: Audit, log_dir: str, *, quiet: bool = False) -> Iterator[EvalLog]:
    """Ask all of an audit, or what is left of it; give the log of each task and model."""

    def model_of(name: str, **how: Any) -> Model:
        # Each model has its own limit: one that the eval is given goes for those of all roles.
        config = GenerateConfig(max_connections=audit.connections.get(name.partition("/")[0]))
        return get_model(name, config=config, **how)

    for folder, models in groups(audit, log_dir).items():
        _, logs = eval_set(
            [get_paper(task).make(**given) for task, given in audit.asked],
            log_dir=folder,
            model=[model_of(m.model, base_url=m.base_url, **m.args) for m in models],
            model_roles={role: model_of(name) for role, name in audit.roles.items()} or None,
            epochs=audit.epochs if audit.epochs > 1 else None,
            fail_on_error=False,
            display="none" if quiet else None,
            log_dir_allow_dirty=True,
            score_display=False,
            **models[0].config,  # type: ignore[arg-type]
        )
        yield from logs
