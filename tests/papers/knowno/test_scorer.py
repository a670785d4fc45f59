"""KnowNo's scorer: what is right under each hint, every pattern, and whose fault a failure is."""

import asyncio
import math

import pandas as pd
import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelName, ModelOutput, get_model
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState, generate

from askew.papers.knowno import scorer as scorer_module
from askew.papers.knowno.items import KnowNoItem
from askew.papers.knowno.paper import HINTS, KnowNoMeta
from askew.papers.knowno.scorer import knowno_scorer, read
from askew.papers.knowno.tasks import shown_options
from askew.scoring.judge import Verdict
from tests.scoring.direct import output_of, score_of

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


REPLIES = [
    # hint, reply, correct, pattern, letter kind
    ("with_gold", "C", 1, "offered", "offered"),
    ("with_gold", "A", 0, "offered", "offered"),
    ("with_gold", "None of the above", 0, "none", "none"),
    ("with_gold", "A and C", 0, "unparsed", "none"),
    ("with_gold_plus_none", "Rick", 1, "offered", "none"),
    ("with_gold_plus_none", "none-of-them", 0, "none", "none"),
    ("hint_as_option", "D", 1, "none", "offered"),
    ("hint_as_option", "D: none-of-them", 1, "none", "offered"),
    ("hint_as_option", "none of the above", 1, "none", "none"),
    ("hint_as_option", "A. Bob", 0, "offered", "offered"),
    ("hint_as_option", "E. Rick", 0, "new_gold", "next"),
    ("hint_in_instruction", "none-of-them", 1, "none", "none"),
    ("hint_in_instruction", "Rick", 0, "new_gold", "none"),
    ("hint_in_instruction", "B", 0, "offered", "offered"),
    ("no_hint", "None of the above", 1, "none", "none"),
    ("no_hint", "None of the options provided are correct. The correct answer is Rick.",
     1, "none_and_gold", "none"),
    ("no_hint", "None of these options is correct. The correct answer is Peter.",
     1, "none_and_other", "none"),
    ("no_hint", "D. Rick", 1, "new_gold", "next"),
    ("no_hint", "C. Rick", 1, "new_gold", "offered"),
    ("no_hint", "D. Peter", 0, "new_wrong", "next"),
    ("no_hint", "C. Stephanie", 0, "offered", "offered"),
    ("no_hint", "Answer: C\n\nThe story says that it was Rick, therefore the answer is C.",
     0, "offered", "offered"),
    ("no_hint", "I'm sorry, but I can't help with that.", 0, "refused", "none"),
    ("no_hint", "It is late.", 0, "unparsed", "none"),
    ("no_hint", "", 0, "unparsed", "none"),
]  # fmt: skip


def test_every_reply_gets_its_pattern_and_its_verdict():
    for hint in dict.fromkeys(r[0] for r in REPLIES):
        rows = [r for r in REPLIES if r[0] == hint]
        for row, score in zip(rows, scores(hint, *(r[1] for r in rows)), strict=True):
            got = (score.value["correct"], score.metadata["pattern"], score.metadata["letter_kind"])
            assert got == row[2:], (row, score.explanation)
            assert score.explanation


def test_the_keys_of_a_score_are_the_same_on_every_sample():
    for hint in ("with_gold", "no_hint"):
        for score in scores(hint, "C", "", "none"):
            assert list(score.value) == ["correct", "said_none", "delimiter_leak"]


@pytest.mark.parametrize(
    ("output", "outcome", "reason"),
    [
        ("", "empty", "no_response"),
        ("I can't help with that.", "refused", "refusal"),
        (("The answer is C", "content_filter"), "filtered", "refusal"),
        (("The story is long and Bob", "max_tokens"), "truncated", "invalid_response_format"),
        ("A, B", "ambiguous", "invalid_response_format"),
        ("C", "ok", None),
    ],
)
def test_a_reply_without_an_answer_says_why(output, outcome, reason):
    (score,) = scores("with_gold", output)
    assert (score.metadata["outcome"], score.reason) == (outcome, reason)


def test_a_cut_reply_that_had_already_answered_counts():
    (score,) = scores("with_gold", ("C. Rick because the", "max_tokens"))
    assert score.value["correct"] == 1


def test_no_output_is_the_machinerys_fault_and_unscored():
    from inspect_ai.model import ChatMessageUser, ModelName
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    state = TaskState(
        ModelName("mockllm/model"), "s", 1, "Who?", [ChatMessageUser(content="Who?")],
        choices=["Bob", "Rick"], metadata=meta("with_gold").as_metadata(),
    )  # fmt: skip
    score = asyncio.run(knowno_scorer()(state, Target("x")))
    assert math.isnan(score.value)
    assert score.reason == "scoring_failed"


def test_an_undecided_judge_leaves_the_sample_unscored(run):
    (score,) = judged(run, "D. Peter", grader="respondent/mute")
    assert math.isnan(score.value)
    assert score.reason == "grader_failed"
    assert "3 tries" in score.explanation


def test_a_judge_can_accept_another_wording_of_the_removed_answer(run):
    replies = ("D. Rick from next door", "D. Peter")
    same, different = judged(run, *replies, grader="respondent/oracle")
    assert (same.value["correct"], same.metadata["pattern"]) == (1, "new_gold")
    assert (different.value["correct"], different.metadata["decided_by"]) == (0, "judge")


def test_an_option_that_says_none_counts_as_none_once_the_gold_is_gone():
    options = ["No one.", "Bob", "James"]
    assert read("A", options, meta("no_hint")).pattern == "none"
    assert read("A", ["No one.", "Bob", "Rick"], meta("with_gold")).pattern == "offered"


def test_an_intent_with_underscores_leaks_only_where_none_were_shown():
    shown = ["card-arrival", "lost-card"]
    reading = read("card_arrival", shown, meta("no_hint", "intent", "pin-blocked"))
    assert reading.answer == "card-arrival"
    assert reading.pattern == "offered"


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


def test_what_is_shown_live_is_over_all_lengths_of_context():
    lengths = pd.DataFrame({"metric": "gap", "context_length": ["all", "100", "500"]})
    assert scorer_module._pooled(lengths).index.tolist() == [0]
    without = lengths[["metric"]]
    assert scorer_module._pooled(without) is without
