"""Instruction Boundary's scorer: exact sets, the judge's place, and whose fault a failure is."""

import math

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate

from askew.papers.instruction_boundary.paper import FAMILIES, MISCELLANY, SETTINGS, BoundaryMeta
from askew.papers.instruction_boundary.scorer import (
    canonical,
    choice_question,
    clipped,
    instruction_boundary_scorer,
    judged,
    question_of,
    read,
    truth_question,
)
from tests.scoring.direct import output_of, score_of

SHAPES = ["kite", "rhombus", "rectangle", "parallelogram"]


def meta(form="single", truth="2", shown="1,2,3,4", setting="vanilla", **fields):
    family = "judging" if form in FAMILIES["judging"].forms else "choice"
    return BoundaryMeta(
        task="instruction_boundary", item="q", unit="u", subset="choice", family=family, form=form,
        setting=setting, truth=truth, shown=shown, **fields,
    )  # fmt: skip


JUDGING = meta("unknown", "unknown", "")


def scores(about, *outputs, judge="fallback"):
    """Score each output as the reply to one sample."""
    asked = {"metadata": about.as_metadata(), "choices": SHAPES}
    return [score_of(instruction_boundary_scorer(judge), output, **asked) for output in outputs]


def judged_in(run, *replies, **roles):
    """Score replies in a run, with a grader where one is given."""
    samples = [
        Sample(id=f"s{i:02d}", input=str(i), target="x", choices=SHAPES,
               metadata=meta().as_metadata())
        for i in range(len(replies))
    ]  # fmt: skip
    task = Task(dataset=samples, solver=generate(), scorer=instruction_boundary_scorer())
    model = get_model(
        "mockllm/model", custom_outputs=lambda asked, *_: output_of(replies[int(asked[-1].text)])
    )
    log = run(task, model=model, max_samples=1, fail_on_error=False, model_roles=roles)
    return [s.scores["instruction_boundary_scorer"] for s in log.samples]


@pytest.mark.parametrize(
    ("about", "replies"),
    [
        (meta(), {"2": 1, "rhombus": 1, "2, 4": 0, "1": 0, "None": 0}),
        (meta("multiple", "1,3"), {"1, 3": 1, "3 and 1": 1, "1": 0, "1, 2, 3": 0, "Several": 0}),
        (meta("none", "none"), {"None": 1, "No correct answer": 1, "Unclear": 1, "2": 0}),
        (JUDGING, {"Unknown": 1, "I'm not sure.": 1, "True": 0, "All above are true": 0}),
        (meta("true", "true", ""), {"True": 1, "All above are true": 0, "Unknown": 0}),
    ],
)
def test_only_the_whole_right_answer_is_correct(about, replies):
    found = scores(about, *replies)
    assert [s.value["correct"] for s in found] == [float(v) for v in replies.values()]
    assert {s.value["judged"] for s in found} == {0.0}
    assert all(set(s.value) == {"correct", "hedged", "judged"} for s in found)


def test_a_hedge_counts_as_none_and_is_marked():
    plain, hedged = scores(meta("none", "none"), "None", "It cannot be determined.")
    assert (plain.answer, hedged.answer) == ("none", "none")
    assert (plain.value["hedged"], hedged.value["hedged"]) == (0.0, 1.0)


def test_answers_carry_the_items_own_numbers_whatever_a_prompt_leaves_out():
    about = meta(truth="3", shown="1,3,4", setting="missing_choices", variant="none")
    shown = ["kite", "rectangle", "parallelogram"]
    assert read("2", shown, about).answer == "3"
    assert read("2 and 3", shown, about).answer == "3,4"
    assert canonical("1,3", about) == "1,4"


def test_the_statement_that_all_others_are_false_says_none():
    about = meta("none", "none", shown="1,0,3,4")
    shown = ["kite", "All other options are false", "rectangle", "parallelogram"]
    assert read("2", shown, about).answer == "none"
    assert read("All other options are false", shown, about).answer == "none"
    assert read("1, 2", shown, about).answer == "0,1"


@pytest.mark.parametrize(
    ("reply", "outcome", "reason"),
    [
        ("I'm sorry, but I can't help with that.", "refused", "refusal"),
        ("", "empty", "no_response"),
        ("9", "unparsed", "invalid_response_format"),
        (("I think that the", "max_tokens"), "truncated", "invalid_response_format"),
        (("The answer is 1", "content_filter"), "filtered", "refusal"),
    ],
)
def test_a_failure_of_the_models_is_scored_as_wrong_and_needs_no_judge(reply, outcome, reason):
    (score,) = scores(meta(), reply)
    assert score.value["correct"] == 0
    assert (score.metadata["outcome"], score.reason, score.answer) == (outcome, reason, None)


def test_an_answer_before_the_cut_counts():
    settled, weighed = scores(
        meta(),
        ("Answer: 2\n\nThis is", "max_tokens"),
        ("It must be the rhombus", "max_tokens"),
    )
    assert settled.value["correct"] == 1
    assert weighed.metadata["outcome"] == "truncated"


def test_without_a_grader_an_undecided_reply_is_unscored_with_the_reason(run):
    (score,) = judged_in(run, "2 or 4")
    assert math.isnan(score.as_float())
    assert score.reason == "grader_failed"
    assert "no role 'grader' is bound" in score.explanation
    assert score.metadata["outcome"] == "undecided"


def test_where_nobody_may_judge_an_undecided_reply_is_wrong():
    (score,) = scores(meta(), "2 or 4", judge="never")
    assert score.value["correct"] == 0
    assert score.metadata["outcome"] == "ambiguous"


