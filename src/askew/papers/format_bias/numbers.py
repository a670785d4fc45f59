"""Format bias: how well formats are followed, and how far performance varies over them.

FI is the share of replies that follow their format, SysE the mean score of all replies, EstTrue
their ratio (Eq. 5), BiasF the variance of EstTrue over formats (Eq. 8). Rates are fractions;
BiasF and the variance of FI are in squared percentage points, as the paper prints them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import cast

import numpy as np
import pandas as pd

from askew.papers.format_bias.blocks import Block, Scope, blocks_of, prepared
from askew.papers.format_bias.formulas import CONFIDENCE, MARGIN, fi_needed
from askew.papers.format_bias.paper import MOST_VARIANCE, PAPER
from askew.papers.format_bias.scores import (
    AS_PUBLISHED,
    SPREADS,
    VARYING,
    Definitions,
    Shares,
    as_published,
    in_cells,
    over_cells,
    over_formats,
    over_models,
    shares_of,
)
from askew.stats.exchanges import exchanged_within
from askew.stats.intervals import Floats, wilson
from askew.stats.means import mean_over
from askew.stats.quantities import worth_of_mean
from askew.stats.tables import (
    DEFAULT_INTERVAL,
    OVERALL,
    Analysis,
    Counts,
    Interval,
    Key,
    Quantity,
    Totals,
    metric_table,
)

_LEVELS = ("subset", "category", *(factor.name for factor in PAPER.factors))
# What is shown while a task runs, and in which order.
_SHOWN = ("bias_f", "est_true", "fi", "sys_e")
# How many places a reason names before it only counts the rest.
_NAMED = 4


def format_bias(
    observations: pd.DataFrame,
    by: Sequence[str] = ("model",),
    interval: Interval | None = DEFAULT_INTERVAL,
    *,
    zero_filled: bool = False,
    margin: float = MARGIN,
    level: float = CONFIDENCE,
    pooled_only: bool = False,
    over_models: bool = False,
) -> pd.DataFrame:
    """Format bias per cell, per format and per category of formats, for every arm.

    A cell is one paper task, format and prompting. `subset`, `format` and `prompting` are "all"
    where a row averages over them, without weights, as the paper does. Arms (`demos`, `repeat`)
    are never mixed. BiasF rests on the items that were scored in every format; the other
    metrics on all observations of their cells.

    Args:
        observations: rows with `category`, `format`, `prompting`, `demos`, `repeat`,
            `format_ok` and `score` beside the common columns.
        by: columns to tell apart, a row a metric for each.
        interval: how to make intervals; `None` for point values only.
        zero_filled: count EstTrue as 0, as the paper does, where no reply follows a format.
        margin: the margin of error of Theorem 3.1.
        level: its confidence level.
        pooled_only: only the rows over all subsets and promptings, without Theorem 3.1's marks.
        over_models: where several models are told apart, rows of the model "all" too: means of
            theirs, without weights, and the variances of those means over formats.
    """
    definitions = Definitions(zero_filled, margin, level, pooled_only)
    analyse = partial(_analyse, definitions=definitions)
    mean = partial(_mean_of, definitions=definitions) if over_models else None
    return metric_table(prepared(observations), by, _LEVELS, analyse, interval, mean)


def headlines(table: pd.DataFrame) -> pd.DataFrame:
    """One number a metric and category or format, for display while a task runs.

    Columns `metric`, `subset` (always "all") and `value`. Names are `bias_f_<category>`,
    `fi_<format>` and the like; those of arms other than the plainest carry the arm.

    Args:
        table: of one model, pooled.
    """
    shown = table[table["metric"].isin(_SHOWN)]
    shown = shown.sort_values("metric", key=lambda m: m.map(_SHOWN.index), kind="stable")
    of = shown["format"].where(shown["format"] != OVERALL, shown["category"])
    arm = "_demos" + shown["demos"].astype(str) + "_repeat" + shown["repeat"].astype(str)
    plainest = (shown["demos"] == shown["demos"].min()) & (shown["repeat"] == shown["repeat"].min())
    name = shown["metric"] + "_" + of + arm.mask(plainest, "")
    return pd.DataFrame({"metric": name, "subset": OVERALL, "value": shown["value"]})


@dataclass(frozen=True)
class _Blocks(Analysis):
    """An analysis with the blocks that it is made of."""

    blocks: Sequence[Block] = ()


def _analyse(rows: pd.DataFrame, definitions: Definitions) -> _Blocks:
    """The sums behind prepared rows of one group, and the numbers that follow from them."""
    table, blocks = blocks_of(rows)

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        return {k: q for b in blocks for k, q in block_quantities(b, totals, definitions).items()}

    exchanges = {"format": partial(exchanged_within, split=_by_format)}
    return _Blocks(table, statistic, {}, exchanges, blocks=blocks)


def _mean_of(parts: Mapping[Hashable, Analysis], definitions: Definitions) -> Analysis:
    """Means over models; what varies over formats is then the mean score, as the paper has it."""
    return mean_over(parts, partial(_MeanScores, definitions))


class _MeanScores:
    """Scores of every model by scope, of which those over models are made."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._each: dict[Key, list[tuple[Sequence[str], Shares, Sequence[int]]]] = {}

    def numbers_of(self, name: Hashable, part: Analysis, totals: Totals) -> dict[Key, Quantity]:
        found: dict[Key, Quantity] = {}
        for block in cast(_Blocks, part).blocks:
            whole = shares_of(block, totals, self._definitions, block.whole_part)
            varying = {metric: whole[metric] for metric in VARYING if metric in whole}
            for scope in block.scopes():
                scores = block.formats, varying, scope.cells
                self._each.setdefault(_over_all(block, scope), []).append(scores)
            found |= block_quantities(block, totals, self._definitions, whole)
        return found

    def made(self, means: Mapping[Key, Quantity]) -> dict[Key, Quantity]:
        found = {}
        for place, models in self._each.items():
            there = {m: q for m in SPREADS if (q := means.get((m, *place))) and not q.reason}
            inside = [(formats, in_cells(shares, cells)) for formats, shares, cells in models]
            spreads = over_formats(over_models(inside)) if there else {}
            for metric, mean in there.items():
                counts = mean.counts or Counts(0)
                found[(metric, *place)] = _variance(metric, spreads[metric], counts, "")
        return found


