"""How a log was run, which logs are therefore one run, and what to call each run's model.

Logs with equal settings are one run. Settings of the model count in all tasks, those of a task
within it; what only chooses which samples are asked, or how requests travel, is none.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any
from urllib.parse import urlsplit

from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, ModelConfig

from askew.parameters import SelectionError, parse_mapping
from askew.schema import REPLAY_API, Paper, Scalar
from askew.untrusted import digest, make_whole, mask_secrets, one_line, whole_characters

# Generation settings that say how requests travel, not what is asked; headers hold secrets.
_TRANSPORT = {
    "max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections",
    "adaptive_connections", "batch", "cache", "cache_prompt", "extra_headers",
}  # fmt: skip
_LIMITS = (
    "token_limit", "token_limit_type", "message_limit", "turn_limit", "time_limit",
    "working_limit", "cost_limit",
)  # fmt: skip
# Task parameters that show elsewhere: `data` as its revision, `settings` as what it sets.
_NOT_COMPARED = {
    "data", "settings", "subset", "tier", "difficulty", "items", "metrics", "stop_when",
}  # fmt: skip
# Without the role `grader`, as every log from before there was a `parser` that reads the same.
_RULES: Mapping[str, tuple[object, ...]] = {"parser": ("rules",), "judge": (False, "never")}
_SECRET = re.compile(
    r"(^|_)(key|token|pwd|auth|bearer|cookies?|headers?|private|signature|aws|sas|dsn"
    r"|session|webhook|certs?|license|proxy|proxies)(_|$)|connection_?string|x_?api"
    r"|api_?key|access_?key|secret|passw|credential|authorization",
    re.IGNORECASE,
)
# Of these, what can be nothing but a way in: another one is no other model.
_CREDENTIAL = re.compile(r"api_?key|access_?key|secret|passw|credential|authorization", re.I)
_SEPARATORS = re.compile(r"[^A-Za-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_INTERFACE = re.compile(r"(?<=\d)-[A-Z]$")
# Settings that are derived or hard to read: shown only where the others don't tell runs apart.
_LAST_RESORT = ("endpoint", "revision", "prompts", "version")
# Parameters of bend's step that its questions, or its inner solver, have already.
_SAID_TWICE = {"questions", "steps"}
_LAYERS = ("data", "solver", "args", "config", "task", "role", "limit")
_LONGEST_VALUE = 40
_LONGEST_NAME = 120
_LONGEST_TOLD = 400
# Long runs of letters and digits are what keys look like, whatever their setting is called.
_KEYLIKE = re.compile(r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{20,}")


@dataclass(frozen=True)
class RunSettings:
    """The settings of one log.

    Keys start with the layer they come from (`args.`, `config.`, `task.`, ...), so that equal
    names of different layers stay apart.
    """

    task: str
    model_name: str
    model: Mapping[str, Scalar]
    within_task: Mapping[str, Scalar]
    origin: Mapping[str, Scalar]
    """Which questions were asked in which version: data, its revision, prompts, task version."""

    def of_revision(self, revision: str) -> RunSettings:
        """The same settings on another revision of the data."""
        return replace(self, origin={**self.origin, "revision": revision})


def run_settings(log: EvalLog, paper: Paper) -> RunSettings:
    """Read a log's header."""
    spec = log.eval
    elsewhere = spec.model.startswith(f"{REPLAY_API}/")
    model = {
        **({"replies": "made elsewhere"} if elsewhere else {}),
        **_solver(log),
        **_flat("args", spec.model_args),
        **_config("config", spec.model_generate_config),
        **_endpoint("endpoint", spec.model_base_url),
    }
    effective = _config("config", log.plan.config)
    within_task = {
        **_parameters(log, paper),
        **{k: v for k, v in effective.items() if k not in model},
        **_roles(spec.model_roles or {}),
        **{f"limit.{k}": v for k in _LIMITS if (v := getattr(spec.config, k, None)) is not None},
    }
    # Replies that were made elsewhere keep the model's name they came with.
    name = spec.model.removeprefix(f"{REPLAY_API}/")
    origin = _origin(log)
    if paper.told_by_score and (written := _author_revision(log)):
        origin["prompts"] = f"{origin['prompts'] or ''}{written}"
    settings = (_plain(of) for of in (model, within_task, origin))
    return RunSettings(paper.task, name, *settings)


def log_settings(log: EvalLog) -> dict[str, Scalar]:
    """What may differ between two runs of anybody's task, by plain names."""
    spec, steps = log.eval, log.plan.steps
    scorers = {s.name: s.options for s in spec.scorers or []}
    settings = {
        "model": spec.model,
        **_flat("model_args", spec.model_args),
        **_endpoint("model_base_url", spec.model_base_url),
        **_config("config", log.plan.config),
        **_roles(spec.model_roles or {}),
        **{k: getattr(spec.config, k, None) for k in _LIMITS},
        **_flat("task", spec.task_args),
        "solver": ", ".join(step.solver for step in steps),
        "solver_parameters": _digest([step.params for step in steps]) if steps else None,
        "scorer": ", ".join(scorers),
        **{f"scorer.{name}": _digest(options or {}) for name, options in scorers.items()},
        "dataset": spec.dataset.name,
        "task_version": spec.task_version,
        "commit": spec.revision.commit if spec.revision else None,
        **_flat("package", spec.packages),
    }
    return {whole_characters(k): make_whole(v) for k, v in _plain(settings).items()}


