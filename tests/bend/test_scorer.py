"""bend's own score, field by field: the author's number, and why there is none."""

import asyncio
import math
import random

import pandas as pd
import pytest
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import SampleScore, Score, Target
from inspect_ai.solver import TaskState

from askew.bend.scorer import Unfit, _as_number, _author_score, _by_arm, bend_metrics, bend_scorer
from askew.parameters import SelectionError
from askew.treatments.design import MARKS
from askew.treatments.dialogue import FORMAT_KEY
from tests.cases import cases
from tests.scoring.direct import said

OPTIONS = ("kite", "rhombus", "square")
RIGHT = {"match": Score(value="C", answer=" B ")}


def state_of(scores=RIGHT, reply="B", stop="stop", arm="plain", options=OPTIONS, **marks):
    """A sample asked in an arm, as its author's scorers left it; without a reply, no output."""
    output = ModelOutput(model="m")
    if reply is not None:
        output = ModelOutput.from_content("m", reply, stop_reason=stop)
    asked = {
        "item": "q1", "arm": arm, "treatment": arm.partition("-")[0], "base": "b1", "told": {},
        "acted": True, **marks,
    }  # fmt: skip
    output.metadata = {MARKS: asked}
    state = TaskState(ModelName("mockllm/model"), "q1/x", 4, "?", [], choices=list(options))
    state.output, state.scores = output, dict(scores)
    return state


def score(state, made=None, **options):
    made = made or bend_scorer(**options)
    return asyncio.run(made(state, Target("x")))


def about(arm="plain", outcome="ok", **more):
    told = {
        "epoch": 4, "item": "q1", "cluster": "q1", "subset": "b1", "arm": arm,
        "treatment": arm.partition("-")[0], **more,
    }  # fmt: skip
    ended = {"ok": "answered", "filtered": "refused"}.get(outcome, outcome)
    return told | ({"outcome": outcome, "reply_status": ended} | more if outcome else {})


def test_a_score_records_all_its_fields():
    why = "the author's score, 'C'"
    assert said(score(state_of())) == ({"score": 1.0}, "B", why, None, about())
    partly = state_of({"own": Score(value={"a": 0.25, "b": 0.75}, answer="the rhombus")})
    found = said(score(partly, measure="own.b"))
    why = "the author's score, {'a': 0.25, 'b': 0.75}"
    assert found == ({"score": 0.75}, "the rhombus", why, None, about())
    ranged = score(state_of({"own": Score(value=3)}), lowest=1, highest=9)
    unread = about(reply_status="unparsed")
    assert said(ranged) == ({"score": 0.25}, None, "the author's score, 3", None, unread)


def test_measures_of_an_arm_are_added_to_the_score():
    followed, missed = state_of(arm="format-bolding"), state_of(arm="format-bolding")
    followed.store.set(FORMAT_KEY, True)
    missed.store.set(FORMAT_KEY, False)
    assert score(followed).value == {"score": 1.0, "format_ok": 1.0}
    assert score(missed).value == {"score": 1.0, "format_ok": 0.0}

    moved = score(state_of(arm="suggestion", told={"suggested": 1}))
    assert said(moved)[0] == {"score": 1.0, "moved": 1.0}
    assert moved.metadata == about("suggestion", suggested="B")
    stayed = score(state_of(arm="suggestion", told={"suggested": 2}))
    assert stayed.value == {"score": 1.0, "moved": 0.0}
    assert stayed.metadata == about("suggestion", suggested="C")

    gave_up = state_of(arm="tool_absent", reply="I'm sorry, but I can't help with that.")
    assert score(gave_up).value == {"score": 1.0, "gave_up": 1.0}
    assert score(state_of(arm="tool_absent", reply="It is 4.")).value["gave_up"] == 0.0


def unscored(why, details):
    return None, None, why, "scoring_failed", details


@cases("reply", "error", "acted", "why")
def test_missing_or_failed_replies_are_unscored_unless_the_agent_acted(reply, error, acted, why):
    state = state_of(reply=reply, acted=acted)
    state.output.error = error
    expected = unscored(why, about(outcome="")) if why else ({"score": 1.0}, "B")
    assert said(score(state))[: len(expected)] == expected
    if why is None:
        assert score(state).metadata == about()


@cases("arm", "acted", "why")
def test_an_arm_whose_treatment_did_not_reach_the_model_is_not_counted(arm, acted, why):
    found = score(state_of(arm=arm, acted=acted))
    expected = unscored(why, about(arm, "")) if why else ({"score": 1.0}, "B")
    assert said(found)[: len(expected)] == expected


def test_what_never_was_a_number_ends_the_run_and_later_is_one_sample_lost():
    odd = state_of({"own": Score(value="good")})
    with pytest.raises(SelectionError, match="the author's score is no number: 'good'"):
        score(odd)
    made = bend_scorer()
    assert score(state_of(), made).value == {"score": 1.0}
    value, answer, why, reason, details = said(score(odd, made))
    assert (value, answer, reason, details) == (None, None, "scoring_failed", about(outcome=""))
    assert why.startswith("the author's score is no number: 'good'")


