"""What bending does: every arm against the plain question, on the same items and epochs.

A pair is an item of one epoch, plain and in an arm. Epochs of one question, and `repeat`, say how
often a score differs where nothing was changed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from askew.bend.paper import PAPER, PLAIN, REPEAT, UNKNOWABLE
from askew.stats.engine import Items, Number, Sums, analysis, share
from askew.stats.exchanges import permute_labels_within
from askew.stats.intervals import ROUNDING, Floats
from askew.stats.tables import (
    DEFAULT_INTERVAL,
    OVERALL,
    Analysis,
    Interval,
    Key,
    Rate,
    metric_table,
)

LEVELS = ("subset", "arm")
_ITEM = ["subset", "item", "run"]
# Columns that number the items, and their epochs: a pair is a treated row and the plain one there.
_AN_ITEM, _A_PAIR = "item number", "pair number"
_NO_PAIR = "no item was scored plain and in this arm"
_NOTHING = "nothing was scored here"
_ONCE = "asked once: add repeat, or epochs"
_NOT_MOVED = "no plain answer could go over: none was read, or the suggestion names no option"
POINTS = 100.0**2


def bend(
    observations: pd.DataFrame,
    by: Sequence[str] = ("model",),
    interval: Interval | None = DEFAULT_INTERVAL,
) -> pd.DataFrame:
    """Compute the effect of each treatment on the author's score.

    An arm's metrics rest on items that were scored plain and in the arm, in the same epoch; the
    largest loss and BiasF on items that were scored in every arm (or format). With several tasks,
    each has rows of its own (`subset`) next to all tasks together.

    Args:
        observations: Rows with `arm`, `treatment` and `score` besides the common columns.
        by: Columns to group by.
        interval: How to compute intervals; `None` for point values only.

    Returns:
        One row per group, metric and arm; metrics over arms have the arm "all".
    """
    return metric_table(observations, by, LEVELS, _analyse, interval)


def _analyse(observations: pd.DataFrame) -> Analysis:
    tasks = list(dict.fromkeys(observations["subset"].astype(str)))
    # Beside all together, each of several bent tasks: an arm's pairs are of one task in any case.
    parts = {OVERALL: observations}
    for task in tasks if len(tasks) > 1 else ():
        parts[task] = observations[observations["subset"].astype(str) == task]
    prepared = {place: _prepare(part) for place, part in parts.items()}
    rows = pd.concat([part.assign(place=place) for place, (part, _) in prepared.items()])
    places: dict[Key, Sequence[Number]] = {}
    for place, inside in rows.groupby("place", sort=False):
        once = inside.drop_duplicates("arm")
        arms = dict(zip(once["arm"], once["treatment"].map(str), strict=True))
        for arm, treatment in arms.items():
            places[place, arm] = [*_of_arm(arm, treatment)]
        places[place, OVERALL] = [*_over(arms)]
    exchanges = {
        name: partial(permute_labels_within, split=partial(_permuted_arms, sums=sums))
        for name, sums in (("arm", "whole"), ("format", "formats"))
    }
    (_, names), *_ = prepared.values()
    items = Items(rows, ("place", "arm"), names)
    return analysis(items, ("place", "arm"), places, exchanges)


def _permuted_arms(key: Key, sums: str) -> tuple[Hashable, Hashable, Hashable] | None:
    """Arms, the plain one among them, or formats trade places, where all of them were scored."""
    place, arm, name = key
    return ((sums, place), arm, name) if str(name).startswith(sums) else None


def _prepare(observations: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Observations beside the plain one of each, with what every sum needs, and its names."""
    rows = observations.copy()
    rows["run"] = rows.get("run", "")
    rows["treatment"] = rows.get("treatment", rows["arm"])
    rows["epoch"] = rows.get("epoch", 1)
    answers = rows["answer"].astype("object") if "answer" in rows else pd.Series(None, rows.index)
    rows["answer"] = answers.where(answers.notna(), None)
    rows[_AN_ITEM] = rows.groupby(_ITEM, dropna=False, sort=False).ngroup()
    rows[_A_PAIR] = rows.groupby([_AN_ITEM, "epoch"], dropna=False, sort=False).ngroup()
    rows = rows.drop_duplicates([_A_PAIR, "arm"]).sort_values("epoch", kind="stable")
    rows = rows.reset_index(drop=True)
    plain = rows[rows["arm"] == PLAIN].set_index(_A_PAIR)
    for name in ("score", "answer"):
        rows[f"plain_{name}"] = rows[_A_PAIR].map(plain[name])
    pairs = rows["plain_score"].notna() & (rows["arm"] != PLAIN)
    change = (rows["score"] - rows["plain_score"]).where(pairs, 0.0)
    both = pairs & rows["answer"].notna() & rows["plain_answer"].notna()
    ok, moved, gave_up = (_number(rows, name) for name in ("format_ok", "moved", "gave_up"))
    suggested = rows.get("suggested", pd.Series(None, rows.index))
    could = moved.notna() & pairs & rows["plain_answer"].notna()
    could &= rows["plain_answer"] != suggested
    judged = ~rows["treatment"].isin([REPEAT, *UNKNOWABLE])
    whole, formats = (within & _in_every_arm(rows, within) for within in (judged, ok.notna()))
    again, differs = _again(rows)
    # An arm's own noise: that of the items which have pairs in it, once an item.
    first = pairs & ~rows[pairs].duplicated([_AN_ITEM, "arm"]).reindex(rows.index, fill_value=False)
    sums = {
        "pairs": pairs,
        "before": rows["plain_score"].where(pairs, 0.0),
        "after": rows["score"].where(pairs, 0.0),
        "change": change,
        "hurt": change < -ROUNDING,
        "helped": change > ROUNDING,
        "flips": change.abs() > ROUNDING,
        "both": both,
        "kept": both & (rows["answer"] == rows["plain_answer"]),
        "replies": pd.Series(True, rows.index),
        "score": rows["score"],
        "could_move": could,
        "moved": moved.where(could, 0.0),
        "asked_format": ok.notna(),
        "format_ok": ok.fillna(0.0),
        "ok_score": (ok * rows["score"]).fillna(0.0),
        "asked_tools": gave_up.notna(),
        "gave_up": gave_up.fillna(0.0),
        "whole": whole,
        "whole_score": rows["score"].where(whole, 0.0),
        "formats": formats,
        "formats_ok": ok.where(formats, 0.0),
        "formats_ok_score": (ok * rows["score"]).where(formats, 0.0),
        "again": again,
        "differs": differs,
        **{
            f"own_{name}": of.groupby(rows[_AN_ITEM]).transform("sum").where(first, 0.0)
            for name, of in (("again", again), ("differs", differs))
        },
    }
    made = {name: values.astype(float) for name, values in sums.items()}
    return rows.assign(**made), [*made]


