"""What is to be known of a log beside its samples: edits, contradictions, and what was chosen."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from zipfile import ZipFile

from inspect_ai.log import EvalLog

from askew.logs.attempts import Attempt, Summary, seconds
from askew.logs.samples import SAMPLE_FILE
from askew.parameters import parse_list
from askew.schema import RESPONDENT_API
from askew.untrusted import one_line

Noted = tuple[str, int, str]
"""What it is, of how many samples or logs, and why."""
EDITED, CONTRADICTION, PART = "edited scores", "contradiction", "part of a set"
# So many samples of a log, or a few more, are held against their summaries.
_HELD_AGAINST = 8
_DAY = 86_400
# Seconds in which a run's log is written once it has ended.
_WRITING = 600


Scores = Mapping[str, Mapping[str, Any]]


def notes_of(
    header: EvalLog,
    attempts: Sequence[Attempt],
    samples: Sequence[Summary],
    archive: ZipFile | None,
) -> Iterator[Noted]:
    """What is to be known of a log."""
    full = [*_full_scores(header, samples, archive)] if archive else []
    # The first of a history is the score as it was.
    last = [score["history"][-1] for _, of in full for score in of.values() if score.get("history")]
    if last:
        by = [edit.get("provenance") or {} for edit in last]
        authors = dict.fromkeys(f"{who.get('author')}: {who.get('reason')}" for who in by if who)
        yield EDITED, len(last), one_line("; ".join(authors) or "no reason is given")
    tier = header.eval.task_args.get("tier")
    if tier and parse_list(tier) != ["all"]:
        yield PART, 1, one_line(f"tier={tier}")
    if header.eval.config.sample_id is not None:
        yield PART, 1, "chosen by sample_id"
    spec, simulated = header.eval, f"{RESPONDENT_API}/"
    named = [spec.model]
    for bound in (spec.model_roles or {}).values():
        named += [m.model for m in (bound if isinstance(bound, list) else [bound])]
    used = dict.fromkeys(name for one in samples for name in one.get("model_usage") or ())
    if other := [m for m in used if m.startswith(simulated) and m not in named]:
        yield CONTRADICTION, 1, one_line(f"its model is {spec.model}, replies are of {other[0]}")
    later = sum(a.rank[0] > time.time() + _DAY for a in attempts)
    if later:
        yield CONTRADICTION, later, "samples ended in the future"
    differ = sum(
        any(
            name in of and repr(of[name]["value"]) != repr(score["value"])
            for name, score in text.items()
        )
        for text, of in full
    )
    if differ:
        yield CONTRADICTION, differ, "summaries hold other scores than the samples"


def _full_scores(
    header: EvalLog, samples: Sequence[Summary], archive: ZipFile
) -> Iterator[tuple[Scores, Scores]]:
    """Scores by the summary and by the sample: of some, of all where a log was written later."""
    parts = {info.filename: info for info in archive.infolist()}
    named = [(SAMPLE_FILE.format(s["id"], s["epoch"]), s.get("scores")) for s in samples]
    known = [(parts[name], scores) for name, scores in named if scores and name in parts]
    later = seconds(header.stats.completed_at) + _WRITING
    is_later = any(datetime(*part.date_time).timestamp() > later for part, _ in known[:1])
    step = 1 if is_later else max(1, len(known) // _HELD_AGAINST)
    for part, scores in known[::step]:
        yield scores, json.loads(archive.read(part)).get("scores") or {}
