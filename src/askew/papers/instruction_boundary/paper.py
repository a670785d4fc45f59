"""Instruction Boundary, declared: families, forms, settings with their variants, and metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from askew.files import toml_of
from askew.schema import (
    PERCENT,
    POINTS,
    Bend,
    Better,
    Condition,
    Factor,
    IntervalKind,
    Judge,
    Metric,
    Null,
    Paper,
    SampleMeta,
    Scalar,
    Unit,
)
from askew.untrusted import one_line

Family = Literal["judging", "choice"]
Form = Literal["true", "false", "unknown", "single", "none", "multiple"]
Wording = Literal["askew", "authors"]


@dataclass(frozen=True)
class FormRate:
    """A rate of right answers among the items of some forms."""

    label: str
    meaning: str
    forms: tuple[Form, ...]


@dataclass(frozen=True)
class QuestionFamily:
    """A kind of question: the forms its answers have, and the rates that RS is made of."""

    label: str  # as it is shown
    answers: Mapping[str, str]  # forms of answers, in words
    rates: Mapping[str, FormRate]  # by metric, the tense one first; RS is their harmonic mean
    hedged: str  # the rate that a hedge lifts

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms that a truth has."""
        return tuple(form for rate in self.rates.values() for form in rate.forms)


FAMILIES: Mapping[Family, QuestionFamily] = {
    "judging": QuestionFamily(
        "Judging",
        # "extra": an option such as "All above are true", which is never right.
        {"true": "True", "false": "False", "unknown": "Unknown", "extra": "an extra option"},
        {
            "sr": FormRate("SR", "accuracy on True and False", ("true", "false")),
            "gr": FormRate("GR", "accuracy on Unknown", ("unknown",)),
        },
        hedged="gr",
    ),
    "choice": QuestionFamily(
        "Choice",
        {"single": "one option", "none": "none", "multiple": "several options"},
        {
            "sr": FormRate("SR", "accuracy where one option is right", ("single",)),
            "gr_none": FormRate("GR none", "accuracy where none is right", ("none",)),
            "gr_multi": FormRate("GR several", "accuracy where several are right", ("multiple",)),
        },
        hedged="gr_none",
    ),
}
ANSWERS: Mapping[str, str] = {
    form: label for family in FAMILIES.values() for form, label in family.answers.items()
}
"""Every form that an answer has, in words."""
SPARSE = frozenset(
    form for f in FAMILIES.values() for rate in list(f.rates.values())[1:] for form in rate.forms
)
"""Forms that are rare in ordinary data; the others are tense (Section 2.1)."""


@dataclass(frozen=True)
class Setting(Condition):
    """One way to cover the question, and what it changes against vanilla."""

    parameter: str = ""  # the task's parameter that chooses its variants
    # By family, what tells its conditions apart, the default first; without any, there is one.
    variants: Mapping[Family, tuple[str, ...]] = field(default_factory=dict)
    joint: str = ","  # what joins its label to a variant's
    unvaried: str = ""  # what is added to its label where a variant is missing
    # Families whose robustness it counts in; the others ask one form only.
    scored: Sequence[Family] = ()


VANILLA = "vanilla"
MISCELLANY = "miscellany"
_TOLD = toml_of(__package__, "settings.toml")


def _setting(told: Mapping[str, Any]) -> Setting:
    variants = {family: tuple(names) for family, names in told.get("variants", {}).items()}
    return Setting(**{**told, "variants": variants, "scored": told.get("scored", tuple(FAMILIES))})


SETTINGS: Mapping[str, Setting] = {n: _setting(told) for n, told in _TOLD["settings"].items()}
_COUNTS = SETTINGS[MISCELLANY].variants["choice"]
VARIANTS: Mapping[str, Condition] = {
    name: Condition(label, meaning, asked=False)
    for name, (label, meaning) in {
        **_TOLD["variants"],
        **{n: (f"{n} wrong", "choice: wrong options beside the right one") for n in _COUNTS},
    }.items()
}


