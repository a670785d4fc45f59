"""Simulated models on bent tasks: what they say, what is planted, and that it is found."""

import asyncio
from functools import cache

import pandas as pd
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState
from pytest_inspect_evals import metrics

from askew.analysis import read_observations
from askew.bend.paper import PAPER, PLAIN
from askew.bend.stand_in import SHORT, _by_kind, _score_by_kind
from askew.bend.tasks import bend as bent
from askew.bend.true_effects import ALSO
from askew.decide.simulation import simulation
from tests.cases import cases
from tests.scoring.test_metrics_in_evals import in_an_eval

CHOICES, MORE, FORMATS, _, AGENT = {}, *ALSO


@cache
def made(place: int, items: int = 24):
    return simulation("bend", items=items, **(CHOICES, MORE, FORMATS, AGENT)[place])


@cache
def effects(respondent: str, place: int, items: int = 24) -> dict[tuple[str, str], float]:
    """What a respondent's tendencies come to, by metric and arm."""
    of = made(place, items)
    found = of.answerer.expected(of.truths(), of.answerer.of(respondent))
    return {(e.metric, e.levels.get("arm", "all")): e.value for e in found}


# --- What is planted is what the tendency says, worked out by hand ------------------------------


def first_in(place: int, arm: str) -> float:
    """How often the right option stands first."""
    truths = [t for t in made(place).truths() if t["arm"] == arm]
    return sum(t["choices"].index(t["choices"]["ABCD".index(t["target"])]) == 0
               for t in truths) / len(truths)  # fmt: skip


def test_a_first_option_bias_loses_when_order_moves_the_target():
    told = effects("first_option", 0)
    by_place = first_in(0, "order") - first_in(0, PLAIN)
    assert by_place < 0
    assert told["effect", "order"] == pytest.approx(0.5 * by_place)
    assert told["effect", "reflection"] == pytest.approx(0)


@pytest.mark.whole
@cases("respondent", "place", "arm", "effect")
def test_the_measured_effect_equals_the_known_bias(respondent, place, arm, effect):
    told = effects(respondent, place)
    assert told["effect", arm] == pytest.approx(effect, abs=1e-12)
    hurt, helped = told["hurt", arm], told["helped", arm]
    assert helped - hurt == pytest.approx(effect, abs=1e-12)


# --- What they say, in an eval --------------------------------------------------------------------


def run(tmp_path, task, model):
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    return read_eval_log(log.location)


@pytest.mark.whole
@pytest.mark.parametrize("name", ["typical"])
def test_what_is_computed_is_what_an_eval_observes(tmp_path, name):
    """All treatments on all kinds of questions: each reply, read and scored, is its row."""
    log = run(tmp_path, bent(items=3, **PAPER.everything), f"respondent/{name}")
    seen = read_observations([log.location]).set_index("sample_id")
    made_up = simulation("bend", items=3, **PAPER.everything).observations(name)
    expected = made_up.set_index("sample_id")
    assert set(seen.index) == set(expected.index)
    for column in ("score", "answer", "format_ok", "moved", "suggested", "gave_up", "arm",
                   "treatment", "subset", "item", "cluster"):  # fmt: skip
        pd.testing.assert_series_equal(
            seen[column].loc[expected.index], expected[column], check_dtype=False, obj=column
        )


def state_of(reply):
    output = ModelOutput.from_content("none/none", reply)
    return TaskState(
        model=ModelName("none/none"), sample_id=1, epoch=1, input="How much is 11 + 7?",
        messages=[], output=output, metadata={"kind": SHORT},
    )  # fmt: skip


@pytest.mark.parametrize(("reply", "value"), [("18", "C"), ("17", "I")])
def test_a_short_answer_is_generated_and_scored_by_its_number(reply, value):
    async def generate(state, **how):
        return state_of(reply)

    asked = asyncio.run(_by_kind()(state_of(""), generate))
    assert asked.output.completion == reply
    assert asyncio.run(_score_by_kind()(asked, Target("18"))).value == value


@pytest.mark.whole
def test_bend_metrics_of_two_epochs_equal_their_value_on_the_same_scores(monkeypatch):
    assert metrics.run_metrics
    in_an_eval("bend", monkeypatch)
