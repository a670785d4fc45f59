"""What respondents' tendencies come to in bent tasks: samples, observations, expected numbers.

A dialogue with tools or with a second turn has no single reply to read. What a respondent has to
say is drawn as in an eval, and becomes the observation that an eval makes of it; a test holds the
two equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageTool
from inspect_ai.tool import ToolInfo

from askew.bend.numbers import POINTS
from askew.bend.paper import PAPER, PLAIN, REPEAT, SENTENCES, UNKNOWABLE
from askew.bend.respondent import (
    NOTHING,
    Tendencies,
    chances_of,
    drawn,
    follows_format,
    is_right,
    written,
    wrong_options,
)
from askew.bend.stand_in import AGENT, FILE, tools
from askew.bend.tasks import prepared
from askew.reading.names import LETTERS
from askew.respondents.answering import REFUSAL, Expectation, population_variance
from askew.scoring.outcome import label
from askew.treatments import Ask, treatment_named
from askew.treatments.base import WORDS
from askew.treatments.bending import Bent, treated_messages

# What the default arms of questions with options don't show.
ALSO: Sequence[Mapping[str, Any]] = (
    {
        "treatments": "none_offered,options,suggestion,framing,system,format",
        "suggest": "right",
        "format": "letter,text",
        **SENTENCES,
    },
    {"task": f"{FILE}@short", "treatments": "format"},
    {
        "task": f"{FILE}@agent",
        "treatments": "tool_order,tool_absent,tool_wording,tool_result",
        "tool_worded": "archive",
    },
)
# Shares of a range that stand for all draws of what a respondent is drawn to.
_LURES = 6
# Tendencies that no treatment calls for.
_EVERYWHERE = ("knows", "slips", "guesses", "refuses", "wordy")
_NOTHING = 1e-9


def samples(**parameters: Any) -> list[Sample]:
    """What a bent task, or one that stands in, asks: each sample with all that is true of it."""
    _, plan, name = prepared(**{**PAPER.stand_in, **parameters})
    return [_annotated(bent, name) for bent in plan.samples]


def _annotated(bent: Bent, subset: str) -> Sample:
    """A copy that says what it asks: its treated words as input, its arm as metadata."""
    ask, sample, known = bent.ask, bent.sample, bent.sample.metadata or {}
    arm = {"arm": ask.arm.name, "treatment": ask.arm.treatment, "given": dict(ask.arm.given)}
    own = {"task": PAPER.task, "item": ask.item, "unit": ask.item, "subset": subset}
    metadata = {**known, **own, **arm, "told": dict(ask.told)}
    offered = [_info(tool) for tool in tools()] if known.get("kind") == AGENT else []
    acted = _acts(ask, offered) if "kind" in known else True
    metadata |= {"offered": offered, "acted": acted}
    if ask.arm.treatment == "reflection":
        metadata["reflection"] = WORDS["reflection"]["text"]
    lines = [m.text for m in treated_messages(bent)]
    lines += [f"{LETTERS[i]}) {o}" for i, o in enumerate(sample.choices or [])]
    lines += [str(ask.told.get("text", ""))] if ask.arm.treatment == "format" else []
    return sample.model_copy(update={"input": "\n".join(lines), "metadata": metadata})


def _info(tool: Any) -> ToolInfo:
    return ToolInfo(name=tool.name, description=tool.description)


def _acts(ask: Ask, offered: list[ToolInfo]) -> bool:
    """Whether a treatment reaches a model in a dialogue with these tools; they change with it."""
    if ask.arm.name == PLAIN:
        return True
    treatment = treatment_named(ask.arm.treatment)
    if treatment.place == "wire":
        offered += [ToolInfo(name="submit", description="")] if offered else []
        result = ChatMessageTool(content="1")
        held = [result] if offered else []
        call: Any = SimpleNamespace(tools=offered, input=held, tool_choice="auto")
        return treatment.apply_to_call(call, ask)
    # An agent that drives its own dialogue leaves what we put around it.
    return not (treatment.place == "dialogue" and offered)


def observed(
    truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int
) -> dict[str, Any] | None:
    """The observation of a sample; nothing where its treatment does not reach the model."""
    if not truth["acted"]:
        return None
    said = drawn(truth, tendencies, name, seed)
    answer = _answer(truth, said)
    row = {
        **{c: truth[c] for c in ("task", "subset", "item", "unit", "arm", "treatment", "epoch")},
        "tier": "",
        "score": float(is_right(truth, said)),
        "answer": answer,
        "outcome": "ok",
        "status": "scored",
        "run": "simulated",
        "sample_id": truth["sample_id"],
        "log": "",
    }
    if truth["treatment"] == "format":
        follows = said != NOTHING and follows_format(truth, tendencies, name, seed)
        row["format_ok"] = float(follows)
    if suggested := _suggested(truth):
        row |= {"suggested": suggested, "moved": float(answer == suggested)}
    if truth["treatment"] == "tool_absent":
        row["gave_up"] = float(said == NOTHING)
    return row


def _suggested(truth: Mapping[str, Any]) -> str:
    place = truth["told"].get("suggested")
    return "" if place is None else LETTERS[place]


def _answer(truth: Mapping[str, Any], said: str) -> str | None:
    """What is read of what is said: options by letter, all else as it stands."""
    if truth["choices"]:
        return said or None
    return label(REFUSAL if said == NOTHING else written(truth, said))


# --- Expected numbers -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Said:
    """What may be said to a sample, how likely, and what is scored and read of it."""

    chance: float
    score: float
    answer: str | None
    gave_up: bool
    suggested: str


# A state of a respondent's mind on an item: how likely it is, and what it may say in each arm.
_Case = tuple[float, Mapping[str, Sequence[_Said]]]
_Part = Callable[[_Said, _Said], float]


def expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> list[Expectation]:
    """All of bend's numbers, as the tendencies imply them for these samples.

    Nothing for one whose tendencies only show under other treatments: it is asked of those.
    """
    found = _expected(truths, tendencies)
    usual = replace(Tendencies(), **{name: getattr(tendencies, name) for name in _EVERYWHERE})
    shows = tendencies == usual or _known(found) != _known(_expected(truths, usual))
    return found if shows else []


def _known(found: Sequence[Expectation]) -> list[Expectation]:
    return [e for e in found if not math.isnan(e.value)]


def _expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> list[Expectation]:
    items: dict[str, dict[str, Mapping[str, Any]]] = {}
    for truth in truths:
        if truth["acted"]:
            items.setdefault(str(truth["item"]), {})[str(truth["arm"])] = truth
    cases = [case for arms in items.values() for case in _cases(arms, tendencies)]
    arms = {str(t["arm"]): str(t["treatment"]) for t in truths}
    of_arms = [
        Expectation(name, value, {"arm": arm})
        for arm, treatment in arms.items()
        for name, value in _of_arm(arm, treatment, cases, tendencies).items()
    ]
    return [*of_arms, *_over(arms, cases)]


def _cases(arms: Mapping[str, Mapping[str, Any]], t: Tendencies) -> Iterator[_Case]:
    n = len(wrong_options(next(iter(arms.values())))) or _LURES
    for knows, chance in ((True, t.knows), (False, 1 - t.knows)):
        for i in range(n) if chance else ():
            said = {a: chances_of(x, t, knows, (i + 0.5) / n) for a, x in arms.items()}
            yield (
                chance / n,
                {
                    a: [
                        _Said(p, is_right(x, s), _answer(x, s), s == NOTHING, _suggested(x))
                        for s, p in said[a].items()
                    ]
                    for a, x in arms.items()
                },
            )


def _always(one: _Said, other: _Said) -> float:
    return 1.0


def _mean(cases: Sequence[_Case], one: str, other: str, part: _Part, of: _Part = _always) -> float:
    """The mean of something over replies in two arms, where `of` says what counts; nan of none."""
    whole = total = 0.0
    for weight, said in cases:
        for a, b in product(said.get(one, ()), said.get(other, ())):
            counts = weight * a.chance * b.chance * of(a, b)
            whole += counts
            total += counts * part(a, b)
    return total / whole if whole > 0 else math.nan


def _flips(before: _Said, after: _Said) -> float:
    return before.score != after.score


def _of_arm(arm: str, treatment: str, cases: Sequence[_Case], t: Tendencies) -> dict[str, float]:
    alone, pairs = partial(_mean, cases, arm, arm), partial(_mean, cases, PLAIN, arm)
    found = {"score": alone(lambda _, b: b.score)}
    if arm == PLAIN:
        return found
    found["hurt"] = pairs(lambda a, b: a.score > b.score)
    found["helped"] = pairs(lambda a, b: a.score < b.score)
    found["flips"] = pairs(_flips)
    found["effect"] = found["helped"] - found["hurt"]
    if arm != REPEAT:
        noise = _mean(_within(cases, [PLAIN, arm]), PLAIN, REPEAT, _flips)
        found["beyond_noise"] = found["flips"] - noise
    found["kept"] = pairs(
        lambda a, b: a.answer == b.answer, lambda a, b: None not in (a.answer, b.answer)
    )
    if treatment == "suggestion":
        found["moved_rate"] = pairs(
            lambda _, b: b.answer == b.suggested, lambda a, b: a.answer not in (None, b.suggested)
        )
    if treatment == "tool_absent":
        found["gave_up"] = alone(lambda _, b: b.gave_up)
    if treatment == "format":
        found["fi"] = (1 - t.misses_format) * alone(lambda _, b: not b.gave_up)
        found["est_true"] = _followed(cases, arm)
    return found


def _within(cases: Sequence[_Case], arms: Sequence[str]) -> list[_Case]:
    return [case for case in cases if {*arms} <= {*case[1]}]


def _followed(cases: Sequence[_Case], arm: str) -> float:
    """The score of replies that follow the format: whether one does has nothing to do with it."""
    return _mean(cases, arm, arm, lambda _, b: b.score, lambda _, b: not b.gave_up)


def _over(arms: Mapping[str, str], cases: Sequence[_Case]) -> Iterator[Expectation]:
    yield Expectation("noise", _mean(cases, PLAIN, REPEAT, _flips))
    others = [a for a in arms if a not in (PLAIN, REPEAT)]
    if judged := [a for a in others if arms[a] not in UNKNOWABLE]:
        whole = _within(cases, [PLAIN, *judged])
        losses = [_mean(whole, PLAIN, a, lambda a, b: a.score - b.score) for a in judged]
        null = all(abs(loss) < _NOTHING for loss in losses)
        yield Expectation("worst_effect", max(losses), null=null)
    for arm in (a for a in others if arms[a] == "absent"):
        omni = _mean(cases, PLAIN, arm, lambda a, b: (a.score + b.score) / 2)
        yield Expectation("omni_accuracy", omni)
    formats = [a for a in others if arms[a] == "format"]
    if len(formats) > 1:
        whole = _within(cases, formats)
        spread = POINTS * population_variance([_followed(whole, a) for a in formats])
        yield Expectation("bias_f", spread, null=spread < _NOTHING)
