"""A judge: a bound model role that must choose one of a few verdicts, and its trial.

The trial puts validation cases to it, replies whose right verdict is plain to a careful reader;
each paper with a judge keeps its own in a readable table. They are run as an evaluation, so a
judge's answers can be read in its log.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from io import StringIO
from typing import Any, Literal, cast

import pandas as pd
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState, chain
from inspect_ai.tool import ToolFunction, ToolInfo, ToolParam, ToolParams

from askew.papers import asked_for, papers
from askew.parameters import choose
from askew.schema import JUDGE_MARK
from askew.stats.intervals import wilson
from askew.stats.tables import OVERALL

ROLE = "grader"
ATTEMPTS = 3
CASES = "judge_cases.csv"
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Verdict:
    """What the judge chose, or why there is no choice."""

    choice: str | None
    why: str = ""


@dataclass(frozen=True)
class JudgeQuestion:
    """What a judge is asked, as the scorer of a task puts it."""

    question: str
    verdicts: Sequence[str]
    system: str = ""


async def ask_judge(
    question: str, verdicts: Sequence[str], careful: str, system: str = ""
) -> Verdict:
    """Ask the role `grader` to choose one of the verdicts, a bounded number of times.

    The choice is forced through a tool with an enumerated argument, so a judge that rambles
    decides nothing.

    Args:
        question: the whole question, with everything the judge needs.
        verdicts: what it may choose.
        careful: what a careful reader would choose, as far as rules can tell; carried as message
            metadata, which only simulated judges read.
        system: a system prompt in front of the question, where the paper has one.
    """
    model = get_model(role=ROLE, required=True)
    chosen = ToolParam(type="string", description="The verdict.", enum=list(verdicts))
    parameters = ToolParams(properties={"verdict": chosen}, required=["verdict"])
    tool = ToolInfo(name="verdict", description="Give your verdict.", parameters=parameters)
    asked: list[ChatMessage] = [ChatMessageSystem(content=system)] if system else []
    asked.append(ChatMessageUser(content=question, metadata={JUDGE_MARK: careful}))
    for attempt in range(ATTEMPTS):
        # A judge's second try must not be answered from the first one's cache entry.
        output = await model.generate(
            asked,
            tools=[tool],
            tool_choice=ToolFunction(name=tool.name),
            config=GenerateConfig(temperature=0.0, seed=attempt),
        )
        calls = output.message.tool_calls or []
        given = [c.arguments.get("verdict") for c in calls if isinstance(c.arguments, dict)]
        if offered := [verdict for verdict in given if verdict in verdicts]:
            return Verdict(str(offered[0]))
    return Verdict(None, f"the judge chose none of {', '.join(verdicts)} in {ATTEMPTS} tries")


@dataclass(frozen=True)
class JudgeCase:
    """One case: what a judge is shown, by the columns of its task's table, and the verdict."""

    id: str
    task: str
    verdict: str
    shown: Mapping[str, str]


def judged_tasks() -> tuple[str, ...]:
    """The tasks whose judge can be put on trial, by name."""
    return tuple(sorted(p.task for p in papers() if (files(p.home) / CASES).is_file()))


def judge_cases(task: str) -> list[JudgeCase]:
    """The cases of one task's judge, in the order of its table."""
    if task not in judged_tasks():
        raise ValueError(f"no judge cases for {task!r}; there are: {', '.join(judged_tasks())}")
    text = (files(asked_for(task).home) / CASES).read_text(encoding="utf-8")
    rows = csv.DictReader(StringIO(text, newline=""), strict=True)
    # What is left of a row is what the judge is shown.
    return [JudgeCase(row.pop("id"), task, row.pop("verdict"), row) for row in rows]


class JudgeCheckError(RuntimeError):
    """The judge could not be asked."""


