"""Polishing by a model: the rewrite is asked and kept, and nothing is lost or done in silence."""

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate

from askew_authoring.polishing import ATTEMPTS, prompt_polishing
from tests.cases import cases
from tests.solvers.test_chain import echo

QUESTION = "Facts:\nOla sails.\n\nWhich is the answer?\nTrue: proved.\nUnknown: open."
POLISHED = {"setting": "prompt_polishing", "variant": "model"}


def polish(run, family, *rewrites):
    """The sample that was asked, and the prompts of a model that gives the rewrites in turn."""
    given = []

    def reply(messages, *_):
        given.append(messages[-1].text)
        said = rewrites[min(len(given), len(rewrites)) - 1]
        made = ModelOutput.from_content("mockllm/p", said)
        # Else its tokens are counted, which takes a download.
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    choices = ["True", "Unknown"] if family == "judging" else ["kite", "rhombus"]
    metadata = {**POLISHED, "family": family}
    task = Task(
        dataset=[Sample(input=QUESTION, target="x", choices=choices, metadata=metadata)],
        setup=prompt_polishing(),
        solver=generate(),
        scorer=match(),
    )
    roles = {"polisher": get_model("mockllm/p", custom_outputs=reply)}
    return run(task, model=echo(), model_roles=roles, fail_on_error=False).samples[0], given


@cases("family", "lost", "good")
def test_a_rewrite_that_loses_a_label_or_number_is_retried(run, family, lost, good):
    sample, given = polish(run, family, lost, good)
    assert sample.messages[0].text == good
    assert len(given) == 2


def test_a_rewriter_that_keeps_losing_a_label_fails_with_the_reason(run):
    sample, given = polish(run, "judging", "Is it True?")
    assert len(given) == ATTEMPTS
    assert "lost 'Unknown'" in sample.error.message
    assert "polish=fixed" in sample.error.message
