"""Odd replies to somebody's own task under bend, through the providers' real SDKs.

The author's scorer scores whatever came; the outcome says what ended it, and nothing is lost. A
first turn that ends in some way is reviewed all the same.
"""

from functools import partial

import pytest
from inspect_ai.model import execute_tools
from inspect_ai.solver import multiple_choice, solver

from askew.analysis import left_out, read_observations
from askew.bend import bend
from askew.solvers.chain import NO_REPLY
from askew.treatments import treatments
from tests.bend.recorded import asked, calls, of_choices, of_words, scores, search
from tests.clients.conftest import troubles
from tests.clients.wire import Said, wire

pytestmark = pytest.mark.whole

RIGHT = "ANSWER: A"
MUSING = "Looking at what is given, it seems that the"
REFUSAL = "I'm sorry, but I can't help with that."
CUT, FILTER = "max_tokens", "content_filter"
CALL = '{"verdict": "B"}'
# What is sent to each question, the outcome, and the author's score (the right answer is A).
ENDINGS = [
    (Said(RIGHT), "ok", 1),
    (Said(REFUSAL), "ok", 0),
    (Said(REFUSAL, "declined"), "declined", 0),
    (Said(MUSING), "ok", 0),
    (Said(MUSING, CUT), "truncated", 0),
    (Said(RIGHT, CUT), "truncated", 1),
    (Said("", CUT), "truncated", 0),
    (Said(MUSING, FILTER), "filtered", 0),
    (Said(RIGHT, FILTER), "filtered", 1),
    (Said("", FILTER), "filtered", 0),
    (Said("", "blocked"), "filtered", 0),
    (Said("", reasoning="Surely ANSWER: A"), "ok", 0),
    (Said(""), "ok", 0),
    (Said("", "nothing"), "ok", 0),
    (Said(" \n"), "ok", 0),
    (Said("", CUT, reasoning="Surely ANSWER: A"), "truncated", 0),
    (Said(RIGHT, reasoning="Surely ANSWER: B"), "ok", 1),
    (Said("<think>Surely ANSWER: B</think>" + RIGHT), "ok", 1),
    # No client takes for reasoning what is not closed: the author's scorer reads it.
    (Said("<think>Surely ANSWER: A", CUT), "truncated", 1),
    (Said(RIGHT, also="ANSWER: B"), "ok", 1),
    (Said("", also=RIGHT), "ok", 0),
    (Said("", verdict=CALL), "limited", None),
    (Said(RIGHT, verdict=CALL), "limited", None),
]
# The same calls where the author's solver asks once and answers none.
ONCE = [(Said("", verdict=CALL), "ok", 0), (Said(RIGHT, verdict=CALL), "ok", 1)]
EVERY = [*ENDINGS, *ONCE]
REVIEW = treatments()["reflection"].words["text"]


@solver
def asks_once_where_told():
    """The author's solver: for some of its samples it leaves calls of tools as they are."""
    choices = multiple_choice()

    async def solve(state, generate):
        once = state.metadata["once"]
        return await choices(state, partial(generate, tool_calls="none") if once else generate)

    return solve


def number(dialogue):
    (question,) = [t for role, t in dialogue if role == "user"][:1]
    return int(question.partition("Which is ")[2].partition("?")[0])


def is_review(dialogue):
    return REVIEW in dialogue[-1][1]


def outcome_of(outcome, client):
    """Anthropic and Google say of a refusal only that a filter stopped the reply."""
    if outcome == "declined":
        return "ok" if client.startswith("openai") else "filtered"
    return outcome


def test_each_way_to_end_is_scored_by_the_author_and_said(run, client):
    task = of_choices(len(EVERY), solver=asks_once_where_told())
    for n, sample in enumerate(task.dataset):
        sample.target, sample.metadata = "A", {"once": n >= len(ENDINGS)}

    def says(before):
        return Said(RIGHT) if is_review(before) else EVERY[number(before)][0]

    with wire(says) as served:
        made = bend(task, "framing,reflection", framing="R.")
        log = run(made, model=client(served), message_limit=9)
    assert log.status == "success", troubles(log)
    rows = read_observations(log.location, quiet=True)
    found = {(row.item, row.arm): (row.outcome, row.score) for row in rows.itertuples()}
    wanted = {
        (f"q{n}", arm): (outcome_of(outcome, client.name), score)
        for n, (_, outcome, score) in enumerate(EVERY)
        for arm in ("plain", "framing")
        if outcome != "limited"
    }
    # A first turn that ended in any way is reviewed, and what is said to that counts.
    wanted |= {(item, "reflection"): ("ok", 1) for item, _ in wanted}
    assert found == wanted
    told = left_out(rows)
    assert dict(zip(told["what"], told["count"], strict=True)) == {"limited": 6}
    reviewed = {number(before): before[-2][1] for before in served.asked if is_review(before)}
    assert len(reviewed) == len(EVERY) - 2
    for n, text in reviewed.items():
        sent = EVERY[n][0]
        # Clients have words of their own for a blocked prompt, and some for no candidate.
        own = sent.stop in ("blocked", "nothing")
        kept = sent.text.rpartition("</think>")[2].strip() or NO_REPLY
        assert text.strip() if own else text.endswith(kept), sent


@solver
def answers_calls_itself():
    """Asks, runs what is called, and asks again."""

    async def solve(state, generate):
        state.tools = [search()]
        state = await generate(state, tool_calls="none")
        if state.output.message.tool_calls:
            results, _ = await execute_tools(state.messages, state.tools)
            state.messages += results
            state = await generate(state)
        return state

    return solve


def test_a_call_of_what_is_on_offer_is_answered_before_anything_is_reviewed():
    def says(text, messages):
        return "0" if messages[-1].role != "user" or REVIEW in text else calls("search", query="0")

    log, sent = asked(bend(of_words(1, solver=answers_calls_itself()), "reflection"), says)
    assert scores(log)["w0/reflection"].value == {"score": 1.0}
    roles = [[m["role"] for m in body["messages"]] for body in sent]
    reviewed = [said for said in roles if said.count("user") == 2]
    assert reviewed == [["user", "assistant", "tool", "assistant", "user"]]
    assert len(roles) == 2 + 3
