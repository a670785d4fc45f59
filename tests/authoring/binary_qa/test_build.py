"""Building a Binary QA set: its cost, its audit trail, what stops it, and what comes out."""

from collections import Counter
from dataclasses import replace

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from askew.papers.binary_qa.items import load
from askew.papers.binary_qa.paper import SUBSETS
from askew.papers.binary_qa.tasks import binary_qa
from askew.respondents import provider
from askew_authoring import building
from askew_authoring.binary_qa import build as builder
from askew_authoring.binary_qa import sources as sources_of_sets
from askew_authoring.binary_qa.build import SheetRow, finish_build, plan_build
from askew_authoring.binary_qa.lint import find
from askew_authoring.binary_qa.rules import WORDINGS
from askew_authoring.building import read_sheet, run_build, write_sheet
from tests.authoring.binary_qa import source_files as made

ORACLE = "respondent/oracle"
pytestmark = pytest.mark.whole


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """The five data sets as small files in a mirror, pinned to what they hold."""
    folder = tmp_path / "mirror"
    monkeypatch.setattr(sources_of_sets, "FILES", made.pinned(made.write_all(folder, 40)))
    monkeypatch.setenv("ASKEW_MIRROR", str(folder))
    return folder


@pytest.fixture
def build(tmp_path, sources):
    """Plan and run a small build into one folder."""

    def _build(model=ORACLE, checker=ORACLE, domains="reading", items=4):
        plan = plan_build(model, tmp_path / "set", checker, domains, items)
        return run_build(plan, display="none", log_level="error", retry_attempts=0, retry_wait=0.01)

    return _build


@pytest.fixture
def model_calls(monkeypatch):
    """What the simulated models were asked, by sample; may be told to fail."""
    honest, record = building.reply, {"calls": Counter(), "fails": set()}

    def reply(truth, *others):
        record["calls"][truth["sample_id"]] += 1
        if truth["sample_id"] in record["fails"]:
            raise RuntimeError("the line went dead")
        return honest(truth, *others)

    monkeypatch.setattr(building, "reply", reply)
    provider.answerer_of.cache_clear()
    yield record
    provider.answerer_of.cache_clear()


def decide(sheet, verdict):
    """Write a verdict into every row that has none, as a person would in a spreadsheet."""
    rows = read_sheet(sheet, SheetRow)
    decided = [replace(row, accept=row.accept or verdict(row)) for row in rows]
    write_sheet(sheet, SheetRow, decided)


def test_the_cost_is_known_before_any_model_call(tmp_path, sources, model_calls):
    plan = plan_build("respondent/typical", tmp_path / "set", ORACLE, None, items=8, spares=1)
    drawn = {name.partition("-")[0]: len(task.dataset) for name, task in plan.tasks.items()}
    n_items, (writes, checks) = sum(drawn.values()), plan.calls
    assert n_items > 5 * 8
    assert (writes, checks) == (4 * n_items + drawn["numerical"], 5 * n_items)
    text = plan.describe()
    assert f"{n_items:,} items" in text
    assert f"{writes:,} of respondent/typical" in text
    assert not model_calls["calls"]
    assert not (tmp_path / "set").exists()


def test_all_five_domains_become_a_balanced_file_that_the_task_takes(build, tmp_path):
    done = build(domains=None)
    assert (done.n_items, done.left) == (20, {})
    out = tmp_path / "set.jsonl"
    result = finish_build(done.sheet, out, items=4, trust_checks=True)
    assert (len(result.records), result.pending, result.rejected) == (20, [], [])
    items = load(str(out)).items
    assert Counter((i.subset, i.answer) for i in items) == {
        (s, a): 2 for s in SUBSETS for a in ("Yes", "No")
    }
    assert [f for f in find(items) if f.kind != "form rule"] == []
    assert len(binary_qa(data=str(out)).dataset) == 20 * 8


def test_nothing_is_written_before_a_person_has_decided_and_the_log_is_the_trail(build, tmp_path):
    done, out = build(), tmp_path / "set.jsonl"
    assert done.undecided == 4 * 4
    assert len(finish_build(done.sheet, out).pending) == 4
    assert not out.exists()
    decide(done.sheet, lambda row: "no" if row.answer == "No" else "yes")
    result = finish_build(done.sheet, out)
    assert (result.records, len(result.rejected)) == ([], 4)
    (log,) = list_eval_logs(str(tmp_path / "set" / "logs"))
    found = read_eval_log(log)
    (source,) = found.eval.metadata["sources"]
    assert (source["revision"], len(source["sha256"])) == ("made/boolq@1", 64)
    for sample in found.samples:
        assert sum(e.event == "model" for e in sample.events) == 9
        assert set(sample.metadata["written"]) == set(WORDINGS)


def test_a_rewrite_that_breaks_its_rule_is_retried_and_then_reported(build, tmp_path, model_calls):
    done = build(model="respondent/agreeable")
    assert all(r.problems for r in read_sheet(done.sheet, SheetRow) if r.form != "original")
    assert set(model_calls["calls"].values()) == {4 * 3 + 5}
    assert finish_build(done.sheet, tmp_path / "set.jsonl", trust_checks=True).records == []


def test_items_that_failed_are_named_and_built_by_the_next_run(build, model_calls, tmp_path):
    model_calls["fails"] = {d.id for d in builder.drawn_items("reading", 8, 0, 0)[:3]}
    first = build(items=8)
    assert first.left == {"binary_qa_builder_reading: not built, run again": 3}
    assert first.n_items == 5
    decide(first.sheet, lambda row: "yes")
    whole = dict(model_calls["calls"])

    failed, model_calls["fails"] = model_calls["fails"], set()
    second = build(items=8)
    assert (second.left, second.n_items) == ({}, 8)
    assert {i for i in model_calls["calls"] if model_calls["calls"][i] > whole.get(i, 0)} == failed
    # The person's work of the first run is still there.
    assert second.undecided == 3 * 4


def test_a_source_out_of_reach_is_named_and_the_rest_is_built(build, sources, tmp_path):
    (sources / "boolq.parquet").unlink()
    plan = plan_build(ORACLE, tmp_path, ORACLE, "reading,ethics", 4)
    (told,) = [line for line in plan.describe().split("\n") if "not built" in line]
    assert told.startswith("reading: not built. ")
    assert "boolq.parquet could not be had" in told
    done = build(domains="reading,ethics")
    assert {r.subset for r in read_sheet(done.sheet, SheetRow)} == {"ethics"}
