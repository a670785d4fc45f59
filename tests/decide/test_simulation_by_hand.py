"""A simulation step by step: what a respondent is told, what is scored, and what comes of it."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score

from askew.decide import simulation as simulation_module
from askew.decide.simulation import Simulation, simulation, tendencies_of
from askew.respondents.provider import Answerer
from askew.schema import Judge


@dataclass(frozen=True)
class Leans:
    knows: float = 0.5
    refuses: float = 0.0


def sample(name="a", **about):
    given = {"task": "knowno", "subset": "s", "item": "i", "unit": "i"}
    return Sample(
        input="Which?", target="yes", id=name, choices=["yes", "no"], metadata=given | about
    )


class Scoring:
    """A scorer that notes what it is given."""

    def __init__(self, value=None, **about):
        self.seen, self._value, self._about = [], value or {"correct": 1.0}, about

    async def __call__(self, state, target):
        told = state.output.completion, state.output.choices[0].message.content
        self.seen.append((state.sample_id, *told, target.text))
        answer = state.output.completion.upper()
        return Score(value=self._value, answer=answer, metadata=self._about or None)


@pytest.fixture
def asked():
    return []


def made(asked, samples, scorer, **about):
    def reply(truth, tendencies, respondent, seed):
        asked.append((truth["sample_id"], truth["epoch"], tendencies, respondent, seed))
        return f"{respondent} {tendencies.knows} {seed % 2}"

    tendencies = {"typical": Leans(), "oracle": Leans(1.0)}
    return Simulation("knowno", samples, scorer, Answerer(reply, tendencies, **about))


def test_tendencies_are_the_respondent_s_with_some_set_otherwise():
    answerer = Answerer(print, {"typical": Leans(), "oracle": Leans(1.0)})
    assert tendencies_of(answerer, "oracle") == Leans(1.0)
    assert tendencies_of(answerer, "nay") == Leans()
    assert tendencies_of(answerer, "oracle", {"refuses": 0.1}) == Leans(1.0, 0.1)
    assert tendencies_of(answerer, "oracle", {}) == Leans(1.0)


def test_what_is_true_of_a_sample_is_told_in_the_first_epoch(asked):
    (truth,) = made(asked, [sample(hint="h")], Scoring()).truths()
    assert truth == {
        "task": "knowno", "subset": "s", "item": "i", "unit": "i", "hint": "h", "sample_id": "a",
        "choices": ["yes", "no"], "target": "yes", "epoch": 1,
    }  # fmt: skip


def test_every_sample_is_answered_in_every_epoch_and_a_reply_is_read_once(asked):
    scorer = Scoring(kind="story")
    of = made(asked, [sample("a"), sample("b", hint="h")], scorer)
    table = of.observations("oracle", 3, {"refuses": 0.1}, epochs=2)
    leans = Leans(1.0, 0.1)
    assert asked == [
        (name, epoch, leans, "oracle", 3) for epoch in (1, 2) for name in ("a", "b")
    ]  # fmt: skip
    said = "oracle 1.0 1"
    assert scorer.seen == [("a", said, said, "yes"), ("b", said, said, "yes")]
    columns = ["sample_id", "epoch", "model", "model_name", "answer", "correct", "kind", "task"]
    name = "respondent/oracle"
    assert table[columns].values.tolist() == [
        [which, epoch, name, name, "ORACLE 1.0 1", 1.0, "story", "knowno"]
        for epoch in (1, 2) for which in ("a", "b")
    ]  # fmt: skip
    about = table[["status", "run", "log", "outcome", "tier", "subset"]]
    assert about.drop_duplicates().values.tolist() == [["scored", "simulated", "", "ok", "", "s"]]
    of.observations("oracle", 5)
    assert len(scorer.seen) == 2
    of.observations("oracle")
    assert [one[1] for one in scorer.seen[2:]] == ["oracle 1.0 0"] * 2
    assert asked[-1] == ("b", 1, Leans(1.0), "oracle", 0)


def test_so_many_read_replies_are_kept(asked, monkeypatch):
    monkeypatch.setattr(simulation_module, "_KEPT", 1)
    scorer = Scoring()
    of = made(asked, [sample("a"), sample("b")], scorer)
    for _ in range(3):
        assert len(of.observations("typical")) == 2
    assert [one[0] for one in scorer.seen] == ["a", "b", "b", "b"]


def test_what_is_not_scored_is_no_row_and_is_not_read_again(asked):
    scorer = Scoring(value=0.5)
    of = made(asked, [sample()], scorer)
    for _ in range(2):
        assert not len(of.observations("typical"))
    assert len(scorer.seen) == 1

    async def nothing(state, target):
        return None

    assert not len(made(asked, [sample()], nothing).observations("typical"))


def test_what_an_eval_makes_of_several_replies_is_told_by_the_task(asked):
    told = []

    def observed(truth, tendencies, respondent, seed):
        told.append((truth["sample_id"], truth["epoch"], tendencies, respondent, seed))
        return {"task": "bend", "epoch": truth["epoch"]} if truth["sample_id"] == "a" else None

    of = made(asked, [sample("a"), sample("b")], None, observed=observed)
    table = of.observations("nay", 4, epochs=2)
    assert told == [(name, epoch, Leans(), "nay", 4) for epoch in (1, 2) for name in ("a", "b")]
    assert asked == []
    assert table[["task", "epoch", "model", "model_name"]].values.tolist() == [
        ["bend", epoch, "respondent/nay", "respondent/nay"] for epoch in (1, 2)
    ]


def test_a_sample_s_state_is_what_its_scorer_would_see():
    state = simulation_module._state(sample(hint="h"))
    assert (state.sample_id, state.epoch, str(state.model)) == ("a", 1, "respondent/anyone")
    assert (state.input, [m.text for m in state.messages]) == ("Which?", ["Which?"])
    assert [m.role for m in state.messages] == ["user"]
    assert state.target.text == "yes"
    assert [choice.value for choice in state.choices] == ["yes", "no"]
    assert state.metadata["hint"] == "h"
    assert (state.output.completion, state.output.model) == ("", "respondent/anyone")
    messages = [ChatMessageSystem(content="Be."), ChatMessageUser(content="So?")]
    bare = simulation_module._state(Sample(input=messages, target="x"))
    assert [m.text for m in bare.messages] == ["So?"]
    assert (bare.sample_id, bare.metadata) == ("", {})
    assert simulation_module._state(Sample(input="?", id=0)).sample_id == 0


def test_a_task_s_first_scorer_scores():
    first, second = Scoring(), Scoring()
    of = simulation_module._scorer_of
    assert of(SimpleNamespace(scorer=[first, second])) is first
    assert of(SimpleNamespace(scorer=first)) is first
    with pytest.raises(ValueError, match=r"^the task mine has no scorer$"):
        of(SimpleNamespace(scorer=None, name="mine"))
    with pytest.raises(ValueError, match=r"^the task t has no scorer$"):
        of(Task(dataset=[sample()], name="t"))


def paper_of(monkeypatch, answerer, judge=None):
    given = []

    def make(**parameters):
        given.append(parameters)
        return SimpleNamespace(dataset=(sample(),), scorer="a scorer", name="t")

    paper = SimpleNamespace(task="t", judge=judge, make=make)
    monkeypatch.setattr(simulation_module, "asked_for", lambda task: paper)
    monkeypatch.setattr(simulation_module, "answerer_of", {"t": answerer}.get)
    return given


def test_a_task_is_made_without_a_judge(monkeypatch):
    answerer = Answerer(print, {})
    given = paper_of(monkeypatch, answerer, Judge("judge", share=lambda *_: 0.0))
    made = simulation("askew/t", items=3, judge=True, task="mine")
    assert given == [{"items": 3, "task": "mine"}]
    assert (made.task, made.scorer, made.answerer) == ("t", "a scorer", answerer)
    assert [s.id for s in made.samples] == ["a"]
    plain = paper_of(monkeypatch, answerer)
    simulation("t", judge=True)
    assert plain == [{"judge": True}]


def test_a_task_that_says_what_is_asked_needs_no_scorer(monkeypatch):
    told = []
    answerer = Answerer(print, {}, samples=lambda **given: told.append(given) or [sample("own")])
    given = paper_of(monkeypatch, answerer)
    made = simulation("t", items=3)
    assert (given, told) == ([], [{"items": 3}])
    assert (made.task, made.scorer, [s.id for s in made.samples]) == ("t", None, ["own"])


def test_a_task_that_nobody_answers_is_refused(monkeypatch):
    paper_of(monkeypatch, None)
    with pytest.raises(ValueError, match=r"^no simulated model answers the task t$"):
        simulation("askew/t")


def test_what_was_read_is_no_part_of_what_a_simulation_is_called(asked):
    of = made(asked, [sample()], Scoring())
    of.observations("typical")
    assert "_read" not in repr(of)
    assert "_asked" not in repr(of)