@dataclass(frozen=True)
class SettingVariant:
    """One way of asking: a setting, and what tells it apart from the setting's other forms."""

    setting: str
    variant: str = ""

    @property
    def values(self) -> dict[str, Scalar]:
        """Its part of a sample's id."""
        parts: dict[str, Scalar] = {"setting": self.setting}
        return {**parts, "variant": self.variant} if self.variant else parts

    @property
    def name(self) -> str:
        """The condition in words; a log may hold settings of any text."""
        setting = SETTINGS.get(self.setting)
        if setting is None:
            setting = Setting(one_line(self.setting), "")
        told = [
            VARIANTS[v].label if v in VARIANTS else one_line(v)
            for v in self.variant.split("+")
            if v
        ] or [setting.unvaried]
        return f"{setting.label}{setting.joint} {', '.join(told)}" if any(told) else setting.label


POLISHED = SettingVariant("prompt_polishing", "model")
"""The condition whose question a model rewrites."""


_SHARE = (0.0, 1.0)


def _composite(
    name: str,
    label: str,
    meaning: str,
    better: Better = "neither",
    unit: Unit = POINTS,
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> Metric:
    """A number that is no rate of its own; one that is made of rates lies between 0 and 1."""
    kind: IntervalKind = "composite" if bounds == _SHARE else "paired"
    return Metric(name, label, meaning, better, unit, bounds, interval=kind)


def _metrics() -> Iterator[Metric]:
    yield _composite("rs_vanilla", "RS", "under vanilla", "higher", PERCENT, _SHARE)
    cost = _composite("boundary_cost", "Boundary cost", "vanilla minus worst, points", "lower")
    yield replace(cost, interval="largest", null=Null("setting"))
    yield Metric("acc", "Accuracy", "exactly the right answer")
    rates = {
        name: rate.label for family in FAMILIES.values() for name, rate in family.rates.items()
    }
    for name, label in rates.items():
        meanings = [f.rates[name].meaning for f in FAMILIES.values() if name in f.rates]
        yield Metric(name, label, "; ".join(meanings))
    yield _composite("rs", "RS", "harmonic mean of the rates", "higher", PERCENT, _SHARE)
    for family in FAMILIES.values():
        hedged = family.rates[family.hedged]
        yield Metric(
            f"{family.hedged}_no_hedge", f"{hedged.label} without hedges",
            f"{hedged.meaning}, hedges counted as wrong", "neither",
        )  # fmt: skip
    yield Metric("hedge_rate", "Hedges", "of answers", "neither")
    yield Metric("no_answer", "No answer", "replies without one", "lower")
    yield Metric("judge_rate", "Read by the judge", "replies that a judge decided", "neither")
    for form, label in ANSWERS.items():
        told = label[0].upper() + label[1:]
        yield Metric(f"or_{form}", told, "its share of the answers", "neither")
    for form in (form for family in FAMILIES.values() for form in family.forms):
        yield Metric(f"truth_{form}", ANSWERS[form], "its share of the truth", "neither")
    distance = _composite(
        "or_distance", "Distance", "from the shares in the truth, points", "lower",
        DISTANCE, _SHARE,
    )  # fmt: skip
    yield replace(distance, interval="spread", null=Null("truth"))
    yield Metric("rr", "Answer kept", "RR, in percent")
    yield Metric("right_to_wrong", "Right to wrong", "in percent", "lower")
    yield Metric("wrong_to_right", "Wrong to right", "in percent", "neither")
    yield _composite("acc_change", "Accuracy change", "points")
    yield Metric("follow_rate", "When suggested", "in percent", "neither")
    yield Metric("follow_rate_vanilla", "Under vanilla", "in percent", "neither")
    yield _composite("follow_gain", "Gain", "points; below 0 is anti-conformity", "nearer zero")
    yield Metric("moved_rate", "Moved", "of other vanilla answers, in percent", "lower")


DISTANCE = Unit("points", 100.0)


# What simulated models have planted: rates under the settings that change no option.
_PLANTED = {"acc", "rs", "rs_vanilla", *(r for f in FAMILIES.values() for r in f.rates)}
_UNPLANTED = "planted only are the rates under settings that change no option and suggest nothing"


# Parts of the parameters `variants`, `method` and `logic`, each of which may be given alone.
VARIANT_PARTS = tuple(setting.parameter for setting in SETTINGS.values() if setting.parameter)
# Parts of the parameter `method`, each with its values, the default first.
METHOD: Mapping[str, tuple[str, ...]] = {
    "wording": ("askew", "authors"),
    "reading": ("askew", "published"),
    "none_style": ("removed", "stated"),
}
LOGIC_PARTS = ("n_logic", "depth", "width", "distractors", "negation", "per_group")
TEN = "ten"
"""The subset whose items have many wrong options and are asked under miscellany only."""
BUNDLED = ("logic", "choice", TEN)
PUBLISHED = ("folio", "mcq_450", "mcq_2700", "judging_questions")
# On request only: the 2,700 share 197 questions with the 450, and the judging file has no
# documented layout.
PUBLISHED_DEFAULT = ("folio", "mcq_450")


def _judged(parameters: Mapping[str, object], bound: bool, some: float) -> float:
    asked = parameters.get("judge")
    return some if asked != "never" and (bound or asked == "required") else 0.0


PAPER = Paper(
    task="instruction_boundary",
    home=__name__.rpartition(".")[0],
    title="Instruction Boundary: what does the coverage of a prompt do to rare labels?",
    reference="Ling et al., Instruction Boundary: Quantifying Biases in LLM Reasoning",
    arxiv="2509.20278",
    subsets=(*BUNDLED, *PUBLISHED),
    selections={"bundled": BUNDLED, "paper": PUBLISHED_DEFAULT},
    subset_names={
        "logic": "Generated theories",
        "choice": "Four options",
        TEN: "Ten options",
        "folio": "FOLIO",
        "mcq_450": "The paper's 450",
        "mcq_2700": "The paper's 2,700",
        "judging_questions": "The paper's judging questions",
    },
    factors=(Factor("setting", SETTINGS), Factor("variant", VARIANTS, free=True)),
    selectors=("variants", *VARIANT_PARTS),
    grouped={"variants": VARIANT_PARTS, "method": tuple(METHOD), "logic": LOGIC_PARTS},
    everything={"variants": "suggest=all,missing=all,n_wrong=all"},
    pooled={"pooled_only": True},
    headlines=("rs_vanilla", "boundary_cost"),
    console=("boundary_cost", "judging_rs_vanilla", "choice_rs_vanilla"),
    # Choices among ten options have no vanilla prompt.
    plain=({"setting": VANILLA}, {"setting": MISCELLANY}),
    bend=Bend("boundary_cost", "gaps and hints in a prompt", "rs_vanilla"),
    formulas={"robustness_score": "numbers"},
    measures={
        "correct": "1 where the answer is exactly the right one",
        "hedged": "1 where it is Unknown or none by a hedge, such as 'unclear'",
        "judged": "1 where a judge decided what the reply says",
    },
    metrics=tuple(
        metric if metric.name in _PLANTED else replace(metric, unplanted=_UNPLANTED)
        for metric in _metrics()
    ),
    judge=Judge("judge", share=_judged),
    polishes=lambda metadata: (
        SettingVariant(str(metadata.get("setting")), str(metadata.get("variant", ""))) == POLISHED
    ),
)


class BoundaryMeta(SampleMeta):
    """What a sample carries: its condition, its truth, and which options its prompt shows.

    `truth` and `suggestion` are canonical: a label, "none", "several", or numbers of the item's
    options. `shown` lists those numbers in the order of the prompt; 0 stands for the statement
    that all other options are false. `labels` are what the prompt calls its options, where these
    are not counted from 1 as ours are: those of the authors' wording, of judging too.
    """

    optional = (*SampleMeta.optional, "wording", "labels")
    family: Family
    form: Form
    setting: str
    variant: str = ""
    truth: str
    shown: str = ""
    suggestion: str = ""
    source: str = ""
    wording: Wording = "askew"
    labels: str = ""
