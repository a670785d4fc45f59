"""Instruction Boundary, declared: families, forms, settings with their variants, and metrics."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from pydantic import TypeAdapter

from askew import schema
from askew.files import toml_of
from askew.untrusted import one_line

Family = Literal["judging", "choice"]
Form = Literal["true", "false", "unknown", "single", "none", "multiple"]
Wording = Literal["askew", "authors"]

_TOLD = toml_of(__package__, "settings.toml")


@dataclass(frozen=True)
class QuestionFamily:
    """A kind of question: the forms its answers have, and the rates that RS is made of."""

    label: str  # as it is shown
    answers: Mapping[str, str]  # forms of answers, in words
    rates: Mapping[str, tuple[Form, ...]]  # by metric, the tense one first: the forms it is of
    hedged: str  # the rate that a hedge lifts

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms that a truth has."""
        return tuple(form for forms in self.rates.values() for form in forms)


FAMILIES = TypeAdapter(Mapping[Family, QuestionFamily]).validate_python(_TOLD["families"])
SPARSE = frozenset(
    form for f in FAMILIES.values() for forms in list(f.rates.values())[1:] for form in forms
)
"""Forms that are rare in ordinary data; the others are tense (Section 2.1)."""


@dataclass(frozen=True)
class Setting(schema.Condition):
    """One way to cover the question, and what it changes against vanilla."""

    parameter: str = ""  # the task's parameter that chooses its variants
    # By family, what tells its conditions apart, the default first; without any, there is one.
    variants: Mapping[Family, tuple[str, ...]] = field(default_factory=dict)
    joint: str = ","  # what joins its label to a variant's
    unvaried: str = ""  # what is added to its label where a variant is missing
    # Families whose robustness it counts in; the others ask one form only.
    scored: tuple[Family, ...] = get_args(Family)


VANILLA = "vanilla"
MISCELLANY = "miscellany"

SETTINGS = TypeAdapter(Mapping[str, Setting]).validate_python(_TOLD["settings"])
_COUNTS = SETTINGS[MISCELLANY].variants["choice"]
VARIANTS: Mapping[str, schema.Condition] = {
    name: schema.Condition(label, meaning, asked=False)
    for name, (label, meaning) in {
        **_TOLD["variants"],
        **{n: (f"{n} incorrect", _TOLD["n_wrong"]) for n in _COUNTS},
    }.items()
}


@dataclass(frozen=True)
class SettingVariant:
    """One way of asking: a setting, and what tells it apart from the setting's other forms."""

    setting: str
    variant: str = ""

    @property
    def values(self) -> dict[str, schema.Scalar]:
        """Its part of a sample's id."""
        return {name: value for name, value in vars(self).items() if value}

    @property
    def name(self) -> str:
        """The condition in words; a log may hold settings of any text."""
        setting = SETTINGS.get(self.setting) or Setting(one_line(self.setting), "")
        parts = [
            VARIANTS[v].label if v in VARIANTS else one_line(v)
            for v in self.variant.split("+")
            if v
        ] or [setting.unvaried]
        return f"{setting.label}{setting.joint} {', '.join(parts)}" if any(parts) else setting.label


POLISHED = SettingVariant("prompt_polishing", "model")
"""The condition whose question a model rewrites."""

DISTANCE = schema.Unit("points", 100.0)
# Metrics whose true value simulated models imply: rates under the settings that change no option.
_WITH_TRUE_VALUE = {"acc", "rs", "rs_vanilla", *(r for f in FAMILIES.values() for r in f.rates)}
_NO_TRUE_VALUE = (
    "true values are known for rates whose settings change no option and suggest nothing"
)
# Parts of the parameters `variants` and `method`, each of which may be given alone.
VARIANT_PARTS = tuple(setting.parameter for setting in SETTINGS.values() if setting.parameter)
# Parts of the parameter `method`, each with its values, the default first.
METHOD: Mapping[str, tuple[str, ...]] = {
    "wording": ("askew", "authors"),
    "reading": ("askew", "published"),
    "none_style": ("removed", "stated"),
}
TEN = "ten"
"""The subset whose items have many wrong options and are asked under miscellany only."""
BUNDLED = ("logic", "choice", TEN)
PUBLISHED = ("folio", "mcq_450", "mcq_2700", "judging_questions")

PAPER = schema.Paper.of(
    __package__,
    subsets=(*BUNDLED, *PUBLISHED),
    factors=(schema.Factor("setting", SETTINGS), schema.Factor("variant", VARIANTS, free=True)),
    selectors=("variants", *VARIANT_PARTS),
    grouped={"variants": VARIANT_PARTS, "method": tuple(METHOD)},
    metrics=tuple(
        replace(m, no_true_value="" if m.name in _WITH_TRUE_VALUE else _NO_TRUE_VALUE)
        for m in schema.Metric.all_of(__package__)
    ),
    graded=lambda metadata: 1,
    polishes=lambda metadata: (
        SettingVariant(str(metadata.get("setting")), str(metadata.get("variant", ""))) == POLISHED
    ),
)


class BoundaryMeta(schema.SampleMeta):
    """What a sample carries: its condition, its truth, and which options its prompt shows.

    `truth` and `suggestion` are canonical: a label, "none", "several", or numbers of the item's
    options. `shown` lists those numbers in the order of the prompt; 0 stands for the statement
    that all other options are false. `labels` are what the prompt calls its options, where these
    are not counted from 1 as ours are: those of the authors' wording, of judging too.
    """

    optional = (*schema.SampleMeta.optional, "wording", "labels")
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
