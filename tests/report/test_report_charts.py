"""Charts as files of their own, and the claims that they draw."""

import json
import math
from xml.etree import ElementTree

import pandas as pd
import pytest

from askew.report.blocks import Panel
from askew.report.charts import LIGHT, Point, by_name, fallback_svg
from askew.report.estimates import Estimate
from askew.report.report import export_charts
from askew.report.study import Study
from askew.schema import MISSING, PERCENT
from tests.report.observed import observed

SCALE = (0.0, 100.0)
POINT = Point("acme", "measured", Estimate(0.5, 0.4, 0.6, 20))
PRINTED = Point("GPT-4 (published)", "published", Estimate(0.7))
UNASKED = Point("other", "measured", Estimate(math.nan, reason="not asked: no_hint"))


def drawn(spec) -> str:
    return fallback_svg(Panel("name", "title", lambda: spec))


def texts(svg: str) -> list[str]:
    return ["".join(t.itertext()) for t in ElementTree.fromstring(svg).iterfind(".//{*}text")]


def test_every_chart_is_written_as_a_self_contained_file(tmp_path):
    both = pd.concat([observed(), observed("respondent/typical")])
    written = export_charts(Study(both), tmp_path / "charts")
    assert len(written) == len(set(written)) > 10
    for path in written:
        svg = path.read_text(encoding="utf-8")
        assert "var(" not in svg
        assert LIGHT["surface"] in svg
        said = " ".join(texts(svg))
        assert "simulated: typical" in said
        assert "typical (simulated)" in said
    names = {p.name for p in written}
    assert {"knowno-omni-mctest.svg", "knowno-gap-all.svg"} <= names


def test_an_interval_plot_draws_values_and_names_missing_ones():
    spec = by_name("intervals", [POINT, PRINTED, UNASKED], PERCENT, SCALE)
    said = texts(drawn(spec))
    assert {"acme", "GPT-4 (published)", "other"} <= set(said)
    assert f"{MISSING} not asked: no_hint" in said
    rows = spec["data"]["values"]
    assert {"value": 50.0, "low": 40.0, "high": 60.0}.items() <= rows[0].items()
    assert "$schema" not in spec
    assert "http" not in json.dumps(spec)


@pytest.mark.parametrize(
    "name",
    ["<script>alert(1)</script>", "a & b", "'\"`", "x" * 500, "[a](b)", "a\x00b", "a\u2028b"],
)
def test_names_are_text_in_pictures(name):
    point = Point(name, "measured", Estimate(0.5, 0.4, 0.6, 3))
    svg = drawn(by_name("intervals", [point], PERCENT, SCALE))
    assert "<script" not in svg
    ElementTree.fromstring(svg)
