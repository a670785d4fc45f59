"""Whatever can be chosen changes what is asked or how it is scored; seen from the declarations."""

from collections import defaultdict
from functools import cache
from inspect import signature
from itertools import groupby
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from inspect_ai import Task
from inspect_ai._util.registry import registry_info, registry_params

from askew.papers import OWN, get_paper
from askew.schema import TREATMENTS
from askew.sources.loading import TIERS
from tests.cases import cases_of

# Another value, and what it needs beside it, of parameters whose types don't name their values.
OTHER = cases_of(__file__, "OTHER")
# What else has to be said for a parameter to mean anything.
BESIDE: dict[str, dict[str, dict[str, Any]]] = {
    "knowno": {"ablation": {"hint": "with_gold"}},
    "instruction_boundary": {"none_style": {"setting": "vanilla"}},
    "mathcomp": {"judge_people": {"output": "cot"}},
}
# Changes nothing, or nothing here: the paper set nothing else, no bundled item is unsound, the
# authors' prompts are not bundled, it is somebody else's task that is asked, as in tests/bend, or
# tests of its own try it: a file of the user's, levels beside parts that only other data has.
NOTHING = cases_of(__file__, "NOTHING")
TASKS = [task for task in OWN if get_paper(task).has("tasks")]


def effect_of(made: Task) -> dict[str, object]:
    """What a task asks, and how it asks and scores it."""
    steps = [made.solver, *(made.setup or []), *(made.scorer or [])]  # type: ignore[misc]
    return {
        "samples": [(*prompt(s), str(s.target), dict(s.metadata or {})) for s in made.dataset],
        "config": made.config.model_dump(exclude_none=True),
        "steps": [(registry_info(s).name, str(registry_params(s))) for s in steps if callable(s)],
        "shown": [
            [registry_params(m) for m in flat(registry_info(s).metadata["metrics"])]
            for s in made.scorer or []  # type: ignore[union-attr]
        ],
    }


def flat(metrics: Any) -> list[Any]:
    """All metrics of a scorer, those of single measures among them."""
    if isinstance(metrics, dict):
        metrics = metrics.values()
    return [metrics] if callable(metrics) else [one for of in metrics for one in flat(of)]


def prompt(sample: Any) -> tuple[Any, ...]:
    """All of a sample that reaches a model."""
    asked = sample.input
    text = asked if isinstance(asked, str) else "\n".join(m.text for m in asked)
    treated = (*TREATMENTS, "framing_position", "reflection_opens")
    return (text, *(sample.choices or ()), *(str(sample.metadata.get(name)) for name in treated))


@cache
def made(task: str, given: tuple[tuple[str, Any], ...] = ()) -> dict[str, object]:
    return effect_of(get_paper(task).make(**dict(given)))


def free_parameters(task: str) -> list[str]:
    """Those that are neither factors, which the contract tries, nor where questions are from."""
    paper = get_paper(task)
    tried = {"data", "seed", *paper.grouped, *(factor.name for factor in paper.factors)}
    here = (name for name in paper.parameters if name not in tried)
    return [name for name in here if name not in NOTHING.get(task, ())]


def others(task: str, name: str) -> list[dict[str, Any]]:
    """Every other value of a parameter that its type or its paper names."""
    if name in OTHER.get(task, {}):
        return [OTHER[task][name]]
    paper = get_paper(task)
    if name == "subset":
        return [{name: subset} for subset in paper.selection("bundled")]
    if name == "tier":
        return [{name: tier} for tier in TIERS]
    function = getattr(paper.part("tasks"), task)
    kind = get_type_hints(function)[name]
    default = signature(function).parameters[name].default
    beside = BESIDE.get(task, {}).get(name, {})
    if get_origin(kind) is Literal:
        return [{name: value, **beside} for value in get_args(kind) if value != default]
    if kind is bool:
        return [{name: not default}]
    if kind == float | None:
        return [{name: 0.5}]
    assert kind in (int, int | None), f"{task}: say in OTHER what another {name} is"
    return [{name: (default or 4) + 1}]


@pytest.mark.whole
@pytest.mark.parametrize(
    ("task", "name"), [(task, name) for task in TASKS for name in free_parameters(task)]
)
def test_another_value_of_a_parameter_makes_another_task(task, name):
    small = {} if name == "items" else {"items": 8}
    plain = made(task, tuple({**small, **BESIDE.get(task, {}).get(name, {})}.items()))
    for given in others(task, name):
        assert made(task, tuple({**small, **given}.items())) != plain, given


# All items, in few conditions.
FEW = cases_of(__file__, "FEW")


@pytest.mark.whole
@pytest.mark.parametrize("task", [t for t in TASKS if get_paper(t).has("items")])
def test_another_seed_draws_other_items_and_shuffles_shared_ones(task):
    """A seed is of the choice of items and of every shuffle; both are seen apart."""
    paper = get_paper(task)
    few = [
        {s.metadata["item"] for s in paper.make(data="bundled", items=5, seed=s).dataset}
        for s in (2, 3)
    ]
    assert few[0] != few[1]
    if task not in ("binary_qa", "mathcomp"):  # which shuffle nothing
        of = ({s.id: prompt(s) for s in paper.make(seed=n, **FEW[task]).dataset} for n in (2, 3))
        both = [*of]
        shared = both[0].keys() & both[1].keys()
        assert not shared or any(both[0][name] != both[1][name] for name in shared)


# Asked in the same words: the same question again, or formats that differ in how they are read.
AGAIN = cases_of(__file__, "AGAIN")


@pytest.mark.whole
@pytest.mark.parametrize("task", [t for t in TASKS if get_paper(t).has("items")])
def test_two_conditions_of_a_factor_never_have_the_same_prompt(task):
    """Of one item, all else being equal."""
    paper = get_paper(task)
    names = [factor.name for factor in paper.factors]
    samples = list(paper.make(**{"items": 6, **paper.everything}).dataset)
    for factor in names:
        beside = defaultdict(list)
        for sample in samples:
            rest = [str(sample.metadata.get(name)) for name in ("item", *names) if name != factor]
            beside[tuple(rest)].append((prompt(sample), str(sample.metadata.get(factor))))
        for rest, asked in beside.items():
            for words, alike in groupby(sorted(asked), key=lambda pair: pair[0]):
                values = [value for _, value in alike]
                again = set(values) <= {*AGAIN.get(f"{task} {factor}", ())}
                assert len(values) == 1 or again, (factor, rest, values, words)
