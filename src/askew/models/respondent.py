"""`respondent/<name>`: simulated models with planted tendencies of known size.

They need no key and no network, give the same replies for the same seed, and learn the truth of
a sample from its own store (see `askew.solvers.reveal`), never from the prompt.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import store

from askew.models import (
    binary_qa,
    binary_qa_builder,
    format_bias,
    instruction_boundary,
    knowno,
    mathcomp,
)
from askew.models.judging import JUDGE_MARK, verdict
from askew.models.speech import REFUSAL
from askew.schema import POLISH_MARK, RESPONDENT_API, TRUTH_KEY

# Simulated token counts; four characters a token is the usual rule of thumb.
_CHARACTERS_A_TOKEN = 4

Speaker = Callable[[Mapping[str, Any], Any, str, int], str]


@dataclasses.dataclass(frozen=True)
class Voice:
    """One task's way of answering, and the tendencies of each respondent in it."""

    reply: Speaker
    tendencies: Mapping[str, Any]


VOICES: Mapping[str, Voice] = {
    "knowno": Voice(knowno.reply, knowno.TENDENCIES),
    "format_bias": Voice(format_bias.reply, format_bias.TENDENCIES),
    "instruction_boundary": Voice(instruction_boundary.reply, instruction_boundary.TENDENCIES),
    "mathcomp": Voice(mathcomp.reply, mathcomp.TENDENCIES),
    "binary_qa": Voice(binary_qa.reply, binary_qa.TENDENCIES),
    "binary_qa_builder": Voice(binary_qa_builder.reply, binary_qa_builder.TENDENCIES),
}
RESPONDENTS: Mapping[str, str] = {
    "oracle": "always right",
    "typical": "human-like mistakes and mild biases",
    "sloppy": "misses formats with known probabilities (format_bias; elsewhere like typical)",
    "agreeable": "right where the right option is offered, else picks one that is",
    "random": "picks any option with equal chance",
    "mute": "refuses to answer",
    "chatty": "right, wrapped in prose, markdown and reasoning",
    "nay": "right, but leans to No (binary_qa; elsewhere like typical)",
    "literal": "right, but overlooks negations (binary_qa; elsewhere like typical)",
    "conformist": "right, but follows suggestions (instruction_boundary; elsewhere like typical)",
    "overcautious": "right, but leans to Unknown and none (instruction_boundary; elsewhere like "
    "typical)",
    "parrot": "right, but drifts to the question's word (mathcomp; elsewhere like typical)",
    "stereotyper": "right, but drifts to more for some identities (mathcomp; elsewhere like "
    "typical)",
}


class RespondentError(RuntimeError):
    """A simulated model was asked something it cannot know."""


class Respondent(ModelAPI):
    """A simulated model."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        seed: int = 0,
        **tendencies: Any,
    ) -> None:
        """Create a respondent.

        Args:
            model_name: one of `RESPONDENTS`.
            base_url: not used.
            api_key: not used.
            config: generation settings; a simulated model ignores them.
            seed: equal seeds give equal replies.
            **tendencies: fields of a task's tendencies to set otherwise, such as `knows=0.7`.
        """
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name not in RESPONDENTS:
            raise RespondentError(
                f"no respondent {model_name!r}; there are: {', '.join(RESPONDENTS)}"
            )
        self.seed = int(seed)
        self.overrides = tendencies
        self._check_overrides()

    def _check_overrides(self) -> None:
        known = {
            f.name
            for voice in VOICES.values()
            for t in voice.tendencies.values()
            for f in dataclasses.fields(t)
        }
        unknown = sorted(set(self.overrides) - known)
        if unknown:
            raise RespondentError(
                f"no tendency {', '.join(unknown)}; there are: {', '.join(sorted(known))}"
            )

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        asked = "\n".join(m.text for m in input)
        judged = next((m for m in reversed(input) if (m.metadata or {}).get(JUDGE_MARK)), None)
        to_polish = (input[-1].metadata or {}).get(POLISH_MARK) if input else None
        if judged is not None:
            message = verdict(judged.metadata or {}, tools, self.model_name, self.seed)
        elif to_polish is not None:
            polished = REFUSAL if self.model_name == "mute" else str(to_polish)
            message = ChatMessageAssistant(content=polished, model=self._full_name())
        else:
            message = ChatMessageAssistant(content=self._reply(), model=self._full_name())
        return ModelOutput(
            model=self._full_name(),
            choices=[ChatCompletionChoice(message=message, stop_reason="stop")],
            usage=_usage(asked, message.text),
        )

    def _reply(self) -> str:
        truth = store().get(TRUTH_KEY)
        if not isinstance(truth, Mapping):
            raise RespondentError(
                f"{self._full_name()} answers samples of askew's tasks only: this sample does "
                "not reveal its truth (is the task's setup in place?)"
            )
        task = truth["task"]
        voice = VOICES.get(task)
        if voice is None:
            raise RespondentError(f"{self._full_name()} has no voice for the task {task!r}")
        fields = {f.name for f in dataclasses.fields(voice.tendencies["oracle"])}
        chosen = {k: v for k, v in self.overrides.items() if k in fields}
        tendencies = dataclasses.replace(voice.tendencies[self.model_name], **chosen)
        return voice.reply(truth, tendencies, self.model_name, self.seed)

    def _full_name(self) -> str:
        return f"{RESPONDENT_API}/{self.model_name}"

    def max_tokens(self) -> int | None:
        return None

    def connection_key(self) -> str:
        return RESPONDENT_API


@modelapi(name=RESPONDENT_API)
def respondent() -> type[ModelAPI]:
    """The provider, under the name by which Inspect finds it."""
    return Respondent


def _usage(asked: str, said: str) -> ModelUsage:
    tokens_in = len(asked) // _CHARACTERS_A_TOKEN + 1
    tokens_out = len(said) // _CHARACTERS_A_TOKEN + 1
    return ModelUsage(
        input_tokens=tokens_in, output_tokens=tokens_out, total_tokens=tokens_in + tokens_out
    )
