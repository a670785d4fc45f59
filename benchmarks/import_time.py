"""How long does askew take to import, and its command line to say what it does?

Each runs in a process of its own, in turn with `import inspect_ai`; the median of CPU times.

    python benchmarks/import_time.py
"""

import argparse
import resource
import statistics
import subprocess
import sys

from bench.results import Result, at_most, show

LIMIT = 1.3
COMMANDS = {
    "import inspect_ai": ["-c", "import inspect_ai"],
    "import askew": ["-c", "import askew"],
    "askew --help": ["-c", "from askew.cli import main; main(['--help'])"],
    "import askew._registry (all tasks)": ["-c", "import askew._registry"],
}


def _cpu(arguments: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(rounds):
        for name, arguments in COMMANDS.items():
            times[name].append(_cpu(arguments))
    middle = {name: statistics.median(t) for name, t in times.items()}
    alone = middle.pop("import inspect_ai")
    results = [Result("import inspect_ai", f"{alone:.2f} s")]
    for name, seconds in middle.items():
        told = f"{seconds:.2f} s"
        if "registry" in name:
            # What Inspect loads on every command once askew is installed; shown, not judged.
            results.append(Result(f"{name}: ratio", f"{seconds / alone:.2f}  ({told})"))
        else:
            results.append(at_most(f"{name}: ratio", seconds / alone, LIMIT, told=told))
    return show(results)


if __name__ == "__main__":
    sys.exit(main())
