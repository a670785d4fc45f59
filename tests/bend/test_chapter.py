"""bend's chapter: what it says of treatments, for which models, and which items it shows."""

import pytest

from askew.report.blocks import Table
from tests.bend.rows import arms, row, table_of
from tests.chapters import blocks_of, chapter_of

LOST = table_of(*(arms(i, plain=1, repeat=1, order=i % 2, absent=1) for i in range(20)))
KEPT = table_of(*(arms(i, plain=1, repeat=1, order=1) for i in range(20)))
ALL_KEPT = table_of(*(arms(i, plain=1, repeat=1, order=1) for i in range(200)))


def test_the_sentence_names_a_loss_where_it_is_shown():
    headline, *_ = chapter_of(LOST).headlines
    assert "Largest loss 50.0 points (" in headline.sentence
    assert headline.finding.startswith("order: ")
    for rows, said in (
        (KEPT, "Inconclusive: "),
        (ALL_KEPT, "Negligible: the 95% CI excludes 5.0 points."),
    ):
        headline, *_ = chapter_of(rows).headlines
        assert said in headline.sentence
        assert not headline.finding


def test_a_missing_tool_is_no_finding():
    rows = table_of(
        *([*arms(i, plain=1, tool_order=1), row(i, "tool_absent", 0, gave_up=1.0)]
          for i in range(20))
    )  # fmt: skip
    chapter = chapter_of(rows)
    (headline,) = chapter.headlines
    assert not headline.finding
    assert "Inconclusive: " in headline.sentence
    assert "bend-missing-tools-table" in blocks_of(chapter, Table)


@pytest.mark.parametrize("lost", ["plain", "order"])
def test_a_section_is_written_for_the_arms_that_are_left(lost):
    rows = LOST[LOST["arm"] != lost]
    chapter = chapter_of(rows)
    assert chapter.headlines
