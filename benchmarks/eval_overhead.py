"""How fast do askew's tasks run, against the plainest Inspect task of the same size?

Per task: samples a second on a simulated model, against a bare task of as many samples with the
same prompts, `generate()` and `match()`, on the same simulated model. Both run in this process,
in turn, and are timed in CPU seconds. What an eval costs once (its log, the table of metrics at
the end) is spread over the samples, so few samples make the ratio look worse.

    python benchmarks/eval_overhead.py
    python benchmarks/eval_overhead.py --samples 1000 --rounds 3 --tasks knowno
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from tempfile import TemporaryDirectory

from bench.results import Result, at_least, cpu_seconds, show
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import match
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver
from inspect_ai.util import store

from askew.papers import asked_for, names
from askew.schema import TRUTH_KEY
from askew.solvers.chain import planned_dialogue

LIMIT = 0.8
MODEL = "respondent/typical"
MESSAGES = {"system": ChatMessageSystem, "user": ChatMessageUser}


@solver
def plain_generate() -> Solver:
    """Generate, after the one line without which a simulated model does not answer."""
    generating = generate()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        store().set(TRUTH_KEY, {"epoch": state.epoch})
        return await generating(state, generate)

    return solve


def chosen(task: str, samples: int) -> list[Sample]:
    """The first samples of a task that take one turn."""
    dataset = asked_for(task).make().dataset
    return [s for s in dataset if not (s.metadata or {}).get("reflection")][:samples]


def ours(task: str, samples: list[Sample]) -> Task:
    made = asked_for(task).make()
    made.dataset = MemoryDataset(samples)
    return made


def bare(samples: list[Sample]) -> Task:
    """The same questions as finished prompts: the messages that askew's steps would make."""
    finished = [
        Sample(
            id=s.id,
            input=[MESSAGES[role](content=text) for role, text in planned_dialogue(s)],
            choices=s.choices,
            target=s.target,
            metadata=s.metadata,
        )
        for s in samples
    ]
    return Task(dataset=MemoryDataset(finished), solver=plain_generate(), scorer=match())


def run(make: Callable[[], Task]) -> float:
    task = make()
    with TemporaryDirectory() as folder:

        def whole() -> None:
            (log,) = eval(task, model=MODEL, display="none", log_dir=folder, log_level="error")
            if log.status != "success":
                raise RuntimeError(f"{log.eval.task}: {log.error}")

        return cpu_seconds(whole)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--tasks", nargs="+", default=list(names()))
    given = parser.parse_args()
    results: list[Result] = []
    for task in given.tasks:
        samples = chosen(task, given.samples)
        run(lambda s=samples: bare(s[:10]))
        run(lambda t=task, s=samples: ours(t, s[:10]))
        theirs, own = [], []
        for _ in range(given.rounds):
            theirs.append(run(lambda s=samples: bare(s)))
            own.append(run(lambda t=task, s=samples: ours(t, s)))
        rate, plain = len(samples) / min(own), len(samples) / min(theirs)
        told = f"{rate:.0f} against {plain:.0f} samples a CPU second, n = {len(samples)}"
        results.append(at_least(task, rate / plain, LIMIT, told=told))
    return show(results)


if __name__ == "__main__":
    sys.exit(main())
