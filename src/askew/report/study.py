"""What was read from logs, once: rows, what is excluded, runs, and all that follows from them."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, field

import pandas as pd

from askew.logs.excluded import COLUMNS, Run
from askew.logs.locations import Logs
from askew.logs.observations import read_tables
from askew.progress import Progress


def _nothing_excluded() -> pd.DataFrame:
    return pd.DataFrame(columns=list(COLUMNS))


@dataclass(frozen=True, eq=False)
class Study:
    """What logs hold, read once and asked often.

    Attributes:
        rows: one row a scored sample and epoch; `observation_columns` lists the columns.
        excluded: what is not among the rows, and what to know about those that are: a row a log,
            kind and reason, with columns log, model, task, what, count, why.
        runs: logs that were pooled, with their settings.
    """

    rows: pd.DataFrame
    excluded: pd.DataFrame = field(default_factory=_nothing_excluded)
    runs: tuple[Run, ...] = ()

    @classmethod
    def read(
        cls,
        logs: Logs | None = None,
        *,
        quiet: bool = False,
        progress: Progress | None = None,
        executor: Executor | None = None,
    ) -> Study:
        """Read the logs of askew's tasks; logs of other tasks are passed over.

        Runs are pooled where nothing differs that bears on answers or scores: the model and its
        arguments, generation settings, limits, solver, model roles, parameters of task and scorer,
        the version of task, prompts and data. Where one model was run under several of these, the
        column `model` says which ("openai/gpt-5 (reasoning_effort=high)"). Secrets are never shown.

        A sample counts once a run and epoch. The attempt that ended last stands, and where that one
        ended in an error or at a limit, the sample is excluded, whatever score it or an earlier
        attempt has. Retried and resumed runs copy the samples they keep and `inspect score` copies
        all: of such copies, one scored again stands (appended to the first score, or in a file that
        is named `-scored`), then that of the file written last, then that given last.

        Only summaries are read, never full samples, but for logs in which samples were declared
        invalid and for logs in JSON.

        Args:
            logs: a file, a folder, an address of remote storage, `EvalLogInfo`, `EvalLog`, or a
                list of these; default Inspect's log folder.
            quiet: no progress on stderr. It is shown only on a terminal, if reading takes long.
            progress: called with logs done, logs in all, and the name of the last one, instead.
            executor: what reads the logs, one a task; default this process.
        """
        return cls(*read_tables(logs, quiet=quiet, progress=progress, executor=executor))
