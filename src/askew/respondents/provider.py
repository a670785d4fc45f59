"""The models that askew provides: `respondent/`, with known biases, and `replay/`, names alone.

A respondent needs no key and no network, and learns the truth of a sample from its metadata.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.event import SampleInitEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
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

from askew.files import toml_of
from askew.papers import papers
from askew.parameters import UsageError, did_you_mean, name_hint, quote
from askew.respondents.answering import REFUSAL, Alike, Expectation, reply
from askew.schema import GRADER_MARK, POLISH_MARK, REPLAY_API, RESPONDENT_API, TRUTH_KEY

# The entry point group that names modules which answer a task of no paper, such as a builder's.
ANSWERS = "askew.respondents"
# Simulated token counts; four characters a token is the usual rule of thumb.
_CHARACTERS_A_TOKEN = 4

Reply = Callable[[Mapping[str, Any], Any, str, int], str | ToolCall]


@dataclasses.dataclass(frozen=True)
class Answerer:
    """One task's way of answering, and the tendencies of each respondent in it.

    Where a sample takes more than one reply, `samples` are what is asked.
    """

    reply: Reply
    tendencies: Mapping[str, Any]
    # The metrics that tendencies imply for samples, and parameters under which more of them show.
    expected: Callable[[Sequence[Mapping[str, Any]], Any], Sequence[Expectation]] | None = None
    also: Sequence[Mapping[str, Any]] = ()
    samples: Callable[..., list[Sample]] | None = None
    observed: Callable[..., dict[str, Any] | None] | None = None  # what an eval makes of a sample

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
            module = paper.part("true_effects") if paper.has("true_effects") else how
            parts = {n: getattr(module, n, None) for n in ("expected", "samples", "observed")}
            also = getattr(module, "ALSO", ())
            return Answerer(getattr(how, "reply", reply), how.TENDENCIES, also=also, **parts)
    for point in entry_points(group=ANSWERS, name=task):
        how = point.load()
        return Answerer(how.reply, how.TENDENCIES)
    return None


# What a respondent does everywhere; papers name others, which are typical elsewhere.
_EVERYWHERE: Mapping[str, str] = toml_of(__package__, "words.toml")["everywhere"]


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


class RespondentError(UsageError, RuntimeError):
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
        """Create a respondent; a simulated model ignores addresses, keys and settings.

        Args:
            model_name: one of `respondents()`.
            seed: equal seeds give equal replies.
            **tendencies: fields of a task's tendencies to set otherwise, such as `knows=0.7`; or
                a mapping by a subset, a form or another value of the sample.
        """
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name not in respondents():
            hint = did_you_mean(model_name, known := respondents())
            hint = hint or f"There are: {', '.join(sorted(known))}"
            raise RespondentError(f"unknown simulated model {quote(model_name)}. {hint}")
        self.seed = int(seed)
        self.overrides = tendencies
        tasks = [*(paper.task for paper in papers()), *entry_points(group=ANSWERS).names]
        fields = {name for how in map(answerer_of, tasks) if how for name in how.fields}
        for name in sorted({*tendencies} - fields):
            hint = f"{quote(name)} is no parameter of respondent/{model_name}"
            raise RespondentError(f"{hint}. {name_hint(name, fields)}")

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        prompt = "\n".join(m.text for m in input)
        marks = [m.metadata or {} for m in reversed(input)]
        judged = next((mark for mark in marks if mark.get(GRADER_MARK)), None)
        to_polish = marks[0].get(POLISH_MARK) if marks else None
        if judged is not None:
            said = _verdict(judged, tools, self.model_name)
        elif to_polish is not None:
            said = REFUSAL if self.model_name == "mute" else str(to_polish)
        else:
            said = self._reply(input, tools)
        text, calls = (said, None) if isinstance(said, str) else ("", [said])
        message = ChatMessageAssistant(content=text, tool_calls=calls, model=self._full_name())
        output = ModelOutput.from_message(message)
        read, wrote = (len(of) // _CHARACTERS_A_TOKEN + 1 for of in (prompt, text))
        output.usage = ModelUsage(input_tokens=read, output_tokens=wrote, total_tokens=read + wrote)
        return output

    def _reply(self, messages: list[ChatMessage], tools: list[ToolInfo]) -> str | ToolCall:
        revealed = store().get(TRUTH_KEY)
        first = next((e for e in transcript().events if isinstance(e, SampleInitEvent)), None)
        if not isinstance(revealed, Mapping) or first is None:
            raise RespondentError(
                f"{self._full_name()} answers samples of askew's tasks only: this sample does "
                "not reveal its truth (is the task's setup in place?)"
            )
        truth = truth_of(first.sample, revealed)
        task = str(truth.get("task"))
        if (answerer := answerer_of(task)) is None:
            raise RespondentError(f"{self._full_name()} can't answer the task {task!r}")
        own = answerer.of(self.model_name)
        given = {n: of for n, of in self.overrides.items() if n in answerer.fields}
        chosen = {n: _fit_parameter(getattr(own, n), of, truth) for n, of in given.items()}
        tendencies = dataclasses.replace(own, **chosen)
        facts = {**truth, "messages": messages, "offered": tools}
        return answerer.reply(facts, tendencies, self.model_name, self.seed)

    def _full_name(self) -> str:
        return f"{RESPONDENT_API}/{self.model_name}"

    def connection_key(self) -> str:
        return RESPONDENT_API


def _fit_parameter(own: Any, given: Any, truth: Mapping[str, Any]) -> Any:
    """A tendency as a paper has it: a number for everything, or by some value of the sample."""
    if isinstance(own, Mapping) == isinstance(given, Mapping):
        return given
    if isinstance(own, Mapping):
        return Alike(float(given))
    values = (value for value in truth.values() if isinstance(value, str))
    return next((given[value] for value in values if value in given), own)


@modelapi(name=RESPONDENT_API)
def respondent() -> type[ModelAPI]:
    """The provider, under the name by which Inspect finds it."""
    return Respondent


def truth_of(sample: Sample, revealed: Mapping[str, Any]) -> dict[str, Any]:
    """What is true of a sample, as an answerer is told; revealed is what it does not say itself."""
    target = sample.target if isinstance(sample.target, str) else "".join(sample.target)
    return {
        **(sample.metadata or {}),
        "sample_id": str(sample.id),
        "choices": list(sample.choices or []),
        "target": target,
        **revealed,
    }


def _verdict(mark: Mapping[str, Any], tools: list[ToolInfo], name: str) -> str | ToolCall:
    """The grader's verdict: as marked; `agreeable` says the first on offer, `mute` declines."""
    if name == "mute" or not tools:
        return REFUSAL
    offered = tools[0].parameters.properties["verdict"].enum or []
    chosen = offered[0] if name == "agreeable" else mark[GRADER_MARK]
    return ToolCall(id="verdict", function=tools[0].name, arguments={"verdict": chosen})


class Replay(ModelAPI):
    """A model whose replies exist already."""

    async def generate(self, *arguments: Any, **settings: Any) -> ModelOutput:
        raise RespondentError(
            f"{REPLAY_API}/{self.model_name} only names replies from elsewhere: they can be "
            "scored, but it cannot generate any. For new replies, run the task with the model."
        )


@modelapi(name=REPLAY_API)
def replay() -> type[ModelAPI]:
    """The provider, under the name by which Inspect finds it."""
    return Replay
