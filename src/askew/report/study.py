"""What was read from logs, once: rows, what is excluded, runs, and all that follows from them."""

import json
import logging
import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, wraps
from os import PathLike
from pathlib import Path
from typing import Any, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import TypeAdapter

from askew.files import passing
from askew.logs.locations import FoundLog, Logs, find_logs
from askew.logs.tables import (
    EXCLUDED,
    STOPPED,
    TABLE_VERSION,
    ExportError,
    Run,
    observation_columns,
    read_tables,
)
from askew.papers import get_paper, names
from askew.parameters import SelectionError
from askew.report.caveats import LOST, Ceilings, add_bounds, ceilings, lost_shares
from askew.report.estimates import Model
from askew.schema import OBSERVED, RESPONDENT_API, named_now
from askew.stats.paired import COLUMNS as DIFFERENCE_COLUMNS
from askew.stats.tables import DEFAULT_INTERVAL, NULL_COLUMNS, NUMBERS, OVERALL, Interval
from askew.untrusted import in_cells, one_line

T = TypeVar("T")
Work = TypeVar("Work", bound=Callable[..., Any])
_QUICK = Interval(resamples=100)
_METADATA = b"askew"  # where a Parquet file keeps what is not a row
# Columns of a metric or difference table that are no levels.
_NOT_LEVELS = (
    "task", "metric", "model", *NUMBERS, *NULL_COLUMNS, *LOST, *DIFFERENCE_COLUMNS,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Study:
    """The contents of logs. Logs are read once, and each result is computed once.

    Attributes:
        rows: One row per scored sample and epoch; `observation_columns` lists the columns.
        excluded: What is not among the rows, and notes on those that are: one row per log, kind
            and reason.
        runs: The pooled logs, with their settings.
        logs: What was read, of other tasks too.
    """

    rows: pd.DataFrame
    excluded: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(EXCLUDED)))
    runs: tuple[Run, ...] = ()
    logs: tuple[FoundLog, ...] = ()
    _known: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        # Replies are told apart by the index, which tables put together may hold twice.
        object.__setattr__(self, "rows", named_now(self.rows))
        if not self.rows.index.is_unique:
            object.__setattr__(self, "rows", self.rows.reset_index(drop=True))

    @classmethod
    def read(
        cls, logs: Logs | None = None, *, quiet: bool = False, executor: Executor | None = None
    ) -> Self:
        """Read the logs of askew's tasks and skip those of other tasks.

        Runs are pooled if nothing differs that affects answers or scores: the model and its
        arguments, generation settings, limits, solver, model roles, parameters of task and scorer,
        the version of task, prompts and data. If one model was run under several of these, the
        column `model` names the difference ("openai/gpt-5 (reasoning_effort=high)"). Secrets are
        never shown.

        A sample counts once per run and epoch. The latest attempt counts; if it ended in an error
        or at a limit, the sample is excluded, whatever its score. Retried runs and `inspect score`
        copy samples: of the copies, the one scored again counts (appended to the first score, or
        in a file named `-scored`), then that of the file written last, then that given last.

        Summaries are read; full samples only to check some of them, and all in JSON logs, in logs
        with samples declared invalid, and in logs that were written again after their run.

        Args:
            logs: A file, a folder, an address of remote storage, `EvalLogInfo`, `EvalLog`, or a
                list of these; default Inspect's log folder.
            quiet: No progress on stderr, which a terminal shows if reading takes long.
            executor: Any `concurrent.futures.Executor` to read logs with; default this process.

        Returns:
            The study: `rows`, `excluded` and `runs`.

        Raises:
            ValueError: No log could be read.
        """
        found = find_logs(logs)
        return cls(*read_tables(found, quiet=quiet, executor=executor), tuple(found))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a study back from a `.parquet` file that `write_observations` wrote.

        Args:
            path: The file; one of another origin gives rows without exclusions and runs.

        Returns:
            The study.
        """
        table = pq.read_table(path)
        metadata = json.loads((table.schema.metadata or {}).get(_METADATA, b"{}"))
        excluded = pd.DataFrame(metadata.get("excluded", []), columns=list(EXCLUDED))
        runs = tuple(TypeAdapter(list[Run]).validate_python(metadata.get("runs", [])))
        return cls(table.to_pandas(), excluded, runs)

    @cached_property
    def by_task(self) -> Mapping[str, pd.DataFrame]:
        """The rows of each task, in the order of the papers, with the columns it has."""
        if not len(self.rows):
            return {}
        parts = {str(t): part for t, part in self.rows.groupby("task", sort=False)}
        if unknown := [t for t in parts if t not in names()]:
            raise ValueError(f"task {unknown[0]!r} is not one of askew's: {', '.join(names())}")
        filled = [c for c in self.rows if c not in OBSERVED and self.rows[c].notna().any()]
        for task, part in parts.items():
            # An empty column of another task would look like a condition of this one.
            parts[task] = part.drop(columns=[c for c in filled if part[c].isna().all()])
        return {task: parts[task] for task in names() if task in parts}

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """The models in the order in which they were read, also those with nothing scored.

        Simulated ones are known by their provider.
        """
        names = {run.model: run.model_name or run.model for run in self.runs}
        if len(self.rows):
            named = "model_name" if "model_name" in self.rows else "model"
            pairs = self.rows[["model", named]].set_axis(["model", "name"], axis="columns")
            for label, name in pairs.drop_duplicates().itertuples(index=False):
                names.setdefault(str(label), str(name))
        # The name without its provider; slashes inside the settings that it names don't count.
        shorts = [re.sub(r"(?s)^[^/(]*/(?=.)", "", label) for label in names]
        models = []
        for (label, name), short in zip(names.items(), shorts, strict=True):
            shown = one_line(short if shorts.count(short) == 1 else label)
            simulated = name.startswith(f"{RESPONDENT_API}/")
            models.append(Model(label, shown, simulated, name=name))
        return tuple(models)

    @cached_property
    def outcomes(self) -> pd.DataFrame:
        """How often each outcome was read: columns task, model, outcome, count."""
        by = ["task", "model", "outcome"]
        rows = self.rows.reindex(columns=by)
        return rows.groupby(by, sort=False).size().reset_index(name="count")

    def has(self, task: str, interval: Interval | None) -> bool:
        """Whether a task's numbers with such intervals are computed already."""
        return ("table", task, interval) in self._known

    def _once(self, key: Hashable, made: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = made()
        return cast(T, self._known[key])

    def table(self, task: str, interval: Interval | None = DEFAULT_INTERVAL) -> pd.DataFrame:
        """The numbers of a task, with means over models where its paper prints such."""
        paper, rows = get_paper(task), self.by_task[task]
        return self._once(
            ("table", task, interval),
            lambda: paper.table(rows, interval=interval, **paper.averaged).assign(task=task),
        )

    def _unscored(self, task: str) -> pd.DataFrame:
        """Items and conditions of a task's samples without a score."""
        own = [run for run in self.runs if run.task == task]
        return pd.DataFrame([{**at, "model": r.model, "run": r.run} for r in own for at in r.lost])

    def lost_shares(self, task: str) -> pd.DataFrame:
        """The share of lost replies by model and condition, of models where it is uneven."""
        return lost_shares(get_paper(task), self.by_task[task], self._unscored(task))

    def summary(self, interval: Interval | None = DEFAULT_INTERVAL) -> pd.DataFrame:
        """The numbers of all tasks, their levels beside each other, means over models last."""

        def made() -> pd.DataFrame:
            tables = [
                add_bounds(get_paper(task), self.table(task, interval), rows, self._unscored(task))
                for task, rows in self.by_task.items()
            ]
            first, last = ["task", "metric", "model", "subset"], [*NUMBERS, *NULL_COLUMNS, *LOST]
            levels = [c for c in dict.fromkeys(c for t in tables for c in t) if c not in last]
            # A whole number stays one where other tasks lack the level: 1, not 1.0.
            tables = [
                t.astype({c: "Int64" for c in levels_of(t) if t[c].dtype.kind == "i"})
                for t in tables
            ]
            rows = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=first)
            rows = rows.reindex(columns=[*dict.fromkeys([*first, *levels]), *last])
            means = (rows["model"] == OVERALL).to_numpy(bool)
            return rows.iloc[means.argsort(kind="stable")].reset_index(drop=True)

        return self._once(("summary", interval), made)

    def ceilings(self, interval: Interval = DEFAULT_INTERVAL) -> Ceilings:
        """Every set and tier at its ceiling for a model, and all that were asked."""
        return self._once(("ceilings", interval), lambda: ceilings(self.by_task, interval))

    def early_stops(
        self, models: Collection[str], tasks: Collection[str] | None = None
    ) -> list[str]:
        """Runs of models that asked no more because their headline was known: a sentence each."""
        notes = [
            f"{row['task']}, {one_line(row['model'])}: {row['why']}."
            for row in self.excluded[self.excluded["what"] == STOPPED].to_dict("records")
            if row["model"] in models and (tasks is None or row["task"] in tasks)
        ]
        return [*dict.fromkeys(notes)]


