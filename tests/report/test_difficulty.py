"""Levels of difficulty on the page: accuracy, effects and thresholds, or why there are none."""

import numpy as np
import pandas as pd
import pytest

from askew.papers import get_paper
from askew.report.accounting import level_records, levels_to_ask, threshold_records
from askew.report.report import build_report
from askew.report.study import Study
from askew.stats.tables import Interval
from tests.cases import cases

QUICK = Interval(resamples=200)


@pytest.fixture(scope="module")
def rows():
    """A table of generated scenarios, with replies whose accuracy falls with the level."""
    made = get_paper("mathcomp").make(
        data="generated", difficulty="1-10", items=200, framing="term=none+more,position=end"
    )
    return [sample.metadata | {"sample": sample.id} for sample in made.dataset]


def study_of(rows, threshold: dict[str, float]) -> Study:
    table = pd.DataFrame(rows).assign(model="m", model_name="m", epoch=1, outcome="ok")
    at = table["style"].map(lambda style: threshold.get(style, 6.0))
    chance = 1 / 3 + 2 / 3 / (1 + np.exp(-1.5 * (at - table["difficulty"])))
    right = np.random.default_rng(4).random(len(table)) < chance
    answers = np.where(right, table["gold"], table["gold"].map(
        {"more": "less", "less": "equal", "equal": "more"}))  # fmt: skip
    return Study(table.assign(correct=right.astype(float), answer=answers, correct_strict=right,
                              correct_lenient=right, answered=1.0, yes_no=0.0, frame_echo=0.0,
                              frames_words=0.0, strict_answer=answers, lenient_answer=answers,
                              status="scored", run="r", log="",
                              sample_id=table["sample"]))  # fmt: skip


def test_page_shows_thresholds_with_their_shifts_and_each_level(rows):
    study = study_of(rows, {"neutral": 7.0, "direct": 4.0})
    found = {r["condition"]: r for r in threshold_records(study, QUICK)}
    assert found["neutral"]["shift"] == "control"
    assert float(found["neutral"]["threshold"].split()[0]) == pytest.approx(7.0, abs=0.7)
    assert float(found["direct"]["shift"].split()[0]) == pytest.approx(-3.0, abs=1.0)
    assert float(found["direct"]["p"].lstrip("< ")) < 0.05
    levels = [r for r in level_records(study, QUICK) if r["condition"] == "direct"]
    assert [r["level"] for r in levels] == list(range(1, 11))
    assert all(r["effect"] != "control" and r["n"] == 20 for r in levels)
    parts = {part.id: part for part in build_report(study, interval=QUICK).document.parts}
    assert [b.id for b in parts["difficulty"].sections[0].blocks] == ["levels", "thresholds"]


def test_page_states_why_a_model_at_its_ceiling_has_no_threshold(rows):
    study = study_of(rows, dict.fromkeys(("neutral", "direct", "indirect"), 30.0))
    found = threshold_records(study, QUICK)
    assert {r["threshold"].split("; ")[-1] for r in found} == {"run higher levels)"}


def test_a_condition_without_every_label_has_a_reason_for_no_threshold():
    made = get_paper("instruction_boundary").make(
        data="generated", difficulty="1-10", items=100, setting="vanilla,missing_choices"
    )
    table = pd.DataFrame([s.metadata | {"sample": s.id} for s in made.dataset])
    chance = 1 / 3 + 2 / 3 / (1 + np.exp(table["difficulty"] - 6))
    right = np.random.default_rng(2).random(len(table)) < chance
    study = Study(
        table.assign(model="m", model_name="m", correct=right.astype(float), outcome="ok")
    )
    found = {r["condition"]: r for r in threshold_records(study, QUICK)}
    assert 5 < float(found["vanilla"]["threshold"].split()[0]) < 7
    assert "one label is not offered" in found["missing_choices"]["threshold"]
    assert "one label is not offered" in found["missing_choices"]["shift"]


@cases("threshold", "asked", "wanted")
def test_next_levels_are_those_at_which_effects_show(rows, threshold, asked, wanted):
    own = [row for row in rows if row["difficulty"] in range(*asked)]
    study = study_of(own, dict.fromkeys(("neutral", "direct"), threshold))
    assert {one["difficulty"] for one in levels_to_ask(study, "mathcomp")} <= {*wanted}


def test_an_effect_rests_on_the_items_that_a_condition_shares_with_the_control(rows):
    halves = [
        row for row in rows
        if row["style"] != ("indirect" if row["difficulty"] <= 5 else "direct")
    ]  # fmt: skip
    found = list(level_records(study_of(halves, {}), QUICK))
    effects = {(r["condition"], r["level"]): r["effect"] for r in found}
    assert {of for (name, _), of in effects.items() if name == "neutral"} == {"control"}
    assert not any("control" in str(of) for (name, _), of in effects.items() if name != "neutral")
