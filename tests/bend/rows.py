"""Observations of bent tasks, made by hand."""

import pandas as pd

from askew.logs.tables import observation_table

# An arm's treatment, where the two have different names.
TREATMENTS = {"format-bolding": "format", "format-quoting": "format", "order-1": "order"}


def row(item, arm, score, answer="A", *, epoch=1, subset="mine", model="acme/a", **more):
    """One scored sample of an arm."""
    return {
        "task": "bend", "model": model, "model_name": model, "subset": subset, "item": str(item),
        "cluster": str(item), "epoch": epoch, "arm": arm, "treatment": TREATMENTS.get(arm, arm),
        "score": float(score), "answer": answer, "outcome": "ok", "status": "scored", "run": "r",
        "sample_id": f"{item}/{arm}", "log": "", **more,
    }  # fmt: skip


def arms(item, *, epoch=1, subset="mine", model="acme/a", **scores):
    """An item in several arms, by their scores; the answer tells the scores apart."""
    return [
        row(item, arm.replace("_", "-") if arm.startswith(("format", "order")) else arm, score,
            f"says {score}", epoch=epoch, subset=subset, model=model)
        for arm, score in scores.items()
    ]  # fmt: skip


def table_of(*rows):
    """All rows as the table that reading logs gives."""
    flat = [r for some in rows for r in (some if isinstance(some, list) else [some])]
    return observation_table(flat)


def number(table: pd.DataFrame, metric: str, arm: str = "all", subset: str = "all", **of):
    """The one row of a metric at an arm."""
    found = table[(table["metric"] == metric) & (table["arm"] == arm)]
    found = found[found["subset"] == subset]
    for column, value in of.items():
        found = found[found[column] == value]
    assert len(found) == 1, (metric, arm, len(found))
    return found.iloc[0]
