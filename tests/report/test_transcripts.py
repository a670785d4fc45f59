"""Cuts and flips: which places and items are picked, and what is read of them from the logs."""

import math

import pandas as pd
import pytest

from askew.report.evidence import Evidence
from askew.report.flips import MOST, flip_list, prompt_difference, with_transcripts
from askew.report.study import Study, summarize
from tests.report.observed import HINTS, observed


def flips_of(observations):
    models = Study(observations).models
    evidence = Evidence("knowno", observations, summarize(observations, None), models)
    block = {"flips": "flips", "by": ["hint"], "right": "gold", "rule": "a rule"}
    return flip_list(evidence, {**block, "before": {"hint": "with_gold"}})


def test_items_that_are_wrong_in_most_conditions_come_first():
    wrong = {0: HINTS[1:2], 1: HINTS[1:4], 2: HINTS[2:4]}
    rows = observed(right=lambda hint, i: hint not in wrong.get(i, ()), subsets=("mctest",))
    found = flips_of(rows)
    assert [f.item for f in found.flips] == ["mctest-1", "mctest-2", "mctest-0"]
    first = found.flips[0]
    assert (first.before.correct, first.after.correct) == (True, False)
    assert first.after.condition == "none-of-them as an option"
    assert first.after.answer == "another 1"
    assert [s.condition for s in first.others] == ["none-of-them in the instruction", "no hint"]
    assert first.right_answer == "the_gold_1"
    assert found.flips[1].after.condition == "none-of-them in the instruction"

    # Nor is an answer without a score wrong, and what was wrong from the start is none.
    rows.loc[rows["hint"] == HINTS[1], "correct"] = math.nan
    assert flips_of(rows).flips[0].after.condition == "none-of-them in the instruction"
    assert not flips_of(observed(right=lambda hint, i: False)).flips


def test_models_and_subsets_take_turns_and_few_are_shown():
    one = observed("acme/a", lambda hint, i: hint == "with_gold", items=9)
    two = observed("acme/b", lambda hint, i: hint == "with_gold", items=9)
    found = flips_of(pd.concat([one, two], ignore_index=True))
    assert (found.n_found, len(found.flips)) == (36, MOST)
    assert [f.model.label for f in found.flips[:4]] == ["acme/a", "acme/b"] * 2
    assert [f.subset for f in found.flips[:4]] == ["MC-Test", "MC-Test", "BANK-77", "BANK-77"]
    assert len({f.id for f in found.flips}) == MOST


@pytest.fixture
def opened(run, tmp_path):
    # The prompts of hard questions are longer than what is shown of one.
    run("askew/knowno", "respondent/agreeable", task_args={"items": 6, "tier": "core"})
    observations = Study.read(str(tmp_path / "logs"), quiet=True)
    return observations.rows, with_transcripts(flips_of(observations.rows))


def test_prompts_and_replies_come_from_the_log(opened):
    _, found = opened
    assert len(found.flips) == 6
    for flip in found.flips:
        assert flip.before.prompt.startswith("Task:")
        assert flip.before.reply
        assert flip.before.answer in flip.before.prompt
        joined = "".join(t for kind, t in flip.difference if kind != "del")
        assert all(words in joined for words in ("none-of-them", "Your answer:"))
        dropped = "".join(t for kind, t in flip.difference if kind == "del")
        assert flip.right_answer in dropped


def test_a_deleted_log_is_reported_and_does_not_stop_the_report(opened, tmp_path):
    observations, _ = opened
    for log in (tmp_path / "logs").iterdir():
        log.unlink()
    found = with_transcripts(flips_of(observations))
    assert all("could not be read" in f.before.unread and not f.difference for f in found.flips)
    assert all(f.before.answer for f in found.flips)


def test_observations_without_logs_explain_the_missing_transcript():
    found = with_transcripts(flips_of(observed()))
    assert {f.after.unread for f in found.flips} == {"the observations do not say where the log is"}


def test_a_difference_contains_both_prompts():
    before = "Task: pick.\n\nA: one\nB: two\nC: three\n\nlabels: x, y, z\n"
    after = "Task: pick, or none.\n\nA: one\nB: three\n\nlabels: x, z\n"
    parts = prompt_difference(before, after)
    assert "".join(t for kind, t in parts if kind != "ins") == before
    assert "".join(t for kind, t in parts if kind != "del") == after
    assert {("del", "B: two\nC: three\n"), ("ins", "B: three\n")} <= {*parts}
    assert "".join(t for kind, t in parts if kind == "ins") == "pick, or none.B: three\n"


def test_equal_prompts_have_no_difference_and_long_shared_parts_are_shortened():
    text = "".join(f"line {i}\n" for i in range(300))
    ((kind, said),) = prompt_difference(text, text)
    assert (kind, said[:7], said[-9:]) == ("same", "line 0\n", "line 299\n")
    assert "shared characters" in said
    assert len(said) < 1_600
    assert [prompt_difference(one, one) for one in ("same", "")] == [[("same", "same")], []]
