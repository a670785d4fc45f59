"""Simulated models in every task: who is always right is, and what is lost is lost where it says.

That measured values are those that are planted is tested in `tests/decide/test_calibrate.py`.
"""

from functools import cache

import pytest

from askew.decide.simulation import simulation
from askew.papers import get_paper, task_papers
from tests.cases import cases_of

# Questions of a tier, under few conditions.
FEW = cases_of(__file__, "FEW")
EVERYWHERE = {"mathcomp": {"output": "all"}}
# Prose around an answer breaks formats.
READ_IN_PROSE = [task for task in task_papers() if task != "format_bias"]
GRADED = [task for task in task_papers() if task != "knowno"]


@cache
def simulated(task):
    return simulation(task, items=9, **EVERYWHERE.get(task, {}))


def right(task, made, name, **overrides):
    """What is right of the answers of a model."""
    rows = made.observations(name, overrides=overrides)
    assert len(rows) == len(made.samples)
    return rows.assign(right=rows[get_paper(task).split_of])


@pytest.mark.parametrize(
    ("task", "name"),
    [*((t, "oracle") for t in task_papers()), *((t, "chatty") for t in READ_IN_PROSE)],
)
def test_a_correct_simulated_model_is_parsed_as_correct_everywhere(task, name):
    assert set(right(task, simulated(task), name)["right"]) == {1.0}


@pytest.mark.parametrize("task", ["mathcomp", "format_bias", "binary_qa"])
def test_what_is_not_known_is_wrong_alike_under_every_condition(task):
    rows = right(task, simulated(task), "oracle", knows=0.5)
    assert set(rows.groupby("item")["right"].nunique()) == {1}
    assert 0 < rows["right"].mean() < 1


@pytest.mark.parametrize("task", GRADED)
def test_what_is_known_less_of_hard_questions_is_lost_there_and_only_there(task):
    for tier, share in (("core", 1.0), ("hard", 0.6)):
        made = simulation(task, data="bundled", tier=tier, items=60, **FEW[task])
        found = right(task, made, "oracle", knows_less_hard=0.4).groupby("item")["right"].mean()
        assert found.mean() == pytest.approx(share, abs=0.2 * (share < 1))
