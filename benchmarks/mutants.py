"""Do the quick tests notice a single fault? Faults are mutmut's, drawn by a seed.

    python benchmarks/mutants.py
    python benchmarks/mutants.py --count 60 --only decide/
    python benchmarks/mutants.py --survivors .mutants/results.tsv --seconds 300

Each fault is put, in memory, into a process of its own, where it meets quick tests that run the
function it is in: first of the file that is named like its module, then of those that run its very
line, the quickest first. What is in no function meets the nearest by imports. A fault that nothing
notices survives: some change nothing. A report, and no gate: it asks for no share.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import os
import re
import resource
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.machinery import SourceFileLoader
from itertools import chain, takewhile, zip_longest
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "askew"
# What makes a number of a reply, and what is decided by it.
AREAS = {
    "stats": ("stats/*.py",),
    "numbers": ("papers/*/numbers.py", "papers/*/score*.py", "papers/*/option_lists.py"),
    "readers": ("reading/**/*.py", "papers/*/reading.py", "papers/*/rules.py",
                "papers/mathcomp/loose_json.py"),
    "scorers": ("papers/*/scorer.py", "scoring/*.py"),
    "decisions": ("decide/*.py",),
}  # fmt: skip
QUICK = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not whole and not browser"]
# Seconds of tests that a fault meets, and how many imports may lie between them and its module.
TRIED, FURTHEST = 30.0, 3
# So many test files, by how few imports lie between, are looked at for who runs what.
NEAREST = 24
# A file of tests that takes longer by itself is not waited for.
MOST_SECONDS = 300.0
WALKS = {"askew.papers.names", "askew.papers.get_paper"}
# What `zip` is told of lengths guards against a mistake, and changes no result where there is none.
GUARD = re.compile(r",\s*strict=\w+|,\s*(?=\))")


@dataclass(frozen=True)
class Fault:
    """A change of one place in a file: the file as it then is, and the first lines that differ."""

    area: str
    file: str
    line: int
    was: str
    now: str
    source: str

    @property
    def key(self) -> str:
        return f"{self.file}: {self.was} -> {self.now}"


@dataclass(frozen=True)
class Place:
    """What mutmut would change, and into what; only what is drawn is made."""

    area: str
    path: Path
    kind: str
    words: str
    module: Any
    mutation: Any

    def fault(self) -> Fault:
        file = self.path.relative_to(SOURCE).as_posix()
        made = self.module.deep_replace(self.mutation.original_node, self.mutation.mutated_node)
        pair = self.module.code.splitlines(), made.code.splitlines()
        line = next((i for i, (a, b) in enumerate(zip(*pair, strict=False)) if a != b), 0)
        # From the end on, what is the same again.
        ends = zip(*(p[line:][::-1] for p in pair), strict=False)
        same = len(list(takewhile(lambda ends: ends[0] == ends[1], ends)))
        was, now = (" ".join(map(str.strip, p[line : len(p) - same])) for p in pair)
        return Fault(self.area, file, line + 1, was, now, made.code)


def places_of(area: str, path: Path) -> Iterator[Place]:
    """Every fault that mutmut knows for a file, without those in words for people and in guards."""
    import libcst as cst
    from mutmut.mutation.file_mutation import create_mutations

    module, found, *_ = create_mutations(str(path), path.read_text(encoding="utf-8"))
    said = {id(node) for raised in _all(module, cst.Raise) for node in _all(raised, cst.CSTNode)}
    guards = [a for a in _all(module, cst.Arg) if a.keyword and a.keyword.value == "strict"]
    said |= {id(node) for guard in guards for node in _all(guard, cst.CSTNode)}
    times: Counter[str] = Counter()
    for made in found:
        old = made.original_node
        if id(old) in said or (isinstance(old, cst.SimpleString) and " " in old.value):
            continue
        was, now = (module.code_for_node(node) for node in (old, made.mutated_node))
        if GUARD.sub("", was) == GUARD.sub("", now):
            continue
        words = f"{path.relative_to(SOURCE)} {was} -> {now}"
        times[words] += 1
        yield Place(area, path, type(old).__name__, f"{words} {times[words]}", module, made)


def _all(node: Any, kind: type) -> Iterator[Any]:
    if isinstance(node, kind):
        yield node
    for child in node.children:
        yield from _all(child, kind)


def drawn(
    count: int, seed: int, only: str, files: int | None = None, areas: Collection[str] = AREAS
) -> list[Fault]:
    """Faults in turn from each area and, there, from each kind; most are of calls otherwise.

    Which are drawn hangs on each fault's own words: a change elsewhere leaves the rest as it is.
    """

    def order(of: Place | Path) -> str:
        words = of.words if isinstance(of, Place) else of.relative_to(SOURCE).as_posix()
        return hashlib.sha256(f"{seed} {words}".encode()).hexdigest()

    turns: dict[str, dict[str, list[Place]]] = defaultdict(lambda: defaultdict(list))
    for area in areas:
        patterns = AREAS[area]
        paths = sorted(chain.from_iterable(map(SOURCE.glob, patterns)), key=order)
        wanted = [p for p in paths if only in p.relative_to(SOURCE).as_posix()]
        for place in (place for path in wanted[:files] for place in places_of(area, path)):
            turns[area][place.kind].append(place)

    queues = []
    for kinds in turns.values():
        ranked = [sorted(kinds[kind], key=order) for kind in sorted(kinds)]
        queues.append([p for turn in zip_longest(*ranked) for p in turn if p is not None])
    places = [p for turn in zip_longest(*queues) for p in turn if p is not None]
    return [place.fault() for place in places[:count]]


class Nearest:
    """Which test files meet a fault: those that run its function, the quickest first."""

    def __init__(self, folder: Path, tried: float = TRIED) -> None:
        self._kept, self._tried = folder / "runs.json", tried
        self._runs: dict[str, Run] = {}
        if self._kept.exists():
            kept = json.loads(self._kept.read_text("utf-8"))
            self._runs = {path: Run(**run) for path, run in kept.items()}
        self._bodies: dict[str, list[range]] = {}
        self._imports = {
            path: _imported(path)
            for path in (*SOURCE.rglob("*.py"), *(ROOT / "tests").rglob("test_*.py"))
        }
        self._ranks: dict[str, list[str]] = {}

    def tests(self, fault: Fault) -> tuple[list[str], float]:
        """The files that meet a fault, the likeliest to notice first, and their seconds in all."""
        if fault.file not in self._ranks:
            self._ranks[fault.file] = self._ranked(SOURCE / fault.file)
        ranks = self._ranks[fault.file][:NEAREST]
        body = self._body(fault)
        lines = {
            path: run.lines_of(fault.file) for path in ranks if (run := self._run(path)).passes
        }
        # What runs when a module is imported is run by all who import it: the nearest come first.
        meet = [p for p in ranks if lines.get(p, set()) & {*body}] if body else [*lines]
        if body:
            named = meet[:1] if meet[:1] == ranks[:1] else []
            rest = sorted({*meet} - {*named}, key=lambda p: (
                fault.line not in lines[p], self._runs[p].seconds))  # fmt: skip
            meet = [*named, *rest]
        chosen: list[str] = []
        spent = 0.0
        for path in meet:
            took = self._runs[path].seconds
            if not chosen or spent + took <= self._tried:
                chosen.append(path)
                spent += took
        return chosen, spent

    def _body(self, fault: Fault) -> range:
        """The lines of the innermost function around a fault; none at a module's own level."""
        if fault.file not in self._bodies:
            tree = ast.parse((SOURCE / fault.file).read_text("utf-8"))
            kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
            self._bodies[fault.file] = [
                range(node.body[0].lineno, (node.end_lineno or 0) + 1)
                for node in ast.walk(tree) if isinstance(node, kinds)
            ]  # fmt: skip
        around = [body for body in self._bodies[fault.file] if fault.line in body]
        return min(around, key=len, default=range(0))

    def _ranked(self, module: Path) -> list[str]:
        """Test files by how many imports lie between; first those that are named like it."""
        apart, edge = {_name_of(module): 0}, {_name_of(module)}
        found: dict[Path, int] = {}
        for step in range(1, FURTHEST + 1):
            users = [path for path, names in self._imports.items() if names & edge]
            for path in users:
                if path.name.startswith("test_"):
                    found.setdefault(path, step)
            edge = {_name_of(p) for p in users if p.is_relative_to(SOURCE)} - apart.keys()
            apart |= dict.fromkeys(edge, step)
        # What walks over all papers imports none of them.
        found |= {path: 2 for path in (ROOT / "tests").glob("test_*.py")
                  if WALKS & self._imports[path] and found.get(path, 9) > 2}  # fmt: skip
        home = ROOT / "tests" / module.relative_to(SOURCE).parent
        if not home.exists():
            home = ROOT / "tests" / home.name

        def order(path: Path) -> tuple[bool, int, bool, str]:
            is_named = path.stem.removeprefix("test_") == module.stem and path.parent == home
            return not is_named, found.get(path, 0), path.parent != home, str(path)

        named = home / f"test_{module.stem}.py"
        paths = sorted({*found, *([named] if named.exists() else [])}, key=order)
        return [str(path.relative_to(ROOT)) for path in paths]

    def _run(self, path: str) -> Run:
        """A file's quick tests without any fault: what they take, and which lines they run."""
        digest = hashlib.sha256((ROOT / path).read_bytes()).hexdigest()
        if path not in self._runs or self._runs[path].digest != digest:
            lines = self._kept.with_name("lines.json")
            lines.unlink(missing_ok=True)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            _, status = os.waitpid(forked(lambda: watched([path], lines)), 0)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            ended = os.waitstatus_to_exitcode(status)
            found = json.loads(lines.read_text("utf-8")) if ended == 0 else {}
            self._runs[path] = Run(digest, spent, ended == 0, found)
            # Nothing to run there is quick and fine, and tells nothing.
            if ended not in (0, 5):
                print(f"{path} does not pass as it stands: left out", flush=True)
            kept = {path: vars(run) for path, run in self._runs.items()}
            self._kept.write_text(json.dumps(kept), encoding="utf-8")
        return self._runs[path]


