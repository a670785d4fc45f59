"""All parts of an audit, by any executor: as many at a time as connections allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from dataclasses import dataclass

from askew.audit.asking import Answered, Here, Starter, ask
from askew.audit.parts import Part, Room, under
from askew.executors import CONNECTION_LOST, WorkerError
from askew.untrusted import one_line

# So often a part is begun whose process was killed each time.
_TRIES = 3
OnPart = Callable[[Part, Answered, bool], None]
"""Hears of a part what came of it, and whether it is asked again."""


@dataclass
class _Running:
    """What is under way, and how often parts were begun."""

    rooms: Mapping[str, Room]
    waiting: list[int]
    under_way: dict[Future[Answered], int]
    tries: Counter[int]


def run_parts(
    parts: Sequence[Part],
    log_dir: str,
    executor: Executor,
    rooms: Mapping[str, Room],
    on_part: OnPart = lambda part, answered, again: None,
    starter: Starter | None = None,
) -> list[Answered]:
    """Ask every part, or complete it where its folder holds some of it; answers in their order.

    Args:
        parts: what to ask.
        log_dir: the audit's folder or address; each part has a folder of its own there.
        executor: what asks: threads here, since each part is a process of its own, or a cluster.
        rooms: the room at providers that have a limit.
        on_part: hears of each part that ended.
        starter: what processes are started for; default threads here.
    """
    starter = starter or Here()
    answers: dict[int, Answered] = {}
    run = _Running(rooms, [*range(len(parts))], {}, Counter())
    try:
        while run.waiting or run.under_way:
            _begin(run, parts, log_dir, executor, starter)
            done, _ = wait(run.under_way, return_when=FIRST_COMPLETED)
            for future in done:
                number = run.under_way.pop(future)
                answered = _answer(future)
                again = answered.lost and run.tries[number] < _TRIES
                on_part(parts[number], answered, again)
                if again:
                    run.waiting.append(number)
                else:
                    answers[number] = answered
    finally:
        for future in run.under_way:
            future.cancel()
    return [answers[number] for number in range(len(parts))]


def _begin(
    run: _Running, parts: Sequence[Part], log_dir: str, executor: Executor, starter: Starter
) -> None:
    """Send off every part that there is room for."""
    asking = Counter(p for n in run.under_way.values() for p in parts[n].uses)
    left = []
    for number in run.waiting:
        part = parts[number]
        if any(asking[p] >= run.rooms[p].parts for p in part.uses if p in run.rooms):
            left.append(number)
            continue
        asking.update(part.uses.keys())
        connections = {p: run.rooms[p].connections for p in part.uses if p in run.rooms}
        future = executor.submit(ask, part, under(log_dir, part), connections, starter)
        run.under_way[future] = number
        run.tries[number] += 1
    run.waiting[:] = left


def _answer(future: Future[Answered]) -> Answered:
    try:
        return future.result()
    except CancelledError as error:  # by Dask, of every part at once
        raise WorkerError(f"{CONNECTION_LOST}; the same command goes on from there") from error
    except Exception as error:  # whatever kept a worker from asking
        return Answered(False, why=one_line(f"{type(error).__name__}: {error}", 300))
