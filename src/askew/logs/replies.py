"""Read a file of replies that exist already: one record for all papers, each with its sample."""

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pandas as pd
from inspect_ai.dataset import Sample
from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
)

from askew.papers import get_paper, task_papers
from askew.schema import OLD_NAMES, Paper, clean_id
from askew.solvers.chain import planned_dialogue
from askew.sources.loading import Text, Tier, bundled_file
from askew.sources.records import PRINTED, RecordsError, UnfitError, each_record

StopReason = Literal["stop", "max_tokens", "model_length", "content_filter", "unknown"]
_TEMPLATE = "template_replies.jsonl"
_SHOWN = 24
# What is one for all samples of an item.
_OF_ITEM = ("subset", "cluster", "truth", "gold")
_AS_ASKED = "give the data and the parameters (-T) of the eval that asked"


class Reply(BaseModel):
    """What every record says; fields that are not known are passed over, misspelt ones refused.

    The `completion` alone is read; `earlier` replies of a dialogue, in order, and the `prompt` are
    kept in the log. `epoch` is by default the next of the same sample.
    """

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    completion: str
    model: Annotated[str, StringConstraints(strip_whitespace=True)] = ""
    epoch: int | None = Field(default=None, ge=1)
    prompt: str = ""
    earlier: list[str] = []
    stop_reason: StopReason = "stop"


class SampleReply(Reply):
    """A reply to a sample of the task, from which come options, right answer and all else.

    What else it says of the sample must be so.
    """

    model_config = ConfigDict(extra="allow")

    sample_id: Text


class AskedReply(Reply):
    """A reply with the condition it was asked under and what reading it needs.

    Papers add their conditions, a field a factor, and what their scorer needs.
    """

    paper: ClassVar[Paper]

    item: Text
    subset: str = "own"
    cluster: str = Field("", validation_alias=AliasChoices("cluster", "unit"))
    tier: Tier = ""

    @abstractmethod
    def as_sample(self) -> Sample:
        """Make the sample that the task would have made of it."""

    @property
    def place(self) -> dict[str, str]:
        """Where its sample stands, as a task's samples say it."""
        item = clean_id(self.item)
        cluster = self.cluster or item
        return {"item": item, "cluster": cluster, "subset": self.subset, "tier": self.tier}

    @property
    def condition(self) -> dict[str, Any]:
        """The value of each of the paper's factors."""
        return {factor.name: getattr(self, factor.name) for factor in self.paper.factors}

    @field_validator("*")
    @classmethod
    def _is_a_condition(cls, value: Any, info: ValidationInfo) -> Any:
        factor = next((f for f in cls.paper.factors if f.name == info.field_name), None)
        # Numbers are as many as were asked for.
        known = factor.conditions if factor and not factor.free else {}
        if known and isinstance(value, str) and value not in known:
            there = ", ".join(known)
            raise ValueError(f"no {info.field_name} {value!r:.60}; there are: {there}")
        return value


@dataclass(frozen=True)
class Replay:
    """A reply as the output of a sample, and whether it was named by the sample's id."""

    reply: Reply
    sample: Sample
    model: str
    epoch: int
    named: bool


def template(paper: Paper, as_csv: bool = False) -> str:
    """Write a file with a record of every shape that replies to a task may have."""
    _ = paper.items
    first = paper.make().dataset[0]
    named = {"model": "lab/model-1", "sample_id": first.id, "completion": first.target}
    records = [{**named, "epoch": 1}]
    questions = bundled_file(paper.home, _TEMPLATE)
    if questions.is_file():
        records += map(json.loads, questions.read_text(encoding="utf-8").splitlines())
    if not as_csv:
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    cells = (
        {n: v if isinstance(v, str | int) else json.dumps(v) for n, v in record.items()}
        for record in records
    )
    return str(pd.DataFrame(cells, dtype=object).to_csv(index=False, lineterminator="\n"))


def scan(path: Path, task: str | None) -> tuple[Paper, list[str], int]:
    """Say which task a file of replies answers, which samples it names, and how many they are."""
    ids: dict[str, None] = {}
    fields: set[str] = set()
    size = 0
    try:
        for raw in each_record(path, dict, lambda line, record: record):
            size += 1
            fields |= raw.keys()
            if raw.get("sample_id"):
                ids[str(raw["sample_id"]).strip()] = None
    except RecordsError:
        if not size:  # where some can be read, what can't is told with all else that is wrong
            raise
    if task:
        paper = get_paper(task)
        _ = paper.items  # without questions of its own nobody knows what was right
        return paper, [*ids], size
    known = map(get_paper, task_papers())
    fitting = [paper for paper in known if any(f.name in fields for f in paper.factors)]
    if len(fitting) != 1:
        named = ", ".join(task_papers())
        raise ValueError(f"name the task of the replies with --task (task=): {named}")
    return fitting[0], [*ids], size


