"""KnowNo, declared: its subsets, its hints, and what is measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from askew import schema
from askew.files import toml_of

Options = Literal["all", "gold_removed", "none_added", "none_for_a_wrong_one"]
Kind = Literal["story", "intent", "equation"]


@dataclass(frozen=True)
class Hint(schema.Condition):
    """What one hint does to the prompt, which answer is correct, and where it counts."""

    options: Options = "all"
    # Whether the instruction says to return none-of-them where no option is correct.
    names_none: bool = False
    right: Literal["gold", "none", "none_or_gold"] = "gold"
    # In OmniAccuracy as its part "with" or "without" the right option, or "beside" it.
    counts: Literal["with", "without", "beside"] = "beside"
    # By which way it lets none-of-them be said, if any: what is said with the right option and
    # without it is held against each other in each way.
    says_none: Literal["", "option", "instruction"] = ""


_TOLD = toml_of(__package__, "hints.toml")
HINTS = Hint.all_of(_TOLD["hints"])
PROMPTS = toml_of(__package__, "prompts.toml")
WITH_GOLD = next(name for name, hint in HINTS.items() if hint.counts == "with")
WITHOUT_GOLD = tuple(name for name, hint in HINTS.items() if hint.counts == "without")
ABLATION = "with_gold_plus_none"
CORE_HINTS = tuple(name for name, hint in HINTS.items() if hint.asked)
# Where none-of-them may be said: where it is right (hits), and where it is not (false alarms).
HITS: Mapping[str, str] = {
    h.says_none: name for name, h in HINTS.items() if h.says_none and h.right == "none"
}
ALARMS: Mapping[str, str] = {
    h.says_none: name for name, h in HINTS.items() if h.says_none and h.right == "gold"
}
# The paper's set of each kind of question.
SUBSET_OF: Mapping[Kind, str] = {"story": "mctest", "intent": "bank77", "equation": "equinfer"}
SUBSETS = tuple(SUBSET_OF.values())
# The factor that says how many words of LaTeX stand on each side, where several were asked for.
LENGTH = "context_length"


@dataclass(frozen=True)
class Pattern:
    """A kind of reply where nothing hints at none (Figure 4), and whether it is right."""

    label: str
    right: bool = False


PATTERNS: Mapping[str, Pattern] = {
    name: Pattern(**told) for name, told in _TOLD["patterns"].items()
}

_OMNI, *_OTHERS, _LEAK = schema.Metric.all_of(__package__)
_OF_TYPE = "share of replies of this type; counts as {}correct"

PAPER = schema.Paper.of(
    __package__,
    subsets=SUBSETS,
    factors=(
        schema.Factor("hint", HINTS),
        schema.Factor("order", schema.Condition.all_of(_TOLD["order"])),
        schema.Factor(LENGTH, schema.Condition.all_of(_TOLD[LENGTH]), free=True),
    ),
    metrics=(
        _OMNI,
        *(schema.Metric(name, hint.label, hint.meaning) for name, hint in HINTS.items()),
        *_OTHERS,
        *(
            schema.Metric(
                f"pattern_{name}", how.label, _OF_TYPE.format("" if how.right else "in"), "neither"
            )
            for name, how in PATTERNS.items()
        ),
        _LEAK,
    ),
    # Of a new answer it is also asked whether that means the removed one.
    graded=lambda metadata: 2 if metadata.get("hint") == "no_hint" else 1,
)


class KnowNoMeta(schema.SampleMeta):
    """What a sample of KnowNo carries: its condition, and the right option as it is written."""

    optional = (*schema.SampleMeta.optional, LENGTH)
    kind: Kind
    hint: str
    order: int
    gold: str
    context_length: int | None = None  # words on each side, where several lengths are asked
