"""Where a set is too easy to tell models apart: said from 97 % on, with what to ask instead."""

import runpy
from pathlib import Path

import pandas as pd
import pytest

from askew.decide.compare import compare
from askew.decide.documents import comparison_document
from askew.papers import asked_for, papers
from askew.report.ceiling import (
    CEILING,
    SURE,
    Rule,
    at_ceiling,
    ceiling_notes,
    instead_of,
)
from askew.report.report import build_report
from askew.report.terminal import terminal_text
from askew.statistics.tables import Interval

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
QUICK = Interval(resamples=200)
PLAIN = {"hint": "with_gold", "task": "knowno", "epoch": 1, "order": 0, "outcome": "ok"}


def answered(right, n, model="m", tier="core", subset="mctest", **other):
    """Rows of `n` questions of which the first `right` are right where nothing bends."""
    rows = pd.DataFrame(
        {
            **PLAIN, "model": model, "subset": subset, "tier": tier, "item": f"{tier}{subset}{i}",
            "unit": f"{tier}{subset}{i}", "correct": float(i < right), "answer": "a",
            "pattern": "offered", "said_none": 0.0, "status": "scored", "model_name": model,
            "run": model, "sample_id": f"{tier}{subset}{i}/with_gold/0", "log": "l", **other,
        }
        for i in range(n)
    )  # fmt: skip
    return rows


def test_from_97_percent_on_it_is_said_and_below_not():
    assert CEILING == 0.97
    for right, said in ((100, True), (98, True), (97, True), (96, False), (60, False)):
        found = at_ceiling(answered(right, 100), QUICK)
        assert bool(found) is said, right


@pytest.mark.parametrize(
    ("right", "n", "sure"),
    [(98, 100, False), (30, 30, False), (72, 72, False), (73, 73, True), (400, 400, True)],
)
def test_it_is_sure_only_where_fewer_than_five_points_can_be_left(right, n, sure):
    (found,) = at_ceiling(answered(right, n), QUICK)
    assert found.sure is sure
    assert (found.estimate.low >= SURE) is sure
    (said,) = ceiling_notes(answered(right, n), QUICK)
    assert ("m: at the ceiling, too easy" in said) is sure
    assert ("perhaps at the ceiling, too easy" in said) is not sure
    assert ("not sure that fewer than 5 points are left" in said) is not sure


def test_whoever_wants_another_rule_gives_it():
    rows = answered(60, 60)
    (found,) = at_ceiling(rows, QUICK, Rule(sure_from=0.93))
    assert found.sure
    assert "7 points" in ceiling_notes(rows, QUICK, Rule(sure_from=0.93))[0]
    assert not at_ceiling(answered(98, 100), QUICK, Rule(said_from=0.99))
    assert at_ceiling(answered(10, 10), QUICK, Rule(least=10))
    with pytest.raises(ValueError, match="sure_from the smaller"):
        Rule(said_from=0.9)


@pytest.fixture
def counted(monkeypatch):
    """The benchmark that counts how often each is said."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return runpy.run_path(str(BENCHMARKS / "ceiling.py"))


def test_what_is_claimed_errs_as_rarely_as_it_is_counted(counted):
    """The table of docs/statistics.md, of the rule at hand."""
    said_from, chance_of = counted["said_from"], counted["chance_of"]
    assert said_from(73) == (71, 73)
    assert said_from(60) == (59, 61)
    for n in (73, 120, 300):
        least = said_from(n)[1]
        assert chance_of(least, n, SURE) < 0.03
        (below,) = at_ceiling(answered(least - 1, n), Interval(2_000))
        (found,) = at_ceiling(answered(least, n), Interval(2_000))
        assert (below.sure, found.sure) == (False, True)


def test_of_few_items_nothing_is_said():
    assert not at_ceiling(answered(19, 19), QUICK)
    assert at_ceiling(answered(20, 20), QUICK)


def test_only_the_plain_condition_counts():
    rows = answered(0, 50, hint="no_hint")
    assert not at_ceiling(answered(50, 50, hint="no_hint"), QUICK)
    assert at_ceiling(pd.concat([rows, answered(50, 50)]), QUICK)


def test_each_tier_is_looked_at_and_the_next_one_is_named():
    core, hard = answered(60, 60), answered(30, 60, tier="hard")
    (said,) = ceiling_notes(pd.concat([core, hard]), QUICK)
    assert "MC-Test (core) 100.0%" in said
    assert "-T tier=hard" in said
    (said,) = ceiling_notes(answered(60, 60, tier="hard"), QUICK)
    assert "-T data=paper" in said
    (said,) = ceiling_notes(answered(60, 60, tier=""), QUICK)
    assert "-T data=bundled -T tier=hard" in said


def test_all_sets_together_stand_for_each():
    rows = pd.concat([answered(60, 60), answered(60, 60, subset="bank77")])
    (found,) = at_ceiling(rows, QUICK)
    assert (found.subset, found.estimate.n_items) == ("all", 120)
    rows = pd.concat([answered(60, 60), answered(20, 60, subset="bank77")])
    assert [f.subset for f in at_ceiling(rows, QUICK)] == ["mctest"]


def test_report_and_comparison_say_it():
    rows = pd.concat([answered(60, 60), answered(30, 60, "other")])
    report = build_report(rows, interval=QUICK)
    assert [found.model for found in report.ceilings.found] == ["m"]
    assert "Ask its hard questions: -T tier=hard" in terminal_text(report.document)
    told = compare(rows, "other", interval=QUICK)
    assert any("tier=hard" in note for note in told.notes)
    assert "tier=hard" in terminal_text(comparison_document(told))
    below = pd.concat([answered(50, 60), answered(30, 60, "other")])
    assert not build_report(below, interval=QUICK).ceilings.found
    assert "ceiling" not in "".join(compare(below, "other", interval=QUICK).notes)


@pytest.mark.parametrize("paper", papers(), ids=lambda p: p.task)
def test_every_paper_declares_what_is_plain_in_it(paper):
    assert paper.plain
    for condition in paper.plain:
        for name, value in condition.items():
            factor = paper.factor(name)
            assert factor.free or str(value) in factor.conditions


@pytest.mark.parametrize("paper", [p for p in papers() if p.has("items")], ids=lambda p: p.task)
def test_every_set_of_our_own_has_hard_questions_to_ask_instead(paper):
    found = {(item.subset, item.tier) for item in paper.items.load("bundled").items}
    sets = paper.selection("bundled")
    assert found == {(subset, tier) for subset in sets for tier in ("core", "hard")}
    for subset in ("all", *sets):
        assert instead_of(paper, subset, "core") == "Ask its hard questions: -T tier=hard"


def test_sets_that_are_not_ours_have_no_hard_questions():
    paper = asked_for("instruction_boundary")
    assert "of your own" in instead_of(paper, "folio", "")
    assert "of your own" in instead_of(asked_for("bend"), "all", "")
