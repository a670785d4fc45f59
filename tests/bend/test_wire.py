"""Tools changed on the wire under an unmodified agent: what was sent stands in its transcript."""

import pytest
from inspect_ai import eval
from inspect_ai.agent import react
from inspect_ai.model import GenerateConfig

from askew.analysis import read_observations
from askew.bend import bend
from askew.bend.numbers import bend as bend_numbers
from askew.treatments import treatments
from tests.bend.recorded import (
    MODEL,
    SENT,
    Told,
    add,
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
TOOLS = ["search", "add", "recall", "submit"]
UNVERIFIED = treatments()["tool_result"].words["sentence"]
PREFERRED = treatments()["tool_wording"].words["sentence"]


def agent(**more):
    return of_words(1, solver=react(prompt="Use tools.", tools=[search(), add(), recall()]), **more)


def in_turns(said, messages):
    """Searches, adds, then submits."""
    turn = sum(m.role == "assistant" for m in messages)
    return [calls("search", query="x"), calls("add", x=1, y=2), calls("submit", answer="0")][turn]


def offered(event):
    return [t.name for t in event.tools]


def test_each_arm_sends_and_records_its_tools_and_results():
    names = ["tool_order", "tool_absent", "tool_wording", "tool_result"]
    log, sent = asked(bend(agent(), names, tool_absent="add,recall"), in_turns)
    assert log.status == "success"
    assert not why_not(log)
    arms = ["plain", "tool_order", "tool_absent-add", "tool_absent-recall", "tool_wording",
            "tool_result"]  # fmt: skip
    events = {arm: calls_of(log, f"w0/{arm}") for arm in arms}
    assert {len(e) for e in events.values()} == {3}
    assert all(offered(e) == TOOLS for e in events["plain"])
    orders = [offered(e) for e in events["tool_order"]]
    assert orders[0] != TOOLS
    assert sorted(orders[0]) == sorted(TOOLS)
    assert orders == [orders[0]] * 3
    assert all(offered(e) == ["search", "recall", "submit"] for e in events["tool_absent-add"])
    assert all(offered(e) == ["search", "add", "submit"] for e in events["tool_absent-recall"])
    for event in events["tool_wording"]:
        said = [t.description for t in event.tools]
        assert said[0].endswith(PREFERRED)
        assert not any(PREFERRED in s for s in said[1:])
    results = [[m.text for m in e.input if m.role == "tool"] for e in events["tool_result"]]
    framed = [f"{UNVERIFIED}\n\nfound x", f"{UNVERIFIED}\n\n3"]
    assert results == [[], framed[:1], framed]
    plain = [[m.text for m in e.input if m.role == "tool"] for e in events["plain"]]
    assert plain == [[], ["found x"], ["found x", "3"]]
    # What stands in the transcript is what was sent.
    seen = sorted(str([t["name"] for t in s["tools"]]) for s in sent)
    assert seen == sorted(str(offered(e)) for arm in events.values() for e in arm)


def test_output_tokens_and_the_tool_that_is_called_first_are_noted():
    """Under tool_order another tool may stand first; a control of tools alone has no choice."""
    log, _ = asked(bend(agent(), "tool_order,tool_absent", tool_absent="add,recall"), in_turns)
    noted = {id.partition("/")[2]: score.metadata for id, score in scores(log).items()}
    orders = {arm: offered(calls_of(log, f"w0/{arm}")[0]) for arm in noted}
    for arm, found in noted.items():
        first = next(name for name in orders[arm] if name != "submit")
        assert (found["first_tool"], found["used_tool"]) == (first, "search")
        (sample,) = (s for s in log.samples if s.id == f"w0/{arm}")
        assert found["output_tokens"] == sum(u.output_tokens for u in sample.model_usage.values())


def test_a_fault_is_the_first_result_alone_and_the_agent_remembers_the_true_one():
    log, _ = asked(bend(agent(), "tool_fault"), in_turns)
    assert not why_not(log)
    for arm in ("error_once", "timeout_once"):
        (sample,) = (s for s in log.samples if s.id == f"w0/tool_fault-{arm}")
        fault = treatments()["tool_fault"].words[arm]
        calls = calls_of(log, sample.id)
        shown = [[m.text for m in e.input if m.role == "tool"] for e in calls]
        assert shown == [[], [fault], [fault, "3"]]
        assert [m.text for m in sample.messages if m.role == "tool"][:2] == ["found x", "3"]
        # It goes on as if nothing had been.
        values = sample.scores["bend_scorer"].value
        assert [values[name] for name in ("recovered", "noticed", "gave_up")] == [0.0] * 3


@pytest.mark.parametrize(
    ("turns", "outcome"),
    [
        ([calls("search", query="x")], (1, 1, 0)),
        # Another call of the tool is none of the failed one.
        ([calls("search", query="y")], (0, 0, 0)),
        (["The search failed, so I add up myself."], (0, 1, 0)),
        (["I can\u2019t complete this."], (0, 0, 1)),
        ([calls("add", x=1, y=2), calls("search", query="x")], (1, 1, 0)),
    ],
)
def test_after_a_fault_an_agent_recovers_notices_or_gives_up(turns, outcome):
    """It searches and meets the fault; what it does then is told, and pooled over the samples."""
    ends = calls("submit", answer=turns[-1] if isinstance(turns[-1], str) else "0")
    script = [calls("search", query="x"), *turns, ends]

    def answers(said, messages):
        return script[sum(m.role == "assistant" for m in messages)]

    log, _ = asked(bend(agent(), "tool_fault", tool_fault="error_once"), answers)
    (found,) = (s.value for i, s in scores(log).items() if i.endswith("error_once"))
    names = ("recovered", "noticed", "gave_up")
    assert tuple(found[name] for name in names) == outcome
    table = bend_numbers(read_observations([log.location]), interval=None)
    values = table[table["arm"] == "tool_fault-error_once"].set_index("metric")["value"]
    assert tuple(values[name] for name in names) == outcome


def test_a_stale_result_is_an_earlier_one_of_the_same_tool_once():
    turns = [
        calls("search", query="x"), calls("add", x=1, y=2), calls("search", query="y"),
        calls("search", query="y"), calls("submit", answer="0"),
    ]  # fmt: skip

    def searches_again(said, messages):
        return turns[sum(m.role == "assistant" for m in messages)]

    log, _ = asked(bend(agent(), "tool_fault", tool_fault="stale"), searches_again)
    assert not why_not(log)
    (*_, last) = calls_of(log, "w0/tool_fault-stale")
    shown = [m.text for m in last.input if m.role == "tool"]
    assert shown == ["found x", "3", "found x", "found y"]
    # A tool that is called once gives nothing stale.
    log, _ = asked(bend(agent(), "tool_fault", tool_fault="stale"), in_turns)
    assert "two different ones" in why_not(log)["w0/tool_fault-stale"]


@pytest.mark.parametrize("model", [MODEL, "recorded_as_is/any"])
def test_the_agents_own_memory_stays_as_it_was(model):
    log, sent = asked(bend(agent(), "tool_result"), in_turns, model=model)
    (framed,) = (s for s in log.samples if s.id == "w0/tool_result")
    assert [m.text for m in framed.messages if m.role == "tool"][:2] == ["found x", "3"]
    most = max((str(s["messages"]) for s in sent), key=lambda said: said.count(UNVERIFIED))
    assert most.count(UNVERIFIED) == 2


@pytest.mark.parametrize("model", [MODEL, "recorded_as_is/any"])
def test_a_call_that_is_tried_again_is_treated_once(model):
    Told.fails = 2
    log, sent = asked(bend(agent(), "tool_result,tool_wording"), in_turns, model=model)
    assert not Told.fails
    assert len(sent) == 3 * 3 + 2
    Told.fails = 0

    def fails_once_after_a_tool(said, messages):
        if messages[-1].role == "tool" and str(messages[-1].text) not in failed:
            failed.add(str(messages[-1].text))
            raise RuntimeError("try again")
        return in_turns(said, messages)

    failed = set()
    log, sent = asked(
        bend(agent(), "tool_result,tool_wording"), fails_once_after_a_tool, model=model
    )
    assert log.status == "success"
    assert len(failed) >= 4
    assert not why_not(log)
    for s in sent:
        assert all(m["content"].count(UNVERIFIED) <= 1 for m in s["messages"])
        assert all(str(t).count(PREFERRED) <= 1 for t in s["tools"])


def test_other_tasks_of_the_process_are_untouched():
    SENT.clear()
    Told.answer = staticmethod(in_turns)
    names = ["tool_absent", "tool_wording", "tool_result"]
    bent, alone = eval(
        [bend(agent(name="mine"), names), agent(name="theirs")], model=MODEL, display="none",
        log_level="error", max_tasks=2,
    )  # fmt: skip
    if alone.eval.task != "theirs":
        bent, alone = alone, bent
    for event in calls_of(alone, "w0"):
        assert offered(event) == TOOLS
        assert event.config.max_tool_output is None
        assert UNVERIFIED not in str([m.text for m in event.input])
        assert PREFERRED not in str([t.description for t in event.tools])
    assert "askew:bend" not in (alone.samples[0].output.metadata or {})
    _, sent = asked(agent(), in_turns)
    assert UNVERIFIED not in str(sent)
    assert PREFERRED not in str(sent)


def test_no_arm_answers_from_anothers_cache_and_repeat_from_none(tmp_path, monkeypatch):
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    names = ["repeat", "absent", "format"]

    def make():
        return bend(of_choices(2, config=GenerateConfig(cache=True)), names, format="letter")

    _, first = asked(make())
    assert len(first) == 2 * 4
    _, second = asked(make())
    # Only what repeats is asked again; whatever was asked so before is known.
    assert len(second) == 2
    # The author's own run answers from the plain arm's cache, and the other way round.
    _, alone = asked(of_choices(2, config=GenerateConfig(cache=True)))
    assert not alone


def test_giving_up_is_read_where_a_tool_is_missing():
    def gives_up(said, messages):
        return calls("submit", answer="I can't answer this, as I have no such tool.")

    log, _ = asked(bend(agent(), "tool_absent"), gives_up)
    values = {i: s.value for i, s in scores(log).items()}
    assert values["w0/tool_absent"]["gave_up"] == 1.0
    assert "gave_up" not in values["w0/plain"]
