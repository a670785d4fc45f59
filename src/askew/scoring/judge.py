"""A grader's trial: replies whose right verdict is plain to a careful reader.

Each paper keeps its own cases in a readable table. They are run as an evaluation, so a grader's
answers can be read in its log.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from io import StringIO
from typing import Any

import pandas as pd
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState, chain

from askew.papers import asked_for, papers
from askew.parameters import choose
from askew.schema import GRADER
from askew.scoring.grader import Question, ask_grader
from askew.stats.intervals import wilson
from askew.stats.tables import OVERALL

CASES = "judge_cases.csv"
UNDECIDED = "undecided"


@dataclass(frozen=True)
class JudgeCase:
    """One case: what a judge is shown, by the columns of its task's table, and the verdict."""

    id: str
    verdict: str
    shown: Mapping[str, str]


def judged_tasks() -> tuple[str, ...]:
    """The tasks whose judge can be put on trial, by name."""
    return tuple(sorted(p.task for p in papers() if (files(p.home) / CASES).is_file()))


def judge_cases(task: str) -> list[JudgeCase]:
    """The cases of one task's judge, in the order of its table."""
    text = (files(asked_for(task).home) / CASES).read_text(encoding="utf-8")
    # What is left of a row is what the judge is shown.
    rows = csv.DictReader(StringIO(text, newline=""), strict=True)
    return [JudgeCase(row.pop("id"), row.pop("verdict"), row) for row in rows]


class JudgeCheckError(RuntimeError):
    """The judge could not be asked."""


@dataclass(frozen=True)
class JudgeCheck:
    """How a judge did.

    `agreement` has a row for all cases, for each task, and for each expected verdict of a task
    ("options" stands for every set of options), with Wilson's interval; without a verdict there
    is no agreement. `misses` lists the cases without it.
    """

    grader: str
    agreement: pd.DataFrame
    misses: pd.DataFrame
    log: EvalLog


def check_judge(
    grader: str | Model,
    tasks: str | Sequence[str] | None = None,
    *,
    log_dir: str | None = None,
    **options: Any,
) -> JudgeCheck:
    """Run the validation cases through a judge.

    Args:
        grader: the judge, as it would be bound to the role `grader`.
        tasks: whose cases; default all tasks that have a judge.
        log_dir: where its log goes; default Inspect's log folder.
        options: passed on to Inspect's `eval`, such as `max_connections` or `limit`.
    """
    trial = judge_check_task(choose("tasks", tasks, judged_tasks()))
    how = {"display": "none", **options}
    (log,) = run_eval(trial, model="none", model_roles={GRADER: grader}, log_dir=log_dir, **how)
    name = grader if isinstance(grader, str) else f"{grader.api.model_name}"
    if log.status != "success" or not log.samples:
        why = log.error.message if log.error else f"the run ended as {log.status!r}"
        raise JudgeCheckError(f"the judge {name} could not be asked: {why}")
    rows = pd.DataFrame(
        {
            **{key: sample.metadata[key] for key in ("task", "case")},
            "expected": sample.target,
            "given": next((s.answer for s in (sample.scores or {}).values()), UNDECIDED),
        }
        for sample in log.samples
    )
    misses = rows[rows["given"] != rows["expected"]].reset_index(drop=True)
    return JudgeCheck(name, _agreement(rows), misses, log)


def judge_check_task(tasks: Sequence[str]) -> Task:
    """The cases of the tasks given as an Inspect task; the judge is the role `grader`."""
    cases = ((task, case) for task in tasks for case in judge_cases(task))
    return Task(
        name="judge_check",
        dataset=MemoryDataset([_sample(*each) for each in cases], name="judge-cases"),
        # Nothing is to be solved: the reply to judge is part of the case.
        solver=chain(),
        scorer=judge_check_scorer(),
        metadata={"judge_check": list(tasks)},
    )


def _sample(task: str, case: JudgeCase) -> Sample:
    asked: Question = asked_for(task).part("scorer").judge_case(case.shown)
    told = {"verdicts": " ".join(asked.verdicts), "system": asked.system}
    metadata = {"task": task, "case": case.id, **told}
    name = f"{task}/{case.id}"
    return Sample(id=name, input=asked.question, target=case.verdict, metadata=metadata)


@scorer(metrics=[accuracy()])
def judge_check_scorer() -> Scorer:
    """1 where the judge gives the expected verdict, 0 where it gives another or none."""

    async def score(state: TaskState, target: Target) -> Score:
        verdicts, system = (str(state.metadata[name]) for name in ("verdicts", "system"))
        # A simulated judge is told the expected verdict: with one, this checks the machinery.
        given = await ask_grader(
            Question(state.input_text, verdicts.split(" "), system, target.text)
        )
        return Score(
            value=float(given.choice == target.text),
            answer=given.choice or UNDECIDED,
            explanation=given.why or f"expected {target.text}",
        )

    return score


def _agreement(rows: pd.DataFrame) -> pd.DataFrame:
    kind = rows["expected"].map(lambda verdict: "options" if verdict[:1].isdecimal() else verdict)
    parts: list[tuple[Any, Any, pd.DataFrame]] = [(OVERALL, OVERALL, rows)]
    for task, of_task in rows.groupby("task", sort=False):
        of_kind = of_task.groupby(kind[of_task.index], sort=False)
        parts += [(task, OVERALL, of_task), *((task, verdict, part) for verdict, part in of_kind)]
    lines = []
    for task, verdict, part in parts:
        n, agreed = len(part), int((part["given"] == part["expected"]).sum())
        undecided = int((part["given"] == UNDECIDED).sum())
        lines.append((task, verdict, n, agreed, undecided, agreed / n, *wilson(agreed / n, n)))
    columns = ["task", "verdict", "n", "agreed", "undecided", "agreement", "low", "high"]
    return pd.DataFrame(lines, columns=columns)
