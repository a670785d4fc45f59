"""askew: does the way we ask bend the answer?

The public API is small. Tasks: ``askew.papers``. Formulas and metric tables: ``askew.metrics``.
Logs to numbers: ``askew.analysis`` (``read_observations``, ``summarize``, ``write_report``).
Everything is imported on first use, so ``import askew`` costs next to nothing.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askew.analysis import read_observations, summarize, write_report

try:
    __version__ = version("askew")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0"

__all__ = ["__version__", "read_observations", "summarize", "write_report"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("askew.analysis"), name)
    raise AttributeError(f"module 'askew' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
