"""From a sample's output to a score, the same way in every task.

Failures are routed by whose fault they are: no output is the machinery's (unscored), an empty,
cut or refused reply is the model's (scored, wrong), an undecided judge's is unscored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

# Inspect's own words for why a score is abnormal.
_REASONS: Mapping[str, str] = {
    "refused": "refusal",
    "filtered": "refusal",
    "empty": "no_response",
    "unparsed": "invalid_response_format",
    "ambiguous": "invalid_response_format",
    "truncated": "invalid_response_format",
}
# How Inspect's client for Google words a response without candidates, and a blocked prompt.
_NO_CANDIDATE = "(no content)"
_BLOCKED = "BLOCKED: "
# A canonical answer is a label; a longer text is shown cut.
_LABEL = 120


def no_output(state: TaskState) -> Score | None:
    """An unscored score where the model never answered; nothing where it did.

    A prompt that a provider blocks is answered by its filter: some clients call that an error.
    """
    if state.output.choices and (not state.output.error or filtered(state.output)):
        return None
    why = state.output.error or "the model returned no output (an error or a limit ended it)"
    return Score.unscored(reason="scoring_failed", explanation=why, metadata={"epoch": state.epoch})


def cut(output: ModelOutput) -> bool:
    """Whether the reply ended because it ran out of room."""
    return output.stop_reason in ("max_tokens", "model_length")


def filtered(output: ModelOutput) -> bool:
    """Whether the provider's content filter withheld the reply."""
    return output.stop_reason == "content_filter"


def reply_of(output: ModelOutput) -> str:
    """What the model said: nothing where Inspect's client words a reply that never was.

    It does so for a blocked prompt (the provider's message, or "BLOCKED:" with ratings), for one
    longer than the context (nothing was used then) and for a response without any candidate.
    Read as the model's, such words would be an answer.
    """
    text = output.completion
    if text == _NO_CANDIDATE or (output.stop_reason == "model_length" and output.usage is None):
        return ""
    details = output.choices[0].stop_details if output.choices else None
    worded = bool(output.error) or text.startswith(_BLOCKED)
    explained = details is not None and details.explanation == text
    return "" if filtered(output) and (worded or explained) else text


def scored(
    state: TaskState,
    values: Mapping[str, float],
    answer: str | None,
    outcome: str,
    why: str,
    **details: str | float,
) -> Score:
    """A score with the shape that observations are read from."""
    return Score(
        value=dict(values),
        answer=label(answer) if answer else None,
        explanation=why,
        reason=_REASONS.get(outcome),
        metadata={"epoch": state.epoch, "outcome": outcome, **details},
    )


def undecided(state: TaskState, why: str, **details: Any) -> Score:
    """An unscored score where a judge was needed and reached no verdict."""
    return Score.unscored(
        reason="grader_failed",
        explanation=why,
        metadata={"epoch": state.epoch, "outcome": "undecided", **details},
    )


def label(text: str) -> str:
    """A text as a short one-line label."""
    squeezed = " ".join(text.split())
    return squeezed if len(squeezed) <= _LABEL else squeezed[: _LABEL - 3] + "..."
