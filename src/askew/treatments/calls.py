"""Model calls of a bent sample: treated, and seen to be, in a context of the sample's own."""

import hashlib
import secrets
from collections import deque
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from itertools import chain

from inspect_ai.hooks import (
    BeforeModelGenerate,
    Hooks,
    ModelCacheUsageData,
    ModelUsageData,
    hooks,
)
from inspect_ai.model import ChatMessage

from askew.treatments import Arm, Case, get_treatment
from askew.treatments.base import OWN_CALL
from askew.untrusted import make_whole

PLAIN = Arm("plain", "plain")
# The tool that ends an agent's run, as Inspect's agents name it: it competes with no other.
SUBMIT = "submit"
# Inspect's own default for the longest tool output, which a call of a model does not read.
_OWN_KEY = 16 * 1024
_UNDER_WAY = 64  # calls of one sample that may be under way at once and be tried again


@dataclass
class Watch:
    """One sample: how it is asked, and whether that reached the model."""

    case: Case
    model: str  # calls of other models are the solver's own matter
    reached_model: bool = False
    failed: str = ""
    # Lists of messages that were changed for a call: the list, what it held, what it held then.
    changed: deque[tuple[list[ChatMessage], ...]] = field(
        default_factory=lambda: deque(maxlen=_UNDER_WAY)
    )
    tokens: int | None = None  # output tokens of its calls
    offered: list[str] = field(default_factory=list)  # tools of the first call with several
    uses: int = 0  # how many messages with tool calls came before that
    used: str = ""  # the one of them that the model called first

    @property
    def acted(self) -> bool | str:
        """Whether the treatment reached the model, or why it failed."""
        return self.failed or self.reached_model

    def see(self, call: BeforeModelGenerate) -> None:
        """Treat a call that is about to be made, and see whether it shows the treatment."""
        make_whole(call.input)  # a reply that is an earlier turn by now
        self._note_use(call.input)
        self.reached_model |= self.case.arm == PLAIN or self._treat(call)
        names = [tool.name for tool in call.tools if tool.name != SUBMIT]
        if not self.offered and len(names) > 1 and call.tool_choice in ("auto", "any"):
            self.offered, self.uses = names, len(_tool_calls(call.input))

    def _note_use(self, messages: Sequence[ChatMessage]) -> None:
        """See which of the offered tools the model called first."""
        if self.offered and not self.used:
            later = chain(*_tool_calls(messages)[self.uses :])
            self.used = next((name for name in later if name in self.offered), "")

    def _treat(self, call: BeforeModelGenerate) -> bool:
        """Treat a call; return whether it shows the treatment."""
        treatment = get_treatment(self.case.arm.treatment)
        if treatment.place == "call":
            # A call that is tried again comes again, with what was made of it.
            self.undo(call.input)
            before = [*call.input]
            acted = treatment.apply_to_call(call, self.case)
            if not _same(before, call.input):
                self.changed.append((call.input, before, [*call.input]))
        else:
            acted = treatment.reached_model(call.input, self.case)
        # It is part of the cache's key and never sent: no arm answers from another's cache.
        of_arm = hashlib.sha256(self.case.arm.name.encode()).digest()
        own = secrets.token_bytes(6) if treatment.uncached else of_arm[:6]
        call.config.max_tool_output = _OWN_KEY + int.from_bytes(own, "big")
        return acted

    def undo(self, messages: list[ChatMessage]) -> None:
        """Give a list back what it held before it was changed for a call: it may be the agent's."""
        for changed, before, after in reversed(self.changed):
            if changed is messages and _same(messages[: len(after)], after):
                messages[: len(after)] = before
                return

    def close(self, messages: list[ChatMessage]) -> None:
        """The same for what an agent leaves behind, in whatever list."""
        self._note_use(messages)
        own = {
            id(new): old for _, before, after in self.changed if len(before) == len(after)
            for old, new in zip(before, after, strict=True)
        }  # fmt: skip
        messages[:] = [own.get(id(message), message) for message in messages]

    @property
    def noted(self) -> dict[str, str | int]:
        """Output tokens, the tool that was listed first and the one that was called first."""
        tools = {"first_tool": self.offered[0], "used_tool": self.used} if self.used else {}
        return tools | ({} if self.tokens is None else {"output_tokens": self.tokens})


def _tool_calls(messages: Sequence[ChatMessage]) -> list[list[str]]:
    """The tools that each message with tool calls calls."""
    calls = (message.tool_calls for message in messages if message.role == "assistant")
    return [[call.function for call in made] for made in calls if made]


def _same(some: Sequence[object], others: Sequence[object]) -> bool:
    return [*map(id, some)] == [*map(id, others)]


# The sample whose calls are treated and seen.
WATCHED: ContextVar[Watch | None] = ContextVar("askew_bend", default=None)


class BendCalls(Hooks):
    """Acts in calls of the samples of `askew/bend` while their author's solver is at work."""

    def enabled(self) -> bool:
        return WATCHED.get() is not None and not OWN_CALL.get()

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        watch = WATCHED.get()
        if watch is None or data.model_name != watch.model:
            return
        try:
            watch.see(data)
        except Exception as error:
            # Inspect says so and makes the call all the same: the sample must not count.
            watch.failed = f"{watch.case.arm.treatment} failed in a call: {error!r:.200}"
            raise

    async def on_model_usage(self, data: ModelUsageData | ModelCacheUsageData) -> None:
        watch = WATCHED.get()
        if watch is not None and data.model_name == watch.model:
            watch.tokens = (watch.tokens or 0) + data.usage.output_tokens

    on_model_cache_usage = on_model_usage


@cache
def watch_calls() -> None:
    """Let Inspect know who watches; where nothing is bent, nobody does."""
    hooks(name="bend", description="Treats the calls of bent samples.")(BendCalls)
