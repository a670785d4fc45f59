"""Format bias: does a treatment mitigate it? The paper's verdict for every pair of arms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from askew.papers.format_bias.mitigation import Verdict, mitigation_verdict
from askew.statistics.tables import Interval

_ARM = ("demos", "repeat")
_PLAIN = {"demos": 0, "repeat": 1}


@dataclass(frozen=True)
class Mitigation:
    """A treatment, and the paper's verdict on it for one category of formats."""

    before: str
    after: str
    verdict: Verdict


def mitigations(
    rows: pd.DataFrame | None, baseline: str, models: Sequence[str], interval: Interval
) -> tuple[Mitigation, ...]:
    """Verdicts on demonstrations and repeats within a model, and on models as treatments.

    A model is a treatment of the baseline in the sense of the paper's fine-tuning: the same arm,
    asked of both.
    """
    if rows is None or not len(rows):
        return ()
    arms = rows.assign(**{c: _filled(rows, c) for c in _ARM})
    return tuple(
        Mitigation(before, after, verdict)
        for before, after, pair in _pairs(arms, baseline, models)
        for verdict in mitigation_verdict(*pair, interval)
    )


def has_treatment(rows: pd.DataFrame | None, model: str) -> bool:
    """Whether format bias asked a model with and without a treatment."""
    if rows is None:
        return False
    own = rows[rows["model"] == model]
    return (
        len(own) > 0 and len(pd.DataFrame({c: _filled(own, c) for c in _ARM}).drop_duplicates()) > 1
    )


def _filled(rows: pd.DataFrame, column: str) -> pd.Series[int]:
    given = rows.get(column, pd.Series(_PLAIN[column], index=rows.index))
    return given.fillna(_PLAIN[column]).astype(int)


def _pairs(
    arms: pd.DataFrame, baseline: str, models: Sequence[str]
) -> Iterator[tuple[str, str, tuple[pd.DataFrame, pd.DataFrame]]]:
    of = {str(m): part for m, part in arms.groupby("model", sort=False)}
    for model in (baseline, *models):
        parts = _by_arm(of[model]) if model in of else {}
        plain = min(parts, default=None)
        for arm, part in parts.items():
            if plain is not None and arm != plain:
                yield f"{model}, {_words(plain)}", _words(arm), (parts[plain], part)
    for model in models:
        if model not in of or baseline not in of:
            continue
        before, after = _by_arm(of[baseline]), _by_arm(of[model])
        for arm in before:
            if arm in after:
                yield f"{baseline}, {_words(arm)}", model, (before[arm], after[arm])


def _by_arm(rows: pd.DataFrame) -> dict[tuple[int, int], pd.DataFrame]:
    parts = rows.groupby(list(_ARM), sort=True)
    return {(int(str(d)), int(str(r))): part for (d, r), part in parts}


def _words(arm: tuple[int, int]) -> str:
    demos, repeat = arm
    shown = {0: "no demonstration", 1: "1 demonstration"}.get(demos, f"{demos} demonstrations")
    given = {1: "instruction given once"}.get(repeat, f"instruction given {repeat} times")
    return f"{shown}, {given}"
