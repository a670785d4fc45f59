"""Moved to `askew.report.series_charts`."""

from askew.report.series_charts import Step, line_plot

__all__ = ["Step", "line_plot"]
