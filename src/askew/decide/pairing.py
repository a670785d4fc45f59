"""Two models side by side: on which samples, with what left out, and the verdict in plain words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

import pandas as pd

from askew.report.accounting import runs
from askew.schema import Metric
from askew.untrusted import one_line

BETTER, WORSE = "better", "worse"
HIGHER, LOWER = "higher", "lower"
NO_DIFFERENCE = "no difference shown"
TOO_FEW = "too few items to tell"
NOT_COMPARABLE = "can't be compared"
VERDICTS: Mapping[str, str] = {
    BETTER: "the corrected p-value is below the limit, and the difference goes the right way",
    WORSE: "the corrected p-value is below the limit, and the difference goes the wrong way",
    HIGHER: "as above, for a metric that only describes: no way is the right one",
    LOWER: "as above, for a metric that only describes: no way is the right one",
    NO_DIFFERENCE: "a difference that matters would have shown: the interval is narrow enough",
    TOO_FEW: "the interval is too wide to show a difference that matters",
    NOT_COMPARABLE: "the number is not defined for both models; the reason stands beside it",
}


def labels(observations: pd.DataFrame) -> list[str]:
    """Labels of the models that have observations."""
    return list(dict.fromkeys(map(str, observations["model"]))) if len(observations) else []


def label_of(observations: pd.DataFrame, name: str) -> str:
    """The label of a model named by its label or, where that fits one only, by its name."""
    known = labels(observations)
    if name in known:
        return name
    named = observations["model_name"] if "model_name" in observations else pd.Series(dtype=str)
    found = list(dict.fromkeys(observations.loc[named == name, "model"])) if len(named) else []
    if len(found) == 1:
        return str(found[0])
    shown = ", ".join(repr(one_line(m)) for m in (found or known)) or "none"
    what = "is several models here: give the label of one" if found else "is not in these logs"
    raise ValueError(f"baseline {one_line(name)!r} {what}; there are: {shown}")


def fits(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name is one of these or fits one of them as a glob pattern."""
    # Labels hold brackets, which a pattern takes for a set of characters.
    return name in patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


def shared(part: pd.DataFrame, baseline: str, model: str) -> tuple[pd.DataFrame, list[str]]:
    """Rows of both models on the samples that both answered, and what had to be left out.

    Epochs count apart where both models were asked in the same ones.
    """
    arms = [part[part["model"] == m] for m in (baseline, model)]
    absent = [m for m, arm in zip((baseline, model), arms, strict=True) if not len(arm)]
    if absent:
        return part[:0], [f"{one_line(absent[0])} was not asked, or no sample of it was scored"]
    key = [c for c in ("subset", "sample_id") if c in part]
    if "sample_id" not in key:
        raise ValueError("observations without a column sample_id can't be paired")
    if set(arms[0]["epoch"]) == set(arms[1]["epoch"]):
        key.append("epoch")
    marks = [pd.MultiIndex.from_frame(arm[key]) for arm in arms]
    kept = [
        arm[mark.isin(other)] for arm, mark, other in zip(arms, marks, marks[::-1], strict=True)
    ]
    notes = []
    for name, arm, rest in zip((baseline, model), arms, kept, strict=True):
        lost = len(arm) - len(rest)
        if lost:
            notes.append(
                f"{lost} of {len(arm)} replies of {one_line(name)} are left out: the other model "
                "has no scored reply to the same sample"
            )
    return pd.concat(kept), notes


def different_runs(observations: pd.DataFrame, label: str, others: Sequence[str]) -> list[str]:
    """Where a model was not asked the same questions in the same words as the baseline."""
    found = runs(observations)
    notes = []
    for run in found:
        if run.model not in others:
            continue
        base = next((r for r in found if r.task == run.task and r.model == label), None)
        if base is None:
            continue
        for what in ("data", "revision", "prompts", "version"):
            theirs, ours = getattr(run, what), getattr(base, what)
            if theirs != ours:
                notes.append(
                    f"{run.task}: {one_line(run.model)} was asked with {_WORDS[what]} {theirs}, "
                    f"the baseline with {ours}; samples of one name may differ"
                )
                break
    return notes


_WORDS = {
    "data": "the data set",
    "revision": "data of revision",
    "prompts": "prompts of revision",
    "version": "task version",
}


def verdict(
    difference: float, low: float, high: float, p_corrected: float, limit: float, of: Metric
) -> str:
    """One of `VERDICTS`.

    Args:
        difference: model minus baseline; of distances from 0 where that is what counts.
        low: lower bound of its interval.
        high: upper bound.
        p_corrected: its p-value after the correction.
        limit: the p-value from which on a difference is not shown.
        of: the metric's direction and margin.
    """
    if math.isnan(p_corrected):
        return NOT_COMPARABLE
    if p_corrected < limit:
        rises = low + high > 0
        if of.better == "neither":
            return HIGHER if rises else LOWER
        return BETTER if rises == (of.better == "higher") else WORSE
    return NO_DIFFERENCE if (high - low) / 2 <= of.margin else TOO_FEW


def needed(n_items: int, low: float, high: float, margin: float) -> int:
    """How many items would narrow the interval to plus or minus the margin, two digits of it.

    The width falls with the square root of the number of items.
    """
    half = (high - low) / 2
    if math.isnan(half) or n_items < 1:
        return 0
    items = n_items * (half / margin) ** 2
    step = int(10 ** max(0, math.floor(math.log10(max(items, 1))) - 1))
    return math.ceil(items / step) * step
