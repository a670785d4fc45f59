"""At the end of a run Inspect's console says where questions were too easy, and the log is marked.

The log gets a tag and the sentences as metadata, by Inspect's own edits of logs, so that its viewer
shows both. A log that is not on this machine would have to be sent again as a whole: it stays as it
is, as does one that can't be written.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from logging import getLogger
from pathlib import Path

import pandas as pd
from inspect_ai.log import (
    EvalLog,
    MetadataEdit,
    ProvenanceData,
    TagsEdit,
    edit_eval_log,
    read_eval_log_async,
    write_eval_log_async,
)

from askew.files import renamed_when_whole
from askew.report.ceiling import ceilings, in_brief
from askew.statistics.tables import Interval
from askew.untrusted import one_line

TAG, METADATA = "at-ceiling", "askew_ceiling"
_QUICK = Interval(resamples=1_000)
_LONGEST = 1_000
_WHY = ProvenanceData(author="askew", reason="questions too easy to tell strong models apart")
_logger = getLogger(__name__)


async def say_ceilings(log: EvalLog, rows: pd.DataFrame) -> None:
    """Warn where a model was at the ceiling of what a task asked, and mark the log.

    Args:
        log: of the task that is over.
        rows: the observations behind its numbers, of one model.
    """
    task = str(rows["task"].iloc[0])
    if (log.eval.metadata or {}).get("paper") != task:
        return
    found = ceilings(rows.assign(model=log.eval.model), _QUICK)
    if not found.found:
        return
    told = f"{task}, {one_line(log.eval.model)}: {in_brief(found.found)}"
    _logger.warning("%s", one_line(told, _LONGEST))
    try:
        await _mark(log, [one_line(note, _LONGEST) for note in found.notes])
    except OSError as error:
        _logger.warning("%s is not marked: %s", log.location, error)


async def _mark(log: EvalLog, said: Sequence[str]) -> None:
    path = Path(log.location.removeprefix("file://"))
    if path.suffix != ".eval" or not path.is_file():
        return
    edits = [TagsEdit(tags_add=[TAG]), MetadataEdit(metadata_set={METADATA: [*said]})]
    header = edit_eval_log(await read_eval_log_async(str(path), header_only=True), edits, _WHY)
    # Inspect replaces a header in place, which a killed process would leave half done.
    with renamed_when_whole(path) as part:
        shutil.copy(path, part)
        await write_eval_log_async(header, str(part), format="eval", header_only=True)
    log.log_updates = header.log_updates
    log.recompute_tags_and_metadata()
