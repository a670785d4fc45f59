"""Charts as files of their own, and the claims that they draw."""

import json
import math
from xml.etree import ElementTree

import pandas as pd
import pytest

from askew.report.blocks import Figure, Panel
from askew.report.charts import (
    DARK,
    LIGHT,
    Point,
    by_name,
    colour,
    fallback_svg,
    resolve_colours,
    standalone,
    style_variables,
)
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
    return [
        "".join(t.itertext()) for t in ElementTree.fromstring(svg).iter() if t.tag.endswith("}text")
    ]


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


def test_long_names_keep_the_marks_and_settings_at_their_end():
    names = [
        f"a-model-of-{'very-' * 12}long-name (effort={e}) (simulated)" for e in ("low", "high")
    ]
    points = [Point(n, "simulated", Estimate(0.5, 0.4, 0.6, 3)) for n in names]
    said = texts(drawn(by_name("intervals", points, PERCENT, SCALE)))
    assert any("effort=low" in t and "(simulated)" in t for t in said)
    assert any("effort=high" in t and "(simulated)" in t for t in said)


@pytest.mark.parametrize(
    "name",
    ["<script>alert(1)</script>", "a & b", "'\"`", "x" * 500, "[a](b)", "a\x00b", "a\u2028b"],
)
def test_names_are_text_in_pictures(name):
    svg = drawn(
        by_name("intervals", [Point(name, "measured", Estimate(0.5, 0.4, 0.6, 3))], PERCENT, SCALE)
    )
    assert "<script" not in svg
    ElementTree.fromstring(svg)


def test_a_nul_in_any_text_of_a_chart_ends_no_process():
    spec = {**by_name("intervals", [Point("a", "measured", Estimate(0.5, 0.4, 0.6, 3))], PERCENT,
                      SCALE)}  # fmt: skip
    panel = Panel("p", "title\x00", lambda **_: spec)
    figure = Figure("f", "caption\x00", "read\x00 it", (), (panel,), ("m\x00",))
    ElementTree.fromstring(standalone(figure, panel, "svg"))


def test_both_schemes_have_every_colour_and_enough_contrast():
    assert LIGHT.keys() == DARK.keys()
    for colours in (LIGHT, DARK):
        for name in ("ink", "soft", "accent", "without", "alarm", "published"):
            for ground in ("paper", "surface"):
                assert _contrast(colours[name], colours[ground]) >= 4.0, (name, ground)
        for name in ("with", "without", "mark", "published"):
            assert _contrast(colours[name], colours["surface"]) >= 3.0
    assert resolve_colours(colour("ink"), DARK) == DARK["ink"]
    assert "--ink: #" in style_variables(LIGHT)


def _contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, as accessibility guidelines define it."""

    def luminance(code: str) -> float:
        parts = [int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
