"""bend, declared: its arms, and what is measured of each against the plain question."""

import math
from pathlib import Path
from typing import Any

from askew.files import toml_of
from askew.schema import (
    POINTS,
    Condition,
    Factor,
    Null,
    Paper,
    PrimaryEffect,
    SampleMeta,
    Unit,
    metrics_of,
)

PLAIN = "plain"
REPEAT = "repeat"
_STAND_IN = Path(__file__).resolve().with_name("stand_in.py")
# Treatments that leave the correct outcome unknown: the largest loss does not count them.
UNKNOWN_TARGET = ("tool_absent",)
# What an agent does without a tool, or with one that fails.
OF_AGENTS = {"tool_absent": ("gave_up",), "tool_fault": ("recovered", "noticed", "gave_up")}
# Treatments that change how a question is put, and not what it means.
REWORDINGS = ("wording", "layout", "typos")
# Texts of those treatments that have none of their own.
SENTENCES = {"framing": "Think of a five-year-old.", "system": "You are in a hurry."}
# A variance of fractions in squared percentage points.
SQUARED = Unit("squared points", digits=0)
# Formats of a variance: from half a spread over the whole range.
MOST_VARIANCE = 2_500.0
_POINTS: dict[str, Any] = {"unit": POINTS, "bounds": (-1.0, 1.0)}


PAPER = Paper(
    task="bend",
    home=__package__,
    **toml_of(__package__, "paper.toml"),
    subsets=(),
    factors=(
        Factor(
            "arm",
            {PLAIN: Condition("plain", "the unmodified task (control)")},
            free=True,
        ),
    ),
    headlines=("worst_effect",),
    console=("plain_score", "noise"),
    plain=({"arm": PLAIN},),
    bend=PrimaryEffect(
        "worst_effect", "treatments of your benchmark", "score", {"arm": PLAIN}, shown="effect"
    ),
    metrics=metrics_of(
        __package__,
        tokens={"better": "neither", "unit": Unit("tokens", digits=0), "bounds": (0.0, math.inf),
                "margin": 1.0, "interval": "difference"},
        paired=_POINTS | {"better": "nearer zero", "interval": "paired"},
        versions={
            "better": "lower", "unit": Unit("points", 100.0), "margin": 0.05,
            "null": Null("version"),
        },
        largest=_POINTS | {"better": "lower", "interval": "largest", "null": Null("arm", "plain")},
        variance={
            "better": "lower", "unit": SQUARED, "bounds": (0.0, MOST_VARIANCE), "margin": 6.25,
            "interval": "variance", "null": Null("format", "plain"),
        },
    ),
    selectors=(
        "treatments", "typos", "layout", "wording", "wordings", "orders", "format", "suggest",
        "context", "framing_position", "tool_absent", "tool_worded", "tool_fault",
    ),
    stand_in={"task": f"{_STAND_IN}@choices"},
    everything={
        "task": f"{_STAND_IN}@mixed",
        "treatments": "repeat,typos,absent,none_offered,order,options,suggestion,framing,system,"
        "reflection,format,tool_order,tool_absent,tool_wording,tool_result",
        "suggest": "wrong,right",
        "orders": "all",
        "tool_worded": "archive",
        **SENTENCES,
    },
    told_by_score=True,
)  # fmt: skip


class BendMeta(SampleMeta):
    """What the score of a sample carries, as the sample itself is its author's."""

    arm: str
    treatment: str