@dataclass(frozen=True)
class Run:
    """A file of tests as it stands: its words, its seconds, and which lines of askew it runs."""

    digest: str
    seconds: float
    passes: bool
    lines: Mapping[str, list[int]]

    def lines_of(self, file: str) -> set[int]:
        return {*self.lines.get(file, ())}


def watched(tests: list[str], said: Path) -> int:
    """What pytest ends with, and in a file the lines of askew that were run."""
    from coverage import Coverage

    watching = Coverage(data_file=None, include=[f"{SOURCE}/*"])
    watching.start()
    ended = int(pytest.main([*QUICK, *tests]))
    watching.stop()
    data = watching.get_data()
    lines = {
        Path(file).relative_to(SOURCE).as_posix(): sorted(data.lines(file) or ())
        for file in data.measured_files()
    }
    said.write_text(json.dumps(lines), encoding="utf-8")
    return ended


def _name_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


def _imported(path: Path) -> set[str]:
    """The modules that a file imports, and what from them; a test also what it mirrors."""
    found: set[str] = set()
    if path.name.startswith("test_"):
        parts = path.relative_to(ROOT / "tests").with_suffix("").parts
        found.add(".".join(("askew", *parts[:-1], parts[-1].removeprefix("test_"))))
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


class _First:
    """The first test that noticed."""

    test = "nothing could be collected"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.test = report.nodeid


