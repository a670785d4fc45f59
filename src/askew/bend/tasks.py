"""bend as a task: an author's Inspect task, asked plainly and in the arms of treatments."""

import hashlib
import importlib.util
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir, nullcontext
from copy import copy
from importlib.metadata import entry_points
from inspect import signature
from itertools import chain
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, cast

import yaml
from inspect_ai import Task, task, task_with
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import HeadlineMetric
from inspect_ai.scorer import MetricProtocol
from inspect_ai.util import registry_create, registry_info

from askew import __version__
from askew.assembly import check_shared, viewer_of
from askew.bend.chapter import follow_runs
from askew.bend.control import Control
from askew.bend.paper import PAPER
from askew.bend.scorer import bend_metrics, bend_scorer
from askew.files import given_path
from askew.parameters import (
    SelectionError,
    UsageError,
    name_hint,
    parse_list,
    quote,
    unknown_parameter,
    wrong_value,
)
from askew.scoring.outcome import Shown, with_metrics
from askew.scoring.stopping import BoundRoles, SampleCluster, stopping
from askew.treatments import design, get_treatment
from askew.treatments import treatments as all_treatments
from askew.treatments.calls import PLAIN as PLAIN_ARM
from askew.treatments.calls import watch_calls
from askew.untrusted import one_line

_LONGEST_NAME = 200
_UNEXPECTED = re.compile("unexpected keyword argument '([^']*)'")
_TASKS = (
    "give a registered name (inspect_evals/arc_easy, with its package installed) or a file "
    "(mine.py@name)"
)


@task
def bend(
    task: str | Task | Callable[[], Task] | None = None,
    treatments: str | Sequence[str] | None = None,
    args: Mapping[str, Any] | str | None = None,
    measure: str | None = None,
    value_range: str | Sequence[float] = "0,1",
    items: int | None = None,
    seed: int = 0,
    metrics: Shown = "few",
    stop_when: float | None = None,
    control: str | None = None,
    **given: Any,
) -> Task:
    """Run another Inspect task as its author wrote it, and under treatments.

    Args:
        task: Its registered name (inspect_evals/arc_easy), or a file (tasks/mine.py@name). From
            Python also a `Task`, or a function that returns one.
        treatments: Names, with commas; default repeat, absent, order, suggestion, reflection.
            `plain` alone runs the author's task.
        args: Parameters of the author's task that share a name with one of these.
        measure: The score to use: a scorer, a key of its scores, or "scorer.key"; default the
            first.
        value_range: The author's lowest and highest score; reversed if a lower score is better.
        items: Number of the author's samples; default all.
        seed: For orders, suggestions, and the option to replace.
        metrics: What Inspect shows: the "few" primary metrics, or "all".
        stop_when: Stop once the primary metric is known this precisely, such as 0.05 for 5 points
            (see docs/how-to/stop-early.md); default never.
        control: A log of your own run of the task, which becomes the plain arm.
        **given: Parameters of treatments (orders, suggest, framing, ...) and, by any other name, of
            the author's task.

    Returns:
        The task, with one sample per item and arm.
    """
    options = {**locals()}  # a copy: a debugger adds to the frame's own
    base, plan, called, kept = prepare(**options.pop("given"), **options)
    lowest, highest = _range(value_range)
    of_samples = {str(b.sample.id): b.case for b in plan.samples}
    cases = design.Questions(plan.revision, called, of_samples, kept.samples if kept else {})
    setup = base.setup or []
    steps = [*setup] if isinstance(setup, Sequence) else [setup]
    # Of what stands in the author's file; none where the task is of a package.
    file = given_path(task.partition("@")[0]) if isinstance(task, str) else Path()
    revision = hashlib.sha256(file.read_bytes()).hexdigest()[:8] if file.suffix == ".py" else ""
    watch_calls()
    follow_runs()
    own = with_metrics(bend_scorer(measure, lowest, highest), bend_metrics(metrics))
    # An author's own rule would stop between the askings of a question, by samples that it knows.
    needed = dict(getattr(base.early_stopping, "needed", {}))
    for arm in plan.arms[1:]:
        needed |= get_treatment(arm.treatment).needed_roles(arm)

    clusters = {name: SampleCluster(case.item, case.item) for name, case in of_samples.items()}
    samples, stops = stopping(
        [b.sample for b in plan.samples], needed, stop_when, PAPER,
        cast(MetricProtocol, bend_metrics()), clusters, plan.base,
    )  # fmt: skip
    if kept:
        stops = stops or BoundRoles(needed)
        stops.checks.append(kept.check)
    return task_with(
        copy(base),
        dataset=MemoryDataset(samples, name=f"bend-{called}"),
        setup=[design.bend_setup(cases), *steps] if steps else None,
        solver=design.apply_treatments(
            base.solver, cases, opened=bool(steps), **(kept.steps() if kept else {})
        ),
        scorer=[*(kept.scorers() if kept else base.scorer or []), own],
        early_stopping=stops,
        headline_metric=HeadlineMetric(scorer="bend_scorer"),
        viewer=base.viewer or viewer_of(PAPER, "bend_scorer", ["score"]),
        metadata={
            **(base.metadata or {}),
            "benchmark": "askew",
            "askew": __version__,
            "paper": PAPER.task,
            "primary_metric": PAPER.headlines[0],
            "data": called,
            "data_revision": plan.base,
            "data_items": {called: len(base.dataset)},
            "prompt_revision": revision,
            **({"control": kept.about()} if kept else {}),
            "unfit": plan.unfit,
            "refused": {f"{arm}: {why}": n for (arm, why), n in sorted(plan.refused.items())},
        },
    )


