"""Binary QA, declared: its domains, its forms, and what is measured."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from askew.files import toml_of
from askew.schema import (
    NUMBER,
    POINTS,
    Bend,
    Condition,
    Factor,
    Metric,
    Null,
    Paper,
    SampleMeta,
    Unit,
)

Answer = Literal["Yes", "No"]
LABELS: tuple[Answer, ...] = get_args(Answer)
OPPOSITE: Mapping[str, Answer] = {"Yes": "No", "No": "Yes"}
SUBSETS = ("reading", "multi_hop", "numerical", "translation", "ethics")


@dataclass(frozen=True)
class Form(Condition):
    """One way of asking an item: which of its questions, in which order the options stand.

    Attributes:
        question: which of the item's wordings is asked.
        flips: whether the right answer is the opposite of the original's.
        options: the options as the prompt lists them.
        counts: the consistency metric that holds its answer against the original's.
    """

    question: str = "original"
    flips: bool = False
    options: str = "Yes/No"
    counts: str = ""


ORIGINAL = "original"
FORMS: Mapping[str, Form] = {
    name: Form(**told) for name, told in toml_of(__package__, "forms.toml").items()
}
# By consistency metric: the forms that it compares with the original.
COMPARED: Mapping[str, tuple[str, ...]] = {
    name: tuple(form for form, how in FORMS.items() if how.counts == name)
    for name in dict.fromkeys(how.counts for how in FORMS.values() if how.counts)
}


@dataclass(frozen=True)
class Share:
    """A rate over items.

    Attributes:
        hits: how many items hit: names of sums (see `numbers.counted`) to add up.
        of: how many could.
        empty: the rate where none could.
    """

    hits: tuple[str, ...]
    of: tuple[str, ...]
    empty: float = math.nan


@dataclass(frozen=True)
class Measured(Metric):
    """A metric with what computes it: values, counts, reasons and MBS follow from this.

    Attributes:
        shares: the rates that it is made of; a metric with the interval "difference" has two.
        made: its value from theirs.
        forms: an item counts that was asked in all of these; without any, every item does.
            Several are compared: sums "<name> asked" and "<name> hit" say how often they agree.
        undefined: why it has no value although there are such items.
        weight: what it weighs in MBS.
        said: its value in a sentence about a domain; names `value`.
    """

    shares: tuple[Share, ...] = ()
    made: Callable[..., Any] = lambda share: share
    forms: tuple[str, ...] = (ORIGINAL,)
    undefined: str = "no item was asked in every form it needs"
    weight: float = 0.0
    said: str = ""


# Sums over items, by name: "is Yes", the right answer to the original; "said Yes", to an original
# that has a right answer; "hit Yes", said and right.


def _recall(label: Answer) -> Share:
    return Share((f"hit {label}",), (f"is {label}",))


def _precision(label: Answer) -> Share:
    return Share((f"hit {label}",), (f"said {label}",))


def _f1(label: Answer) -> Share:
    """Twice the hits, of all that are or were called so; a label of no item weighs nothing."""
    return Share((f"hit {label}",) * 2, (f"is {label}", f"said {label}"), empty=0.0)


def _consistency(name: str, meaning: str, said: str) -> Measured:
    """How often an item's answers agree, or are opposite where a form asks for the opposite."""
    return Measured(
        name, name.upper(), meaning, weight=0.075, said=f"{said} with a rate of {{value}}",
        shares=(Share((f"{name} hit",), (f"{name} asked",)),), forms=(ORIGINAL, *COMPARED[name]),
    )  # fmt: skip


def _difference(
    name: str, rate: Callable[[Answer], Share], meaning: str, undefined: str
) -> Measured:
    """A rate of No minus that of Yes."""
    of = name.removeprefix("delta_")
    return Measured(
        name, f"{of.capitalize()} difference", meaning, "nearer zero",
        POINTS, (-1.0, 1.0), interval="difference", undefined=undefined, weight=0.1,
        shares=(rate("No"), rate("Yes")), made=operator.sub,
        said=f"{of} of No minus {of} of Yes is {{value}}",
    )  # fmt: skip


MEASURED: tuple[Measured, ...] = (
    Measured(
        "f1", "F1", "weighted over Yes and No", interval="composite", weight=0.4,
        shares=(_f1("Yes"), _f1("No"), Share(("is Yes",), ("is Yes", "is No"))),
        made=lambda yes, no, share: share * yes + (1 - share) * no, said="F1 is {value}",
    ),
    _difference(
        "delta_recall", _recall, "No minus Yes; above 0 leans to No",
        "the right answers are all Yes or all No",
    ),
    _difference("delta_precision", _precision, "No minus Yes", "Yes or No was never the answer"),
    _consistency("prc", "same answer when reworded", "when reworded, a question keeps its answer"),
    _consistency(
        "nrc", "opposite answer when turned round", "when turned round, a question turns its answer"
    ),
    _consistency(
        "arc", "same answer when the options swap",
        "when Yes and No swap places, a question keeps its answer",
    ),
    _consistency("sc", "same answer three times", "asked three times, a question keeps its answer"),
    Measured(
        "said_no", "Said No", "of the original questions", "neither",
        shares=(Share(("said No",), ("is Yes", "is No")),),
    ),
    Measured(
        "no_answer", "No answer", "of all replies", "lower",
        shares=(Share(("without answer",), ("replies",)),), forms=(),
    ),
)  # fmt: skip
# The seven metrics of MBS, and those of them of which a value of either sign is as bad.
CORE_METRICS: Mapping[str, Measured] = {m.name: m for m in MEASURED if m.weight}
CORE = tuple(CORE_METRICS)
DELTAS = tuple(name for name, m in CORE_METRICS.items() if m.better == "nearer zero")
# A difference of two points of a hundred is the smallest that matters in a score.
SCORES = tuple(
    Metric(
        name,
        label,
        meaning,
        "higher",
        Unit("of 100", digits=1),
        (0.0, 100.0),
        2.0,
        "score",
        null=null,
    )
    for name, label, meaning, null in (
        ("mbs", "MBS", "0 to 100", Null("domain", lowers=True)),
        ("mbs_core", "MBS core", "without the spread over domains, 0 to 100", None),
    )
)
# A metric can spread by half of its range.
SPREADS: Mapping[str, Metric] = {
    name: Metric(
        f"stdev_{name}", f"{of.label}, spread", "standard deviation over domains", "lower", NUMBER,
        (0.0, (of.bounds[1] - of.bounds[0]) / 2), interval="spread", null=Null("domain"),
    )
    for name, of in CORE_METRICS.items()
}  # fmt: skip

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
    console=("f1", "delta_recall", "prc"),
    plain=({"form": ORIGINAL},),
    bend=Bend("delta_recall", "a lean to Yes or No", "f1"),
    formulas={
        **dict.fromkeys(("model_binary_core", "model_binary_parts", "model_binary_score"), "score"),
        "random_guesser": "numbers",
    },
    measures={
        "correct": "1 where the answer is the right one for its form",
        "said_no": "1 where the answer is No",
        "answered": "1 where a Yes or a No was read",
    },
    metrics=(*SCORES, *MEASURED, *SPREADS.values()),
)


class BinaryMeta(SampleMeta):
    """What a sample of Binary QA carries: its form, and the right answers of item and form."""

    kind: str
    form: str
    truth: Answer
    """The right answer to the original question."""
    expected: Answer
    """The right answer to this form of it."""
