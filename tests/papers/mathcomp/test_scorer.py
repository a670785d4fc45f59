"""MathComp's scorer: three readings of a reply, who decided it, and whose fault a failure is."""

import asyncio
import math

import pytest
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from askew.papers.mathcomp.paper import PAPER, MathCompMeta
from askew.papers.mathcomp.scorer import mathcomp_scorer
from askew.scoring.grader import PARSERS, Question
from tests.cases import cases, cases_of
from tests.scoring.direct import said, score_of

DONE = "Alex: 50. Sam: 60. So Sam spends more than Alex."
OPEN = "Alex: 20 + 30 = 50.\nSam: 25 + 35 = 60."


def meta(output, gold="more"):
    return MathCompMeta(
        task="mathcomp", item="i", cluster="i", subset="dining", style="direct", term="less",
        position="end", output=output, identity="standard", gold=gold, quantity="time",
        number_format="arabic", person_a="Alex", person_b="Sam",
        judge_question="Answer with: less, more, or equal.",
    )  # fmt: skip


def scores(output, *replies, parser="rules"):
    """Score each reply."""
    asked = {"metadata": meta(output).as_metadata(), "target": "more"}
    return [score_of(mathcomp_scorer(parser=parser), reply, **asked) for reply in replies]


# Output, reply; correct, strict, lenient, in the frame's words, answered, yes or no.
REPLIES = cases_of(__file__, "REPLIES")


def test_every_reply_is_scored_in_all_three_readings():
    for output in dict.fromkeys(r[0] for r in REPLIES):
        rows = [r for r in REPLIES if r[0] == output]
        for row, score in zip(rows, scores(output, *(r[1] for r in rows)), strict=True):
            assert tuple(score.value.values()) == (*row[2:], 0), (row, score.explanation)
            assert list(score.value) == list(PAPER.measures)
            assert score.explanation.endswith("right: more")


def test_a_sample_without_table_8_is_not_put_to_the_grader():
    about = meta("cot").as_metadata() | {"judge_question": ""}
    left = score_of(mathcomp_scorer(parser="grader"), OPEN, about)
    assert math.isnan(left.value)
    assert (left.reason, left.explanation) == ("grader_failed", "the sample has no question")


@pytest.mark.parametrize("parser", PARSERS)
def test_a_reply_to_a_wrong_item_is_in_no_number_and_goes_to_no_grader(parser):
    told = MathCompMeta(**dict(meta("cot")) | {"wrong": "its sentences give no total"})
    output = ModelOutput.from_content("mockllm/model", DONE)
    state = TaskState(ModelName("mockllm/model"), "s", 1, "", [], output=output)
    state.metadata = told.as_metadata()
    score = asyncio.run(mathcomp_scorer(parser=parser)(state, Target("more")))
    assert math.isnan(score.value)
    assert score.reason == "invalid item"
    assert score.explanation == "i: its sentences give no total"


def values(*ones):
    return {name: float(name in ones) for name in PAPER.measures}


@cases("reply", "stop", "rules", "rules_then_grader", "alone")
def test_each_parser_records_what_decided_a_reply(
    judge, reply, stop, rules, rules_then_grader, alone
):
    for parser, by in zip(PARSERS, (rules, rules_then_grader, alone), strict=True):
        judge.verdicts[:] = ["more"]
        (score,) = scores("cot", (reply, stop), parser=parser)
        assert score.metadata["decided_by"] == by, parser
        assert len(judge.verdicts) == (by != "grader")


def test_a_graded_score_records_all_its_fields(judge):
    judge.verdicts += ["less", "more"]
    by_rules, by_nobody = scores("cot", DONE, OPEN, parser="grader")
    assert said(by_rules) == (
        values("answered"), "less",
        "concludes with 'more'; the grader says less; right: more", None,
        {"epoch": 2, "outcome": "ok", "strict_answer": "less", "lenient_answer": "less",
         "decided_by": "grader", "rules_answer": "more"},
    )  # fmt: skip
    assert by_nobody.value == values("correct", "correct_strict", "correct_lenient", "answered")
    assert "rules_answer" not in by_nobody.metadata
    system = "Answer with: less, more, or equal."
    options = ("less", "more", "equal")
    assert judge.asked == [
        Question(DONE, options, system, "more"),
        Question(OPEN, options, system, "equal"),
    ]


@cases("reply", "answer", "strict", "echo")
def test_the_frames_own_sentence_come_back_answers_nothing_and_is_counted(
    reply, answer, strict, echo
):
    asked = "Alex plays chess.\n\nDoes Sam spend less time on chess than Alex?"
    score = score_of(mathcomp_scorer(), reply, meta("one_word").as_metadata(), asked=asked)
    assert (score.answer, score.metadata["strict_answer"]) == (answer, strict)
    assert (score.value["frame_echo"], score.value["answered"]) == (echo, 1 - echo)
