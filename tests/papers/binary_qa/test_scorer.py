"""Binary QA's scorer: right for the form, and whose fault a missing answer is."""

from itertools import product

from askew.papers.binary_qa.paper import FORMS, BinaryMeta
from askew.papers.binary_qa.scorer import binary_qa_scorer
from tests.scoring.direct import score_of


def meta(form="original", truth="Yes"):
    flipped = {"Yes": "No", "No": "Yes"}[truth]
    return BinaryMeta(
        task="binary_qa", item="ferry", cluster="ferry", subset="reading", kind="reading",
        form=form, truth=truth, expected=flipped if FORMS[form].flips else truth,
    ).as_metadata()  # fmt: skip


def score(given, **about):
    return score_of(binary_qa_scorer(), given, meta(**about))


def test_right_is_what_the_form_demands():
    for form, truth, reply in product(FORMS, ("Yes", "No"), ("Yes", "No.")):
        found = score(reply, form=form, truth=truth)
        assert found.answer == reply.rstrip("."), form
        demanded = meta(form, truth)["expected"]
        assert found.value["correct"] == float(found.answer == demanded), (form, truth)
        assert found.value["said_no"] == float(found.answer == "No"), (form, truth)
        assert found.value["answered"] == 1, (form, truth)


def test_a_reply_without_an_answer_is_incorrect_with_the_reason():
    replies = [
        ("Yes/No", "unparsed", "invalid_response_format"),
        ("Yes and no.", "ambiguous", "invalid_response_format"),
        ("There is no error.", "unparsed", "invalid_response_format"),
        (("The passage says that the", "max_tokens"), "truncated", "invalid_response_format"),
        (("", "max_tokens"), "truncated", "invalid_response_format"),
        (("Was it the mill - no, the", "max_tokens"), "truncated", "invalid_response_format"),
    ]
    for given, outcome, reason in replies:
        found = score(given)
        assert found.value == {"correct": 0, "said_no": 0, "answered": 0}, given
        told = (found.answer, found.metadata["outcome"], found.reason)
        assert told == (None, outcome, reason), given
        assert found.explanation, given
