"""Binary QA, declared: its domains, its forms, and what is measured."""

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from askew import schema
from askew.files import toml_of

Answer = Literal["Yes", "No"]
LABELS: tuple[Answer, ...] = get_args(Answer)
OPPOSITE: Mapping[str, Answer] = {"Yes": "No", "No": "Yes"}
SUBSETS = ("reading", "multi_hop", "numerical", "translation", "ethics")


@dataclass(frozen=True)
class Form(schema.Condition):
    """One way of asking an item: which of its questions, in which order the options stand."""

    question: str = "original"  # which of the item's wordings is asked
    flips: bool = False  # whether the right answer is the opposite of the original's
    options: str = "Yes/No"  # as the prompt lists them
    counts: str = ""  # the consistency metric that holds its answer against the original's


ORIGINAL = "original"
FORMS = Form.all_of(toml_of(__package__, "forms.toml"))
# By consistency metric: the forms that it compares with the original.
COMPARED: Mapping[str, tuple[str, ...]] = {
    name: tuple(form for form, how in FORMS.items() if how.counts == name)
    for name in dict.fromkeys(how.counts for how in FORMS.values() if how.counts)
}


@dataclass(frozen=True)
class Share:
    """A rate over items, as names of sums (see `numbers.counted`) to add up."""

    hits: tuple[str, ...]
    of: tuple[str, ...]
    empty: float = math.nan  # the rate where there are none


@dataclass(frozen=True)
class ComputedMetric(schema.Metric):
    """A metric with what computes it: values, counts, reasons and MBS follow from this."""

    # The rates that it is made of; a metric with the interval "difference" has two.
    shares: tuple[Share, ...] = ()
    made: Callable[..., Any] = lambda share: share  # its value from theirs
    # An item counts that was asked in all of these; without any, every item does. Several are
    # compared: sums "<name> asked" and "<name> hit" say how often they agree.
    forms: tuple[str, ...] = (ORIGINAL,)
    undefined: str = "no item was asked in every form it needs"  # although there are such items
    weight: float = 0.0  # in MBS


# Sums over items, by name: "is Yes", the right answer to the original; "said Yes", to an original
# that has a right answer; "hit Yes", said and right.


def _hits(label: Answer, *of: str, empty: float = math.nan) -> Share:
    """Originals that are and were called so, of those that were either or both."""
    return Share((f"hit {label}",) * len(of), tuple(f"{what} {label}" for what in of), empty)


# What each is made of. Of F1 a label of no item weighs nothing; a consistency is how often an
# item's answers agree, or are opposite where a form asks for the opposite.
_MADE: Mapping[str, Mapping[str, Any]] = {
    "f1": {
        "shares": (
            *(_hits(label, "is", "said", empty=0.0) for label in LABELS),
            Share(("is Yes",), ("is Yes", "is No")),
        ),
        "made": lambda yes, no, share: share * yes + (1 - share) * no,
    },
    "delta_recall": {"shares": (_hits("No", "is"), _hits("Yes", "is")), "made": operator.sub},
    "delta_precision": {
        "shares": (_hits("No", "said"), _hits("Yes", "said")),
        "made": operator.sub,
    },
    **{
        name: {
            "shares": (Share((f"{name} hit",), (f"{name} asked",)),),
            "forms": (ORIGINAL, *forms),
        }
        for name, forms in COMPARED.items()
    },
    "said_no": {"shares": (Share(("said No",), ("is Yes", "is No")),)},
    "no_answer": {"shares": (Share(("without answer",), ("replies",)),), "forms": ()},
}
_METRICS = ComputedMetric.all_of(__package__)
MEASURED = tuple(replace(m, **_MADE[m.name]) for m in _METRICS if m.name in _MADE)
# The seven metrics of MBS.
CORE_METRICS: Mapping[str, ComputedMetric] = {m.name: m for m in MEASURED if m.weight}
CORE = tuple(CORE_METRICS)
SCORES = tuple(m for m in _METRICS if m.name not in _MADE)
_SIZE = schema.Unit("points", 100.0)
# A metric can spread by half of its range.
SPREADS: Mapping[str, schema.Metric] = {
    name: schema.Metric(
        f"stdev_{name}", f"{of.label}, SD", "standard deviation over domains", "lower", _SIZE,
        (0.0, (of.bounds[1] - of.bounds[0]) / 2), interval="spread", null=schema.Null("domain"),
    )
    for name, of in CORE_METRICS.items()
}  # fmt: skip

PAPER = schema.Paper.of(
    __package__, subsets=SUBSETS, factors=(schema.Factor("form", FORMS),),
    metrics=(*SCORES, *MEASURED, *SPREADS.values()), graded=lambda metadata: 1,
)  # fmt: skip


class BinaryMeta(schema.SampleMeta):
    """What a sample of Binary QA carries: its form, and the right answers of item and form."""

    kind: str
    form: str
    truth: Answer  # the right one to the original question
    expected: Answer  # the right one to this form of it
