"""A process that runs command lines, each in a fork of itself.

The fixture `forks` starts it, once for all workers: one import of everything serves all commands,
and a fork of a process without threads is as good as a new one. Programs of a shell reach it by
scripts of their names, which `programs` writes.
"""

import fcntl
import json
import os
import select
import shlex
import socket
import subprocess
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

LARGEST = 1_000_000  # bytes of an order


def run(order: dict[str, Any], streams: Sequence[int]) -> None:
    """In the fork: a command line of askew's, Inspect's or Python's."""
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["cwd"])
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    program, *arguments = sys.argv = order["words"]
    if program == "inspect":
        inspect_program().load()()
    from askew.cli import main as askew

    askew(arguments)


# What commands and evals import once they run: here once, or else in every fork.
IMPORTED = (
    *("askew.cli", "askew.logs.replay", "askew.report.report", "jinja2"),
    *("askew.decide.calibrate", "askew.decide.compare", "askew.decide.gate", "askew.decide.plan"),
    *("anthropic", "openai", "s3fs", "anyio._backends._asyncio"),
    *("fastapi", "uvicorn", "rich.markdown", "altair"),
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
    # Kept by the first who asks (`tests/__init__.py`); and questions that are made by rule.
    metadata.packages_distributions()
    import_module("askew.papers").get_paper("instruction_boundary").make(items=1)


def exit_code(order: dict[str, Any], streams: Sequence[int]) -> int:
    """The exit code of a command line, or minus the signal that ended it."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 70
    try:
        run(order, streams)
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        sys.stdout.flush()
        os._exit(code)


def serve(address: str) -> None:
    """An order a connection, answered with its exit code; as long as some connection waits."""
    prepare()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
        door.bind(address)
        door.listen()
        waiting = [door.accept()[0]]
        while waiting:
            for ready in select.select([door, *waiting], [], [])[0]:
                if ready is door:
                    waiting.append(door.accept()[0])
                    continue
                waiting.remove(ready)
                order, streams, *_ = socket.recv_fds(ready, LARGEST, 3)
                if order and not os.fork():
                    ready.send(str(exit_code(json.loads(order), streams)).encode())
                    os._exit(0)
                for stream in streams:
                    os.close(stream)
                ready.close()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


PROGRAM = """#!{python} -IS
import os, sys
sys.path.insert(0, {home!r})
from forks import ordered
words = [os.path.basename(sys.argv[0]), *sys.argv[1:]]
sys.exit(ordered({address!r}, words, os.getcwd(), [0, 1, 2]))
"""


def connected(address: str) -> socket.socket:
    door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    door.connect(address)
    return door


def ordered(
    address: str, words: Sequence[str], cwd: str, streams: Sequence[int], **more: str
) -> int:
    """Have a command line done; its exit code."""
    order = {"words": [*words], "cwd": cwd, "environment": {**os.environ, **more}}
    with connected(address) as door:
        socket.send_fds(door, [json.dumps(order).encode()], streams)
        return int(door.recv(99))


class Forks:
    """Does command lines.

    Args:
        folder: where all who share the process have its address.
    """

    def __init__(self, folder: Path) -> None:
        self.address = str(folder / "forks")
        self.server: subprocess.Popen[bytes] | None = None
        with (folder / "forks.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                self.line = connected(self.address)
            except OSError:
                Path(self.address).unlink(missing_ok=True)
                self.line = self.started()

    def started(self) -> socket.socket:
        """A connection to a process that is started for it, and ends with the last of them."""
        words = [sys.executable, "-m", "tests.forks", self.address]
        self.server = subprocess.Popen(words, cwd=Path(__file__).parents[1])
        while self.server.poll() is None:
            with suppress(OSError):
                return connected(self.address)
            select.select([], [], [], 0.05)
        raise RuntimeError(f"the process for command lines ended with {self.server.returncode}")

    def __call__(self, command: str | Sequence[object], folder: Path) -> tuple[int, str, str]:
        """Do a command in a folder; its exit code, what it said, and what it said as an error."""
        words = shlex.split(command) if isinstance(command, str) else [str(w) for w in command]
        said = [folder / name for name in ("out.txt", "err.txt")]
        streams = [os.open(os.devnull, os.O_RDONLY)]
        streams += [os.open(f, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600) for f in said]
        quiet = {"INSPECT_DISPLAY": "none", "INSPECT_LOG_LEVEL": "error", "PWD": str(folder)}
        code = ordered(self.address, words, str(folder), streams, **quiet)
        for stream in streams:
            os.close(stream)
        out, err = (file.read_text(encoding="utf-8") for file in said)
        return code, out, err

    def programs(self, folder: Path) -> Path:
        """Scripts `askew` and `inspect` in a folder, which do it too."""
        folder.mkdir()
        home = str(Path(__file__).parent)
        text = PROGRAM.format(python=sys.executable, home=home, address=self.address)
        for name in ("askew", "inspect"):
            (folder / name).write_text(text, encoding="utf-8")
            (folder / name).chmod(0o755)
        return folder

    def close(self) -> None:
        self.line.close()
        if self.server:
            self.server.wait()


if __name__ == "__main__":
    serve(*sys.argv[1:])
    # Nothing of it is to be kept: an orderly end of all that it imported takes half a minute.
    os._exit(0)
