"""Metrics of the bend task: each arm compared with the plain arm, on the same items and epochs.

A pair is the plain and the treated score of one item in one epoch. Further epochs, and the `repeat`
arm, measure how often scores differ by chance. bend has no paper: `PAPER` declares metrics only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from askew.bend.paper import OF_AGENTS, PAPER, PLAIN, REPEAT, REWORDINGS, UNKNOWN_TARGET
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
from askew.treatments.base import stem_of
from askew.treatments.options import ROTATION

LEVELS = ("subset", "arm")
_ITEM_KEYS = ["subset", "item", "run"]
# Columns with the number of the item, and of the item and epoch, which all arms share.
_ITEM_NUMBER, _ITEM_EPOCH = "item number", "item and epoch"
_NO_PAIR = "no item was scored both plain and in this arm"
_NOTHING = "nothing was scored here"
_NEEDS_RERUN = "noise needs a second run: add the repeat treatment or more epochs"
_NEEDS_REWORDING = "no item was scored plain and reworded: add typos, layout or wording"
# What became of the reply whose score differs: the shares of an effect add up to it.
CAUSES = ("answered", "refused", "unparsed", "truncated")
_NO_CHOICE = "no answer here is the letter of one option"
_NOT_IN_ALL = "no item was scored in all versions"
_NO_TOOL = "no sample here was offered several tools and called one"
_NO_OTHER_TOOL = "no item has another tool listed first than plain, and calls one in both arms"
_NO_TOKENS = "no output tokens were logged"
# Sums without which some numbers are not asked.
_OPTIONAL = ("has_choice", "has_tool", "has_tokens")
_NOT_ROTATED = "no item has a letter answered and scored in every rotation of its options"
_NO_MIDDLE = "no item of three or more options was scored in every rotation of them"
_NOT_MOVED = "no plain answer was parsed that could change to the suggested option"
SQUARED_PERCENT = 100.0**2  # from a variance of fractions to squared percentage points


def bend(
    observations: pd.DataFrame,
    by: Sequence[str] = ("model",),
    interval: Interval | None = DEFAULT_INTERVAL,
) -> pd.DataFrame:
    """Compute the effect of each treatment on the score of the task's own scorer.

    An arm's paired metrics (effect, flips) use items scored both in the plain arm and in this arm,
    in the same epoch; the largest loss and BiasF use items scored in every arm that they compare.
    `subset` is a task's name; with several tasks there are rows per task and of all together.

    Args:
        observations: Rows with `arm`, `treatment` and `score` in addition to the common columns.
        by: Columns to group by.
        interval: How to compute intervals; `None` for point values only.

    Returns:
        One row per group, metric and arm; metrics that combine arms have the arm "all".
    """
    return metric_table(observations, by, LEVELS, _analyse, interval)


def _analyse(observations: pd.DataFrame) -> Analysis:
    tasks = list(dict.fromkeys(observations["subset"].astype(str)))
    # All tasks together, and with several tasks also each one: a pair never mixes tasks.
    by_task = {OVERALL: observations}
    for name in tasks if len(tasks) > 1 else ():
        by_task[name] = observations[observations["subset"].astype(str) == name]
    prepared = {name: _prepare(part) for name, part in by_task.items()}
    (_, names), *_ = prepared.values()
    rows = pd.concat([part.assign(task=name) for name, (part, _) in prepared.items()])
    # What only one of several tasks has.
    rows = rows.fillna(dict.fromkeys({*names} - {"score"}, 0.0))
    metrics: dict[Key, Sequence[Number]] = {}
    pools: dict[Hashable, tuple[Hashable, ...]] = {}
    for task, task_rows in rows.groupby("task", sort=False):
        first_rows = task_rows.drop_duplicates("arm")
        arms = dict(zip(first_rows["arm"], first_rows["treatment"].map(str), strict=True))
        versions = versions_of(arms)
        for stem, numbered in versions.items():
            pools.setdefault(stem, numbered)  # of all tasks together first
            metrics[task, stem] = [*_version_metrics(stem, numbered)]
        treated = arms | {stem: arms[numbered[0]] for stem, numbered in versions.items()}
        for arm, treatment in treated.items():
            reworded = any(of in REWORDINGS for of in arms.values())
            known = {of for of in _OPTIONAL if of in task_rows and (task_rows[of] > 0).any()}
            own = metrics.get((task, arm), ())
            metrics[task, arm] = [*_arm_metrics(arm, treatment, reworded, known), *own]
        metrics[task, OVERALL] = [*_combined_metrics(arms)]
    exchanges = {
        name: partial(permute_labels_within, split=partial(_exchange_group, prefix=prefix))
        for name, prefix in (
            ("arm", "in_all_arms"), ("format", "in_all_formats"),
            ("version", "in_versions"),
        )
    }  # fmt: skip
    items = Items(rows, ("task", "arm"), names)
    return analysis(items, ("task", "arm"), metrics, exchanges, pools)


def versions_of(arms: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Arms that are numbered versions of one, such as wordings, by its name."""
    found: dict[str, list[str]] = {}
    for arm in (names := dict.fromkeys(map(str, arms))):
        found.setdefault(stem_of(arm), []).append(arm)
    return {stem: tuple(own) for stem, own in found.items() if len(own) > 1 and stem not in names}


