"""How fast do askew's tasks run, against the plainest Inspect task of the same size?

Per task: samples a second on a simulated model, against a bare task of as many samples with the
same prompts, `generate()` and `match()`, on the same simulated model. Both run in this process,
in turn, and are timed in CPU seconds. What an eval costs once (its log, the table of metrics at
the end) is spread over the samples, so few samples make the ratio look worse. The ratio is the
median over rounds, within each of which all take turns: the machine's own speed moves by a tenth.

Beside it stands the floor: the bare task with one step of setup that puts the prompt together, as
any task does whose `--solver` may be replaced. No step of askew's costs less than that.

    python benchmarks/eval_overhead.py
    python benchmarks/eval_overhead.py --samples 600 --rounds 5 --tasks knowno
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from statistics import median
from tempfile import TemporaryDirectory

from bench.results import Result, at_least, cpu_seconds, show
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import match
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver
from inspect_ai.util import store

from askew.papers import OWN, get_paper, task_papers
from askew.schema import TRUTH_KEY
from askew.solvers.chain import planned_dialogue

LIMIT = 0.92
# What bend costs is in bend_cost.py: it asks an author's questions.
TASKS = [task for task in task_papers() if task in OWN]
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
    dataset = get_paper(task).make().dataset
    return [s for s in dataset if not (s.metadata or {}).get("reflection")][:samples]


def ours(task: str, samples: list[Sample]) -> Task:
    made = get_paper(task).make()
    made.dataset = MemoryDataset(samples)
    return made


@solver
def put_together() -> Solver:
    """The least step of setup: the finished prompt in place of the question."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.messages = [MESSAGES[r](content=text) for r, text in state.metadata["finished"]]
        return state

    return solve


def bare(samples: list[Sample]) -> Task:
    """The same questions as finished prompts: the messages that askew's steps would make."""
    finished = [
        s.model_copy(update={"input": [MESSAGES[r](content=t) for r, t in planned_dialogue(s)]})
        for s in samples
    ]
    return Task(dataset=MemoryDataset(finished), solver=plain_generate(), scorer=match())


def floor(samples: list[Sample]) -> Task:
    """The bare task with a step of setup."""
    told = [
        s.model_copy(update={"metadata": {**(s.metadata or {}), "finished": planned_dialogue(s)}})
        for s in samples
    ]
    dataset = MemoryDataset(told)
    return Task(dataset=dataset, setup=put_together(), solver=plain_generate(), scorer=match())


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
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--tasks", nargs="+", default=TASKS, choices=TASKS)
    given = parser.parse_args()
    results: list[Result] = []
    for task in given.tasks:
        print(f"{task}: {given.samples} samples", file=sys.stderr, flush=True)
        samples = chosen(task, given.samples)
        kinds = {"bare": bare, "floor": floor, "own": partial(ours, task)}
        for make in kinds.values():
            run(lambda m=make, s=samples: m(s[:10]))
        took: dict[str, list[float]] = {name: [] for name in kinds}
        for number in range(given.rounds):
            # Back and forth: a machine that becomes slower or faster favours none.
            for name, make in [*kinds.items()][:: 1 if number % 2 else -1]:
                took[name].append(run(lambda m=make, s=samples: m(s)))
        ratio, of_floor = (
            median(a / b for a, b in zip(took[name], took["own"], strict=True))
            for name in ("bare", "floor")
        )
        least, most = (
            of(a / b for a, b in zip(took["bare"], took["own"], strict=True)) for of in (min, max)
        )
        told = (
            f"{least:.2f} to {most:.2f} in {given.rounds} rounds of {len(samples)} samples, "
            f"{len(samples) / min(took['own']):.0f} a CPU second; {of_floor:.2f} of a task with "
            "a step of setup"
        )
        results.append(at_least(task, ratio, LIMIT, told=told))
        print(results[-1].measured, file=sys.stderr, flush=True)
    return show(results)


if __name__ == "__main__":
    sys.exit(main())
