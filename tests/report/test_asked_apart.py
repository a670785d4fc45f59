"""Models of one task that were asked differently stand side by side with a mark and the reason."""

from dataclasses import replace

import pandas as pd
import pytest

from askew.report.accounting import incomparable_runs
from askew.report.chapters import worst
from askew.report.document import Chart, Estimate, Table
from askew.report.evidence import flag_settings
from askew.report.report import build_report
from askew.report.tables import MISSING
from askew.report.verdicts import Verdict
from askew.statistics.tables import Interval
from tests.report.logged import logged
from tests.report.observed import observed

ENOUGH = Estimate(0.5, 0.4, 0.6, 40)
HOT = {"config.temperature": 1.0}


def report(**settings):
    models = pd.concat([observed(f"acme/{m}") for m in ("one", "two", "three")])
    return build_report(logged(models, **settings), interval=Interval(resamples=50))


@pytest.fixture(scope="module")
def marked():
    return report(two=HOT)


def blocks(of, kind):
    return [b for c in of.chapters for s in c.sections for b in s.blocks if isinstance(b, kind)]


def test_the_name_carries_a_mark_in_every_table_which_says_why(marked):
    shown = [
        t for t in blocks(marked, Table) if "two" in str([r.head for g in t.groups for r in g.rows])
    ]
    assert shown
    for table in shown:
        heads = {row.head for group in table.groups for row in group.rows}
        assert not {"two", "one †", "three †"} & heads
        assert "temperature" in table.notes["†"]


def test_figures_draw_the_marked_name_and_say_why(marked):
    for chart in blocks(marked, Chart):
        assert "† asked with temperature 1" in chart.reading
        drawn = "".join(str(panel.spec) for panel in chart.panels)
        assert "two †" in drawn
        assert "'two'" not in drawn


def test_a_model_that_was_asked_otherwise_has_no_rank(marked):
    tables = [t for t in blocks(marked, Table) if t.id == "knowno-ranks-table"]
    assert tables
    for ranks in tables:
        rows = {row.head: row.cells for group in ranks.groups for row in group.rows}
        places = {head: {c.text for c in cells if not c.estimate} for head, cells in rows.items()}
        assert MISSING in places["two †"]
        assert MISSING not in places["one"]
        assert not any(place.startswith("3") for place in places["one"] | places["three"])


def test_its_headline_says_how_it_was_asked(marked):
    said = {h.model.label: h.sentence for c in marked.chapters for h in c.headlines}
    assert "temperature 1.0 (not 0.0)" in said["acme/two"]
    assert "not 0.0" not in said["acme/one"]
    (grid,) = marked.document.parts[0].blocks
    assert [len(row.cells) for row in grid.rows] == [1, 1, 1]


def test_models_that_were_asked_alike_carry_no_mark():
    plain = report()
    assert not any("†" in str(b) for b in blocks(plain, Table))
    assert not any("†" in c.reading for c in blocks(plain, Chart))


def test_each_way_of_asking_has_a_mark_of_its_own():
    models = pd.concat([observed(f"acme/{m}", items=1) for m in "abcd"])
    told = logged(models, b=HOT, c={"prompts": "new"}, d=HOT)
    apart = incomparable_runs(told.runs)
    shorts = [m.short for m in flag_settings(told.models, apart)]
    assert shorts == ["a †", "b", "c ‡", "d"]


def test_what_falls_by_rounding_is_no_finding():
    assert worst([(ENOUGH, 1e-15, "equal", "a")], Verdict("shown")) is None
    some = [(ENOUGH, 1e-15, "equal", "a"), (ENOUGH, 0.01, "a fall", "b")]
    assert worst(some, Verdict("shown")).sentence == "a fall"
    assert worst(some, Verdict("can't tell")) is None
    assert worst([(replace(ENOUGH, n_items=5), 0.5, "few", "c")], Verdict("shown")) is None
