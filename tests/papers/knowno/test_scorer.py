"""KnowNo's scorer: what is right under each hint, every pattern, and whose fault a failure is."""

import pytest

from askew.papers.knowno.items import KnowNoItem
from askew.papers.knowno.paper import HINTS, KnowNoMeta
from askew.papers.knowno.scorer import knowno_scorer, parse_reply
from askew.papers.knowno.tasks import shown_options
from askew.scoring.grader import NoVerdictError
from tests.cases import cases, cases_of
from tests.scoring.direct import said, score_of

ITEM = KnowNoItem(
    "q", "mctest", "story", "story", {"story": "", "question": "Who?"},
    ("Bob", "James", "Rick", "Stephanie"), 2,
)  # fmt: skip


def meta(hint, kind="story"):
    told = {"task": "knowno", "item": "q", "cluster": "u", "subset": "mctest", "kind": kind}
    return KnowNoMeta(**told, hint=hint, order=0, gold="Rick")


def shown(hint):
    return shown_options(ITEM, hint, 0, 0, is_last=True)


def scores(hint, *outputs):
    """Score each output as the reply to the item under a hint."""
    asked = {"metadata": meta(hint).as_metadata(), "choices": shown(hint)}
    return [score_of(knowno_scorer(), output, **asked) for output in outputs]


REPLIES = cases_of(__file__, "REPLIES")


def test_every_reply_gets_its_pattern_and_its_verdict():
    for hint in dict.fromkeys(r[0] for r in REPLIES):
        rows = [r for r in REPLIES if r[0] == hint]
        for row, score in zip(rows, scores(hint, *(r[1] for r in rows)), strict=True):
            got = [score.value["correct"], score.metadata["pattern"], score.metadata["letter_kind"]]
            assert got == row[2:], (row, score.explanation)
            assert score.explanation


@cases("reply", "stop", "outcome")
def test_a_cut_takes_back_what_was_not_settled_and_no_refusal(reply, stop, outcome):
    (score,) = scores("with_gold", (reply, stop))
    assert score.metadata["outcome"] == outcome


def graded(reply, hint="no_hint", parser="rules_then_grader"):
    about = meta(hint).as_metadata()
    return score_of(knowno_scorer(parser=parser), reply, about, choices=shown(hint))


@pytest.mark.parametrize("hint", list(HINTS))
@pytest.mark.parametrize("parser", ["rules_then_grader", "grader"])
def test_the_grader_compares_a_new_answer_only_without_a_hint(hint, parser, judge):
    judge.verdicts = ["other"] * (parser == "grader") + ["different"]
    score = graded("D. Peter", hint, parser)
    same = [asked for asked in judge.asked if asked.verdicts == ("same", "different")]
    assert len(same) == (hint == "no_hint")
    assert all("Rick" in asked.question and "Peter" in asked.question for asked in same)
    decided = "grader" if hint == "no_hint" or parser == "grader" else "rules"
    assert score.metadata["decided_by"] == decided


@cases("hint", "reply", "verdict", "answer", "pattern", "right")
def test_all_that_a_verdict_makes_of_a_reply(judge, hint, reply, verdict, answer, pattern, right):
    judge.verdicts = [verdict]
    score = graded(reply, hint, "grader")
    assert (score.answer, score.metadata["pattern"]) == (answer, pattern)
    assert score.value["correct"] == right


def test_an_unparsed_new_answer_goes_to_the_grader_as_a_whole(judge):
    judge.verdicts = ["other", "same"]
    score = graded("A or\nB", parser="grader")
    assert "Given answer: A or B\n" in judge.asked[1].question
    assert (score.answer, score.metadata["pattern"]) == ("Rick", "new_gold")
    assert "rules_answer" not in score.metadata


@pytest.mark.parametrize("same", [True, False])
def test_a_graded_score_records_all_its_fields(judge, same):
    judge.verdicts = ["same" if same else "different"]
    pattern, answer = ("new_gold", "Rick") if same else ("new_wrong", "Peter")
    why = f"gives a new letter and text; pattern {pattern}"
    about = {"epoch": 2, "outcome": "ok", "pattern": pattern, "letter_kind": "next",
             "decided_by": "grader", "rules_answer": "Peter"}  # fmt: skip
    value = {"correct": float(same), "said_none": 0.0, "delimiter_leak": 0.0}
    assert said(graded("D. Peter")) == (value, answer, why, None, about)
    (asked,) = judge.asked
    assert (asked.verdicts, asked.simulated_verdict) == (("same", "different"), "different")
    assert "Right answer: Rick\nGiven answer: Peter\n" in asked.question


def test_a_new_answer_without_a_grader_verdict_is_unscored(judge):
    judge.verdicts = [NoVerdictError("three tries")]
    about = {"epoch": 2, "outcome": "undecided", "pattern": "new_wrong", "decided_by": "nobody",
             "rules_answer": "Peter"}  # fmt: skip
    assert said(graded("D. Peter")) == (None, None, "three tries", "grader_failed", about)


def test_the_option_that_none_fits_is_no_label_among_others():
    found = parse_reply("none-of-them\nlost", ["card-in", "lost", "none-of-them"],
                 meta("hint_as_option", "intent"))  # fmt: skip
    assert (found.pattern, found.answer) == ("none", "none-of-them")
    assert found.why == "says that none fits"


@cases("kind", "options", "reply", "leaks")
def test_underscores_leak_into_labels_alone_and_where_none_were_shown(kind, options, reply, leaks):
    about = meta("no_hint", kind).as_metadata()
    assert score_of(knowno_scorer(), reply, about, choices=options).value["delimiter_leak"] == leaks
