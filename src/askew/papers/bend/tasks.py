"""bend as a task: an author's Inspect task, asked plainly and in the arms of treatments."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inspect_ai import Task, task, task_with
from inspect_ai.dataset import MemoryDataset
from inspect_ai.util import registry_create, registry_info

from askew.papers.bend.paper import PAPER, PLAIN
from askew.papers.bend.scorer import bend_scorer
from askew.parameters import SelectionError, listed
from askew.treatments import treatments as all_treatments
from askew.treatments.bending import (
    Plan,
    arms_of,
    author_steps,
    bend_setup,
    bent,
    planned,
    stored_plan,
    watch_calls,
)


@task
def bend(
    task: str,
    treatments: str | Sequence[str] | None = None,
    args: Mapping[str, Any] | str | None = None,
    measure: str | None = None,
    value_range: str | Sequence[float] = "0,1",
    items: int | None = None,
    seed: int = 0,
    **given: Any,
) -> Task:
    """Another task, as its author asks it and under treatments: how far does its score bend?

    Args:
        task: its registered name (inspect_evals/arc_easy), or a file (tasks/mine.py@name).
        treatments: which, with commas; default repeat, absent, order, suggestion, reflection.
        args: the author's task parameters, for those that share a name with one of these.
        measure: the score that counts: a scorer, a key of its scores, or "scorer.key"; default
            the first.
        value_range: the author's lowest and highest score.
        items: how many of the author's samples; default all.
        seed: for every draw: orders, suggestions, which option is replaced.
        **given: parameters of treatments (orders, suggest, framing, ...) and, by any other
            name, of the author's task.
    """
    base, name = author_task(task, args, given)
    return bend_task(
        base, treatments, name=name, measure=measure, value_range=value_range, items=items,
        seed=seed, **{k: v for k, v in given.items() if k in _taken()},
    )  # fmt: skip


def bend_task(
    base: Task,
    treatments: str | Sequence[str] | None = None,
    *,
    name: str = "",
    measure: str | None = None,
    value_range: str | Sequence[float] = "0,1",
    items: int | None = None,
    seed: int = 0,
    **given: Any,
) -> Task:
    """A task of the author's, changed in place: make it anew for each bent task.

    Args:
        base: the author's task.
        treatments: see `bend`.
        name: what to call it; default its own name.
        measure: see `bend`.
        value_range: see `bend`.
        items: see `bend`.
        seed: see `bend`.
        **given: parameters of treatments.
    """
    plan = plan_of(base, treatments, items=items, seed=seed, **given)
    wanted = {arm.name for arm in plan.arms}
    if len(wanted) > 1 and not any(plan.of(arm.name) for arm in plan.arms if arm.name != PLAIN):
        reasons = "; ".join(
            f"{arm}: {why} ({n:,} of {plan.n_items:,})"
            for (arm, why), n in sorted(plan.refused.items())
        )
        raise SelectionError(f"no sample of {name or base.name} can be asked otherwise: {reasons}")
    lowest, highest = _range(value_range)
    if not base.scorer:
        raise SelectionError(f"{name or base.name} has no scorer: there is no score to bend")
    called = (name or base.name).rpartition("/")[2]
    stored = {k: {**v, "base": called} for k, v in stored_plan(plan).items()}
    watch_calls()
    return task_with(
        base,
        dataset=MemoryDataset([b.sample for b in plan.samples], name=f"bend-{called}"),
        setup=[bend_setup(stored), *author_steps(base)],
        solver=bent(base.solver),
        scorer=[*base.scorer, bend_scorer(measure, lowest, highest)],
        metadata={
            **(base.metadata or {}),
            "benchmark": "askew",
            "paper": PAPER.task,
            "data": called,
            "data_revision": plan.revision,
            "prompt_revision": "",
            "refused": {f"{arm}: {why}": n for (arm, why), n in sorted(plan.refused.items())},
        },
    )


def plan_of(
    base: Task,
    treatments: str | Sequence[str] | None = None,
    *,
    items: int | None = None,
    seed: int = 0,
    **given: Any,
) -> Plan:
    """What would be asked: every sample of a task in every arm that fits it."""
    names = (
        listed(treatments) if treatments else [n for n, t in all_treatments().items() if t.asked]
    )
    samples = list(base.dataset)[:items]
    if not samples:
        raise SelectionError(f"{base.name} has no samples")
    if base.sample_source is not None:
        raise SelectionError(f"{base.name} makes its samples while it runs: they can't be bent")
    return planned(samples, arms_of(names, given), seed)


def planned_for(
    task: str, treatments: str | None, limit: int | None, given: Mapping[str, Any]
) -> tuple[Plan, str, int]:
    """What bending a task would ask, its name, and how many epochs; no model is called.

    Args:
        task: see `bend`.
        treatments: see `bend`.
        limit: only so many of the author's samples; default all.
        given: the other parameters of `bend`.
    """
    told = dict(given)
    args, items, seed = told.pop("args", None), told.pop("items", limit), told.pop("seed", 0)
    base, name = author_task(task, args, told)
    own = {k: v for k, v in told.items() if k in _taken()}
    plan = plan_of(base, treatments, items=items, seed=seed, **own)
    return plan, name, base.epochs or 1


def author_task(
    task: str, args: Mapping[str, Any] | str | None, given: Mapping[str, Any]
) -> tuple[Task, str]:
    """The author's task, made anew, and its name."""
    own = {**{k: v for k, v in given.items() if k not in _taken()}, **_args(args)}
    path, _, name = task.partition("@")
    try:
        if Path(path).suffix == ".py":
            with _inside(Path(path)):
                name = _registered(Path(path), name)
                made = registry_create("task", name, **own)
        else:
            name = task
            made = registry_create("task", name, **own)
    except SelectionError:
        raise
    except (LookupError, ValueError) as error:
        raise SelectionError(
            f"task={task!r:.100}: {error}. Give a registered name (inspect_evals/arc_easy, "
            "with its package installed) or a file (mine.py@name)"
        ) from None
    except TypeError as error:
        raise SelectionError(
            f"task={task!r:.100}: {error}; give its parameters with -T, or in args"
        ) from None
    if not isinstance(made, Task):
        raise SelectionError(f"task={task!r:.100} makes no Inspect task")
    return made, name


