"""Replies to format-bias questions in a file: each checked, and made a sample to score."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, Literal, Self, cast

from inspect_ai.dataset import Sample
from pydantic import Field, TypeAdapter, ValidationError, field_validator, model_validator

from askew.logs.replies import AskedReply
from askew.papers.format_bias.paper import KINDS, PAPER, PLAIN
from askew.papers.format_bias.tasks import make_sample
from askew.reading.formats import ExpectedAnswer, Kind, Prompting, Value, get_format
from askew.reading.literals import LiteralError, read_json, read_python
from askew.schema import clean_id
from askew.sources.loading import Text


class Reply(AskedReply):
    """One reply, with what was asked.

    `task` is the paper's, such as gsm8k; `choices`, `demos` and `repeat` stand where they are
    known; items that share a text share a `cluster`. `aliases` of a short answer and `optional`
    keyphrases are what questions may declare (see docs/reference/tasks/format_bias.md).
    """

    paper = PAPER

    task: Text
    prompting: Prompting
    format: Text
    target: str | list[Any] | dict[str, Any]
    """A list or a mapping may also come as a literal or as JSON in a string."""
    choices: list[str] = Field(default_factory=list)
    aliases: list[Text] | None = None
    optional: list[Text] | None = None
    demos: int = Field(default=PLAIN["demos"], ge=0)
    repeat: int = Field(default=PLAIN["repeat"], ge=1)

    @field_validator("task")
    @classmethod
    def _in_lower_case(cls, task: str) -> str:
        return clean_id(task.lower().replace(" ", "_"))

    @model_validator(mode="after")
    def _target_fits(self) -> Self:
        if self.truth is None:
            raise ValueError(
                f"the target {str(self.target)[:60]!r} of format {self.format} in {self.task} "
                f"is not {_WANTED.get(self.kind, (None, 'a text'))[1]}"
            )
        return self

    @property
    def kind(self) -> Kind:
        """The type of the answer that it should give."""
        fmt, kinds = get_format(self.format), KINDS.get(self.task)
        if fmt.category == "wrapping":
            return "letter" if kinds == "mcq" or self.choices else "text"
        if fmt.category == "list":
            return "ranking" if kinds == "ranking" else "keyphrases"
        return fmt.example.asked.kind

    @property
    def truth(self) -> Value | None:
        """The target as a value of its type; nothing where it is none."""
        if self.kind not in _WANTED:
            return self.target if isinstance(self.target, str) else None
        value = _literal(self.target) if isinstance(self.target, str) else self.target
        with suppress(ValidationError):
            found: Value = _WANTED[self.kind][0].validate_python(value)
            return found
        return None

    def as_sample(self) -> Sample:
        truth = cast(Value, self.truth)
        named = self.item.startswith(f"{self.task}-")
        item = clean_id(self.item if named else f"{self.task}-{self.item}")
        cluster = self.cluster or item
        place = {**self.place, "item": item, "cluster": cluster, "subset": self.task}
        keys = tuple(truth) if isinstance(truth, dict) else ()
        n_marks = len(truth) if self.kind == "ranking" else 0
        expected = ExpectedAnswer(self.kind, tuple(self.choices), keys, n_marks, self.prompting)
        accepted = self.optional if self.aliases is None else self.aliases
        return make_sample(
            expected, self.prompt, truth, accepted, **place, format=self.format,
            category=get_format(self.format).category, demos=self.demos, repeat=self.repeat,
        )  # fmt: skip


# By kind of answer: what its target has to be, where that is no text.
_WANTED: Mapping[Kind, tuple[TypeAdapter[Any], str]] = {
    "ranking": (
        TypeAdapter(Annotated[list[Literal[0, 1]], Field(min_length=1)]), "a list of 0 and 1"
    ),
    "keyphrases": (TypeAdapter(list[str]), "a list of texts"),
    "entities": (
        TypeAdapter(Annotated[dict[str, list[str]], Field(min_length=1)]),
        "a mapping with a list of texts under each key",
    ),
}  # fmt: skip


def _literal(text: str) -> Any:
    for read in (read_json, read_python):
        with suppress(LiteralError):
            return read(text)
    return None
