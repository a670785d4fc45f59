"""How much a task asks: calls and tokens of every sample, estimated from its characters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.dataset import Sample

from askew.papers import asked_for
from askew.schema import Paper
from askew.solvers.chain import planned_dialogue


@dataclass(frozen=True)
class Assumptions:
    """What stands in for what can't be known beforehand.

    Attributes:
        characters_a_token: how many characters make a token.
        answer_tokens: tokens of a reply beside the right answer's own.
        shown_reasoning: tokens of a reply that is asked to reason.
        hidden_reasoning: tokens that a reasoning model thinks in each call, billed as output.
        message_tokens: tokens that the provider adds to every message.
        judged: the share of replies that rules can't read, where a judge reads the rest.
    """

    characters_a_token: float = 4.0
    answer_tokens: int = 10
    shown_reasoning: int = 300
    hidden_reasoning: int = 600
    message_tokens: int = 4
    judged: float = 0.1

    def __post_init__(self) -> None:
        if not (math.isfinite(self.characters_a_token) and self.characters_a_token > 0):
            raise ValueError(f"characters_a_token={self.characters_a_token}: give a number above 0")


@dataclass(frozen=True)
class Load:
    """Calls, and tokens in and out, without hidden reasoning."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: Load) -> Load:
        return Load(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
        )

    def times(self, factor: float) -> Load:
        return Load(
            round(self.calls * factor),
            round(self.tokens_in * factor),
            round(self.tokens_out * factor),
        )


TESTED, GRADER, POLISHER = "model", "grader", "polisher"
# Characters of a judge's or polisher's question beside what it is about.
_QUESTION = 700


def workload(
    task: str,
    samples: Sequence[Sample],
    parameters: Mapping[str, Any],
    assumptions: Assumptions,
    *,
    has_grader: bool = False,
) -> dict[str, Load]:
    """What each role has to do for one epoch of the samples.

    Args:
        task: the task's name.
        samples: its samples.
        parameters: parameters the task was given: some bring a judge in.
        assumptions: what stands in for what can't be known.
        has_grader: whether the role grader is bound.
    """
    loads = dict.fromkeys((TESTED, GRADER, POLISHER), Load())
    paper = asked_for(task)
    judge = paper.judge
    share = judge.share(parameters, has_grader, assumptions.judged) if judge else 0.0
    judged = Load()
    for sample in samples:
        metadata = sample.metadata or {}
        turns, reply = _turns(paper, sample, assumptions)
        loads[TESTED] += turns
        if share and judge and judge.reads(metadata):
            given = reply * assumptions.characters_a_token + len(_target(sample))
            judged += _question(given, assumptions, str(metadata.get("judge_question", "")))
        if paper.polishes(metadata):
            loads[POLISHER] += _rewrite(sample, assumptions)
    loads[GRADER] = judged.times(share)
    return {role: load for role, load in loads.items() if load.calls or role == TESTED}


def _turns(paper: Paper, sample: Sample, assumptions: Assumptions) -> tuple[Load, int]:
    """The dialogue of one sample, and the tokens of its last reply.

    Each call takes in everything said before it, the model's own earlier replies included.
    """
    metadata = sample.metadata or {}
    answer = assumptions.answer_tokens + _tokens(len(_target(sample)), assumptions)
    reasons = paper.reasons(metadata)
    dialogue = planned_dialogue(sample)
    earlier = sum(role == "assistant" for role, _ in dialogue)
    load, context = Load(), 0
    for role, text in dialogue:
        if role == "assistant":
            # A first turn that is looked at again reasons in the open.
            reply = answer + assumptions.shown_reasoning
            load += Load(1, context, reply)
            context += reply
        else:
            context += _tokens(len(text), assumptions) + assumptions.message_tokens
    last = answer + (assumptions.shown_reasoning if reasons or earlier else 0)
    return load + Load(1, context, last), last


def _tokens(characters: float, assumptions: Assumptions) -> int:
    return math.ceil(characters / assumptions.characters_a_token)


def _target(sample: Sample) -> str:
    return sample.target if isinstance(sample.target, str) else " ".join(sample.target)


def _question(characters: float, assumptions: Assumptions, printed: str = "") -> Load:
    """A question to a judge or polisher: its own text where the sample carries it."""
    asked = len(printed) or _QUESTION
    return Load(1, _tokens(asked + characters, assumptions), assumptions.answer_tokens)


def _rewrite(sample: Sample, assumptions: Assumptions) -> Load:
    """A question is read and written again, about as long."""
    characters = len(sample.input if isinstance(sample.input, str) else sample.input[-1].text)
    asked = _question(characters, assumptions)
    return Load(1, asked.tokens_in, _tokens(characters, assumptions))