def _exchange_group(key: Key, prefix: str) -> tuple[Hashable, Hashable, Hashable] | None:
    """For the permutation null: group, arm and name of a sum, if its name starts with `prefix`.

    Sums of one group are permuted across arms within each item; None: the sum is not permuted.
    What a name has behind a colon tells groups of one prefix apart.
    """
    task, arm, name = key
    if not str(name).startswith(prefix):
        return None
    return (prefix, task, str(name).partition(":")[2]), arm, name


def _prepare(observations: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Add to each row its plain score and the columns to sum; return the rows and these columns."""
    rows = observations.copy()
    rows["run"] = rows.get("run", "")
    rows["treatment"] = rows.get("treatment", rows["arm"])
    rows["epoch"] = rows.get("epoch", 1)
    answers = rows["answer"].astype("object") if "answer" in rows else pd.Series(None, rows.index)
    rows["answer"] = answers.where(answers.notna(), None)
    rows[_ITEM_NUMBER] = rows.groupby(_ITEM_KEYS, dropna=False, sort=False).ngroup()
    rows[_ITEM_EPOCH] = rows.groupby([_ITEM_NUMBER, "epoch"], dropna=False, sort=False).ngroup()
    rows = rows.drop_duplicates([_ITEM_EPOCH, "arm"]).sort_values("epoch", kind="stable")
    rows = rows.reset_index(drop=True)
    rows["reply_status"] = reply_statuses(rows)
    plain = rows[rows["arm"] == PLAIN].set_index(_ITEM_EPOCH)
    for name in ("score", "answer", "reply_status", *_TOOLS):
        if name in rows:
            rows[f"plain_{name}"] = rows[_ITEM_EPOCH].map(plain[name])
    pairs = rows["plain_score"].notna() & (rows["arm"] != PLAIN)
    change = (rows["score"] - rows["plain_score"]).where(pairs, 0.0)
    both_answered = pairs & rows["answer"].notna() & rows["plain_answer"].notna()
    ok, moved = (_number(rows, name) for name in ("format_ok", "moved"))
    tokens = _number(rows, "output_tokens")
    suggested = rows.get("suggested", pd.Series(None, rows.index))
    could_move = moved.notna() & pairs & rows["plain_answer"].notna()
    could_move &= rows["plain_answer"] != suggested
    # The target stays known under all other treatments.
    in_losses = ~rows["treatment"].isin([REPEAT, *UNKNOWN_TARGET])  # plain included
    in_all_arms = in_losses & _in_every_arm(rows, in_losses)
    in_all_formats = ok.notna() & _in_every_arm(rows, ok.notna())
    rerun_pairs, rerun_flips = _rerun_pairs(rows)
    flips = change.abs() > ROUNDING
    reworded = pairs & rows["treatment"].isin(REWORDINGS)
    # A treated reply that gave no answer is the cause; else a plain one that gave none.
    cause = rows["reply_status"].where(
        rows["reply_status"] != "answered", rows["plain_reply_status"]
    )
    least = rows["score"].where(in_all_arms).groupby(rows[_ITEM_EPOCH]).transform("min")
    # `own_rerun_*`: sums over the epochs of an item, in its first paired row of each arm, so that
    # an arm's noise counts each of its items once.
    again = rows[pairs].duplicated([_ITEM_NUMBER, "arm"]).reindex(rows.index, fill_value=False)
    first = pairs & ~again
    sums = {
        "pairs": pairs,
        "before": rows["plain_score"].where(pairs, 0.0),
        "after": rows["score"].where(pairs, 0.0),
        "change": change,
        "hurt": change < -ROUNDING,
        "helped": change > ROUNDING,
        "flips": flips,
        **{f"change_{name}": change.where(cause == name, 0.0) for name in CAUSES},
        "worst_case": least.fillna(0.0),
        "both_answered": both_answered,
        "kept": both_answered & (rows["answer"] == rows["plain_answer"]),
        "replies": pd.Series(True, rows.index),
        "score": rows["score"],
        "could_move": could_move,
        "moved": moved.where(could_move, 0.0),
        "had_format": ok.notna(),
        "format_ok": ok.fillna(0.0),
        "ok_score": (ok * rows["score"]).fillna(0.0),
        **{name: _number(rows, name).fillna(0.0) for name in OF_AGENTS["tool_fault"]},
        **{f"has_{name}": _number(rows, name).notna() for name in OF_AGENTS["tool_fault"]},
        **{name: rows["reply_status"] == name for name in CAUSES[1:]},
        "has_tokens": tokens.notna(),
        "output_tokens": tokens.fillna(0.0),
        **_position_sums(rows),
        **_tool_sums(rows, pairs),
        **_version_sums(rows),
        "in_all_arms": in_all_arms,
        "in_all_arms_score": rows["score"].where(in_all_arms, 0.0),
        "in_all_formats": in_all_formats,
        "in_all_formats_ok": ok.where(in_all_formats, 0.0),
        "in_all_formats_ok_score": (ok * rows["score"]).where(in_all_formats, 0.0),
        "rerun_pairs": rerun_pairs,
        "rerun_flips": rerun_flips,
        **{
            f"own_{name}": values.groupby(rows[_ITEM_NUMBER]).transform("sum").where(first, 0.0)
            for name, values in (
                ("rerun_pairs", rerun_pairs),
                ("rerun_flips", rerun_flips),
                ("reworded_pairs", reworded.astype(float)),
                ("reworded_flips", (reworded & flips).astype(float)),
                ("reworded_change", change.where(reworded, 0.0)),
            )
        },
    }
    columns = {name: values.astype(float) for name, values in sums.items()}
    return rows.assign(**columns), [*columns]


def _number(rows: pd.DataFrame, name: str) -> pd.Series[float]:
    if name not in rows:
        return pd.Series(np.nan, rows.index)
    return pd.to_numeric(rows[name], errors="coerce").astype(float)


# Where the correct option stands.
_PLACES = ("first", "middle", "last")


def _position_sums(rows: pd.DataFrame) -> dict[str, pd.Series[Any]]:
    """What was chosen by place; over items with each option once in each place (all rotations)."""
    chosen, right, n = (_number(rows, name) for name in ("chosen_at", "right_at", "n_options"))
    rotations = rows["arm"].astype(str).str.startswith(f"order-{ROTATION}")
    if not rotations.any():
        return {}  # without them, chance is not known
    turned = (rows["arm"] == PLAIN) | rotations
    at = {"first": right == 1, "last": right == n, "middle": (right > 1) & (right < n)}

    def whole(counted: pd.Series[bool]) -> pd.Series[bool]:
        places = right.where(turned & counted).groupby(rows[_ITEM_EPOCH]).transform("nunique")
        return turned & counted & (places == n)

    answered = whole(chosen.notna())
    # The same items in all places, and each as much as another: two options have no middle.
    scored = whole(right.notna() & (n > 2))
    weight = (1 / (n - 2)).where(at["middle"], 1.0)
    return {
        "has_choice": chosen.notna(),
        "chose_first": chosen == 1,
        "rotated": answered,
        "rotated_first": answered & (chosen == 1),
        "rotated_chance": (1 / n).where(answered, 0.0),
        **{f"right_{p}": weight.where(scored & at[p], 0.0) for p in _PLACES},
        **{
            f"right_{p}_score": (weight * rows["score"]).where(scored & at[p], 0.0) for p in _PLACES
        },
    }


# Names of the tool that was listed first, and of the one that was called first.
_TOOLS = ("first_tool", "used_tool")


def _tool_sums(rows: pd.DataFrame, pairs: pd.Series[bool]) -> dict[str, pd.Series[Any]]:
    """Whether the tool that is listed first is called, here and where it is not listed first."""
    if any(name not in rows for name in _TOOLS):
        return {}
    first, used, before, used_before = (rows[f"{of}{n}"] for of in ("", "plain_") for n in _TOOLS)
    moved = pairs & used.notna() & used_before.notna() & (first != before)
    return {
        "has_tool": used.notna(),
        "used_first": used.notna() & (used == first),
        "tool_moved": moved,
        "moved_first": moved & (used == first),
        "moved_first_before": moved & (used_before == first),
    }


def _version_sums(rows: pd.DataFrame) -> dict[str, pd.Series[Any]]:
    """Scores of items that have one in every numbered version of an arm."""
    sums: dict[str, pd.Series[Any]] = {}
    for stem, own in versions_of(rows["arm"].unique()).items():
        inside = rows["arm"].isin(own)
        by_item = inside.groupby(rows[_ITEM_EPOCH])
        whole = by_item.transform("sum") == len(own)
        least = rows["score"].where(inside).groupby(rows[_ITEM_EPOCH]).transform("min")
        one = whole & (rows["arm"] == own[0])
        sums |= {
            f"in_versions:{stem}": whole & inside,
            f"in_versions_score:{stem}": rows["score"].where(whole & inside, 0.0),
            f"all_versions:{stem}": one,
            f"all_versions_score:{stem}": least.where(one, 0.0),
        }
    return sums


def _version_metrics(stem: str, versions: Sequence[str]) -> Iterator[Number]:
    """How far apart the numbered versions of an arm lie: wordings, orders or typing errors."""

    hits, of = f"in_versions_score:{stem}", f"in_versions:{stem}"

    def scores(sums: Sums) -> list[Rate]:
        parts = [sums.of(arm=arm) for arm in versions]
        return [Rate(part.ratio(hits, of), part.counts(of).n_clusters) for part in parts]

    def drops(sums: Sums) -> list[Rate]:
        found = scores(sums)
        mean = np.mean([one.values for one in found], axis=0)
        return [Rate(mean - one.values, one.n_clusters) for one in found]

    yield Number(
        PAPER.metric("versions_sd"),
        lambda sums: np.std([one.values for one in scores(sums)], axis=0),
        of, why=_NOT_IN_ALL, parts=scores,
    )  # fmt: skip
    yield Number(
        PAPER.metric("versions_drop"),
        lambda sums: np.max([one.values for one in drops(sums)], axis=0),
        of, why=_NOT_IN_ALL, parts=drops,
    )  # fmt: skip
    every = f"all_versions:{stem}"
    yield _rate("versions_worst_case", f"all_versions_score:{stem}", every, _NOT_IN_ALL)


def reply_statuses(rows: pd.DataFrame) -> pd.Series[str]:
    """What became of each reply; scorers that never say an answer leave none unparsed."""
    told = (
        rows.get("reply_status", pd.Series("answered", rows.index)).fillna("answered").astype(str)
    )
    silent = rows["answer"].isna().groupby(rows["run"]).transform("all")
    return told.where(~(silent & (told == "unparsed")), "answered")


def _in_every_arm(rows: pd.DataFrame, within: pd.Series[bool]) -> pd.Series[bool]:
    """Whether the row's item and epoch was scored in every arm selected by `within`."""
    n_arms = rows.loc[within, "arm"].nunique()
    return within.groupby(rows[_ITEM_EPOCH]).transform("sum") == max(1, n_arms)


def _rerun_pairs(rows: pd.DataFrame) -> tuple[pd.Series[float], pd.Series[float]]:
    """Return, per row, whether it forms a re-run pair and whether the two scores differ.

    A re-run pair is plain and repeat in one epoch, or plain in two consecutive epochs.
    """
    repeat, plain = rows["arm"] == REPEAT, rows["arm"] == PLAIN
    before = rows[plain].groupby(_ITEM_NUMBER)["score"].shift().reindex(rows.index)
    other = before.where(plain, rows["plain_score"].where(repeat))
    pairs = other.notna() & (plain | repeat)
    return pairs.astype(float), (pairs & ((rows["score"] - other).abs() > ROUNDING)).astype(float)


def _rate(metric: str, numerator: str, denominator: str, missing: str, **levels: Any) -> Number:
    """A metric that is a ratio of sums; `missing` is the reason if it has no value."""
    return share(PAPER.metric(metric), numerator, denominator, missing, **levels)


def _beyond_noise(sums: Sums) -> Floats:
    return sums.ratio("flips", "pairs") - sums.ratio("own_rerun_flips", "own_rerun_pairs")


def _effect_beyond_rewording(sums: Sums) -> Floats:
    reworded = sums.ratio("own_reworded_change", "own_reworded_pairs")
    return sums.ratio("change", "pairs") - reworded


def _beyond_rewording(sums: Sums) -> Floats:
    return sums.ratio("flips", "pairs") - sums.ratio("own_reworded_flips", "own_reworded_pairs")


def _arm_metrics(
    arm: str, treatment: str, reworded: bool, known: Collection[str]
) -> Iterator[Number]:
    yield _rate("score", "score", "replies", _NOTHING)
    for status in CAUSES[1:]:
        yield _rate(status, status, "replies", _NOTHING)
    if "has_tokens" in known:
        yield _rate("output_tokens", "output_tokens", "has_tokens", _NO_TOKENS)
    if "has_choice" in known:
        yield _rate("first_option", "chose_first", "has_choice", _NO_CHOICE)
    if "has_tool" in known:
        yield _rate("first_tool", "used_first", "has_tool", _NO_TOOL)
    if "has_tool" in known and treatment == "tool_order":
        yield Number(
            PAPER.metric("first_tool_preference"),
            lambda sums: sums.ratio("moved_first", "tool_moved")
            - sums.ratio("moved_first_before", "tool_moved"),
            "tool_moved", why=_NO_OTHER_TOOL,
        )  # fmt: skip
    if arm == PLAIN:
        return
    yield _rate("effect", "change", "pairs", _NO_PAIR)
    for metric in ("hurt", "helped", "flips"):
        yield _rate(metric, metric, "pairs", _NO_PAIR)
    if arm != REPEAT:
        yield Number(
            PAPER.metric("beyond_noise"), _beyond_noise, "pairs",
            why=lambda sums: _NEEDS_RERUN if sums.counts("pairs").n_items else _NO_PAIR,
        )  # fmt: skip
    beyond = {"beyond_rewording": _beyond_rewording,
              "effect_beyond_rewording": _effect_beyond_rewording}  # fmt: skip
    for metric, value in beyond.items():
        if reworded and treatment not in (REPEAT, *REWORDINGS):
            yield Number(
                PAPER.metric(metric), value, "pairs",
                why=lambda sums: _NEEDS_REWORDING if sums.counts("pairs").n_items else _NO_PAIR,
            )  # fmt: skip
    for cause in CAUSES:
        yield _rate(f"effect_{cause}", f"change_{cause}", "pairs", _NO_PAIR)
    yield _rate("kept", "kept", "both_answered", "no answer was parsed both plain and in this arm")
    if treatment == "suggestion":
        yield _rate("moved_rate", "moved", "could_move", _NOT_MOVED)
    for name in OF_AGENTS.get(treatment, ()):
        yield _rate(name, name, f"has_{name}", _NOTHING)
    if treatment == "format":  # share of replies in the format; score of these replies
        yield _rate("fi", "format_ok", "had_format", _NOTHING)
        yield _rate("est_true", "ok_score", "format_ok", "no reply followed the format")


def _largest(
    metric: str, losses: Callable[[Sums], Sequence[Rate]], arms: tuple[str, ...]
) -> Number:
    """The largest of several losses, over items that are scored in all these arms."""
    return Number(
        PAPER.metric(metric),
        lambda sums: np.max([loss.values for loss in losses(sums)], axis=0),
        why="no item was scored in all arms",
        counts=lambda sums: sums.of(arm=arms).counts("in_all_arms"),
        parts=losses,
    )


def _combined_metrics(arms: Mapping[str, str]) -> Iterator[Number]:
    """Metrics that combine several arms: noise, largest loss, OmniAccuracy, BiasF."""
    yield _rate("noise", "rerun_flips", "rerun_pairs", _NEEDS_RERUN, arm=(PLAIN, REPEAT))
    others = [arm for arm in arms if arm not in (PLAIN, REPEAT)]
    effects = [arm for arm in others if arms[arm] not in UNKNOWN_TARGET]
    if effects and PLAIN in arms:

        def losses(sums: Sums) -> list[Rate]:
            of_arms = [sums.of(arm=arm) for arm in (PLAIN, *effects)]
            scores = [arm_sums.ratio("in_all_arms_score", "in_all_arms") for arm_sums in of_arms]
            n_clusters = of_arms[0].counts("in_all_arms").n_clusters
            return [Rate(scores[0] - score, n_clusters) for score in scores[1:]]

        reworded = [arm for arm in effects if arms[arm] in REWORDINGS]

        def losses_beyond(sums: Sums) -> list[Rate]:
            every = dict(zip(effects, losses(sums), strict=True))
            floor = np.maximum(0, np.mean([every[arm].values for arm in reworded], axis=0))
            return [
                loss if arm in reworded else Rate(loss.values - floor, loss.n_clusters)
                for arm, loss in every.items()
            ]

        yield _largest("worst_effect", losses, (PLAIN, *effects))
        if reworded and len(reworded) < len(effects):
            yield _largest("worst_beyond_rewording", losses_beyond, (PLAIN, *effects))
        yield Number(
            PAPER.metric("worst_case"),
            lambda sums: sums.ratio("worst_case", "in_all_arms"), "in_all_arms",
            why="no item was scored in all arms", within={"arm": PLAIN},
        )  # fmt: skip
    if rotations := [arm for arm in others if arm.startswith(f"order-{ROTATION}")]:
        turned = {"arm": (PLAIN, *rotations)}
        yield Number(
            PAPER.metric("first_preference"),
            lambda sums: sums.ratio("rotated_first", "rotated")
            - sums.ratio("rotated_chance", "rotated"),
            "rotated", why=_NOT_ROTATED, within=turned,
        )  # fmt: skip
        for place in _PLACES:
            of = f"right_{place}"
            yield _rate(f"score_{place}", f"{of}_score", of, _NO_MIDDLE, **turned)
    wrong, right = (
        tuple(arm for arm in others if stem_of(arm) == stem)
        for stem in ("suggestion", "suggestion-right")
    )
    if wrong and right:

        def selectivity(sums: Sums) -> Floats:
            moved = [sums.of(arm=arms).ratio("moved", "could_move") for arms in (wrong, right)]
            return moved[0] - moved[1]

        yield Number(
            PAPER.metric("selectivity"), selectivity, why=_NOT_MOVED,
            counts=lambda sums: sums.of(arm=(*wrong, *right)).counts("could_move"),
        )  # fmt: skip
    for arm in (arm for arm in others if arms[arm] == "absent"):
        yield Number(
            PAPER.metric("omni_accuracy"),
            lambda sums: (sums.ratio("before", "pairs") + sums.ratio("after", "pairs")) / 2,
            "pairs", why=_NO_PAIR, within={"arm": arm},
        )  # fmt: skip
    formats = [arm for arm in others if arms[arm] == "format"]
    if len(formats) > 1:

        def format_scores(sums: Sums) -> list[Rate]:
            of_formats = [sums.of(arm=arm) for arm in formats]
            n_clusters = of_formats[0].counts("in_all_formats").n_clusters
            columns = ("in_all_formats_ok_score", "in_all_formats_ok")
            return [Rate(one.ratio(*columns), n_clusters) for one in of_formats]

        yield Number(
            PAPER.metric("bias_f"),
            lambda sums: SQUARED_PERCENT * np.var([r.values for r in format_scores(sums)], axis=0),
            why="no reply followed one of the formats, or no item was scored in all formats",
            counts=lambda sums: sums.of(arm=tuple(formats)).counts("in_all_formats"),
            parts=format_scores,
        )
