"""A bent sample while its author's solver is at work: its calls are treated, and seen to be.

What is watched stands in a context of its own: other samples and tasks of the process, and what a
scorer asks of a model, pass untouched.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache

from inspect_ai.hooks import BeforeModelGenerate, Hooks, hooks
from inspect_ai.model import ChatMessage

from askew.treatments import Arm, Case, get_treatment
from askew.untrusted import make_whole

PLAIN = Arm("plain", "plain")
# Inspect's own default for the longest tool output, which a call of a model does not read.
_OWN_KEY = 16 * 1024
# Calls of one sample that may be under way at once and be tried again.
_UNDER_WAY = 64


@dataclass
class Watch:
    """One sample: how it is asked, and whether that reached the model."""

    case: Case
    model: str
    """Calls of other models are the solver's own matter."""
    reached_model: bool = False
    failed: str = ""
    changed: deque[tuple[list[ChatMessage], list[ChatMessage], list[ChatMessage]]] = field(
        default_factory=lambda: deque(maxlen=_UNDER_WAY)
    )
    """Lists of messages that were changed for a call: the list, what it held, what it held then."""

    @property
    def acted(self) -> bool | str:
        """Whether the treatment reached the model, or why it failed."""
        return self.failed or self.reached_model

    def see(self, call: BeforeModelGenerate) -> None:
        """Treat a call that is about to be made, and see whether it shows the treatment."""
        make_whole(call.input)  # a reply that is an earlier turn by now
        case = self.case
        if case.arm == PLAIN:
            self.reached_model = True
            return
        treatment = get_treatment(case.arm.treatment)
        if treatment.place == "call":
            # A call that is tried again comes again, with what was made of it.
            self.undo(call.input)
            before = [*call.input]
            acted = treatment.apply_to_call(call, case)
            if not _same(before, call.input):
                self.changed.append((call.input, before, [*call.input]))
        else:
            acted = treatment.reached_model(call.input, case)
        # It is part of the cache's key and never sent: no arm answers from another's cache.
        of_arm = int.from_bytes(hashlib.sha256(case.arm.name.encode()).digest()[:6], "big")
        own = secrets.randbits(48) if treatment.uncached else of_arm
        call.config.max_tool_output = _OWN_KEY + own
        self.reached_model = self.reached_model or acted

    def undo(self, messages: list[ChatMessage]) -> None:
        """Give a list back what it held before it was changed for a call: it may be the agent's."""
        for changed, before, after in reversed(self.changed):
            if changed is messages and _same(messages[: len(after)], after):
                messages[: len(after)] = before
                return

    def close(self, messages: list[ChatMessage]) -> None:
        """The same for what an agent leaves behind, in whatever list."""
        own = {
            id(new): old
            for _, before, after in self.changed
            if len(before) == len(after)
            for old, new in zip(before, after, strict=True)
        }
        messages[:] = [own.get(id(message), message) for message in messages]


def _same(some: Sequence[object], others: Sequence[object]) -> bool:
    return [*map(id, some)] == [*map(id, others)]


_WATCHED: ContextVar[Watch | None] = ContextVar("askew_bend", default=None)


@contextmanager
def observe_calls(watch: Watch) -> Iterator[None]:
    """Treat and see the calls that are made inside."""
    token = _WATCHED.set(watch)
    try:
        yield
    finally:
        _WATCHED.reset(token)


class BendCalls(Hooks):
    """Acts in calls of the samples of `askew/bend` while their author's solver is at work."""

    def enabled(self) -> bool:
        return _WATCHED.get() is not None

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        watch = _WATCHED.get()
        if watch is None or data.model_name != watch.model:
            return
        try:
            watch.see(data)
        except Exception as error:
            # Inspect says so and makes the call all the same: the sample must not count.
            watch.failed = f"{watch.case.arm.treatment} failed in a call: {error!r:.200}"
            raise


@cache
def watch_calls() -> None:
    """Let Inspect know who watches; where nothing is bent, nobody does."""
    hooks(name="bend", description="Treats the calls of bent samples.")(BendCalls)
