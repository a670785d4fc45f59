"""One measured step in a process of its own, so that its peak memory is its own."""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from askew.report.study import Study
from bench.results import peak


def measured(step: str, logs: Path) -> tuple[float, float]:
    """CPU seconds of a step, imports aside, and the peak memory of its process in MB."""
    done = _run("-m", "bench.audit", step, str(logs))
    seconds, memory = json.loads(done.splitlines()[-1])
    return seconds, memory


def whole_process(program: str, *arguments: str) -> float:
    """CPU seconds of a program in a process of its own, with its imports."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run("-c", program, *arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run(*arguments: str) -> str:
    # As `askew` sets it for itself: threads that wait would count as work.
    settings = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    folder = Path(__file__).resolve().parents[1]
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=folder, env=settings
    ).stdout


def main(step: str, logs: str) -> None:
    from inspect_ai.analysis import samples_df

    if step != "samples_df":
        # What a command sets for itself: how often Python looks for cycles.
        import askew.cli  # noqa: F401

    from askew.analysis import read_observations, summarize, write_report
    from askew.decide.gate import gate
    from askew.decide.policy import read_policy

    def report() -> None:
        write_report(Study.read(logs, quiet=True), Path(logs).with_name("report.html"))

    observations = read_observations(logs, quiet=True) if step == "summarize" else None
    policy = read_policy(Path(__file__).resolve().parents[2] / "docs" / "policy.yaml")
    steps = {
        "samples_df": lambda: samples_df(logs, quiet=True),
        "read_observations": lambda: read_observations(logs, quiet=True),
        "summarize": lambda: summarize(observations),
        "report": report,
        "gate": lambda: gate(Study.read(logs, quiet=True), policy),
    }
    began = time.process_time()
    steps[step]()
    seconds = time.process_time() - began
    print(json.dumps([seconds, peak()]))


if __name__ == "__main__":
    main(*sys.argv[1:])
