"""From logs to observations: one row a scored sample and epoch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from askew.logs.attempts import Standing, never_asked, standing
from askew.logs.columns import observation_table
from askew.logs.left_out import ATTRIBUTE, account, notes, read_entry, unused_entry
from askew.logs.locations import Logs, places
from askew.logs.log_files import ReadLog, read_logs
from askew.logs.runs import model_labels, run_id
from askew.logs.settings import RunSettings, run_settings
from askew.progress import Progress, reading_progress


def read_observations(
    logs: Logs | None = None, *, quiet: bool = False, progress: Progress | None = None
) -> pd.DataFrame:
    """Read the logs of askew's tasks into one tidy table; logs of other tasks are passed over.

    A row is one scored sample in one epoch (`observation_columns` lists the columns). What has
    no row is counted with its reason: `left_out(observations)` shows it.

    Runs are pooled where nothing differs that bears on answers or scores: the model and its
    arguments, generation settings, limits, solver, model roles, parameters of task and scorer,
    the version of task, prompts and data. Where one model was run under several of these, the
    column `model` says which ("openai/gpt-5 (reasoning_effort=high)"). Secrets are never shown.

    A sample counts once a run and epoch. The attempt that ended last stands, and where that one
    ended in an error or at a limit, the sample is not observed, whatever score it or an earlier
    attempt has. Retried and resumed runs copy the samples they keep and `inspect score` copies
    all: of such copies, one scored again stands (appended to the first score, or in a file that
    is named `-scored`), then that of the file written last, then that given last.

    Only summaries are read, never full samples, but for logs in which samples were declared
    invalid and for logs in JSON.

    Args:
        logs: a file, a folder, an address of remote storage, `EvalLogInfo`, `EvalLog`, or a
            list of these; default Inspect's log folder.
        quiet: no progress on stderr. It is shown only on a terminal, when reading takes long.
        progress: called with logs done, logs in all, and the name of the last one, instead.
    """
    found = places(logs)
    with reading_progress(len(found), quiet, progress) as on_read:
        contents = read_logs(found, on_read)
    read = [log for log in contents if isinstance(log, ReadLog)]
    settings = [run_settings(log.header, log.paper) for log in read]
    runs = [run_id(s) for s in settings]
    labels = model_labels(settings)
    stand = standing(read, runs)

    rows = _rows(read, settings, [labels[run] for run in runs], runs, stand)
    observations = observation_table(list(rows))
    missing = never_asked(read, runs)
    entries = {
        id(log): read_entry(log, run, labels[run], setting, stands, absent)
        for log, run, setting, stands, absent in zip(
            read, runs, settings, stand, missing, strict=True
        )
    }
    told = [entries[id(log)] if isinstance(log, ReadLog) else unused_entry(log) for log in contents]
    observations.attrs[ATTRIBUTE] = account(told, notes(told))
    return observations


def _rows(
    read: Sequence[ReadLog],
    settings: Sequence[RunSettings],
    models: Sequence[str],
    runs: Sequence[str],
    stand: Sequence[Standing],
) -> Iterable[dict[str, Any]]:
    for log, setting, model, run, stands in zip(read, settings, models, runs, stand, strict=True):
        source = {
            "model": model,
            "model_name": setting.model_name,
            "task": log.paper.task,
            "status": "scored",
            "run": run,
            "log": log.place.location,
        }
        for attempt in stands.attempts:
            if attempt.row is not None:
                yield {**attempt.row, **source, "sample_id": attempt.sample_id}
