"""Format bias: how well formats are followed, and how far performance varies over them.

FI is the share of replies that follow their format, SysE the mean score of all replies, EstTrue
their ratio (Eq. 5), BiasF the variance of EstTrue over formats (Eq. 8). Rates are fractions;
BiasF and the variance of FI are in squared percentage points, as the paper prints them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from askew.papers.format_bias.blocks import Block, Scope, blocks_of, prepared
from askew.papers.format_bias.formulas import CONFIDENCE, MARGIN
from askew.papers.format_bias.paper import MOST_VARIANCE, PAPER
from askew.papers.format_bias.scores import (
    AS_PUBLISHED,
    MEANS,
    SPREADS,
    followed,
    followed_as_published,
    known_over,
    marks_of,
    mean_over,
    scores_of,
    variance,
    variance_of_known,
)
from askew.schema import Metric
from askew.stats import means
from askew.stats.engine import Function, Items, Number, Sums, analysis
from askew.stats.exchanges import exchanged_within
from askew.stats.intervals import Floats, wilson
from askew.stats.quantities import Rate, worth_of_mean
from askew.stats.tables import (
    DEFAULT_INTERVAL,
    OVERALL,
    Analysis,
    Interval,
    Key,
    Quantity,
    metric_table,
    ratio,
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
    definitions = Definitions(zero_filled, margin, level, pooled_only, over_models)
    analyse = partial(analysed, definitions=definitions)
    mean = partial(means.mean_over, made=_of_means) if over_models else None
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
class Definitions:
    """Which reading of the definitions: see `format_bias`."""

    zero_filled: bool
    margin: float = MARGIN
    level: float = CONFIDENCE
    pooled_only: bool = False
    over_models: bool = False


def analysed(rows: pd.DataFrame, definitions: Definitions) -> Analysis:
    """The sums behind prepared rows of one group, and the numbers that follow from them."""
    items, blocks = blocks_of(rows)
    places: dict[Key, Sequence[Number]] = {}
    for block in blocks:
        for scope, name, numbers in _Numbers(block, items, definitions).places():
            at = {**block.at, **vars(scope), "format": name}
            places[tuple(at[level] for level in _LEVELS)] = [*numbers]
    exchanges = {"format": partial(exchanged_within, split=_by_format)}
    return analysis(items, _LEVELS, places, exchanges)


def _by_format(key: Key) -> tuple[Key, Hashable, Key]:
    """A column's formats trade places within its category and arm."""
    part, category, subset, fmt, prompting, demos, repeat, name = key
    return (part, category, demos, repeat), fmt, (subset, prompting, name)