def _over_all(block: Block, scope: Scope) -> Key:
    """Where numbers over all formats of a scope stand."""
    return scope.subset, block.category, OVERALL, scope.prompting, block.demos, block.repeat


def _by_format(key: Key) -> tuple[Key, Hashable, Key]:
    """A column's formats trade places within its category and arm."""
    part, category, subset, fmt, prompting, demos, repeat, name = key
    return (part, category, demos, repeat), fmt, (subset, prompting, name)


def block_quantities(
    block: Block, totals: Totals, definitions: Definitions, whole: Shares | None = None
) -> dict[Key, Quantity]:
    """The numbers of a block.

    Args:
        block: the formats of one category and arm.
        totals: its sums.
        definitions: which reading of them.
        whole: the shares of what was scored in every format, where they are at hand.
    """
    quantities: dict[Key, Quantity] = {}
    arm: Key = (block.demos, block.repeat)
    if whole is None:
        whole = shares_of(block, totals, definitions, block.whole_part)
    complete = block.whole_part == OVERALL
    shares = whole if complete else shares_of(block, totals, definitions)
    marked = len(totals) == 1 and not definitions.pooled_only
    marks = _reliability(block, totals, definitions) if marked else {}
    for f, c in () if definitions.pooled_only else block.seen:
        subset, prompting = block.cells[c]
        at: Key = (subset, block.category, block.formats[f], prompting, *arm)
        found = _of_cell(block, shares, f, c) | marks.get((f, c), {}) if totals.wants(*at) else {}
        quantities |= {(metric, *at): quantity for metric, quantity in found.items()}
    for scope in islice(block.scopes(), 1 if definitions.pooled_only else None):
        means = over_cells(in_cells(shares, scope.cells))
        for f, name in enumerate(block.formats):
            at = (scope.subset, block.category, name, scope.prompting, *arm)
            found = _of_format(block, shares, means, f, scope) if totals.wants(*at) else {}
            quantities |= {(metric, *at): quantity for metric, quantity in found.items()}
        at = _over_all(block, scope)
        if not totals.wants(*at):
            continue
        over = _over_formats(block, whole, scope)
        if marks:
            over |= _marks_over(block, shares, marks, scope)
        for metric, quantity in over.items():
            quantities[(metric, *at)] = quantity
    return quantities


