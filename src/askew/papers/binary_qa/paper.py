"""Binary QA, declared: its domains, its forms, and what is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from askew.schema import NUMBER, Condition, Factor, Metric, Paper, SampleMeta, Unit

Answer = Literal["Yes", "No"]
SUBSETS = ("reading", "multi_hop", "numerical", "translation", "ethics")
OPPOSITE: Mapping[str, Answer] = {"Yes": "No", "No": "Yes"}


@dataclass(frozen=True)
class Form(Condition):
    """One way of asking an item: which of its questions, in which order the options stand.

    Attributes:
        question: which of the item's wordings is asked.
        flips: whether the right answer is the opposite of the original's.
        options: the options as the prompt lists them.
    """

    question: str = "original"
    flips: bool = False
    options: str = "Yes/No"


FORMS: Mapping[str, Form] = {
    "original": Form("the original question", "the question as it is"),
    "synonym": Form(
        "other words", "key words replaced by close equivalents; same answer", question="synonym"
    ),
    "hedged": Form("a hedged question", "polite or tentative; same answer", question="hedged"),
    "contradictory": Form(
        "asking for the opposite",
        "asks for the opposite; opposite answer",
        question="contradictory",
        flips=True,
    ),
    "false_framing": Form(
        "is it false that",
        "'Is it false that ...'; opposite answer",
        question="false_framing",
        flips=True,
    ),
    "swapped_options": Form(
        "options swapped", "the original with No/Yes as options", options="No/Yes"
    ),
    "repeat_2": Form("second asking", "the original asked a second time"),
    "repeat_3": Form("third asking", "the original asked a third time"),
}
_SCORE = Unit("of 100", digits=1)
# A difference of two points of a hundred is the smallest that matters in a score.
_SCORE_MARGIN = 2.0

PAPER = Paper(
    task="binary_qa",
    home=__name__.rpartition(".")[0],
    title="Binary QA: how good, how biased and how consistent are Yes and No?",
    reference="Khrapunova, Unified Benchmark for Evaluating Performance, Bias, and Consistency in "
    "LLM Binary Question Answering (2025)",
    subsets=SUBSETS,
    subset_names={
        "all": "All domains",
        "reading": "Reading comprehension",
        "multi_hop": "Multi-hop reasoning",
        "numerical": "Numerical reasoning",
        "translation": "Translation evaluation",
        "ethics": "Ethical judgement",
    },
    factors=(Factor("form", FORMS),),
    headlines=("mbs",),
    formulas={"model_binary_core": "score", "model_binary_parts": "score", "model_binary_score": "score", "random_guesser": "baseline"},
    measures={
        "correct": "1 where the answer is the right one for its form",
        "said_no": "1 where the answer is No",
        "answered": "1 where a Yes or a No was read",
    },
    metrics=(
        Metric(
            "mbs", "MBS", "0 to 100", "higher", _SCORE, (0.0, 100.0), _SCORE_MARGIN, "mirrored"
        ),
        Metric(
            "mbs_core", "MBS core", "without the spread over domains, 0 to 100", "higher",
            _SCORE, (0.0, 100.0), _SCORE_MARGIN, "mirrored",
        ),
        Metric("f1", "F1", "weighted over Yes and No", interval="percentile"),
        Metric(
            "delta_recall",
            "Recall difference",
            "No minus Yes; above 0 leans to No",
            "nearer zero",
            bounds=(-1.0, 1.0),
            interval="difference",
        ),
        Metric(
            "delta_precision",
            "Precision difference",
            "No minus Yes",
            "nearer zero",
            bounds=(-1.0, 1.0),
            interval="difference",
        ),
        Metric("prc", "PRC", "same answer when reworded"),
        Metric("nrc", "NRC", "opposite answer when turned round"),
        Metric("arc", "ARC", "same answer when the options swap"),
        Metric("sc", "SC", "same answer three times"),
        Metric("no_answer", "No answer", "of all replies", "lower"),
        Metric("said_no", "Said No", "of the original questions", "neither"),
        Metric("stdev_*", better="lower", unit=NUMBER, interval="spread"),
    ),
    voices={"binary_qa_builder": "builder.respondent"},
)  # fmt: skip


class BinaryMeta(SampleMeta):
    """What a sample of Binary QA carries: its form, and the right answers of item and form."""

    kind: str
    form: str
    truth: Answer
    """The right answer to the original question."""
    expected: Answer
    """The right answer to this form of it."""
