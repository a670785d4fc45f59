"""Metrics of the bend task: each arm compared with the plain arm, on the same items and epochs.

A pair is the plain and the treated score of one item in one epoch; `repeat` arms measure chance.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from askew.bend.paper import OF_AGENTS, PAPER, PLAIN, REPEAT, REWORDINGS, UNKNOWN_TARGET
from askew.files import toml_of
from askew.stats.clusters import permute_labels_within
from askew.stats.engine import Items, Number, Sums, analysis, share
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
# What became of the reply whose score differs: the shares of an effect add up to it.
CAUSES = ("answered", "refused", "unparsed", "truncated")
# Names of the tool that was listed first, and of the one that was called first.
_TOOLS = ("first_tool", "used_tool")
_PLACES = ("first", "middle", "last")  # where the correct option stands
# Measures that only some samples have.
_MEASURES = ("format_ok", "output_tokens", *OF_AGENTS["tool_fault"])
# By the sum that a number is of, why it may have no value.
_MISSING: Mapping[str, str] = toml_of(__package__, "reasons.toml")
# Shares that are asked where some sample has what they are of.
_OPTIONAL = {
    "output_tokens": ("output_tokens", "has_output_tokens"),
    "first_option": ("chose_first", "has_choice"),
    "first_tool": ("used_first", "has_tool"),
}
SQUARED_PERCENT = 100.0**2  # from a variance of fractions to squared percentage points
Parts = Callable[[Sums], Sequence[Rate]]  # the rates of several arms


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
    # All tasks together, and with several tasks also each one: a pair never mixes tasks.
    each = dict([*observations.groupby(observations["subset"].astype(str), sort=False)])
    by_task = {OVERALL: observations, **(each if len(each) > 1 else {})}
    prepared = {name: _prepare(part) for name, part in by_task.items()}
    (_, names), *_ = prepared.values()
    rows = pd.concat([part.assign(task=name) for name, (part, _) in prepared.items()])
    # What only one of several tasks has.
    rows = rows.fillna(dict.fromkeys({*names} - {"score"}, 0.0))
    metrics: dict[Key, Sequence[Number]] = {}
    # Numbered arms have a number together where no task has an arm of that name.
    pools: dict[Any, tuple[Any, ...]] = {**versions_of(rows["arm"].unique())}
    for task, own in rows.groupby("task", sort=False):
        first = own.drop_duplicates("arm")
        arms = dict(zip(first["arm"], first["treatment"].map(str), strict=True))
        versions = {stem: of for stem, of in versions_of(arms).items() if stem in pools}
        is_reworded = any(of in REWORDINGS for of in arms.values())
        known = [name for name, (_, of) in _OPTIONAL.items() if of in own and own[of].any()]
        for arm, treatment in ({s: arms[v[0]] for s, v in versions.items()} | arms).items():
            of_versions = _version_metrics(arm, versions[arm]) if arm in versions else ()
            metrics[task, arm] = [*_arm_metrics(arm, treatment, is_reworded, known), *of_versions]
        metrics[task, OVERALL] = [*_combined_metrics(arms)]
    exchanges = {
        name: partial(permute_labels_within, split=partial(_exchange_group, name))
        for name in ("arm", "format", "version")
    }
    items = Items(rows, ("task", "arm"), names)
    return analysis(items, ("task", "arm"), metrics, exchanges, pools)


def versions_of(arms: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Arms that are numbered versions of one, such as wordings, by its name."""
    found: dict[str, list[str]] = {}
    for arm in (names := dict.fromkeys(map(str, arms))):
        found.setdefault(stem_of(arm), []).append(arm)
    return {stem: tuple(own) for stem, own in found.items() if len(own) > 1 and stem not in names}


def _exchange_group(compared: str, key: Key) -> tuple[Hashable, Hashable, Hashable] | None:
    """For the permutation null: group, arm and name of a sum of arms that are compared in full.

    Sums of one group are permuted across arms within each item; None: the sum is not permuted.
    """
    task, arm, name = key
    kind, _, group = str(name).partition(":")
    if not kind.startswith(f"{compared} ") or kind.endswith(" least"):
        return None
    return (compared, task, group), arm, name


