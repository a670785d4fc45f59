"""Variance in parts: what was planted comes back, and the best design follows from it."""

import math

import numpy as np
import pandas as pd
import pytest

from askew.statistics.variance import PARTS, Design, Part, Split, splits, variance_split

PLANTED = dict(zip(PARTS, (0.3, 0.1, 0.15, 0.2), strict=True))


def _answers(rng, items: int, wordings: int, epochs: int, planted=PLANTED) -> pd.DataFrame:
    item, wording, both, again = planted.values()
    y = 0.5 + rng.normal(0, item, (items, 1, 1)) + rng.normal(0, wording, (1, wordings, 1))
    y = (
        y
        + rng.normal(0, both, (items, wordings, 1))
        + rng.normal(0, again, (items, wordings, epochs))
    )
    i, j, k = (a.ravel() for a in np.indices(y.shape))
    return pd.DataFrame({"subset": "a", "item": i, "way": j, "epoch": k, "score": y.ravel()})


def test_planted_parts_come_back_with_honest_intervals():
    rng = np.random.default_rng(0)
    splits = [variance_split(_answers(rng, 40, 6, 2), "score", "way") for _ in range(80)]
    for name, deviation in PLANTED.items():
        parts = [s.parts[name] for s in splits]
        assert np.mean([p.value for p in parts]) == pytest.approx(deviation**2, rel=0.15)
        held = np.mean([p.low <= deviation**2 <= p.high for p in parts])
        assert held >= 0.9


@pytest.mark.whole
def test_a_wording_that_was_not_asked_lies_where_it_is_said_to():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        rows = _answers(rng, 20, 6, 1)
        unseen = rows["way"] == 5
        low, high = variance_split(rows[~unseen], "score", "way").elsewhere()
        held += low <= rows.loc[unseen, "score"].mean() <= high
    assert 0.9 <= held / 200 <= 0.99


def test_one_epoch_leaves_resampling_within_the_interaction():
    split = variance_split(_answers(np.random.default_rng(2), 300, 8, 1), "score", "way")
    both = PLANTED["item x wording"] ** 2 + PLANTED["resampling"] ** 2
    assert split.parts["item x wording"].value == pytest.approx(both, rel=0.1)
    assert split.parts["resampling"].value == 0
    assert "one epoch" in split.parts["resampling"].reason


def test_items_that_were_not_scored_throughout_are_left_out():
    rows = _answers(np.random.default_rng(3), 10, 3, 2)
    rows.loc[0, "score"] = np.nan
    split = variance_split(rows.drop(index=30), "score", "way")
    assert (split.asked.items, split.n_dropped) == (8, 2)


def test_too_little_gives_a_reason_and_no_number():
    one = _answers(np.random.default_rng(4), 10, 1, 2)
    split = variance_split(one, "score", "way")
    assert "wordings" in split.reason
    assert all(math.isnan(part.value) and part.reason for part in split.parts.values())
    assert split.elsewhere() == pytest.approx((math.nan, math.nan), nan_ok=True)
    with pytest.raises(ValueError, match="no column way"):
        variance_split(one.drop(columns="way"), "score", "way")


def test_the_best_design_has_the_smallest_error_the_budget_allows():
    rng = np.random.default_rng(5)
    split = variance_split(_answers(rng, 60, 8, 3), "score", "way")
    most = Design(200, 12, 4)
    best = split.best(240, most)
    assert best.replies <= 240
    others = [
        Design(items, wordings, epochs)
        for wordings in range(1, 13) for epochs in range(1, 5)
        for items in range(1, 201, 7) if items * wordings * epochs <= 240
    ]  # fmt: skip
    assert split.error(best) <= min(split.error(d) for d in others) + 1e-9
    # Where items are few, asking again is what is left to buy.
    assert split.best(240, Design(5, 3, 16)) == Design(5, 3, 16)


def test_the_error_of_a_design_is_what_runs_of_it_show():
    rng = np.random.default_rng(6)
    means = [_answers(rng, 20, 4, 2)["score"].mean() for _ in range(500)]
    split = variance_split(_answers(rng, 400, 40, 3), "score", "way")
    assert split.error(Design(20, 4, 2)) == pytest.approx(float(np.std(means)), rel=0.15)


def test_the_error_of_a_design_by_hand():
    values = dict(zip(PARTS, (0.36, 0.08, 0.24, 0.48), strict=True))
    parts = {name: Part(value) for name, value in values.items()}
    split = Split(0.5, Design(9, 4, 2), 0, 0.1, parts)
    design = Design(6, 4, 2)
    # Items 0.36/6, both 0.24/24, asked again 0.48/48; over wordings at large 0.08/4 more.
    assert split.error(design) == pytest.approx(math.sqrt(0.06 + 0.01 + 0.01 + 0.02))
    assert split.error(design, other_wordings=False) == pytest.approx(math.sqrt(0.08))


def test_sets_of_items_with_wordings_of_their_own_come_in_the_order_they_are_met():
    rng = np.random.default_rng(8)
    first = _answers(rng, 4, 2, 2).assign(subset="z")
    then = _answers(rng, 5, 3, 2).assign(subset="a")
    for parts in ([first, then], [then, first]):
        found = splits(pd.concat(parts, ignore_index=True), "score", ["way"])
        assert [rows["subset"].unique().tolist() for rows, _ in found] == [
            [part["subset"].iloc[0]] for part in parts
        ]
        assert [s.asked.wordings for _, s in found] == [p["way"].nunique() for p in parts]
