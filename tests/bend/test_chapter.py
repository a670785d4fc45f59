"""bend's chapter: what it says of treatments, for which models, and which items it shows."""

import random

import pytest

from askew.report.blocks import Decision, Table
from askew.report.report import make_summary, simultaneous_verdicts
from tests.bend.rows import arms, row, table_of
from tests.cases import cases
from tests.chapters import blocks_of, chapter_of

LOST = table_of(*(arms(i, plain=1, repeat=1, order=i % 2, absent=1) for i in range(20)))
KEPT = table_of(*(arms(i, plain=1, repeat=1, order=1) for i in range(20)))
ALL_KEPT = table_of(*(arms(i, plain=1, repeat=1, order=1) for i in range(200)))


def test_the_sentence_names_a_loss_where_it_is_shown():
    headline, *_ = chapter_of(LOST).headlines
    assert headline.label == "Effect, order"
    assert "points from a plain score of 100.0%." in headline.sentence
    assert headline.detected_finding.startswith("The treatment order lowers the score by 50.0 ")
    for rows, said in (
        (KEPT, "Inconclusive: "),
        (ALL_KEPT, "Negligible: the 95% CI excludes 5.0 points."),
    ):
        headline, *_ = chapter_of(rows).headlines
        assert said in headline.sentence


def test_a_missing_tool_is_no_finding():
    rows = table_of(
        *([*arms(i, plain=1, tool_order=1), row(i, "tool_absent", 0, gave_up=1.0)]
          for i in range(20))
    )  # fmt: skip
    chapter = chapter_of(rows)
    (headline,) = chapter.headlines
    assert headline.label == "Effect, tool_order"
    assert "Inconclusive: " in headline.sentence
    assert "bend-missing-tools-table" in blocks_of(chapter, Table)


@pytest.mark.parametrize("lost", ["plain", "order"])
def test_a_section_is_written_for_the_arms_that_are_left(lost):
    assert chapter_of(LOST[LOST["arm"] != lost]).headlines


def reworded(rng, losses, n_items=80):
    """Headlines of a suggestion and two wordings that each lose a share of the correct answers."""
    rows = []
    for i in range(n_items):
        right = rng.random() < 0.7
        for arm in ("plain", "repeat", "wording-1", "wording-2", "suggestion"):
            kept = right != (rng.random() < 0.1) and rng.random() >= losses.get(arm[:7], 0)
            rows.append(row(i, arm, float(kept), treatment=arm.partition("-")[0]))
    return chapter_of(table_of(*rows))


def test_a_page_shows_the_treatment_that_it_tests_also_where_holms_correction_leaves_it_open():
    chapter = reworded(random.Random(11), {"suggest": 0.2})
    page = simultaneous_verdicts([chapter], [model := chapter.headlines[0].model])
    (cell,) = make_summary(page, [model], Decision()).rows[0].cells
    assert (cell.headline.label, cell.headline.word) == ("Effect, suggestion", "suggestive")


@cases("losses", "detected")
def test_a_treatment_is_detected_beyond_rewordings_of_which_all_have_one_line(losses, detected):
    found = {h.label: h for h in reworded(random.Random(1), losses).headlines}
    assert {label for label, one in found.items() if one.word == "detected"} == {*detected}
    assert "Effect, wording-1" not in found
    assert "points from the rewordings" in found["Effect, suggestion"].sentence
    if losses == {"suggest": 0.5, "wording": 0.5}:
        assert "not detected beyond a harmless rewording" in found["Effect, suggestion"].sentence


@pytest.mark.parametrize(("share", "word"), [(2, "detected"), (100, "inconclusive")])
def test_a_preference_for_the_first_tool_has_a_line_and_a_verdict_of_its_own(share, word):
    """The score is of either tool, so nothing else differs."""
    rows = []
    for i in range(60):
        used = "b" if i % share == 1 else "a"
        rows.append(row(i, "plain", 1, "a", first_tool="a", used_tool="a"))
        rows.append(row(i, "repeat", 1, "a", first_tool="a", used_tool="a"))
        rows.append(row(i, "tool_order", 1, "a", first_tool="b", used_tool=used))
    found = {h.metric: h for h in chapter_of(table_of(*rows)).headlines}
    assert found["first_tool_preference"].word == word
    assert found["beyond_noise"].word != "detected"
    told = found["first_tool_preference"].detected_finding
    assert (word != "detected") or told.startswith("The model calls the first tool 50.0 points (")