def _compared(
    rows: pd.DataFrame, kind: str, inside: pd.Series[bool], **values: pd.Series[float]
) -> dict[str, pd.Series[Any]]:
    """Sums of the items and epochs that were scored in every arm of those compared.

    `kind` is what is compared, behind a colon which of several; `least` is of an item in all arms.
    """
    name, _, group = kind.partition(":")
    item = rows[_ITEM_EPOCH]
    n_arms = max(1, rows.loc[inside, "arm"].nunique())
    whole = inside & (inside.groupby(item).transform("sum") == n_arms)
    least = rows["score"].where(whole).groupby(item).transform("min")
    return {
        f"{name} in all:{group}": whole,
        **{f"{name} {of}:{group}": value.where(whole, 0.0) for of, value in values.items()},
        f"{name} least:{group}": least.where(whole, 0.0),
    }


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
    is_plain, score = rows["arm"] == PLAIN, rows["score"]
    plain = rows[is_plain].set_index(_ITEM_EPOCH)
    for name in ("score", "answer", "reply_status", *_TOOLS):
        if name in rows:
            rows[f"plain_{name}"] = rows[_ITEM_EPOCH].map(plain[name])
    pairs = rows["plain_score"].notna() & ~is_plain
    change = (score - rows["plain_score"]).where(pairs, 0.0)
    flips = change.abs() > ROUNDING
    both_answered = pairs & rows["answer"].notna() & rows["plain_answer"].notna()
    moved, ok = _number(rows, "moved"), _number(rows, "format_ok")
    could_move = moved.notna() & pairs & rows["plain_answer"].notna()
    could_move &= rows["plain_answer"] != rows.get("suggested", pd.Series(None, rows.index))
    # A treated reply that gave no answer is the cause; else a plain one that gave none.
    status = rows["reply_status"]
    cause = status.where(status != "answered", rows["plain_reply_status"])
    # A re-run pair is plain and repeat in one epoch, or plain in two consecutive epochs.
    earlier = rows[is_plain].groupby(_ITEM_NUMBER)["score"].shift().reindex(rows.index)
    other = earlier.where(is_plain, rows["plain_score"].where(rows["arm"] == REPEAT))
    reruns = {
        "rerun_pairs": other.notna().astype(float),
        "rerun_flips": ((score - other).abs() > ROUNDING).astype(float),
    }
    # `own_*`: sums over the epochs of an item, in its first paired row of each arm, so that an
    # arm's noise counts each of its items once.
    again = rows[pairs].duplicated([_ITEM_NUMBER, "arm"]).reindex(rows.index, fill_value=False)
    reworded = pd.DataFrame({"pairs": pairs, "flips": flips, "change": change}).astype(float)
    reworded = reworded.where(rows["treatment"].isin(REWORDINGS), 0.0).add_prefix("reworded_")
    own = reworded.assign(**reruns).groupby(rows[_ITEM_NUMBER]).transform("sum")
    own = own.where(pairs & ~again, 0.0).add_prefix("own_")
    measures = {name: _number(rows, name) for name in _MEASURES}
    sums = {
        "pairs": pairs,
        "before": rows["plain_score"].where(pairs, 0.0),
        "after": score.where(pairs, 0.0),
        "change": change,
        "hurt": change < -ROUNDING,
        "helped": change > ROUNDING,
        "flips": flips,
        **{f"change_{name}": change.where(cause == name, 0.0) for name in CAUSES},
        "both_answered": both_answered,
        "kept": both_answered & (rows["answer"] == rows["plain_answer"]),
        "replies": pd.Series(True, rows.index),
        "score": score,
        "could_move": could_move,
        "moved": moved.where(could_move, 0.0),
        **{name: values.fillna(0.0) for name, values in measures.items()},
        **{f"has_{name}": values.notna() for name, values in measures.items()},
        "ok_score": (ok * score).fillna(0.0),
        **{name: status == name for name in CAUSES[1:]},
        **_position_sums(rows),
        **_tool_sums(rows, pairs),
        **reruns,
        **own,
        # The target stays known under all other treatments, plain included.
        **_compared(rows, "arm", ~rows["treatment"].isin([REPEAT, *UNKNOWN_TARGET]), score=score),
        **_compared(rows, "format", ok.notna(), ok=ok, score=ok * score),
    }
    for stem, versions in versions_of(rows["arm"].unique()).items():
        sums |= _compared(rows, f"version:{stem}", rows["arm"].isin(versions), score=score)
    columns = {name: values.astype(float) for name, values in sums.items()}
    return rows.assign(**columns), [*columns]


