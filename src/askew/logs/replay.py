"""Score replies that exist already: a JSONL of completions becomes a normal Inspect log.

No model is called. The log can be viewed, reported and scored again like that of an eval.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Protocol

from inspect_ai import Task, score
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalSample,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import ChatMessageUser, ModelOutput, StopReason

from askew.files import passing
from askew.papers import asked_for, papers
from askew.schema import REPLAY_API, Paper, Scalar
from askew.sources.pinned import sha256_of

Progress = Callable[[str, int, int], None]
Display = Literal["full", "conversation", "rich", "plain", "log", "none"]
_UNKNOWN_PROMPT = "(The prompt is not known: this reply was made elsewhere.)"


class MadeReply(Protocol):
    """What every paper's replies say of themselves."""

    model: str
    completion: str
    prompt: str
    stop_reason: StopReason


def score_replies(
    file: str | Path,
    task: str | None = None,
    log_dir: str | Path = "logs",
    *,
    progress: Progress | None = None,
    display: Display = "none",
    **options: Scalar,
) -> list[Path]:
    """Score the replies of a JSONL file and write one log a model; the paths of the logs.

    What a line says is the paper's: its part `replies` reads them. A line that repeats an item
    under the same condition is a further epoch.

    Args:
        file: the replies.
        task: which of askew's tasks they answer; default the only one they may answer.
        log_dir: where the logs go; made if it is not there.
        progress: called with the model, models done and models in all.
        display: how Inspect shows that it is scoring ("rich", "plain", "none").
        **options: of the task's scorer, such as `extraction="strict"`.
    """
    paper = _paper_of(task)
    if "://" in str(log_dir):
        raise ValueError(f"{log_dir}: replies are scored into a folder here; copy the logs there")
    path = Path(file).expanduser()
    reading = paper.part("replies")
    by_model: dict[str, list[MadeReply]] = {}
    for reply in reading.read_replies(path):
        by_model.setdefault(reply.model, []).append(reply)
    revision = sha256_of(path)[:12]
    written = []
    for done, (model, replies) in enumerate(by_model.items()):
        if progress:
            progress(model, done, len(by_model))
        made = reading.replay_task(replies, revision, options)
        log = _log_of(paper, model, replies, made, path.name, options)
        scored = score(log, made.scorer or [], action="overwrite", display=display, copy=False)
        written.append(_write_log(paper, scored, Path(log_dir)))
    if progress:
        progress("", len(by_model), len(by_model))
    return written


def _paper_of(task: str | None) -> Paper:
    """The paper whose replies are scored: of those that can be, the one that is named."""
    able = [paper for paper in papers() if paper.has("replies")]
    if task is None and len(able) == 1:
        return able[0]
    chosen = asked_for(task) if task else None
    if chosen not in able:
        named = ", ".join(paper.task for paper in able) or "none"
        raise ValueError(f"task={task}: replies to these tasks can be scored: {named}")
    return chosen


def _log_of(
    paper: Paper,
    model: str,
    replies: Sequence[MadeReply],
    task: Task,
    source: str,
    options: Mapping[str, Scalar],
) -> EvalLog:
    """The log of an eval that made these replies, not scored yet."""
    samples = _samples(model, replies, task)
    now = datetime.now(UTC).replace(microsecond=0).isoformat()
    identity = hashlib.sha256(f"{model}/{task.version}".encode()).hexdigest()[:22]
    ids = list(dict.fromkeys(str(s.id) for s in samples))
    return EvalLog(
        status="success",
        eval=EvalSpec(
            created=now,
            task=f"askew/{paper.task}",
            task_id=identity,
            run_id=identity,
            task_version=task.version,
            task_registry_name=f"askew/{paper.task}",
            task_args=dict(options),
            dataset=EvalDataset(name=source, samples=len(ids), sample_ids=ids),
            model=f"{REPLAY_API}/{model}",
            config=EvalConfig(epochs=max(s.epoch for s in samples)),
            metadata=task.metadata,
            viewer=task.viewer,
            headline_metric=task.headline_metric,
        ),
        stats=EvalStats(started_at=now, completed_at=now),
        samples=samples,
    )


def _samples(model: str, replies: Sequence[MadeReply], task: Task) -> list[EvalSample]:
    epochs: Counter[str] = Counter()
    samples = []
    for reply, sample in zip(replies, task.dataset, strict=True):
        name = str(sample.id)
        epochs[name] += 1
        asked = reply.prompt or _UNKNOWN_PROMPT
        output = ModelOutput.from_content(model, reply.completion, stop_reason=reply.stop_reason)
        samples.append(
            EvalSample(
                id=name,
                epoch=epochs[name],
                input=asked,
                choices=sample.choices,
                target=sample.target,
                messages=[ChatMessageUser(content=asked), output.message],
                output=output,
                metadata=sample.metadata or {},
            )
        )
    return samples


def _write_log(paper: Paper, log: EvalLog, folder: Path) -> Path:
    """Write the log whole: until then it has a name that no reader takes for a log's."""
    stamp = re.sub(r"[:+]", "-", str(log.eval.created))
    name = f"_{paper.task.replace('_', '-')}_{log.eval.task_id}.eval"
    target = folder / f"{stamp}{name}"
    with passing(target, same=f"*{name}") as part:
        write_eval_log(log, str(part), format="eval")
    return target
