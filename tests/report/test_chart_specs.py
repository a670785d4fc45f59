"""Charts are filled in without checks: here each is held against Vega-Lite's own schema."""

import json
from collections.abc import Mapping

import altair
import jsonschema
import pytest

from askew.papers import names
from askew.report.charts import panels_of
from askew.report.report import build_report
from askew.report.study import Study
from askew.stats.tables import Interval
from tests.report.simulated import observed


@pytest.mark.whole
@pytest.mark.parametrize("task", names())
def test_every_chart_of_a_section_fits_the_schema(task):
    observations = observed(task, 18, old=("typical", 1))
    report = build_report(Study(observations), interval=Interval(resamples=20))
    drawn = [panel for chapter in report.chapters for _, panel in panels_of(chapter)]
    anchors = (one for c in report.chapters for one in (*c.sections, *c.blocks))
    ids = [id for one in anchors if (id := getattr(one, "id", ""))]
    assert len(ids) == len({*ids})
    # bend has one figure, of a panel a model.
    assert len(drawn) >= (1 if task == "bend" else 2)
    schema = altair.load_schema()
    vega_lite = jsonschema.validators.validator_for(schema)(schema)
    for spec in {json.dumps(shape_of(panel.spec)): panel.spec for panel in drawn}.values():
        vega_lite.validate(spec)


def shape_of(part):
    """A chart's part without its rows, which may be any, and with kinds in the place of numbers."""
    if isinstance(part, Mapping):
        return {name: shape_of(inner) for name, inner in part.items() if name != "data"}
    if isinstance(part, list | tuple):
        return [shape_of(inner) for inner in part]
    return type(part).__name__ if isinstance(part, int | float) else part
