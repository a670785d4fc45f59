"""Format bias: how well formats are followed, and how far performance varies over them.

FI is the share of replies that follow their format, SysE the mean score of all replies, EstTrue
their ratio (Eq. 5), BiasF the variance of EstTrue over formats (Eq. 8). Rates are fractions;
BiasF and the variance of FI are in squared percentage points, as the paper prints them.
"""

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product

import numpy as np
import pandas as pd

from askew.papers.format_bias.paper import MOST_VARIANCE, PAPER, PLAIN, PROMPTINGS
from askew.schema import Metric
from askew.stats import tables
from askew.stats.clusters import permute_labels_within
from askew.stats.engine import Function, Items, Number, Sums, analysis
from askew.stats.intervals import Floats, t_quantile, wilson
from askew.stats.quantities import Rate, worth_of_mean

_LEVELS = ("subset", "category", *(factor.name for factor in PAPER.factors))
_ARM = tuple(PLAIN)
_CELL = ("category", "subset", "format", "prompting", *_ARM)
_SUMS = ("format_ok", "score", "ok_score", "ok_score_squared")
# Only rankings have these: what the authors' script makes of a reply.
_PUBLISHED = ("map_as_published", "format_ok_as_published")
_PUBLISHED_SUMS = ("map_as_published", "has_map", "format_ok_as_published", "n_published")
# What observations of another origin may leave out, and what that means.
_DEFAULTS: Mapping[str, str | int] = {"prompting": next(iter(PROMPTINGS)), **PLAIN, "epoch": 1}
# A variance of fractions in squared percentage points.
_POINTS = 100.0**2
# Means over cells, which the paper prints by format.
_MEANS = ("fi", "sys_e", "est_true")
_AS_PUBLISHED = ("fi_as_published", "est_true_as_published")
# What varies over formats: which means, and whether those that are not known are left out.
_SPREADS = {
    "bias_f": ("est_true", False), "fi_variance": ("fi", False),
    "bias_f_as_published": ("est_true_as_published", False),
    "bias_f_over_followed": ("est_true", True),
}  # fmt: skip

MARGIN = 0.05
CONFIDENCE = 0.95
# Differences below this are rounding.
_TINY = 1e-9


def est_true(systematic: float, format_following: float, *, zero_filled: bool = False) -> float:
    """Estimate the true score: the systematic score per reply that follows the format (Eq. 5).

    Args:
        systematic: SysE, in percent or as a fraction.
        format_following: FI, as a fraction.
        zero_filled: Return 0, as the paper does, if no reply follows the format.

    Returns:
        The estimate in the unit of SysE; nan if no reply follows the format.

    Example:
        >>> est_true(40.0, 0.8)
        50.0
    """
    if format_following > 1 or format_following < 0:
        raise ValueError(f"FI {format_following:g}: give a fraction from 0 to 1; 80% is 0.8")
    if not format_following > 0:
        return 0.0 if zero_filled and format_following == 0 else math.nan
    return systematic / format_following


def est_true_reliable(
    scores: Sequence[float], n_total: int, margin: float = MARGIN, level: float = CONFIDENCE
) -> bool:
    """Return whether EstTrue is within `margin` of the true score (Theorem 3.1).

    Args:
        scores: Scores from 0 to 1 of the replies that follow the format.
        n_total: Number of all replies.
        margin: Largest error allowed, as a fraction.
        level: Confidence; its complement (0.05 for 0.95) is accepted.

    Returns:
        Whether enough replies follow the format.

    Example:
        >>> est_true_reliable([1.0, 0.0], 100)
        False
    """
    k = len(scores)
    if k < 2:
        return False
    needed = fi_threshold(float(np.std(scores, ddof=1)), k, n_total, margin, level)
    return k / n_total >= needed


def fi_threshold(
    deviation: float, k: int, n_total: int, margin: float = MARGIN, level: float = CONFIDENCE
) -> float:
    """The FI from which on EstTrue is reliable (Eq. 6); 0 where all scores are the same.

    `deviation` is the sample standard deviation of the scores of `k` replies, of `n_total`, that
    follow the format.
    """
    if k < 2:
        return math.nan
    if deviation < _TINY:
        return 0.0
    t = t_quantile(level if level >= 0.5 else 1 - level, k - 1)
    return 1 / (1 + n_total * (margin / (t * deviation)) ** 2)


