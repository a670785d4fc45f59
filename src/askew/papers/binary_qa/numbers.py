"""Binary QA: performance, bias, consistency, their spread over domains, and MBS (Section 2).

What is measured is declared in `paper.py`; here answers become sums over items, and sums become
the declared numbers.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from askew.papers.binary_qa.paper import (
    CORE,
    CORE_METRICS,
    FORMS,
    LABELS,
    MEASURED,
    OPPOSITE,
    ORIGINAL,
    PAPER,
    SPREADS,
    ComputedMetric,
    Share,
)
from askew.schema import Metric
from askew.stats import tables
from askew.stats.clusters import NoEffect, permute_groups
from askew.stats.engine import Items, Number, Sums, analysis, missing_value
from askew.stats.intervals import LEVEL, Floats, percentile_interval
from askew.stats.quantities import Rate

if TYPE_CHECKING:
    from askew.report.evidence import Evidence

Codes = npt.NDArray[np.int8]
_ONE_DOMAIN = "one domain only: no spread over domains to measure"
_NOT_ASKED, _NO_ANSWER = -1, 0
_CODES: Mapping[str, int] = {label: code for code, label in enumerate(LABELS, start=1)}
# What each code means where a form flips the answer; the last is of what was not asked.
_TURNED = np.array([_NO_ANSWER, *(_CODES[OPPOSITE[label]] for label in LABELS), _NOT_ASKED])
SUMS = [*dict.fromkeys(n for m in MEASURED for s in m.shares for n in (*s.hits, *s.of))]


def binary_qa(
    observations: pd.DataFrame,
    by: Sequence[str] = ("model",),
    interval: tables.Interval | None = tables.DEFAULT_INTERVAL,
    weights: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Compute Binary QA's metrics per domain (`subset`) and over all items (`subset` = "all").

    A consistency metric counts the items that were asked in every form it compares; a reply without
    an answer is inconsistent. `mbs` and the spreads `stdev_...` exist for "all" only.

    Args:
        observations: Rows with `form`, `truth` and `answer` besides the common columns.
        by: Columns to group by.
        interval: How to compute intervals; `None` for point values only.
        weights: Weights of MBS; the paper's by default.

    Returns:
        One row per group, metric and domain.
    """
    analyse = partial(analyse_rows, weights=checked_weights(weights))
    return tables.metric_table(observations, by, ("subset",), analyse, interval)


def item_counts(truth: npt.NDArray[np.str_], codes: Codes) -> dict[str, Floats]:
    """What the metrics are sums of: by name, how much each item counts, mostly 0 or 1.

    Every metric has the items that were asked in all of its forms ("asked"), one over several forms
    those answered alike, or the other way round where a form flips ("hit").

    Codes are a row an item, a column a form: of `_CODES`, 0 without an answer, -1 where it was not
    asked.
    """
    by_form = dict(zip(FORMS, codes.T, strict=True))
    original, has_truth = by_form[ORIGINAL], np.isin(truth, LABELS)
    found: dict[str, npt.NDArray[np.generic]] = {}
    for label, code in _CODES.items():
        found[f"is {label}"] = (truth == label) & (original != _NOT_ASKED)
        found[f"said {label}"] = (original == code) & has_truth
        found[f"hit {label}"] = (original == code) & (truth == label)
    for metric in MEASURED:
        given = [_TURNED[by_form[f]] if FORMS[f].flips else by_form[f] for f in metric.forms]
        found[f"{metric.name} asked"] = np.all([s != _NOT_ASKED for s in (*given, 0 * original)], 0)
        if len(given) > 1:
            alike = np.all([s == given[0] for s in given], axis=0)
            found[f"{metric.name} hit"] = alike & (given[0] > _NO_ANSWER)
    found["replies"] = (codes != _NOT_ASKED).sum(axis=1)
    found["without answer"] = (codes == _NO_ANSWER).sum(axis=1)
    return {name: values.astype(float) for name, values in found.items()}


def _answers_of(rows: pd.DataFrame) -> tuple[pd.DataFrame, Codes]:
    """Items in each epoch, and how they were answered."""
    keys = [c for c in ("subset", "item", "epoch", "run") if c in rows]
    number = rows.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
    first = np.unique(number, return_index=True)[1]
    groups = rows.iloc[first][[*keys, "cluster", "truth"]].reset_index(drop=True)
    answers = rows["answer"].map(_CODES).fillna(_NO_ANSWER).to_numpy(np.int8)
    form = pd.Index([*FORMS]).get_indexer(pd.Index(rows["form"]))
    codes = np.full((len(groups), len(FORMS)), _NOT_ASKED, dtype=np.int8)
    known = form >= 0
    codes[number[known], form[known]] = answers[known]
    return groups, codes


