"""The author's own run as the control arm: its replies and scores in place of asking plain anew."""

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import wraps
from itertools import count
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import (
    EvalLog,
    EvalPlan,
    EvalSample,
    EvalSpec,
    read_eval_log,
    read_eval_log_samples,
)
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import Plan as DeprecatedPlan
from inspect_ai.solver import Solver, TaskState
from inspect_ai.util import registry_info
from pydantic_core import to_jsonable_python

from askew.files import given_path
from askew.parameters import SelectionError, wrong_value
from askew.treatments.calls import PLAIN
from askew.treatments.design import Plan
from askew.untrusted import one_line

# How calls are made, and not what a model is asked: these may differ between the two runs.
_OF_TRANSPORT = {
    "max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections",
    "adaptive_connections", "cache", "cache_prompt", "batch", "extra_headers", "max_tool_output",
}  # fmt: skip
_LONGEST = 4_096
_LIMITS = ("message_limit", "token_limit", "turn_limit", "time_limit", "working_limit")
# Steps and settings of runs that have started, by the run's id: Inspect tells hooks of them alone.
PLANS: dict[str, EvalPlan] = {}
# What Inspect writes in place of images and other media with log_images=False.
_NOT_LOGGED = "<base64-data-removed>"


class Control:
    """A log of the author's task, with the samples that stand for the plain arm's."""

    def __init__(self, given: str, base: Task, name: str, own: Mapping[str, Any] | None) -> None:
        """Read a log of this task; `own` parameters are None of a task that was made before."""
        self.given, self._base = given, base
        self._names = [*_by_score((registry_info(s).name, s) for s in base.scorer or [])]
        what = "give the log of one run (.eval or .json)"
        if not isinstance(given, str) or not given.isprintable() or not 0 < len(given) < _LONGEST:
            raise self._refusal(what)
        path = given_path(given) if "://" not in given else given
        if isinstance(path, Path) and not path.is_file():
            is_folder = "it is a folder" if path.is_dir() else "there is no such file"
            raise self._refusal(f"{is_folder}; {what}")
        try:
            self.header: EvalLog = read_eval_log(str(path), header_only=True)
        except Exception as error:  # whatever a file that is no log raises
            raise self._refusal(f"not an Inspect log: {one_line(str(error), 200)}") from error
        self.path, self.samples = str(path), dict[str, dict[int, EvalSample]]()
        self.unseen = 0  # images and other media that can't be compared
        found, wanted = self.header.eval, name.rpartition("/")[2]
        if found.task.rpartition("/")[2] != wanted:
            raise self._refusal(f"it is of the task {found.task!r}, not of {wanted!r}")
        if str(found.task_version) != str(base.version):
            why = f"it is of version {found.task_version} of the task, not of {base.version}"
            raise self._refusal(why)
        if found.solver:
            raise self._refusal(f"it was run with --solver {found.solver}, not the task's own")
        if own is not None:
            known = {*own, *(found.task_args_passed or {})}
            there = {name: (found.task_args or {}).get(name) for name in known}
            self._compare("the task's ", there, own, exact=True)
        if self.header.status != "success":
            raise self._refusal(f"its run did not end well (status {self.header.status!r})")

    def fill(self, plan: Plan, originals: Sequence[Any]) -> None:
        """Find the sample of each plain one; refused where one is missing, differs or failed."""
        plain = {b.position: b.sample for b in plan.samples if b.case.arm == PLAIN}
        for treated in plain.values():
            treated.metadata = {**(treated.metadata or {}), "control_log": Path(self.path).name}
        ids = {str(i + 1 if s.id is None else s.id): i for i, s in enumerate(originals)}
        for sample in read_eval_log_samples(
            self.path, resolve_attachments="core", exclude_fields={"events", "store"}
        ):
            place = ids.get(str(sample.id))
            if place is None:
                continue
            called, original = f"its sample {sample.id} (epoch {sample.epoch})", originals[place]
            if sample.error or sample.invalidation:
                raise self._refusal(f"{called} ended with an error: run it again (eval-retry)")
            if not self._is_same(sample, original):
                raise self._refusal(f"{called} has another input, target or options")
            if missing := [n for n in self._names if n not in (sample.scores or {})]:
                raise self._refusal(f"{called} has no score of {', '.join(missing)}")
            self.samples.setdefault(str(plain[place].id), {})[sample.epoch] = sample
        if absent := [i for i, place in ids.items() if str(plain[place].id) not in self.samples]:
            raise self._refusal(
                f"{len(absent):,} of {len(ids):,} samples are not in it, such as {absent[0]}: "
                "choose as many with items=N, or run the others too"
            )

    def _is_same(self, sample: EvalSample, original: Sample) -> bool:
        (words, media), (own_words, own_media) = _asked(sample), _asked(original)
        if words != own_words:
            return False
        pairs = zip(media, own_media, strict=True)
        encoded = [{*map(_encoded, pair)} for pair in pairs if pair[0] != pair[1]]
        self.unseen += sum(None in pair for pair in encoded)
        return all(len(pair - {None}) < 2 for pair in encoded)

    def check(self, run: EvalSpec, epochs: int) -> None:
        """Refuse a run whose model, settings, epochs, solvers or scorers are not the log's."""
        was, plan = self.header.eval, PLANS.pop(run.eval_id)
        self._compare("", _run_by(was, was.config.epochs or 1), _run_by(run, epochs), exact=True)
        self._check_steps(plan)
        there, here = (
            _by_score((s.name, s.options or {}) for s in of.scorers or []) for of in (was, run)
        )
        for name, options in [*here.items()][: len(self._names)]:
            self._compare(f"{name}'s ", there.get(name, options), options)
        both = (was, self.header.plan), (run, plan)
        asked = (of.model_generate_config.merge(by.config) for of, by in both)
        then, now = (a.model_dump(exclude_none=True, exclude=_OF_TRANSPORT) for a in asked)
        self._compare("", then, now)

    def _check_steps(self, plan: EvalPlan) -> None:
        """Refuse other solvers, or others of their parameters as far as Inspect writes them."""
        *setup, last = plan.steps
        if "steps" not in last.params or isinstance(self._base.solver, DeprecatedPlan):
            return
        here = [(step.solver, step.params_passed) for step in setup[1:]]  # bend's own comes first
        here += [(step["name"], step["params"]) for step in last.params["steps"]]
        there = [(step.solver, step.params_passed) for step in self.header.plan.steps]
        in_it, own = ([n.rpartition("/")[2] for n, _ in steps] for steps in (there, here))
        if in_it != own:
            raise self._refusal(f"its solvers are {', '.join(in_it)}; here {', '.join(own)}")
        for name, (_, then), (_, now) in zip(own, there, here, strict=True):
            self._compare(f"{name}'s ", then, now)

    def _compare(
        self, of: str, there: Mapping[str, Any], here: Mapping[str, Any], exact: bool = False
    ) -> None:
        then, now = there, here
        if not exact:
            then, now = ({k: _written(v) for k, v in each.items()} for each in (there, here))
        for key in sorted({*then, *now}):
            if then.get(key) != now.get(key) or (key in then) != (key in now):
                given = (repr(p[key]) if key in p else "not given" for p in (then, now))
                values = [one_line(value, 80) for value in given]
                raise self._refusal(f"{of}{key} is {values[0]} in it, {values[1]} here")

    def steps(self) -> dict[str, Sequence[Solver]]:
        """The steps of the author's solver: Inspect writes them as it wrote those of the log."""
        own = self._base.solver
        return {"steps": [*own] if isinstance(own, Sequence) else [own]}

    def scorers(self) -> list[Scorer]:
        """The author's scorers, which give a sample of the log the score that it has there."""
        return [*map(self._kept_score, self._base.scorer or [], self._names)]

    def _kept_score(self, scorer: Scorer, name: str) -> Scorer:
        @wraps(scorer)  # with its name and metrics, which Inspect keeps with it
        async def score(state: TaskState, target: Target) -> Score | None:
            kept = self.samples.get(str(state.sample_id), {}).get(state.epoch)
            return (kept.scores or {})[name] if kept else await scorer(state, target)

        return score

    def about(self) -> dict[str, Any]:
        """What the log of a run says of the log that its control arm is from."""
        of = self.header.eval
        found = {"log": Path(self.path).name, "eval_id": of.eval_id, "created": of.created}
        return found | ({"media_not_compared": self.unseen} if self.unseen else {})

    def _refusal(self, why: str) -> SelectionError:
        return wrong_value("control", self.given, why, 200)