def _taken() -> set[str]:
    return {parameter for t in all_treatments().values() for parameter in t.takes}


def _args(args: Mapping[str, Any] | str | None) -> dict[str, Any]:
    if not args:
        return {}
    if isinstance(args, Mapping):
        return {str(k): v for k, v in args.items()}
    parts = [part.partition("=") for part in listed(args)]
    if any(not equals for _, equals, _ in parts):
        raise SelectionError(f"args={args!r:.80}: write args='name=value', several with commas")
    return {k.strip(): v.strip() for k, _, v in parts}


def _range(given: str | Sequence[float]) -> tuple[float, float]:
    try:
        lowest, highest = (float(v) for v in listed(given))
    except ValueError:
        lowest = highest = 0.0
    if not lowest < highest:
        raise SelectionError(f"value_range={given!r:.60}: give the lowest and the highest score")
    return lowest, highest


@contextmanager
def _inside(path: Path) -> Iterator[None]:
    """In a file's own folder, as Inspect makes tasks of files."""
    if not path.is_file():
        raise SelectionError(f"task={path}: there is no such file")
    before = Path.cwd()
    os.chdir(path.resolve().parent)
    try:
        yield
    finally:
        os.chdir(before)


def _registered(path: Path, name: str) -> str:
    """The name of a task of a file, once its module has been run."""
    here = Path(path.name).resolve()
    key = f"askew_bent_{here.stem}"
    spec = importlib.util.spec_from_file_location(key, here)
    if spec is None or spec.loader is None:
        raise SelectionError(f"task={path}: it can't be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[key] = module
    sys.path.insert(0, str(here.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(here.parent))
    found = {}
    for value in vars(module).values():
        try:
            info = registry_info(value)
        except ValueError:
            continue
        if info.type == "task" and getattr(value, "__module__", "") == key:
            found[info.name.rpartition("/")[2]] = info.name
    if not found:
        raise SelectionError(f"task={path}: there is no @task in it")
    if not name and len(found) > 1:
        raise SelectionError(
            f"task={path}: which one? {', '.join(f'{path.name}@{n}' for n in found)}"
        )
    wanted = name or next(iter(found))
    if wanted not in found:
        raise SelectionError(f"task={path}@{wanted}: there are: {', '.join(found)}")
    return found[wanted]
