"""bend, declared: its arms, and what is measured of each against the plain question."""

from pathlib import Path

from askew.schema import Condition, Factor, Metric, Paper, SampleMeta

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

PAPER = Paper.of(
    __package__,
    subsets=(),
    factors=(
        Factor("arm", {PLAIN: Condition("plain", "the unmodified task (control)")}, free=True),
    ),
    metrics=Metric.all_of(__package__),
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
)


class BendMeta(SampleMeta):
    """What the score of a sample carries, as the sample itself is its author's."""

    arm: str
    treatment: str
