"""Building a Binary QA set: its cost, its audit trail, what stops it, and what comes out."""

import csv
from collections import Counter

import pytest

from askew.papers.binary_qa.items import load
from askew.papers.binary_qa.paper import SUBSETS
from askew.papers.binary_qa.tasks import binary_qa
from askew.respondents import provider
from askew_authoring.binary_qa import rewriting
from askew_authoring.binary_qa.build import finish_build, plan_build, run_build
from askew_authoring.binary_qa.lint import find
from tests.authoring.binary_qa import source_files as made

ORACLE = "respondent/oracle"
pytestmark = pytest.mark.whole


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """The five data sets as small files in a mirror, pinned to what they hold."""
    folder = tmp_path / "mirror"
    monkeypatch.setattr(rewriting, "FILES", made.pinned(made.write_all(folder, 40)))
    monkeypatch.setenv("ASKEW_MIRROR", str(folder))
    return folder


@pytest.fixture
def build(tmp_path, sources):
    """Plan and run a small build into one folder."""

    def _build(model=ORACLE, checker=ORACLE, domains="reading", items=4, **more):
        plan = plan_build(model, tmp_path / "set", checker, domains, items, **more)
        return run_build(plan, display="none", log_level="error", retry_attempts=0, retry_wait=0.01)

    return _build


@pytest.fixture
def asked(monkeypatch):
    """What the simulated models were asked, by sample; may be told to fail."""
    honest = rewriting.reply
    record = {"calls": Counter(), "fails": set()}

    def reply(truth, *others):
        record["calls"][truth["sample_id"]] += 1
        if truth["sample_id"] in record["fails"]:
            raise RuntimeError("the line went dead")
        return honest(truth, *others)

    monkeypatch.setattr(rewriting, "reply", reply)
    provider.answerer_of.cache_clear()
    yield record
    provider.answerer_of.cache_clear()


def decide(sheet, verdict):
    """Write a verdict into every row that has none, as a person would in a spreadsheet."""
    with sheet.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        rows = [row | {"accept": row["accept"] or verdict(row)} for row in reader]
    with sheet.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, reader.fieldnames)
        writer.writeheader()
        writer.writerows(rows)


# --- what it costs ---


def test_the_cost_is_known_before_anything_is_asked(tmp_path, sources, asked):
    plan = plan_build("respondent/typical", tmp_path / "set", ORACLE, None, items=8, spares=1)
    numbers = len(plan.drawn["numerical"])
    assert plan.n_items == sum(map(len, plan.drawn.values())) > 5 * 8
    assert plan.writer_calls == 4 * plan.n_items + numbers
    assert plan.checker_calls == 5 * plan.n_items
    assert plan.input_tokens > 50 * (plan.writer_calls + plan.checker_calls)
    text = plan.describe()
    for told in (f"{plan.n_items:,} items", f"{plan.writer_calls:,} of respondent/typical"):
        assert told in text
    assert f"{plan.input_tokens:,} tokens in" in text
    assert not asked["calls"]
    assert not (tmp_path / "set").exists()


# --- from sources to a file ---


def test_all_five_domains_become_a_balanced_file_that_the_task_takes(build, tmp_path):
    done = build(domains=None, items=4)
    assert (done.n_items, done.incomplete, done.unreachable) == (20, {}, {})
    out = tmp_path / "set.jsonl"
    result = finish_build(done.sheet, out, items=4, trust_checks=True)
    assert (len(result.records), result.pending, result.rejected) == (20, [], [])
    items = load(str(out)).items
    assert Counter((i.subset, i.answer) for i in items) == {
        (s, a): 2 for s in SUBSETS for a in ("Yes", "No")
    }
    assert [f for f in find(items) if f.kind != "form rule"] == []
    assert len(binary_qa(data=str(out)).dataset) == 20 * 8


# --- checks ---


# --- the audit trail ---


def verify_forms():
    return ("original", "synonym", "hedged", "contradictory", "false_framing")


# --- what stops it ---
