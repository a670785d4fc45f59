"""Polishing by a model: the rewrite is asked and kept, and nothing is lost or done in silence."""

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate

from askew_authoring.polishing import ATTEMPTS, prompt_polishing
from tests.solvers.test_chain import echo

QUESTION = "Facts:\nOla sails.\n\nWhich is the answer?\nTrue: proved.\nUnknown: open."
POLISHED = {"setting": "prompt_polishing", "variant": "model", "family": "judging"}


def polisher(*rewrites):
    """A model that gives the rewrites in turn, the last one for good."""
    given = []

    def reply(messages, *_):
        given.append(messages[-1].text)
        made = ModelOutput.from_content("mockllm/p", rewrites[min(len(given), len(rewrites)) - 1])
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    return get_model("mockllm/p", custom_outputs=reply), given


def polish(run, *rewrites, metadata=POLISHED, choices=("True", "Unknown")):
    model, given = polisher(*rewrites)
    task = Task(
        dataset=[Sample(input=QUESTION, target="x", choices=list(choices), metadata=metadata)],
        setup=prompt_polishing(),
        solver=generate(),
        scorer=match(),
    )
    log = run(task, model=echo(), model_roles={"polisher": model}, fail_on_error=False)
    return log.samples[0], given


def test_the_rewrite_is_what_is_asked_and_both_stand_in_the_transcript(run):
    rewrite = "Given that Ola sails, is it True, or is it Unknown?"
    sample, given = polish(run, rewrite)
    assert [m.text for m in sample.messages if m.role == "user"] == [rewrite]
    assert len(given) == 1
    assert QUESTION in given[0]
    kept = [e.data for e in sample.events if e.event == "info" and e.source == "prompt_polishing"]
    assert kept == [{"original": QUESTION, "polished": rewrite}]


def test_a_rewrite_that_loses_a_label_is_asked_for_again(run):
    sample, given = polish(run, "Is it True?", "Is it True or Unknown?")
    assert sample.messages[0].text == "Is it True or Unknown?"
    assert len(given) == 2


def test_a_polisher_that_keeps_losing_a_label_fails_the_sample_and_says_so(run):
    sample, given = polish(run, "Is it True?")
    assert len(given) == ATTEMPTS
    assert "lost 'Unknown'" in sample.error.message
    assert "polish=fixed" in sample.error.message


def test_an_option_must_keep_its_number(run):
    about = {**POLISHED, "family": "choice"}
    good = "Pick: 1) kite 2) rhombus, several of them, or none."
    swapped = "Pick: 1) rhombus 2) kite, several of them, or none."
    sample, given = polish(run, swapped, good, metadata=about, choices=("kite", "rhombus"))
    assert sample.messages[0].text == good
    assert len(given) == 2
