"""The paper's printed results (Tables 1 and 9 to 13) as rows of the metric table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import pandas as pd

from askew.papers.mathcomp.numbers import framing_pull
from askew.papers.mathcomp.paper import LABELS, NEUTRAL, ONE_WORD, STANDARD
from askew.report.evidence import apply_errata, read_table

# As the paper's text spells them, in its order.
MODELS: Mapping[str, str] = {"claude-3.7-sonnet": "Claude 3.7 Sonnet", "gpt-4o-mini": "GPT-4o mini"}
# All printed cells come from one-word prompts.
OUTPUT = ONE_WORD


@lru_cache(maxsize=1)
def rows() -> pd.DataFrame:
    """Every printed cell, and the pulls that the standard cells imply.

    Columns: metric, model, output, identity, style, term, position, value, note and source. A
    pull pools framings, each cell weighing the same.
    """
    cells = read_table(__package__, "direrr.csv")
    cells["metric"] = "dir_err_" + cells.pop("error_toward")
    cells["value"] = cells.pop("direrr_pct")
    cells["model"] = cells["model"].map(MODELS)
    cells = apply_errata(cells.assign(source="Tables 1 and 9 to 13"), __package__)
    cells["value"] /= 100
    standard = cells[cells["identity"] == STANDARD]
    found = [pull for model in MODELS.values() for pull in _pulls(standard, model)]
    return pd.concat([cells, pd.DataFrame(found)], ignore_index=True).assign(output=OUTPUT)


def _pulls(cells: pd.DataFrame, model: str) -> Iterator[dict[str, object]]:
    """`framing_pull` and its terms, as one model's cells imply them."""
    own = cells[cells["model"] == model]
    framed: dict[str, float] = {}
    neutral: dict[str, float] = {}
    notes: dict[str, str] = {}
    for term in LABELS:
        errors = own[own["metric"] == f"dir_err_{term}"]
        with_term, without = errors["term"] == term, errors["style"] == NEUTRAL
        framed[term], neutral[term] = (errors["value"][at].mean() for at in (with_term, without))
        notes[term] = "".join(errors["note"][with_term | without])
    found = [(f"framing_pull_{t}", framed[t] - neutral[t], notes[t]) for t in LABELS]
    found += [("framing_pull", framing_pull(framed, neutral), "".join(notes.values()))]
    source = "computed from Tables 1 and 9 to 13"
    for metric, value, note in found:
        yield {"metric": metric, "model": model, "value": value, "note": note, "source": source}
