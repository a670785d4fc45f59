"""Binary QA's numbers as functions of sums over items (Sections 2.3 and 2.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from askew.papers.binary_qa.score import (
    CORE,
    DELTAS,
    STABILITY,
    largest_stdev,
    normalized,
    normalized_stdev,
    stability_weight,
)
from askew.statistics.intervals import Floats
from askew.statistics.tables import Counts, Key, Quantity, Rate, Totals, ratio

ALL = "all"
LABELS = ("Yes", "No")
FORMS = (
    "original",
    "synonym",
    "hedged",
    "contradictory",
    "false_framing",
    "swapped_options",
    "repeat_2",
    "repeat_3",
)
# The forms that a consistency metric compares with the original.
COMPARED: Mapping[str, tuple[str, ...]] = {
    "prc": ("synonym", "hedged"),
    "nrc": ("contradictory", "false_framing"),
    "arc": ("swapped_options",),
    "sc": ("repeat_2", "repeat_3"),
}
_WHY_UNDEFINED: Mapping[str, str] = {
    "delta_recall": "the right answers are all Yes or all No",
    "delta_precision": "Yes or No was never the answer",
}
_ONE_DOMAIN = "one domain only: no spread over domains to measure"


@dataclass(frozen=True)
class Asked:
    """What was asked, and on how many items each number rests, by metric and domain."""

    subsets: Sequence[str]
    forms: frozenset[str]
    counts: Mapping[Key, Counts]
    weights: Mapping[str, float]
    undefined: frozenset[str] = frozenset()
    """Metrics without a value in some domain: they have no spread over domains."""


def undefined_somewhere(point: Totals, subsets: Sequence[str]) -> frozenset[str]:
    """Core metrics that some domain has no value of."""
    values = [_core_values(point, (s,)) for s in subsets]
    return frozenset(m for m in CORE if any(np.isnan(v[m][0]) for v in values))


def quantities(totals: Totals, asked: Asked) -> dict[Key, Quantity]:
    """Every metric of every domain and over all, as functions of the sums."""
    found: dict[Key, Quantity] = {}
    core: dict[str, dict[str, Floats]] = {}
    for subset in (*asked.subsets, ALL):
        inside = asked.subsets if subset == ALL else (subset,)
        values = _core_values(totals, inside)
        core[subset] = {m: values[m] for m in CORE}
        for metric, value in values.items():
            found[metric, subset] = Quantity(
                value,
                is_rate=metric not in _COMPOSITES,
                bounds=(-1.0, 1.0) if metric in DELTAS else (0.0, 1.0),
                reason=_why_undefined(metric, asked),
                counts=asked.counts.get((metric, subset)),
                difference_of=_rates(metric, totals, inside, asked, subset),
            )
        found["mbs_core", subset] = _score(core[subset], {}, asked, subset)
    spreads = _spreads(core, asked)
    found |= spreads
    stdevs = {m: spreads[f"stdev_{m}", ALL].values for m in CORE}
    found["mbs", ALL] = _score(core[ALL], stdevs, asked, ALL)
    return {key: found[key] for key in _in_order(found, asked.subsets)}


_COMPOSITES = ("f1", *DELTAS)


def _core_values(totals: Totals, subsets: Sequence[str]) -> dict[str, Floats]:
    """The metrics over the items of these domains together."""

    def total(name: str) -> Floats:
        return np.sum([totals[s, name] for s in subsets], axis=0)  # type: ignore[no-any-return]

    n_items = total("is Yes") + total("is No")
    f1 = np.zeros(len(totals))
    for label in LABELS:
        hits, of_label, said = total(f"hit {label}"), total(f"is {label}"), total(f"said {label}")
        # A label that no item has weighs nothing, so its undefined F1 must not count.
        f1 += np.nan_to_num(ratio(2 * hits, of_label + said)) * np.nan_to_num(
            ratio(of_label, n_items)
        )
    values = {
        "f1": np.where(n_items > 0, f1, np.nan),
    }
    for metric in DELTAS:
        of_no, of_yes = (_rate_of(metric, label, totals, subsets) for label in ("No", "Yes"))
        values[metric] = of_no - of_yes
    values |= {m: ratio(total(f"{m} hit"), total(f"{m} asked")) for m in COMPARED}
    values["said_no"] = ratio(total("said No"), n_items)
    values["no_answer"] = ratio(total("without answer"), total("replies"))
    return values


# What a difference compares between No and Yes: the share of hits in each of these.
_SHARE_OF: Mapping[str, str] = {"delta_recall": "is", "delta_precision": "said"}


def _rate_of(metric: str, label: str, totals: Totals, subsets: Sequence[str]) -> Floats:
    """Recall or precision of a label over the items of these domains together."""
    hits, of = (
        np.sum([totals[s, f"{name} {label}"] for s in subsets], axis=0)
        for name in ("hit", _SHARE_OF[metric])
    )
    return ratio(hits, of)


def _rates(
    metric: str, totals: Totals, subsets: Sequence[str], asked: Asked, place: str
) -> tuple[Rate, Rate] | None:
    """The two rates, of No and of Yes, that a difference is made of."""
    if metric not in DELTAS:
        return None
    of_no, of_yes = (
        Rate(
            _rate_of(metric, label, totals, subsets),
            asked.counts.get((f"{_SHARE_OF[metric]} {label}", place), Counts(0)).n_units,
        )
        for label in ("No", "Yes")
    )
    return of_no, of_yes


def _spreads(core: Mapping[str, Mapping[str, Floats]], asked: Asked) -> dict[Key, Quantity]:
    """Population standard deviations over domains; nan where a domain's value is.

    A resample of few items may draw only one label in a domain: it tells of the spread over the
    others. Discarding it would leave small runs without an interval.
    """
    spreads: dict[Key, Quantity] = {}
    for metric in CORE:
        by_domain = np.stack([core[s][metric] for s in asked.subsets])
        one = len(asked.subsets) < 2
        why = _ONE_DOMAIN if one else _why_undefined(metric, asked, "in some domain")
        spreads[f"stdev_{metric}", ALL] = Quantity(
            np.full(by_domain.shape[1], np.nan)
            if one or metric in asked.undefined
            else _spread_of_known(by_domain),
            bounds=(0.0, largest_stdev(metric)),
            reason=why,
            counts=asked.counts.get((metric, ALL)),
            spread=True,
        )
    return spreads


def _spread_of_known(by_domain: Floats) -> Floats:
    """Standard deviation over the domains that have a value; nan with fewer than two."""
    known = ~np.isnan(by_domain)
    n_known = known.sum(axis=0)
    values = np.where(known, by_domain, 0.0)
    mean = values.sum(axis=0) / np.maximum(n_known, 1)
    squares = np.where(known, (by_domain - mean) ** 2, 0.0).sum(axis=0)
    return np.where(n_known > 1, np.sqrt(squares / np.maximum(n_known, 1)), np.nan)


def _score(
    core: Mapping[str, Floats], stdevs: Mapping[str, Floats], asked: Asked, subset: str
) -> Quantity:
    """MBS, or without spreads its core rescaled to the same range."""
    points = np.sum([w * normalized(m, core[m]) for m, w in asked.weights.items()], axis=0)
    for metric, stdev in stdevs.items():
        weight = stability_weight(asked.weights[metric])
        points = points + weight * normalized_stdev(metric, stdev)
    undefined = [m for m in CORE if np.isnan(core[m][0])]
    reason = f"undefined: {', '.join(undefined)}" if undefined else ""
    if stdevs and len(asked.subsets) < 2:
        reason = f"{_ONE_DOMAIN}; see mbs_core"
    elif stdevs and not undefined:
        spreads = [f"stdev_{m}" for m in CORE if np.isnan(stdevs[m][0])]
        reason = f"undefined: {', '.join(spreads)}"
    return Quantity(
        points if stdevs else points / (1 - STABILITY),
        bounds=(0.0, 100.0),
        reason=reason,
        counts=asked.counts.get(("mbs", subset)),
        reflect=True,
    )


def _why_undefined(metric: str, asked: Asked, where: str = "") -> str:
    forms = ("original", *COMPARED.get(metric, ()))
    missing = [f for f in forms if f not in asked.forms]
    if missing:
        return f"not asked: {', '.join(missing)}"
    why = _WHY_UNDEFINED.get(metric, "no item was asked in every form it needs")
    return f"{why} {where}".strip()


def _in_order(found: Mapping[Key, Quantity], subsets: Sequence[str]) -> Iterator[Key]:
    """All of the overall rows first, MBS in front, then domain by domain."""
    for subset in (ALL, *subsets):
        names = [str(metric) for metric, place in found if place == subset]
        yield from ((n, subset) for n in sorted(names, key=lambda n: (n[:3] != "mbs", n != "mbs")))