def _of_cell(block: Block, shares: Shares, f: int, c: int) -> dict[str, Quantity]:
    counts = block.counts(f, (c,))
    unfollowed = f"no reply followed {_place(block, f, c)}"
    quantities = {
        metric: _ratio(metric, shares[metric][f, c], counts, unfollowed)
        for metric in ("fi", "sys_e", "est_true", "est_true_strict")
    }
    for metric in ("est_true", "est_true_strict"):
        quantities[metric] = _of_followed(quantities[metric], shares["followed"][f, [c], 0])
    if "map_as_published" in shares and not np.isnan(shares["map_as_published"][f, c]).all():
        quantities["map_as_published"] = _ratio(
            "map_as_published", shares["map_as_published"][f, c], counts
        )
    if as_published(shares, f, (c,)):
        theirs = _published(shares)
        for metric in AS_PUBLISHED:
            quantities[metric] = _ratio(metric, shares[metric][f, c], counts, unfollowed)
        est_true = quantities["est_true_as_published"]
        quantities["est_true_as_published"] = _of_followed(est_true, theirs["followed"][f, [c], 0])
    return quantities


def _published(shares: Shares) -> Shares:
    """The shares, with what follows its format as the authors read it."""
    return {**shares, "followed": np.nan_to_num(shares["followed_as_published"])}


Marks = Mapping[tuple[int, int], Mapping[str, Quantity]]


def _reliability(
    block: Block, totals: Totals, definitions: Definitions
) -> dict[tuple[int, int], dict[str, Quantity]]:
    """Theorem 3.1 for every cell: marks rather than estimates, so they get no interval."""
    names = ("n", "format_ok", "ok_score", "ok_score_squared")
    n_total, k, total, squares = (block.sums(totals, name)[:, :, 0] for name in names)
    marks = {}
    for f, c in block.seen:
        n, followed = int(n_total[f, c]), int(k[f, c])
        variance = math.nan
        if followed > 1:
            spread = squares[f, c] - total[f, c] ** 2 / followed
            variance = max(0.0, float(spread) / (followed - 1))
        deviation = math.sqrt(variance)
        needed = fi_needed(deviation, followed, n, definitions.margin, definitions.level)
        values = {
            "est_true_reliable": float(followed > 1 and followed / n >= needed),
            "est_true_constant": float(needed == 0.0),
            "fi_needed": needed,
        }
        counts, few = block.counts(f, (c,)), "fewer than two replies follow the format"
        marks[f, c] = {
            m: Quantity(np.array([v]), reason=few, counts=counts) for m, v in values.items()
        }
    return marks


def _of_format(
    block: Block, shares: Shares, means: Shares, f: int, scope: Scope
) -> dict[str, Quantity]:
    """One format's means over the cells of a scope."""
    counts = block.counts(f, scope.cells)
    found = {}
    for metric, mean in means.items():
        of = _published(shares) if metric in AS_PUBLISHED else shares
        if metric not in AS_PUBLISHED or as_published(shares, f, scope.cells):
            missing = missing_from(block, of, scope, [f])
            found[metric] = _ratio(metric, mean[f], counts, missing, mean=True)
            if metric.startswith("est_true"):
                inside = of["followed"][f, list(scope.cells), 0]
                found[metric] = _of_followed(found[metric], inside)
    return found


def _of_followed(est_true: Quantity, followed: Floats) -> Quantity:
    """EstTrue rests on the replies that followed; over cells, on what their mean is worth.

    Args:
        est_true: the number.
        followed: how many replies followed, by cell.
    """
    counts = est_true.counts
    worth = worth_of_mean(followed)
    if counts is None or not worth:
        return est_true
    return replace(est_true, counts=replace(counts, n_units=min(counts.n_units, worth)))


