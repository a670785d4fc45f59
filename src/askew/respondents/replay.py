"""`replay/<model>`: the name under which replies that were made elsewhere are scored.

Inspect looks up a log's model whenever it scores the log. This provider is there to be found;
it has no model behind it and answers nothing.
"""

from __future__ import annotations

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from askew.schema import REPLAY_API


class ReplayError(RuntimeError):
    """Somebody asked a model that is not there."""


class Replay(ModelAPI):
    """A model whose replies exist already."""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        raise ReplayError(
            f"{REPLAY_API}/{self.model_name} only names replies that were made elsewhere: it can "
            "be scored, not asked. Run the task with the model itself for new replies."
        )


@modelapi(name=REPLAY_API)
def replay() -> type[ModelAPI]:
    """The provider, under the name by which Inspect finds it."""
    return Replay
