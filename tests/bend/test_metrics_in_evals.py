"""bend_metrics in a real eval, as the register's lint asks (pytest_inspect_evals.metrics)."""

import pytest
from pytest_inspect_evals import metrics

from tests.scoring.test_metrics_in_evals import in_an_eval


@pytest.mark.whole
def test_bend_metrics_of_two_epochs_equal_their_value_on_the_same_scores(monkeypatch):
    assert metrics.run_metrics
    in_an_eval("bend", monkeypatch)
