"""Bent with `plain` alone, a task is its author's: what is sent, what is scored, how it is run."""

import pytest
from inspect_ai import Epochs, eval_retry, score, task
from inspect_ai.agent import react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import includes
from inspect_ai.solver import (
    chain_of_thought,
    generate,
    multiple_choice,
    prompt_template,
    system_message,
    use_tools,
)

from askew.bend import bend
from askew.bend.scorer import bend_scorer
from tests.bend.recorded import (
    Told,
    add,
    as_bytes,
    asked,
    calls,
    calls_of,
    of_choices,
    of_words,
    recall,
    scores,
    search,
    why_not,
)

pytestmark = pytest.mark.whole


def agent_of_three():
    return of_words(solver=react(prompt="Use tools.", tools=[search(), add(), recall()]))


def few_shot():
    shots = [
        ChatMessageSystem(content="Terse."),
        ChatMessageUser(content="Say 9."),
        ChatMessageUser(content="Say 8."),
    ]
    samples = [Sample(id=i, input=[*shots, ChatMessageUser(content=f"Say {i}.")], target=str(i))
               for i in (1, 2)]  # fmt: skip
    return _with(samples)


def _with(samples):
    made = of_words(1, config=GenerateConfig(temperature=0.3, max_tokens=99, seed=4))
    made.dataset = MemoryDataset(samples)
    return made


TASKS = {
    "multiple choice": of_choices,
    "multiple choice, thinking": lambda: of_choices(solver=multiple_choice(cot=True)),
    "free answer": of_words,
    "a system prompt of its own": lambda: of_words(
        solver=[system_message("Be {mood}.", mood="brief"), generate()]
    ),
    "few-shot": few_shot,
    "an agent with three tools": agent_of_three,
    "a chain, and a setup in steps": lambda: of_words(
        setup=[system_message("First."), prompt_template("Q: {prompt}")],
        solver=[chain_of_thought(), use_tools([search(), add()], tool_choice="none"), generate()],
    ),
}


def answering(said, messages):
    if "Use tools." in said:
        turn = sum(m.role == "assistant" for m in messages)
        return [calls("search", query="x"), calls("submit", answer="1")][min(turn, 1)]
    return "ANSWER: B" if "options" in said.lower() or "LETTER" in said else "1"


@pytest.mark.parametrize("what", TASKS)
def test_plain_alone_sends_to_the_byte_what_the_author_sends_and_scores_the_same(what):
    theirs, sent = asked(TASKS[what](), answering)
    ours, bent = asked(bend(TASKS[what](), "plain"), answering)
    assert ours.status == theirs.status == "success", ours.error
    assert sent
    assert as_bytes(bent) == as_bytes(sent)
    (name,) = theirs.samples[0].scores
    assert [s.scores[name].model_dump(exclude={"history"}) for s in ours.samples] == [
        s.scores[name].model_dump(exclude={"history"}) for s in theirs.samples
    ]
    assert [s.metadata for s in ours.samples] == [s.metadata for s in theirs.samples]
    theirs_said = [[m.text for m in s.messages] for s in theirs.samples]
    assert [[m.text for m in s.messages] for s in ours.samples] == theirs_said
    numbers = {s.name: {m: v.value for m, v in s.metrics.items()} for s in ours.results.scores}
    (expected,) = theirs.results.scores
    assert numbers[name] == {m: v.value for m, v in expected.metrics.items()}
    assert not why_not(ours)


@pytest.mark.parametrize("what", ["multiple choice", "an agent with three tools", "few-shot"])
def test_the_plain_arm_sends_what_the_untreated_task_sends(what):
    _, sent = asked(TASKS[what](), answering)
    made = bend(TASKS[what](), "repeat,framing", framing="Think of rain.")
    log, bent = asked(made, answering)
    untreated = [s for s in bent if "Think of rain." not in str(s)]
    assert as_bytes(untreated) == sorted(as_bytes(sent) * 2)
    assert len(bent) == 3 * len(sent)
    assert not why_not(log)
    assert all(c.config.max_tool_output is None for c in calls_of(log, _first(log, "plain")))


def _first(log, arm):
    return next(s.id for s in log.samples if s.id.endswith(f"/{arm}"))


def test_the_authors_task_is_left_as_it_was():
    base = of_choices()
    before = dict(vars(base))
    bend(base, "absent")
    assert vars(base) == before


def test_epochs_and_their_reducer_are_the_authors():
    made = bend(of_choices(epochs=Epochs(3, "max")), "repeat,absent")
    log, sent = asked(made)
    assert len(sent) == 2 * 3 * 3
    assert log.eval.config.epochs_reducer == ["max"]
    assert {s.scores["bend_scorer"].metadata["epoch"] for s in log.samples} == {1, 2, 3}
    assert not why_not(log)


def test_limits_are_the_authors():
    def endless(said, messages):
        return calls("search", query="again")

    log, sent = asked(bend(_limited(message_limit=6), "tool_order"), endless)
    assert all(s.limit and s.limit.type == "message" for s in log.samples)
    assert log.eval.config.message_limit == 6
    # What a limit ends is scored, in its arm.
    assert not why_not(log)
    assert {s.metadata["arm"] for s in scores(log).values()} == {"plain", "tool_order"}
    log, sent = asked(bend(_limited(token_limit=35), "tool_order"), endless)
    assert all(s.limit and s.limit.type == "token" for s in log.samples)
    assert len(sent) == 16
    submits = calls("submit", answer="1")
    log, _ = asked(bend(_limited(time_limit=60), "plain"), lambda said, messages: submits)
    assert log.eval.config.time_limit == 60


def test_a_run_without_scores_is_scored_from_its_log():
    def made():
        return bend(of_words(scorer=includes()), "framing", framing="Rain.")

    def right_in_plain(said, messages):
        return "1, 2" if "Rain" not in said else "no idea"

    log, _ = asked(made(), right_in_plain)
    later, _ = asked(made(), right_in_plain, score=False)
    assert not any(s.scores for s in later.samples)
    later = score(later, [includes(), bend_scorer()], display="none")
    told = {i: (s.value, s.answer, s.metadata) for i, s in scores(log).items()}
    assert len({v["score"] for v, *_ in told.values()}) == 2
    assert {i: (s.value, s.answer, s.metadata) for i, s in scores(later).items()} == told


def _limited(**limit):
    return of_words(solver=react(tools=[search(), add()]), **limit)


@task
def registered(n: int = 2):
    return of_choices(n)


def test_an_interrupted_run_is_retried_with_its_treatments(tmp_path):
    def fails_at_last(said, messages):
        if "Which is 1" in said and "None of the other" in said:
            raise ValueError("broken")
        return "ANSWER: A"

    made = bend(registered(), "absent")
    log, _ = asked(made, fails_at_last, log_dir=str(tmp_path))
    assert log.status == "error"
    Told.answer = staticmethod(lambda said, messages: "ANSWER: A")
    (again,) = eval_retry(log, display="none", log_level="error", log_dir=str(tmp_path))
    assert again.status == "success", again.error
    assert {s.id for s in again.samples} == {"q0/plain", "q0/absent", "q1/plain", "q1/absent"}
    assert not why_not(again)
