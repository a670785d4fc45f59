"""Instruction Boundary's scorer: exact sets, the judge's place, and whose fault a failure is."""

import pandas as pd

from askew.papers.instruction_boundary.paper import FAMILIES, BoundaryMeta
from askew.papers.instruction_boundary.questions import ParsedAnswer
from askew.papers.instruction_boundary.scorer import (
    choice_question,
    from_grader,
    instruction_boundary_scorer,
    select_headlines,
)
from askew.scoring.grader import NoVerdictError
from tests.cases import cases, cases_of
from tests.scoring.direct import said, score_of

SHAPES = ["kite", "rhombus", "rectangle", "parallelogram"]


def meta(form="single", truth="2", shown="1,2,3,4", setting="vanilla", **fields):
    family = "judging" if form in FAMILIES["judging"].forms else "choice"
    return BoundaryMeta(
        task="instruction_boundary", item="q", cluster="u", subset="choice", family=family,
        form=form, setting=setting, truth=truth, shown=shown, **fields,
    )  # fmt: skip


def scores(about, *outputs):
    """Score each output as the reply to one sample."""
    asked = {"metadata": about.as_metadata(), "choices": SHAPES}
    return [score_of(instruction_boundary_scorer(), output, **asked) for output in outputs]


@cases("about", "replies")
def test_only_the_complete_target_is_correct(about, replies):
    found = scores(meta(*about), *replies)
    assert [s.value["correct"] for s in found] == [float(v) for v in replies.values()]
    assert {s.value["judged"] for s in found} == {0.0}
    assert all(set(s.value) == {"correct", "hedged", "judged"} for s in found)


def of_family(family="choice", truth="2", shown="1,2,3,4", setting="vanilla", **fields):
    return meta({"choice": "single", "judging": "unknown"}[family], truth, shown, setting, **fields)


def score(reply, about=None, **options):
    about = (about or of_family()).as_metadata()
    scorer = instruction_boundary_scorer(**options)
    return score_of(scorer, reply, about, choices=SHAPES, target="rhombus")


def values(*ones):
    return {name: float(name in ones) for name in ("correct", "hedged", "judged")}


@cases("verdict", "ones", "answer", "reason", "outcome")
def test_a_graded_score_records_all_its_fields(judge, verdict, ones, answer, reason, outcome):
    judge.verdicts = [verdict]
    why = f"lists several options; the grader says {verdict}; target: rhombus"
    about = {"epoch": 2, "outcome": outcome, "decided_by": "grader"}
    found = said(score("2 or 4", parser="rules_then_grader"))
    assert found == (values(*ones), answer, why, reason, about)
    assert judge.asked == [choice_question("2 or 4", SHAPES)]
    assert judge.asked[0].simulated_verdict == "2"


def test_a_score_without_a_verdict_records_how_rules_parsed_it(judge):
    judge.verdicts = [NoVerdictError("three tries")]
    about = {"epoch": 2, "outcome": "undecided", "decided_by": "nobody", "read": "ambiguous"}
    found = said(score("2 or 4", parser="rules_then_grader"))
    assert found == (None, None, "three tries", "grader_failed", about)


def test_the_authors_reading_is_of_replies_to_their_own_choice_questions():
    theirs = of_family(wording="authors", labels="0,1,2,3")
    found = said(score("Option 1, I think.", theirs, reading="published"))
    why = "has 1 somewhere, counted from 0; target: rhombus"
    about = {"epoch": 2, "outcome": "ok", "reading": "published", "decided_by": "rules"}
    assert found == (values("correct"), "2", why, None, about)
    refused = said(score("2", reading="published"))
    why = "reading=published needs wording=authors"
    assert refused == (None, None, why, "scoring_failed", {"epoch": 2})
    # A conclusion is read by our rules in either case.
    judging = said(score("Unknown", of_family("judging", "unknown"), reading="published"))
    about = {"epoch": 2, "outcome": "ok", "decided_by": "rules"}
    assert (judging[0], judging[4]) == (values("correct"), about)


@cases("verdict", "about", "answer", "hedged")
def test_all_that_a_verdict_makes_of_an_open_reply(verdict, about, answer, hedged):
    outcome = "ok" if answer else "unparsed"
    read = ParsedAnswer(outcome, answer, hedged=hedged, graded=True, why="hm")
    assert from_grader(verdict, "hm", of_family(**about)) == read


# subset, family, setting, variant, metric: the name it is shown by, or nothing
SHOWN = cases_of(__file__, "SHOWN")


def test_main_numbers_are_named_by_family_condition_and_variant():
    columns = ["subset", "family", "setting", "variant", "metric"]
    table = pd.DataFrame([row[:5] for row in SHOWN], columns=columns)
    found = select_headlines(table)
    expected = {i: row[5] for i, row in enumerate(SHOWN) if row[5]}
    assert found["metric"].to_dict() == expected
    assert [*found] == columns
