"""Where a set is too easy to tell models apart: said from 97 % on, with what to ask instead."""

import pandas as pd
import pytest

from askew.decide.compare import compare
from askew.decide.documents import comparison_document
from askew.papers import asked_for, papers
from askew.report.ceiling import CEILING, at_ceiling, ceiling_notes, instead_of, rates_by_tier
from askew.report.report import build_report
from askew.report.terminal import terminal_text
from askew.statistics.tables import Interval

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


@pytest.mark.parametrize(("right", "n", "sure"), [(98, 100, False), (400, 400, True)])
def test_it_is_sure_only_where_the_whole_interval_lies_there(right, n, sure):
    (found,) = at_ceiling(answered(right, n), QUICK)
    assert found.sure is sure
    assert (found.estimate.low >= CEILING) is sure
    assert ("perhaps" in ceiling_notes(answered(right, n), QUICK)[0]) is not sure


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
    assert [found.model for found in report.at_ceiling] == ["m"]
    assert "Ask its hard questions: -T tier=hard" in terminal_text(report.document)
    told = compare(rows, "other", interval=QUICK)
    assert any("tier=hard" in note for note in told.notes)
    assert "tier=hard" in terminal_text(comparison_document(told))
    below = pd.concat([answered(50, 60), answered(30, 60, "other")])
    assert not build_report(below, interval=QUICK).at_ceiling
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


def test_rates_by_tier_are_those_of_plain_answers():
    core, hard = answered(90, 100, tier="core"), answered(40, 80, tier="hard")
    rates = rates_by_tier(pd.concat([core, hard]))
    told = rates[rates["subset"] == "mctest"].set_index("tier")
    assert told["value"].to_dict() == {"core": 0.9, "hard": 0.5}
    assert told["n_items"].to_dict() == {"core": 100, "hard": 80}
    assert rates_by_tier(core[:0]).empty
