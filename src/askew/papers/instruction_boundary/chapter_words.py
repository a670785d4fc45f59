"""Instruction Boundary's settings, labels and subsets in words, and what was asked of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from askew.papers.instruction_boundary.number_rows import FORMS, VANILLA
from askew.papers.instruction_boundary.numbers import ALL, SETTINGS
from askew.report.document import Estimate, Model
from askew.report.evidence import Evidence
from askew.untrusted import one_line

MISCELLANY = "miscellany"
FAMILY_NAMES: Mapping[str, str] = {"judging": "Judging", "choice": "Choice"}
SUBSET_NAMES: Mapping[str, str] = {
    "logic": "Generated theories",
    "choice": "Four options",
    "ten": "Ten options",
    "folio": "FOLIO",
    "mcq_450": "The paper's 450",
    "mcq_2700": "The paper's 2,700",
    "judging_questions": "The paper's judging questions",
}
SETTING_NAMES: Mapping[str, str] = {
    VANILLA: "Vanilla",
    "multi_turn": "Multi-turn",
    "conformity": "Conformity",
    MISCELLANY: "Miscellany",
    "few_shot": "Few-shot",
    "missing_choices": "Missing choices",
    "vagueness": "Vagueness",
    "prompt_polishing": "Prompt polishing",
}
VARIANT_NAMES: Mapping[str, str] = {
    "unknown": "Unknown",
    "true": "True",
    "false": "False",
    "none": "None",
    "several": "Several",
    "wrong": "a wrong option",
    "single": "one option",
    "multiple": "several options",
    "fixed": "shipped rewrite",
    "model": "by a model",
}
LABEL_NAMES: Mapping[str, str] = {
    "true": "True",
    "false": "False",
    "unknown": "Unknown",
    "extra": "an extra option",
    "single": "one option",
    "none": "none",
    "multiple": "several options",
}
# The rates whose harmonic mean is RS, with the form that each is taken from.
RATES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "judging": {
        "sr": ("SR", "accuracy on True and False"),
        "gr": ("GR", "accuracy on Unknown"),
    },
    "choice": {
        "sr": ("SR", "accuracy where one option is right"),
        "gr_none": ("GR none", "accuracy where none is right"),
        "gr_multi": ("GR several", "accuracy where several are right"),
    },
}
# The variants that the paper's main table is about; its polisher was a model.
_PRINTED_VARIANTS = {
    "conformity": ("unknown", "none"),
    "few_shot": ("unknown", "none"),
    "missing_choices": ("unknown", "none"),
}
# How a setting is joined to its variant: "Conformity to Unknown".
_JOINTS = {"conformity": " to", "few_shot": " with", "missing_choices": ":"}
_SAFE = re.compile(r"[a-z0-9_+-]{1,60}")


@dataclass(frozen=True)
class Asked:
    """One condition of a family: a setting with its variant."""

    family: str
    setting: str
    variant: str = ""

    @property
    def key(self) -> str:
        """The condition as flips are paired by it."""
        return condition_key(self.setting, self.variant)

    @property
    def name(self) -> str:
        """The condition in words."""
        setting = SETTING_NAMES.get(self.setting) or one_line(self.setting)
        if self.setting == MISCELLANY:
            extra = f"{one_line(self.variant)} wrong" if self.variant else "two extra options"
            return f"{setting}, {extra}"
        parts = [VARIANT_NAMES.get(v) or one_line(v) for v in self.variant.split("+") if v]
        joint = _JOINTS.get(self.setting, ",")
        return f"{setting}{joint} {', '.join(parts)}" if parts else setting

    @property
    def printed(self) -> str:
        """The setting under which the paper prints this condition; empty where it does not."""
        if self.setting == MISCELLANY or self.setting not in SETTINGS:
            return ""
        wanted = _PRINTED_VARIANTS.get(self.setting)
        return self.setting if wanted is None or self.variant in wanted else ""

    def slug(self, number: int) -> str:
        """The condition as a part of ids: a log may hold any text."""
        name = self.key.replace("/", "-")
        return name if _SAFE.fullmatch(name) else f"condition-{number}"


def condition_key(setting: str, variant: str) -> str:
    return f"{setting}/{variant}" if variant else setting


def families_of(evidence: Evidence) -> list[str]:
    """The families that were asked, judging first."""
    seen = set(evidence.rows["family"])
    return [family for family in FORMS if family in seen]


def conditions_of(evidence: Evidence, family: str, subset: str = ALL) -> list[Asked]:
    """What a family was asked under, in the settings' order; choice without its miscellany.

    Choice questions of miscellany have one right option each, so they have accuracy only.
    """
    found = [a for a in _asked(evidence, family, subset) if _is_whole(a)]
    order = {setting: n for n, setting in enumerate(SETTINGS)}
    return sorted(found, key=lambda a: order.get(a.setting, len(order)))


def option_counts(evidence: Evidence) -> list[Asked]:
    """Miscellany's conditions of choice questions, by number of wrong options."""
    found = [a for a in _asked(evidence, "choice", ALL) if not _is_whole(a)]
    return sorted((a for a in found if a.variant.isdecimal()), key=lambda a: int(a.variant))


def _is_whole(asked: Asked) -> bool:
    return asked.family == "judging" or asked.setting != MISCELLANY


def _asked(evidence: Evidence, family: str, subset: str) -> list[Asked]:
    rows = evidence.rows
    wanted = (rows["subset"] == subset) & (rows["family"] == family) & (rows["setting"] != ALL)
    pairs = rows.loc[wanted, ["setting", "variant"]].drop_duplicates()
    return [Asked(family, str(s), str(v)) for s, v in pairs.itertuples(index=False)]


def subsets_of(evidence: Evidence, family: str) -> list[str]:
    """The data sets of a family that were asked under vanilla."""
    rows = evidence.rows
    wanted = (rows["family"] == family) & (rows["setting"] == VANILLA) & (rows["subset"] != ALL)
    return [str(s) for s in rows.loc[wanted, "subset"].unique()]


def subset_name(subset: str) -> str:
    """A data set as it is shown."""
    return SUBSET_NAMES.get(subset) or one_line(subset)


def estimate(
    evidence: Evidence, metric: str, model: Model, asked: Asked, subset: str = ALL
) -> Estimate:
    """A model's number under one condition."""
    return evidence.estimate(metric, model, subset, asked.family, asked.setting, asked.variant)


def across(evidence: Evidence, metric: str, model: Model, family: str) -> Estimate:
    """A model's number over all settings of a family."""
    return evidence.estimate(metric, model, ALL, family, ALL, ALL)


def worst_of(evidence: Evidence, model: Model, family: str) -> tuple[Asked, Estimate] | None:
    """The setting with the lowest RS, where it is lower than vanilla's."""
    vanilla = estimate(evidence, "rs", model, Asked(family, VANILLA))
    found = [
        (asked, score)
        for asked in conditions_of(evidence, family)
        if asked.setting != VANILLA
        and (score := estimate(evidence, "rs", model, asked)).value < vanilla.value
    ]
    return min(found, key=lambda pair: pair[1].value, default=None)


def keys_of(observations: pd.DataFrame) -> pd.Series:
    """The condition of each observation, as flips are paired by it."""
    variant = observations["variant"].fillna("").astype(str)
    return observations["setting"].astype(str) + variant.map(lambda v: f"/{v}" if v else "")


def labels_of(family: str) -> Sequence[str]:
    """The forms that answers of a family have, in the order of the bars."""
    return ("true", "false", "unknown", "extra") if family == "judging" else FORMS["choice"]