def score_number(name: str, task: str) -> int | None:
    """Number the scores by a paper's scorer: 0 the run's own, then those appended later, else None.

    Inspect appends a second one as `<name>1`, where it numbers scorers, or as `<name>-1`.
    """
    found = re.fullmatch(rf"(?:askew/)?{re.escape(task)}_scorer-?(\d*)", name, re.ASCII)
    return int(found[1] or 0) if found else None


def _solver(log: EvalLog) -> dict[str, Any]:
    """The solver that stood in for the task's own; nothing where it was not replaced."""
    if log.eval.solver:
        return {"solver": log.eval.solver, **_flat("solver", log.eval.solver_args or {})}
    steps = [step.solver for step in log.plan.steps]
    strange = [s for s in steps if not s.startswith("askew/") and s != "generate"]
    return {"solver": "+".join(strange)} if strange else {}


def _parameters(log: EvalLog, paper: Paper) -> dict[str, Any]:
    """Task parameters and scorer options that change what is asked or how it is scored."""
    options: dict[str, Any] = {}
    for scorer in log.eval.scorers or []:
        if score_number(scorer.name, paper.task) is not None:  # the last is the latest scoring
            options = scorer.options or {}
    chosen = {f.name for f in paper.factors} | {f"{f.name}s" for f in paper.factors}
    chosen |= _NOT_COMPARED | set(paper.selectors)
    given = log.eval.task_args
    # Of a parameter that chooses what is asked, some parts may say how: as if given alone.
    parts: dict[str, Any] = {}
    for name in paper.grouped:
        if name in paper.selectors and name in given:
            with suppress(SelectionError):  # a log may hold what this version no longer takes
                parts |= parse_mapping(name, given[name], paper.grouped[name])
    parameters = {k: v for k, v in {**parts, **given}.items() if k not in chosen}
    # Whose questions these are, by name: a path says it at length.
    data = (log.eval.metadata or {}).get("data")
    parameters |= {k: data for k in paper.stand_in if k in parameters and data}
    values = {**parameters, **options}
    return _flat("task", {k: v for k, v in values.items() if v not in _RULES.get(k, ())})


def _roles(roles: Mapping[str, ModelConfig | list[ModelConfig]]) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for role, bound in sorted(roles.items()):
        models = bound if isinstance(bound, list) else [bound]
        settings[f"role.{role}"] = "+".join(m.model for m in models)
        for i, m in enumerate(models):
            name = f"role.{role}" + f".{i}" * (len(models) > 1)
            settings |= _config(name, m.config) | _flat(name, m.args)
            settings |= _endpoint(f"{name}.endpoint", m.base_url)
    return settings


def _origin(log: EvalLog) -> dict[str, Any]:
    metadata = log.metadata or log.eval.metadata or {}
    revision, prompts = metadata.get("data_revision"), metadata.get("prompt_revision")
    # The version repeats both revisions; what is left of it is the task's own. Its letter is that
    # of the interface, which changes no result.
    own = str(log.eval.task_version).removesuffix(f"-{revision}-{prompts}")
    version = _INTERFACE.sub("", own)
    data = metadata.get("data")
    return {"data": data, "revision": revision, "prompts": prompts, "version": version}


def _author_revision(log: EvalLog) -> str:
    """Short name of what somebody else's task runs beside its questions: its solvers and scorers.

    Scorings that were appended later are those of the run.
    """
    steps = [
        (step.solver, {k: v for k, v in (step.params or {}).items() if k not in _SAID_TWICE})
        for step in log.plan.steps
    ]
    own = {re.sub(r"-?\d*$", "", s.name): s.options for s in reversed(log.eval.scorers or [])}
    return _digest([steps, own]) if steps else ""


def _digest(value: object, size: int = 4) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=size).hexdigest()


def _config(prefix: str, config: GenerateConfig) -> dict[str, Any]:
    return _flat(prefix, config.model_dump(mode="json", exclude_none=True, exclude=_TRANSPORT))


def _endpoint(name: str, base_url: str | None) -> dict[str, str]:
    """Where a model is served; the user and query, which may carry a key, are hidden."""
    if not base_url:
        return {}
    parts = urlsplit(base_url)
    user, _, host = parts.netloc.rpartition("@")
    hidden = f" {_hidden([user, parts.query])}" if user or parts.query else ""
    return {name: host + parts.path + hidden}


def _hidden(value: object) -> str:
    """What may be a secret: told apart, and not shown. So few bits give no secret away."""
    return f"hidden-{_digest(value, 2)}"


