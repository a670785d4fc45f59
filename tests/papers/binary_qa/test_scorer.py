"""Binary QA's scorer: right for the form, and whose fault a missing answer is."""

import asyncio
import math
from itertools import product

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState, generate

from askew.papers.binary_qa.paper import FORMS, PAPER, BinaryMeta
from askew.papers.binary_qa.scorer import binary_qa_scorer
from tests.conftest import metric_values


def meta(form="original", truth="Yes"):
    flipped = {"Yes": "No", "No": "Yes"}[truth]
    return BinaryMeta(
        task="binary_qa",
        item="ferry",
        unit="ferry",
        subset="reading",
        kind="reading",
        form=form,
        truth=truth,
        expected=flipped if FORMS[form].flips else truth,
    ).as_metadata()


def log_of(run, *outputs, metas=None):
    """Score each output, a text or a text with its stop reason, as the reply to one sample."""
    metas = metas or [meta()] * len(outputs)
    samples = [Sample(id=f"s{i:02d}", input=str(i), metadata=m) for i, m in enumerate(metas)]
    task = Task(dataset=samples, solver=generate(), scorer=binary_qa_scorer())
    model = get_model(
        "mockllm/model", custom_outputs=lambda asked, *_: output(outputs[int(asked[-1].text)])
    )
    return run(task, model=model, max_samples=1, fail_on_error=False)


def output(given):
    text, stop = given if isinstance(given, tuple) else (given, "stop")
    made = ModelOutput.from_content("mockllm/model", text, stop_reason=stop)
    made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return made


def score(run, given, **about):
    (sample,) = log_of(run, given, metas=[meta(**about)]).samples
    return sample.scores["binary_qa_scorer"]


def test_right_is_what_the_form_demands(run):
    asked = list(product(FORMS, ("Yes", "No"), ("Yes", "No.")))
    metas = [meta(form, truth) for form, truth, _ in asked]
    log = log_of(run, *(reply for *_, reply in asked), metas=metas)
    for sample, about, (*what, reply) in zip(log.samples, metas, asked, strict=True):
        found = sample.scores["binary_qa_scorer"]
        assert found.answer == reply.rstrip("."), what
        assert found.value["correct"] == float(found.answer == about["expected"]), what
        assert found.value["said_no"] == float(found.answer == "No"), what


def test_a_reply_without_an_answer_is_wrong_and_says_why(run):
    replies = [
        ("Yes/No", "unparsed", "invalid_response_format"),
        ("Yes and no.", "ambiguous", "invalid_response_format"),
        ("There is no error.", "unparsed", "invalid_response_format"),
        ("I'm sorry, but I can't help with that.", "refused", "refusal"),
        ("", "empty", "no_response"),
        (("The passage says that the", "max_tokens"), "truncated", "invalid_response_format"),
        (("", "max_tokens"), "truncated", "invalid_response_format"),
        (("Was it the mill - no, the", "max_tokens"), "truncated", "invalid_response_format"),
        (("", "content_filter"), "filtered", "refusal"),
        (("Yes.", "content_filter"), "filtered", "refusal"),
    ]
    log = log_of(run, *(given for given, *_ in replies))
    for sample, (given, outcome, reason) in zip(log.samples, replies, strict=True):
        found = sample.scores["binary_qa_scorer"]
        assert found.value == {"correct": 0, "said_no": 0, "answered": 0}, given
        told = (found.answer, found.metadata["outcome"], found.reason)
        assert told == (None, outcome, reason), given
        assert found.explanation, given


def test_an_answer_that_was_given_before_the_cut_counts(run):
    found = score(run, ("Yes, because the lamp", "max_tokens"))
    assert (found.answer, found.metadata["outcome"], found.value["correct"]) == ("Yes", "ok", 1)


def test_measures_are_those_the_paper_declares(run):
    assert set(score(run, "Yes").value) == set(PAPER.measures)


def test_no_output_is_the_machinery_s_fault_and_unscored():
    asked = [ChatMessageUser(content="Is it?")]
    state = TaskState(ModelName("mockllm/model"), "s", 1, "Is it?", asked, metadata=meta())
    found = asyncio.run(binary_qa_scorer()(state, Target("")))
    assert math.isnan(found.as_float())
    assert found.reason == "scoring_failed"


def test_live_metrics_are_defined_on_any_set_of_samples(run):
    found = metric_values(log_of(run, "Yes"))
    assert found["f1"] == 1
    assert math.isnan(found["mbs"])
