"""What is declared of format bias is what is used: categories, formats, metrics, treatments."""

from askew.metrics import format_bias as numbers
from askew.papers.format_bias.paper import METRICS, PAPER
from askew.stats.tables import Interval
from tests.numbers_told import analyses
from tests.papers.format_bias.test_chapter import asked


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