def _flat(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Leaves of nested settings by dotted name; what may be a secret is hidden."""
    leaves: dict[str, Any] = {}
    for key, value in values.items():
        name = f"{prefix}.{key}"
        if is_secret(str(key)):
            is_shown = value is not None and not _CREDENTIAL.search(_words_of(key))
            leaves |= {name: _hidden(value)} if is_shown else {}
        else:
            leaves |= _flat(name, value) if isinstance(value, Mapping) else {name: value}
    return leaves


def is_secret(name: str) -> bool:
    """Whether a setting of this name may hold a secret: never shown, and compared by a digest."""
    return bool(_SECRET.search(_words_of(name)))


def _words_of(name: object) -> str:
    return _SEPARATORS.sub("_", _CAMEL.sub("_", str(name)))


def _plain(settings: Mapping[str, Any]) -> dict[str, Scalar]:
    """Settings as scalars: lists as JSON, unset ones left out."""
    return {k: _scalar(v) for k, v in settings.items() if v is not None}


def _scalar(value: Any) -> Scalar:
    if isinstance(value, str):
        return value if mask_secrets(value) == value else _hidden(value)
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, Sequence):
        return json.dumps([_scalar(v) for v in value])
    return type(value).__name__


def run_id(settings: RunSettings) -> str:
    """A short name for everything that makes this run differ from others."""
    parts = [settings.model, settings.within_task, settings.origin]
    return digest(json.dumps([settings.task, settings.model_name, *parts], sort_keys=True))


def model_labels(runs: Iterable[RunSettings]) -> dict[str, str]:
    """A label for each run id: unique within a task, equal across tasks for equal settings."""
    named = {run_id(run): run for run in runs}
    labels: dict[str, str] = {}
    for model in dict.fromkeys(run.model_name for run in named.values()):
        peers = {name: run for name, run in named.items() if run.model_name == model}
        of_model = dict(zip(peers, _telling([run.model for run in peers.values()]), strict=True))
        for task in dict.fromkeys(run.task for run in peers.values()):
            own = {name: run for name, run in peers.items() if run.task == task}
            of_task = _telling([
                # Where the questions are from, a parameter of the task may say already.
                {k: v for k, v in run.origin.items() if k != "data" or v not in said.values()}
                | {**said}
                for run in own.values() for said in [run.within_task]
            ])  # fmt: skip
            for name, differing in zip(own, of_task, strict=True):
                labels[name] = _label(model, {**of_model[name], **differing})
    # Labels that what they leave out made equal get the run's name.
    taken = {
        labels[one] for one, other in combinations(named, 2)
        if labels[one] == labels[other] and (
            named[one].task == named[other].task
            or named[one].model_name != named[other].model_name
        )
    }  # fmt: skip
    return {
        run: f"{label} [run {run}]" if label in taken else label for run, label in labels.items()
    }


def _telling(settings: Sequence[Mapping[str, Scalar]]) -> list[dict[str, Scalar]]:
    """Of each, the settings in which they differ; the last resorts only where they must."""
    # Labels name settings in one order, whichever log was read first.
    place = {layer: i for i, layer in enumerate(_LAYERS)}
    usual = {*differing(settings)} - {*_LAST_RESORT}
    ordered = sorted(usual, key=lambda n: (place.get(n.partition(".")[0], len(place)), n))
    told = [{name: s[name] for name in ordered if name in s} for s in settings]
    for name in _LAST_RESORT:
        # What it can tell apart is alike in all others.
        alike = defaultdict(list)
        for of, own in zip(told, settings, strict=True):
            alike[repr(of)].append((of, own))
        for peers in alike.values():
            if len({repr(own.get(name)) for _, own in peers}) > 1:
                for of, own in peers:
                    of |= {name: own[name]} if name in own else {}
    return told


def differing(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names of settings that are not everywhere the same."""
    names = dict.fromkeys(name for s in settings for name in s)
    # As texts, 1, 1.0 and True are told apart.
    return [n for n in names if len({repr(s.get(n)) for s in settings}) > 1]


def _label(model_name: str, shown: Mapping[str, Scalar]) -> str:
    name = one_line(model_name, _LONGEST_NAME) or "model"
    # The name without its layer; what belongs to a solver keeps it, as do two of one name (`seed`).
    rests = {key: key.partition(".")[2] for key in shown if not key.startswith("solver")}
    short = {key: one_line(rests.get(key) or key) for key in shown}
    called = Counter(short.values())
    names = {key: key if called[short[key]] > 1 else short[key] for key in shown}
    text = ", ".join(f"{names[key]}={_display(value)}" for key, value in shown.items())
    return f"{name} ({one_line(text, _LONGEST_TOLD)})" if text else name


def _display(value: Scalar) -> str:
    if not isinstance(value, str):
        return f"{value:g}" if isinstance(value, float) else str(value)
    text = one_line(value, _LONGEST_VALUE)
    return "..." if _KEYLIKE.search(text) else text
