"""Score replies that exist already: a file of completions becomes a normal Inspect log.

No model is called, but for a grader that is asked for. A reply that names a sample is played as the
output of the very sample that the task makes; one that says what was asked is made a sample by its
paper's part `replies`. The task's own scorer reads both. The log can be viewed, reported and scored
again like that of an eval.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from inspect import signature
from pathlib import Path
from typing import Any, Literal

from inspect_ai import Task, score
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalSample,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelConfig,
    ModelOutput,
    ModelUsage,
)

from askew.assembly import assemble
from askew.files import passing
from askew.logs.replies import Replay, read_replies, scan
from askew.parameters import reading_progress, unknown_parameter
from askew.schema import GRADER, REPLAY_API, Paper, clean_id
from askew.solvers.chain import planned_dialogue
from askew.sources.loading import ItemSet
from askew.sources.pinned import sha256_of
from askew.untrusted import digest

Progress = Callable[[str, int, int], None]
Display = Literal["full", "conversation", "rich", "plain", "log", "none"]
_UNKNOWN_PROMPT = "(The prompt is not known: this reply was made elsewhere.)"
_UNKNOWN_REPLY = "(This reply is not known: only the last one was kept.)"
# Inspect holds a log in memory while it is scored, and writes long ones slowly.
LONGEST_LOG = 5_000


def score_replies(
    file: str | Path, task: str | None = None, log_dir: str | Path = "logs", *,
    model_name: str = "", model_roles: Mapping[str, str] | None = None,
    progress: Progress | None = None, display: Display = "none", quiet: bool = True, **options: Any,
) -> list[Path]:  # fmt: skip
    """Score the replies of a JSONL or CSV file and write one log a model; the paths of the logs.

    Where a file holds replies to samples and replies that say what was asked, each kind has logs
    of its own; a log holds at most 5,000 replies. Logs of one model and kind are one run. A line
    that repeats an item under the same condition is a further epoch.

    Args:
        file: the replies.
        task: which of askew's tasks they answer; default the one whose conditions they name.
        log_dir: where the logs go; made if it is not there.
        model_name: whose replies they are, where a line does not say.
        model_roles: models by role, such as the `grader`.
        progress: called with the model, and how many of how many are done.
        display: how Inspect shows that it is scoring ("rich", "plain", "none").
        quiet: no progress of the reading on stderr.
        **options: parameters of the task, as in the eval that asked; where no reply names a
            sample, those of its scorer, such as `extraction="strict"`.
    """
    if "://" in str(log_dir):
        raise ValueError(f"{log_dir}: replies are scored into a folder here; copy the logs there")
    path, roles = Path(file).expanduser(), dict(model_roles or {})
    paper, ids, size = scan(path, task)
    known = paper.parameters if ids else _defaults(_scorer(paper))
    for name in options:
        if name not in known:
            raise unknown_parameter(paper.task, name, known)
    parser = options.get("parser", "rules")
    if parser != "rules" and GRADER not in roles:
        raise ValueError(f"parser={parser} needs --model-role {GRADER}=<model>")
    replayed = paper.make(**_task_parameters(paper, ids, options)) if ids else None
    samples = {str(sample.id): sample for sample in replayed.dataset} if replayed else {}
    data = options.get("data", "bundled")
    parts: dict[tuple[str, bool], list[Replay]] = defaultdict(list)
    with reading_progress(size, quiet, "reading replies") as on_read:
        for played in read_replies(path, paper, samples, model_name, data):
            parts[played.model, played.named].append(played)
            on_read(played.model)
    written = []
    how: dict[str, Any] = {"action": "overwrite", "display": display, "copy": False}
    for done, ((model, named), replies) in enumerate(parts.items()):
        if progress:
            progress(model, done, len(parts))
        made = replayed if named and replayed else _empty_task(paper, options, path)
        identity = [model, str(made.version), *([sha256_of(path)[:12]] if named else [])]
        for first in range(0, len(replies), LONGEST_LOG):
            log = log_of(
                paper.task, model,
                [*map(_to_logged_sample, replies[first : first + LONGEST_LOG])],
                path.name, [*identity, *([str(first // LONGEST_LOG)] if first else [])],
                task_version=made.version, metadata=made.metadata, viewer=made.viewer,
                headline_metric=made.headline_metric,
                task_args={**(_defaults(paper.make) if named else {}), **options},
                model_roles={r: ModelConfig(model=m) for r, m in roles.items()} or None,
            )  # fmt: skip
            written.append(write_log(paper.task, score(log, made.scorer or [], **how), log_dir))
    return written


def _scorer(paper: Paper) -> Callable[..., Any]:
    made: Callable[..., Any] = getattr(paper.part("scorer"), f"{paper.task}_scorer")
    return made


def _defaults(make: Callable[..., Any]) -> dict[str, Any]:
    """The parameters of a task or scorer with their defaults, as an eval would log them."""
    own = signature(make).parameters.values()
    return {p.name: p.default for p in own if p.kind != p.VAR_KEYWORD}


def _empty_task(paper: Paper, options: Mapping[str, Any], path: Path) -> Task:
    """The task of replies that name no sample of it: without questions of its own."""
    known = _defaults(_scorer(paper))
    return assemble(
        paper,
        dataset=MemoryDataset([Sample(input=_UNKNOWN_PROMPT, id="unknown")], name="replies"),
        loaded=ItemSet([], "file", sha256_of(path)[:12]),
        prompts=("replies",),
        setup=[],
        scorer=_scorer(paper)(**{n: v for n, v in options.items() if n in known}),
        config=GenerateConfig(),
    )


def _task_parameters(paper: Paper, ids: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of the task that makes these samples: as given, under all conditions they name."""
    parameters = {n: v for n, v in paper.everything.items() if n in paper.selectors}
    for place, factor in enumerate(paper.factors, start=1):
        named = {parts[place] for name in ids if len(parts := name.split("/")) > place}
        if factor.name in paper.parameters:
            chosen = [value for value in factor.conditions if clean_id(value) in named]
            parameters |= {factor.name: ",".join(chosen)} if chosen else {}
    within = {part: name for name, parts in paper.grouped.items() for part in parts}
    left = {n: v for n, v in parameters.items() if n not in given and within.get(n) not in given}
    return {**left, **given}


