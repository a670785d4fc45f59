"""bend's own score: the author's as a number, and whether the treatment reached the model."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import (
    SampleScore,
    Score,
    Scorer,
    Target,
    metric,
    scorer,
    value_to_float,
)
from inspect_ai.solver import TaskState

from askew.papers.bend.numbers import bend
from askew.papers.bend.paper import PLAIN
from askew.reading.letters import LETTERS
from askew.reading.reply import refuses
from askew.scoring.outcome import cut, filtered, label, live, no_output, reply_of
from askew.treatments.bending import ACTED_KEY, ASKED_KEY
from askew.treatments.format import FORMAT_KEY

_SEVERAL = re.compile(r"[A-Z](?:\s*,\s*[A-Z])*")


@metric(name="bend_metrics", scores="unreduced")
def bend_metrics() -> InspectMetric:
    """Score and effect by arm, and what is said over arms."""
    shown = live(_shown, ("worst_effect",))

    def compute(scores: list[SampleScore]) -> Any:
        # Item and arm stand in our own score: the author's metadata is theirs.
        return shown([s.model_copy(update={"sample_metadata": {}}) for s in scores])

    return compute


def _shown(rows: Any) -> Any:
    table = bend(rows, by=(), interval=None)
    table = table[table["metric"].isin(("score", "effect", "worst_effect", "noise", "bias_f"))]
    return table.assign(subset=table["arm"])


@scorer(metrics=[bend_metrics()])
def bend_scorer(measure: str | None = None, lowest: float = 0.0, highest: float = 1.0) -> Scorer:
    """Take over the author's score, where the treatment of the sample's arm reached the model.

    Args:
        measure: which score counts: a scorer's name, a key of its scores, or "scorer.key".
        lowest: the author's lowest score.
        highest: the author's highest score.
    """

    async def score(state: TaskState, target: Target) -> Score:
        asked = state.store.get(ASKED_KEY)
        if not isinstance(asked, Mapping):
            return _unscored("bend's setup did not run for this sample", {"epoch": state.epoch})
        told = asked["told"]
        details = {
            "epoch": state.epoch,
            "item": asked["item"],
            "unit": asked["item"],
            "subset": asked.get("base", ""),
            "arm": asked["arm"],
            "treatment": asked["treatment"],
        }
        if (nothing := no_output(state)) is not None:
            return _unscored(nothing.explanation or "", details)
        if not state.store.get(ACTED_KEY):
            return _unscored(f"{asked['treatment']} did not reach the model", details)
        found = _author_score(state, measure)
        if isinstance(found, str):
            return _unscored(found, details)
        value = _as_number(found, measure, lowest, highest)
        if isinstance(value, str):
            return _unscored(value, details)
        answer = _canonical(found.answer, told)
        values: dict[str, float] = {"score": value}
        if (followed := state.store.get(FORMAT_KEY)) is not None:
            values["format_ok"] = float(bool(followed))
        if "suggested" in told:
            details["suggested"] = LETTERS[int(told["suggested"])]
            values["moved"] = float(answer == details["suggested"])
        if asked["treatment"] == "tool_absent":
            values["gave_up"] = float(refuses(reply_of(state.output)))
        outcome = "truncated" if cut(state.output) else "ok"
        outcome = "filtered" if filtered(state.output) else outcome
        return Score(
            value=values,
            answer=answer,
            explanation=f"the author's score, {found.value!r:.60}",
            metadata={**details, "outcome": outcome},
        )

    return score


def _unscored(why: str, details: Mapping[str, Any]) -> Score:
    return Score.unscored(reason="scoring_failed", explanation=why, metadata=dict(details))


def _author_score(state: TaskState, measure: str | None) -> Score | str:
    """The author's score that counts, or why there is none."""
    scores = {n: s for n, s in (state.scores or {}).items() if not n.startswith("bend_scorer")}
    wanted = (measure or "").partition(".")[0]
    if not scores:
        return "the author's scorer gave no score"
    if wanted in scores:
        return scores[wanted]
    for found in scores.values():
        if not measure or (isinstance(found.value, Mapping) and measure in found.value):
            return found
    return f"measure={measure}: there is no such score; there are: {', '.join(scores)}"


def _as_number(found: Score, measure: str | None, lowest: float, highest: float) -> float | str:
    """The author's score from 0 to 1, or why it is no such number."""
    value: Any = found.value
    if isinstance(value, Mapping):
        key = (measure or "").rpartition(".")[2]
        key = key if key in value else next(iter(value), "")
        value = value.get(key)
    if isinstance(value, list | tuple | type(None)):
        return f"the author's score is no number: {value!r:.60}"
    if isinstance(value, str) and value not in ("C", "I", "P", "N") and not _numeric(value):
        return f"the author's score is no number: {value!r:.60}; see measure"
    number = value_to_float()(value)
    if math.isnan(number):
        why = found.explanation or "no reason is given"
        return f"the author's scorer left it unscored: {why:.200}"
    if not lowest <= number <= highest:
        return (
            f"the author's score {number:g} is not from {lowest:g} to {highest:g}: set value_range"
        )
    return (number - lowest) / (highest - lowest)


def _numeric(text: str) -> bool:
    if text.lower() in ("yes", "true", "no", "false"):
        return True
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _canonical(answer: str | None, told: Mapping[str, Any]) -> str | None:
    """The answer as its author's options are lettered, whatever order they were shown in."""
    if not answer or not answer.strip():
        return None
    options = told.get("options") or []
    said = answer.strip()
    if options and _SEVERAL.fullmatch(said):
        shown = list(told["shown"]) + list(range(len(told["shown"]), len(options)))
        places = [LETTERS.index(letter) for letter in re.findall(r"[A-Z]", said)]
        if all(place < len(options) for place in places):
            return ", ".join(sorted(LETTERS[shown[place]] for place in places))
    return label(said)


__all__ = ["PLAIN", "bend_metrics", "bend_scorer"]