def _run_by(run: EvalSpec, epochs: int) -> dict[str, Any]:
    """Who is asked, how often and how far; a log has None for functions and objects."""
    return {
        "model": run.model,
        "model_args": to_jsonable_python(run.model_args, fallback=lambda _: None),
        "model_base_url": run.model_base_url,
        "model_roles": {name: str(config) for name, config in (run.model_roles or {}).items()},
        "epochs": epochs,
        **{limit: getattr(run.config, limit) for limit in _LIMITS},
    }


def _asked(sample: Sample | EvalSample) -> tuple[Any, list[Any]]:
    """What a sample asks, without its images and other media; and these."""
    if isinstance(sample.input, str):
        return (sample.input, sample.choices, sample.target), []
    messages, media = [], []
    for message in sample.input:
        parts = [] if isinstance(message.content, str) else message.content
        others = [part for part in parts if part.type != "text"]
        kinds = [(part.type, getattr(part, "detail", None)) for part in others]
        calls = [(c.function, c.arguments) for c in getattr(message, "tool_calls", None) or ()]
        messages.append((message.role, message.text, kinds, calls))
        media += [getattr(part, part.type, None) for part in others]
    return (messages, sample.choices, sample.target), media


def _encoded(medium: object) -> str | None:
    """A medium as a log has it; None where the log lacks it, or it is no file here."""
    if medium == _NOT_LOGGED:
        return None
    if not isinstance(medium, str):
        return repr(medium)
    if medium.startswith("data:"):
        return medium.partition(",")[2]
    try:
        return b64encode(Path(medium).read_bytes()).decode()
    except (OSError, ValueError):
        return None


def _written(value: Any) -> Any:
    """A parameter as a log has it, without what differs from one making to the next."""

    def own(fields: dict[str, Any]) -> dict[str, Any]:
        return {k: v for k, v in fields.items() if k != "id" and v is not None}

    return json.loads(json.dumps(value, default=str), object_hook=own)


def _by_score(scorers: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """By what Inspect calls a scorer's scores: a name that comes again gets a number."""
    found: dict[str, Any] = {}
    for scorer, value in scorers:
        numbered = (f"{scorer.rpartition('/')[2]}{i or ''}" for i in count())
        found[next(name for name in numbered if name not in found)] = value
    return found