def prepare(
    task: Any = None, treatments: str | Sequence[str] | None = None, *,
    args: Mapping[str, Any] | str | None = None, measure: str | None = None,
    value_range: str | Sequence[float] = "0,1", items: int | None = None, seed: int = 0,
    metrics: Shown = "few", stop_when: float | None = None, control: str | None = None,
    **given: Any,
) -> tuple[Task, design.Plan, str, Control | None]:  # fmt: skip
    """The author's task, what bending it would ask, its name, and its control; calls no model."""
    check_shared(items=items, seed=seed, metrics=metrics, stop_when=stop_when)
    _range(value_range)
    taken = {*chain(*(t.parameters for t in all_treatments().values()))}
    own = {k: v for k, v in given.items() if k not in taken} | _args(args)
    every = [name for name, t in all_treatments().items() if t.by_default]
    names = every if treatments is None else parse_list(treatments)
    if not names:
        why = f"name some, or leave it out for {', '.join(every)}"
        raise wrong_value("treatments", treatments, why)
    arms = design.arms_of(names, {k: v for k, v in given.items() if k in taken})
    base, name = author_task(task, own)
    called = name.rpartition("/")[2]
    samples, source = list(base.dataset)[:items], base.sample_source
    unfit = {
        "has no scorer: there is no score to bend": not base.scorer,
        "generates its samples during the run: bend needs a data set": source is not None,
        "has no samples": not samples,
    }
    if why := next((why for why, is_so in unfit.items() if is_so), ""):
        raise SelectionError(f"{called} {why}")
    plan = design.plan_samples(samples, arms, seed)
    plan.base = design.revision_of((s.id, *design.shown_text(s)) for s in base.dataset)
    if len(plan.arms) > 1 and all(b.case.arm == PLAIN_ARM for b in plan.samples):
        reasons = "; ".join(f"{arm}: {why}" for arm, why in plan.unfit.items())
        raise SelectionError(
            f"no treatment fits a sample of {called}: {reasons}. Choose other treatments "
            "(askew bend list), or plain"
        )
    _check_metric(base, called, measure)
    if control is None:
        return base, plan, called, None
    kept = Control(control, base, name, None if isinstance(task, Task) else own)
    kept.fill(plan, samples)
    return base, plan, called, kept


def _check_metric(base: Task, called: str, measure: str | None) -> None:
    """Raise where the score that would count is one that its author averages by no metric."""
    is_name = isinstance(measure, str) and measure.isprintable() and measure.strip() == measure
    if not (measure is None or (is_name and 0 < len(measure) <= _LONGEST_NAME)):
        why = "give a scorer's name, a key of its scores, or scorer.key"
        raise wrong_value("measure", measure, why)
    if measure or base.metrics:
        return
    info = registry_info((base.scorer or [])[0])
    if not info.metadata.get("metrics"):
        raise SelectionError(
            f"the scorer {info.name} of {called} has no metrics, so its scores are no numbers: "
            f"name the score that counts with measure= (where they are, measure={info.name})"
        )


def author_task(
    task: str | Task | Callable[[], Task] | None, own: Mapping[str, Any]
) -> tuple[Task, str]:
    """The author's task, made anew where that can be, and its name."""
    if isinstance(task, Task):
        for named in own:
            raise unknown_parameter("bend", named, _parameters(""))
    if callable(task):
        task = task(**own)
    if isinstance(task, Task):
        return task, task.name
    if task is None or task == "":
        named = "-T task=inspect_evals/arc_easy or -T task=mine.py@name"
        raise SelectionError(f"bend needs a task: {named}")
    if not isinstance(task, str) or not task.isprintable() or not task.strip():
        raise wrong_value("task", task, _TASKS)
    path, _, name = task.partition("@")
    is_file, file = Path(path).suffix == ".py", given_path(path)
    if is_file and not file.is_file():
        raise wrong_value("task", path, "file not found", 200)
    # In a file's own folder, as Inspect makes tasks of files.
    with chdir(file.resolve().parent) if is_file else nullcontext():
        try:
            name = _registered_name(file, name) if is_file else task
            made = _make(task, name, own)
        except Exception as error:  # an author's code can fail anywhere
            if isinstance(error, UsageError) or type(error).__name__ == "PrerequisiteError":
                raise
            why = one_line(f"{type(error).__name__}: {error}", 300)
            raise SelectionError(f"task={quote(task, 100)} can't be made: {why}") from error
    if not isinstance(made, Task):
        raise SelectionError(f"task={quote(task, 100)} makes no Inspect task")
    return made, name


