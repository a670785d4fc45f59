"""A terminal that shows progress at once."""

import io
from concurrent.futures import ThreadPoolExecutor
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
    monkeypatch.setattr("askew.progress._PATIENCE", 0.0)
    return shown


class _Counting(ThreadPoolExecutor):
    submitted = 0

    def submit(self, *work, **more):
        self.submitted += 1
        return super().submit(*work, **more)


@pytest.fixture
def counting():
    """An executor that counts what it is given to do."""
    with _Counting(1) as executor:
        yield executor
