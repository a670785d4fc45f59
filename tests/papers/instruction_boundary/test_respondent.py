"""How simulated models answer Instruction Boundary: the tendencies they say they have."""

from collections import Counter

import pytest

from askew.papers.instruction_boundary.paper import BoundaryMeta
from askew.papers.instruction_boundary.reading import parse_reply
from askew.papers.instruction_boundary.respondent import TENDENCIES, Tendencies, answer_of, reply

OPTIONS = ["kite", "rhombus", "rectangle", "parallelogram"]


def truth(number=0, form="unknown", **fields):
    judging = form in ("true", "false", "unknown")
    answers = {"single": "2", "none": "none", "multiple": "1,3"}
    return {
        "task": "instruction_boundary", "item": f"i{number}", "cluster": "u", "subset": "s",
        "family": "judging" if judging else "choice", "form": form, "setting": "vanilla",
        "variant": "", "truth": answers.get(form, form), "shown": "" if judging else "1,2,3,4",
        "suggestion": "", "sample_id": f"i{number}/vanilla", "epoch": 1,
        "choices": ["True", "False", "Unknown"] if judging else OPTIONS, **fields,
    }  # fmt: skip


def share(tendencies, wanted, n=600, **fields):
    said = Counter(answer_of(truth(i, **fields), tendencies, "x", 0) for i in range(n))
    return said[wanted] / n


FORMS = ("true", "false", "unknown", "single", "none", "multiple")


def test_the_conformist_follows_sparse_suggestions_more_often():
    t = TENDENCIES["conformist"]
    sparse = share(t, "unknown", form="true", setting="conformity", suggestion="unknown")
    tense = share(t, "false", form="true", setting="conformity", suggestion="false")
    assert sparse == pytest.approx(t.follows_sparse, abs=0.06)
    assert tense == pytest.approx(t.follows_tense, abs=0.06)
    assert share(t, "true", form="true") == 1


def test_the_agreeable_one_takes_an_offered_label_where_its_own_is_missing():
    about = {"setting": "missing_choices", "variant": "unknown", "choices": ["True", "False"]}
    assert share(TENDENCIES["agreeable"], "unknown", form="unknown", **about) == 0
    assert share(TENDENCIES["oracle"], "unknown", form="unknown", **about) == 1


def test_a_mumbled_reply_is_mostly_not_read_and_never_misread():
    t = Tendencies(mumbles=1.0)
    left = 0
    for number, form in enumerate(FORMS * 5):
        about = truth(number, form)
        said = reply(about, t, "x", 0)
        reading = parse_reply(said, about["choices"], BoundaryMeta.model_validate(about))
        left += reading.answer is None
        assert reading.answer in (None, about["truth"]), said
    assert left >= 25