class _Numbers:
    """The numbers of a block."""

    def __init__(self, block: Block, items: Items, definitions: Definitions) -> None:
        self.block, self.definitions = block, definitions
        self.scores = scores_of(definitions.zero_filled)
        self.marks = marks_of(definitions.margin, definitions.level)
        self.observed = items.observed.of(**block.at)

    def places(self) -> Iterator[tuple[Scope, str, Iterator[Number]]]:
        """Numbers by scope and format: those of cells, then means over cells."""
        pooled_only = self.definitions.pooled_only
        for name, cell in () if pooled_only else self.block.seen:
            scope = Scope(*cell, [cell])
            yield scope, name, self._of_cell(name, scope)
        for scope in self.block.scopes():
            means = {metric: mean_over(scope, score) for metric, score in self.scores.items()}
            for name in self.block.formats:
                yield scope, name, self._of_one(name, scope, means, MEANS)
            yield scope, OVERALL, self._of_all(scope, means)
            if pooled_only:
                return

    def _of_cell(self, name: str, cell: Scope) -> Iterator[Number]:
        (sums,) = self._observed(OVERALL, [name], cell)
        ranked = ["map_as_published"] if sums["has_map"][0] > 0 else []
        yield from self._of_one(name, cell, self.scores, (*MEANS, "est_true_strict", *ranked))
        few = "fewer than two replies follow the format"
        for mark, value in self.marks.items():
            yield Number(PAPER.metric(mark), value, why=few, within={"part": OVERALL})

    def _of_one(
        self, name: str, scope: Scope, values: Mapping[str, Function], metrics: Sequence[str]
    ) -> Iterator[Number]:
        """One format's scores in a cell, or their means over cells."""
        for metric in (*metrics, *self._published(OVERALL, [name], scope)):
            of = _followed(metric)
            yield Number(
                PAPER.metric(metric), values[metric], why=self._missing([name], scope, of),
                within={"part": OVERALL},
                shaped=partial(
                    _bounded,
                    is_mean=values is not self.scores,
                    rests_on=(of, scope) if metric.startswith("est_true") else None,
                ),
            )  # fmt: skip

    def _of_all(self, scope: Scope, means: Mapping[str, Function]) -> Iterator[Number]:
        """Means and variances over formats, on the items that were scored in every format."""
        formats, whole = [*self.block.formats], self.block.whole
        at = {"subset": scope.subset, "prompting": scope.prompting}
        levels = {level: value for level, value in at.items() if value != OVERALL}
        kept, seen = (self.observed.of(part=p, **levels).counts() for p in (whole, OVERALL))
        counts = replace(kept, n_dropped=seen.n_items - kept.n_items)
        number = partial(Number, within={"part": whole}, counts=lambda sums: counts)

        def by_format(sums: Sums) -> list[Sums]:
            return [sums.of(format=name) for name in formats]

        def over(made: Callable[[list[Floats]], Floats], score: Function) -> Function:
            return lambda sums: made([one.value(score) for one in sums.value(by_format)])

        shown = (*MEANS, *self._published(whole, formats, scope))
        for metric in shown:
            value = over(lambda each: np.asarray(np.mean(each, axis=0)), means[metric])
            why = self._missing(formats, scope, _followed(metric))
            shaped = partial(_bounded, is_mean=True)
            yield number(PAPER.metric(metric), value, why=why, shaped=shaped)
        total, known = known_over(scope, self.scores["est_true"])
        spreads = {s: (over(variance, means[m]), m) for s, m in SPREADS.items() if m in shown}
        of_known = over(variance_of_known, lambda sums: ratio(total(sums), known(sums)))
        spreads["bias_f_over_followed"] = of_known, "est_true"
        alone = f"only {formats[0]} was asked: there is nothing to compare it with"
        for spread, (value, metric) in spreads.items():
            few = self._missing(formats, scope, _followed(metric), "too few formats followed")
            why = few if len(formats) > 1 else lambda sums: alone
            varying = partial(_varying, formats, means[metric]) if spread in SPREADS else None
            yield number(PAPER.metric(spread), value, why=why, shaped=_banded, parts=varying)
        # What means over models vary by.
        parts = {metric: means[metric] for metric in SPREADS.values() if metric in shown}
        parts |= {"total": total, "known": known}
        for name in formats if self.definitions.over_models else ():
            within = {"part": whole, "format": name}
            for metric, value in parts.items():
                yield Number(Metric(f"_{metric}/{name}"), value, within=within)
        if not self.definitions.pooled_only:
            for metric, mark in self._marks_over(scope).items():
                yield number(PAPER.metric(metric), _constant(mark))

    def _marks_over(self, scope: Scope) -> dict[str, float]:
        """What the numbers over cells rest on: formats asked and followed, reliable cells."""
        seen = [(name, cell) for name, cell in self.block.seen if cell in scope.cells]
        parts = {at: self._observed(OVERALL, [at[0]], Scope(*at[1], [at[1]]))[0] for at in seen}
        reliable = [sums.value(self.marks["est_true_reliable"]) for sums in parts.values()]
        return {
            "n_formats": float(len({name for name, _ in seen})),
            "n_formats_followed": float(len({at[0] for at, s in parts.items() if followed(s)[0]})),
            "reliable_share": float(np.mean(reliable)),
        }

    def _observed(self, part: str, formats: Collection[str], scope: Scope) -> list[Sums]:
        """The observed sums of some formats in each cell of a scope."""
        each = (self.observed.of(part=part, format=name) for name in formats)
        return [cell for sums in each for cell in scope.parts(sums)]

    def _published(self, part: str, formats: Collection[str], scope: Scope) -> Sequence[str]:
        """What is shown as published: of rankings whose published reading is known in some cell."""
        ranked = (s for s in self._observed(part, formats, scope) if s["has_map"][0] > 0)
        known = any(not np.isnan(followed_as_published(sums)[0]) for sums in ranked)
        return AS_PUBLISHED if known else ()

    def _missing(
        self, formats: Sequence[str], scope: Scope, of: Function, otherwise: str = ""
    ) -> Callable[[Sums], str]:
        """Why a mean over these formats and cells is not defined."""

        def why(sums: Sums) -> str:
            found: dict[str, list[str]] = {what: [] for what in _WHY}
            for name in formats:
                parts = zip(scope.cells, scope.parts(sums.of(format=name)), strict=True)
                for cell, at in parts:
                    if not np.nan_to_num(at.value(of)[0]):
                        asked = (name, cell) in self.block.seen
                        what = _WHY[0 if not asked else 1 if not at["n"][0] else 2]
                        found[what].append(f"{name} in {' '.join(cell)}")
            told = [f"{what} {_named(places)}" for what, places in found.items() if places]
            return "; ".join(told) or otherwise

        return why