@dataclass(frozen=True)
class JudgeCheck:
    """How a judge did.

    `agreement` has a row for all cases, for each task, and for each expected verdict of a task
    ("options" stands for every set of options, "all" for all verdicts), with Wilson's interval.
    A case on which the judge reached no verdict counts as no agreement. `misses` lists the cases
    without agreement.
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
    display: str = "none",
    **options: Any,
) -> JudgeCheck:
    """Run the validation cases through a judge.

    Args:
        grader: the judge, as it would be bound to the role `grader`.
        tasks: whose cases; default all tasks that have a judge.
        log_dir: where its log goes; default Inspect's log folder.
        display: Inspect's display while it runs.
        options: passed on to Inspect's `eval`, such as `max_connections` or `limit`.
    """
    chosen = choose("tasks", tasks, judged_tasks())
    (log,) = run_eval(
        judge_check_task(chosen),
        model="none",
        model_roles={ROLE: grader},
        log_dir=log_dir,
        display=cast(Literal["none", "plain"], display),
        **options,
    )
    if log.status != "success" or not log.samples:
        why = log.error.message if log.error else f"the run ended as {log.status!r}"
        raise JudgeCheckError(f"the judge {_name(grader)} could not be asked: {why}")
    rows = pd.DataFrame(
        {
            **{name: sample.metadata[name] for name in ("task", "case")},
            "expected": sample.target,
            "given": next((s.answer for s in (sample.scores or {}).values()), UNDECIDED),
        }
        for sample in log.samples
    )
    misses = rows[rows["given"] != rows["expected"]].reset_index(drop=True)
    return JudgeCheck(_name(grader), _agreement(rows), misses, log)


def judge_check_task(tasks: Sequence[str]) -> Task:
    """The cases of the tasks given as an Inspect task; the judge is the role `grader`."""
    cases = [case for task in tasks for case in judge_cases(task)]
    return Task(
        name="judge_check",
        dataset=MemoryDataset([_sample(case) for case in cases], name="judge-cases"),
        # Nothing is to be solved: the reply to judge is part of the case.
        solver=chain(),
        scorer=judge_check_scorer(),
        metadata={"judge_check": list(tasks)},
    )


def _sample(case: JudgeCase) -> Sample:
    asked: JudgeQuestion = asked_for(case.task).part("scorer").judge_case(case.shown)
    if case.verdict not in asked.verdicts:
        raise ValueError(f"{case.task}, case {case.id}: {case.verdict!r} is no verdict there")
    return Sample(
        id=f"{case.task}/{case.id}",
        input=asked.question,
        target=case.verdict,
        metadata={
            "task": case.task,
            "case": case.id,
            "verdicts": " ".join(asked.verdicts),
            "system": asked.system,
        },
    )


@scorer(metrics=[accuracy()])
def judge_check_scorer() -> Scorer:
    """1 where the judge gives the expected verdict, 0 where it gives another or none."""

    async def score(state: TaskState, target: Target) -> Score:
        verdicts = str(state.metadata["verdicts"]).split(" ")
        # A simulated judge is told the expected verdict: with one, this checks the machinery.
        given = await ask_judge(
            state.input_text, verdicts, careful=target.text, system=str(state.metadata["system"])
        )
        return Score(
            value=float(given.choice == target.text),
            answer=given.choice or UNDECIDED,
            explanation=given.why or f"expected {target.text}",
        )

    return score


def _agreement(rows: pd.DataFrame) -> pd.DataFrame:
    kind = rows["expected"].map(lambda verdict: "options" if verdict[:1].isdecimal() else verdict)
    lines = [_line(OVERALL, OVERALL, rows)]
    for task, of_task in rows.groupby("task", sort=False):
        lines.append(_line(str(task), OVERALL, of_task))
        for verdict, part in of_task.groupby(kind[of_task.index], sort=False):
            lines.append(_line(str(task), str(verdict), part))
    return pd.DataFrame(lines)


def _line(task: str, verdict: str, rows: pd.DataFrame) -> dict[str, object]:
    n, agreed = len(rows), int((rows["given"] == rows["expected"]).sum())
    low, high = wilson(agreed / n, n)
    return {
        "task": task,
        "verdict": verdict,
        "n": n,
        "agreed": agreed,
        "undecided": int((rows["given"] == UNDECIDED).sum()),
        "agreement": agreed / n,
        "low": low,
        "high": high,
    }


def _name(grader: str | Model) -> str:
    return grader if isinstance(grader, str) else f"{grader.api.model_name}"
