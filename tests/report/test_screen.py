"""The first screen: which model is bent by what, from a policy and a baseline too."""

from dataclasses import replace
from functools import cache

import pandas as pd
import pytest

from askew.decide.documents import decide
from askew.decide.policy import Policy, Rule
from askew.logs.tables import Run
from askew.report.blocks import SummaryTable
from askew.report.estimates import DETECTED, INCONCLUSIVE
from askew.report.report import build_report, make_summary
from askew.report.study import Study
from askew.stats.tables import Interval
from tests.cases import cases_of
from tests.report.observed import observed
from tests.report.simulated import made

# By task: the respondent whose tendency is planted there, what is asked, and as many items as tell.
PLANTED = cases_of(__file__, "PLANTED")
# What is said of a model where that is shown.
FOUND = cases_of(__file__, "FOUND")
# The tendencies of these are without any effect, in every task.
UNBENT = ("oracle", "chatty")
ROUGH = Interval(resamples=300)


def biased(task: str) -> str:
    """The model that is bent in a task: every second task has the same."""
    return f"x/bent-{[*PLANTED].index(task) % 2}"


@cache
def four_models() -> pd.DataFrame:
    """Two models, each bent in other tasks and else an oracle, and two that nothing bends."""
    parts = []
    for task, (respondent, items, asked) in PLANTED.items():
        rows = {r: made(task, items, **asked).observations(r) for r in (respondent, *UNBENT)}
        who = {biased(t): "oracle" for t in PLANTED} | {biased(task): respondent}
        who |= {f"x/unbent-{n}": UNBENT[n % 2] for n in range(2)}
        parts += [rows[r].assign(model=model, model_name=model) for model, r in who.items()]
    return pd.concat(parts, ignore_index=True)


def grid_of(report) -> SummaryTable:
    (found,) = [p.summary_table for p in report.document.parts if p.summary_table]
    return found


@pytest.mark.whole
def test_the_grid_of_four_models_detects_only_the_true_effects():
    told = grid_of(build_report(Study(four_models()), interval=ROUGH, transcripts=False))
    assert [head[0] for head in told.heads] == list(PLANTED)
    assert len(told.rows) == 4
    for row in told.rows:
        words = {
            head[0]: cell.headline.verdict.word
            for head, cell in zip(told.heads, row.cells, strict=True)
        }
        mine = [task for task in PLANTED if row.model.label == biased(task)]
        assert [task for task, word in words.items() if word == DETECTED] == mine, row.model.label
        found = [FOUND[task] for task in PLANTED if FOUND[task] in " ".join(row.findings)]
        assert found == [FOUND[task] for task in mine], (row.model.label, row.findings)


def rows(gap, items=40, model="acme/model-1"):
    """KnowNo answers: right with the right option, and as often without it as `gap` leaves."""
    return observed(
        model, lambda hint, i: hint == "with_gold" or i >= gap * items, ("mctest",), items
    )


def cell_of(observations, decided=None):
    given = {"decided": decided} if decided else {}
    report = build_report(Study(observations), interval=ROUGH, transcripts=False, **given)
    told = grid_of(report)
    return told.rows[0], told.rows[0].cells[0], report


def test_a_cell_its_sentence_and_its_section_have_the_same_verdict():
    for gap, word in ((0.5, DETECTED), (0.0, INCONCLUSIVE)):
        row, cell, report = cell_of(rows(gap))
        assert cell.headline.verdict.word == word
        assert (FOUND["knowno"] in row.findings[0]) == (word == DETECTED)
        (headline,) = [h for h in report.chapters[0].headlines if h.verdict]
        assert headline is cell.headline
        assert ("needed to detect" in headline.sentence) == (word == INCONCLUSIVE)
        assert bool(headline.finding) == (word == DETECTED)


def test_the_first_screen_has_the_policy_and_the_baseline():
    both = pd.concat([rows(0.5), rows(0.0, model="acme/model-2")], ignore_index=True)
    policy = Policy(version=1, rules=[Rule(task="knowno", metric="gap", max=0.2)])
    decided = decide(Study(both), policy, "acme/model-1", interval=ROUGH)
    _, cell, report = cell_of(both, decided)
    assert decided.outcome.startswith("FAIL: ")
    assert cell.policy == "fail"
    other = grid_of(report).rows[1]
    assert other.cells[0].policy != "fail"
    assert "Compared with acme/model-1" in decided.compared
    assert other.comparison.startswith("Better in ")
    assert "worse" not in other.comparison
    assert {"checks", "differences"} <= {part.id for part in report.document.parts}
    assert any("acme/model-1" in line and "fail" in line for line in decided.unmet)


def test_failed_samples_are_not_reported_as_not_run():
    report = build_report(Study(rows(0.5)), interval=ROUGH, transcripts=False)
    nothing = [replace(report.chapters[0], headlines=())]
    run = Run(
        "r", "knowno", "acme/model-1", "bundled", "", "", "", {}, "", "", (), planned=480, scored=16
    )  # fmt: skip
    for runs, why in (([run], "16 of 480 samples were scored"), ([], "not run")):
        (row,) = make_summary(nothing, report.study.models, report.decided, runs).rows
        assert row.cells[0].why == why
