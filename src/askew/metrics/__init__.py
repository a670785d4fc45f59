"""Formulas (numbers in, number out) and metric tables (observations in, rows out)."""

from askew.metrics.binary import binary_qa
from askew.metrics.binary_baseline import random_guesser
from askew.metrics.binary_score import (
    model_binary_core,
    model_binary_parts,
    model_binary_score,
)
from askew.metrics.boundary import instruction_boundary, robustness_score
from askew.metrics.direction import dir_err, framing_pull, mathcomp
from askew.metrics.formats import bias_f, est_true, est_true_reliable, format_bias
from askew.metrics.mitigation import mitigates, mitigation_verdict
from askew.metrics.omni import knowno, omni_accuracy
from askew.metrics.stats import t_interval, wilson
from askew.metrics.tables import Interval

__all__ = [
    "Interval",
    "bias_f",
    "binary_qa",
    "dir_err",
    "est_true",
    "est_true_reliable",
    "format_bias",
    "framing_pull",
    "instruction_boundary",
    "knowno",
    "mathcomp",
    "mitigates",
    "mitigation_verdict",
    "model_binary_core",
    "model_binary_parts",
    "model_binary_score",
    "omni_accuracy",
    "random_guesser",
    "robustness_score",
    "t_interval",
    "wilson",
]
