"""Formulas (numbers in, number out) and metric tables (observations in, rows out)."""

from askew.metrics.binary import binary_qa
from askew.metrics.binary_baseline import random_guesser
from askew.metrics.binary_score import (
    model_binary_core,
    model_binary_parts,
    model_binary_score,
)
from askew.metrics.omni import knowno, omni_accuracy
from askew.metrics.stats import t_interval, wilson
from askew.metrics.tables import Interval

__all__ = [
    "Interval",
    "binary_qa",
    "knowno",
    "model_binary_core",
    "model_binary_parts",
    "model_binary_score",
    "omni_accuracy",
    "random_guesser",
    "t_interval",
    "wilson",
]
