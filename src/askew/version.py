"""The version of askew that is installed."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("askew")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0"