def read_replies(
    path: Path, paper: Paper, samples: Mapping[str, Sample], model_name: str, data: object
) -> Iterator[Replay]:
    """Read each reply with its sample; at the end one error about all that is wrong."""

    def parse(raw: Mapping[str, Any]) -> Reply:
        asked = getattr(paper.part("tasks"), "Reply", None)
        shape: type[Reply] | None = SampleReply if raw.get("sample_id") else asked
        if shape is None:
            raise UnfitError("missing", "give the id of the sample of this reply", "sample_id")
        for name in raw.keys() - shape.model_fields.keys():
            meant = get_close_matches(name, shape.model_fields, 1, 0.85)
            if meant and meant[0] not in raw:
                raise UnfitError("a field that is not known", f"write {meant[0]}", name)
        return shape.model_validate(raw)

    return each_record(path, parse, _Use(paper, samples, model_name, data))


@dataclass
class _Use:
    """What is made of each reply of a file, in its order: what one alone can't show is refused."""

    paper: Paper
    samples: Mapping[str, Sample]
    model_name: str
    data: object
    # By model, sample and whether it was named: on which line is the reply of each epoch.
    lines: dict[tuple[str, str, bool], dict[int, int]] = field(default_factory=dict)
    # By item and by sample, what the first line that has it says of it.
    asked: dict[str, tuple[int, object]] = field(default_factory=dict)
    unknown: int = 0

    def __call__(self, line: int, reply: Reply) -> Replay:
        model = reply.model or self.model_name
        if not model:
            raise UnfitError("missing", "add it, or name the model with --model-name", "model")
        named = isinstance(reply, SampleReply)
        if isinstance(reply, SampleReply):
            sample = self._sample_of(reply)
        else:
            assert isinstance(reply, AskedReply)
            sample = reply.as_sample()
            self._agrees(line, sample)
        lines = self.lines.setdefault((model, str(sample.id), named), {})
        epoch = reply.epoch or len(lines) + 1
        if (earlier := lines.setdefault(epoch, line)) != line:
            what = f"{sample.id} has a reply of {model} in epoch {epoch} on line {earlier} too"
            raise UnfitError(what, "remove one, or give an epoch in every line", "epoch")
        return Replay(reply, sample, model, epoch, named)

    def _sample_of(self, reply: SampleReply) -> Sample:
        """The sample that a reply names, where the reply says nothing else of it."""
        sample = self.samples.get(reply.sample_id)
        if sample is None:
            self.unknown += 1
            what = f"{self.paper.task} has no sample {reply.sample_id!r:.120} with data={self.data}"
            raise UnfitError(what, self._near(reply.sample_id), "sample_id")
        metadata = sample.metadata or {}
        also = {OLD_NAMES.get(n, n): value for n, value in (reply.model_extra or {}).items()}
        names = (*(factor.name for factor in self.paper.factors), *_OF_ITEM)
        known = {name: metadata[name] for name in names if name in metadata}
        for name, there in {**known, "options": sample.choices, "choices": sample.choices}.items():
            value = also.get(name)
            # In a table all that is said is a text.
            alike = isinstance(value, list) is isinstance(there, list)
            if alike and value not in ("", None) and value != there and str(value) != str(there):
                what = f"{value!r:.60}, where the sample has {there!r:.60}"
                raise UnfitError(what, _AS_ASKED, name)
        turns = [role for role, _ in planned_dialogue(sample)].count("assistant")
        if reply.earlier and len(reply.earlier) != turns:
            what = f"replies before the last: {len(reply.earlier)}, where the sample has {turns}"
            raise UnfitError(what, "give one for each turn but the last", "earlier")
        return sample

    def _near(self, name: str) -> str:
        """What to do about a sample that is not there: which there are of its item, or near it."""
        if self.unknown > PRINTED:  # a search through all samples takes long
            return _AS_ASKED
        item = name.partition("/")[0]
        if there := [n.partition("/")[2] for n in self.samples if n.startswith(f"{item}/")]:
            more = f", and {len(there) - _SHOWN} more" if len(there) > _SHOWN else ""
            return f"{item} is asked as {', '.join(there[:_SHOWN])}{more}"
        near = get_close_matches(item, {n.partition("/")[0] for n in self.samples})
        return f"near it: {', '.join(near)}; or {_AS_ASKED}" if near else _AS_ASKED

    def _agrees(self, line: int, sample: Sample) -> None:
        """Refuse a sample of which an earlier line says something else."""
        metadata = sample.metadata or {}
        of_item = [metadata.get(name) for name in _OF_ITEM]
        of_sample = sample.choices, sample.target, metadata
        for name, facts in ((metadata["item"], of_item), (str(sample.id), of_sample)):
            earlier, stated = self.asked.setdefault(name, (line, facts))
            if stated != facts:
                what = f"{name} stands for another question on line {earlier}"
                raise UnfitError(what, "give each question another `item`", "item")
