"""bend's chapter: what it says of treatments, for which models, and which items it shows."""

import pandas as pd
import pytest

from askew.report.document import Chart, FlipList, Table
from askew.report.report import build_report
from askew.statistics.tables import Interval
from tests.bend.rows import arms, row, table_of

QUICK = Interval(resamples=200)


def chapter_of(rows):
    (chapter,) = build_report(rows, interval=QUICK, transcripts=False).chapters
    return chapter


def blocks_of(chapter, kind):
    return {b.id: b for s in chapter.sections for b in s.blocks if isinstance(b, kind)}


LOST = table_of(*(arms(i, plain=1, repeat=1, order=i % 2, absent=1) for i in range(20)))
KEPT = table_of(*(arms(i, plain=1, repeat=1, order=1) for i in range(20)))
ALL_KEPT = table_of(*(arms(i, plain=1, repeat=1, order=1) for i in range(200)))


def test_the_sentence_names_a_loss_where_it_is_shown():
    (headline,) = chapter_of(LOST).headlines
    assert "a treatment lowers it by 50.0 points" in headline.sentence
    assert headline.finding.sentence.startswith("order: ")
    assert headline.finding.target == "bend-effects-table"
    for rows, said in ((KEPT, "can't tell"), (ALL_KEPT, "not shown: 5.0 points are ruled out")):
        (headline,) = chapter_of(rows).headlines
        assert f"a treatment that lowers it: {said}" in headline.sentence
        assert headline.finding is None


def test_a_missing_tool_is_no_finding():
    rows = table_of(
        *([*arms(i, plain=1, tool_order=1), row(i, "tool_absent", 0, gave_up=1.0)]
          for i in range(20))
    )  # fmt: skip
    chapter = chapter_of(rows)
    (headline,) = chapter.headlines
    assert headline.finding is None
    assert "a treatment that lowers it: can't tell" in headline.sentence
    assert "bend-missing-tools-table" in blocks_of(chapter, Table)


def test_each_model_has_rows_and_a_panel_of_the_arms_that_it_was_asked_in():
    others = table_of(
        *(arms(i, plain=1, format_bolding=0, model="acme/b", subset="other") for i in range(20))
    )
    chapter = chapter_of(pd.concat([LOST, others], ignore_index=True))
    table = blocks_of(chapter, Table)["bend-effects-table"]
    shown = [[r.head for r in group.rows] for group in table.groups]
    assert shown == [["repeat", "order", "absent"], ["format-bolding"]]
    (figure,) = blocks_of(chapter, Chart).values()
    assert len(figure.panels) == 2
    drawn = [str(panel.draw()) for panel in figure.panels]
    assert "format-bolding" in drawn[1]
    assert "format-bolding" not in drawn[0]
    assert len({panel.name for panel in figure.panels}) == 2


def test_sections_are_of_treatments_that_were_asked():
    ids = {s.id for s in chapter_of(LOST).sections}
    assert "bend-absent" in ids
    assert not {"bend-formats", "bend-tools", "bend-suggestion"} & ids


def test_flips_show_the_plain_and_the_bent_answer():
    (flips,) = blocks_of(chapter_of(LOST), FlipList).values()
    assert flips.n_found == 10
    first = flips.flips[0]
    assert [a.condition for a in (first.before, first.after)] == ["plain", "order"]
    assert (first.before.answer, first.after.answer) == ("says 1", "says 0")


@pytest.mark.parametrize("lost", ["plain", "order"])
def test_a_chapter_is_written_of_whatever_is_left(lost):
    rows = LOST[LOST["arm"] != lost]
    chapter = chapter_of(rows)
    assert chapter.headlines
