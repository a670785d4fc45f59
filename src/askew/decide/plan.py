"""Before money is spent: samples, calls, tokens, cost, time, and what would be shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelCost, ModelUsage, compute_model_cost, get_model, get_model_info
from pydantic import BaseModel, Field

from askew.decide.simulation import SEEDS, Record, advices, n_items, simulation, widths
from askew.files import read_validated
from askew.papers import get_paper
from askew.parameters import quote, reading_progress
from askew.report.accounting import levels_to_ask
from askew.report.caveats import CEILING, NO_CEILING
from askew.report.study import Study
from askew.schema import GRADER, Paper
from askew.solvers.chain import AFRESH, planned_dialogue
from askew.sources.loading import TIERS
from askew.stats.p_values import ClusterDifference, detectable_difference
from askew.stats.tables import Interval

TESTED, POLISHER = "model", "polisher"
# Characters of a grader's or polisher's question beside what it is about.
_QUESTION = 700
LIKE = "typical"
# A rate at which a set has room: where strong models lie on questions that tell them apart.
MIDDLE = 0.7


@dataclass(frozen=True)
class Assumptions:
    """What stands in for what can't be known beforehand, in tokens if not said otherwise."""

    characters_a_token: float = 4.0
    answer_tokens: int = 10  # of a reply beside the right answer's own
    shown_reasoning: int = 300
    hidden_reasoning: int = 600  # of each call of a reasoning model, billed as output
    message_tokens: int = 4  # what the provider adds to every message
    judged: float = 0.1  # share of replies that rules leave to the grader, where they read first

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


def plan(
    task: str, models: Sequence[str], *, data: str | None = None,
    parameters: Mapping[str, Any] | None = None, epochs: int = 1,
    roles: Mapping[str, str] | None = None, prices: Mapping[str, ModelCost] | None = None,
    rate: float = 60.0, wanted_width: float | None = None, effect: float | None = None,
    seeds: int = SEEDS, study: Study | None = None, like: str = LIKE,
    assumptions: Assumptions | None = None, interval: Interval | None = None, tasks: int = 1,
    quiet: bool = True,
) -> Record:  # fmt: skip
    """What a run would ask and cost, and what its headlines would show.

    Beside what was given and counted there are rows of `expenses` by model and role, `widths` by
    headline, `advice` on what to buy next, `tiers` of questions, and by real models' answers
    `levels` of difficulty to ask and `ceilings`. `cost` is in dollars, None where some price is not
    known; `at_least` says that somebody else's solver asks, which may make more calls.

    Nothing is sent anywhere; only a paper's files are fetched where they are not cached. Tokens
    are estimated from characters. Widths and power are those of a simulated model with human-like
    mistakes on these very samples, averaged over seeds; another model's may differ, and none is
    wider for a rate than at one half.

    `data` is as the task takes it, by default its own, `rate` requests a minute, `prices` are
    dollars a million tokens (default Inspect's own), and a `study` says by real models' answers
    what to buy next. A wanted width or effect of 0.05 is 5 points of 100, for every metric. Of so
    many `tasks` two models are compared, which corrects p-values.
    """
    if epochs < 1 or not rate > 0:
        raise ValueError(f"epochs={epochs}, rate={rate}: give at least 1 epoch and a rate above 0")
    for name, wanted in (("width", wanted_width), ("effect", effect)):
        if wanted is not None and not wanted > 0:
            raise ValueError(f"{name}={wanted}: give a number above 0")
    if seeds < 2:
        raise ValueError(f"seeds={seeds}: give at least 2 seeds: their spread is the error")
    given, taken = dict(parameters or {}), assumptions or Assumptions()
    how, paper = interval or Interval(resamples=500), get_paper(task)
    # One that asks a task of somebody's has no data to choose.
    default = signature(paper.make).parameters["data"].default if paper.has("items") else ""
    made = simulation(task, **({"data": data} if data and paper.items else {}), **given)
    with reading_progress(seeds, quiet, "simulating runs") as on_done:
        shown = list(widths(made, like, epochs, wanted_width, effect, seeds, how, on_done, tasks))
    real = study.by_task.get(made.task) if study else None
    loads = workload(made.task, made.samples, given, taken)
    # Every model under test brings its own calls of the grader and the polisher.
    tested = list(dict.fromkeys(models))
    runs = [(model, TESTED, epochs) for model in tested]
    runs += [((roles or {}).get(r, ""), r, epochs * len(tested)) for r in loads if r != TESTED]
    expenses = [
        _expense(model, role, loads[role].times(often), prices or {}, rate, taken)
        for model, role, often in runs
    ]
    costs, first = [e["cost"] for e in expenses], made.samples[0].metadata or {}
    high = study.ceilings(how).only(lambda of, _: of == made.task) if study else NO_CEILING
    return {
        "task": made.task, "data": data or str(default or first["subset"]),
        "n_items": n_items(made.samples), "n_samples": len(made.samples), "epochs": epochs,
        "rate": rate, "assumptions": taken, "like": like, "level": how.level, "seeds": seeds,
        "at_least": not default, "cost": None if None in costs else math.fsum(costs),
        "expenses": expenses, "widths": shown, "advice": list(advices(made, like, epochs, real)),
        "tiers": list(tier_precisions(made.samples, how.level)), "ceilings": high,
        "levels": list(levels_to_ask(study, made.task)) if study and real is not None else [],
    }  # fmt: skip


