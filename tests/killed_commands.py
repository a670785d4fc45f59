"""A process that runs askew's commands, each in a fork of itself, and kills those it is told to.

Started by `tests/test_interrupted.py`: one import of everything serves all commands, and a fork
of a process without threads is as good as a new one.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_half_written() -> None:
    """When half of a file's bytes are on the disk."""

    def write(path: Path, data: Any) -> None:
        with open(path, "wb") as file:
            file.write(bytes(data)[: len(data) // 2])
            file.flush()
            die()

    Path.write_bytes = write  # type: ignore[method-assign, assignment]


def die_half_logged() -> None:
    """When half of a log's bytes are on the disk."""
    from askew.analysis import replay

    whole = replay.write_eval_log

    def write(log: Any, location: str, **options: Any) -> None:
        whole(log, location, **options)
        os.truncate(location, os.path.getsize(location) // 2)
        die()

    replay.write_eval_log = write


def die_unnamed() -> None:
    """When a file is written and has not got its name yet."""
    rename = os.replace

    def replace(source: Any, target: Any, **options: Any) -> None:
        if str(source).endswith(".part"):
            die()
        rename(source, target, **options)

    os.replace = replace  # type: ignore[assignment]


def die_asking() -> None:
    """When a model is asked for the fifth time."""
    from askew.models.respondent import Respondent

    answer, asked = Respondent.generate, [0]

    async def generate(self: Respondent, *what: Any, **how: Any) -> Any:
        asked[0] += 1
        if asked[0] == 5:
            die()
        return await answer(self, *what, **how)

    Respondent.generate = generate  # type: ignore[method-assign]


MOMENTS = {
    "half written": die_half_written,
    "half logged": die_half_logged,
    "not yet named": die_unnamed,
    "asking": die_asking,
    "": lambda: None,
}


def use_sources(cache: str, mirror: str) -> None:
    """One small file in a mirror for `data fetch`, small public sets for `data build`."""
    from askew.data import sources
    from askew.data.sources import git_blob_id
    from askew.tasks import binary_qa_builder
    from tests.data import binary_qa_files

    os.environ["ASKEW_CACHE"], os.environ["ASKEW_MIRROR"] = cache, mirror
    blob = git_blob_id((Path(mirror) / "knowno" / "boats.jsonl").read_bytes())
    boats = sources.Source("knowno/boats.jsonl", "o/r", "c" * 40, "boats.jsonl", blob, "MIT")
    sources.for_task = lambda task: (boats,)
    binary_qa_builder.FILES = binary_qa_files.pinned(binary_qa_files.write_all(Path(mirror), 40))


def run(order: dict[str, Any]) -> None:
    """In the fork: the command, which ends the process."""
    from askew.cli import main

    os.chdir(order["cwd"])
    if order["mirror"]:
        use_sources(order["cache"], order["mirror"])
    MOMENTS[order["moment"]]()
    with open(order["log"], "wb") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    main(order["arguments"])


def serve() -> None:
    """An order a line on stdin, its end a line on stdout: the exit code, or minus the signal."""
    import askew.analysis.replay  # noqa: F401
    import tests.data.binary_qa_files  # noqa: F401

    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            code = 70
            try:
                run(json.loads(line))
            except SystemExit as end:
                code = int(end.code or 0)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                sys.stdout.flush()
                os._exit(code)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
