"""Replies to format-bias questions in a file: each checked, and made a sample to score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from askew.assembly import assemble
from askew.papers.format_bias.paper import KINDS, PAPER, PLAIN
from askew.papers.format_bias.scorer import Extraction, format_bias_scorer
from askew.papers.format_bias.tasks import sample_of
from askew.reading.formats import FORMATS, ExpectedAnswer, Kind, Prompting, Value, format_named
from askew.reading.literals import LiteralError, read_json, read_python
from askew.schema import Scalar, clean_id
from askew.sources.loading import Loaded
from askew.sources.records import read_records

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
StopReason = Literal["stop", "max_tokens", "model_length", "content_filter", "unknown"]


class Reply(BaseModel):
    """One reply, with what was asked; fields that are not listed here are passed over.

    `task` is the paper's, such as gsm8k; `choices`, `demos`, `repeat`, `prompt` and `stop_reason`
    stand where they are known.
    """

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    task: Text
    model: Text
    prompting: Prompting
    item: Text
    format: Text
    target: str | list[Any] | dict[str, Any]
    """A list or a mapping may also come as a literal or as JSON in a string."""
    completion: str
    choices: list[str] = []
    demos: int = Field(default=PLAIN["demos"], ge=0)
    repeat: int = Field(default=PLAIN["repeat"], ge=1)
    prompt: str = ""
    stop_reason: StopReason = "stop"

    @field_validator("task")
    @classmethod
    def _in_lower_case(cls, task: str) -> str:
        return clean_id(task.lower().replace(" ", "_"))

    @field_validator("format")
    @classmethod
    def _is_known(cls, name: str) -> str:
        if name not in FORMATS:
            raise ValueError(f"no format {name!r}; there are: {', '.join(FORMATS)}")
        return name

    @model_validator(mode="after")
    def _target_fits(self) -> Reply:
        if self.truth is None:
            raise ValueError(
                f"the target {str(self.target)[:60]!r} of format {self.format} in {self.task} "
                f"is not {_WANTED.get(self.kind, 'a text')}"
            )
        return self

    @property
    def kind(self) -> Kind:
        """The type of the answer that it should give."""
        fmt, asked = format_named(self.format), KINDS.get(self.task)
        if fmt.category == "wrapping":
            return "letter" if asked == "mcq" or self.choices else "text"
        if fmt.category == "list":
            return "ranking" if asked == "ranking" else "keyphrases"
        return fmt.example.asked.kind

    @property
    def truth(self) -> Value | None:
        """The target as a value of its type; nothing where it is none."""
        if self.kind not in _WANTED:
            return self.target if isinstance(self.target, str) else None
        value = _literal(self.target) if isinstance(self.target, str) else self.target
        if self.kind == "entities":
            lists = value.values() if isinstance(value, dict) else ()
            return value if lists and all(map(_are_texts, lists)) else None
        if self.kind == "keyphrases":
            return value if _are_texts(value) else None
        is_marks = isinstance(value, list) and all(mark in (0, 1) for mark in value)
        return [int(mark) for mark in value] if is_marks and value else None


# By kind of answer: what its target has to be, where that is no text.
_WANTED: Mapping[Kind, str] = {
    "ranking": "a list of 0 and 1",
    "keyphrases": "a list of texts",
    "entities": "a mapping with a list of texts under each key",
}


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _literal(text: str) -> Any:
    for read in (read_json, read_python):
        with suppress(LiteralError):
            return read(text)
    return None


def read_replies(path: Path) -> list[Reply]:
    """The replies of a file, or one error about all that is wrong in it."""
    return read_records(path, Reply.model_validate)


def replay_task(replies: Sequence[Reply], revision: str, options: Mapping[str, Scalar]) -> Task:
    """The task as its logs know it, with one sample a reply.

    Args:
        replies: replies of one model.
        revision: of the file they came in.
        options: of the scorer.
    """
    unknown = sorted(set(options) - {"extraction", "casefold"})
    if unknown:
        raise ValueError(f"no option {', '.join(unknown)}; there are: extraction, casefold")
    extraction = cast(Extraction, options.get("extraction", "published"))
    return assemble(
        PAPER,
        dataset=MemoryDataset(list(_samples(replies)), name="replies"),
        loaded=Loaded([], "file", revision),
        prompts=("replies",),
        setup=[],
        solver=generate(),
        scorer=format_bias_scorer(extraction, bool(options.get("casefold", False))),
        config=GenerateConfig(),
        columns=("answer", "target"),
    )


def _samples(replies: Sequence[Reply]) -> Iterator[Sample]:
    for reply in replies:
        truth = cast(Value, reply.truth)
        item = clean_id(f"{reply.task}-{reply.item}")
        asked = ExpectedAnswer(
            reply.kind,
            tuple(reply.choices),
            tuple(truth) if isinstance(truth, dict) else (),
            len(truth) if reply.kind == "ranking" else 0,
            reply.prompting,
        )
        yield sample_of(
            asked,
            reply.prompt,
            truth,
            item=item,
            unit=item,
            subset=reply.task,
            category=format_named(reply.format).category,
            format=reply.format,
            demos=reply.demos,
            repeat=reply.repeat,
        )
