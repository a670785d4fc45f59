"""Simulated observations: the same, row by row, as those of a real eval."""

import pandas as pd
import pytest
from inspect_ai import Task

from askew.analysis import read_observations
from askew.decide.simulation import simulation
from askew.papers import get_paper, names

SHORTCUT = ["run", "log", "model_name", "status"]


@pytest.mark.parametrize("task", names())
def test_a_simulation_gives_the_observations_of_an_eval(run, task):
    made: Task = get_paper(task).make(items=5)
    log = run(made, model="respondent/typical", model_args={"seed": 3})
    real = read_observations(log.location, quiet=True).drop(columns=SHORTCUT)
    quick = simulation(task, items=5).observations("typical", seed=3).drop(columns=SHORTCUT)
    assert len(quick) == len(real) > 0
    key = ["subset", "sample_id", "epoch"]
    columns = sorted(set(real) & set(quick))
    # What calls cost is no observation of an answer.
    assert set(quick) >= set(real) - {"output_tokens"}
    pd.testing.assert_frame_equal(
        quick[columns].sort_values(key, ignore_index=True),
        real[columns].sort_values(key, ignore_index=True),
        check_dtype=False,
    )


def test_equal_seeds_give_equal_runs_and_other_seeds_others():
    made = simulation("knowno", items=12)
    first, again = (made.observations("typical", seed=1) for _ in range(2))
    pd.testing.assert_frame_equal(first, again)
    assert (made.observations("typical", seed=2)["correct"] != first["correct"]).any()


def test_tendencies_can_be_set_otherwise():
    made = simulation("knowno", items=12)
    assert made.observations("oracle", overrides={"refuses": 1.0})["outcome"].eq("refused").all()


def test_a_simulation_never_calls_a_grader():
    made = simulation("knowno", items=6, parser="grader")
    assert len(made.observations("agreeable")) == 36
