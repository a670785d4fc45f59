"""Binary QA: does the reply say Yes or No, and is it the right one for its form?"""

from collections.abc import Mapping

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from askew.files import toml_of
from askew.papers.binary_qa.paper import LABELS, PAPER, BinaryMeta
from askew.parameters import check_parameters
from askew.reading.yesno import YesNoAnswer, read_yes_no
from askew.scoring import outcome
from askew.scoring.grader import Parser, Question, closed_question, mark_unscored, score_reply

_WORDS = toml_of(PAPER.home, "prompts.toml")["grader"]


# MBS and its parts, overall and by domain.
binary_qa_metrics = outcome.live_metric(PAPER)


@scorer(metrics=[binary_qa_metrics(), outcome.item_accuracy("correct")])
@check_parameters
def binary_qa_scorer(parser: Parser = "rules") -> Scorer:
    """Score one reply: whether it says Yes or No."""

    @mark_unscored
    async def score(state: TaskState, target: Target) -> Score:
        meta = state.metadata_as(BinaryMeta)
        reply = outcome.reply_of(state.output)
        reading, more = await score_reply(
            parser,
            outcome.complete_reading(state.output, read_yes_no(reply, state.input_text)),
            lambda: question_of(reply, state.input_text),
            from_grader,
        )
        return outcome.make_score(
            state,
            {
                "correct": float(reading.answer == meta.expected),
                "said_no": float(reading.answer == "No"),
                "answered": float(reading.answer is not None),
            },
            reading.answer,
            reading.outcome,
            f"{reading.why}; right for this form: {meta.expected}",
            **more,
        )

    return score


def question_of(reply: str, query: str) -> Question:
    """Ask whether a reply says Yes or No; a prompt's passage is not shown."""
    question = f"Question: {query.rpartition('Question: ')[2]}"
    return closed_question(_WORDS["asked"], reply, _WORDS["answers"], question)


def from_grader(verdict: str, why: str) -> YesNoAnswer:
    """What the grader's verdict makes of a reply."""
    answer = next((label for label in LABELS if label == verdict), None)
    return YesNoAnswer("ok" if answer else "unparsed", answer, why=why)


def grader_case(shown: Mapping[str, str]) -> Question:
    """The question of a validation case."""
    return question_of(shown["reply"], f"Question: {shown['question']}")
