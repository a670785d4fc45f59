"""Moved to `askew.report.series_charts`."""

from askew.report.series_charts import Bands, heat_map

__all__ = ["Bands", "heat_map"]
