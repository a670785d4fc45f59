"""What respondents' tendencies come to in bent tasks: samples, observations, expected numbers.

A dialogue with tools or with a second turn has no single reply to read. What a respondent has to
say is drawn as in an eval, and becomes the observation that an eval makes of it; a test holds the
two equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageTool
from inspect_ai.tool import ToolInfo

from askew.papers.bend.numbers import POINTS
from askew.papers.bend.paper import PAPER, PLAIN, REPEAT, SENTENCES, UNKNOWABLE
from askew.papers.bend.respondent import (
    NOTHING,
    Tendencies,
    chances_of,
    drawn,
    follows_format,
    is_right,
    written,
    wrong_options,
)
from askew.papers.bend.stand_in import AGENT, FILE, tools
from askew.papers.bend.tasks import planned_for
from askew.reading.letters import LETTERS
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
    """What a bent task asks, each sample with all that a respondent is told of it.

    Args:
        **parameters: of the task; without one, of questions that stand in.
    """
    told = {**PAPER.stand_in, **parameters}
    task, treatments = str(told.pop("task")), told.pop("treatments", None)
    plan, name, _ = planned_for(task, treatments, None, told)
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
    """The observation of a sample; nothing where its treatment does not reach the model.

    Args:
        truth: of the sample.
        tendencies: of the respondent.
        name: its name.
        seed: its seed.
    """
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
class _Case:
    """An item in all its arms, in one state of a respondent's mind; chances are by arm."""

    weight: float
    right: Mapping[str, float]
    answers: Mapping[str, Mapping[str | None, float]]
    refuses: Mapping[str, float]
    suggested: Mapping[str, str]

    def hurt(self, arm: str) -> float:
        return self.right[PLAIN] * (1 - self.right[arm])

    def helped(self, arm: str) -> float:
        return self.right[arm] * (1 - self.right[PLAIN])

    def flips(self, arm: str) -> float:
        return self.hurt(arm) + self.helped(arm)

    def follows(self, arm: str) -> float:
        return 1 - self.refuses[arm]

    def is_read(self, arm: str) -> float:
        return math.prod(1 - self.answers[a].get(None, 0.0) for a in (PLAIN, arm))

    def kept(self, arm: str) -> float:
        before, after = self.answers[PLAIN], self.answers[arm]
        return sum(p * after.get(a, 0.0) for a, p in before.items() if a is not None)

    def could_move(self, arm: str) -> float:
        stays = (None, self.suggested.get(arm))
        return sum(p for a, p in self.answers[PLAIN].items() if a not in stays)

    def moved(self, arm: str) -> float:
        return self.could_move(arm) * self.answers[arm].get(self.suggested.get(arm), 0.0)


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
    of_arms = [e for a, treatment in arms.items() for e in _of_arm(a, treatment, cases, tendencies)]
    return [*of_arms, *_over(arms, cases)]


def _cases(arms: Mapping[str, Mapping[str, Any]], t: Tendencies) -> Iterator[_Case]:
    n = len(wrong_options(next(iter(arms.values())))) or _LURES
    for knows, chance in ((True, t.knows), (False, 1 - t.knows)):
        for i in range(n) if chance else ():
            said = {a: chances_of(x, t, knows, (i + 0.5) / n) for a, x in arms.items()}
            yield _Case(
                chance / n,
                {a: sum(p for s, p in said[a].items() if is_right(x, s)) for a, x in arms.items()},
                {a: _by_answer(x, said[a]) for a, x in arms.items()},
                {a: said[a].get(NOTHING, 0.0) for a in arms},
                {a: s for a, x in arms.items() if (s := _suggested(x))},
            )


def _by_answer(truth: Mapping[str, Any], said: Mapping[str, float]) -> dict[str | None, float]:
    found: dict[str | None, float] = {}
    for what, chance in said.items():
        answer = _answer(truth, what)
        found[answer] = found.get(answer, 0.0) + chance
    return found


def _share(
    cases: Sequence[_Case],
    part: Callable[[_Case], float],
    of: Callable[[_Case], float] = lambda case: 1.0,
) -> float:
    """The expected share of something, over cases by weight; nan of nothing."""
    whole = sum(c.weight * of(c) for c in cases)
    return sum(c.weight * part(c) for c in cases) / whole if whole > 0 else math.nan


def _of_arm(
    arm: str, treatment: str, every: Sequence[_Case], t: Tendencies
) -> Iterator[Expectation]:
    asked = [c for c in every if arm in c.right]
    found = {"score": _share(asked, lambda c: c.right[arm])}
    if arm != PLAIN:
        cases = [c for c in asked if PLAIN in c.right]
        for name in ("hurt", "helped", "flips"):
            found[name] = _share(cases, lambda c, name=name: getattr(c, name)(arm))  # type: ignore[misc]
        found["effect"] = found["helped"] - found["hurt"]
        if arm != REPEAT:
            found["beyond_noise"] = found["flips"] - _noise(cases)
        found["kept"] = _share(cases, lambda c: c.kept(arm), lambda c: c.is_read(arm))
        if treatment == "suggestion":
            moved = _share(cases, lambda c: c.moved(arm), lambda c: c.could_move(arm))
            found["moved_rate"] = moved
        if treatment == "tool_absent":
            found["gave_up"] = _share(asked, lambda c: c.refuses[arm])
        if treatment == "format":
            found["fi"] = (1 - t.misses_format) * _share(asked, lambda c: c.follows(arm))
            found["est_true"] = _followed(asked, arm)
    for name, value in found.items():
        yield Expectation(name, value, {"arm": arm})


def _followed(cases: Sequence[_Case], arm: str) -> float:
    """The score of replies that follow the format: whether one does has nothing to do with it."""
    return _share(cases, lambda c: c.right[arm], lambda c: c.follows(arm))


def _noise(cases: Sequence[_Case]) -> float:
    return _share([c for c in cases if {PLAIN, REPEAT} <= {*c.right}], lambda c: c.flips(REPEAT))


def _over(arms: Mapping[str, str], cases: Sequence[_Case]) -> Iterator[Expectation]:
    yield Expectation("noise", _noise(cases))
    others = [a for a in arms if a not in (PLAIN, REPEAT)]
    if judged := [a for a in others if arms[a] not in UNKNOWABLE]:
        whole = [c for c in cases if {PLAIN, *judged} <= {*c.right}]
        losses = [_share(whole, lambda c, a=a: c.right[PLAIN] - c.right[a]) for a in judged]  # type: ignore[misc]
        null = all(abs(loss) < _NOTHING for loss in losses)
        yield Expectation("worst_effect", max(losses), null=null)
    for arm in (a for a in others if arms[a] == "absent"):
        both = [c for c in cases if {PLAIN, arm} <= {*c.right}]
        omni = _share(both, lambda c, arm=arm: (c.right[PLAIN] + c.right[arm]) / 2)  # type: ignore[misc]
        yield Expectation("omni_accuracy", omni)
    formats = [a for a in others if arms[a] == "format"]
    if len(formats) > 1:
        whole = [c for c in cases if {*formats} <= {*c.right}]
        spread = POINTS * population_variance([_followed(whole, a) for a in formats])
        yield Expectation("bias_f", spread, null=spread < _NOTHING)
