"""askew: does the way we ask bend the answer?

The public API is small. Tasks: ``askew.papers``. Formulas and metric tables: ``askew.metrics``.
Logs to numbers: ``askew.analysis`` (``read_observations``, ``summarize``, ``write_report``). In a
notebook: ``headlines``, ``flips``, ``compare``, ``gate`` give narrow tables, ``plot`` figures.
Everything is imported on first use, so ``import askew`` costs next to nothing.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askew import plot as plot
    from askew.analysis import Study, compare_logs, read_observations, summarize, write_report
    from askew.notebook import compare, flips, gate, headlines

__all__ = [
    "Study",
    "__version__",
    "compare",
    "compare_logs",
    "flips",
    "gate",
    "headlines",
    "plot",
    "read_observations",
    "summarize",
    "write_report",
]
_NARROW = ("compare", "flips", "gate", "headlines")

try:
    __version__ = version("askew")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0"


def __getattr__(name: str) -> Any:
    if name == "plot":
        return import_module("askew.plot")
    if name in __all__:
        home = import_module("askew.notebook" if name in _NARROW else "askew.analysis")
        return getattr(home, name)
    raise AttributeError(f"module 'askew' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
