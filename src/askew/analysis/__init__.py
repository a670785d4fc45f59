"""Logs to observations, observations to tables, plots and reports.

Everything is imported on first use: reading needs Inspect, reports need charts, and whoever
wants one should not wait for the other.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askew.analysis.columns import observation_columns
    from askew.analysis.export import write_observations
    from askew.analysis.reading import read_observations
    from askew.analysis.reading_report import left_out
    from askew.analysis.report import export_charts, write_report
    from askew.analysis.summary import summarize

_HOMES = {
    "export_charts": "askew.analysis.report",
    "left_out": "askew.analysis.reading_report",
    "observation_columns": "askew.analysis.columns",
    "read_observations": "askew.analysis.reading",
    "summarize": "askew.analysis.summary",
    "write_observations": "askew.analysis.export",
    "write_report": "askew.analysis.report",
}

__all__ = [
    "export_charts",
    "left_out",
    "observation_columns",
    "read_observations",
    "summarize",
    "write_observations",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'askew.analysis' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