def _number(rows: pd.DataFrame, name: str) -> pd.Series[float]:
    if name not in rows:
        return pd.Series(np.nan, rows.index)
    return pd.to_numeric(rows[name], errors="coerce").astype(float)


def _in_every_arm(rows: pd.DataFrame, within: pd.Series[bool]) -> pd.Series[bool]:
    """Whether a row's item and epoch was scored in every arm that some row within has."""
    n_arms = rows.loc[within, "arm"].nunique()
    return within.groupby(rows[_A_PAIR]).transform("sum") == max(1, n_arms)


def _again(rows: pd.DataFrame) -> tuple[pd.Series[float], pd.Series[float]]:
    """Pairs of the plain question with itself, and how many of them differ in their score.

    Its repetition in the same epoch is such a pair, and so is each epoch with the one before.
    """
    repeat, plain = rows["arm"] == REPEAT, rows["arm"] == PLAIN
    before = rows[plain].groupby(_AN_ITEM)["score"].shift().reindex(rows.index)
    other = before.where(plain, rows["plain_score"].where(repeat))
    pairs = other.notna() & (plain | repeat)
    return pairs.astype(float), (pairs & ((rows["score"] - other).abs() > ROUNDING)).astype(float)


def _share(metric: str, hits: str, of: str, why: str, **at: Any) -> Number:
    return share(PAPER.metric(metric), hits, of, why, **at)


