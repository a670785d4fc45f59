"""The models that askew provides: simulated ones, and names for replies that were made elsewhere.

`respondent/<name>` are simulated models with planted tendencies of known size. They need no key
and no network, give the same replies for the same seed, and learn the truth of a sample from its
metadata once a step of the chain let them (see `askew.solvers.chain`), never from the prompt.

`replay/<model>` is there to be found, because Inspect looks up a log's model whenever it scores
the log; it has no model behind it and answers nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.event import SampleInitEvent
from inspect_ai.log import transcript
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
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo
from inspect_ai.util import store

from askew.papers import papers
from askew.parameters import Refusal
from askew.respondents.answering import REFUSAL, Expectation, ToolUse
from askew.schema import JUDGE_MARK, POLISH_MARK, REPLAY_API, RESPONDENT_API, TRUTH_KEY

# The entry point group that names modules which answer a task of no paper, such as a builder's.
ANSWERS = "askew.respondents"
# Simulated token counts; four characters a token is the usual rule of thumb.
_CHARACTERS_A_TOKEN = 4

Reply = Callable[[Mapping[str, Any], Any, str, int], str | ToolUse]


@dataclasses.dataclass(frozen=True)
class Answerer:
    """One task's way of answering, and the tendencies of each respondent in it.

    `expected` gives the metrics that tendencies imply for samples: what calibration measures by.
    `also` are parameters of the task under which it is calibrated once more, for metrics that need
    conditions which are not asked by default. Where a sample takes more than one reply, `observed`
    says what an eval makes of it, and `samples` what is asked.
    """

    reply: Reply
    tendencies: Mapping[str, Any]
    expected: Callable[[Sequence[Mapping[str, Any]], Any], Sequence[Expectation]] | None = None
    also: Sequence[Mapping[str, Any]] = ()
    samples: Callable[..., list[Sample]] | None = None
    observed: Callable[..., dict[str, Any] | None] | None = None

    def of(self, respondent: str) -> Any:
        """A respondent's tendencies here: those of `typical` where it has none of its own."""
        return self.tendencies.get(respondent, self.tendencies["typical"])

    @property
    def fields(self) -> set[str]:
        """The names of all tendencies here."""
        return {f.name for t in self.tendencies.values() for f in dataclasses.fields(t)}


@cache
def answerer_of(task: str) -> Answerer | None:
    """Find how a task is answered: as its paper or an entry point says; else nothing."""
    for paper in papers():
        if task == paper.task and paper.has("respondent"):
            how = paper.part("respondent")
            told = paper.part("planted") if paper.has("planted") else how
            parts = (getattr(told, n, None) for n in ("expected", "ALSO", "samples", "observed"))
            expected, also, samples, observed = parts
            return Answerer(how.reply, how.TENDENCIES, expected, also or (), samples, observed)
    for point in entry_points(group=ANSWERS, name=task):
        how = point.load()
        return Answerer(how.reply, how.TENDENCIES)
    return None


def answered_tasks() -> list[str]:
    """List the tasks that respondents answer: the papers', and those of entry points."""
    return [*(paper.task for paper in papers()), *sorted(entry_points(group=ANSWERS).names)]


# What a respondent does everywhere; papers name others, which are typical elsewhere.
_EVERYWHERE: Mapping[str, str] = {
    "oracle": "always right",
    "typical": "human-like mistakes and mild biases",
    "agreeable": "right where the right option is offered, else picks one that is",
    "random": "picks any option with equal chance",
    "even": "wrong or silent at random, as often in every condition",
    "mute": "refuses to answer",
    "chatty": "right, wrapped in prose, markdown and reasoning",
}


@cache
def respondents() -> Mapping[str, str]:
    """Every simulated model with what it does."""
    own = {
        name: f"{what} ({paper.task}; elsewhere like typical)"
        for paper in papers()
        if paper.has("respondent")
        for name, what in getattr(paper.part("respondent"), "RESPONDENTS", {}).items()
    }
    return {**_EVERYWHERE, **own}


