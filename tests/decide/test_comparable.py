"""Models that were asked different things can't be compared, unless that is meant."""

import numpy as np
import pytest

from askew.decide.compare import compare
from askew.stats.tables import Interval
from tests.cases import cases, cases_of
from tests.report.logged import logged, study_of
from tests.report.simulated import observed as simulated

QUICK = Interval(resamples=200)


@pytest.fixture(scope="module")
def pair():
    return simulated("knowno", 30, old=("oracle", 1), new=("random", 2))


def compared(observations, **options):
    return compare(study_of(observations), "x/old", interval=QUICK, **options)


DIFFERENT = cases_of(__file__, "DIFFERENT")


@pytest.mark.whole
@pytest.mark.parametrize("what", DIFFERENT)
def test_models_with_different_settings_are_not_comparable(pair, what):
    apart = logged(pair, new=DIFFERENT[what])
    table = compared(apart).table
    assert set(table["verdict"]) == {"not comparable"}
    assert table["reason"].str.contains(f"--allow-diff {what}").all()
    for column in ("difference", "low", "high", "p_value", "p_corrected", "p_equal"):
        assert table[column].isna().all()
    assert table["model_value"].notna().any()
    meant = compared(apart, allow_diff=[what])
    assert "worse" in set(meant.table["verdict"])
    assert any("across" in note for note in meant.notes)


@pytest.mark.whole
@cases("settings")
def test_what_bears_on_no_question_keeps_models_comparable(pair, settings):
    assert "worse" in set(compared(logged(pair, new=settings)).table["verdict"])


@pytest.mark.whole
def test_models_that_can_not_be_compared_do_not_weigh_on_the_others():
    three = simulated("knowno", 30, old=("typical", 1), new=("oracle", 2), odd=("random", 3))
    alone = compared(logged(three), models=["x/new"]).table
    among = compared(logged(three, odd=DIFFERENT["temperature"])).table
    among = among[among["model"] == "x/new"]
    assert list(among["p_corrected"]) == pytest.approx(list(alone["p_corrected"]), nan_ok=True)


@pytest.mark.whole
def test_rows_of_one_pair_are_corrected_by_their_resamples():
    """Metrics of the same replies say much the same: Holm's correction is larger."""
    table = compared(simulated("knowno", 30, old=("typical", 1), new=("oracle", 2))).table
    p_values, corrected = (table[c].to_numpy() for c in ("p_value", "p_corrected"))
    order = p_values.argsort()
    holm = np.maximum.accumulate(p_values[order] * range(len(order), 0, -1))
    assert (corrected >= p_values).all()
    assert (corrected[order] <= np.minimum(1.0, holm) + 1e-12).all()
    assert (corrected[order] < 0.8 * holm).any()