def analyse_rows(rows: pd.DataFrame, weights: Mapping[str, float]) -> tables.Analysis:
    groups, codes = _answers_of(rows)
    sums = item_counts(groups["truth"].to_numpy(str), codes)
    # The composites rest on whole items, a metric on those that were asked in all of its forms.
    whole = np.all([sums[f"{metric} asked"] for metric in CORE], axis=0)
    items = Items(groups.assign(**sums, whole=whole), ("subset",), SUMS)
    asked = {f for f, said in zip(FORMS, codes.T, strict=True) if (said != _NOT_ASKED).any()}
    measured = {m.name: _estimate(m, [f for f in m.forms if f not in asked]) for m in MEASURED}
    core = {m: measured[m] for m in CORE}
    spreads = {m: _spread(number) for m, number in core.items()}
    everywhere = [_score("mbs_core", core, {}, weights), *measured.values()]
    overall = [_score("mbs", core, spreads, weights), *everywhere, *spreads.values()]
    places: dict[tables.Key, Sequence[Number]] = {(tables.OVERALL,): overall}
    places |= {(subset,): everywhere for subset in dict.fromkeys(groups["subset"])}

    def recombined(
        found: Mapping[tables.Key, NoEffect], point: tables.Totals
    ) -> dict[tables.Key, float]:
        """MBS of the same answers, with the noise of its spreads taken off."""
        if (mbs := ("mbs", tables.OVERALL)) not in found:
            return {}
        values = {m: number.of(Sums(items, point)) for m, number in core.items()}
        spread = {m: found[SPREADS[m].name, tables.OVERALL].value_debiased for m in CORE}
        clean = {m: np.array([value]) for m, value in spread.items()}
        return {mbs: float(np.sum([*points_of(values, clean, weights).values()]))}

    # Items trade their domains.
    traded = partial(permute_groups, split=lambda key: ((), key[0], key[1:]))
    found = analysis(items, ("subset",), places, {"domain": traded})
    return replace(found, table=items.table.in_fixed_order(), recombined=recombined)


def _estimate(metric: ComputedMetric, missing: Sequence[str]) -> Number:
    """A declared metric; a difference has its two rates, which rest on different items."""

    def rates(sums: Sums) -> list[Rate]:
        return [Rate(_rate(s, sums), sums.counts(s.of[0]).n_clusters) for s in metric.shares]

    return Number(
        metric,
        lambda sums: metric.made(*(_rate(s, sums) for s in metric.shares)),
        f"{metric.name} asked",
        why=f"not asked: {', '.join(missing)}" if missing else metric.undefined,
        parts=rates if metric.interval == "difference" else None,
    )


def _rate(share: Share, sums: Sums) -> Floats:
    hits, of = (np.sum([sums[name] for name in names], axis=0) for names in (share.hits, share.of))
    return np.where(of == 0, share.empty, tables.ratio(hits, of))


def _spread(number: Number) -> Number:
    """Population standard deviation over domains; nan where a domain's value is.

    A resample of few items may draw only one label in a domain: it tells of the spread over the
    others. Discarding it would leave small runs without an interval.
    """

    def value(sums: Sums) -> Floats:
        drawn = np.stack([number.of(domain) for domain in sums.each("subset")])
        observed = [number.of(domain) for domain in sums.items.observed.each("subset")]
        if len(drawn) < 2 or np.isnan(observed).any():
            return missing_value(sums)
        deviation = pd.DataFrame(drawn).std(ddof=0).to_numpy()
        return np.where((~np.isnan(drawn)).sum(axis=0) > 1, deviation, np.nan)

    def why(sums: Sums) -> str:
        where = "" if str(number.why).startswith("not asked") else " in some domain"
        return f"{number.why}{where}" if len([*sums.each("subset")]) > 1 else _ONE_DOMAIN

    return Number(SPREADS[number.name], value, number.used, why=why)


