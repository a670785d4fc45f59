"""Variance in parts: what was planted comes back, and the best design follows from it."""

import math

import numpy as np
import pandas as pd
import pytest

from askew.stats.variance import PARTS, Components, Design, Part, splits, variance_split

PLANTED = dict(zip(PARTS, (0.3, 0.1, 0.15, 0.2), strict=True))


def _answers(rng, items: int, wordings: int, epochs: int, planted=PLANTED) -> pd.DataFrame:
    item, wording, both, again = planted.values()
    y = 0.5 + rng.normal(0, item, (items, 1, 1)) + rng.normal(0, wording, (1, wordings, 1))
    y = y + rng.normal(0, both, (items, wordings, 1))
    y = y + rng.normal(0, again, (items, wordings, epochs))
    i, j, k = (a.ravel() for a in np.indices(y.shape))
    return pd.DataFrame({"subset": "a", "item": i, "way": j, "epoch": k, "score": y.ravel()})


def test_intervals_cover_the_true_parts_of_the_variance():
    rng = np.random.default_rng(0)
    splits = [variance_split(_answers(rng, 40, 6, 2), "score", "way") for _ in range(80)]
    for name, deviation in PLANTED.items():
        parts = [s.parts[name] for s in splits]
        assert np.mean([p.value for p in parts]) == pytest.approx(deviation**2, rel=0.15)
        assert np.mean([p.low <= deviation**2 <= p.high for p in parts]) >= 0.9


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


def test_the_error_of_a_design_by_hand():
    split, design = split_of(0.36, 0.08, 0.24, 0.48), Design(6, 4, 2)
    # Items 0.36/6, both 0.24/24, asked again 0.48/48; over wordings at large 0.08/4 more.
    assert split.error(design) == pytest.approx(math.sqrt(0.06 + 0.01 + 0.01 + 0.02))
    assert split.error(design, other_wordings=False) == pytest.approx(math.sqrt(0.08))


# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

# Two items, two wordings, asked twice: means 1 and 1/2, then 1/2 and 0.
TWICE = {(0, 0): [1, 1], (0, 1): [0, 1], (1, 0): [1, 0], (1, 1): [0, 0]}


def rows_of(answers, **more):
    return pd.DataFrame(
        {"subset": "a", "item": item, "way": way, "epoch": epoch, "score": float(score)} | more
        for (item, way), scores in answers.items()
        for epoch, score in enumerate(scores)
    )


def test_a_layout_of_two_by_two_by_hand():
    """Items and wordings lie 1/4 off each way: mean squares 1/2, 1/2, 0 and, of four, 1/4."""
    split = variance_split(rows_of(TWICE), "score", "way")
    assert (split.mean, split.asked, split.n_dropped) == (0.5, Design(2, 2, 2), 0)
    assert split.between == pytest.approx(0.125)
    assert split.reason == ""
    values = {name: part.value for name, part in split.parts.items()}
    # Of the interaction (0 - 1/4) / 2 would be below zero.
    assert tuple(values) == PARTS
    assert [*values.values()] == pytest.approx([0.125, 0.125, 0.0, 0.25])
    assert {part.reason for part in split.parts.values()} == {""}


def test_where_one_wording_more_would_be_seen():
    """Four wordings that vary by 0.1: three degrees, and a fifth of the variance more."""
    split = split_of(0.0, 0.0, 0.0, 0.0)
    half = 3.182446305284 * math.sqrt(0.1 * 5 / 4)
    assert split.elsewhere() == pytest.approx((0.5 - half, 0.5 + half))
    half = 1.637744353696 * math.sqrt(0.1 * 5 / 4)
    assert split.elsewhere(0.8) == pytest.approx((0.5 - half, 0.5 + half), rel=1e-6)
    unknown = Components(0.5, Design(9, 1), 0, math.nan, split.parts, "one")
    assert all(map(math.isnan, unknown.elsewhere()))


def split_of(item, wording, both, again):
    parts = dict(zip(PARTS, map(Part, (item, wording, both, again)), strict=True))
    return Components(0.5, Design(9, 4, 2), 0, 0.1, parts)


def test_the_best_design_is_the_one_with_the_fewest_replies_of_those_as_good():
    most = Design(6, 4, 3)
    # Only items vary: one wording, once.
    assert split_of(0.36, 0.0, 0.0, 0.0).best(72, most) == Design(6, 1, 1)
    # Only wordings do.
    assert split_of(0.0, 0.36, 0.0, 0.0).best(72, most) == Design(6, 4, 1)
    # Unless it is meant over just these.
    over_these = split_of(0.36, 0.36, 0.0, 0.0).best(72, most, other_wordings=False)
    assert over_these == Design(6, 1, 1)
    assert split_of(0.36, 0.36, 0.0, 0.0).best(72, most) == Design(6, 4, 1)
    assert split_of(0.0, 0.0, 0.0, 0.36).best(72, most) == Design(6, 4, 3)
    # What rounding alone would make better is not.
    assert split_of(0.36, 0.0, 0.0, 1e-14).best(72, most) == Design(6, 1, 1)
    assert split_of(0.36, 0.0, 0.0, 1e-9).best(72, most) == Design(6, 4, 3)
    assert split_of(0.36, 0.36, 0.36, 0.36).best(1, most) == Design(1, 1, 1)
    with pytest.raises(ValueError, match="budget=0"):
        split_of(0.36, 0.0, 0.0, 0.0).best(0, most)


def test_replies_of_one_place_count_as_their_mean_and_runs_as_epochs():
    once = rows_of({(i, j): [float(i == j)] for i in range(2) for j in range(2)})
    twice = pd.concat([once, once.assign(score=0.5)], ignore_index=True)
    split = variance_split(twice, "score", "way")
    assert split.asked == Design(2, 2, 1)
    # Means 3/4 and 1/4: all of it is interaction, 4 times 1/16.
    assert split.parts["item x wording"].value == pytest.approx(0.25)
    runs = pd.concat([once.assign(run="1"), once.assign(run="2")], ignore_index=True)
    assert variance_split(runs, "score", "way").asked == Design(2, 2, 2)
    # Items of one name in two subsets are two.
    subsets = pd.concat([once, once.assign(subset="b")], ignore_index=True)
    assert variance_split(subsets, "score", "way").asked.items == 4
    assert variance_split(subsets.drop(columns="subset"), "score", "way").asked.items == 2


def test_items_are_split_by_the_prompt_variants_they_ran_in():
    answers = {
        **{(i, j): [float(i == j)] for i in (5, 3) for j in (0, 1)},
        **{(i, j): [float(i == j)] for i in (1, 4) for j in (1, 2)},
        **{(i, j): [float(i == j)] for i in (2,) for j in (0, 1)},
    }
    found = splits(rows_of(answers).iloc[::-1], "score", ["way", "missing", "epoch"])
    assert [split.asked for _, split in found] == [Design(3, 2, 1), Design(2, 2, 1)]
    assert [{*rows["item"]} for rows, _ in found] == [{2, 3, 5}, {1, 4}]
    for rows, split in found:
        assert split == variance_split(rows, "score", ["way"])
        assert list(rows.columns) == ["subset", "item", "way", "epoch", "score"]


def test_one_wording_alone_is_not_split():
    assert splits(rows_of({(i, 0): [1.0, 0.0] for i in range(3)}), "score", ["way"]) == []
    assert splits(rows_of(TWICE), "score", ["nothing"]) == []
