"""Replies that end badly, through the providers' real SDKs: each has its documented outcome.

One eval a client holds the five tasks, and each task every ending; which dialogue gets which is
decided by its place among them and differs from client to client, so that an ending meets several
conditions. In two-turn dialogues both turns end in some way, and the last one counts.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import pytest

from askew.papers import task_papers
from askew.papers.format_bias.tasks import format_bias
from tests.clients.conftest import CLIENTS, all_asked, comparable, troubles, turns
from tests.clients.wire import Said, wire

pytestmark = pytest.mark.whole

MUSING = "Looking at what is given, it seems that the"
GROUNDS = "\n\nThis follows from the"
REFUSAL = "I'm sorry, but I can't help with that."


class Ending(NamedTuple):
    """What a provider sends, made of the right reply and of a wrong one, and what is observed."""

    said: Callable[[str, str], Said]
    outcome: str


ENDINGS = {
    "whole": Ending(lambda right, _: Said(right), "ok"),
    "cut before an answer": Ending(lambda *_: Said(MUSING, "max_tokens"), "truncated"),
    "cut before a word": Ending(lambda *_: Said("", "max_tokens"), "truncated"),
    "cut behind the answer": Ending(lambda right, _: Said(right, "max_tokens"), "ok"),
    "cut in its grounds": Ending(lambda right, _: Said(right + GROUNDS, "max_tokens"), "ok"),
    "filtered": Ending(lambda *_: Said("", "content_filter"), "filtered"),
    "filtered in mid-sentence": Ending(lambda *_: Said(MUSING, "content_filter"), "filtered"),
    "filtered behind the answer": Ending(
        lambda right, _: Said(right, "content_filter"), "filtered"
    ),
    "prompt blocked": Ending(lambda *_: Said("", "blocked"), "filtered"),
    "refused": Ending(lambda *_: Said(REFUSAL), "refused"),
    "refused, says the provider": Ending(lambda *_: Said(REFUSAL, "declined"), "declined"),
    "empty": Ending(lambda *_: Said(""), "empty"),
    "blank": Ending(lambda *_: Said(" \n"), "empty"),
    "asks for a tool": Ending(lambda right, _: Said("", verdict=given(right)), "empty"),
    "asks for a tool beside": Ending(lambda right, wrong: Said(right, verdict=given(wrong)), "ok"),
    "one of two choices": Ending(lambda right, wrong: Said(right, also=wrong), "ok"),
    "nothing is its first choice": Ending(lambda right, _: Said("", also=right), "empty"),
    "no reply": Ending(lambda *_: Said("", "nothing"), "empty"),
    "no end to it": Ending(lambda *_: Said(MUSING), "open"),
    "reasoning beside": Ending(lambda right, wrong: Said(right, reasoning=answer(wrong)), "ok"),
    "reasoning in tags": Ending(lambda right, wrong: Said(thought(wrong) + right), "ok"),
    "reasoning alone": Ending(lambda right, _: Said("", reasoning=answer(right)), "empty"),
    "reasoning cut": Ending(
        lambda right, _: Said("", "max_tokens", reasoning=answer(right)), "truncated"
    ),
    "reasoning in tags cut": Ending(
        lambda right, _: Said("<think>" + answer(right), "max_tokens"), "truncated"
    ),
}
REASONS = {
    "ok": None,
    "filtered": "refusal",
    "refused": "refusal",
    "empty": "no_response",
    "truncated": "invalid_response_format",
    "unparsed": "invalid_response_format",
}
# As many samples a task as there are endings.
RUNS = {
    "knowno": {"items": 4},
    "instruction_boundary": {"items": 24, "setting": "multi_turn"},
    "mathcomp": {"items": 3, "framing": "term=more", "output": "one_word,cot"},
    "format_bias": {"items": 20, "prompting": "zs", "format": "char,quoting,python,json"},
    "binary_qa": {"items": 12, "form": "original,contradictory"},
}


def answer(reply):
    return f"It may be one or the other. The answer is {reply}."


def given(reply):
    """Arguments of a tool that nobody offered, as JSON."""
    return json.dumps({"verdict": reply})


def thought(reply):
    return f"<think>{answer(reply)}</think>"


def user_turns(before):
    """What makes a dialogue this one, whatever was replied in it."""
    return tuple(text for role, text in before if role == "user")


def planned(log, first):
    """An ending for every turn of every sample: by dialogue what is said, by sample its last.

    Args:
        log: what the respondent said to the task.
        first: the place of the ending that the first sample gets.
    """
    said, last = {}, {}
    names = list(ENDINGS)
    for n, sample in enumerate(log.samples, first):
        right, wrong = reply_of(sample), wrong_reply(sample, log.samples)
        for turn, (before, _) in enumerate(turns(sample)):
            name = names[(n + 7 * turn) % len(names)]
            assert user_turns(before) not in said, "every dialogue is another"
            made = ENDINGS[name].said(right, wrong)
            if "format" in sample.metadata:
                # A format leaves no room for grounds.
                made = replace(made, text=made.text.removesuffix(GROUNDS))
            said[user_turns(before)] = made
            last[sample.id] = name
    assert set(last.values()) == set(ENDINGS), "every ending comes at the end of a sample"
    return said, last


def reply_of(sample):
    """A right reply; of a free-form one, its conclusion."""
    return sample.target if sample.metadata.get("output") else sample.output.completion


def wrong_reply(sample, samples):
    """A reply that is right elsewhere, and another than here."""
    right, answered = reply_of(sample), score_of(sample).answer
    others = (s for s in samples if reply_of(s) != right and score_of(s).answer != answered)
    return reply_of(next(others))


def outcome_of(name, sample, client):
    """What docs/how-to/run-an-audit.md and the task's page say of an ending."""
    outcome = ENDINGS[name].outcome
    if outcome == "declined":
        # Anthropic and Google say of a refusal only that a filter stopped the reply.
        return "refused" if client.startswith("openai") else "filtered"
    if outcome == "open":
        return "unparsed"
    return outcome