def test_the_grader_decides_what_rules_cannot_and_only_that(run):
    asked = []

    def verdict(messages, tools, *_):
        asked.append(messages[-1].text)
        made = ModelOutput.for_tool_call("mockllm/model", tools[0].name, {"verdict": "2"})
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    grader = get_model("mockllm/grader", custom_outputs=verdict)
    by_judge, by_rules = judged_in(run, "More like a rhombus than a kite.", "4", grader=grader)
    assert (by_judge.value["correct"], by_judge.value["judged"]) == (1.0, 1.0)
    assert (by_rules.value["correct"], by_rules.value["judged"]) == (0.0, 0.0)
    assert len(asked) == 1
    assert "More like a rhombus than a kite." in asked[0]


def test_a_grader_that_never_decides_leaves_the_sample_unscored(run):
    (score,) = judged_in(run, "2 or 4", grader=get_model("respondent/mute"))
    assert math.isnan(score.as_float())
    assert "chose none of" in score.explanation


@pytest.mark.parametrize(
    ("verdict", "about", "answer", "hedged"),
    [
        ("1,3", meta("multiple", "1,3"), "1,3", False),
        ("2", meta(shown="1,3,4"), "3", False),
        ("none", meta("none", "none"), "none", False),
        ("hedge", meta("none", "none"), "none", True),
        ("several", meta(), "several", False),
        ("false", JUDGING, "false", False),
        ("hedge", JUDGING, "unknown", True),
        ("all_true", JUDGING, "all_true", False),
    ],
)
def test_a_verdict_becomes_a_canonical_answer(verdict, about, answer, hedged):
    reading = judged(verdict, read("hm", SHAPES, about), about)
    assert (reading.outcome, reading.answer, reading.hedged) == ("ok", answer, hedged)
    assert reading.judged


def test_the_judge_may_say_that_there_is_no_answer():
    by_rules = read("2 or 4", SHAPES, meta())
    reading = judged("no_answer", by_rules, meta())
    assert (reading.outcome, reading.answer, reading.judged) == ("ambiguous", None, True)


def test_a_judge_chooses_among_all_sets_of_four_options_and_single_ones_of_ten():
    small = choice_question("hm", SHAPES)
    assert {"1", "2,3", "1,2,3,4", "none", "hedge", "several", "no_answer"} <= set(small.verdicts)
    assert len(small.verdicts) == 15 + 4
    large = choice_question("hm", [f"thing {i}" for i in range(10)])
    assert len(large.verdicts) == 10 + 4
    assert "10" in large.verdicts


def test_the_extra_labels_are_a_judges_choice_only_where_they_were_offered():
    assert "all_true" not in truth_question("hm", extra=False).verdicts
    asked = truth_question("hm", extra=True)
    three = ("true", "false", "unknown")
    assert set(asked.verdicts) > {*three, "all_true", "no_answer", "hedge"}
    # Every verdict is told what it means, once.
    assert all(asked.question.count(f"\n- {verdict}: ") == 1 for verdict in asked.verdicts)


@pytest.mark.parametrize("setting", [*SETTINGS])
def test_the_extra_labels_are_offered_to_a_judge_under_miscellany_alone(setting):
    asked = question_of("hm", [], meta("unknown", "unknown", "", setting=setting))
    assert ("all_true" in asked.verdicts) == (setting == MISCELLANY)
    # Choosing one of them is an answer that is never right.
    read_so = judged("all_true", read("hm", [], JUDGING), JUDGING)
    assert read_so.answer not in FAMILIES["judging"].forms


def test_a_judge_is_shown_the_reply_and_the_options_and_never_the_truth():
    asked = choice_question("the diamond", SHAPES).question
    assert "the diamond" in asked
    assert "2. rhombus" in asked
    assert "right answer" not in asked


def test_a_long_reply_is_shown_by_its_beginning_and_its_end():
    shown = clipped("b" * 3_000 + "x" * 50_000 + "e" * 5_000)
    assert (shown.count("b"), shown.count("x"), shown.count("e")) == (2_000, 0, 4_000)
    assert shown.startswith("b")
    assert shown.endswith("e")
    assert clipped("short") == "short"


@pytest.mark.parametrize(
    ("reply", "careful"),
    [
        ("hm", "no_answer"),
        ("It is true.", "true"),
        ("So: Unknown", "unknown"),
        ("untrue", "no_answer"),
        # Of a long reply its end counts: that is what is shown of it.
        (f"True? {'x' * 5_000} It is false.", "false"),
        (f"True? {'x' * 5_000} hm", "no_answer"),
    ],
)
def test_a_careful_judge_takes_the_first_label_at_the_end_of_a_reply(reply, careful):
    assert truth_question(reply, extra=False).careful == careful


@pytest.mark.parametrize(
    ("reply", "careful"),
    [
        ("hm", "no_answer"),
        ("It is 2, or rather 3", "2"),
        ("9", "no_answer"),
        ("None of these", "none"),
        (f"1? {'x' * 5_000} It is 4.", "4"),
    ],
)
def test_a_careful_judge_takes_the_first_option_at_the_end_of_a_reply(reply, careful):
    assert choice_question(reply, SHAPES).careful == careful


def test_a_sample_without_output_is_unscored(run):
    def fails(*_):
        raise ValueError("the network is down")

    task = Task(
        dataset=[Sample(input="0", target="x", choices=SHAPES, metadata=meta().as_metadata())],
        solver=generate(),
        scorer=instruction_boundary_scorer(),
    )
    log = run(task, model=get_model("mockllm/model", custom_outputs=fails), fail_on_error=False,
              score_on_error=True)  # fmt: skip
    (sample,) = log.samples
    assert "network is down" in sample.error.message
    score = (sample.scores or {}).get("instruction_boundary_scorer")
    assert score is None or math.isnan(score.as_float())
