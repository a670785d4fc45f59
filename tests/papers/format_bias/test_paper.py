"""What is declared of format bias is what is used: categories, formats, metrics, treatments."""

import pytest

from askew.metrics import format_bias as numbers
from askew.papers.format_bias.paper import METRICS, PAPER
from askew.papers.format_bias.tasks import format_bias
from askew.reading import formats
from askew.reading.formats import FORMATS, Pair
from askew.respondents.provider import answerer_of
from askew.stats.tables import Interval
from tests.chapters import blocks_of, chapter_of
from tests.numbers_told import analyses
from tests.papers.format_bias.test_chapter import asked

XML = Pair(
    name="tagged_xml", meaning="between <final> and </final>", instruction="Use <final>.",
    opening="<final>", closing="</final>",
)  # fmt: skip


@pytest.fixture
def registered(monkeypatch):
    """A sixteenth format, for one test."""
    before = dict(FORMATS)
    yield formats.register_format(XML)
    formats._formats.clear()
    formats._formats.update(before)


@pytest.mark.whole
def test_a_registered_format_runs_and_is_scored_and_reported(registered):
    factor = PAPER.factor("format")
    assert factor.select("tagged_xml") == ("tagged_xml",)
    assert registered.name not in factor.default
    assert factor.values["tagged_xml"] == "wrapping: between <final> and </final>"
    (sample,) = format_bias(format="tagged_xml", items=1, prompting="zs").dataset
    assert sample.metadata["format_instruction"] == "Use <final>."
    answerer = answerer_of("format_bias")
    truth = {**sample.metadata, "sample_id": sample.id, "epoch": 1, "choices": sample.choices}
    truth["target"] = sample.target
    said = answerer.reply(truth, answerer.of("oracle"), "oracle", 0)
    assert said == f"<final>{sample.target}</final>"
    observed = asked(n=8)
    observed["format"] = observed["format"].replace("brackets", "tagged_xml")
    table = numbers(observed, interval=None)
    assert set(table["format"]) == {"all", "bolding", "tagged_xml", "quoting"}
    shown = blocks_of(chapter_of(observed))["format_bias-wrapping-formats"]
    assert [row.head for row in shown.groups[0].rows] == ["Bolding", "Quoting", "Tagged xml"]


def test_intervals_are_made_as_declared():
    """One kind for each metric; a mean over cells is no rate any more."""
    rows = asked(n=8).assign(map_as_published=0.5, format_ok_as_published=1.0)
    (analysis,) = analyses(numbers, rows)
    found = analysis.statistic(analysis.table.point())
    for (metric, subset, _, name, prompting, *_), quantity in found.items():
        is_cell = "all" not in (subset, name, prompting)
        declared = PAPER.metric(metric)
        is_rate = declared.interval == "rate" and is_cell
        assert (quantity.interval == "rate") == is_rate, metric
    resampled = numbers(rows, interval=Interval(resamples=50))
    without = set(resampled.loc[resampled["low"].notna(), "metric"])
    assert without == {m.name for m in METRICS if m.interval != "none"}