def _over_formats(block: Block, shares: Shares, scope: Scope) -> dict[str, Quantity]:
    """Means and variances over formats, on the items that were scored in every format."""
    counts, everything = block.whole_counts(scope.cells), range(len(block.formats))
    scores, quantities = in_cells(shares, scope.cells), {}
    missing = {False: missing_from(block, shares, scope, everything)}
    if as_published(shares, slice(None), scope.cells):
        missing[True] = missing_from(block, _published(shares), scope, everything)
    for metric, mean in over_cells(scores).items():
        if (why := missing.get(metric in AS_PUBLISHED)) is not None:
            quantities[metric] = _ratio(metric, mean.mean(axis=0), counts, why, mean=True)
    few = "too few formats followed"
    if len(everything) < 2:
        few = f"only {block.formats[0]} was asked: there is nothing to compare it with"
        missing = dict.fromkeys(missing, "")
    for metric, spread in over_formats(scores).items():
        if (why := missing.get(metric == "bias_f_as_published")) is not None:
            quantities[metric] = _variance(metric, spread, counts, why or few)
    return quantities


def _marks_over(block: Block, shares: Shares, marks: Marks, scope: Scope) -> dict[str, Quantity]:
    """What the numbers of a scope rest on: formats asked and followed, reliable cells."""
    inside = [at for at in block.seen if at[1] in scope.cells]
    reliable = [marks[at]["est_true_reliable"].values[0] for at in inside]
    followed = (shares["followed"][:, list(scope.cells), 0].sum(axis=1) > 0).sum()
    values = {
        "n_formats": float(len({f for f, _ in inside})),
        "n_formats_followed": float(followed),
        "reliable_share": float(np.mean(reliable)),
    }
    counts = block.whole_counts(scope.cells)
    return {m: Quantity(np.array([v]), counts=counts) for m, v in values.items()}


def missing_from(block: Block, shares: Shares, scope: Scope, formats: Iterable[int]) -> str:
    """Why a mean over the cells of a scope is not defined; empty where it is, and of resamples."""
    if shares["n"].shape[-1] > 1:
        return ""
    places = [(f, c) for f in formats for c in scope.cells]
    n, followed = (shares[name][:, :, 0] for name in ("n", "followed"))
    if all(followed[at] for at in places):
        return ""
    unasked = [at for at in places if at not in block.seen]
    unscored = [at for at in places if at not in unasked and not n[at]]
    unfollowed = [at for at in places if n[at] and not followed[at]]
    reasons = [
        f"{what} {_named(block, found)}"
        for what, found in (
            ("not asked:", unasked),
            ("no item was scored in every format:", unscored),
            ("no reply followed", unfollowed),
        )
        if found
    ]
    return "; ".join(reasons)


def _named(block: Block, places: Sequence[tuple[int, int]]) -> str:
    named = ", ".join(_place(block, f, c) for f, c in places[:_NAMED])
    more = len(places) - _NAMED
    return f"{named} and {more} more" if more > 0 else named


def _place(block: Block, f: int, c: int) -> str:
    return f"{block.formats[f]} in {' '.join(block.cells[c])}"


def _ratio(
    metric: str, values: Floats, counts: Counts, reason: str = "", *, mean: bool = False
) -> Quantity:
    """A rate or ratio of one cell, or a mean of such over cells, as its metric declares it.

    Of resamples nothing but the values is read.

    EstTrue has no largest value, because replies that miss the format may score. Where it is a
    share of the replies that followed, as mostly, its interval is one of such a share.
    """
    if len(values) > 1:
        return Quantity(values)
    made = Quantity.of(PAPER.metric(metric), values, mean=mean, reason=reason, counts=counts)
    if math.isinf(made.bounds[1]) and not values[0] > 1:
        return replace(made, bounds=(0.0, 1.0))
    return made


def _variance(metric: str, values: Floats, counts: Counts, reason: str) -> Quantity:
    """A variance of scores; where nothing varied, it may be what scores at Wilson's bound have.

    Scores that lie anywhere within a band have at most the variance of half of them at each end.
    """
    if len(values) > 1:
        return Quantity(values)
    band = wilson(0.0, counts.n_units)[1] if counts.n_units else 0.0
    value = 0.0 if math.isnan(values[0]) else float(values[0])
    declared = PAPER.metric(metric)
    most = min(declared.bounds[1], value + band * MOST_VARIANCE)
    made = Quantity.of(declared, values, reason=reason, counts=counts)
    return replace(made, bounds=(declared.bounds[0], most))