OF = {
    "match": Score(value=1.0), "own": Score(value={"fact": 0.5, "tone": 0.25}),
    "match1": Score(value=0.0),
}  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "scores", "name"),
    [
        (None, OF, "match"), ("own", OF, "own"), ("own.tone", OF, "own"), ("tone", OF, "own"),
        # Scored again, a name has a number behind it.
        ("own", {"match": OF["match"], "own2": OF["own"]}, "own2"),
        ("own.fact", {"match": OF["match"], "own12": OF["own"]}, "own12"),
        # Those since ours was last made; before it, where there are none since.
        (None, {"match": OF["match"], "bend_scorer": OF["match"], "own": OF["own"]}, "own"),
        (None, {"match": OF["match"], "bend_scorer": OF["match"]}, "match"),
        ("own", {"own": OF["own"], "bend_scorer": OF["match"], "match": OF["match"],
                 "bend_scorer1": OF["match"], "own1": OF["own"], "match1": OF["match1"]}, "own1"),
    ],
)  # fmt: skip
def test_which_of_the_authors_scores_counts(measure, scores, name):
    state = state_of(scores)
    assert _author_score(state, measure) is scores[name]


def test_live_numbers_are_named_by_their_arms():
    metrics = ["score", "effect", "worst_effect", "noise", "bias_f", "hurt"]
    arms = ["plain", "order", "all", "all", "all", "order"]
    table = pd.DataFrame({"metric": metrics, "arm": arms, "subset": "all"})
    shown = _by_arm(table)
    assert shown["metric"].tolist() == metrics[:5]
    assert shown["subset"].tolist() == shown["arm"].tolist() == arms[:5]


def scored_in(item, arm, value):
    details = {"item": item, "cluster": item, "subset": "b1", "arm": arm, "treatment": arm}
    made = Score(value={"score": value}, metadata={**details, "epoch": 1, "outcome": "ok"})
    # The author's metadata has an arm of its own, of which nothing may come.
    return SampleScore(score=made, sample_metadata={"arm": "theirs", "mood": "good"})


SCORES = [
    scored_in(f"q{i}", arm, value)
    for i, values in enumerate([(1, 0, 1), (1, 1, 0), (0, 0, 1), (1, 0, 1)])
    for arm, value in zip(("plain", "order", "repeat"), values, strict=True)
]


def test_worst_effect_comes_first_then_plain_score_and_noise():
    shown = bend_metrics()(SCORES)
    assert [*shown] == [
        "worst_effect", "worst_effect_low", "worst_effect_high", "plain_score", "noise",
        "plain_score_stderr",
    ]  # fmt: skip
    # Plain 3 of 4, order 1 of 4; asked again, two of four differ.
    assert (shown["worst_effect"], shown["plain_score"], shown["noise"]) == (0.5, 0.75, 0.5)
    assert shown["plain_score_stderr"] == pytest.approx(0.25)
    assert shown["worst_effect_low"] < 0.5 < shown["worst_effect_high"]


# --- A score as a number from 0 to 1, or the reason why there is none ---


def as_number(value, measure=None, lowest=0.0, highest=1.0, **about):
    return _as_number(Score(value=value, **about), measure, lowest, highest)


@cases("value", "expected")
def test_every_value_that_inspect_counts_is_a_number(value, expected):
    assert as_number(value) == expected


@pytest.mark.parametrize("value", ["D", "good", "nan", "inf", "", [1, 0], {}])
def test_a_score_that_is_no_number_is_rejected_with_advice(value):
    found = as_number(value)
    assert isinstance(found, Unfit)
    assert found.startswith("the author's score is no number: ")
    assert "measure=" in found


@cases("measure", "expected")
def test_one_of_several_numbers_is_named(measure, expected):
    assert as_number({"fact": 0.2, "tone": 0.6, "a.b": 1.0}, measure) == expected


def test_an_unknown_measure_is_rejected_with_the_available_ones():
    found = as_number({"fact": 0.2, "tone": 0.6}, "odd.style")
    assert isinstance(found, Unfit)
    assert found == "measure='odd.style': it has fact, tone"


@cases("told", "why")
def test_what_its_author_left_unscored_is_unscored_with_his_reason(told, why):
    found = as_number(math.nan, explanation=told)
    assert found == f"the author's scorer left it unscored: {why}"
    assert not isinstance(found, Unfit)


@cases("value", "lowest", "highest", "expected")
def test_a_range_is_stretched_to_that_of_a_score_either_way_round(value, lowest, highest, expected):
    assert as_number(value, None, lowest, highest) == expected


@pytest.mark.parametrize("value", [0.5, 9.5])
def test_a_score_out_of_range_is_rejected_with_the_range(value):
    found = as_number(value, None, 1, 9)
    assert isinstance(found, Unfit)
    assert f"{value:g} is not from 1 to 9" in found


def test_places_of_options_that_the_authors_solver_shuffled_are_not_known():
    def places(*shuffled):
        state = state_of({"choice": Score(value="C", answer="C")})
        if shuffled:
            state.choices.shuffle(random.Random(shuffled[0]))
        found = asyncio.run(bend_scorer()(state, Target("A"))).metadata
        return {k: found[k] for k in ("right_at", "chosen_at", "n_options") if k in found}

    assert places() == {"right_at": 1, "chosen_at": 3, "n_options": 3}
    assert places(1) == {}