def _number(rows: pd.DataFrame, name: str) -> pd.Series[float]:
    found = rows.get(name, pd.Series(np.nan, rows.index))
    return pd.to_numeric(found, errors="coerce").astype(float)


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


def reply_statuses(rows: pd.DataFrame) -> pd.Series[str]:
    """What became of each reply; scorers that never say an answer leave none unparsed."""
    told = rows.get("reply_status", pd.Series(None, rows.index, object)).fillna("answered")
    silent = rows["answer"].isna().groupby(rows["run"]).transform("all")
    return told.astype(str).where(~silent | (told != "unparsed"), "answered")


def _rate(metric: str, numerator: str, of: str, missing: str = "", **levels: Any) -> Number:
    """A metric that is a ratio of sums."""
    why = missing or _MISSING.get(of, _MISSING["replies"])
    return share(PAPER.metric(metric), numerator, of, why, **levels)


def _difference(metric: str, one: str, of: str, other: str, of_other: str, **levels: Any) -> Number:
    """A metric that is a difference of two ratios of sums, on the items of the first."""

    def why(sums: Sums) -> str:
        return _MISSING["pairs" if of == "pairs" and not sums.counts(of).n_items else of_other]

    def value(sums: Sums) -> Floats:
        return sums.ratio(one, of) - sums.ratio(other, of_other)

    return Number(PAPER.metric(metric), value, of, why=why, within=levels)


def _arm_metrics(
    arm: str, treatment: str, reworded: bool, known: Collection[str]
) -> Iterator[Number]:
    yield from (_rate(metric, metric, "replies") for metric in ("score", *CAUSES[1:]))
    yield from (_rate(metric, *_OPTIONAL[metric]) for metric in known)
    if "first_tool" in known and treatment == "tool_order":
        of = "tool_moved"
        yield _difference("first_tool_preference", "moved_first", of, "moved_first_before", of)
    if arm == PLAIN:
        return
    yield _rate("effect", "change", "pairs")
    yield from (_rate(metric, metric, "pairs") for metric in ("hurt", "helped", "flips"))
    if arm != REPEAT:
        noise = "own_rerun_flips", "own_rerun_pairs"
        yield _difference("beyond_noise", "flips", "pairs", *noise)
    if reworded and treatment not in (REPEAT, *REWORDINGS):
        for metric, of in (("beyond_rewording", "flips"), ("effect_beyond_rewording", "change")):
            yield _difference(metric, of, "pairs", f"own_reworded_{of}", "own_reworded_pairs")
    yield from (_rate(f"effect_{cause}", f"change_{cause}", "pairs") for cause in CAUSES)
    yield _rate("kept", "kept", "both_answered")
    if treatment == "suggestion":
        yield _rate("moved_rate", "moved", "could_move")
    yield from (_rate(name, name, f"has_{name}") for name in OF_AGENTS.get(treatment, ()))
    if treatment == "format":  # share of replies in the format; score of these replies
        yield _rate("fi", "format_ok", "has_format_ok")
        yield _rate("est_true", "ok_score", "format_ok")


def _scores(arms: Sequence[str], hits: str, of: str, used: str = "") -> Parts:
    """The scores of several arms on the items of all: a ratio of sums in each."""

    def scores(sums: Sums) -> list[Rate]:
        parts = [sums.of(arm=arm) for arm in arms]
        return [Rate(part.ratio(hits, of), part.counts(used or of).n_clusters) for part in parts]

    return scores


def _over(
    metric: str, parts: Parts, combine: Callable[..., Floats], used: str, why: str, **levels: Any
) -> Number:
    """A metric of the rates of several arms, such as the largest of them."""

    def value(sums: Sums) -> Floats:
        return combine([rate.values for rate in parts(sums)], axis=0)

    return Number(PAPER.metric(metric), value, used, why=why, within=levels, parts=parts)


