"""A report as a whole: chapters, what was left out, where the numbers come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from askew.report.accounting import Run, loss_table, outcome_table, run_table
from askew.report.document import Chapter, Headline, Model, Table


@dataclass(frozen=True)
class Report:
    """What every writer (html, md, json) lays out."""

    title: str
    version: str
    written: str
    models: Sequence[Model]
    chapters: Sequence[Chapter]
    summary: pd.DataFrame = field(repr=False)
    outcomes: pd.DataFrame = field(repr=False)
    losses: pd.DataFrame = field(repr=False)
    runs: Sequence[Run]
    n_observations: int

    @property
    def lede(self) -> str:
        """What the report rests on, in a line."""
        tasks = ", ".join(c.title for c in self.chapters) or "no task"
        source = f" from {_counted(len(self.runs), 'run')}" if self.runs else ""
        return (
            f"{_counted(len(self.models), 'model')} on {tasks}: "
            f"{_counted(self.n_observations, 'scored reply', 'scored replies')}{source}. Every "
            "rate comes with its 95% interval and the number of items it rests on."
        )

    @property
    def left_out_tables(self) -> list[Table]:
        """Outcomes of what was scored, and what was not."""
        tables = [outcome_table(self.outcomes, self.models), loss_table(self.losses, self.models)]
        return [t for t in tables if t is not None]

    @property
    def provenance_tables(self) -> list[Table]:
        """The runs with their data, prompts, settings and software."""
        table = run_table(self.runs, self.models)
        return [table] if table is not None else []

    @property
    def simulated_note(self) -> str:
        """Which models are simulated, and what that means for the numbers."""
        names = ", ".join(m.short for m in self.models if m.simulated)
        return (
            f"{names}: programs with planted tendencies, which check the instrument. Their numbers "
            "say nothing about any language model."
        )

    @property
    def guide(self) -> Sequence[tuple[str, str]]:
        return GUIDE

    def by_model(self) -> list[tuple[Model, list[Headline]]]:
        """The headlines of each model, task by task."""
        headlines = [h for c in self.chapters for h in c.headlines]
        return [(m, [h for h in headlines if h.model == m]) for m in self.models]


def _counted(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"


GUIDE: Sequence[tuple[str, str]] = (
    (
        "Interval",
        "The small numbers beside or below a value: a 95% interval. Items that share a text are "
        "resampled together, because their answers stand or fall together.",
    ),
    (
        "Items",
        "How many questions a number rests on. Only items that were answered in every condition "
        "of a comparison count; the others are dropped from it and counted.",
    ),
    (
        "–",  # noqa: RUF001
        "No number can be given; the reason stands beside it. It is never a zero.",
    ),
    (
        "Published",
        "The papers' own printed results, on their own questions and models. They are there to "
        "compare shapes; levels compare only where the same questions were asked.",
    ),
    (
        "Simulated",
        "A program with planted tendencies, not a language model. It checks the instrument.",
    ),
    (
        "Worst finding",
        "The largest of all falls that were looked at. Being picked as the largest makes it look "
        "a little larger than it is; read it with its interval.",
    ),
)
