"""A grader's trial: replies whose right verdict is plain to a careful reader.

Each paper keeps its own cases in a readable table. They are run as an evaluation, so a grader's
answers can be read in its log.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import pandas as pd
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState, chain

from askew.papers import get_paper, papers
from askew.parameters import choose
from askew.schema import GRADER
from askew.scoring.grader import NoVerdictError, Question, ask_grader
from askew.stats.intervals import wilson
from askew.stats.tables import OVERALL

CASES = "grader_cases.csv"
UNDECIDED = "undecided"


def graded_tasks() -> tuple[str, ...]:
    """The tasks whose grader can be put on trial, by name."""
    return tuple(sorted(p.task for p in papers() if (files(p.home) / CASES).is_file()))


def grader_cases(task: str) -> list[Sample]:
    """The cases of one task, in its order: what a grader is asked, and what is right."""
    paper, samples = get_paper(task), []
    with (files(paper.home) / CASES).open(encoding="utf-8") as table:
        rows = pd.read_csv(table, dtype=str, keep_default_na=False).to_dict("records")
    for row in rows:
        case, verdict = row.pop("id"), row.pop("verdict")
        # What is left of a row is what the grader is shown.
        query: Question = paper.part("scorer").grader_case(row)
        meta = {"task": task, "case": case, "verdicts": [*query.verdicts], "system": query.system}
        name = f"{task}/{case}"
        samples.append(Sample(id=name, input=query.question, target=verdict, metadata=meta))
    return samples


class JudgeCheckError(RuntimeError):
    """The grader could not be asked."""


@dataclass(frozen=True)
class JudgeCheck:
    """How a grader did.

    `agreement` has a row for all cases, for each task, and for each expected verdict of a task
    ("options" stands for every set of options), with Wilson's interval; without a verdict there
    is no agreement. `misses` lists the cases without it.
    """

    grader: str
    agreement: pd.DataFrame
    misses: pd.DataFrame
    log: EvalLog


def check_grader(
    grader: str | Model, tasks: str | Sequence[str] | None = None, *, log_dir: str | None = None,
    **options: Any,
) -> JudgeCheck:  # fmt: skip
    """Run the cases of tasks, default all that have some, through a grader.

    `options` are passed on to Inspect's `eval`, such as `max_connections` or `limit`.
    """
    wanted = choose("tasks", tasks, graded_tasks())
    trial = Task(
        name="grader_check",
        dataset=MemoryDataset([c for t in wanted for c in grader_cases(t)], name="grader-cases"),
        # Nothing is to be solved: the reply to read is part of the case.
        solver=chain(),
        scorer=grader_check_scorer(),
        metadata={"grader_check": [*wanted]},
    )
    how = {"display": "none", **options}
    (log,) = run_eval(trial, model="none", model_roles={GRADER: grader}, log_dir=log_dir, **how)
    name = grader if isinstance(grader, str) else f"{grader.api.model_name}"
    if log.status != "success" or not log.samples:
        why = log.error.message if log.error else f"the run ended as {log.status!r}"
        raise JudgeCheckError(f"the grader {name} failed: {why}")
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


@scorer(metrics=[accuracy()])
def grader_check_scorer() -> Scorer:
    """1 where the grader gives the expected verdict, 0 where it gives another or none."""

    async def score(state: TaskState, target: Target) -> Score:
        verdicts, system = state.metadata["verdicts"], state.metadata["system"]
        # A simulated grader is told the expected verdict: with one, this checks the machinery.
        try:
            given = await ask_grader(Question(state.input_text, verdicts, system, target.text))
        except NoVerdictError:
            given = UNDECIDED
        return Score(value=float(given == target.text), answer=given)

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
