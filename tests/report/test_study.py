"""What is read, and computed of it, once."""

from collections import Counter

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.logs import observations
from askew.papers import get_paper
from askew.report import report, study
from askew.report.evidence import evidence_of
from askew.report.study import Study
from askew.schema import Paper
from tests.logs.made_logs import a_log, a_sample, a_score, written

HINTS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")
POLICY = """
version: 1
max_left_out: 1.0
rules:
  - {task: knowno, metric: omni_accuracy, min: 0.2}
"""


@pytest.fixture
def calls(monkeypatch):
    """How often each step of the way from logs to a page is taken."""
    counts = Counter()

    def counted(name, work):
        def once_more(*given, **how):
            counts[name] += 1
            return work(*given, **how)

        return once_more

    def count(module, name):
        monkeypatch.setattr(module, name, counted(name, getattr(module, name)))

    for name in ("read_logs", "model_labels", "latest_attempts", "account_for"):
        count(observations, name)
    for name in ("read_tables", "_in_one_table", "ceilings"):
        count(study, name)
    count(report, "chapter")
    table = Paper.table.fget
    monkeypatch.setattr(Paper, "table", property(lambda paper: counted("table", table(paper))))
    return counts


@pytest.fixture
def logs(tmp_path):
    folder = tmp_path / "logs"
    for model, right in (("lab/one", 1.0), ("lab/two", 0.0)):
        samples = [
            a_sample(f"i{n}", hint, score=a_score(right if n % 2 else 1.0))
            for n in range(8) for hint in HINTS
        ]  # fmt: skip
        written(a_log(samples, model=model), folder, f"{model[4:]}.eval")
    return folder


def test_a_report_passes_each_room_once(calls, logs, tmp_path, monkeypatch):
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    outputs = [part for kind in ("html", "md", "json") for part in ("-o", tmp_path / f"r.{kind}")]
    asked = ["report", logs, *outputs, "--policy", tmp_path / "policy.yaml", "--quiet"]
    done = CliRunner().invoke(main, [*map(str, asked), "--baseline", "lab/one"])
    assert done.exit_code == 0, done.output
    # One more for the pair of models, on the samples that both answered.
    tables = calls.pop("table")
    assert calls == dict.fromkeys(calls, 1)
    assert tables == 2


def test_each_number_is_computed_once(calls, logs):
    read = Study.read(logs, quiet=True)
    assert read.summary() is read.summary()
    assert read.summary(None) is read.summary(None) is not read.summary()
    assert read.ceilings() is read.ceilings()
    assert calls["table"] == 2
    assert list(read.by_task) == ["knowno"]
    assert get_paper("knowno").task in {run.task for run in read.runs}
    assert [m.label for m in read.models] == ["lab/one", "lab/two"]


def test_an_inconclusive_value_reports_the_items_of_its_subset(tmp_path):
    items = {"mctest": 50, "bank77": 70}
    samples = [
        a_sample(f"{s}{n}", hint, subset=s, score=a_score(float(n % 5 > 1 or hint == "with_gold")))
        for s in ("mctest", "bank77") for n in range(24) for hint in HINTS
    ]  # fmt: skip
    told = a_log(samples).eval.metadata | {"data_items": items}
    written(a_log(samples, metadata=told), tmp_path, "told.eval")
    written(a_log(samples, model="lab/untold"), tmp_path, "untold.eval")
    asked = Study.read(tmp_path, quiet=True)
    assert {r.model: r.items for r in asked.runs} == {"openai/gpt-5": items, "lab/untold": {}}
    found, evidence = asked.models, evidence_of(asked, "knowno")
    there = {m.label: evidence.there("gap", m, {}) for m in found}
    assert there == {"openai/gpt-5": 120, "lab/untold": 0}
    one = {m.label: evidence.there("gap", m, {"subset": "bank77"}) for m in found}
    assert one == {"openai/gpt-5": 70, "lab/untold": 0}