def _make(task: str, name: str, own: Mapping[str, Any]) -> object:
    try:
        return registry_create("task", name, **own)
    except (KeyError, IndexError):
        raise  # the author's own, and no name that is not known
    except LookupError as error:
        package = name.partition("/")[0]
        points = entry_points(group="inspect_ai", name=package)
        rooms = {point.load().__name__.partition(".")[0] for point in points}
        known = [n for n, made in _tasks().items() if made.__module__.partition(".")[0] in rooms]
        hint = name_hint(name, known) if known else f"{_TASKS[:1].upper()}{_TASKS[1:]}"
        raise wrong_value("task", task, f"{error!s:.300}. {hint}", 100) from error
    except TypeError as error:
        # A name that nobody takes: bend hands on what is not its own.
        if named := _UNEXPECTED.search(str(error)):
            raise unknown_parameter(f"{name} or bend", named[1], _parameters(name)) from error
        how = "as -T name=value, or in args= those that share a name with one of bend's"
        raise wrong_value("task", task, f"{error}; give its parameters {how}", 100) from error


def _tasks() -> dict[str, FunctionType]:
    """The functions that make tasks, of all modules that were imported, by registered name."""
    modules = (m for m in [*sys.modules.values()] if isinstance(m, ModuleType))  # not all are
    held = (value for module in modules for value in [*vars(module).values()])
    functions = (value for value in held if isinstance(value, FunctionType))
    return {name: value for value in functions if (name := _task_name(value)) is not None}


def _parameters(name: str) -> set[str]:
    """What an author's task takes, and bend with its treatments."""
    author = _tasks().get(name)
    taken = chain(*(t.parameters for t in all_treatments().values()))
    return {*PAPER.parameters, *taken, *(signature(author).parameters if author else ())}


def _task_name(value: object) -> str | None:
    """The registered name of what a module holds, where that is a task."""
    try:
        info = registry_info(value)
    except ValueError:
        return None
    return info.name if info.type == "task" else None


def _args(args: Mapping[str, Any] | str | None) -> dict[str, Any]:
    if args is None or isinstance(args, Mapping):
        return {str(name): value for name, value in (args or {}).items()}
    parts = [part.partition("=") for part in parse_list(args)]
    why = "write args='name=value', several with commas"
    if parts and all(equals and name.strip() for name, equals, _ in parts):
        try:
            # Values as Inspect reads them: an author who wants a number gets no text.
            return {k.strip(): yaml.safe_load(v) for k, _, v in parts}
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            why = f"a value can't be read: {' '.join(str(error).split()):.200}"
    raise wrong_value("args", args, why, 80)


def _range(given: str | Sequence[float]) -> tuple[float, float]:
    try:
        lowest, highest = (float(v) for v in parse_list(given))
    except ValueError:
        lowest = highest = 0.0
    if lowest == highest or not math.isfinite(lowest - highest):
        raise wrong_value("value_range", given, "give the lowest and the highest score")
    return lowest, highest


def _registered_name(path: Path, name: str) -> str:
    """The name of a task of a file, once its module has been run."""
    here = Path(path.name).resolve()
    key = f"askew_bent_{here.stem}"
    spec: Any = importlib.util.spec_from_file_location(key, here)
    module = importlib.util.module_from_spec(spec)
    sys.modules[key] = module
    sys.path.insert(0, str(here.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(here.parent))
    own = [v for v in vars(module).values() if getattr(v, "__module__", "") == key]
    found = {n.rpartition("/")[2]: n for n in map(_task_name, own) if n is not None}
    named = ", ".join(f"{path.name}@{n}" for n in found)
    if not found or (len(found) > 1 and not name):
        why = f"which one? {named}" if found else "there is no @task in it"
        raise SelectionError(f"task={path}: {why}")
    wanted = name or next(iter(found))
    if wanted not in found:
        hint = name_hint(wanted, found)
        raise SelectionError(f"task={path}@{wanted}: there is no such task. {hint}")
    return found[wanted]
