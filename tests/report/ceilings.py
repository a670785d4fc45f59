"""Answers of models of which so many are right where nothing bends them."""

import pandas as pd

PLAIN = {"hint": "with_gold", "task": "knowno", "epoch": 1, "order": 0, "outcome": "ok"}


def answered(right, n, model="m", tier="core", subset="mctest", **other):
    """Rows of `n` questions of which the first `right` are right where nothing bends."""
    rows = pd.DataFrame(
        {
            **PLAIN, "model": model, "subset": subset, "tier": tier, "item": f"{tier}{subset}{i}",
            "cluster": f"{tier}{subset}{i}", "correct": float(i < right), "answer": "a",
            "pattern": "offered", "said_none": 0.0, "status": "scored", "model_name": model,
            "run": model, "sample_id": f"{tier}{subset}{i}/with_gold/0", "log": "l", **other,
        }
        for i in range(n)
    )  # fmt: skip
    return rows
