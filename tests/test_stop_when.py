"""An audit of all tasks that stops early: what is not asked, and what is said of it."""

import re
from pathlib import Path

import pytest
from inspect_ai import eval

from askew.audit import read_audit
from askew.decide.documents import gate_document
from askew.decide.gate import gate, missing_evidence
from askew.decide.policy import Policy, Rule
from askew.logs.tables import STOPPED
from askew.papers import get_paper, papers
from askew.report.render import terminal_text
from askew.report.study import Study
from askew.stats.tables import Interval

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.whole
# Wide enough that each task stops at one of its first looks; few are under way by then.
WIDTH = 0.9
# A rate and a variance; the width of each paper's headline is tested in tests/scoring.
ASKED = {"knowno": {"items": 60}, "format_bias": {"items": 60, "category": "mcq"}}


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    """A log of each task, by task, and the folder that holds them."""
    folder = tmp_path_factory.mktemp("stopped")
    logs = {}
    for task in ASKED:
        (logs[task],) = eval(
            get_paper(task).make(stop_when=WIDTH, **ASKED[task]), model="respondent/oracle",
            display="none", log_dir=str(folder), max_samples=16, max_connections=16,
        )  # fmt: skip
    return folder, logs


@pytest.mark.parametrize("task", ASKED)
def test_a_task_stops_after_whole_items(audit, task):
    log = audit[1][task]
    assert log.status == "success"
    told = log.results.early_stopping.metadata
    assert told["stopped"]
    assert told["headline"] == get_paper(task).headlines[0] or task == "format_bias"
    assert told["low"] <= told["value"] <= told["high"]
    assert len(log.samples) == told["samples"] < told["of_samples"]
    skipped = {str(stop.id) for stop in log.results.early_stopping.early_stops}
    asked = {str(sample.id) for sample in log.samples}
    assert not asked & skipped
    item = lambda name: name.partition("/")[0]  # noqa: E731
    assert not {*map(item, asked)} & {*map(item, skipped)}


def test_every_early_stop_is_explained_and_no_sample_is_missing(audit):
    observations = Study.read(str(audit[0]), quiet=True)
    out = observations.excluded
    stopped = out[out["what"] == STOPPED]
    assert set(stopped["task"]) == {*ASKED}
    assert not (out["what"] == "not run").any()
    for run in observations.runs:
        why = stopped[stopped["task"] == run.task]["why"].iloc[0]
        told = audit[1][run.task].results.early_stopping.metadata
        assert run.planned == told["samples"] == run.scored
        assert f"after {told['items']} of {told['of_items']} items" in why
        assert f"stop_when={WIDTH}" in why
    policy = Policy.model_construct(models=[], max_left_out=0.02, allow_simulated=True)
    assert list(missing_evidence(observations, policy)) == []


def test_a_gate_reports_that_a_run_stopped_early(audit):
    observations = Study.read(str(audit[0]), quiet=True)
    rule = Rule(task="knowno", metric="omni_accuracy", min=0.1)
    policy = Policy(version=1, rules=[rule], allow_simulated=True)
    decided = gate(observations, policy, Interval(resamples=60))
    (told,) = decided.stopped
    assert told.startswith("knowno, respondent/oracle: stopped early after ")
    document = gate_document(decided)
    assert told in terminal_text(document)
    assert document.data()["about"]["stopped_early"] == (told,)


def test_the_docs_have_the_item_and_sample_counts_of_the_audit():
    told = (ROOT / "docs" / "how-to/stop-early.md").read_text(encoding="utf-8")
    asked = read_audit(ROOT / "docs" / "examples" / "stopping.yaml").tasks
    assert [t.task for t in asked] == [p.task for p in papers()]
    for given in asked:
        assert given.parameters["stop_when"] == 0.2
        samples = get_paper(given.task).make(**given.parameters).dataset
        ids = [str(sample.id) for sample in samples]
        items = {i.rpartition("/")[0] if given.task == "bend" else i.partition("/")[0] for i in ids}
        of = r" [\d,]+ of "
        row = rf"`{given.task}`[^|]*\|[^|]*\|{of}{len(items):,} \|{of}{len(ids):,} \|"
        assert re.search(row, told), row
