"""Observations of simulated models without an eval, for tests that read no log."""

from functools import cache

import pandas as pd

from askew.decide.simulation import Simulation, simulation


@cache
def made(task: str, items: int, **parameters) -> Simulation:
    given = {} if task == "bend" else {"data": "bundled"}
    return simulation(task, items=items, **given, **parameters)


@cache
def answered(task: str, items: int, respondent: str, seed: int) -> pd.DataFrame:
    return made(task, items).observations(respondent, seed)


def observed(task: str, items: int, **models: tuple[str, int]) -> pd.DataFrame:
    """One table of several models: each name given as (respondent, seed)."""
    parts = [
        answered(task, items, *who).assign(model=f"x/{name}", model_name=f"x/{name}")
        for name, who in models.items()
    ]
    return pd.concat(parts, ignore_index=True)
