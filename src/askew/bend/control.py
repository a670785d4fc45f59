"""The author's own run as the control arm: its replies and scores in place of asking plain anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, wraps
from itertools import count
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.hooks import Hooks, TaskStart, hooks
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    EvalSpec,
    read_eval_log,
    read_eval_log_samples,
)
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_info

from askew.files import given_path
from askew.parameters import SelectionError, quote
from askew.treatments.calls import PLAIN
from askew.treatments.design import Plan, shown_text
from askew.untrusted import one_line

# How calls are made, and not what a model is asked: these may differ between the two runs.
_OF_TRANSPORT = {
    "max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections",
    "adaptive_connections", "cache", "cache_prompt", "batch", "extra_headers", "max_tool_output",
}  # fmt: skip
_LONGEST = 4_096
_LIMITS = ("message_limit", "token_limit", "turn_limit", "time_limit", "working_limit")
# Settings of runs that have started, by the run's id: Inspect tells hooks of them alone.
_SETTINGS: dict[str, GenerateConfig] = {}


class Control:
    """A log of the author's task, with the samples that stand for the plain arm's."""

    def __init__(self, given: str, base: Task, name: str, own: Mapping[str, Any] | None) -> None:
        """Read a log; refused where it is not of this task with these parameters.

        Of a task that was made before, its parameters (`own`) are not known.
        """
        self.given, self._base = given, base
        if not isinstance(given, str) or not given.isprintable() or not 0 < len(given) < _LONGEST:
            raise self._refusal("give the log of one run (.eval or .json)")
        path = given_path(given) if "://" not in given else given
        if isinstance(path, Path) and not path.is_file():
            raise self._refusal("there is no such file; give the log of one run (.eval or .json)")
        try:
            self.header: EvalLog = read_eval_log(str(path), header_only=True)
        except Exception as error:  # whatever a file that is no log raises
            raise self._refusal(f"not an Inspect log: {one_line(str(error), 200)}") from error
        self.path, self.samples = str(path), dict[str, dict[int, EvalSample]]()
        found, wanted = self.header.eval, name.rpartition("/")[2]
        if found.task.rpartition("/")[2] != wanted:
            raise self._refusal(f"it is of the task {found.task!r}, not of {wanted!r}")
        if str(found.task_version) != str(base.version):
            why = f"it is of version {found.task_version} of the task, not of {base.version}"
            raise self._refusal(why)
        if found.solver:
            raise self._refusal(f"it was run with --solver {found.solver}, not the task's own")
        if own is not None:
            self._check_args(own, found)
        if self.header.status != "success":
            raise self._refusal(f"its run did not end well (status {self.header.status!r})")

    def _check_args(self, own: Mapping[str, Any], found: EvalSpec) -> None:
        there = found.task_args or {}
        for key in sorted({*own, *(found.task_args_passed or {})}):
            if key not in own or own[key] != there.get(key):
                here = _short(own[key]) if key in own else "not given"
                why = f"the task's {key} is {_short(there.get(key))} in it, {here} here"
                raise self._refusal(why)

    def fill(self, plan: Plan, originals: Sequence[Any]) -> None:
        """Find the sample of each plain one; refused where one is missing, differs or failed."""
        plain = {b.position: b.sample for b in plan.samples if b.case.arm == PLAIN}
        for treated in plain.values():
            treated.metadata = {**(treated.metadata or {}), "control_log": Path(self.path).name}
        ids = {str(i + 1 if s.id is None else s.id): i for i, s in enumerate(originals)}
        names = _score_names(self._base)
        for sample in read_eval_log_samples(
            self.path, resolve_attachments="core", exclude_fields={"events", "store"}
        ):
            place = ids.get(str(sample.id))
            if place is None:
                continue
            called, original = f"its sample {sample.id} (epoch {sample.epoch})", originals[place]
            if sample.error or sample.invalidation:
                raise self._refusal(f"{called} ended with an error: run it again (eval-retry)")
            if shown_text(sample) != shown_text(original):
                raise self._refusal(f"{called} has another input, target or options")
            if missing := [n for n in names if n not in (sample.scores or {})]:
                raise self._refusal(f"{called} has no score of {', '.join(missing)}")
            self.samples.setdefault(str(plain[place].id), {})[sample.epoch] = sample
        if absent := [i for i, place in ids.items() if str(plain[place].id) not in self.samples]:
            raise self._refusal(
                f"{len(absent):,} of {len(ids):,} samples are not in it, such as {absent[0]}: "
                "choose as many with items=N, or run the others too"
            )

    def check(self, run: EvalSpec, epochs: int) -> None:
        """Refuse a run whose model, settings or epochs are not those of the log."""
        was, config = self.header.eval, self.header.plan.config
        for what, there, here in (
            ("model", was.model, run.model),
            ("model_args", was.model_args, run.model_args),
            ("model_base_url", was.model_base_url, run.model_base_url),
            ("model_roles", _roles(was), _roles(run)),
            ("epochs", was.config.epochs or 1, epochs),
            *((n, getattr(was.config, n), getattr(run.config, n)) for n in _LIMITS),
        ):
            if there != here:
                raise self._refusal(f"{what} is {_short(there)} in it, {_short(here)} in this run")
        now = _settings(run.model_generate_config, _SETTINGS.pop(run.eval_id))
        then = _settings(was.model_generate_config, config)
        for name in sorted({*then, *now}):
            if then.get(name) != now.get(name):
                values = f"{_short(then.get(name))} in it, {_short(now.get(name))} in this run"
                raise self._refusal(f"{name} is {values}")

    def scorers(self) -> list[Scorer]:
        """The author's scorers, which give a sample of the log the score that it has there."""
        named = zip(self._base.scorer or [], _score_names(self._base), strict=True)
        return [self._kept_score(scorer, name) for scorer, name in named]

    def _kept_score(self, scorer: Scorer, name: str) -> Scorer:
        @wraps(scorer)  # with its name and metrics, which Inspect keeps with it
        async def score(state: TaskState, target: Target) -> Score | None:
            kept = self.samples.get(str(state.sample_id), {}).get(state.epoch)
            return (kept.scores or {})[name] if kept else await scorer(state, target)

        return score

    def about(self) -> dict[str, Any]:
        """What the log of a run says of the log that its control arm is from."""
        of = self.header.eval
        return {"log": Path(self.path).name, "eval_id": of.eval_id, "created": of.created}

    def _refusal(self, why: str) -> SelectionError:
        return SelectionError(f"control={quote(self.given)}: {why}")


def _short(value: object) -> str:
    return one_line(repr(value), 80)


def _roles(of: EvalSpec) -> dict[str, str]:
    return {name: str(config) for name, config in (of.model_roles or {}).items()}


def _settings(model: GenerateConfig, run: GenerateConfig) -> dict[str, Any]:
    """What generation was asked for."""
    both = model.merge(run).model_dump(exclude_none=True)
    return {name: value for name, value in both.items() if name not in _OF_TRANSPORT}


def _score_names(base: Task) -> list[str]:
    """What Inspect calls the scores of a task's scorers: a name that comes again gets a number."""
    names: list[str] = []
    for scorer in base.scorer or []:
        name = registry_info(scorer).name.rpartition("/")[2]
        numbered = (f"{name}{i or ''}" for i in count())
        names.append(next(n for n in numbered if n not in names))
    return names


class _RunSettings(Hooks):
    """Keeps what a run asks of generation, which Inspect says before its first sample."""

    async def on_task_start(self, data: TaskStart) -> None:
        _SETTINGS[data.eval_id] = data.plan.config


@cache
def note_settings() -> None:
    """Let Inspect know of it, once."""
    hooks(name="bend_control", description="Compares a run with its control log.")(_RunSettings)
