"""Simulated models: labelled, deterministic, and with the tendencies they say they have."""

import numpy as np
import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import match

from askew.papers.knowno.tasks import knowno
from askew.respondents.answering import ALIKE, in_cluster, rng_for
from askew.respondents.provider import RespondentError, answerer_of, respondents


def test_a_paper_names_its_own_respondents_and_others_play_typical_there():
    answerer = answerer_of("knowno")
    assert answerer.of("parrot") is answerer.tendencies["typical"]
    assert "elsewhere like typical" in respondents()["parrot"]


@pytest.mark.whole
def test_an_unknown_respondent_is_refused_with_the_nearest_names():
    with pytest.raises(
        RespondentError, match=r"unknown simulated model 'typicl'\. Did you mean typical"
    ):
        get_model("respondent/typicl")


def test_an_unknown_tendency_is_refused_with_the_nearest_names():
    with pytest.raises(RespondentError, match=r"'knos' is no parameter of .*Did you mean knows"):
        get_model("respondent/typical", knos=1)


def test_it_answers_askews_samples_only(run):
    task = Task(dataset=[Sample(input="1+1?", target="2")], scorer=match())
    log = run(task, fail_on_error=False)
    assert "does not reveal its truth" in log.samples[0].error.message


def test_the_truth_is_revealed_to_simulated_models_only(run):
    from tests.solvers.test_chain import echo

    simulated = run(knowno(items=1))
    assert "askew:truth" in simulated.samples[0].store
    real = run(knowno(items=1), model=echo())
    assert "askew:truth" not in real.samples[0].store


def test_a_role_played_by_a_respondent_reveals_the_truth_too(run):
    from tests.solvers.test_chain import echo

    log = run(knowno(items=1), model=echo(), model_roles={"grader": "respondent/oracle"})
    assert "askew:truth" in log.samples[0].store


def test_a_tendency_may_differ_by_any_value_of_a_sample(run):
    never = get_model("respondent/oracle", knows={"mctest": 0.0})
    log = run(knowno(subset="mctest,bank77", hint="with_gold", items=4), model=never)
    right = {s.metadata["subset"]: s.scores["knowno_scorer"].value["correct"] for s in log.samples}
    assert right == {"mctest": 0.0, "bank77": 1.0}


def test_seeded_draws_depend_on_the_parts_alone():
    assert rng_for("a", 1).random() == rng_for("a", 1).random() != rng_for("a", 2).random()


@pytest.mark.parametrize(("share", "correlation"), [(0.0, 0.0), (0.5, 1 / 3), (1.0, 1.0)])
def test_items_of_one_cluster_are_known_together_and_as_often_as_others(share, correlation):
    def known(cluster, item):
        truth = {ALIKE: share, "cluster": cluster}
        return in_cluster(rng_for(cluster, item).random(), truth, "a model") < 0.5

    first, second = np.array([[known(c, i) for c in range(3000)] for i in "ab"])
    assert [first.mean(), second.mean()] == pytest.approx([0.5, 0.5], abs=0.04)
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(correlation, abs=0.06)
