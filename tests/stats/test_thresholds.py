"""Thresholds: true ones are found, and where there is none the words say why."""

import numpy as np
import pandas as pd
import pytest

from askew.stats.thresholds import fit_curves
from benchmarks.thresholds import GUESS, thresholds, world
from tests.cases import cases

LEVELS = range(1, 11)


def rows_of(shares: dict[str, list[float]], levels=LEVELS, n: int = 20) -> pd.DataFrame:
    """So many items per level, of which a share is right, by condition."""
    return pd.DataFrame([
        {"item": f"{at}-{i}", "cluster": f"c{(at + i) % 13}", "difficulty": at, "condition": name,
         "right": float(i < share * n), "guess": GUESS}
        for name, of in shares.items() for at, share in zip(levels, of, strict=True)
        for i in range(n)
    ])  # fmt: skip


def curve(threshold: float, slope: float = 1.2, guess: float = GUESS) -> list[float]:
    return [guess + (1 - guess) / (1 + np.exp(-slope * (threshold - at))) for at in LEVELS]


def test_fit_comes_back_to_the_curve_that_the_shares_lie_on():
    for threshold in (2.5, 5.5, 8.25):
        right = np.array([curve(threshold)])
        found = fit_curves(right, np.ones_like(right), np.arange(1.0, 11), GUESS)[0]
        assert found == pytest.approx([threshold], abs=1e-4)


def test_fit_maximises_the_likelihood():
    rng = np.random.default_rng(2)
    right = rng.binomial(20, curve(5.0)).astype(float)
    asked = np.full((1, 10), 20.0)
    (best,), _ = fit_curves(right[None], asked, np.arange(1.0, 11), GUESS)

    def likelihood(threshold: float, slope: float) -> float:
        p = np.array(curve(threshold, slope))
        return float(right @ np.log(p) + (20 - right) @ np.log(1 - p))

    grid = [(likelihood(t, s), t) for t in np.arange(3, 7, 0.05) for s in np.arange(0.2, 5, 0.1)]
    assert best == pytest.approx(max(grid)[1], abs=0.06)


def test_true_threshold_and_shift_are_found_with_missing_cells_and_clusters():
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        rows = world(rng, LEVELS, 5.5, -2.0, 1.5, clusters=26, alike=0.5, missing=0.1)
        told = thresholds(rows)
        at, by = told["control"], told["shift_treated"]
        assert by.n_items < at.n_items < 200
        found.append((at.value, by.value, by.p_value < 0.05, by.low <= -2 <= by.high))
    at, by, detected, covered = zip(*found, strict=True)
    assert np.median(at) == pytest.approx(5.5, abs=0.3)
    assert np.median(by) == pytest.approx(-2.0, abs=0.4)
    assert sum(detected) >= 10
    assert sum(covered) >= 9


@cases("shares", "why")
def test_where_no_curve_fits_the_reason_is_in_words(shares, why):
    found = thresholds(rows_of({"a": shares}), "a")["a"]
    assert why in found.reason
    assert np.isnan([found.value, found.low, found.high]).all()


def test_fewer_than_three_levels_or_too_few_clusters_give_no_number():
    found = thresholds(rows_of({"a": [0.9, 0.4]}, levels=(4, 5)), "a")["a"]
    assert "2 levels of difficulty" in found.reason
    rows = rows_of({"a": curve(5.5)}).assign(cluster="one")
    assert "too few clusters" in thresholds(rows, "a")["a"].reason
    two = (rows_of({c: curve(5.5)}).query(f"difficulty % 2 == {i}") for i, c in enumerate("ab"))
    assert thresholds(pd.concat(two), "a")["shift_b"].reason.startswith("0 levels")


def test_floors_that_differ_by_condition_and_level_leave_threshold_and_shift_unbiased():
    found = []
    for seed in range(20):
        rng, rows = np.random.default_rng(seed), []
        for name, at in (("control", 6.0), ("treated", 5.0)):
            table = rows_of({name: [0.0] * len(LEVELS)}, n=40)
            kind = table["item"].str.split("-").str[1].astype(int) % 2
            # Half of the control's items offer four options; under the treatment none can be right.
            table["guess"] = np.where((name == "control") & (kind == 0), 0.25, 0.0)
            knows = 1 / (1 + np.exp(-1.2 * (at - table["difficulty"])))
            chance = table["guess"] + (1 - table["guess"]) * knows
            rows.append(table.assign(right=(rng.random(len(table)) < chance).astype(float)))
        both = pd.concat(rows)
        told = thresholds(both)
        found.append((told["control"].value, told["shift_treated"].value))
    assert np.mean(found, axis=0) == pytest.approx([6.0, -1.0], abs=0.15)


def test_a_step_between_two_levels_may_lie_anywhere_between_them():
    step = {"control": [1.0] * 5 + [GUESS] * 5, "treated": [1.0] * 6 + [GUESS] * 4}
    told = thresholds(rows_of(step, n=21))
    assert told["control"].low < 5.2 < 5.9 < told["control"].high
    assert told["shift_treated"].low < 0.1 < 1.9 < told["shift_treated"].high
    assert told["shift_treated"].p_value > 0.01
