"""A process that runs command lines, each in a fork of itself, and kills those it is told to.

The fixture `forks` starts it: one import of everything serves all commands, and a fork of a
process without threads is as good as a new one.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module, metadata
from pathlib import Path
from typing import Any


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


# Every task that can ask twice or ask a judge does.
ALL_TASKS: Mapping[str, Mapping[str, Any]] = {
    "knowno": {"items": 2, "judge": True},
    "instruction_boundary": {"items": 3, "setting": "multi_turn"},
    "mathcomp": {"items": 1, "output": "cot", "read": "judge"},
    "format_bias": {"items": 2, "prompting": "zs"},
    "binary_qa": {"items": 1},
}
EPOCHS = 2


def die_half_written() -> None:
    """When half of a file is on the disk."""
    whole = Path.write_bytes

    def write(path: Path, data: Any) -> int:
        if path.parent.name == "vega":  # a cache
            return whole(path, data)
        with open(path, "wb") as file:
            file.write(bytes(data)[: len(data) // 2])
            file.flush()
            die()
        raise AssertionError("alive")

    Path.write_bytes = write  # type: ignore[method-assign, assignment]


def die_past_4_kb() -> None:
    """When 4 KB of a file are on the disk, whoever writes it and however.

    The kernel ends the process within the write, by a signal that nothing here hears of.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def die_unnamed() -> None:
    """When a file is written and has not got its name yet."""
    rename = os.replace

    def replace(source: Any, target: Any, **options: Any) -> None:
        if str(source).endswith(".part"):
            die()
        rename(source, target, **options)

    os.replace = replace  # type: ignore[assignment]


def die_asking(
    number: int, which: Callable[[str, Any], bool] = lambda model, dialogue: True
) -> None:
    """When a model is asked for that time, of all askings or of some."""
    from askew.respondents.provider import Respondent

    answer, asked = Respondent.generate, [0]

    async def generate(self: Respondent, input: Any, *what: Any, **how: Any) -> Any:
        asked[0] += which(self.model_name, input)
        if asked[0] == number:
            die()
        return await answer(self, input, *what, **how)

    Respondent.generate = generate  # type: ignore[method-assign]


def _is_second_turn(model: str, dialogue: Any) -> bool:
    return any(message.role == "assistant" for message in dialogue)


def _is_judge(model: str, dialogue: Any) -> bool:
    return model == "oracle"


MOMENTS = {
    "half written": die_half_written,
    "past 4 KB": die_past_4_kb,
    "not yet named": die_unnamed,
    "asking": lambda: die_asking(5),
    "second turn": lambda: die_asking(4, _is_second_turn),
    "judging": lambda: die_asking(4, _is_judge),
    "": lambda: None,
}


def eval_all_tasks(folder: str) -> None:
    """An eval-set of every task; each sample is in the log as soon as it is done."""
    from inspect_ai import eval_set

    from askew.papers import asked_for

    done, _ = eval_set(
        [asked_for(name).make(**given) for name, given in ALL_TASKS.items()],
        model="respondent/typical", model_roles={"grader": "respondent/oracle"}, log_dir=folder,
        epochs=EPOCHS, max_samples=2, log_buffer=1, display="none", log_level="error",
    )  # fmt: skip
    sys.exit(0 if done else 1)


def run(order: dict[str, Any]) -> None:
    """In the fork: a command line of askew's or Inspect's, or an eval-set that ends the process."""
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["cwd"])
    MOMENTS[order["moment"]]()
    for stream, path in enumerate((order["out"], order["err"]), 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), stream)
    program, *arguments = sys.argv = order["words"]
    if program == "eval all tasks":
        eval_all_tasks(*arguments)
    if program == "inspect":
        inspect_program().load()()
    from askew.cli import main as askew

    askew(arguments)


# What commands and evals import once they run: here once, or else in every fork.
IMPORTED = (
    *("askew.cli", "askew.logs.replay", "askew.report.report", "askew.report.page", "jinja2"),
    *("askew.decide.calibrate", "askew.decide.compare", "askew.decide.gate", "askew.decide.plan"),
    *("anthropic", "openai", "s3fs", "anyio._backends._asyncio"),
    *("fastapi", "uvicorn", "rich.markdown"),
)


def inspect_program() -> metadata.EntryPoint:
    """The command line `inspect`, as it is installed."""
    (program,) = metadata.entry_points(group="console_scripts", name="inspect")
    return program


def prepare() -> None:
    for name in IMPORTED:
        with suppress(ImportError):
            import_module(name)
    for point in metadata.entry_points(group="inspect_ai"):
        point.load()
    inspect_program().load()
    # Kept by the first who asks (`tests/__init__.py`).
    metadata.packages_distributions()


def forked(order: dict[str, Any]) -> int:
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        run(order)
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        sys.stdout.flush()
        os._exit(code)


def serve() -> None:
    """On stdin an order or the number of a process a line; on stdout the number or its end.

    The end is the exit code, or minus the signal.
    """
    prepare()
    for line in sys.stdin:
        told = json.loads(line)
        if isinstance(told, dict):
            print(forked(told), flush=True)
        else:
            print(os.waitstatus_to_exitcode(os.waitpid(told, 0)[1]), flush=True)


class Forks:
    """Starts command lines and awaits their end."""

    def __init__(self) -> None:
        self.server = subprocess.Popen(
            [sys.executable, "-m", "tests.forks"], cwd=Path(__file__).parents[1], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def _asked(self, what: Any) -> int:
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.server.stdin.write(json.dumps(what) + "\n")
        self.server.stdin.flush()
        return int(self.server.stdout.readline())

    def start(
        self, words: Sequence[object], folder: Path, *, output: str = "output.txt",
        errors: str = "", moment: str = "", **environment: str,
    ) -> int:  # fmt: skip
        """The number of a process that does a command in a folder; its output is a file there."""
        quiet = {"INSPECT_DISPLAY": "none", "INSPECT_LOG_LEVEL": "error"}
        return self._asked(
            {
                "words": [str(w) for w in words], "cwd": str(folder), "moment": moment,
                "out": str(folder / output), "err": str(folder / (errors or output)),
                "environment": {**os.environ, **quiet, **environment},
            }
        )  # fmt: skip

    def ended(self, process: int) -> int:
        """What a process ended with: its exit code, or minus the signal."""
        return self._asked(process)

    def close(self) -> None:
        # Nothing of it is to be kept: an orderly end of all that it imported takes half a minute.
        self.server.kill()
        self.server.communicate()


if __name__ == "__main__":
    serve()
