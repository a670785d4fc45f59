"""A file of replies: each checked, with the sample that it answers and the task that reads it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import Any, cast

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig

from askew.assembly import assemble
from askew.logs.reply_records import AskedReply, Reply, SampleReply
from askew.papers import asked_for, asking
from askew.progress import reading_progress
from askew.schema import Paper, clean_id
from askew.solvers.chain import planned_dialogue
from askew.sources.loading import Loaded
from askew.sources.pinned import sha256_of
from askew.sources.records import PRINTED, RecordsError, UnfitError, each_record

UNKNOWN_PROMPT = "(The prompt is not known: this reply was made elsewhere.)"


@dataclass(frozen=True)
class Played:
    """A reply as the output of a sample, and whether it was named by the sample's id."""

    reply: Reply
    sample: Sample
    model: str
    epoch: int
    named: bool


class ReplyFile:
    """A file of replies: read once for all that is wrong in it, then a log's worth at a time."""

    def __init__(
        self, path: Path, task: str | None, model_name: str, options: Mapping[str, Any]
    ) -> None:
        self.path, self.model_name, self.options = path, model_name, options
        self._ids: dict[str, None] = {}
        self._size = 0
        fields: dict[str, None] = {}
        # Where some can be read, what can't is told with all else that is wrong.
        try:
            for raw in each_record(path, dict, lambda line, record: record):
                self._size += 1
                fields |= dict.fromkeys(raw)
                if raw.get("sample_id"):
                    self._ids[str(raw["sample_id"]).strip()] = None
        except RecordsError:
            if not self._size:
                raise
        self.paper = _paper_of(task, fields)
        self.revision = sha256_of(path)[:12]
        self.found: Counter[tuple[str, bool]] = Counter()

    def check(self, roles: Mapping[str, str], quiet: bool) -> None:
        """Read all of it; one error about all that is wrong."""
        known = self.paper.parameters if self._ids else _scorer_options(self.paper)
        if unknown := sorted(set(self.options) - set(known)):
            there = ", ".join(known) or "none"
            raise ValueError(f"no option {', '.join(unknown)}; there are: {there}")
        judge = self.paper.judge
        if judge and judge.share(self.options, False, 1.0) and "grader" not in roles:
            asked = self.options.get(judge.parameter)
            raise ValueError(f"{judge.parameter}={asked} needs --model-role grader=<model>")
        with reading_progress(self._size, quiet, None, "reading replies") as on_read:
            for played in self.played():
                self.found[played.model, played.named] += 1
                on_read(played.model)

    def played(self) -> Iterator[Played]:
        """Each reply with its sample; at the end one error about all that is wrong."""
        return each_record(self.path, self._parsed, _Use(self))

    def _parsed(self, raw: Mapping[str, Any]) -> Reply:
        if raw.get("sample_id"):
            return SampleReply.model_validate(raw)
        if not self.paper.has("replies"):
            raise UnfitError("missing", "name the sample that it answers", "sample_id")
        shape: type[AskedReply] = self.paper.part("replies").Reply
        return shape.model_validate(raw)

    @cached_property
    def samples(self) -> dict[str, Sample]:
        """The samples that the task makes, by id."""
        return {str(s.id): s for s in self.task(True).dataset} if self._ids else {}

    def task(self, named: bool) -> Task:
        """The task as its logs know it: as an eval makes it, or without questions of its own."""
        return self._task if named else self._bare_task

    @cached_property
    def _task(self) -> Task:
        made = self.paper.make(**_asking(self.paper, self._ids, self.options))
        return cast(Task, made)

    @cached_property
    def _bare_task(self) -> Task:
        known = _scorer_options(self.paper)
        chosen = {name: value for name, value in self.options.items() if name in known}
        return assemble(
            self.paper,
            dataset=MemoryDataset([Sample(input=UNKNOWN_PROMPT, id="unknown")], name="replies"),
            loaded=Loaded([], "file", self.revision),
            prompts=("replies",),
            setup=[],
            scorer=_scorer(self.paper)(**chosen),
            config=GenerateConfig(),
        )

    def parameters(self, named: bool) -> dict[str, Any]:
        """The task's parameters as an eval would log them."""
        own = signature(self.paper.make).parameters.values()
        unset = {p.name: p.default for p in own if p.kind != p.VAR_KEYWORD}
        return (unset if named else {}) | dict(self.options)


