"""One log whose values make no sense hides no other, and no request is met by leaving logs out."""

import logging

import pandas as pd
import pytest

from askew.decide.simulation import simulation
from askew.report.report import write_report
from askew.report.study import Study
from askew.stats.tables import Interval

QUICK = Interval(resamples=60)


@pytest.fixture(scope="module")
def good():
    made = simulation("format_bias", items=20, category="list").observations("typical", 1)
    return made.assign(model="x/good", model_name="x/good", log="good.eval")


@pytest.fixture(scope="module")
def both(good):
    """A detail of the second log lies outside of its range, which no reader checks."""
    bad = {"model": "x/bad", "model_name": "x/bad", "log": "bad.eval", "map_as_published": -3.0}
    return Study(pd.concat([good, good.assign(**bad)], ignore_index=True))


def test_a_log_of_which_no_report_can_be_made_is_left_out_and_named(good, both, tmp_path, caplog):
    with pytest.raises(ValueError, match="math domain error"):
        both.summary(QUICK)
    with caplog.at_level(logging.WARNING, logger="askew"):
        page = write_report(both, tmp_path / "both.html", interval=QUICK).read_text("utf-8")
    assert "bad.eval" in page
    assert "bad.eval" in caplog.text
    both_as_csv = write_report(both, tmp_path / "both.csv", interval=QUICK)
    alone_as_csv = write_report(Study(good), tmp_path / "alone.csv", interval=QUICK)
    assert both_as_csv.read_bytes() == alone_as_csv.read_bytes()


def test_a_fault_of_two_logs_together_is_no_fault_of_one_and_writes_nothing(
    good, tmp_path, monkeypatch
):
    study = Study(pd.concat([good, good.assign(log="again.eval")], ignore_index=True))

    alone = Study.ceilings

    def fail_together(self, interval):
        if self.rows["log"].nunique() > 1:
            raise RuntimeError("together")
        return alone(self, interval)

    monkeypatch.setattr(Study, "ceilings", fail_together)
    with pytest.raises(RuntimeError, match="together"):
        write_report(study, tmp_path / "out.md", interval=QUICK)
    assert not [*tmp_path.iterdir()]
