"""Small logs made by hand, so that each thing that can be in a log can be put there alone."""

import zipfile
from pathlib import Path

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalPlan,
    EvalPlanStep,
    EvalSample,
    EvalSampleLimit,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Score

USUAL_STEPS = ("askew/reveal_truth", "askew/framing_insertion", "generate")


def at(minute, second=0):
    """A moment of the hour in which all these logs were made."""
    return f"2026-03-01T12:{minute:02d}:{second:02d}+00:00"


def a_score(correct=1.0, answer="yes", **details):
    return Score(
        value={"correct": correct, "said_none": 0.0, "delimiter_leak": 0.0},
        answer=answer,
        metadata={"epoch": 1, "outcome": "ok", "pattern": "offered", **details},
    )


def a_sample(
    item="i1", hint="with_gold", *, epoch=1, score=None, scores=None, error=None, limit=None,
    ended=0, **metadata,
):  # fmt: skip
    """One sample; scored right unless told otherwise. `ended` is the minute in which it did."""
    failure = EvalError(message=error, traceback="", traceback_ansi="") if error else None
    told = {
        "task": "knowno", "item": item, "cluster": item, "subset": "mctest", "kind": "story",
        "hint": hint, "order": 0, "gold": "yes", **metadata,
    }  # fmt: skip
    return EvalSample(
        id=f"{item}/{hint}/0", epoch=epoch, input="which?", target="yes", metadata=told,
        scores=scores if scores is not None else {"knowno_scorer": score or a_score()},
        error=failure, limit=EvalSampleLimit(type=limit, limit=1) if limit else None,
        completed_at=at(ended) if ended is not None else None,
    )  # fmt: skip


def a_log(
    samples, *, model="openai/gpt-5", paper="knowno", data="bundled", revision="d1", prompts="p1",
    version=None, metadata=None, task="askew/knowno", args=None, status="success", made=0,
    planned=None, epochs=1, steps=USUAL_STEPS, given=None, effective=None, packages=None,
    log_error=None, limits=None, **spec,
):  # fmt: skip
    """One log; `planned` are the sample ids that it set out to ask, where it has not all."""
    if metadata is None:
        metadata = {"benchmark": "askew", "paper": paper, "data": data,
                    "data_revision": revision, "prompt_revision": prompts}  # fmt: skip
    ids = list(dict.fromkeys(planned or [s.id for s in samples]))
    given = GenerateConfig(**(given or {}))
    failure = EvalError(message=log_error, traceback="", traceback_ansi="") if log_error else None
    header = EvalSpec(
        created=at(made), task=task, task_version=version or f"1-{revision}-{prompts}",
        task_args={"data": data, "items": 3, "template": "appendix", "seed": 0, **(args or {})},
        dataset=EvalDataset(name="made", samples=len(ids), sample_ids=ids), model=model,
        model_generate_config=given, config=EvalConfig(epochs=epochs, **(limits or {})),
        packages=packages or {"inspect_ai": "0.3.285", "askew": "0.1.0"}, metadata=metadata, **spec,
    )  # fmt: skip
    return EvalLog(
        status=status,
        error=failure,
        eval=header,
        plan=EvalPlan(
            steps=[EvalPlanStep(solver=s) for s in steps],
            config=GenerateConfig(temperature=0.0, **(effective or {})).merge(given),
        ),
        stats=EvalStats(started_at=at(made), completed_at="" if status == "started" else at(made)),
        samples=list(samples),
    )


def written(log, folder, name="log.eval"):
    """The log as a file of that name."""
    path = Path(folder) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    write_eval_log(log, path)
    return path


def killed(path):
    """Turn a finished log into what a killed run leaves: its journal, and no header."""
    with zipfile.ZipFile(path) as whole:
        members = {n: whole.read(n) for n in whole.namelist()}
    with zipfile.ZipFile(path, "w") as rest:
        for name, content in members.items():
            if name.startswith(("_journal/", "samples/")):
                rest.writestr(name, content)
    return path


def table_of(told, *columns):
    """Rows of a table as tuples, to compare with."""
    return list(told[list(columns)].itertuples(index=False, name=None))
