"""Two models side by side: on which samples, with what left out, and the verdict in plain words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import pandas as pd

from askew.report.accounting import config_diff, describe_config_diff, setting_name
from askew.report.study import Study
from askew.schema import Metric
from askew.stats.p_values import UnitDifference, units_needed
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
    NO_DIFFERENCE: "shown to be smaller than one that matters, by two one-sided tests of the row",
    TOO_FEW: "neither is shown; so many items show a difference that matters four times in five",
    NOT_COMPARABLE: "not defined for both models, or these were asked differently: the reason "
    "stands beside it",
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


@dataclass(frozen=True)
class Apart:
    """What was asked of models otherwise than of the baseline, by task and model.

    Attributes:
        barred: why they can't be compared.
        meant: what differs and is meant to.
    """

    barred: Mapping[tuple[str, str], str]
    meant: Mapping[tuple[str, str], str]

    @property
    def notes(self) -> list[str]:
        """What a reader should know of it."""
        return [
            *(f"{t}: {one_line(m)} {NOT_COMPARABLE}: {why}" for (t, m), why in self.barred.items()),
            *(f"{t}: {one_line(m)} is compared across {of}" for (t, m), of in self.meant.items()),
        ]


def unmatched_settings(
    study: Study, label: str, others: Sequence[str], across: Sequence[str]
) -> Apart:
    """Where a model was not asked the same questions in the same words under the same settings."""
    found = study.runs
    known = {"data", "prompts", "version"} | {
        n for run in found for n in map(setting_name, run.settings)
    }
    unknown = [what for what in across if not any(fits(name, [what]) for name in known)]
    if unknown and found:
        there = ", ".join(sorted(known))
        raise ValueError(f"across={unknown[0]!r}: no run has such a setting; there are: {there}")
    base = {run.task: run for run in found if run.model == label}
    barred, meant = {}, {}
    for run in found:
        if run.model not in others or run.task not in base:
            continue
        differing = config_diff(run, base[run.task])
        names = {key: setting_name(key) for key in differing}
        allowed = {key for key, name in names.items() if fits(name, across)}
        rest = {key: pair for key, pair in differing.items() if key not in allowed}
        if rest:
            ways = " ".join(f"--across {names[key]}" for key in rest)
            barred[run.task, run.model] = (
                f"asked with {describe_config_diff(rest)}; {ways} if that is meant"
            )
        elif differing:
            meant[run.task, run.model] = describe_config_diff(differing)
    return Apart(barred, meant)


def verdict(row: Mapping[str, Any], limit: float, of: Metric) -> str:
    """One of `VERDICTS` for a difference with `p_corrected`, and `p_equal` of one that matters."""
    if math.isnan(row["p_corrected"]):
        return NOT_COMPARABLE
    if row["p_corrected"] < limit and row["difference"]:
        rises = row["low"] + row["high"] > 0
        if of.better == "neither":
            return HIGHER if rises else LOWER
        return BETTER if rises == (of.better == "higher") else WORSE
    return NO_DIFFERENCE if row["p_equal"] < limit else TOO_FEW


def needed(row: Mapping[str, Any], margin: float, level: float) -> int:
    """How many items would show a difference as large as the margin four times in five.

    Two digits of it; 0 where nothing is known.
    """
    if not row["deviation"] > 0 or math.isnan(level):
        return 0
    units = units_needed(margin, UnitDifference(row["deviation"], row["most"]), level)
    items: float = units * row["n_items"] / row["n_units"]
    step = int(10 ** max(0, math.floor(math.log10(max(items, 1))) - 1))
    return math.ceil(items / step) * step