def check_provider(name: str) -> str:
    """A model's name, if Inspect knows its provider; no key is needed, and no model is loaded."""
    try:
        # The name given twice stops it once the provider is found.
        get_model(name, model_name=name)  # inspect-evals-lint: ignore[IEBP001] -- none is made
    except ValueError as error:
        why = "unknown provider" if name.partition("/")[2] else "not a model name"
        hint = "expected PROVIDER/NAME, such as openai/gpt-5, of a provider that Inspect has"
        raise ValueError(f"{quote(name)}: {why}; {hint}") from error
    except TypeError:
        pass
    return name


def _expense(
    model: str, role: str, load: Load, prices: Mapping[str, ModelCost], rate: float,
    assumptions: Assumptions,
) -> Record:  # fmt: skip
    """What one model has to do in one role; a model that nobody named has the name ""."""
    # The cost is in dollars; None where no price is known.
    info = get_model_info(model) if model else None
    # Hidden reasoning counts as far as Inspect's data says.
    thinks = bool(info and info.reasoning)
    if thinks:
        load = load + Load(0, 0, load.calls * assumptions.hidden_reasoning)
    price, source = price_of(model, prices)
    usage = ModelUsage(input_tokens=load.tokens_in, output_tokens=load.tokens_out)
    cost = compute_model_cost(price, usage) if price else None  # without any cache
    return {"model": model, "role": role, "load": load, "cost": cost, "price_from": source,
            "thinks": thinks, "minutes": load.calls / rate}  # fmt: skip


def tier_precisions(samples: Sequence[Sample], level: float) -> Iterator[dict[str, Any]]:
    """What every tier among these samples can show: how large a difference, at which accuracy."""
    # A tier has room where a better model than one at the ceiling could be told from it.
    metadata = pd.DataFrame([sample.metadata or {} for sample in samples])
    metadata = metadata.reindex(columns=["tier", "subset", "item", "cluster"])
    for tier in TIERS:
        own = metadata[metadata["tier"] == tier]
        items, clusters = (len(own[["subset", k]].drop_duplicates()) for k in ("item", "cluster"))
        # Between two models of about the same rate, whose mistakes differ.
        high, middle = (
            detectable_difference(
                clusters, ClusterDifference(math.sqrt(2 * p * (1 - p)), 1.0, share=p), 1 - level
            )
            for p in (CEILING, MIDDLE)
        )
        if items:
            yield {"tier": tier, "n_items": items, "n_clusters": clusters, "at_ceiling": high,
                   "in_the_middle": middle, "has_room": high <= 1 - CEILING}  # fmt: skip


