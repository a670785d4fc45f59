"""What tests of several papers need."""

from types import SimpleNamespace

import pytest


@pytest.fixture
def published(shared_data, monkeypatch):
    """The papers' real files, in the place of the network."""
    monkeypatch.setenv("ASKEW_MIRROR", str(shared_data))
    return shared_data


@pytest.fixture
def judge(monkeypatch):
    """A grader that gives the verdicts put into it in turn, and keeps what it was asked."""
    kept = SimpleNamespace(verdicts=[], asked=[])

    async def ask(asked):
        kept.asked.append(asked)
        if isinstance(given := kept.verdicts.pop(0), Exception):
            raise given
        return given

    monkeypatch.setattr("askew.scoring.grader.ask_grader", ask)
    return kept