def _varying(formats: Sequence[str], mean: Function, sums: Sums) -> list[Rate]:
    """What varies over formats: its variance is tested by it."""
    each = [sums.of(format=name) for name in formats]
    return [Rate(one.value(mean), one.counts().n_units) for one in each]


def _constant(value: float) -> Function:
    return lambda sums: np.full(len(sums), value)


# Why there is no number, in this order.
_WHY = ("not asked:", "no item was scored in every format:", "no reply followed")


def _named(places: Sequence[str]) -> str:
    more = len(places) - _NAMED
    return f"{', '.join(places[:_NAMED])}{f' and {more} more' if more > 0 else ''}"


def _followed(metric: str) -> Function:
    """Which replies a score counts as following their format."""
    return followed_as_published if metric in AS_PUBLISHED else followed


def _bounded(
    found: Quantity,
    sums: Sums,
    *,
    is_mean: bool,
    rests_on: tuple[Function, Scope] | None = None,
) -> Quantity:
    """A rate or ratio of one cell, or a mean of such over cells.

    EstTrue has no largest value, because replies that miss the format may score. Where it is a
    share of the replies that followed, as mostly, its interval is one of such a share. It rests on
    the replies that followed; over cells, on what their mean is worth.
    """
    if is_mean and found.interval == "rate":
        found = replace(found, interval="composite")
    if math.isinf(found.bounds[1]) and not found.values[0] > 1:
        found = replace(found, bounds=(0.0, 1.0))
    if rests_on and found.counts:
        of, scope = rests_on
        worth = worth_of_mean(np.nan_to_num(cell.value(of)[0]) for cell in scope.parts(sums))
        n_units = min(found.counts.n_units, worth or found.counts.n_units)
        found = replace(found, counts=replace(found.counts, n_units=n_units))
    return found


def _banded(found: Quantity, _: Sums | None = None) -> Quantity:
    """A variance of scores; where nothing varied, it may be what scores at Wilson's bound have.

    Scores that lie anywhere within a band have at most the variance of half of them at each end.
    """
    n_units = found.counts.n_units if found.counts else 0
    band = wilson(0.0, n_units)[1] if n_units else 0.0
    (least, most), value = found.bounds, np.nan_to_num(found.values[0])
    return replace(found, bounds=(least, min(most, value + band * MOST_VARIANCE)))


def _of_means(found: Mapping[Key, Quantity]) -> dict[Key, Quantity]:
    """What means over models vary by over formats, as the paper has it."""
    parts: dict[Key, list[Floats]] = {}
    for (metric, *place), mean in found.items():
        if str(metric).startswith("_") and not mean.reason:
            parts.setdefault((str(metric).partition("/")[0], *place), []).append(mean.values)
    made = {}
    for (metric, *place), mean in found.items():
        if metric in SPREADS and not mean.reason:
            values = variance(parts[f"_{SPREADS[str(metric)]}", *place])
        elif metric == "bias_f_over_followed" and not mean.reason:
            total, known = (parts[name, *place] for name in ("_total", "_known"))
            values = variance_of_known([*map(ratio, total, known)])
        else:
            continue
        bounds = PAPER.metric(str(metric)).bounds
        made[metric, *place] = _banded(replace(mean, values=values, bounds=bounds))
    return made