# --- How much a task asks, and what that costs ---------------------------------------------------


def workload(
    task: str, samples: Sequence[Sample], parameters: Mapping[str, Any], assumptions: Assumptions
) -> dict[str, Load]:
    """What each role has to do for one epoch of the samples."""
    loads = dict.fromkeys((TESTED, GRADER, POLISHER), Load())
    paper, some = get_paper(task), assumptions.judged
    # Of a reply's questions: the share of the first and of the second that are asked.
    shares = {"rules_then_grader": (some, some), "grader": (1.0, some)}.get(
        str(parameters.get("parser")), ()
    )
    graded = [Load() for _ in shares]
    for sample in samples:
        metadata = sample.metadata or {}
        turns, reply = _turns(paper, sample, assumptions)
        loads[TESTED] += turns
        for number in range(paper.graded(metadata) if shares and paper.graded else 0):
            # The grader is asked in the sample's own words, where it carries them.
            n_characters = len(str(metadata.get("judge_question", ""))) or _QUESTION
            given = n_characters + reply * assumptions.characters_a_token + len(_target(sample))
            graded[number] += Load(1, assumptions.tokens(given), assumptions.answer_tokens)
        if paper.polishes(metadata):
            # A question is read and written again, about as long.
            own = len(sample.input if isinstance(sample.input, str) else sample.input[-1].text)
            read, written = (assumptions.tokens(n) for n in (_QUESTION + own, own))
            loads[POLISHER] += Load(1, read, written)
    for load, share in zip(graded, shares, strict=True):
        loads[GRADER] += load.times(share)
    return {role: load for role, load in loads.items() if load.calls or role == TESTED}


def _turns(paper: Paper, sample: Sample, assumptions: Assumptions) -> tuple[Load, int]:
    """The dialogue of one sample, and the tokens of its last reply."""
    # Each call takes in everything said before it, the model's own earlier replies included.
    last = answer = assumptions.answer_tokens + assumptions.tokens(len(_target(sample)))
    reasoned = answer + assumptions.shown_reasoning
    load, context = Load(), 0
    for role, text in planned_dialogue(sample):
        if role == "assistant":
            # A first turn that is looked at again reasons in the open.
            last = reasoned
            load += Load(1, context, reasoned)
            context += reasoned
        else:
            # What opens another dialogue quotes the last reply, and nothing before it.
            context = reasoned if role == AFRESH else context
            context += assumptions.tokens(len(text)) + assumptions.message_tokens
    last = reasoned if paper.reasons(sample.metadata or {}) else last
    return load + Load(1, context, last), last


def _target(sample: Sample) -> str:
    return sample.target if isinstance(sample.target, str) else " ".join(sample.target)


_Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Price(BaseModel, extra="forbid"):
    """Dollars a million tokens; the keys of Inspect's `--model-cost-config`."""

    input: _Dollars
    output: _Dollars
    input_cache_write: _Dollars = 0.0
    input_cache_read: _Dollars = 0.0


def read_prices(path: str | Path) -> dict[str, ModelCost]:
    """Prices by model from a YAML file, the same that `inspect eval --model-cost-config` takes."""
    hint = "a model's name, then input and output in dollars a million tokens"
    table = read_validated(path, dict[str, _Price], hint)
    return {model: ModelCost(**price.model_dump()) for model, price in table.items()}


def price_of(model: str, table: Mapping[str, ModelCost]) -> tuple[ModelCost | None, str]:
    """A model's price and where it is from; the user's table comes first."""
    if not model:
        return None, "no model named"
    if model in table:
        return table[model], "your table"
    info = get_model_info(model)
    cost = info.cost if info else None
    return cost, "Inspect's data" if cost else "no price known"