def _score(
    name: str,
    core: Mapping[str, Number],
    spreads: Mapping[str, Number],
    weights: Mapping[str, float],
) -> Number:
    """MBS, or without spreads its core rescaled to the same range."""

    def value(sums: Sums) -> Floats:
        values, stdevs = ({m: n.of(sums) for m, n in of.items()} for of in (core, spreads))
        points = [*points_of(values, stdevs, weights).values()]
        return np.asarray(np.sum(points, axis=0) / (1 if spreads else 1 - STABILITY))

    def why(sums: Sums) -> str:
        if spreads and len([*sums.each("subset")]) < 2:
            return f"{_ONE_DOMAIN}; see mbs_core"
        none = ([n.name for n in of.values() if np.isnan(n.of(sums)[0])] for of in (core, spreads))
        return f"undefined: {', '.join(next(filter(None, none), ()))}"

    return Number(PAPER.metric(name), value, "whole", why=why)


# What all spreads together weigh; each has the share of its core metric.
STABILITY = 0.1
WEIGHTS: Mapping[str, float] = {name: metric.weight for name, metric in CORE_METRICS.items()}


class WeightsWarning(UserWarning):
    """Weights were rescaled to add up to what the core metrics weigh."""


def model_binary_score(
    core: Mapping[str, float],
    stdevs: Mapping[str, float],
    weights: Mapping[str, float] | None = None,
) -> float:
    """Compute MBS, from 0 to 100.

    Args:
        core: The seven metrics over all items, as fractions, keyed f1, delta_recall,
            delta_precision, prc, nrc, arc, sc.
        stdevs: Population standard deviations of the same metrics over domains.
        weights: Weights of the core metrics, the paper's by default; see `checked_weights`.

    Returns:
        The score; nan if a part of it is nan.

    Example:
        >>> names = ("f1", "prc", "nrc", "arc", "sc")
        >>> core = dict.fromkeys(names, 1.0) | {"delta_recall": 0.0, "delta_precision": 0.0}
        >>> model_binary_score(core, dict.fromkeys(core, 0.0))
        100.0
    """
    return math.fsum(model_binary_parts(core, stdevs, weights).values())