def log_of(
    task: str, model: str, samples: list[EvalSample], file: str, identity: Sequence[str],
    ids: Sequence[str] = (), **spec: Any,
) -> EvalLog:  # fmt: skip
    """The log of a task's eval that made these samples; `ids` if it set out for more of them.

    It is called by what makes it another one, its `identity`.
    """
    name = digest("/".join(identity), 22)
    now = datetime.now(UTC).replace(microsecond=0).isoformat()
    ids = ids or list(dict.fromkeys(str(sample.id) for sample in samples))
    return EvalLog(
        status="success",
        eval=EvalSpec(
            created=now, task=f"askew/{task}", task_id=name, run_id=name, eval_id=name,
            task_registry_name=f"askew/{task}", model=f"{REPLAY_API}/{model}",
            dataset=EvalDataset(name=file, samples=len(ids), sample_ids=[*ids]),
            config=EvalConfig(epochs=max(sample.epoch for sample in samples)), **spec,
        ),
        stats=EvalStats(started_at=now, completed_at=now),
        samples=samples,
    )  # fmt: skip


def _to_logged_sample(played: Replay) -> EvalSample:
    """A sample as an eval would have logged it."""
    reply, sample = played.reply, played.sample
    output = ModelOutput.from_content(played.model, reply.completion, reply.stop_reason)
    # A reply that was cut at the end of the context was made of something.
    output.usage = ModelUsage() if reply.stop_reason == "model_length" else None
    prompt = reply.prompt or ("" if played.named else _UNKNOWN_PROMPT)
    earlier: list[ChatMessage] = [ChatMessageAssistant(content=text) for text in reply.earlier]
    known = [ChatMessageUser(content=prompt), *earlier] if prompt else _dialogue(sample, earlier)
    return EvalSample(
        id=str(sample.id), epoch=played.epoch, input=prompt or sample.input, choices=sample.choices,
        target=sample.target, messages=[*known, output.message], output=output,
        metadata=sample.metadata or {},
    )  # fmt: skip


def _dialogue(sample: Sample, replies: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The task's own prompts, and between them the replies before the last."""
    texts = iter(replies)
    messages: list[ChatMessage] = []
    for role, text in planned_dialogue(sample):
        if role == "assistant":
            messages.append(next(texts, ChatMessageAssistant(content=_UNKNOWN_REPLY)))
        else:
            made = ChatMessageSystem if role == "system" else ChatMessageUser
            messages.append(made(content=text))
    return messages


def write_log(task: str, log: EvalLog, folder: str | Path) -> Path:
    """Write the log whole: until then it has a name that no reader takes for a log's."""
    stamp = re.sub(r"[:+]", "-", str(log.eval.created))
    target = Path(folder) / f"{stamp}_{task.replace('_', '-')}_{log.eval.task_id}.eval"
    with passing(target) as part:
        write_eval_log(log, str(part), format="eval")
    return target
