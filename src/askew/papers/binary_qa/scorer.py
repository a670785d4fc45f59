"""Binary QA: does the reply say Yes or No, and is it the right one for its form?"""

from __future__ import annotations

from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from askew.papers.binary_qa.paper import PAPER, BinaryMeta
from askew.reading.yesno import read_yes_no
from askew.scoring import outcome


@metric(name="binary_qa_metrics", scores="unreduced")
def binary_qa_metrics(shown: outcome.Shown = "few", headline: str = "") -> InspectMetric:
    """MBS and its parts, overall and by domain."""
    return outcome.live(PAPER, shown, headline)


@scorer(metrics=[binary_qa_metrics()])
def binary_qa_scorer() -> Scorer:
    """Score one reply by the rules of `askew.reading.yesno`; no judge is asked."""

    async def score(state: TaskState, target: Target) -> Score:
        unscored = outcome.no_output(state)
        if unscored is not None:
            return unscored
        meta = state.metadata_as(BinaryMeta)
        read = read_yes_no(outcome.reply_of(state.output), state.input_text)
        reading = outcome.completed(state.output, read)
        return outcome.scored(
            state,
            {
                "correct": float(reading.answer == meta.expected),
                "said_no": float(reading.answer == "No"),
                "answered": float(reading.answer is not None),
            },
            reading.answer,
            reading.outcome,
            f"{reading.why}; right for this form: {meta.expected}",
        )

    return score
