"""Every task's metric in a real eval, as the register's lint asks: all epochs reach it unreduced.

knowno_metrics, instruction_boundary_metrics, mathcomp_metrics, format_bias_metrics and
binary_qa_metrics.
"""

from types import SimpleNamespace

import pytest
from pytest_inspect_evals.metrics import run_metrics

from askew.papers import names
from tests.scoring.test_console import live_scores, shows

pytestmark = pytest.mark.whole
WORDS = SimpleNamespace(encode=lambda text, **_: text.split())


@pytest.mark.parametrize("task", [t for t in names() if t != "bend"])
def test_a_metric_of_two_epochs_in_an_eval_equals_its_value_on_the_same_scores(task, monkeypatch):
    in_an_eval(task, monkeypatch)


def in_an_eval(task, monkeypatch):
    monkeypatch.setattr("tiktoken.get_encoding", lambda name: WORDS)  # it would download one
    scores = live_scores(task, 24)[:48]
    metadata = [s.sample_metadata for s in scores]
    replies = [s.score for s in scores]
    # The second epoch answers as another sample did.
    epochs = [[a, b.model_copy(update={"metadata": a.metadata})] for a, b in
              zip(replies, [*replies[1:], replies[0]], strict=True)]  # fmt: skip
    found = run_metrics([shows(task)], epochs, metadata=metadata)
    given = [
        s.model_copy(update={"score": reply})
        for s, both in zip(scores, epochs, strict=True)
        for reply in both
    ]
    expected = shows(task)(given)
    assert expected
    assert {name.rpartition("/")[2]: v for name, v in found.items()} == pytest.approx(expected)
