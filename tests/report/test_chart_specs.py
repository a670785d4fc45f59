"""Charts are filled in without checks: here each is held against Vega-Lite's own schema."""

import altair as alt
import pytest
from jsonschema import ValidationError

from askew.papers import names
from askew.report.chart_files import panels_of
from askew.report.report import build_report
from askew.statistics.tables import Interval
from tests.report.simulated import observed


@pytest.mark.whole
@pytest.mark.parametrize("task", names())
def test_every_chart_of_a_chapter_fits_the_schema(task):
    observations = observed(task, 18, old=("typical", 1))
    report = build_report(observations, interval=Interval(resamples=200))
    drawn = [panel for chapter in report.chapters for _, panel in panels_of(chapter)]
    assert len(drawn) >= 2
    for panel in drawn:
        alt.Chart.from_dict(dict(panel.spec))


def test_a_chart_that_does_not_fit_would_be_noticed():
    with pytest.raises(ValidationError):
        alt.Chart.from_dict({"mark": "squiggle", "encoding": {"x": {"field": "a", "type": "odd"}}})
