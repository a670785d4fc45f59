"""KnowNo's scorer: what is right under each hint, every pattern, and whose fault a failure is."""

import asyncio

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelName, ModelOutput, get_model
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState, generate

from askew.papers.knowno import scorer as scorer_module
from askew.papers.knowno.items import KnowNoItem
from askew.papers.knowno.paper import HINTS, KnowNoMeta
from askew.papers.knowno.scorer import judge_case, knowno_scorer, read
from askew.papers.knowno.tasks import shown_options
from askew.scoring.judge import JudgeQuestion, Verdict
from tests.cases import cases, cases_of
from tests.scoring.direct import output_of, said, score_of

ITEM = KnowNoItem(
    "q", "mctest", "story", "story", {"story": "", "question": "Who?"},
    ("Bob", "James", "Rick", "Stephanie"), 2,
)  # fmt: skip


def meta(hint, kind="story", gold="Rick"):
    return KnowNoMeta(
        task="knowno", item="q", unit="u", subset="mctest", kind=kind, hint=hint, order=0, gold=gold
    )


def shown(hint):
    return shown_options(ITEM, hint, 0, 0, is_last=True)


def scores(hint, *outputs):
    """Score each output as the reply to the item under a hint."""
    asked = {"metadata": meta(hint).as_metadata(), "choices": shown(hint)}
    return [score_of(knowno_scorer(), output, **asked) for output in outputs]


def judged(run, *replies, grader):
    """Score replies to the item without a hint in a run with a judge."""
    samples = [
        Sample(
            id=f"s{i:02d}", input=str(i), target="x", choices=shown("no_hint"),
            metadata=meta("no_hint").as_metadata(),
        )
        for i in range(len(replies))
    ]  # fmt: skip
    task = Task(dataset=samples, solver=generate(), scorer=knowno_scorer(judge=True))
    model = get_model(
        "mockllm/model", custom_outputs=lambda asked, *_: output_of(replies[int(asked[-1].text)])
    )
    log = run(task, model=model, max_samples=1, model_roles={"grader": grader})
    return [s.scores["knowno_scorer"] for s in log.samples]


REPLIES = cases_of(__file__, "REPLIES")


def test_every_reply_gets_its_pattern_and_its_verdict():
    for hint in dict.fromkeys(r[0] for r in REPLIES):
        rows = [r for r in REPLIES if r[0] == hint]
        for row, score in zip(rows, scores(hint, *(r[1] for r in rows)), strict=True):
            got = [score.value["correct"], score.metadata["pattern"], score.metadata["letter_kind"]]
            assert got == row[2:], (row, score.explanation)
            assert score.explanation


def test_a_judge_can_accept_another_wording_of_the_removed_answer(run):
    replies = ("D. Rick from next door", "D. Peter")
    same, different = judged(run, *replies, grader="respondent/oracle")
    assert (same.value["correct"], same.metadata["pattern"]) == (1, "new_gold")
    assert (different.value["correct"], different.metadata["decided_by"]) == (0, "judge")


@pytest.mark.parametrize("hint", list(HINTS))
def test_a_judge_is_asked_of_new_answers_to_no_hint_alone(hint, monkeypatch):
    asked = []

    async def ask(question, verdicts, careful):
        asked.append((question, verdicts, careful))
        return Verdict("same")

    monkeypatch.setattr(scorer_module, "ask_judge", ask)
    for reply in ("D. Peter", "C", "I don't know", "None of the above"):
        state = TaskState(
            model=ModelName("m/n"), sample_id="s", epoch=1, input="?", messages=[],
            choices=shown_options(ITEM, hint, 0, 0, is_last=True),
            metadata=meta(hint).as_metadata(),
            output=ModelOutput.from_content("m", reply),
        )  # fmt: skip
        score = asyncio.run(knowno_scorer(judge=True)(state, Target("x")))
        judged = hint == "no_hint" and reply == "D. Peter"
        assert score.metadata["decided_by"] == ("judge" if judged else "rules"), reply
    assert len(asked) == (hint == "no_hint")
    for question, verdicts, careful in asked:
        assert "Rick" in question
        assert "Peter" in question
        assert (verdicts, careful) == (("same", "different"), "different")


def values(*ones):
    names = ("correct", "said_none", "delimiter_leak")
    return {name: float(name in ones) for name in names}


def told(pattern, letter_kind, outcome="ok", decided_by="rules"):
    return {
        "epoch": 2, "outcome": outcome, "pattern": pattern, "letter_kind": letter_kind,
        "decided_by": decided_by,
    }  # fmt: skip


@cases("reply", "stop", "outcome")
def test_a_cut_takes_back_what_was_not_settled_and_no_refusal(reply, stop, outcome):
    (score,) = scores("with_gold", (reply, stop))
    assert score.metadata["outcome"] == outcome


@pytest.fixture
def judge(monkeypatch):
    """A judge that gives one verdict, and keeps what it was asked."""
    kept = type("Kept", (), {"verdict": Verdict("same"), "asked": []})()

    async def ask(*given, **how):
        kept.asked.append((given, how))
        return kept.verdict

    monkeypatch.setattr(scorer_module, "ask_judge", ask)
    return kept


def by_judge(reply):
    about = meta("no_hint").as_metadata()
    return score_of(knowno_scorer(judge=True), reply, about, choices=shown("no_hint"))


@pytest.mark.parametrize(
    ("verdict", "right", "pattern"),
    [("same", ["correct"], "new_gold"), ("different", [], "new_wrong")],
)
def test_all_that_a_score_by_a_judge_says(judge, verdict, right, pattern):
    judge.verdict = Verdict(verdict)
    why = f"gives a new letter and text; pattern {pattern}"
    about = told(pattern, "next", decided_by="judge")
    assert said(by_judge("D. Peter")) == (values(*right), "Peter", why, None, about)
    question = scorer_module.JUDGE_QUESTION.format(right="Rick", given="Peter")
    assert judge.asked == [((question, ("same", "different")), {"careful": "different"})]


def test_a_careful_judge_finds_the_right_words_in_longer_ones(judge):
    by_judge("D. RICK from next door")
    assert judge.asked[0][1] == {"careful": "same"}


def test_all_that_is_said_where_the_judge_gives_no_verdict(judge):
    judge.verdict = Verdict(None, "three tries")
    about = {"epoch": 2, "outcome": "undecided", "pattern": "new_wrong"}
    expected = (None, None, "three tries", "grader_failed", about)
    assert said(by_judge("D. Peter")) == expected


def test_a_case_of_the_trial_is_asked_as_an_answer_is():
    asked = judge_case({"right": "a bike", "given": "a bicycle"})
    question = scorer_module.JUDGE_QUESTION.format(right="a bike", given="a bicycle")
    assert asked == JudgeQuestion(question, ("same", "different"), "")
    assert "Right answer: a bike\nGiven answer: a bicycle\n" in question


def test_the_option_that_none_fits_is_no_label_among_others():
    found = read("none-of-them\nlost", ["card-in", "lost", "none-of-them"],
                 meta("hint_as_option", "intent"))  # fmt: skip
    assert (found.pattern, found.answer) == ("none", "none-of-them")
    assert found.choice.why == "says that none fits"


@cases("kind", "options", "reply", "leaks")
def test_underscores_leak_into_labels_alone_and_where_none_were_shown(kind, options, reply, leaks):
    about = meta("no_hint", kind).as_metadata()
    assert score_of(knowno_scorer(), reply, about, choices=options).value["delimiter_leak"] == leaks
