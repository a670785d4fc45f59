"""What tests of several papers need."""

import pytest


@pytest.fixture
def published(shared_data, monkeypatch):
    """The papers' real files, in the place of the network."""
    monkeypatch.setenv("ASKEW_MIRROR", str(shared_data))
    return shared_data
