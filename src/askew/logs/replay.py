"""Score replies that exist already: a file of completions becomes a normal Inspect log.

No model is called, but for a judge that is asked for. A reply that names a sample is played as the
output of the very sample that the task makes; one that says what was asked is made a sample by its
paper's part `replies`. The task's own scorer reads both. The log can be viewed, reported and scored
again like that of an eval.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from inspect_ai import score
from inspect_ai.dataset import Sample
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
    ModelConfig,
    ModelOutput,
    ModelUsage,
)

from askew.files import passing
from askew.logs.reply_files import UNKNOWN_PROMPT, Played, ReplyFile
from askew.schema import REPLAY_API, Paper
from askew.solvers.chain import planned_dialogue

Progress = Callable[[str, int, int], None]
Display = Literal["full", "conversation", "rich", "plain", "log", "none"]
_UNKNOWN_REPLY = "(This reply is not known: only the last one was kept.)"
# Inspect holds a log in memory while it is scored, and writes long ones slowly.
LONGEST_LOG = 5_000


def score_replies(
    file: str | Path,
    task: str | None = None,
    log_dir: str | Path = "logs",
    *,
    model_name: str = "",
    model_roles: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    display: Display = "none",
    quiet: bool = True,
    **options: Any,
) -> list[Path]:
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
        progress: called with the model, models done and models in all.
        display: how Inspect shows that it is scoring ("rich", "plain", "none").
        quiet: no progress of the reading on stderr.
        **options: parameters of the task, as in the eval that asked; where no reply names a
            sample, those of its scorer, such as `extraction="strict"`.
    """
    if "://" in str(log_dir):
        raise ValueError(f"{log_dir}: replies are scored into a folder here; copy the logs there")
    replies = ReplyFile(Path(file).expanduser(), task, model_name, options)
    replies.check(dict(model_roles or {}), quiet)
    models = list(dict.fromkeys(model for model, _ in replies.found))
    written = []
    for done, model in enumerate(models):
        if progress:
            progress(model, done, len(models))
        for named in (True, False):
            played = (p for p in replies.played() if (p.model, p.named) == (model, named))
            for number in range(-(-replies.found[model, named] // LONGEST_LOG)):
                part = list(islice(played, LONGEST_LOG))
                log = _log_of(replies, part, number, dict(model_roles or {}))
                made = replies.task(named).scorer or []
                scored = score(log, made, action="overwrite", display=display, copy=False)
                written.append(_write_log(replies.paper, scored, Path(log_dir)))
    if progress:
        progress("", len(models), len(models))
    return written


def _log_of(
    replies: ReplyFile, part: Sequence[Played], number: int, roles: Mapping[str, str]
) -> EvalLog:
    """The log of an eval that made these replies, not scored yet."""
    model, task = part[0].model, replies.task(part[0].named)
    parts = [model, str(task.version), *([replies.revision] if part[0].named else [])]
    identity = hashlib.sha256("/".join(parts + [str(number)] * bool(number)).encode())
    name = identity.hexdigest()[:22]
    now = datetime.now(UTC).replace(microsecond=0).isoformat()
    samples = [_logged(played) for played in part]
    ids = list(dict.fromkeys(str(s.id) for s in samples))
    return EvalLog(
        status="success",
        eval=EvalSpec(
            created=now,
            task=f"askew/{replies.paper.task}",
            task_id=name,
            run_id=name,
            task_version=task.version,
            task_registry_name=f"askew/{replies.paper.task}",
            task_args=replies.parameters(part[0].named),
            dataset=EvalDataset(name=replies.path.name, samples=len(ids), sample_ids=ids),
            model=f"{REPLAY_API}/{model}",
            model_roles={role: ModelConfig(model=bound) for role, bound in roles.items()} or None,
            config=EvalConfig(epochs=max(s.epoch for s in samples)),
            metadata=task.metadata,
            viewer=task.viewer,
            headline_metric=task.headline_metric,
        ),
        stats=EvalStats(started_at=now, completed_at=now),
        samples=samples,
    )


def _logged(played: Played) -> EvalSample:
    """A sample as an eval would have logged it."""
    reply, sample = played.reply, played.sample
    # A reply that was cut at the end of the context was made of something.
    used = ModelUsage() if reply.stop_reason == "model_length" else None
    output = ModelOutput.from_content(played.model, reply.completion, reply.stop_reason)
    output.usage = used
    asked = reply.prompt or ("" if played.named else UNKNOWN_PROMPT)
    return EvalSample(
        id=str(sample.id),
        epoch=played.epoch,
        input=asked or sample.input,
        choices=sample.choices,
        target=sample.target,
        messages=[*_dialogue(asked, reply.earlier, sample), output.message],
        output=output,
        metadata=sample.metadata or {},
    )


def _dialogue(asked: str, earlier: Sequence[str], sample: Sample) -> Iterator[ChatMessage]:
    """What came before the reply: the task's own prompts, unless the file says what was asked."""
    if asked:
        yield ChatMessageUser(content=asked)
        yield from (ChatMessageAssistant(content=text) for text in earlier)
        return
    said = iter(earlier)
    for role, text in planned_dialogue(sample):
        if role == "assistant":
            yield ChatMessageAssistant(content=next(said, _UNKNOWN_REPLY))
        else:
            made = ChatMessageSystem if role == "system" else ChatMessageUser
            yield made(content=text)


def _write_log(paper: Paper, log: EvalLog, folder: Path) -> Path:
    """Write the log whole: until then it has a name that no reader takes for a log's."""
    stamp = re.sub(r"[:+]", "-", str(log.eval.created))
    name = f"_{paper.task.replace('_', '-')}_{log.eval.task_id}.eval"
    target = folder / f"{stamp}{name}"
    with passing(target, same=f"*{name}") as part:
        write_eval_log(log, str(part), format="eval")
    return target