def names_faulty_logs(work: Work) -> Work:
    """If the work fails, leave out and name the logs of which alone no report can be made.

    Its request is never the reason: a `SelectionError` or an error of a file stays one. Logs are
    tried by a report that is not written, so that no part of one takes the place of a whole.
    """

    @wraps(work)
    def guarded(study: Study, *args: Any, **options: Any) -> Any:
        try:
            return work(study, *args, **options)
        except (SelectionError, OSError):
            raise
        except Exception:
            from askew.report.report import build_report

            faults: dict[str, tuple[Any, ...]] = {}
            for log, rows in study.rows.groupby("log", sort=False) if "log" in study.rows else ():
                try:
                    own = Study(rows, study.excluded, study.runs)
                    build_report(own, interval=_QUICK, transcripts=False)
                except Exception as error:
                    name = one_line(Path(str(log)).name)
                    why = one_line(f"no report can be made of it ({error!r})")
                    faults[str(log)] = name, "", "", "unreadable log", 1, why
            if not faults or len(faults) == study.rows["log"].nunique(dropna=False):
                raise
            for name, *_, why in faults.values():
                logging.getLogger("askew").warning("not read: %s: %s", name, why)
            named = pd.DataFrame([*faults.values()], columns=list(EXCLUDED))
            excluded = pd.concat([study.excluded, named], ignore_index=True)
            rows = study.rows[~study.rows["log"].isin(faults)]
            return work(replace(study, rows=rows, excluded=excluded), *args, **options)

    return cast(Work, guarded)


