"""askew: does the way we ask bend the answer?

The public API is small. Tasks: ``askew.papers``. Formulas and metric tables: ``askew.metrics``.
Logs to numbers: ``askew.analysis`` (``read_observations``, ``summarize``, ``write_report``). In a
notebook: ``headlines``, ``flips``, ``compare``, ``gate`` give narrow tables, ``plot`` figures.
Everything is imported on first use, so ``import askew`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from askew.version import __version__

if TYPE_CHECKING:
    from askew import plot as plot
    from askew.analysis import read_observations, summarize, write_report
    from askew.notebook import compare, flips, gate, headlines
    from askew.report.study import Study

_HOMES = {
    **dict.fromkeys(("read_observations", "summarize", "write_report"), "askew.analysis"),
    "Study": "askew.report.study",
    **dict.fromkeys(("compare", "flips", "gate", "headlines"), "askew.notebook"),
}
__all__ = [
    "Study",
    "__version__",
    "compare",
    "flips",
    "gate",
    "headlines",
    "plot",
    "read_observations",
    "summarize",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name == "plot":
        return import_module("askew.plot")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'askew' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
