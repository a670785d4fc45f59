"""Logs to a study, a study to tables, plots and reports.

Everything is imported on first use: reading needs Inspect, reports need charts, and whoever
wants one should not wait for the other.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askew.logs.observations import observation_columns as observation_columns
    from askew.report.card import write_cards as write_cards
    from askew.report.exchange import read_exchange as read_exchange
    from askew.report.exchange import write_exchange as write_exchange
    from askew.report.report import export_charts as export_charts
    from askew.report.report import write_report as write_report
    from askew.report.study import Study as Study
    from askew.report.study import read_observations as read_observations
    from askew.report.study import summarize as summarize
    from askew.report.study import write_observations as write_observations

_HOMES = {
    "Study": "askew.report.study",
    "export_charts": "askew.report.report",
    "observation_columns": "askew.logs.observations",
    "read_exchange": "askew.report.exchange",
    "read_observations": "askew.report.study",
    "summarize": "askew.report.study",
    "write_cards": "askew.report.card",
    "write_exchange": "askew.report.exchange",
    "write_observations": "askew.report.study",
    "write_report": "askew.report.report",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'askew.analysis' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
