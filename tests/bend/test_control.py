"""The author's own log as the control arm: equal effects without a plain call, or a reason."""

import random

import pandas as pd
import pytest
from inspect_ai import task as inspect_task
from inspect_ai import task_with
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import accuracy, choice, includes, match, scorer
from inspect_ai.solver import (
    basic_agent,
    chain,
    generate,
    multiple_choice,
    prompt_template,
    solver,
    system_message,
    use_tools,
)

from askew.bend import bend
from askew.bend.numbers import bend as table_of
from askew.parameters import SelectionError
from askew.report.study import Study
from tests.bend.recorded import add, asked, of_choices, of_words, scores, search
from tests.cases import cases

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


@pytest.mark.whole
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
    # Runs with and without a control are of the same settings but that one.
    logs = [whole.location, kept.location]
    mixed = Study.read(logs, quiet=True).excluded.query("what == 'several settings'")
    assert mixed["why"].tolist() == ["runs differ in task.control"]
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


@inspect_task
def about(what=None, **more):
    return of_words(2)


@cases("there", "here", "why")
def test_a_log_of_other_parameters_of_the_task_is_refused(there, here, why, own_run):
    log_of_own = own_run(about(**there))
    with pytest.raises(SelectionError) as refused:
        bend(about, "repeat", control=log_of_own, **here)
    assert f"the task's {why}" in refused.value.message
    assert bend(about, "repeat", control=log_of_own, **there).metadata["control"]


@cases("options", "why")
def test_a_run_with_other_settings_stops_before_its_first_sample(options, why, own_run):
    there = own_run(of_words(3))
    log, sent = asked(bend(of_words(3), "repeat", control=there), by_prompt, **options)
    assert (log.status, sent) == ("error", [])
    assert why in log.error.message


@solver
def shots(examples, made_by=None, model=None, text=""):
    async def solve(state, generate):
        return state

    return solve


@scorer(metrics=[accuracy()])
def judged(models):
    return match()


def with_steps(*steps, **more):
    return of_words(2, solver=chain(*steps, generate()), **more)


OTHER_PARAMETERS = {
    "scorer": (lambda x: of_words(2, scorer=match(x)), "end", "any", "match's location is 'end'"),
    "later scorer": (
        lambda x: of_words(2, scorer=[match(), includes(), match(numeric=x)]),
        True, False, "match1's numeric is True",
    ),
    "template": (lambda x: with_steps(prompt_template(x)), "a {prompt}", "{prompt}", "template"),
    "setup": (
        lambda x: with_steps(setup=system_message(x)), "a", "b",
        "system_message's template is 'a' in it, 'b' here",
    ),
    "only solver": (lambda x: of_choices(2, solver=multiple_choice(cot=x)), True, False, "cot"),
    "steps": (lambda x: with_steps(*x), [shots([])], [], "shots, generate; here generate"),
    "tools": (lambda x: with_steps(use_tools(x)), [search()], [search(), add()], "tools is"),
    "agent": (
        lambda x: of_words(2, solver=basic_agent(init=system_message(x)), message_limit=4),
        "a", "b", "template is 'a' in it",
    ),
    "in steps": (
        lambda x: with_steps(shots([ChatMessageUser(content=x)])), "a", "b", "shots's examples",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", OTHER_PARAMETERS)
def test_a_task_whose_solver_or_scorer_has_other_parameters_stops_before_its_first_sample(
    what, own_run
):
    made, there, here, why = OTHER_PARAMETERS[what]
    log_of_own = own_run(made(there))
    log, sent = asked(bend(made(here), "repeat", control=log_of_own), by_prompt)
    assert (log.status, sent) == ("error", [])
    assert why in log.error.message
    # Made again alike, it is taken.
    log, _ = asked(bend(made(there), "repeat", control=log_of_own), by_prompt)
    assert log.status == "success", log.error


def test_parameters_that_no_log_can_contain_are_no_reason_to_refuse(own_run):
    def task():
        examples = [ChatMessageUser(content="q"), ChatMessageAssistant(content="a")]
        rng, model = random.Random(), get_model("mockllm/model")
        steps = [shots(examples, lambda: 1, model), shots({"f": print, "n": 1.5}, rng, text=None)]
        return with_steps(*steps, scorer=[match(), judged([model])])

    def canned(*_):
        usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return ModelOutput.from_content("mock", "ANSWER: A").model_copy(update={"usage": usage})

    how = {"model": "mockllm/model", "model_args": {"custom_outputs": canned}}
    log, _ = asked(bend(task(), "repeat", control=own_run(task(), **how)), **how)
    assert log.status == "success", log.error
    log, _ = asked(bend(task(), "repeat", control=own_run(task())), by_prompt)
    assert log.status == "success", log.error


def with_image(reference, role=ChatMessageSystem, detail="auto"):
    content = [ContentText(text="Say 0."), ContentImage(image=reference, detail=detail)]
    message = [role(content="Look."), ChatMessageUser(content=content)]
    return task_with(of_words(1), dataset=MemoryDataset([Sample(input=message, target="0")]))


def test_the_same_words_with_another_image_or_role_are_other_samples(own_run, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.png").write_bytes(b"\x89PNG" + name.encode() * 200)
    one, other = (str(tmp_path / f"{name}.png") for name in "ab")
    there = own_run(with_image(one))
    encoded = read_eval_log(there, resolve_attachments="full").samples[0].input[1].content[1].image
    assert encoded.startswith("data:")
    for same in (one, encoded):
        control = bend(with_image(same), "repeat", control=there).metadata["control"]
        assert "media_not_compared" not in control
    for changed in (
        with_image(other), with_image(encoded[:-8] + "AAAAAAA="), with_image(one, ChatMessageUser),
        with_image(one, detail="low"),
    ):  # fmt: skip
        with pytest.raises(SelectionError, match="another input"):
            bend(changed, "repeat", control=there)
    # A log without images, or an address, says nothing of them: that is stated.
    for task, log in (
        (other, own_run(with_image(one), log_images=False)),
        ("http://x/y.png", there),
    ):
        control = bend(with_image(task), "repeat", control=log).metadata["control"]
        assert control["media_not_compared"] == 1


@solver
def until_done():
    async def solve(state, generate):
        while "done" not in (state := await generate(state)).output.completion:
            state.messages.append(ChatMessageUser(content="go on"))
        return state

    return solve


@pytest.mark.parametrize("setup", [None, prefaced()])
def test_samples_that_a_limit_ended_are_left_out_as_in_a_run_of_its_own(own_run, tmp_path, setup):
    def task():
        return of_words(
            6, solver=until_done(), setup=setup, scorer=includes(), message_limit=4
        )  # fmt: skip

    def slowly(said, messages):
        return "hm" if "Say 1" in said or "Say 4" in said else "done 0"

    there, _ = asked(task(), slowly, log_dir=str(tmp_path / "own"))
    whole, _ = asked(bend(task(), "repeat"), slowly, log_dir=str(tmp_path / "whole"))
    kept, _ = asked(
        bend(task(), "repeat", control=there.location), slowly, log_dir=str(tmp_path / "kept")
    )
    pd.testing.assert_frame_equal(measured(whole), measured(kept))
    lost = [Study.read(log, quiet=True).excluded[["what", "count", "why"]] for log in (whole, kept)]
    assert lost[0].values.tolist() == lost[1].values.tolist()
    assert lost[1]["what"].tolist() == ["limited"]
    assert lost[1]["count"].tolist() == [4]


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
