"""Where a set is too easy to tell models apart: said from 97 % on, with what to ask instead."""

import json
from xml.etree import ElementTree

import pandas as pd
import pytest

from askew.decide.documents import gate_document, junit_xml
from askew.decide.gate import gate
from askew.decide.policy import Policy
from askew.metrics import wilson
from askew.papers import get_paper, papers
from askew.report.caveats import SURE, instead_of, plain_rows, rates
from askew.report.render import terminal_text, write_document
from askew.report.study import Study
from askew.stats.tables import Interval
from tests.cases import cases
from tests.report.ceilings import answered

QUICK = Interval(resamples=200)


def at_ceiling(*given):
    return [*Study(*given).ceilings().found]


def ceiling_notes(*given):
    return Study(*given).ceilings().notes


def test_ceiling_is_reported_from_97_percent():
    for right, said in ((100, True), (98, True), (97, True), (96, False), (60, False)):
        found = at_ceiling(answered(right, 100), QUICK)
        assert bool(found) is said, right


@cases("right", "n", "sure")
def test_it_is_sure_only_where_fewer_than_five_points_can_be_left(right, n, sure):
    (found,) = at_ceiling(answered(right, n), QUICK)
    assert (found.ceiling == "at") is sure
    assert (found.low >= SURE) is sure
    (said,) = ceiling_notes(answered(right, n), QUICK)
    assert ("m: at ceiling, fewer than 5 points" in said) is sure
    assert ("m: possibly at ceiling" in said) is not sure


def test_ceiling_is_of_enough_items_in_the_plain_condition():
    assert not at_ceiling(answered(19, 19), QUICK)
    assert at_ceiling(answered(20, 20), QUICK)
    assert not at_ceiling(answered(50, 50, hint="no_hint"), QUICK)
    assert at_ceiling(pd.concat([answered(0, 50, hint="no_hint"), answered(50, 50)]), QUICK)


def test_each_tier_is_looked_at_and_the_next_one_is_named():
    both = pd.concat([answered(60, 60), answered(30, 60, tier="hard")])
    for rows in (both, answered(60, 60, tier="hard"), answered(60, 60, tier="")):
        (said,) = ceiling_notes(rows, QUICK)
        assert "-T data=generated" in said
        assert ("MC-Test (core) 100.0%" in said) == (rows is both)


def test_ceiling_of_all_subsets_together_is_reported_once():
    rows = pd.concat([answered(60, 60), answered(60, 60, subset="bank77")])
    (found,) = at_ceiling(rows, QUICK)
    assert (found.subset, found.n_items) == ("all", 120)
    rows = pd.concat([answered(60, 60), answered(20, 60, subset="bank77")])
    assert [f.subset for f in at_ceiling(rows, QUICK)] == ["mctest"]


@pytest.mark.parametrize("paper", papers(), ids=lambda p: p.task)
def test_every_paper_declares_what_is_plain_in_it(paper):
    assert paper.plain
    for condition in paper.plain:
        for name, value in condition.items():
            factor = paper.factor(name)
            assert factor.free or str(value) in factor.conditions


@pytest.mark.parametrize("paper", [p for p in papers() if p.has("items")], ids=lambda p: p.task)
def test_every_bundled_subset_has_a_hard_tier_to_run_instead(paper):
    found = {(item.subset, item.tier) for item in paper.items.load("bundled").items}
    sets = paper.selection("bundled")
    assert paper.selection("file") == ()
    assert found == {(subset, tier) for subset in sets for tier in ("core", "hard")}
    for subset in ("all", *sets):
        wanted = "-T data=generated" if paper.has_levels else "-T tier=hard"
        assert wanted in instead_of(paper, subset, "core")
        assert not paper.has_levels or "-T difficulty=8-10" in instead_of(paper, subset, "", 7)


def test_a_cluster_in_two_subsets_counts_once():
    rows = pd.concat([answered(30, 30).assign(subset=name) for name in ("mctest", "bank77")])
    rows = rows.assign(right=rows["correct"])

    def low(unit):
        found = rates(rows.assign(cluster=unit)).set_index("subset")["low"]
        return found["all"]

    assert low(rows["item"]) == pytest.approx(wilson(1.0, 30)[0])
    assert low(rows["subset"] + rows["item"]) == pytest.approx(wilson(1.0, 60)[0])


def test_rates_are_those_of_plain_answers_by_tier():
    both = pd.concat([answered(90, 100, tier="core"), answered(40, 80, tier="hard")])
    found = rates(plain_rows(get_paper("knowno"), both))
    told = found[found["subset"] == "mctest"].set_index("tier")
    assert told["value"].to_dict() == {"core": 0.9, "hard": 0.5}
    assert told["n_items"].to_dict() == {"core": 100, "hard": 80}


HIGH = [answered(60, 60), answered(60, 60, tier="hard"), answered(48, 60, "b", order=1)]
POLICY = Policy.model_validate(
    {"version": 1, "rules": [{"metric": "with_gold", "task": "knowno", "min": 0.5}]}
)


@pytest.fixture
def both():
    """One model that is right in all questions, and one in four of five."""
    return pd.concat(HIGH, ignore_index=True)


def test_a_gate_reports_questions_that_were_too_easy(both, tmp_path):
    decided = gate(Study(both), POLICY, QUICK)
    assert {c.model: c.ceiling for c in decided.checks} == {"m": "perhaps at", "b": ""}
    assert decided.verdict == "PASS: 2 passed, 0 failed, 0 inconclusive"
    text = terminal_text(gate_document(decided))
    assert "its questions" in text.splitlines()[0]
    assert "knowno, m: possibly at ceiling" in text
    cases = ElementTree.fromstring(junit_xml(decided)).iter("testcase")
    said = {c.get("classname"): c.findtext("system-out") for c in cases}
    assert said["knowno.b"] is None
    assert "data=generated" in said["knowno.m"]
    told = json.loads(write_document(gate_document(decided), tmp_path / "g.json").read_text())
    assert [c["model"] for c in told["tables"]["ceilings"]] == ["m", "m"]
    below = gate(Study(HIGH[2]), POLICY, QUICK)
    assert "ceiling" not in terminal_text(gate_document(below))
    assert "its questions" not in terminal_text(gate_document(below))
