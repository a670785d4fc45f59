"""bend's own score: the author's as a number, and whether the treatment reached the model."""

import math
import re
from collections.abc import Mapping
from itertools import chain
from typing import Any, cast

from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import (
    MetricProtocol,
    SampleScore,
    Score,
    Scorer,
    Target,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from askew.bend.paper import OF_AGENTS, PAPER, PLAIN
from askew.parameters import SelectionError
from askew.reading.names import LETTERS
from askew.reading.reply import refuses
from askew.scoring import outcome as outcomes
from askew.scoring.outcome import Shown
from askew.treatments import treatments
from askew.treatments.design import marks_of
from askew.treatments.dialogue import FORMAT_KEY
from askew.treatments.tools import gives_up

_SEVERAL = re.compile(r"[A-Z](?:\s*,\s*[A-Z])*")


@metric(name="bend_metrics", scores="unreduced")
def bend_metrics(shown: Shown = "few", headline: str = "") -> InspectMetric:
    """Score and effect by arm, and what is said over arms."""
    compute_live: Any = outcomes.live(PAPER, shown, headline, named=_by_arm)

    def compute(scores: list[SampleScore]) -> Any:
        # Item and arm stand in our own score: the author's metadata is theirs.
        found = compute_live([s.model_copy(update={"sample_metadata": {}}) for s in scores])
        if "plain_score" not in found:
            return found
        own = (s.model_copy(update={"sample_metadata": s.score.metadata}) for s in scores)
        plain = [s for s in own if (s.sample_metadata or {}).get("arm") == PLAIN]
        # Inspect's standard error, clustered as our own score says.
        error = cast(MetricProtocol, stderr(lambda of: cast(Any, of)["score"], "cluster"))
        return found | {"plain_score_stderr": error(plain)}

    return compute


def _by_arm(table: Any) -> Any:
    table = table[table["metric"].isin(("score", "effect", "worst_effect", "noise", "bias_f"))]
    return table.assign(subset=table["arm"])


@scorer(metrics=[bend_metrics()])
def bend_scorer(measure: str | None = None, lowest: float = 0.0, highest: float = 1.0) -> Scorer:
    """Take over the author's score, where the treatment of the sample's arm reached the model.

    Args:
        measure: which score counts: a scorer's name, a key of its scores, or "scorer.key".
        lowest: the author's score that counts 0.
        highest: the author's score that counts 1.
    """
    settled = False

    async def score(state: TaskState, target: Target) -> Score:
        nonlocal settled
        marks = marks_of(state)
        if marks is None:
            return _unscored_score(
                "bend's own steps did not run: a solver that replaces the author's goes into the "
                "author's task, not over bend's",
                {"epoch": state.epoch},
            )
        told, acted, output = marks["told"], marks["acted"], state.output
        item, subset = marks["item"], marks.get("base", "")
        details = {
            "item": item, "cluster": item, "arm": marks["arm"], "treatment": marks["treatment"],
            "epoch": state.epoch, "subset": subset,
        }  # fmt: skip
        # A solver may keep a reply for itself: the author's scorer knows where.
        if ((nothing := outcomes.no_output(state)) is not None) and (output.error or not acted):
            return _unscored_score(nothing.explanation or "", details)
        if marks["arm"] != PLAIN and acted is not True:
            known = treatments().get(marks["treatment"])
            why = f": {known.why_unreached}" if known and known.why_unreached else ""
            unreached = f"{marks['treatment']} did not reach the model{why}"
            return _unscored_score(acted or unreached, details)
        found = _author_score(state, measure)
        value = found if isinstance(found, str) else _as_number(found, measure, lowest, highest)
        if isinstance(value, Unfit) and not settled:
            # Nothing could ever be scored: better to stop than to pay for all of it.
            raise SelectionError(str(value))
        if isinstance(found, str) or isinstance(value, str):
            return _unscored_score(str(value), details)
        settled = True
        answer = _canonical(found.answer, told, len(state.choices))
        values: dict[str, float] = {"score": value}
        if (followed := state.store.get(FORMAT_KEY)) is not None:
            values["format_ok"] = float(bool(followed))
        if "suggested" in told:
            details["suggested"] = LETTERS[int(told["suggested"])]
            values["moved"] = float(answer == details["suggested"])
        reply = ended = ""
        if output.choices:
            reply = outcomes.reply_of(output)
            ended = "truncated" if outcomes.is_truncated(output) else ""
            ended = "filtered" if outcomes.is_filtered(output) else ended
        if marks["treatment"] in OF_AGENTS:
            values["gave_up"] = float(gives_up(reply))
        values |= marks.get("measures", {})
        details["outcome"] = ended or "ok"
        status = "answered" if (found.answer or "").strip() and not found.reason else "unparsed"
        status = "refused" if ended == "filtered" or refuses(reply) else status
        details["reply_status"] = ended if ended == "truncated" else status
        # Of options that the author's solver shuffles, Inspect gives the answer unshuffled.
        if all(option.original_position == i for i, option in enumerate(state.choices)):
            details |= _places(found.answer, target, len(state.choices))
        details |= marks.get("noted", {})
        why = f"the author's score, {found.value!r:.60}"
        return Score(value=values, answer=answer, explanation=why, metadata=details)

    return score


def _places(answer: str | None, target: Target, n: int) -> dict[str, int]:
    """Where the chosen and the correct option are, of `n` as shown; empty if there are none."""
    at = {letter: place for place, letter in enumerate(LETTERS[:n], start=1)}
    right, chosen = (at.get(text.strip(), 0) for text in (target.text, answer or ""))
    found = {"right_at": right, "n_options": n} if right else {}
    return found | ({"chosen_at": chosen} if right and chosen else {})


class Unfit(str):
    """Why no score of the author's is a number, with what to do."""


def _unscored_score(why: str, details: Mapping[str, Any]) -> Score:
    return Score.unscored(reason="scoring_failed", explanation=why, metadata=dict(details))


def _author_score(state: TaskState, measure: str | None) -> Score | str:
    """The author's score that counts, or why there is none."""
    scores = _of_this_time(state.scores or {})
    wanted = (measure or "").partition(".")[0]
    if not scores:
        return "the author's scorer gave no score"
    # Scored again, a scorer's name gets a number.
    named = (s for n, s in scores.items() if wanted in (n, n.rstrip("0123456789")))
    holding = (
        s for s in scores.values()
        if not measure or (isinstance(s.value, Mapping) and measure in s.value)
    )  # fmt: skip
    keys = (
        f"{name}.{key}" if key else name for name, found in scores.items()
        for key in ((isinstance(found.value, Mapping) and found.value) or ("",))
    )  # fmt: skip
    no_such = f"measure={measure!r:.60}: there is no such score; there are"
    return next(chain(named, holding), Unfit(f"{no_such}: {', '.join(keys)}"))


def _of_this_time(scores: Mapping[str, Score]) -> dict[str, Score]:
    """The author's scores since ours was last made: a log that is scored again keeps the old."""
    times: list[dict[str, Score]] = [{}]
    for name, found in scores.items():
        if name.rstrip("0123456789") == "bend_scorer":
            times.append({})
        else:
            times[-1][name] = found
    return next(filter(None, reversed(times)), {})


def _as_number(found: Score, measure: str | None, lowest: float, highest: float) -> float | str:
    """The author's score from 0 to 1, or why it is no such number."""
    value: Any = found.value
    if isinstance(value, Mapping):
        scorer_name, _, key = (measure or "").partition(".")
        if key and scorer_name and key not in value and measure not in value:
            return Unfit(f"measure={measure!r:.60}: it has {', '.join(map(str, value))}")
        value = next((value[k] for k in (measure, key, *value) if k in value), None)
    if isinstance(value, float) and math.isnan(value):
        why = found.explanation or "no reason is given"
        return f"the author's scorer left it unscored: {why:.200}"
    if (number := outcomes.as_number(value)) is None:
        return Unfit(
            f"the author's score is no number: {value!r:.60}; name another with measure= "
            "(a scorer, a key of its scores, or scorer.key)"
        )
    if not min(lowest, highest) <= number <= max(lowest, highest):
        return Unfit(
            f"the author's score {number:g} is not from {lowest:g} to {highest:g}: give the "
            "lowest and the highest with value_range="
        )
    return (number - lowest) / (highest - lowest)


def _canonical(answer: str | None, case_values: Mapping[str, Any], n: int) -> str | None:
    """The answer as its author letters the `n` options, whatever order they were shown in."""
    text = (answer or "").strip()
    if n and _SEVERAL.fullmatch(text):
        shown = [*case_values.get("shown", ())]
        shown += range(len(shown), n)
        places = [LETTERS.index(letter) for letter in re.findall(r"[A-Z]", text)]
        if all(place < n for place in places):
            return ", ".join(sorted(LETTERS[shown[place]] for place in places))
    return outcomes.label(text) if text else None
