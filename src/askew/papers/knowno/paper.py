"""KnowNo, declared: its subsets, its hints, and what is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from askew.files import toml_of
from askew.schema import (
    POINTS,
    Bend,
    Condition,
    Factor,
    Judge,
    Metric,
    Null,
    Paper,
    SampleMeta,
)

Options = Literal["all", "gold_removed", "none_added", "none_for_a_wrong_one"]
Kind = Literal["story", "intent", "equation"]


@dataclass(frozen=True)
class Hint(Condition):
    """What one hint does to the prompt, which answer is right, and where it counts."""

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
HINTS: Mapping[str, Hint] = {name: Hint(**told) for name, told in _TOLD["hints"].items()}
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
NONE_PLACES = ("varies", "last")
SUBSETS = ("mctest", "bank77", "equinfer")
# The one that is also made anew by seed.
GENERATED = "equinfer"
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

GAP = "gap"
DISCERNMENT = "discernment"


def _difference(name: str, label: str, meaning: str) -> Metric:
    return Metric(
        name, label, meaning, "nearer zero", POINTS, bounds=(-1.0, 1.0), interval="difference"
    )


PAPER = Paper(
    task="knowno",
    home=__name__.rpartition(".")[0],
    title="KnowNo: does a model notice that no option is right?",
    reference="Xu et al., LLMs' Classification Performance is Overclaimed (Know-No)",
    arxiv="2406.16203",
    subsets=SUBSETS,
    subset_names={
        "all": "Mean of subsets",
        "mctest": "MC-Test",
        "bank77": "BANK-77",
        "equinfer": "EquInfer",
    },
    factors=(
        Factor("hint", HINTS),
        Factor("order", {"0": Condition("0", "a seeded shuffle of the options, one a number")}),
        Factor(
            LENGTH,
            {
                "1000": Condition(
                    "1,000 words",
                    "words of LaTeX on each side of an equation, where `context_words` has several",
                    asked=False,
                )
            },
            free=True,
        ),
    ),
    headlines=("omni_accuracy", DISCERNMENT),
    console=(DISCERNMENT, "false_none", GAP),
    plain=({"hint": WITH_GOLD},),
    bend=Bend(GAP, "a missing right option", WITH_GOLD, figure="knowno-gap"),
    formulas={"omni_accuracy": "numbers"},
    measures={
        "correct": "1 where the reply is right under its hint",
        "said_none": "1 where the reply says that no option fits",
        "delimiter_leak": "1 where an answer comes back with underscores (bank77)",
    },
    metrics=(
        Metric("omni_accuracy", "OmniAccuracy", "mean of with and without", interval="composite"),
        *(Metric(name, hint.label, hint.meaning) for name, hint in HINTS.items()),
        Metric("e_wo_gold", "Mean without", "of the three", interval="composite"),
        _difference(GAP, "Gap", "with minus without, points"),
        Metric(
            DISCERNMENT,
            "Discernment",
            "none said where none is right, less where the right option is offered",
            unit=POINTS,
            bounds=(-1.0, 1.0),
            interval="paired",
            null=Null("offer", "neither"),
        ),
        Metric(
            "false_none",
            "False none",
            "none said although the right option is offered",
            better="lower",
            interval="composite",
        ),
        _difference("ablation_change", "Change", "paired on the same items"),
        *(
            Metric(f"pattern_{name}", how.label, "right" if how.right else "wrong", "neither")
            for name, how in PATTERNS.items()
        ),
        Metric(
            "delimiter_leak",
            "Underscores came back",
            "answers with underscores although none was shown",
            better="lower",
        ),
    ),
    selections={"generated": (GENERATED,)},
    selectors=("orders", "ablation", "n_equations"),
    everything={"hint": "all", "delimiter": "-"},
    judge=Judge(
        "judge",
        share=lambda parameters, bound, some: some if parameters.get("judge") else 0.0,
        reads=lambda metadata: metadata.get("hint") == "no_hint",
    ),
)


class KnowNoMeta(SampleMeta):
    """What a sample of KnowNo carries: its condition, and the right option as it is written."""

    optional = (*SampleMeta.optional, LENGTH)
    kind: Kind
    hint: str
    order: int
    gold: str
    context_length: int | None = None
    """Words on each side of an equation, where several lengths are asked."""