class RespondentError(Refusal, RuntimeError):
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
        """Create a respondent; a simulated model ignores generation settings.

        Args:
            model_name: one of `respondents()`.
            base_url: not used.
            api_key: not used.
            config: not used.
            seed: equal seeds give equal replies.
            **tendencies: fields of a task's tendencies to set otherwise, such as `knows=0.7`.
        """
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name not in respondents():
            raise RespondentError(
                f"no respondent {model_name!r}; there are: {', '.join(respondents())}"
            )
        self.seed = int(seed)
        self.overrides = tendencies
        every = [answerer_of(task) for task in answered_tasks()]
        known = {name for answerer in every if answerer for name in answerer.fields}
        unknown = sorted(set(tendencies) - known)
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
            message = _verdict(judged.metadata or {}, tools, self.model_name)
        else:
            polished = REFUSAL if self.model_name == "mute" else to_polish
            said = self._reply(input, tools) if to_polish is None else str(polished)
            message = _message(said, self._full_name())
        read, wrote = (len(text) // _CHARACTERS_A_TOKEN + 1 for text in (asked, message.text))
        return ModelOutput(
            model=self._full_name(),
            choices=[ChatCompletionChoice(message=message, stop_reason="stop")],
            usage=ModelUsage(input_tokens=read, output_tokens=wrote, total_tokens=read + wrote),
        )

    def _reply(self, messages: list[ChatMessage], tools: list[ToolInfo]) -> str | ToolUse:
        truth = _truth()
        if truth is None:
            raise RespondentError(
                f"{self._full_name()} answers samples of askew's tasks only: this sample does "
                "not reveal its truth (is the task's setup in place?)"
            )
        task = str(truth.get("task"))
        answerer = answerer_of(task)
        if answerer is None:
            raise RespondentError(
                f"{self._full_name()} does not know how to answer the task {task!r}"
            )
        chosen = {k: v for k, v in self.overrides.items() if k in answerer.fields}
        tendencies = dataclasses.replace(answerer.of(self.model_name), **chosen)
        told = {**truth, "messages": messages, "offered": tools}
        return answerer.reply(told, tendencies, self.model_name, self.seed)

    def _full_name(self) -> str:
        return f"{RESPONDENT_API}/{self.model_name}"

    def connection_key(self) -> str:
        return RESPONDENT_API


@modelapi(name=RESPONDENT_API)
def respondent() -> type[ModelAPI]:
    """The provider, under the name by which Inspect finds it."""
    return Respondent


def _truth() -> Mapping[str, Any] | None:
    """What is true of the sample at hand; nothing where no step revealed it."""
    revealed = store().get(TRUTH_KEY)
    first = next((e for e in transcript().events if isinstance(e, SampleInitEvent)), None)
    if not isinstance(revealed, Mapping) or first is None:
        return None
    return truth_of(first.sample, revealed)


def truth_of(sample: Sample, revealed: Mapping[str, Any]) -> dict[str, Any]:
    """What is true of a sample, as an answerer is told.

    Args:
        sample: the sample.
        revealed: what it does not say itself: the epoch.
    """
    target = sample.target if isinstance(sample.target, str) else "".join(sample.target)
    return {
        **(sample.metadata or {}),
        "sample_id": str(sample.id),
        "choices": list(sample.choices or []),
        "target": target,
        **revealed,
    }


def _message(said: str | ToolUse, model: str) -> ChatMessageAssistant:
    if isinstance(said, str):
        return ChatMessageAssistant(content=said, model=model)
    call = ToolCall(id=said.function, function=said.function, arguments=dict(said.arguments))
    return ChatMessageAssistant(content="", tool_calls=[call], model=model)


def _verdict(mark: Mapping[str, Any], tools: list[ToolInfo], name: str) -> ChatMessageAssistant:
    """The judge's reply: a call of the verdict tool, or a refusal from `mute`.

    The mark names the verdict that a careful reader would give; `agreeable` says the first
    verdict on offer whatever is true, every other respondent is careful.
    """
    if name == "mute" or not tools:
        return ChatMessageAssistant(content=REFUSAL)
    offered = list(tools[0].parameters.properties["verdict"].enum or [])
    chosen = offered[0] if name == "agreeable" else mark[JUDGE_MARK]
    return ChatMessageAssistant(
        content="",
        tool_calls=[ToolCall(id="verdict", function=tools[0].name, arguments={"verdict": chosen})],
    )


class ReplayError(RuntimeError):
    """Somebody asked a model that is not there."""


class Replay(ModelAPI):
    """A model whose replies exist already."""

    async def generate(self, *asked: Any, **settings: Any) -> ModelOutput:
        raise ReplayError(
            f"{REPLAY_API}/{self.model_name} only names replies that were made elsewhere: it can "
            "be scored, not asked. Run the task with the model itself for new replies."
        )


@modelapi(name=REPLAY_API)
def replay() -> type[ModelAPI]:
    """The provider, under the name by which Inspect finds it."""
    return Replay
