"""What reading logs tells of the runs behind observations, for tests that read no log."""

import pandas as pd

from askew.logs.left_out import ATTRIBUTE, account

ASKED = {
    "data": "bundled", "revision": "a1", "prompts": "b2", "version": "1",
    "config.temperature": 0.0, "endpoint": "api.example",
}  # fmt: skip


def logged(observations: pd.DataFrame, **settings: dict) -> pd.DataFrame:
    """The observations with a log each model and task; `settings` says how some were asked.

    Models are named without what stands before the slash.
    """
    entries = [
        {
            "log": f"{model}.eval", "location": f"{model}.eval", "task": task, "model": model,
            "model_name": model, "run": f"{task} {model}", "status": "success", "packages": {},
            "created": "2026-01-01T00:00", "completed": "2026-01-01T00:00",
            "settings": {**ASKED, **settings.get(model.rpartition("/")[2], {})},
            "planned": len(part), "samples": len(part), "scored": len(part), "left_out": [],
        }
        for (task, model), part in observations.groupby(["task", "model"], sort=False)
    ]  # fmt: skip
    told = observations.copy()
    told.attrs[ATTRIBUTE] = account(entries, [])
    return told
