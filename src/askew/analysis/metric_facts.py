"""What each metric is to whoever reads a verdict: which way is better, its unit, what matters.

One table for all papers. A metric that is not in it can be shown and gated, and gets no verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from askew.analysis.document import NUMBER, PERCENT, Unit

Better = Literal["higher", "lower", "nearer zero", "neither"]

_SCORE = Unit("of 100", digits=1)
_SQUARED = Unit("squared points", digits=1)
# A difference that is smaller than this is not worth telling, in the metric's own unit.
_RATE_MARGIN = 0.05
_SCORE_MARGIN = 2.0
# BiasF of scores that differ by 5 points between the better and the worse half of the formats.
_SQUARED_MARGIN = 6.25


@dataclass(frozen=True)
class Fact:
    """How to judge and write a metric.

    Attributes:
        better: which way a model improves; "neither" for what only describes.
        unit: how its values are written.
        margin: the smallest difference that matters, in the metric's own unit.
    """

    better: Better
    unit: Unit = PERCENT
    margin: float = _RATE_MARGIN


_HIGHER, _LOWER = Fact("higher"), Fact("lower")
_NEAR, _TELLS = Fact("nearer zero"), Fact("neither")
_SPREAD = Fact("lower", NUMBER)
_BIAS = Fact("lower", _SQUARED, _SQUARED_MARGIN)
_MARK = Fact("neither", NUMBER)

# By task and metric; a name that ends in "*" stands for all that begin like it.
FACTS: Mapping[str, Mapping[str, Fact]] = {
    "knowno": {
        "omni_accuracy": _HIGHER,
        "with_gold": _HIGHER,
        "e_wo_gold": _HIGHER,
        "hint_as_option": _HIGHER,
        "hint_in_instruction": _HIGHER,
        "no_hint": _HIGHER,
        "with_gold_plus_none": _HIGHER,
        "gap": _NEAR,
        "ablation_change": _NEAR,
        "delimiter_leak": _LOWER,
        "pattern_*": _TELLS,
    },
    "instruction_boundary": {
        "rs_vanilla": _HIGHER,
        "boundary_cost": _LOWER,
        "acc": _HIGHER,
        "sr": _HIGHER,
        "gr": _HIGHER,
        "gr_none": _HIGHER,
        "gr_multi": _HIGHER,
        "rs": _HIGHER,
        "rr": _HIGHER,
        "right_to_wrong": _LOWER,
        "follow_gain": _NEAR,
        "moved_rate": _LOWER,
        "or_distance": _LOWER,
        "no_answer": _LOWER,
        "*": _TELLS,
    },
    "mathcomp": {
        "framing_pull": _NEAR,
        "framing_pull_*": _NEAR,
        "accuracy": _HIGHER,
        "identity_gap_*": _LOWER,
        "dir_err_*": _LOWER,
        "unparsed*": _LOWER,
        "*": _TELLS,
    },
    "format_bias": {
        "bias_f": _BIAS,
        "bias_f_over_followed": _BIAS,
        "fi_variance": _BIAS,
        "fi": _HIGHER,
        "sys_e": _HIGHER,
        "est_true": _HIGHER,
        "est_true_strict": _HIGHER,
        "map_as_published": _TELLS,
        "*": _MARK,
    },
    "binary_qa": {
        "mbs": Fact("higher", _SCORE, _SCORE_MARGIN),
        "mbs_core": Fact("higher", _SCORE, _SCORE_MARGIN),
        "f1": _HIGHER,
        "delta_recall": _NEAR,
        "delta_precision": _NEAR,
        "prc": _HIGHER,
        "nrc": _HIGHER,
        "arc": _HIGHER,
        "sc": _HIGHER,
        "no_answer": _LOWER,
        "said_no": _TELLS,
        "stdev_*": _SPREAD,
    },
}


def fact(task: str, metric: str) -> Fact:
    """How to judge a metric of a task; the longest name in the table that fits counts."""
    table = FACTS.get(task, {})
    for name in (metric, *_stems(metric)):
        if name in table:
            return table[name]
    return _MARK


def _stems(metric: str) -> Iterator[str]:
    """Every beginning of the name with a star, the longest first."""
    for end in range(len(metric), -1, -1):
        yield f"{metric[:end]}*"