def summarize(
    observations: pd.DataFrame, interval: Interval | None = DEFAULT_INTERVAL
) -> pd.DataFrame:
    """Compute every metric of every task, with intervals.

    Args:
        observations: The rows of a study, of any number of tasks.
        interval: How to compute intervals; `None` for point values only.

    Returns:
        One row per task, metric, model and level. Columns: `task`, `metric`, `model`, `subset`, the
        levels of the tasks, then `value`, `low`, `high`, `n_items`, `n_clusters`, `n_dropped`,
        `dropped_of` and `reason`. Items that share a text or template are one cluster; dropped is
        what was not scored in all conditions, of so many items or groups. A level that a task does
        not have is missing in its rows. An undefined value is nan, with its `reason`. Metrics with
        a permutation null also have `value_debiased` (noise-corrected), `null_mean`, `null_q95` and
        `p_value`. If losses differ by condition (`lost_by_condition`), decisive metrics also have
        `value_lost_wrong` and `value_lost_right`, which count lost replies. Means over models, if
        the paper prints them, come last under the model "all", without weights.
    """
    return Study(observations).summary(interval)


def levels_of(table: pd.DataFrame) -> list[str]:
    """The columns that tell numbers of one metric and model apart."""
    return [str(c) for c in table.columns if c not in _NOT_LEVELS]


def at_top(table: pd.DataFrame, opened: Sequence[str] = ()) -> npt.NDArray[np.bool_]:
    """Which of a task's rows say "all" at every level but those opened, where any row does."""
    kept = np.ones(len(table), dtype=bool)
    for level in levels_of(table):
        if level not in opened:
            overall = table[level] == OVERALL
            has_overall = overall.groupby(table["metric"], sort=False).transform("any")
            kept &= (overall | ~has_overall).to_numpy(bool)
    return kept


def read_observations(logs: Logs | None = None, **options: Any) -> pd.DataFrame:
    """Read the logs of askew's tasks into one tidy table: the rows of `Study.read`.

    Args:
        logs: As in `Study.read`.
        **options: As in `Study.read`.

    Returns:
        One row per scored sample and epoch; `observation_columns` names the columns.

    Raises:
        ValueError: No log could be read.
    """
    return Study.read(logs, **options).rows


def write_observations(study: Study, path: str | PathLike[str]) -> Path:
    """Write the rows to a `.csv` or `.parquet` file, one row per scored sample and epoch.

    The file appears whole or not at all. Parquet keeps types, the columns' meaning, exclusions and
    runs; `Study.load` reads it back. In CSV, an apostrophe guards texts that a spreadsheet would
    compute, and hidden characters are escaped.

    Args:
        study: The logs, as `Study.read` returns them.
        path: The file to write; its suffix gives the format.

    Returns:
        The path.
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise ExportError(f"{target}: write observations to .csv or .parquet")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target}: there is no folder {target.parent}")
    with passing(target) as part:
        if kind == ".csv":
            in_cells(study.rows).to_csv(part, index=False, lineterminator="\n", encoding="utf-8")
            return target
        table = pa.Table.from_pandas(study.rows, preserve_index=False)
        meanings = observation_columns()
        fields = [
            f.with_metadata({"description": meanings[f.name]}) if f.name in meanings else f
            for f in table.schema
        ]
        runs = [asdict(run) for run in study.runs]
        text = json.dumps({"excluded": study.excluded.to_dict("records"), "runs": runs})
        own = {_METADATA: text, b"askew_observations": TABLE_VERSION}
        metadata = {**(table.schema.metadata or {}), **own}
        pq.write_table(table.cast(pa.schema(fields, metadata)), part)
    return target