def model_binary_parts(
    core: Mapping[str, float],
    stdevs: Mapping[str, float],
    weights: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Compute what each metric and each spread (`stdev_...`) adds to MBS.

    Args:
        core: As in `model_binary_score`.
        stdevs: As in `model_binary_score`.
        weights: Weights of the core metrics; the paper's by default.

    Returns:
        Points by name; their sum is MBS.
    """
    shares = _core_values("core", core, CORE_METRICS)
    spreads = _core_values("stdevs", stdevs, SPREADS)
    points = points_of(shares, spreads, checked_weights(weights))
    return {name: float(value) for name, value in points.items()}


def model_binary_core(core: Mapping[str, float]) -> float:
    """Compute MBS without the spread over domains, rescaled to 0 to 100.

    Args:
        core: The seven metrics over all items, as in `model_binary_score`.

    Returns:
        The score from 0 to 100.
    """
    points = points_of(_core_values("core", core, CORE_METRICS), {}, checked_weights(None))
    return math.fsum(map(float, points.values())) / (1 - STABILITY)


def checked_weights(weights: Mapping[str, float] | None) -> dict[str, float]:
    """Weights of the core metrics (default the paper's) that add up to 0.9, or are rescaled."""
    values = _core_values("weights", WEIGHTS if weights is None else weights)
    given = {metric: float(weight) for metric, weight in values.items()}
    bad = ", ".join(f"{m}={w}" for m, w in given.items() if not (math.isfinite(w) and w >= 0))
    total = math.fsum(given.values())
    if bad or not total > 0:
        what = bad or "all are 0"
        raise ValueError(f"weights: {what}; give finite numbers, none negative, not all 0")
    if abs(total - (1 - STABILITY)) > 1e-9:
        text = f"weights add up to {total:g}, not to {1 - STABILITY:g}: they were rescaled"
        warnings.warn(text, WeightsWarning, stacklevel=3)
    return {m: w * (1 - STABILITY) / total for m, w in given.items()}


def points_of(
    core: Mapping[str, Floats], stdevs: Mapping[str, Floats], weights: Mapping[str, float]
) -> dict[str, Floats]:
    """What each metric and, where there are any, each spread adds to MBS; weights were checked."""
    points = {}
    for m, weight in weights.items():
        nears_zero = CORE_METRICS[m].better == "nearer zero"
        points[m] = weight * (100 * (1 - np.abs(core[m]) if nears_zero else core[m]))
    for m, stdev in stdevs.items():
        # The weight of a metric's spread is in proportion to that of the metric.
        weight = STABILITY * weights[m] / (1 - STABILITY)
        points[SPREADS[m].name] = weight * (100 * (1 - stdev / SPREADS[m].bounds[1]))
    return points


def _core_values(
    name: str, given: Mapping[str, float], declared: Mapping[str, Metric] | None = None
) -> dict[str, Floats]:
    """The values of all core metrics in their order; refused where one is missing or can't be."""
    if set(given) != set(CORE):
        odd = ", ".join(sorted(set(given) ^ set(CORE)))
        raise ValueError(f"{name}: give one for each of {', '.join(CORE)}; wrong: {odd}")
    values = {metric: float(given[metric]) for metric in CORE}
    for metric, of in (declared or {}).items():
        (least, most), value = of.bounds, values[metric]
        if not (math.isnan(value) or least <= value <= most):
            raise ValueError(
                f"{name}: {metric}={value} lies outside {least:g} to {most:g}; give fractions, "
                "not percent"
            )
    return {metric: np.asarray(value) for metric, value in values.items()}


# --- whoever flips a coin ---

# Guessers are drawn in blocks so that memory stays flat however many items there are.
_BLOCK_ANSWERS = 4_000_000


def random_guesser(observations: pd.DataFrame, draws: int = 1_000, seed: int = 0) -> pd.DataFrame:
    """Compute Binary QA's metrics of guessing Yes and No with equal chance.

    Args:
        observations: Rows that say which items there are; the model does not matter.
        draws: Number of guessers.
        seed: Equal seeds give equal rows.

    Returns:
        Rows as those of `binary_qa`: `value` is the mean over guessers, `low` and `high` contain
        95% of them.
    """
    if draws < 1:
        raise ValueError(f"draws={draws}: draw at least one guesser")
    items = observations.drop_duplicates(["subset", "item"])[["subset", "item", "cluster", "truth"]]
    cells = items.merge(pd.DataFrame({"form": [*FORMS]}), how="cross")
    made = analyse_rows(cells.assign(answer=cells["truth"]), checked_weights(None))
    guessed = made.statistic(_guesses(items, draws, seed))
    rows = []
    for (metric, subset), right in made.observed.items():
        values = guessed[metric, subset].values
        # A guesser that happens to give one answer only has no precision; the others stand.
        defined, counts = values[~np.isnan(values)], right.counts
        low, high = percentile_interval(values, LEVEL)
        rows.append({
            "metric": metric, "subset": subset,
            "value": float(defined.mean()) if defined.size else math.nan, "low": low, "high": high,
            "n_items": counts.n_items, "n_clusters": counts.n_clusters, "n_dropped": 0,
            "dropped_of": counts.dropped_of, "reason": "" if defined.size else right.reason,
        })  # fmt: skip
    return pd.DataFrame(rows)


def extend_evidence(evidence: "Evidence") -> "Evidence":
    """The chapter's evidence with the numbers of random guessers over the same questions."""
    guessed = random_guesser(evidence.observations).assign(model="Random guesser")
    return replace(evidence, rows=pd.concat([evidence.rows, guessed], ignore_index=True))


def _guesses(items: pd.DataFrame, draws: int, seed: int) -> tables.Totals:
    """The sums that each guesser gets: one row a guesser, a block of columns a domain."""
    rng = np.random.default_rng(seed)
    sums: dict[tables.Key, Floats] = {}
    for subset, truth in items.groupby("subset", sort=False)["truth"]:
        step = max(1, _BLOCK_ANSWERS // (len(truth) * len(FORMS)))
        blocks = []
        for n in (min(step, draws - start) for start in range(0, draws, step)):
            shape = (n * len(truth), len(FORMS))
            codes = rng.integers(1, len(LABELS) + 1, size=shape, dtype=np.int8)
            guesses = item_counts(np.tile(truth.to_numpy(str), n), codes)
            blocks.append([guesses[k].reshape(n, -1).sum(axis=1) for k in SUMS])
        found = zip(SUMS, np.concatenate(blocks, axis=1), strict=True)
        sums |= {(subset, name): values for name, values in found}
    columns = {key: i for i, key in enumerate(sums)}
    return tables.Totals(np.stack(list(sums.values()), axis=1), columns)