def bias_f(scores: Iterable[float]) -> float:
    """Compute BiasF: the population variance of scores over formats (Eq. 8).

    Args:
        scores: One score per format, in percent or as fractions.

    Returns:
        The variance, in the square of the scores' unit.

    Example:
        >>> bias_f([60, 70])
        25.0
    """
    values = np.asarray(list(scores), dtype=float)
    return float(np.var(values)) if values.size else math.nan


def format_bias(
    observations: pd.DataFrame, by: Sequence[str] = ("model",),
    interval: tables.Interval | None = tables.DEFAULT_INTERVAL, *, zero_filled: bool = False,
    margin: float = MARGIN, level: float = CONFIDENCE, pooled_only: bool = False,
    over_models: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """Compute format bias per cell, per format and per category of formats, for every arm.

    A cell is one paper task, format and prompting. Arms (`demos`, `repeat`) are never mixed. BiasF
    rests on items that were scored in every format; the other metrics on all rows of their cells.

    Args:
        observations: Rows with `category`, `format`, `prompting`, `demos`, `repeat`, `format_ok`
            and `score` besides the common columns.
        by: Columns to group by.
        interval: How to compute intervals; `None` for point values only.
        zero_filled: EstTrue is 0, as in the paper, if no reply follows a format.
        margin: Margin of Theorem 3.1.
        level: Confidence of Theorem 3.1.
        pooled_only: Leave out single subsets, promptings and the theorem's marks.
        over_models: Add rows of the model "all": unweighted means over models.

    Returns:
        One row per group, metric and level; `subset`, `format` and `prompting` are "all" in rows
        that average over them, without weights, as the paper does.
    """
    analyse = partial(
        analyse_rows, zero_filled=zero_filled, margin=margin, level=level, pooled_only=pooled_only,
        over_models=over_models,
    )  # fmt: skip
    mean = partial(tables.mean_over, made=_of_means) if over_models else None
    return tables.metric_table(prepare(observations), by, _LEVELS, analyse, interval, mean)


Cell = tuple[str, str]
"""A paper task and a prompting; in a scope, "all" where it averages over them."""
_EVERYWHERE: Cell = (tables.OVERALL, tables.OVERALL)


def analyse_rows(
    rows: pd.DataFrame, *, zero_filled: bool, pooled_only: bool, margin: float = MARGIN,
    level: float = CONFIDENCE, over_models: bool = False,
) -> tables.Analysis:  # fmt: skip
    """The sums behind prepared rows of one group, and the numbers that follow from them."""
    items, blocks = blocks_of(rows)
    scores = {metric: partial(_score, zero_filled, *of) for metric, of in _SCORES.items()}
    defined = scores, _marks(margin, level), pooled_only, over_models
    places: dict[tables.Key, Sequence[Number]] = {}
    for at, seen, whole in blocks:
        block = _Block(items.observed.of(**at), seen, whole, *defined)
        for (subset, prompting), name, numbers in block.places():
            levels = {**at, "subset": subset, "prompting": prompting, "format": name}
            places[tuple(levels[level] for level in _LEVELS)] = [*numbers]
    exchanges = {"format": partial(permute_labels_within, split=_by_format)}
    return analysis(items, _LEVELS, places, exchanges)


def _by_format(key: tables.Key) -> tuple[tables.Key, Hashable, tables.Key]:
    """A column's formats trade places within its category and arm."""
    part, category, subset, fmt, prompting, demos, repeat, name = key
    return (part, category, demos, repeat), fmt, (subset, prompting, name)


def prepare(observations: pd.DataFrame) -> pd.DataFrame:
    """The observations with what the sums need; they are left as they are."""
    rows = observations.copy(deep=False)
    for column, value in _DEFAULTS.items():
        given = rows.get(column, pd.Series(value, index=rows.index))
        rows[column] = given.fillna(value).astype(type(value))
    if "cluster" not in rows and "item" in rows:
        rows["cluster"] = rows["item"]
    if not len(rows):
        return rows
    rows["ok_score"] = rows["format_ok"].astype(float) * rows["score"].astype(float)
    rows["ok_score_squared"] = rows["ok_score"] * rows["score"].astype(float)
    return rows


# The levels of a category and arm, its formats with the cells in which they were asked, and the
# part of the rows that holds the items that were scored in every format.
_Asked = tuple[Mapping[str, Hashable], Collection[tuple[str, Cell]], str]


def blocks_of(rows: pd.DataFrame) -> tuple[Items, list[_Asked]]:
    """What is summed of prepared rows, and what was asked in each category and arm."""
    # Only what is read from here on: every part of a wide table is copied.
    by = [name for name in ("epoch", "run") if name in rows]
    arm = ["category", *_ARM]
    seen_in, asked_in = (
        rows.groupby(group, sort=False, dropna=False)["format"].transform("nunique")
        for group in ([*arm, "subset", "item", "prompting", *by], arm)
    )
    kept = [name for name in (*_SUMS, *_PUBLISHED) if name in rows]
    rows = rows[[*_CELL, "item", "cluster", *by, *kept]].assign(
        is_whole=seen_in == asked_in, part=tables.OVERALL,
        stratum=rows["subset"].map(_strata(rows)),
        # A block's name is a text: what has no category would look for its sums in vain.
        category=rows["category"].fillna("nan"),
    )  # fmt: skip
    parts, blocks = [rows], list[_Asked]()
    for levels, inside in rows.groupby(arm[1:] + arm[:1], sort=False):
        whole = tables.OVERALL if inside["is_whole"].all() else "whole"
        if whole != tables.OVERALL:
            parts.append(inside[inside["is_whole"]].assign(part=whole))
        cells = zip(inside["subset"], inside["prompting"], strict=True)
        seen = dict.fromkeys(zip(inside["format"], cells, strict=True))
        blocks.append((dict(zip(arm[1:] + arm[:1], levels, strict=True)), seen, whole))
    rows, sums = pd.concat(parts), [*_SUMS]
    if _PUBLISHED[0] in rows:
        rows, sums = _as_published(rows), [*_SUMS, *_PUBLISHED_SUMS]
    return Items(rows, ("part", *_CELL), sums, ("stratum",)), blocks


def _strata(rows: pd.DataFrame) -> dict[str, str]:
    """By subset the stratum in which its clusters are drawn: subsets that share a text are one."""
    of = {str(subset): str(subset) for subset in rows["subset"].unique()}
    texts = rows.loc[rows["cluster"] != rows["item"], ["cluster", "subset"]].drop_duplicates()
    for _, subsets in texts[texts.duplicated("cluster", keep=False)].groupby("cluster")["subset"]:
        joined = {of[subset] for subset in subsets}
        of = {subset: min(joined) if s in joined else s for subset, s in of.items()}
    return of


def _as_published(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with how the authors' script reads rankings; what is no ranking is read the same."""
    theirs, ok = (
        rows.get(name, pd.Series(math.nan, rows.index)).astype(float) for name in _PUBLISHED
    )
    has_map, cell = theirs.notna(), [rows[name] for name in ("part", *_CELL)]
    ranked = has_map.groupby(cell, dropna=False).transform("any")
    # A ranking without its published reading leaves its cell without one.
    known = (ok.notna() | ~ranked).groupby(cell, dropna=False).transform("all")
    return rows.assign(
        map_as_published=theirs.fillna(0.0).where(ranked, rows["score"].astype(float)),
        has_map=has_map.astype(float), n_published=known.astype(float),
        format_ok_as_published=ok.where(ranked, rows["format_ok"].astype(float)).where(known, 0.0),
    )  # fmt: skip


# --- scores as functions of the sums of a cell ---

# Of each score what is summed, by what it is divided, and without which it is of no reply at all.
_SCORES: Mapping[str, tuple[str, str, str]] = {
    "fi": ("format_ok", "n", "n"), "sys_e": ("score", "n", "n"),
    "est_true": ("score", "format_ok", "n"), "est_true_strict": ("ok_score", "format_ok", "n"),
    "map_as_published": ("map_as_published", "has_map", "has_map"),
    "fi_as_published": ("format_ok_as_published", "n_published", "n_published"),
    "est_true_as_published": ("map_as_published", "format_ok_as_published", "n_published"),
}  # fmt: skip


def _score(zero_filled: bool, hits: str, of: str, asked: str, cell: Sums) -> Floats:
    """A score of a cell; with `zero_filled` EstTrue is 0 where no reply follows the format."""
    is_zero = zero_filled & (cell[of] == 0) & (cell[asked] > 0)
    return np.where(is_zero, 0.0, cell.ratio(hits, of))


def _marks(margin: float, level: float) -> Mapping[str, Function]:
    """Theorem 3.1 for a cell, as it was observed: marks rather than estimates."""

    def needed(cell: Sums) -> Floats:
        n, k, total, squares = (
            float(cell[name][0]) for name in ("n", "format_ok", "ok_score", "ok_score_squared")
        )
        variance = max(0.0, squares - total**2 / max(k, 1)) / max(k - 1, 1)
        return np.array([fi_threshold(math.sqrt(variance), int(k), int(n), margin, level)])

    return {
        "est_true_reliable": lambda cell: (cell.value(needed) <= cell.ratio("format_ok")) * 1.0,
        "est_true_constant": lambda cell: (cell.value(needed) == 0) * 1.0,
        "fi_needed": needed,
    }


def _parts(sums: Sums, cells: Iterable[Cell]) -> list[Sums]:
    return [sums.of(subset=subset, prompting=prompting) for subset, prompting in cells]


def _over_cells(each: Floats, of_known: bool) -> tuple[Floats, Floats]:
    """By format and draw, the sum over cells (`of_known`: that are known), and how many are."""
    return (np.nansum if of_known else np.sum)(each, axis=1), (~np.isnan(each)).sum(axis=1) * 1.0


def _variance(totals: Floats, known: Floats, of_known: bool) -> Floats:
    """The variance over formats of their means (`of_known`: that are known), in squared points."""
    values = tables.ratio(totals, known)
    counted = np.ma.masked_invalid(values) if of_known else values
    spread = np.ma.filled(counted.var(axis=0), np.nan) * _POINTS
    return np.where((~np.isnan(values)).sum(axis=0) > 1, spread, np.nan)


# --- numbers ---


@dataclass(frozen=True, eq=False)
class _Block:
    """The numbers of one category in one arm; formats and cells in the order of appearance."""

    observed: Sums
    seen: Collection[tuple[str, Cell]]
    whole: str
    scores: Mapping[str, Function]
    marks: Mapping[str, Function]
    pooled_only: bool
    over_models: bool

    @cached_property
    def formats(self) -> list[str]:
        return list(dict.fromkeys(name for name, _ in self.seen))

    def cells(self, scope: Cell = _EVERYWHERE) -> list[Cell]:
        """The cells that a scope averages over."""
        s, p = scope
        inside = (cell for _, cell in self.seen if s in (tables.OVERALL, cell[0]))
        return list(dict.fromkeys(cell for cell in inside if p in (tables.OVERALL, cell[1])))

    def places(self) -> Iterator[tuple[Cell, str, list[Number]]]:
        """Numbers by scope and format: of cells, then means over all, a prompting, a paper task."""
        scopes = [_EVERYWHERE]
        if not self.pooled_only:
            few = "fewer than two replies follow the format"
            marks = [
                Number(PAPER.metric(mark), value, why=few, within={"part": tables.OVERALL})
                for mark, value in self.marks.items()
            ]
            for name, cell in self.seen:
                yield cell, name, [*self._rates([name], cell), *marks]
            subsets, ways = (dict.fromkeys(values) for values in zip(*self.cells(), strict=True))
            scopes += [(tables.OVERALL, p) for p in ways] + [(s, tables.OVERALL) for s in subsets]
        for scope in scopes:
            for name in self.formats:
                yield scope, name, [*self._rates([name], scope)]
            yield scope, tables.OVERALL, [*self._of_all(scope)]

    def _made(
        self, formats: Sequence[str], cells: Sequence[Cell], metric: str,
        made: Callable[[Floats], Floats],
    ) -> Function:  # fmt: skip
        """What is made of a score's values by format, cell and draw."""
        score = self.scores[metric]

        def value(sums: Sums) -> Floats:
            each = (_parts(sums.of(format=name), cells) for name in formats)
            return made(np.array([[cell.value(score) for cell in own] for own in each]))

        return value

    def _rates(
        self, formats: Sequence[str], scope: Cell, part: str = tables.OVERALL,
        counts: tables.Counts | None = None,
    ) -> Iterator[Number]:  # fmt: skip
        """Scores in a cell, or their means over cells and formats; `counts` of all formats."""
        is_mean, cells = tables.OVERALL in scope, self.cells(scope)
        ranked = [s for s in self._observed_sums(part, formats, scope) if s["has_map"][0] > 0]
        of_cell = ["est_true_strict", *["map_as_published"] * bool(ranked)]
        published = _AS_PUBLISHED if any(sums["n_published"][0] > 0 for sums in ranked) else ()
        for metric in (*_MEANS, *([] if is_mean else of_cell), *published):
            rests_on = () if counts or not metric.startswith("est_true") else cells
            yield Number(
                PAPER.metric(metric),
                self._made(formats, cells, metric, lambda of: of.mean(axis=1).mean(axis=0)),
                why=self._missing(formats, scope, metric), within={"part": part},
                counts=None if counts is None else lambda sums: counts,
                shaped=partial(_rate_estimate, metric, is_mean, rests_on),
            )  # fmt: skip

    def _of_all(self, scope: Cell) -> Iterator[Number]:
        """Means and variances over formats, on the items that were scored in every format."""
        formats, whole, cells = self.formats, self.whole, self.cells(scope)
        at = zip(("subset", "prompting"), scope, strict=True)
        levels = {level: value for level, value in at if value != tables.OVERALL}
        kept, seen = (self.observed.of(part=p, **levels).counts() for p in (whole, tables.OVERALL))
        counts = replace(kept, n_dropped=seen.n_asked - kept.n_asked, n_asked=seen.n_asked)
        rates = {number.name: number for number in self._rates(formats, scope, whole, counts)}
        yield from rates.values()
        number = partial(Number, within={"part": whole}, counts=lambda sums: counts)
        alone = f"only {formats[0]} was asked: there is nothing to compare it with"
        for spread, (metric, of_known) in _SPREADS.items():
            if metric not in rates:
                continue
            few = self._missing(formats, scope, metric, "too few formats followed")
            varied = partial(lambda of, each: _variance(*_over_cells(each, of), of), of_known)
            yield number(
                PAPER.metric(spread), self._made(formats, cells, metric, varied),
                why=few if len(formats) > 1 else alone, shaped=_variance_estimate,
                parts=None if of_known else partial(self._varying, cells, metric),
            )  # fmt: skip
            # What means over models vary by.
            for name, i in product(formats if self.over_models else (), range(2)):
                part = partial(lambda i, of, each: _over_cells(each, of)[i][0], i, of_known)
                value = self._made([name], cells, metric, part)
                within = {"part": whole, "format": name}
                yield Number(Metric(f"_{spread}/{i}/{name}"), value, within=within)
        for metric, mark in {} if self.pooled_only else self._marks_over(scope):
            constant = partial(lambda value, sums: np.full(len(sums), value), mark)
            yield number(PAPER.metric(metric), constant)

    def _varying(self, cells: Sequence[Cell], metric: str, sums: Sums) -> list[Rate]:
        """What varies over formats: its variance is tested by it."""
        each = self._made(self.formats, cells, metric, lambda of: of.mean(axis=1))(sums)
        n_clusters = [sums.of(format=name).counts().n_clusters for name in self.formats]
        return [*map(Rate, each, n_clusters)]

    def _marks_over(self, scope: Cell) -> Iterator[tuple[str, float]]:
        """What the numbers over cells rest on: formats asked and followed, reliable cells."""
        cells, of = self.cells(scope), partial(self._observed_sums, tables.OVERALL)
        asked = {(name, cell): of([name], cell)[0] for name, cell in self.seen if cell in cells}
        followed = {name for (name, _), sums in asked.items() if sums["format_ok"][0]}
        reliable = [sums.value(self.marks["est_true_reliable"]) for sums in asked.values()]
        yield "n_formats", float(len({name for name, _ in asked}))
        yield "n_formats_followed", float(len(followed))
        yield "reliable_share", float(np.mean(reliable))

    def _observed_sums(self, part: str, formats: Collection[str], scope: Cell) -> list[Sums]:
        """The observed sums of some formats in each cell of a scope."""
        each = (self.observed.of(part=part, format=name) for name in formats)
        return [cell for sums in each for cell in _parts(sums, self.cells(scope))]

    def _missing(
        self, formats: Sequence[str], scope: Cell, metric: str, otherwise: str = ""
    ) -> Callable[[Sums], str]:
        """Why a mean over these formats and cells is not defined."""

        def why(sums: Sums) -> str:
            found: dict[str, list[str]] = {what: [] for what in _WHY}
            for name, cell in product(formats, self.cells(scope)):
                (at,) = _parts(sums.of(format=name), [cell])
                if not at[_SCORES[metric][1]][0]:
                    seen = (name, cell) in self.seen
                    what = _WHY[0 if not seen else 1 if not at["n"][0] else 2]
                    found[what].append(f"{name} in {' '.join(cell)}")
            texts = [f"{what} {_name(places)}" for what, places in found.items() if places]
            return "; ".join(texts) or otherwise

        return why


# Why there is no number, in this order; of how many places it names the others are counted.
_NAMED = 4
_WHY = ("not asked:", "no item was scored in every format:", "no reply followed")


def _name(places: Sequence[str]) -> str:
    more = len(places) - _NAMED
    return f"{', '.join(places[:_NAMED])}{f' and {more} more' if more > 0 else ''}"


def _rate_estimate(
    metric: str, is_mean: bool, rests_on: Sequence[Cell], found: tables.Quantity, sums: Sums
) -> tables.Quantity:
    """A rate or ratio of one cell, or a mean of such over cells.

    EstTrue has no largest value, because replies that miss the format may score. Where it is a
    share of the replies that followed, as mostly, its interval is one of such a share. It rests on
    the replies that followed; over cells, on what their mean is worth.
    """
    if is_mean and found.interval == "rate":
        found = replace(found, interval="composite")
    if math.isinf(found.bounds[1]) and not found.values[0] > 1:
        found = replace(found, bounds=(0.0, 1.0))
    if rests_on:
        worth = worth_of_mean(cell[_SCORES[metric][1]][0] for cell in _parts(sums, rests_on))
        n_clusters = min(found.counts.n_clusters, worth or found.counts.n_clusters)
        found = replace(found, counts=replace(found.counts, n_clusters=n_clusters))
    return found


def _variance_estimate(found: tables.Quantity, _: Sums | None = None) -> tables.Quantity:
    """A variance of scores; where nothing varied, it may be what scores at Wilson's bound have.

    Scores that lie anywhere within a band have at most the variance of half of them at each end.
    """
    n_clusters = found.counts.n_clusters
    band = wilson(0.0, n_clusters)[1] if n_clusters else 0.0
    (least, most), value = found.bounds, np.nan_to_num(found.values[0])
    return replace(found, bounds=(least, min(most, value + band * MOST_VARIANCE)))


def _of_means(found: Mapping[tables.Key, tables.Quantity]) -> dict[tables.Key, tables.Quantity]:
    """What means over models vary by over formats, as the paper has it."""
    parts: dict[tables.Key, tuple[list[Floats], list[Floats]]] = {}
    for (metric, *place), mean in found.items():
        if str(metric).startswith("_") and not mean.reason:
            spread, i, _ = str(metric)[1:].split("/", 2)
            parts.setdefault((spread, *place), ([], []))[int(i)].append(mean.values)
    made = {}
    for key, (totals, known) in parts.items():
        if key in found and not found[key].reason:
            values = _variance(np.array(totals), np.array(known), _SPREADS[str(key[0])][1])
            bounds = PAPER.metric(str(key[0])).bounds
            made[key] = _variance_estimate(replace(found[key], values=values, bounds=bounds))
    return made
