"""A terminal that shows progress at once."""

import io
from types import SimpleNamespace

import pytest


class _Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    """What is shown on stderr, where that is a terminal and nobody waits before it is shown."""
    shown = _Terminal()
    monkeypatch.setattr("askew.progress.sys", SimpleNamespace(stderr=shown))
    return shown
