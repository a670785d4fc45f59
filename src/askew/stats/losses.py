"""Replies that are lost unevenly: their share by condition, and metrics that count them.

Lost are replies without an answer (refused, empty, not parsed, truncated), which count as
incorrect, and samples without a score (errors, limits, no grader), which count nowhere.
"""

from __future__ import annotations

import pandas as pd
from scipy import special

from askew.schema import ENOUGH_ITEMS, NOT_READ, Paper

COLUMNS = ("lost_by_condition", "value_lost_wrong", "value_lost_right")
# Shares are uneven if they differ by so much, and equal ones would in so few of 100 cases.
UNEVEN, ALARM = 0.03, 0.05
_ANSWERED = ("ok", "frames_words")
_TARGETS = ("gold", "truth")


def lost_shares(paper: Paper, rows: pd.DataFrame, unscored: pd.DataFrame) -> pd.DataFrame:
    """The share of lost replies by model and condition, of models where it is uneven.

    Columns: model, condition, replies, lost. `unscored` is metadata of samples without a score.
    """
    every = _with_unscored(paper, rows, unscored)
    varied = [f for f in paper.factors if f.name in every and every[f.name].nunique() > 1]
    if not varied:
        return pd.DataFrame(columns=["model", "condition", "replies", "lost"])
    names = (every[f.name].astype(str).fillna("").map(f.label) for f in varied)
    every["condition"] = [", ".join(filter(None, one)) for one in zip(*names, strict=True)]
    found = every.groupby(["model", "condition"], sort=False)["lost"].agg(["size", "mean"])
    found = found.set_axis(["replies", "lost"], axis="columns").reset_index()
    known = found[found["replies"] >= ENOUGH_ITEMS].groupby("model")
    uneven = [model for model, own in known if _is_uneven(own["replies"], own["lost"])]
    return found[found["model"].isin(uneven)]


def _is_uneven(replies: pd.Series[int], lost: pd.Series[float]) -> bool:
    """By the size of the difference, and by Pearson's chi-square test."""
    mean = float((replies * lost).sum() / replies.sum())
    if lost.max() - lost.min() < UNEVEN or mean == 1:
        return False
    square = (replies * (lost - mean) ** 2).sum() / (mean * (1 - mean))
    return bool(special.chdtrc(len(lost) - 1, square) <= ALARM)


def add_bounds(
    paper: Paper, table: pd.DataFrame, rows: pd.DataFrame, unscored: pd.DataFrame
) -> pd.DataFrame:
    """The metrics of a task; its primary metric and its effect metric also count lost replies."""
    shares = lost_shares(paper, rows, unscored)
    if shares.empty:
        return table
    every = _with_unscored(paper, rows, unscored)
    every = every[every["model"].isin(shares["model"])]
    at = [*table.columns[: [*table.columns].index("value")]]
    for name, right in ((COLUMNS[1], False), (COLUMNS[2], True)):
        found = paper.table(_counted(paper, every, right), interval=None, **paper.pooled)
        bounded = {paper.headline_declaration(paper.headlines[0]).name}
        bounded |= {paper.bend.metric, paper.bend.shown} if paper.bend else set()
        found = found[found["metric"].isin(bounded)]
        table = table.merge(found[[*at, "value"]].rename(columns={"value": name}), "left", at)
    said = {}
    for model, own in shares.sort_values("lost", kind="stable").groupby("model"):
        ends = own.iloc[[0, -1]][["lost", "condition"]].itertuples(index=False)
        said[model] = " to ".join(f"{lost:.1%} ({condition})" for lost, condition in ends)
    has_bounds = table[[*COLUMNS[1:]]].notna().any(axis=1)
    return table.assign(**{COLUMNS[0]: table["model"].map(said).where(has_bounds)})


def _with_unscored(paper: Paper, rows: pd.DataFrame, unscored: pd.DataFrame) -> pd.DataFrame:
    lost = ~rows["outcome"].isin(_ANSWERED) if "outcome" in rows else pd.Series(False, rows.index)
    if "format_ok" in paper.measures:  # there, its own metrics count what is not in the format
        lost &= ~rows["outcome"].isin(NOT_READ)
    parts = [rows.assign(lost=lost), *([unscored.assign(lost=True)] if len(unscored) else [])]
    return pd.concat(parts, ignore_index=True)


def _counted(paper: Paper, every: pd.DataFrame, right: bool) -> pd.DataFrame:
    """All replies as if those that are lost were correct, or incorrect, and in their format."""
    made, lost = every.copy(), every["lost"]
    counted = {paper.split_of: float(right), "format_ok": 1.0}
    for name in (m for m in paper.measures if m in made):
        filled = lost if name in counted else lost & made[name].isna()
        made.loc[filled, name] = counted.get(name, 0.0)
    target = next((name for name in _TARGETS if name in made), "")
    # The word of a question is the answer that errs in its direction.
    target = target if right else "term" if "term" in made else ""
    made["answer"] = made["answer"].astype(object)
    made.loc[lost, "answer"] = made.loc[lost, target] if target else None
    return made
