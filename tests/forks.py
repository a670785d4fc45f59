"""A process that runs command lines, each in a fork of itself.

The fixture `forks` starts it: one import of everything serves all commands, and a fork of a
process without threads is as good as a new one.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module, metadata
from pathlib import Path
from typing import Any


def run(order: dict[str, Any]) -> None:
    """In the fork: a command line of askew's or Inspect's."""
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["cwd"])
    for stream, path in enumerate((order["out"], order["err"]), 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), stream)
    program, *arguments = sys.argv = order["words"]
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
    """The exit code of a command line, or minus the signal that ended it."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
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
    """On stdin an order a line; on stdout what each ended with."""
    prepare()
    for line in sys.stdin:
        print(forked(json.loads(line)), flush=True)


class Forks:
    """Does command lines."""

    def __init__(self) -> None:
        self.server = subprocess.Popen(
            [sys.executable, "-m", "tests.forks"], cwd=Path(__file__).parents[1], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def __call__(self, command: str | Sequence[object], folder: Path) -> tuple[int, str, str]:
        """Do a command in a folder; its exit code, what it said, and what it said as an error."""
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        words = shlex.split(command) if isinstance(command, str) else [str(w) for w in command]
        said = [folder / name for name in ("out.txt", "err.txt")]
        for file in said:
            file.unlink(missing_ok=True)
        quiet = {"INSPECT_DISPLAY": "none", "INSPECT_LOG_LEVEL": "error"}
        order = {
            "words": words, "cwd": str(folder), "out": str(said[0]), "err": str(said[1]),
            "environment": {**os.environ, **quiet},
        }  # fmt: skip
        self.server.stdin.write(json.dumps(order) + "\n")
        self.server.stdin.flush()
        code = int(self.server.stdout.readline())
        out, err = (file.read_text(encoding="utf-8") for file in said)
        return code, out, err

    def close(self) -> None:
        # Nothing of it is to be kept: an orderly end of all that it imported takes half a minute.
        self.server.kill()
        self.server.communicate()


if __name__ == "__main__":
    serve()
