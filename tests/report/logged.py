"""Studies of hand-made rows, as if they had been read from logs."""

from typing import Any

import pandas as pd

from askew.logs.tables import EXCLUDED, Run
from askew.report.study import Study
from tests.cases import cases_of

ASKED = cases_of(__file__, "ASKED")


def a_run(model: str, task: str = "knowno", **about: Any) -> Run:
    """A run; `about` sets attributes of it, and all else settings."""
    known = {name: about.pop(name) for name in [*about] if name in Run.__dataclass_fields__}
    asked = {**ASKED, **known.pop("settings", {}), **about}
    origin = {k: known.pop(k, asked.pop(k, "")) for k in ("data", "revision", "prompts", "version")}
    for name in origin:
        asked.pop(name, None)
    return Run(**{
        "run": f"{task} {model}", "task": task, "model": model, "model_name": model, **origin,
        "settings": {k: str(v) for k, v in asked.items()}, "software": "", "planned": 1,
        "scored": 1, "started": "2026-01-01 00:00", "logs": (f"{model}.eval",), **known,
    })  # fmt: skip


def excluded(*rows: dict[str, Any]) -> pd.DataFrame:
    """What is not among the rows, by what is said of it."""
    usual = {"log": "a.eval", "model": "", "task": "knowno", "count": 1, "why": "", "what": ""}
    return pd.DataFrame([{**usual, **row} for row in rows], columns=list(EXCLUDED))


def logged(observations: pd.DataFrame, **settings: dict[str, Any]) -> Study:
    """A study with a run for each model (by its last name) and task; `settings` of some differ."""
    runs = [
        a_run(
            str(model), str(task), planned=len(part), scored=len(part),
            settings=settings.get(str(model).rpartition("/")[2], {}),
        )
        for (task, model), part in observations.groupby(["task", "model"], sort=False)
    ]  # fmt: skip
    return Study(observations, runs=tuple(runs))


def study_of(rows: pd.DataFrame | Study) -> Study:
    """A study of rows alone; a study as it is."""
    return rows if isinstance(rows, Study) else Study(rows)