def planted(fault: Fault | None, tests: list[str], said: Path | None = None) -> int:
    """What pytest ends with where a fault is in the place of its file; 0: nobody noticed."""
    if fault is not None:
        place, code_of = str(SOURCE / fault.file), SourceFileLoader.get_code
        made = compile(fault.source, place, "exec")

        def get_code(self: SourceFileLoader, name: str) -> Any:
            return made if self.path == place else code_of(self, name)

        SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    first = _First()
    ended = int(pytest.main([*QUICK, *tests], plugins=[first]))
    if ended and said:
        said.write_text(first.test, encoding="utf-8")
    return ended


def forked(work: Callable[[], int], seconds: float = MOST_SECONDS) -> int:
    """A quiet process that does this; what is imported by now it need not import again.

    Its limit is of processor time, so that other load changes no verdict.
    """
    if pid := os.fork():
        return pid
    ended = 3
    try:
        sink = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(sink, stream)
        most = math.ceil(seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
        signal.alarm(20 * most)
        ended = work()
    finally:
        os._exit(ended)


def outcomes(
    faults: Sequence[Fault], nearest: Nearest, folder: Path, workers: int
) -> Iterator[tuple[Fault, str, str]]:
    """Each fault with its verdict, and the test that noticed it."""
    running: dict[int, tuple[Fault, Path]] = {}

    def ended() -> tuple[Fault, str, str]:
        pid, status = os.wait()
        fault, said = running.pop(pid)
        if os.WIFSIGNALED(status):
            return fault, "caught", "no end"
        noticed = said.read_text("utf-8") if said.exists() else "a crash" if status else ""
        return fault, "caught" if noticed else "survived", noticed

    for number, fault in enumerate(faults):
        if len(running) == workers:
            yield ended()
        tests, seconds = nearest.tests(fault)
        said = folder / f"noticed-{number}"
        said.unlink(missing_ok=True)
        met = partial(planted, fault, tests, said)
        running[forked(met, 3 * seconds + 20)] = fault, said
    while running:
        yield ended()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--skip", type=int, default=0, help="faults of the sample, from its start")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--area", action="append", choices=[*AREAS], help="default all")
    parser.add_argument("--only", default="", help="files whose path holds this")
    parser.add_argument("--files", type=int, help="so many files of each area, default all")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=ROOT / ".mutants")
    parser.add_argument("--seconds", type=float, default=TRIED, help="of tests that a fault meets")
    parser.add_argument("--again", action="store_true", help="run the test files anew")
    parser.add_argument(
        "--survivors", type=Path, help="only those that survived in this results.tsv"
    )
    asked = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    asked.folder.mkdir(exist_ok=True)
    for heavy in ("inspect_ai", "inspect_ai.analysis", "pandas", "pyarrow", "hypothesis"):
        __import__(heavy)
    if asked.again:
        (asked.folder / "runs.json").unlink(missing_ok=True)
    faults = drawn(asked.count, asked.seed, asked.only, asked.files, asked.area or AREAS)
    faults = faults[asked.skip :]
    if asked.survivors:
        said = [line.split("\t") for line in asked.survivors.read_text("utf-8").splitlines()]
        left = {key for verdict, _, key, _ in said if verdict == "survived"}
        faults = [fault for fault in faults if fault.key in left]
    counts: Counter[tuple[str, str]] = Counter()
    nearest = Nearest(asked.folder, asked.seconds)
    with (asked.folder / "results.tsv").open("a", encoding="utf-8") as results:
        for fault, verdict, noticed in outcomes(faults, nearest, asked.folder, asked.workers):
            counts[fault.area, verdict] += 1
            print(verdict, fault.line, fault.key, noticed, sep="\t", file=results, flush=True)
            if verdict == "survived":
                print(f"survived: {fault.file}:{fault.line}\n  - {fault.was}\n  + {fault.now}",
                      flush=True)  # fmt: skip
    print(f"\n{'':12}{'faults':>8}{'caught':>8}{'survived':>10}")
    for area in (*AREAS, "all"):
        of = {v: sum(n for (a, said), n in counts.items() if said == v and area in (a, "all"))
              for v in ("caught", "survived")}  # fmt: skip
        print(f"{area:12}{sum(of.values()):8}{of['caught']:8}{of['survived']:10}")
    share = of["caught"] / max(1, of["caught"] + of["survived"])
    print(f"{share:.0%} of the faults are caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())
