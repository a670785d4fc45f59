"""Formulas (numbers in, number out) and metric tables (observations in, rows out)."""

from askew.metrics.omni import knowno, omni_accuracy
from askew.metrics.stats import t_interval, wilson
from askew.metrics.tables import Interval

__all__ = ["Interval", "knowno", "omni_accuracy", "t_interval", "wilson"]
