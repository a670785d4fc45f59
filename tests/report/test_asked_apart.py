"""Models of one task that were asked differently stand side by side with a mark and the reason."""

import pandas as pd
import pytest

from askew.report.blocks import Figure, Table
from askew.report.report import build_report
from askew.stats.tables import Interval
from tests.report.logged import logged
from tests.report.observed import observed

HOT = {"config.temperature": 1.0}


def report(**settings):
    models = pd.concat([observed(f"acme/{m}") for m in ("one", "two", "three")])
    return build_report(logged(models, **settings), interval=Interval(resamples=50))


@pytest.fixture(scope="module")
def marked():
    return report(two=HOT)


def blocks(of, kind):
    return [b for c in of.chapters for s in c.sections for b in s.blocks if isinstance(b, kind)]


def test_the_name_has_a_mark_in_every_table_with_a_note_on_why(marked):
    shown = [
        t for t in blocks(marked, Table) if "two" in str([r.head for g in t.groups for r in g.rows])
    ]
    assert shown
    for table in shown:
        heads = {row.head for group in table.groups for row in group.rows}
        assert not {"two", "one †", "three †"} & heads
        assert "temperature" in table.notes["†"]


def test_its_summary_names_the_differing_setting(marked):
    said = {h.model.label: h.sentence for c in marked.chapters for h in c.headlines}
    assert "temperature 1.0 (not 0.0)" in said["acme/two"]
    assert "not 0.0" not in said["acme/one"]
    assert [len(row.cells) for row in marked.document.parts[0].summary_table.rows] == [1, 1, 1]


def test_models_with_equal_settings_have_no_mark():
    plain = report()
    assert not any("†" in str(b) for b in blocks(plain, Table))
    assert not any("†" in c.reading for c in blocks(plain, Figure))
