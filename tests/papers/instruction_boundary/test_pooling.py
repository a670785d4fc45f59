"""Runs that are pooled ask the same words: what a parameter rewords, ids or runs keep apart."""

import itertools
import json
from functools import cache
from inspect import signature

import pytest
from inspect_ai import Task
from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalPlan, EvalPlanStep, EvalSpec

from askew.logs.runs import run_id, run_settings
from askew.papers.instruction_boundary.paper import PAPER
from askew.papers.instruction_boundary.tasks import instruction_boundary
from askew.report.study import Study
from askew.solvers.chain import planned_dialogue
from tests.cases import cases_of

SMALL = {"items": 40, "n_wrong": "1,5"}
DEFAULTS = {
    name: p.default for name, p in signature(instruction_boundary).parameters.items()
    if p.kind is not p.VAR_KEYWORD
}  # fmt: skip
# Two or more values of every parameter that words, options, examples or labels hang on.
REWORDING = cases_of(__file__, "REWORDING")


def header(task: Task, args) -> EvalLog:
    """The header of a log as Inspect writes it for this task."""
    return EvalLog(
        eval=EvalSpec(
            created="2026-03-01T12:00:00+00:00", task="askew/instruction_boundary",
            task_version=task.version, task_args={**DEFAULTS, **args}, dataset=EvalDataset(),
            model="openai/gpt-5", config=EvalConfig(), metadata=task.metadata,
        ),
        plan=EvalPlan(steps=[EvalPlanStep(solver="generate")], config=task.config),
    )  # fmt: skip


def prompts(**parameters):
    """The run that a log of these parameters belongs to, and what each of its samples asks."""
    args = {**SMALL, **parameters}
    # What is the default anyway makes the same task.
    return _made(json.dumps({k: v for k, v in args.items() if DEFAULTS.get(k, ...) != v}))


@cache
def _made(given):
    args = json.loads(given)
    task = instruction_boundary(**args)
    words = {
        s.id: (planned_dialogue(s), s.target, tuple(s.choices or ()), s.metadata["variant"])
        for s in task.dataset
    }
    return run_id(run_settings(header(task, args), PAPER)), words


@pytest.mark.whole
@pytest.mark.parametrize("parameter", REWORDING)
def test_pooled_samples_with_the_same_id_have_the_same_prompt(parameter):
    runs = [prompts(**{parameter: value}) for value in REWORDING[parameter]]
    for (run, one), (other_run, other) in itertools.combinations(runs, 2):
        if run == other_run:
            reworded = [i for i in one.keys() & other.keys() if one[i] != other[i]]
            assert not reworded, f"{parameter}: {reworded[:3]} are pooled with other words"


def test_every_variant_that_a_selector_names_is_part_of_the_id():
    for parameter in PAPER.selectors:
        runs = [prompts(**{parameter: value}) for value in REWORDING[parameter]]
        assert len({run for run, _ in runs}) == 1, f"{parameter} only chooses what is asked"
        assert len({frozenset(words) for _, words in runs}) > 1
        for _, words in runs:
            for sample_id, (_, _, _, variant) in words.items():
                assert sample_id.endswith(variant.replace("+", "-"))


def test_two_runs_with_other_suggestions_are_pooled_as_two_conditions(run):
    logs = [
        run(instruction_boundary(items=2, subset="logic", setting="vanilla,conformity",
                                 suggest=label), "respondent/conformist")
        for label in ("unknown", "true")
    ]  # fmt: skip
    table = Study.read(logs, quiet=True)
    assert table.rows["run"].nunique() == 1
    found = table.rows.groupby(["setting", "variant"]).size().to_dict()
    assert found == {("vanilla", ""): 2, ("conformity", "unknown"): 2, ("conformity", "true"): 2}
