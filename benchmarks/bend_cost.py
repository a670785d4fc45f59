"""What does a sample of a bent task cost, against the author's own?

The same questions on the same model that answers at once: the author's task with as many samples
as the bent one has over all arms. Both run in this process, in turn, timed in CPU seconds. What
an eval costs once (the table of metrics while it runs) is spread over the samples.

    python benchmarks/bend_cost.py
    python benchmarks/bend_cost.py --samples 10000 --rounds 1
"""

import argparse
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.results import Result, at_most, cpu_seconds, show
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.scorer import choice, match
from inspect_ai.solver import generate, multiple_choice

from askew.bend import bend

LIMIT = 1.25
MODEL = "at_once/any"
USAGE = ModelUsage(input_tokens=90, output_tokens=4, total_tokens=94)


@modelapi(name="at_once")
class AtOnce(ModelAPI):
    """Says the same to everything."""

    async def generate(self, input, tools, tool_choice, config):  # type: ignore[no-untyped-def]
        said = ModelOutput.from_content(self.model_name, "ANSWER: A")
        said.usage = USAGE
        return said


def of_choices(n: int) -> Task:
    samples = [
        Sample(
            id=i,
            input=f"Which of these numbers is the successor of {i}, counted in whole steps?",
            choices=[f"the number {i + step}, as a rule" for step in (1, 2, 3, 4)],
            target="ABCD"[i % 4],
        )
        for i in range(n)
    ]
    return Task(dataset=MemoryDataset(samples), solver=multiple_choice(), scorer=choice())


def of_words(n: int) -> Task:
    samples = [Sample(id=i, input=f"What comes after {i}?", target=str(i + 1)) for i in range(n)]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=match())


# The author's task, and treatments that make one call a sample.
TASKS = {
    "multiple choice": (of_choices, "repeat,absent,order,suggestion", {}),
    "free answer": (of_words, "repeat,framing", {"framing": "Think of a garden."}),
}


def run(task: Task) -> tuple[float, float]:
    """CPU seconds and bytes of the log."""
    with TemporaryDirectory() as folder:

        def whole() -> None:
            (log,) = eval(task, model=MODEL, display="none", log_dir=folder, log_level="error")
            if log.status != "success":
                raise RuntimeError(f"{log.eval.task}: {log.error}")

        seconds = cpu_seconds(whole)
        return seconds, sum(f.stat().st_size for f in Path(folder).iterdir())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS))
    given = parser.parse_args()
    results: list[Result] = []
    for name in given.tasks:
        make, treatments, more = TASKS[name]
        arms = len(treatments.split(",")) + 1
        n = given.samples // arms * arms
        run(make(10))
        run(bend(make(4), treatments, **more))
        found = []
        for _ in range(given.rounds):
            theirs, their_size = run(make(n))
            own, own_size = run(bend(make(n // arms), treatments, **more))
            found.append((own / theirs, own, theirs))
        ratios = sorted(ratio for ratio, *_ in found)
        own, theirs = (median(seconds) for seconds in zip(*(f[1:] for f in found), strict=True))
        told = (
            f"{ratios[0]:.2f} to {ratios[-1]:.2f} in {given.rounds} rounds, {1000 * own / n:.1f} "
            f"against {1000 * theirs / n:.1f} ms a sample, logs {own_size / their_size:.2f} times "
            f"as large, n = {n:,}"
        )
        results.append(at_most(name, median(ratios), LIMIT, told=told))
    return show(results)


if __name__ == "__main__":
    sys.exit(main())
