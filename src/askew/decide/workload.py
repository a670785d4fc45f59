"""How much a task asks, estimated from its characters, and what that costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ModelCost, ModelUsage, compute_model_cost, get_model_info
from pydantic import BaseModel, ConfigDict, Field

from askew.files import read_validated
from askew.papers import asked_for
from askew.schema import Paper
from askew.solvers.chain import AFRESH, planned_dialogue


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

    def tokens(self, characters: float) -> int:
        """How many tokens so many characters are."""
        return math.ceil(characters / self.characters_a_token)


@dataclass(frozen=True)
class Load:
    """Calls, and tokens in and out, without hidden reasoning."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: Load) -> Load:
        return Load(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    def times(self, factor: float) -> Load:
        return Load(*(round(part * factor) for part in astuple(self)))


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
            # The judge is asked in the sample's own words, where it carries them.
            asked = len(str(metadata.get("judge_question", ""))) or _QUESTION
            given = asked + reply * assumptions.characters_a_token + len(_target(sample))
            judged += Load(1, assumptions.tokens(given), assumptions.answer_tokens)
        if paper.polishes(metadata):
            # A question is read and written again, about as long.
            own = len(sample.input if isinstance(sample.input, str) else sample.input[-1].text)
            read, written = (assumptions.tokens(n) for n in (_QUESTION + own, own))
            loads[POLISHER] += Load(1, read, written)
    loads[GRADER] = judged.times(share)
    return {role: load for role, load in loads.items() if load.calls or role == TESTED}


def _turns(paper: Paper, sample: Sample, assumptions: Assumptions) -> tuple[Load, int]:
    """The dialogue of one sample, and the tokens of its last reply.

    Each call takes in everything said before it, the model's own earlier replies included.
    """
    answer = assumptions.answer_tokens + assumptions.tokens(len(_target(sample)))
    dialogue = planned_dialogue(sample)
    earlier = sum(role == "assistant" for role, _ in dialogue)
    load, context, reply = Load(), 0, 0
    for role, text in dialogue:
        if role == "assistant":
            # A first turn that is looked at again reasons in the open.
            reply = answer + assumptions.shown_reasoning
            load += Load(1, context, reply)
            context += reply
        else:
            # What opens another dialogue quotes the last reply, and nothing before it.
            context = reply if role == AFRESH else context
            context += assumptions.tokens(len(text)) + assumptions.message_tokens
    shown = bool(earlier) or paper.reasons(sample.metadata or {})
    last = answer + shown * assumptions.shown_reasoning
    return load + Load(1, context, last), last


def _target(sample: Sample) -> str:
    return sample.target if isinstance(sample.target, str) else " ".join(sample.target)


class _Price(BaseModel):
    """Dollars a million tokens; the keys of Inspect's `--model-cost-config`."""

    model_config = ConfigDict(extra="forbid")

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    input_cache_write: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    input_cache_read: float = Field(default=0.0, ge=0, allow_inf_nan=False)


def read_prices(path: str | Path) -> dict[str, ModelCost]:
    """Prices by model from a YAML file, the same that `inspect eval --model-cost-config` takes."""
    hint = "a model's name, then input and output in dollars a million tokens"
    table = read_validated(path, dict[str, _Price], hint)
    return {model: ModelCost(**price.model_dump()) for model, price in table.items()}


def price_of(model: str, table: Mapping[str, ModelCost]) -> tuple[ModelCost | None, str]:
    """A model's price and where it is from; the user's table comes first."""
    if model in table:
        return table[model], "your table"
    info = get_model_info(model)
    if info is not None and info.cost is not None:
        return info.cost, "Inspect's data"
    return None, "no price known"


def reasons(model: str) -> bool:
    """Whether the model thinks before it answers, as far as Inspect's data says."""
    info = get_model_info(model)
    return bool(info is not None and info.reasoning)


def cost_of(price: ModelCost, tokens_in: int, tokens_out: int) -> float:
    """Dollars for so many tokens, without any cache."""
    usage = ModelUsage(
        input_tokens=tokens_in, output_tokens=tokens_out, total_tokens=tokens_in + tokens_out
    )
    return compute_model_cost(price, usage)