def _version_metrics(stem: str, versions: Sequence[str]) -> Iterator[Number]:
    """How far apart the numbered versions of an arm lie: wordings, orders or typing errors."""
    used, why = f"version in all:{stem}", _MISSING["versions"]
    scores = _scores(versions, f"version score:{stem}", used)

    def drops(sums: Sums) -> list[Rate]:
        found = scores(sums)
        mean = np.mean([one.values for one in found], axis=0)
        return [Rate(mean - one.values, one.n_clusters) for one in found]

    yield _over("versions_sd", scores, np.std, used, why)
    yield _over("versions_drop", drops, np.max, used, why)
    yield _rate("versions_worst_case", f"version least:{stem}", used, why)


def _combined_metrics(arms: Mapping[str, str]) -> Iterator[Number]:
    """Metrics that combine several arms: noise, largest loss, OmniAccuracy, BiasF."""
    yield _rate("noise", "rerun_flips", "rerun_pairs", arm=(PLAIN, REPEAT))
    others = [arm for arm in arms if arm not in (PLAIN, REPEAT)]
    effects = [arm for arm in others if arms[arm] not in UNKNOWN_TARGET]
    if effects and PLAIN in arms:
        every, used, why = (PLAIN, *effects), "arm in all:", _MISSING["arms"]
        scores = _scores(every, "arm score:", used)
        reworded = [arm for arm in effects if arms[arm] in REWORDINGS]

        def losses(sums: Sums) -> list[Rate]:
            plain, *treated = scores(sums)
            return [Rate(plain.values - one.values, one.n_clusters) for one in treated]

        def losses_beyond(sums: Sums) -> list[Rate]:
            found = dict(zip(effects, losses(sums), strict=True))
            floor = np.maximum(0, np.mean([found[arm].values for arm in reworded], axis=0))
            return [
                loss if arm in reworded else Rate(loss.values - floor, loss.n_clusters)
                for arm, loss in found.items()
            ]

        yield _over("worst_effect", losses, np.max, used, why, arm=every)
        if reworded and len(reworded) < len(effects):
            yield _over("worst_beyond_rewording", losses_beyond, np.max, used, why, arm=every)
        yield _rate("worst_case", "arm least:", used, why, arm=PLAIN)
    if rotations := [arm for arm in others if arm.startswith(f"order-{ROTATION}")]:
        turned = PLAIN, *rotations
        chance = "rotated_chance", "rotated"
        yield _difference("first_preference", "rotated_first", "rotated", *chance, arm=turned)
        for place in _PLACES:
            of = f"right_{place}"
            yield _rate(f"score_{place}", f"{of}_score", of, arm=turned)
    wrong, right = (
        tuple(arm for arm in others if stem_of(arm) == stem)
        for stem in ("suggestion", "suggestion-right")
    )
    if wrong and right:

        def selectivity(sums: Sums) -> Floats:
            moved = [sums.of(arm=arms).ratio("moved", "could_move") for arms in (wrong, right)]
            return moved[0] - moved[1]

        both = {"arm": (*wrong, *right)}
        metric = PAPER.metric("selectivity")
        yield Number(metric, selectivity, "could_move", why=_MISSING["could_move"], within=both)
    for arm in (arm for arm in others if arms[arm] == "absent"):
        yield Number(
            PAPER.metric("omni_accuracy"),
            lambda sums: (sums.ratio("before", "pairs") + sums.ratio("after", "pairs")) / 2,
            "pairs", why=_MISSING["pairs"], within={"arm": arm},
        )  # fmt: skip
    formats = tuple(arm for arm in others if arms[arm] == "format")
    if len(formats) > 1:
        of_formats = _scores(formats, "format score:", "format ok:", used := "format in all:")

        def variance(values: Sequence[Floats], axis: int) -> Floats:
            return np.asarray(SQUARED_PERCENT * np.var(values, axis=axis))

        yield _over("bias_f", of_formats, variance, used, _MISSING["formats"], arm=formats)
