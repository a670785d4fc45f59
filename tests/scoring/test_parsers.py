"""Who reads the replies, in every task by the same parameter: rules, the grader, or nobody."""

import asyncio
import math

import pytest
from inspect_ai.model import ModelOutput

from askew.decide import simulation as simulating
from askew.decide.simulation import simulation
from askew.papers import get_paper, task_papers
from askew.schema import GRADER_MARK
from askew.scoring import grader as grader_module
from askew.scoring.grader import NO_ANSWER, closed_question
from tests.cases import cases_of
from tests.scoring.direct import output_of

TASKS = task_papers()
# What rules read no answer in; of format bias, and of a comparison, in plain words.
OPEN = cases_of(__file__, "OPEN")
REFUSAL = "I'm sorry, but I can't help with that."


@pytest.fixture
def grader(monkeypatch):
    """A grader that says what a careful reader would, or the same of all; it keeps questions."""

    class Grader:
        says, asked = "", []

        async def generate(self, messages, tools, **_):
            self.asked.append(messages[-1].text)
            said = self.says or messages[-1].metadata[GRADER_MARK]
            if said == "mute":
                return ModelOutput.from_content("m", "Well.")
            return ModelOutput.for_tool_call("m", tools[0].name, {"verdict": said})

    made = Grader()
    made.asked = []
    monkeypatch.setattr(grader_module, "get_model", lambda **_: made)
    return made


def graded_samples(task, **given):
    """The task's samples that a grader may be asked about, with their simulated truths."""
    made = simulation(task, items=6, **given)
    pairs = zip(made.samples, made.truths(), strict=True)
    return made, [(s, t) for s, t in pairs if get_paper(task).graded(s.metadata)]


def score(task, parser, sample, reply):
    scorer = getattr(get_paper(task).part("scorer"), f"{task}_scorer")(parser=parser)
    state = simulating._state(sample, "")
    # What MathComp's samples hold where a grader is to be asked.
    state.metadata.setdefault("judge_question", "Only answer with: less, more, or equal.")
    if task == "mathcomp":
        state.metadata["judge_question"] = "Only answer with: less, more, or equal."
    state.output = output_of(reply)
    return asyncio.run(scorer(state, state.target))


def replies(task):
    """Of some samples, right replies and such as rules leave open."""
    made, asked = graded_samples(task)
    for sample, truth in asked[:: max(1, len(asked) // 12)]:
        right = made.answerer.reply(truth, made.answerer.of("oracle"), "oracle", 0)
        yield sample, str(right), OPEN[task].format(*(sample.choices or "??"))


@pytest.mark.parametrize("task", TASKS)
def test_rules_call_no_grader_and_unparsed_replies_are_incorrect(task, grader):
    for sample, right, left in replies(task):
        read, unread = (score(task, "rules", sample, reply) for reply in (right, left))
        assert read.metadata["decided_by"] == "rules"
        assert unread.metadata["decided_by"] == "nobody", unread.explanation
        assert unread.metadata["outcome"] in ("unparsed", "ambiguous")
        assert unread.value[get_paper(task).split_of] == 0
    assert not grader.asked


@pytest.mark.parametrize("task", TASKS)
def test_a_grader_behind_rules_reads_what_they_leave_open_and_nothing_else(task, grader):
    for sample, right, left in replies(task):
        for reply in (right, REFUSAL, "", ("", "max_tokens")):
            found = score(task, "rules_then_grader", sample, reply)
            assert found.metadata["decided_by"] != "grader"
        assert not grader.asked
        found = score(task, "rules_then_grader", sample, left)
        assert found.metadata["decided_by"] == "grader"
        assert "rules_answer" not in found.metadata
        assert left in grader.asked.pop(0)
        grader.asked.clear()


@pytest.mark.parametrize("task", TASKS)
def test_a_grader_reads_all_that_has_words_and_a_careful_one_agrees_with_rules(task, grader):
    for sample, right, _ in replies(task):
        by_rules, by_grader = (score(task, parser, sample, right) for parser in ("rules", "grader"))
        assert by_grader.metadata["decided_by"] == "grader"
        assert by_grader.metadata["rules_answer"] == by_rules.answer == by_grader.answer
        same = {**by_grader.value, "judged": 0.0} if "judged" in by_rules.value else by_grader.value
        assert same == by_rules.value
        grader.asked.clear()
        for reply in (REFUSAL, "", ("", "max_tokens")):
            assert score(task, "grader", sample, reply).metadata["decided_by"] != "grader"
        assert not grader.asked


@pytest.mark.parametrize("task", [task for task in TASKS if task != "mathcomp"])
def test_no_answer_by_the_grader_overrides_the_rules(task, grader):
    grader.says = NO_ANSWER
    for sample, right, _ in replies(task):
        found = score(task, "grader", sample, right)
        assert (found.answer, found.metadata["outcome"]) == (None, "unparsed")
        decided, right = found.metadata["decided_by"], found.value[get_paper(task).split_of]
        assert (decided, right) == ("grader", 0)
        assert found.metadata["rules_answer"]


@pytest.mark.parametrize("task", TASKS)
def test_a_grader_that_chooses_nothing_leaves_a_sample_unscored(task, grader):
    grader.says = "mute"
    sample, right, left = next(replies(task))
    assert score(task, "grader", sample, right).metadata["rules_answer"]
    grader.asked.clear()
    found = score(task, "rules_then_grader", sample, left)
    assert math.isnan(found.value)
    assert found.reason == "grader_failed"
    assert "in 3 tries" in found.explanation
    assert (found.metadata["outcome"], found.metadata["decided_by"]) == ("undecided", "nobody")
    assert len(grader.asked) == 3


def test_the_grader_reads_only_letters_and_options(grader):
    made, asked = graded_samples("format_bias", data="bundled")
    others = [s for s in made.samples if s.id not in {a.id for a, _ in asked}]
    assert {s.metadata["kind"] for s in others} == {"text", "ranking"}
    for sample in others:
        assert score("format_bias", "grader", sample, "Well.").metadata["decided_by"] != "grader"
    assert not grader.asked


@pytest.mark.whole
@pytest.mark.parametrize("task", TASKS)
def test_a_bound_grader_reads_in_a_run(run, task):
    asked = get_paper(task).make(items=2, parser="grader")
    log = run(asked, model="respondent/oracle", model_roles={"grader": "respondent/oracle"})
    scores = [sample.scores[f"{task}_scorer"] for sample in log.samples]
    assert "grader" in {one.metadata["decided_by"] for one in scores}
    own = [one for one in scores if "rules_answer" in one.metadata]
    assert own
    assert all(one.metadata["rules_answer"] == one.answer for one in own)


def test_a_long_reply_is_shown_by_its_ends_and_its_first_named_answer_is_a_careful_readers():
    reply = f"Yes? {'x' * 9_000} No, or yes."
    means = {"Yes": "is so", "No": "is not"}
    asked = closed_question("Somebody said this.", reply, means, "Q: So?")
    assert asked.verdicts == ("Yes", "No", NO_ANSWER)
    assert asked.simulated_verdict == "No"
    assert "\n[...]\n" in asked.question
    assert len(asked.question) < 7_000
    assert "Q: So?\n\nVerdicts:\n- Yes: is so\n- No: is not\n- no_answer: " in asked.question
    of_sets = closed_question("So.", "B", {"letters": "some"}, sets=("A", "B", "A,B"))
    assert of_sets.verdicts == ("A", "B", "A,B", NO_ANSWER)
    assert of_sets.simulated_verdict == "B"
