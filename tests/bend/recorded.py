"""A model that keeps what it is sent, and tasks of other authors for it to answer."""

import json
from collections.abc import Callable

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.scorer import choice, match
from inspect_ai.solver import generate, multiple_choice
from inspect_ai.tool import tool

SENT: list[dict] = []


def _always(said: str, tools: list) -> str:
    return "ANSWER: A"


class Told:
    """How the model answers: set by a test."""

    answer: Callable = staticmethod(_always)
    fails = 0


class _Recorded(ModelAPI):
    """Keeps what it is sent, gives what `Told.answer` makes of it."""

    async def generate(self, input, tools, tool_choice, config):
        settings = config.model_dump(exclude_none=True)
        # Which arm asks stands in a setting that no provider reads.
        settings.pop("max_tool_output", None)
        sent = {
            "messages": [
                {"role": m.role, "content": m.content if isinstance(m.content, str) else m.text}
                for m in input
            ],
            "tools": [t.model_dump(exclude_none=True) for t in tools],
            "tool_choice": str(tool_choice),
            "settings": settings,
        }
        SENT.append(sent)
        if Told.fails:
            Told.fails -= 1
            raise RuntimeError("try again")
        reply = Told.answer("\n".join(m["content"] for m in sent["messages"]), input)
        if isinstance(reply, str):
            reply = ModelOutput.from_content(self.model_name, reply)
        reply.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
        return reply

    def should_retry(self, ex):
        return "try again" in str(ex)

    def retry_wait(self):
        return lambda retry: 0.0


@modelapi(name="recorded")
class Recorded(_Recorded):
    """One that is handed a list of messages of its own."""


@modelapi(name="recorded_as_is")
class RecordedAsIs(_Recorded):
    """One that is handed an agent's own list of messages, as some providers are."""

    def tool_result_images(self):
        return True

    def tool_result_documents(self):
        return True


def calls(name: str, **arguments) -> ModelOutput:
    """A reply that calls a tool."""
    return ModelOutput.for_tool_call("recorded", name, arguments)


MODEL = "recorded/any"
LETTERS = "ABCD"


def items(n=2, **more):
    """Questions with four options; the first option is the author's right one in turn."""
    return [
        Sample(
            id=f"q{i}", input=f"Which is {i}?", target=LETTERS[i % 4],
            choices=[f"one{i}", f"two{i}", f"three{i}", f"four{i}"], **more,
        )
        for i in range(n)
    ]  # fmt: skip


def of_choices(n=2, **more):
    return Task(
        dataset=MemoryDataset(items(n)), solver=more.pop("solver", multiple_choice()),
        scorer=more.pop("scorer", choice()), **more,
    )  # fmt: skip


def of_words(n=2, **more):
    samples = [Sample(id=f"w{i}", input=f"Say {i}.", target=str(i)) for i in range(n)]
    return Task(
        dataset=MemoryDataset(samples), solver=more.pop("solver", generate()),
        scorer=more.pop("scorer", match()), **more,
    )  # fmt: skip


@tool
def search():
    async def execute(query: str):
        """Search for something.

        Args:
            query: what to look for.
        """
        return f"found {query}"

    return execute


@tool
def add():
    async def execute(x: int, y: int):
        """Add two numbers.

        Args:
            x: one.
            y: the other.
        """
        return str(x + y)

    return execute


@tool
def recall():
    async def execute(key: str):
        """Recall a note.

        Args:
            key: its name.
        """
        return f"note {key}"

    return execute


def asked(task, answer=_always, **options):
    """Run a task; its log, and what the model was sent."""
    SENT.clear()
    Told.answer = staticmethod(answer)
    options.setdefault("model", MODEL)
    (log,) = eval(task, display="none", log_level="error", **options)
    return log, [*SENT]


def scores(log, scorer="bend_scorer"):
    """What a scorer gave, by the sample's id."""
    return {s.id: s.scores[scorer] for s in log.samples if scorer in (s.scores or {})}


def why_not(log):
    """Why samples are not counted, by id."""
    return {i: s.explanation for i, s in scores(log).items() if not isinstance(s.value, dict)}


def calls_of(log, sample_id):
    """The calls of a sample, as its transcript has them."""
    (sample,) = (s for s in log.samples if s.id == sample_id)
    return [e for e in sample.events if e.event == "model"]


def as_bytes(sent):
    """What was sent, to the byte, in an order of its own: samples are asked at once."""
    return sorted(json.dumps(s, sort_keys=True) for s in sent)
