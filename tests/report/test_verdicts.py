"""Detected, negligible, inconclusive: one function decides, and no headline says more than it."""

import math
import re

import pytest

from askew.papers import get_paper, names
from askew.report.estimates import (
    DETECTED,
    INCONCLUSIVE,
    NEGLIGIBLE,
    SUGGESTIVE,
    Estimate,
    Verdict,
    items_needed,
    on_page,
    verdict_for,
)
from askew.schema import ENOUGH_ITEMS, POINTS, Metric, Null
from askew.stats.clusters import NoEffect
from tests.cases import cases

TWO_SIDED = Metric("gap", better="nearer zero", unit=POINTS, interval="difference")
NOISY = Metric("cost", better="lower", unit=POINTS, interval="largest", null=Null("setting"))
WHOLE = Estimate(0.9, 0.8, 1.0, 100)


def found(value, low, high, n=100, p=math.nan):
    null = NoEffect(value, 0.02, 0.05, p)
    return Estimate(value, low, high, n, null=null, unit=POINTS)


@pytest.mark.parametrize("task", names())
def test_a_verdict_gives_the_margin_as_it_is(task):
    """A rounded margin would be another than the docs have: 6.2 or 6 squared points."""
    for metric in get_paper(task).metrics:
        said = verdict_for(found(0.0, -1e-6, 1e-6), metric).why
        for number in re.findall(r"excludes ([\d.]+)", said):
            assert float(number) == pytest.approx(metric.margin * metric.unit.factor)


@cases("numbers", "metric", "word")
def test_each_estimate_gets_its_verdict(numbers, metric, word):
    declared = {"gap": TWO_SIDED, "cost": NOISY}[metric]
    assert verdict_for(found(*numbers), declared, WHOLE).word == word


def test_at_the_floor_nothing_is_ruled_out():
    nothing = found(0.0, -0.01, 0.01)
    assert verdict_for(nothing, TWO_SIDED, WHOLE).word == NEGLIGIBLE
    at_floor = verdict_for(nothing, TWO_SIDED, Estimate(0.0, 0.0, 0.1, 100))
    assert at_floor.word == INCONCLUSIVE
    assert "floor" in at_floor.why


def test_of_several_the_clearest_has_to_be_clearer():
    one = found(0.3, 0.2, 0.4, p=0.03)
    assert verdict_for(one, NOISY).detected
    assert not verdict_for(one, NOISY, together=4).detected


def test_the_items_needed_are_named_and_grow_with_the_interval():
    few = verdict_for(found(0.3, 0.2, 0.4, n=6), TWO_SIDED)
    assert (few.needed, "n = 6, " in few.why) == (ENOUGH_ITEMS, True)
    wide, wider = (verdict_for(found(0.0, -w, w), TWO_SIDED, WHOLE) for w in (0.1, 0.2))
    # 100 items reach 10 points; 5 points four times in five take (0.1 x 2.8 / 1.96 / 0.05)^2.
    assert wide.needed == pytest.approx(816, rel=0.05)
    assert wider.needed == pytest.approx(4 * wide.needed, rel=0.05)
    assert f"{wide.needed:,}" in wide.why


def test_the_value_without_an_effect_is_shown_if_known():
    assert found(0.3, 0.2, 0.4).without_effect(TWO_SIDED) == "0.0"
    shown = found(0.3, 0.2, 0.4, p=0.01).without_effect(NOISY)
    assert "95th percentile +5.0; p = 0.010" in shown
    assert not found(0.3, 0.2, 0.4).without_effect(NOISY)
    assert not Estimate(math.nan).without_effect(TWO_SIDED)


def page_of(*p_values):
    cells = [Verdict(DETECTED if p <= 0.05 else INCONCLUSIVE, p_value=p) for p in p_values]
    return [cell.word for cell in on_page(cells)]


def test_verdicts_are_corrected_over_all_cells_of_a_page():
    """Ten cells: Holm asks for 0.05 / 10, then 0.05 / 9; of three of ten one in ten is 0.03."""
    others = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    found = page_of(0.004, 0.02, 0.03, *others)
    assert found == [DETECTED, *[SUGGESTIVE] * 2, *[INCONCLUSIVE] * 7]
    assert page_of(0.004, 0.0055, 0.04, *others) == [DETECTED, DETECTED, *[INCONCLUSIVE] * 8]
    # A cell is none of several where it has no test.
    without = Verdict(INCONCLUSIVE, "6 items, 20 at least", 20)
    both = on_page([without, Verdict(DETECTED, p_value=0.04)])
    assert [c.word for c in both] == [INCONCLUSIVE, DETECTED]
    assert on_page([]) == []


def test_what_is_ruled_out_stays_so_and_what_is_needed_grows_with_the_page():
    ruled = Verdict(NEGLIGIBLE, "5 points are ruled out", p_value=0.01)
    few = verdict_for(found(0.0, -0.1, 0.1, p=0.9), TWO_SIDED, WHOLE)
    said = on_page([ruled, *[few] * 9])
    assert said[0].word == NEGLIGIBLE
    # 0.05 / 10 is 2.81 standard errors, and 80 % power adds 0.84.
    times = ((2.81 + 0.84) / (1.96 + 0.84)) ** 2
    assert said[1].needed == pytest.approx(times * few.needed, rel=0.05)
    assert f"{said[1].needed:,} items needed to detect" in said[1].why


def test_items_for_a_variance_are_those_of_its_f_test():
    """Seven formats: a noncentrality of 13.6 shows four times in five."""
    null = Null("format", "plain")
    spread = Metric("bias_f", better="lower", margin=6.25, interval="variance", null=null)
    none = NoEffect(0.0, 10.0, 10.0 * 12.59 / 6, 0.5)
    items = items_needed(Estimate(9.0, 0.0, 20.0, 60, null=none), spread)
    assert items == pytest.approx(60 * 13.6 / 6 * 10 / 6.25, rel=0.06)
