"""Odd replies to somebody's own task under bend, through the providers' real SDKs.

The author's scorer scores whatever came; the outcome says what ended it, and nothing is lost.
"""

import pytest

from askew.analysis import left_out, read_observations
from askew.bend import bend
from tests.bend.recorded import of_choices
from tests.clients.conftest import troubles
from tests.clients.wire import Said, wire

pytestmark = pytest.mark.whole

RIGHT = "ANSWER: A"
CUT, FILTER = "max_tokens", "content_filter"
# What is sent to each question, the outcome, and the author's score (the right answer is A).
ENDINGS = [
    (Said(RIGHT), "ok", 1),
    (Said("I'm sorry, but I can't help with that."), "ok", 0),
    (Said(RIGHT, CUT), "truncated", 1),
    (Said("", CUT), "truncated", 0),
    (Said(RIGHT, FILTER), "filtered", 1),
    (Said("", FILTER), "filtered", 0),
    (Said("", "blocked"), "filtered", 0),
    (Said("", reasoning="Surely ANSWER: A"), "ok", 0),
    (Said(""), "ok", 0),
    (Said("", "nothing"), "ok", 0),
    (Said(" \n"), "ok", 0),
    (Said("", CUT, reasoning="Surely ANSWER: A"), "truncated", 0),
    (Said(RIGHT, reasoning="Surely ANSWER: B"), "ok", 1),
    (Said(RIGHT, also="ANSWER: B"), "ok", 1),
    (Said("", also=RIGHT), "ok", 0),
    (Said("", verdict='{"verdict": "B"}'), "limited", None),
    (Said(RIGHT, verdict='{"verdict": "B"}'), "limited", None),
]


def number(dialogue):
    (question,) = [t for role, t in dialogue if role == "user"][:1]
    return int(question.partition("Which is ")[2].partition("?")[0])


def test_each_way_to_end_is_scored_by_the_author_and_said(run, client):
    task = of_choices(len(ENDINGS))
    for sample in task.dataset:
        sample.target = "A"
    with wire(lambda before: ENDINGS[number(before)][0]) as served:
        log = run(bend(task, "framing", framing="R."), model=client(served), message_limit=9)
    assert log.status == "success", troubles(log)
    rows = read_observations(log.location, quiet=True)
    found = {
        (row.item, row.arm): (row.outcome, row.score) for row in rows.itertuples()
    }  # fmt: skip
    wanted = {
        (f"q{n}", arm): (outcome, score)
        for n, (_, outcome, score) in enumerate(ENDINGS)
        for arm in ("plain", "framing")
        if outcome != "limited"
    }
    assert found == wanted
    told = left_out(rows)
    assert dict(zip(told["what"], told["count"], strict=True)) == {"limited": 4}
