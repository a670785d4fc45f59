"""A process that runs askew's commands, each in a fork of itself, and kills those it is told to.

Started by `tests/test_interrupted.py`: one import of everything serves all commands, and a fork
of a process without threads is as good as a new one.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
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


def die_half_written(number: int = 1) -> None:
    """When half of a file's bytes are on the disk: of the first file, or a later one."""
    whole, begun = Path.write_bytes, [0]

    def write(path: Path, data: Any) -> int:
        begun[0] += 1
        if begun[0] < number:
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


def die_half_logged() -> None:
    """When half of a log's bytes are on the disk."""
    from askew.logs import replay

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
    "third half written": lambda: die_half_written(3),
    "past 4 KB": die_past_4_kb,
    "half logged": die_half_logged,
    "not yet named": die_unnamed,
    "asking": lambda: die_asking(5),
    "second turn": lambda: die_asking(4, _is_second_turn),
    "judging": lambda: die_asking(4, _is_judge),
    "": lambda: None,
}


def use_sources(cache: str, mirror: str) -> None:
    """One small file in a mirror for `data fetch`, small public sets for `data build`."""
    from askew.papers.binary_qa.builder import rewriting as binary_qa_builder
    from askew.sources import pinned as sources
    from tests.papers.binary_qa import source_files as binary_qa_files

    os.environ["ASKEW_CACHE"], os.environ["ASKEW_MIRROR"] = cache, mirror
    blob = sources.git_blob_id(Path(mirror) / "knowno" / "boats.jsonl")
    boats = sources.on_github("knowno", "o/r", "c" * 40, "MIT", {"boats.jsonl": blob})
    sources.sources_of = lambda paper: tuple(boats.values())
    binary_qa_builder.FILES = binary_qa_files.pinned(binary_qa_files.write_all(Path(mirror), 40))


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
    """In the fork: the command, or `eval-set`, which ends the process."""
    from askew.cli import main

    os.chdir(order["cwd"])
    if order["mirror"]:
        use_sources(order["cache"], order["mirror"])
    MOMENTS[order["moment"]]()
    with open(order["log"], "wb") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    if order["arguments"][0] == "eval-set":
        eval_all_tasks(order["arguments"][1])
    main(order["arguments"])


def serve() -> None:
    """An order a line on stdin, its end a line on stdout: the exit code, or minus the signal."""
    import askew.logs.replay  # noqa: F401
    import askew.papers
    import tests.papers.binary_qa.source_files  # noqa: F401

    for paper in askew.papers.papers():
        paper.part("tasks")
    for package in ("anthropic", "openai"):
        # An eval looks into those that are installed: once here, or else in every fork.
        with suppress(ImportError):
            import_module(package)
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
