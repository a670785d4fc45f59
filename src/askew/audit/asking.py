"""One part of an audit in a process of its own, which ends when nobody waits for it any more.

Two processes that complete one part would ask everything twice. So the process reads its order from
a pipe that its starter holds open: when that dies, however it dies, the pipe ends and so does this.
A starter that lives looks whether the part is still wanted, and ends the process where it is not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from askew.audit.parts import Part
from askew.untrusted import one_line

_LEFT_ALONE = 3
# Seconds between two looks whether a part is still wanted.
_LOOK = 0.5
_UNDER_WAY: list[str] = []
OnBegun = Callable[[Part], None]


class Starter(Protocol):
    """What a part's process is started for."""

    def begun(self, part: Part) -> None:
        """Say that a part begins."""

    def wanted(self) -> bool:
        """Whether somebody still waits for the part that this thread asks."""


class Here:
    """Threads of this process start parts."""

    def __init__(self, on_begun: OnBegun = lambda part: None) -> None:
        self._on_begun = on_begun
        self._stopped = threading.Event()

    def begun(self, part: Part) -> None:
        self._on_begun(part)

    def wanted(self) -> bool:
        return not self._stopped.is_set()

    def stop(self) -> None:
        """Give up every part."""
        self._stopped.set()


@dataclass(frozen=True)
class Answered:
    """What came of a part."""

    success: bool
    samples: int = 0
    why: str = ""
    lost: bool = False
    """Whether its process was killed: then it is worth another try."""


def under_way() -> list[str]:
    """The folders that processes of this one are asking into."""
    return [*_UNDER_WAY]


def ask(part: Part, log_dir: str, connections: Mapping[str, int], starter: Starter) -> Answered:
    """Ask a part, or complete it.

    Args:
        part: what to ask.
        log_dir: the part's own folder.
        connections: by provider, how many each of its models may open.
        starter: hears that it begins, and knows whether it is still wanted.
    """
    order = {"part": asdict(part), "log_dir": log_dir, "connections": dict(connections)}
    sent = json.dumps(order)
    _UNDER_WAY.append(log_dir)
    try:
        starter.begun(part)
        return _answered_apart(sent, starter)
    finally:
        _UNDER_WAY.remove(log_dir)


def _answered_apart(order: str, starter: Starter) -> Answered:
    """What a process says that is given this order; it has ended then, whatever happens here."""
    process = subprocess.Popen(
        [sys.executable, "-m", "askew.audit.asking"], text=True, encoding="utf-8",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    answered: list[str] = []
    said: list[str] = []
    listeners = [
        threading.Thread(target=heard.extend, args=(stream,), daemon=True)
        for heard, stream in ((answered, process.stdout), (said, process.stderr))
    ]
    wanted = True
    try:
        for listener in listeners:
            listener.start()
        with suppress(BrokenPipeError):  # how it ended tells why
            process.stdin.write(order + "\n")
            process.stdin.flush()
        while process.poll() is None and (wanted := starter.wanted()):
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK)
    finally:
        process.kill()
        code = process.wait()
        for listener in listeners:
            listener.join()
    if not wanted:
        return Answered(False, why="nobody waits for it any more")
    if code == 0 and answered:
        return Answered(**json.loads(answered[-1]))
    if code < 0:
        return Answered(False, why=f"its process ended by signal {-code}", lost=True)
    last = next((line for line in reversed(said) if line.strip()), f"exit code {code}")
    return Answered(False, why=one_line(last, 300))


def _asked(order: Mapping[str, Any]) -> Answered:
    """The part of an order, asked here."""
    from inspect_ai import eval_set
    from inspect_ai.model import GenerateConfig, get_model

    from askew.audit.audit_file import provider_of
    from askew.papers import asked_for

    part = Part(**order["part"])
    room: Mapping[str, int] = order["connections"]

    def config_of(model: str, **config: Any) -> GenerateConfig:
        return GenerateConfig(**config, max_connections=room.get(provider_of(model)))

    # Each model has its own limit: one that the eval is given goes for those of all roles.
    model = get_model(
        part.model,
        config=config_of(part.model, **part.config),
        base_url=part.base_url,
        **part.args,
    )
    roles = {r: get_model(name, config=config_of(name)) for r, name in part.roles.items()}
    done, logs = eval_set(
        [asked_for(part.task).make(**part.parameters)],
        log_dir=order["log_dir"],
        model=model,
        model_roles=roles or None,
        epochs=part.epochs if part.epochs > 1 else None,
        fail_on_error=False,
        display="none",
        log_level="error",
        score_display=False,
        **part.config,
    )
    scored = sum(log.results.completed_samples for log in logs if log.results)
    why = next((log.error.message for log in logs if log.error), "")
    return Answered(done, scored, one_line(why, 300))


def _end_with_starter() -> None:
    """Until the pipe ends: nobody waits for the answers then."""
    sys.stdin.read()
    os._exit(_LEFT_ALONE)


def main() -> None:
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_starter, daemon=True).start()
    # What libraries print is not the answer.
    answers, sys.stdout = sys.stdout, sys.stderr
    found = _asked(order)
    print(json.dumps(asdict(found)), file=answers, flush=True)
    # The reader of the pipe would hold up an orderly end.
    os._exit(0)


if __name__ == "__main__":
    main()
