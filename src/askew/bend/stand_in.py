"""Tasks that stand in for a user's: sums with options, without, and with tools."""

from pathlib import Path

from inspect_ai import Task
from inspect_ai import task as stands_in
from inspect_ai.agent import as_solver, react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, choice, match, scorer
from inspect_ai.solver import Generate, Solver, TaskState, generate, multiple_choice, solver
from inspect_ai.tool import Tool, ToolDef

FILE = str(Path(__file__).resolve())
ITEMS = 240
CHOICES, SHORT, AGENT = "choices", "short", "agent"
# What an agent may look a sum up in, in their order; the first is the one to use.
TOOLS = {
    "calculator": "Adds numbers.",
    "archive": "Sums of former years, as they were noted then.",
    "survey": "What people who were asked take a sum to be.",
}
# Of the right option's places in turn: it stands first in half of the questions.
_PLACES = (0, 2, 0, 1, 0, 3)


@stands_in
def choices() -> Task:
    """Sums with four options."""
    return Task(_make_task(CHOICES), solver=multiple_choice(), scorer=choice())


@stands_in
def short() -> Task:
    """Sums to answer in a word."""
    return Task(_make_task(SHORT), solver=generate(), scorer=match(location="exact"))


@stands_in
def agent() -> Task:
    """Sums to look up with one of three tools."""
    return Task(_make_task(AGENT), solver=_agent(), scorer=match(location="exact"))


@stands_in
def mixed() -> Task:
    """All three kinds in turn."""
    kinds = zip(*(_make_task(kind) for kind in (CHOICES, SHORT, AGENT)), strict=True)
    return Task([s for each in kinds for s in each], solver=_by_kind(), scorer=_score_by_kind())


def _make_task(kind: str) -> MemoryDataset:
    return MemoryDataset([_sample(kind, i) for i in range(ITEMS)], name=kind)


def _sample(kind: str, i: int) -> Sample:
    one, other, place = 11 + i, 7 + 3 * i, _PLACES[i % len(_PLACES)]
    right = one + other
    options = [right - 1, right + 10, right - 10]
    options.insert(place, right)
    return Sample(
        id=f"{kind}-{i + 1}",
        input=f"How much is {one} + {other}?",
        choices=[*map(str, options)] if kind == CHOICES else None,
        target="ABCD"[place] if kind == CHOICES else str(right),
        metadata={"kind": kind, **({"tool": next(iter(TOOLS))} if kind == AGENT else {})},
    )


def tools() -> list[ToolDef]:
    """What the agent is offered beside its way to submit."""

    def looked_up(add: int) -> Tool:
        async def execute(one: int, other: int) -> str:
            return str(one + other + add)

        return execute

    descriptions = {"one": "The first number.", "other": "The second number."}
    return [
        ToolDef(looked_up(add), name, description, descriptions)
        for add, (name, description) in enumerate(TOOLS.items())
    ]


def _agent() -> Solver:
    return as_solver(react(tools=[*tools()]))


@solver
def _by_kind() -> Solver:
    of = {CHOICES: multiple_choice(), SHORT: generate(), AGENT: _agent()}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await of[state.metadata["kind"]](state, generate)

    return solve


@scorer(metrics=[accuracy()])
def _score_by_kind() -> Scorer:
    of = {CHOICES: choice(), SHORT: match(location="exact"), AGENT: match(location="exact")}

    async def score(state: TaskState, target: Target) -> Score | None:
        return await of[state.metadata["kind"]](state, target)

    return score