class _Use:
    """What is made of each reply of a file, in its order: what one alone can't show is refused."""

    def __init__(self, file: ReplyFile) -> None:
        self.file = file
        self.near = _Near(file)
        self.factors = [factor.name for factor in file.paper.factors]
        # By model, sample and whether it was named: how many replies, and on which line by epoch.
        self.epochs: Counter[tuple[str, str, bool]] = Counter()
        self.lines: dict[tuple[str, str, bool, int], int] = {}
        self.asked: dict[str, tuple[int, str]] = {}

    def __call__(self, line: int, reply: Reply) -> Played:
        model = reply.model or self.file.model_name
        if not model:
            raise UnfitError("missing", "add it, or name the model with --model-name", "model")
        named = isinstance(reply, SampleReply)
        if isinstance(reply, SampleReply):
            sample = self._named(reply)
        else:
            sample = cast(AskedReply, reply).as_sample()
            self._agrees(line, sample)
        return Played(reply, sample, model, self._epoch(line, model, reply, str(sample.id)), named)

    def _named(self, reply: SampleReply) -> Sample:
        """The sample that a reply names, where the reply says nothing else of it."""
        sample = self.file.samples.get(reply.sample_id)
        if sample is None:
            raise UnfitError(*self.near.told(reply.sample_id), "sample_id")
        metadata, also = sample.metadata or {}, reply.model_extra or {}
        told = {n: metadata[n] for n in (*self.factors, *_OF_ITEM) if n in metadata}
        for name, there in (told | dict.fromkeys(_SHOWN_AS, sample.choices)).items():
            said = also.get(name)
            # In a table all that is said is a text.
            alike = isinstance(said, list) is isinstance(there, list)
            if alike and said not in ("", None) and said != there and str(said) != str(there):
                what = f"{said!r:.60}, where the sample has {there!r:.60}"
                raise UnfitError(what, _AS_ASKED, name)
        turns = [role for role, _ in planned_dialogue(sample)].count("assistant")
        if reply.earlier and len(reply.earlier) != turns:
            what = f"replies before the last: {len(reply.earlier)}, where the sample has {turns}"
            raise UnfitError(what, "give one for each turn but the last", "earlier")
        return sample

    def _agrees(self, line: int, sample: Sample) -> None:
        """Refuse a sample of which an earlier line says something else."""
        metadata = sample.metadata or {}
        of_item = {name: metadata.get(name) for name in _OF_ITEM}
        asked = sample.choices, sample.target, sorted(metadata.items())
        for name, facts in ((metadata["item"], of_item), (str(sample.id), asked)):
            digest = hashlib.sha256(repr(facts).encode("utf-8", "replace")).hexdigest()
            earlier, told = self.asked.setdefault(name, (line, digest))
            if told != digest:
                what = f"{name} stands for another question on line {earlier}"
                raise UnfitError(what, "give each question an item of its own", "item")

    def _epoch(self, line: int, model: str, reply: Reply, name: str) -> int:
        key = (model, name, isinstance(reply, SampleReply))
        self.epochs[key] += 1
        epoch = reply.epoch or self.epochs[key]
        earlier = self.lines.setdefault((*key, epoch), line)
        if earlier != line:
            what = f"{name} has a reply of {model} in epoch {epoch} on line {earlier} too"
            raise UnfitError(what, "keep one of the two, or number all epochs", "epoch")
        return epoch


class _Near:
    """What is told of a sample that is not there: what is, near it."""

    def __init__(self, file: ReplyFile) -> None:
        self.file = file
        self.conditions: dict[str, list[str]] = {}
        for name in file.samples:
            item, _, condition = name.partition("/")
            self.conditions.setdefault(item, []).append(condition)
        self.told_of = 0

    def told(self, name: str) -> tuple[str, str]:
        self.told_of += 1
        item, *condition = name.split("/")
        for factor, value in zip(self.file.paper.factors, condition, strict=False):
            known = [clean_id(v) for v in factor.conditions]
            if value not in known and not factor.free and not value.isdecimal():
                return f"no {factor.name} {value!r:.60}", f"there are: {', '.join(known)}"
        there = self.conditions.get(item, [])
        more = f", and {len(there) - _SHOWN} more" if len(there) > _SHOWN else ""
        data = self.file.options.get("data", "bundled")
        what = f"{self.file.paper.task} has no sample {name!r:.120} with data={data}"
        if there:
            return what, f"{item} is asked as {', '.join(there[:_SHOWN])}{more}"
        # A search through all items takes long; more than these are not printed.
        searched = self.conditions if self.told_of <= PRINTED else ()
        near = get_close_matches(item, searched)
        return what, f"near it: {', '.join(near)}; or {_AS_ASKED}" if near else _AS_ASKED


_SHOWN = 24
# What is one for all samples of an item.
_OF_ITEM = ("subset", "unit", "truth", "gold")
# Fields that hold the options shown, in their order.
_SHOWN_AS = ("options", "choices")
_AS_ASKED = "give the data and the parameters (-T) of the eval that asked"


def _paper_of(task: str | None, fields: Mapping[str, None]) -> Paper:
    """The paper that is named, or else the only one whose conditions the records name."""
    if task:
        paper = asked_for(task)
        _ = paper.items  # without questions of its own nobody knows what was right
        return paper
    known = map(asked_for, asking())
    fitting = [paper for paper in known if any(f.name in fields for f in paper.factors)]
    if len(fitting) == 1:
        return fitting[0]
    named = ", ".join(asking())
    raise ValueError(f"say with --task (task=) which task the replies answer: {named}")


def _scorer(paper: Paper) -> Callable[..., Any]:
    made: Callable[..., Any] = getattr(paper.part("scorer"), f"{paper.task}_scorer")
    return made


def _scorer_options(paper: Paper) -> list[str]:
    return list(signature(_scorer(paper)).parameters)


def _asking(paper: Paper, ids: Mapping[str, None], given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of the task that makes these samples: as given, under all conditions they name."""
    asked = {n: v for n, v in paper.everything.items() if n in paper.selectors}
    for place, factor in enumerate(paper.factors, start=1):
        named = {parts[place] for name in ids if len(parts := name.split("/")) > place}
        if factor.name in paper.parameters:
            chosen = [value for value in factor.conditions if clean_id(value) in named]
            asked |= {factor.name: ",".join(chosen)} if chosen else {}
    within = {part: name for name, parts in paper.grouped.items() for part in parts}
    left = {n: v for n, v in asked.items() if n not in given and within.get(n) not in given}
    return {**left, **given}