def _beyond_noise(sums: Sums) -> Floats:
    return sums.ratio("flips", "pairs") - sums.ratio("own_differs", "own_again")


def _of_arm(arm: str, treatment: str) -> Iterator[Number]:
    yield _share("score", "score", "replies", _NOTHING)
    if arm == PLAIN:
        return
    yield _share("effect", "change", "pairs", _NO_PAIR)
    for metric in ("hurt", "helped", "flips"):
        yield _share(metric, metric, "pairs", _NO_PAIR)
    if arm != REPEAT:
        yield Number(
            PAPER.metric("beyond_noise"), _beyond_noise, "pairs",
            why=lambda sums: _ONCE if sums.counts("pairs").n_items else _NO_PAIR,
        )  # fmt: skip
    yield _share("kept", "kept", "both", "no answer could be read plain and in this arm")
    if treatment == "suggestion":
        yield _share("moved_rate", "moved", "could_move", _NOT_MOVED)
    if treatment == "tool_absent":
        yield _share("gave_up", "gave_up", "asked_tools", _NOTHING)
    if treatment == "format":
        yield _share("fi", "format_ok", "asked_format", _NOTHING)
        yield _share("est_true", "ok_score", "format_ok", "no reply followed the format")


def _over(arms: Mapping[str, str]) -> Iterator[Number]:
    """What is said over arms: noise, the largest loss, OmniAccuracy, BiasF."""
    yield _share("noise", "differs", "again", _ONCE, arm=(PLAIN, REPEAT))
    others = [arm for arm in arms if arm not in (PLAIN, REPEAT)]
    judged = [arm for arm in others if arms[arm] not in UNKNOWABLE]
    if judged and PLAIN in arms:

        def losses(sums: Sums) -> list[Rate]:
            scores = [sums.of(arm=arm).ratio("whole_score", "whole") for arm in (PLAIN, *judged)]
            n_clusters = sums.of(arm=PLAIN).counts("whole").n_clusters
            return [Rate(scores[0] - score, n_clusters) for score in scores[1:]]

        yield Number(
            PAPER.metric("worst_effect"),
            lambda sums: np.max([loss.values for loss in losses(sums)], axis=0),
            why="no item was scored plain and in every arm",
            counts=lambda sums: sums.of(arm=PLAIN).counts("whole"),
            parts=losses,
        )
    for arm in (arm for arm in others if arms[arm] == "absent"):
        yield Number(
            PAPER.metric("omni_accuracy"),
            lambda sums: (sums.ratio("before", "pairs") + sums.ratio("after", "pairs")) / 2,
            "pairs", why=_NO_PAIR, within={"arm": arm},
        )  # fmt: skip
    formats = [arm for arm in others if arms[arm] == "format"]
    if len(formats) > 1:

        def followed(sums: Sums) -> list[Rate]:
            each = [sums.of(arm=arm) for arm in formats]
            n_clusters = each[0].counts("formats").n_clusters
            return [Rate(of.ratio("formats_ok_score", "formats_ok"), n_clusters) for of in each]

        yield Number(
            PAPER.metric("bias_f"),
            lambda sums: POINTS * np.var([of.values for of in followed(sums)], axis=0),
            why="a format was followed by no reply, or no item was scored in every format",
            counts=lambda sums: sums.of(arm=formats[0]).counts("formats"),
            parts=followed,
        )