def test_each_way_to_end_has_its_outcome_and_its_score_in_each_task(client, simulated, tmp_path):
    expected = simulated(RUNS)
    first = list(CLIENTS).index(client.name)
    plans = {task: planned(expected[task].log, first) for task in task_papers()}
    said = {asked: reply for plan, _ in plans.values() for asked, reply in plan.items()}
    with wire(lambda before: said[user_turns(before)]) as served:
        logs = all_asked(RUNS, client(served), tmp_path)
    assert len(said) == sum(len(plan) for plan, _ in plans.values())
    assert sorted(map(user_turns, served.asked)) == sorted(said), "each turn was asked once"
    # Providers refuse a message that says nothing, and one that ends in reasoning.
    assert all(text.strip() for before in served.asked for _, text in before)
    for task, (_, last) in plans.items():
        ends_as_planned(task, logs[task], last, expected[task].log, client.name)


def ends_as_planned(task, log, last, expected, client):
    """Each sample is scored as its ending asks for."""
    assert log.status == "success", troubles(log)
    assert sorted(s.id for s in log.samples) == sorted(last)
    rights = {s.id: score_of(s) for s in expected.samples}
    found = {s.id: (last[s.id], *read(score_of(s))) for s in log.samples}
    outcomes = {s.id: outcome_of(last[s.id], s, client) for s in log.samples}
    wanted = {s: (last[s], *due(outcomes[s], score)) for s, score in rights.items()}
    assert {s: (found[s], wanted[s]) for s in found if found[s] != wanted[s]} == {}
    assert all(score_of(s).explanation for s in log.samples)
    thoughtful = [s for s in log.samples if last[s.id] in ("reasoning beside", "reasoning alone")]
    assert all("reasoning" in {c.type for c in s.output.message.content} for s in thoughtful)
    rows = comparable(log)
    assert sorted(rows["sample_id"]) == sorted(last)


def score_of(sample):
    (score,) = sample.scores.values()
    return score


def read(score):
    """Outcome, values, answer and reason of a score."""
    return score.metadata["outcome"], set(score.value.items()), score.answer, score.reason


def due(outcome, right):
    """An answer is as right as without the trouble; anything else is 0, for one of the reasons."""
    if outcome == "ok":
        return read(right)
    return outcome, {(name, 0.0) for name in right.value}, None, REASONS[outcome]


def test_words_that_a_client_puts_in_for_a_missing_reply_follow_no_format(run, client):
    """Any line is a list of one to `newline`: a provider's error message is none."""
    missing = [Said("", "blocked"), Said("", "nothing")]
    with wire(lambda before: missing[len(before[-1][1]) % 2]) as served:
        log = run(format_bias(items=6, format="newline,separator"), model=client(served))
    scores = [score_of(s) for s in log.samples]
    assert {s.metadata["outcome"] for s in scores} == {"filtered", "empty"}
    assert all(s.value == {"format_ok": 0, "score": 0} and s.answer is None for s in scores)
