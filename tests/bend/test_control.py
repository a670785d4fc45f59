"""The author's own log as the control arm: equal effects without a plain call, or a reason."""

import random

import pandas as pd
import pytest
from inspect_ai import task_with
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import accuracy, choice, includes, match, scorer
from inspect_ai.solver import multiple_choice, solver

from askew.bend import bend
from askew.bend.numbers import bend as table_of
from askew.parameters import SelectionError
from askew.report.study import Study
from tests.bend.recorded import MODEL, asked, of_choices, of_words, scores

TREATMENTS = "repeat,absent,order,suggestion,reflection"
N = 12


def by_prompt(said, messages):
    """The same reply to the same prompt, whichever run it is of."""
    return f"ANSWER: {random.Random(said).choice('ABCD')}"


@pytest.fixture
def own_run(tmp_path):
    def run(task, **options):
        options = {"log_dir": str(tmp_path / "own"), **options}
        return asked(task, by_prompt, **options)[0].location

    return run


def measured(log):
    rows = Study.read(log, quiet=True).by_task["bend"]
    return table_of(rows).drop(columns="model", errors="ignore")


@solver
def prefaced():
    async def solve(state, generate):
        state.user_prompt.text = f"Think.\n{state.user_prompt.text}"
        return state

    return solve


@pytest.mark.parametrize("epochs", [1, 2])
@pytest.mark.parametrize("setup", [None, prefaced()])
def test_effects_equal_those_of_a_run_with_a_plain_arm_of_its_own(own_run, tmp_path, epochs, setup):
    def task():
        return of_choices(N, setup=setup, scorer=[choice(), match()])

    there = own_run(task(), epochs=epochs)
    options = {"epochs": epochs, "log_dir": str(tmp_path / "bent")}
    whole, sent = asked(bend(task(), TREATMENTS), by_prompt, **options)
    kept, sent_kept = asked(bend(task(), TREATMENTS, control=there), by_prompt, **options)
    pd.testing.assert_frame_equal(measured(whole), measured(kept))
    assert len(sent) - len(sent_kept) == N * epochs
    # The author's metrics over all samples too, and who reads the log knows where they are from.
    assert [s.name for s in kept.results.scores] == [s.name for s in whole.results.scores]
    assert kept.results.scores[0].metrics == whole.results.scores[0].metrics
    plain = [s for s in kept.samples if s.id.endswith("/plain")]
    assert kept.eval.metadata["control"]["log"] == there.rpartition("/")[2]
    assert {s.metadata["control_log"] for s in plain} == {there.rpartition("/")[2]}
    assert not any(e.event == "model" for s in plain for e in s.events)


def test_a_score_of_the_log_is_not_scored_again(own_run):
    there, calls = own_run(of_words(3)), []

    @scorer(metrics=[accuracy()], name="match")
    def counted():
        async def score(state, target):
            calls.append(state.sample_id)
            return await match()(state, target)

        return score

    log, _ = asked(bend(of_words(3, scorer=counted()), "repeat", control=there), by_prompt)
    assert log.status == "success"
    assert sorted(calls) == ["w0/repeat", "w1/repeat", "w2/repeat"]
    assert len(scores(log)) == 6


def with_input(text):
    samples = [s.model_copy(update={"input": text}) for s in of_words(3).dataset]
    return task_with(of_words(3), dataset=MemoryDataset(samples))


REFUSED = {
    "another task": (lambda: of_words(3, name="other"), {}, "is of the task 'other'"),
    "another version": (lambda: of_words(3, version=2), {}, "is of version 2"),
    "other samples": (lambda: of_words(2), {}, "1 of 3 samples are not in it, such as w2"),
    "another scorer": (lambda: of_words(3, scorer=includes()), {}, "has no score of match"),
    "other texts": (lambda: with_input("x"), {}, "another input, target or options"),
    "another solver": (lambda: of_words(3), {"solver": multiple_choice()}, "--solver|status"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_a_log_that_does_not_fit_is_refused_before_any_call(what, own_run):
    made, options, why = REFUSED[what]
    there = own_run(made(), **options)
    with pytest.raises(SelectionError, match=why):
        bend(of_words(3), "repeat", control=there)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"epochs": 2}, "epochs is 1 in it, 2 in this run"),
        ({"temperature": 0.5}, "temperature is None in it, 0.5 in this run"),
        ({"model": "mockllm/model"}, f"model is '{MODEL}' in it"),
        ({"message_limit": 30}, "message_limit is None in it, 30"),
    ],
)
def test_a_run_with_other_settings_stops_before_its_first_sample(options, why, own_run):
    there = own_run(of_words(3))
    log, sent = asked(bend(of_words(3), "repeat", control=there), by_prompt, **options)
    assert (log.status, sent) == ("error", [])
    assert why in log.error.message


def test_how_calls_are_made_may_differ(own_run):
    there = own_run(of_words(3), max_connections=3)
    log, _ = asked(bend(of_words(3), "repeat", control=there), by_prompt, max_retries=2)
    assert log.status == "success"


def test_a_log_with_an_error_is_refused(own_run, tmp_path):
    def fails(said, messages):
        return ModelOutput.from_content("x", 1 / 0) if "1" in said else "ANSWER: A"

    log, _ = asked(of_words(3), fails, log_dir=str(tmp_path), fail_on_error=False)
    with pytest.raises(SelectionError, match=r"sample w1 \(epoch 1\) ended with an error"):
        bend(of_words(3), "repeat", control=log.location)
    assert read_eval_log(log.location).status == "success"


@pytest.mark.parametrize("given", ["nowhere.eval", "text.eval"])
def test_what_is_no_log_is_refused(given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.eval").write_text("no log")
    with pytest.raises(SelectionError, match=r"control='\w+.eval': (there is no|not an Inspect)"):
        bend(of_words(3), "repeat", control=given)
