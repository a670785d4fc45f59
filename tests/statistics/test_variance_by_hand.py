"""Variance in parts, as numbers: sums of squares added up one by one, and designs counted out."""

import math
import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest

from askew.statistics.variance import PARTS, Design, Part, Split, _designs, splits, variance_split

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
    assert values == pytest.approx(
        {"item": 0.125, "wording": 0.125, "item x wording": 0.0, "resampling": 0.25}
    )
    assert tuple(values) == PARTS
    assert {part.reason for part in split.parts.values()} == {""}


def mean_squares(answers):
    """Of items, wordings, both and epochs, with their degrees, in that order."""
    n, m, k = len(answers), len(answers[0]), len(answers[0][0])
    whole = sum(x for item in answers for cell in item for x in cell) / (n * m * k)
    cell = [[sum(answers[i][j]) / k for j in range(m)] for i in range(n)]
    of_item = [sum(cell[i]) / m for i in range(n)]
    of_way = [sum(cell[i][j] for i in range(n)) / n for j in range(m)]
    cells = [*product(range(n), range(m))]
    return {
        "item": (m * k * sum((x - whole) ** 2 for x in of_item), n - 1),
        "wording": (n * k * sum((x - whole) ** 2 for x in of_way), m - 1),
        "both": (
            k * sum((cell[i][j] - of_item[i] - of_way[j] + whole) ** 2 for i, j in cells),
            (n - 1) * (m - 1),
        ),
        "again": (
            sum((x - cell[i][j]) ** 2 for i, j in cells for x in answers[i][j]), n * m * (k - 1)
        ),
    }  # fmt: skip


def parts_of(square, n, m, k):
    return {
        "item": (square["item"] - square["both"]) / (m * k),
        "wording": (square["wording"] - square["both"]) / (n * k),
        "item x wording": (square["both"] - square["again"]) / k,
        "resampling": square["again"],
    }


@pytest.mark.parametrize("shape", [(5, 3, 2), (4, 2, 3), (2, 6, 1)], ids=str)
@pytest.mark.parametrize(
    ("given", "level", "seed"), [({}, 0.95, 0), ({"level": 0.5, "seed": 4}, 0.5, 4)]
)
def test_parts_and_their_intervals_follow_from_mean_squares(shape, given, level, seed):
    answers = np.random.default_rng(1).normal(size=shape) + np.arange(shape[0])[:, None, None]
    i, j, e = (a.ravel() for a in np.indices(shape))
    rows = pd.DataFrame({"subset": "a", "item": i, "way": j, "epoch": e, "score": answers.ravel()})
    found = variance_split(rows, "score", "way", **given).parts
    squares = mean_squares(answers.tolist())
    rng = np.random.default_rng(seed)
    # Each mean square's sum by chance of its own, 4,000 times.
    drawn = {
        name: total / rng.chisquare(degrees, 4_000) if degrees else np.zeros(4_000)
        for name, (total, degrees) in squares.items()
    }
    mean = {name: total / degrees if degrees else 0.0 for name, (total, degrees) in squares.items()}
    values, spread = parts_of(mean, *shape), parts_of(drawn, *shape)
    for name in PARTS:
        part = found[name]
        if name == "resampling" and shape[2] == 1:
            assert (part.value, math.isnan(part.low), math.isnan(part.high)) == (0.0, True, True)
            assert part.reason.startswith("one epoch only")
            continue
        bounds = np.quantile(spread[name], [(1 - level) / 2, (1 + level) / 2])
        expected = max(0.0, values[name]), *np.maximum(0.0, bounds)
        assert (part.value, part.low, part.high) == pytest.approx(expected)


def test_where_one_wording_more_would_be_seen():
    """Four wordings that vary by 0.1: three degrees, and a fifth of the variance more."""
    parts = {name: Part(0.0) for name in PARTS}
    split = Split(0.5, Design(9, 4, 2), 0, 0.1, parts)
    half = 3.182446305284 * math.sqrt(0.1 * 5 / 4)
    assert split.elsewhere() == pytest.approx((0.5 - half, 0.5 + half))
    half = 1.637744353696 * math.sqrt(0.1 * 5 / 4)
    assert split.elsewhere(0.8) == pytest.approx((0.5 - half, 0.5 + half), rel=1e-6)
    unknown = Split(0.5, Design(9, 1), 0, math.nan, parts, "one")
    assert all(map(math.isnan, unknown.elsewhere()))


def test_a_design_asks_once_unless_it_says_how_often():
    assert Design(6, 4) == Design(6, 4, 1)
    assert Design(6, 4, 3).replies == 72
    assert vars(Part(0.3)) == pytest.approx(
        {"value": 0.3, "low": math.nan, "high": math.nan, "reason": ""}, nan_ok=True
    )


def test_designs_leave_items_what_wordings_and_epochs_do_not_take():
    found = [(d.items, d.wordings, d.epochs) for d in _designs(12, Design(5, 2, 3))]
    assert found == [(5, 1, 1), (5, 1, 2), (4, 1, 3), (5, 2, 1), (3, 2, 2), (2, 2, 3)]
    assert [*_designs(3, Design(9, 2, 2))] == [Design(3, 1, 1), Design(1, 1, 2), Design(1, 2, 1)]


def split_of(item, wording, both, again):
    parts = dict(zip(PARTS, map(Part, (item, wording, both, again)), strict=True))
    return Split(0.5, Design(9, 4, 2), 0, 0.1, parts)


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


@pytest.mark.parametrize(
    ("items", "wordings", "few"), [(1, 2, "items"), (2, 1, "wordings"), (1, 1, "items"), (2, 2, "")]
)
def test_two_items_and_two_wordings_are_enough(items, wordings, few):
    answers = {(i, j): [float(i == j), 1.0] for i in range(items) for j in range(wordings)}
    split = variance_split(rows_of(answers), "score", "way")
    assert split.asked == Design(items, wordings, 2)
    assert split.reason == (f"fewer than two {few} that were scored throughout" if few else "")
    scores = [score for each in answers.values() for score in each]
    assert split.mean == pytest.approx(sum(scores) / len(scores))
    assert math.isnan(split.between) == bool(few)
    for part in split.parts.values():
        assert math.isnan(part.value) == bool(few)
        assert part.reason == split.reason
    assert set(split.parts) == set(PARTS)


def test_of_no_item_that_was_scored_throughout_there_is_no_mean_and_no_warning():
    apart = rows_of({(0, 0): [1.0], (1, 1): [0.0]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        split = variance_split(apart, "score", "way")
    assert math.isnan(split.mean)
    assert (split.asked, split.n_dropped) == (Design(0, 2, 1), 2)
    assert "items" in split.reason


def test_what_is_missing_is_named_beside_what_is_there():
    rows = rows_of(TWICE).drop(columns=["item", "epoch"])
    with pytest.raises(ValueError, match="no column item, other in the observations") as told:
        variance_split(rows, "score", ["way", "other"])
    assert str(told.value).endswith("there are: subset, way, score")


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


def test_wordings_may_be_told_apart_by_several_columns():
    rows = rows_of({(i, j): [float(i + j)] for i in range(3) for j in range(4)})
    rows["hint"], rows["order"] = rows["way"] // 2, rows["way"] % 2
    split = variance_split(rows, "score", ["hint", "order"])
    assert split == variance_split(rows, "score", "way")
    assert variance_split(rows, "score", ("hint",)).asked == Design(3, 2, 1)


def told(found):
    return [(sorted({*rows["item"]}), split.asked) for rows, split in found]


def test_items_are_split_by_the_wordings_that_they_were_asked_in():
    answers = {
        **{(i, j): [float(i == j)] for i in (5, 3) for j in (0, 1)},
        **{(i, j): [float(i == j)] for i in (1, 4) for j in (1, 2)},
        **{(i, j): [float(i == j)] for i in (2,) for j in (0, 1)},
    }
    found = splits(rows_of(answers).iloc[::-1], "score", ["way", "missing", "epoch"])
    assert told(found) == [([2, 3, 5], Design(3, 2, 1)), ([1, 4], Design(2, 2, 1))]
    for rows, split in found:
        assert split == variance_split(rows, "score", ["way"])
        assert list(rows.columns) == ["subset", "item", "way", "epoch", "score"]


def test_a_wording_without_a_name_is_one_of_its_own():
    """Items asked in b and c, others in b and without any: two sets, not one."""
    answers = {(i, j): [float(i == j)] for i in range(4) for j in (("b", "c"), ("b", None))[i // 2]}
    found = splits(rows_of(answers), "score", ["way"])
    assert told(found) == [([0, 1], Design(2, 2, 1)), ([2, 3], Design(2, 2, 1))]
    # As it is where it is the only other.
    answers = {(i, j): [float(i == j)] for i in range(2) for j in ("b", None)}
    assert told(splits(rows_of(answers), "score", ["way"])) == [([0, 1], Design(2, 2, 1))]


def test_one_wording_alone_is_not_split():
    one = rows_of({(i, 0): [1.0, 0.0] for i in range(3)})
    assert splits(one, "score", ["way"]) == []
    assert splits(rows_of(TWICE), "score", ["nothing"]) == []


def test_many_wordings_are_told_apart():
    """Two items of nine wordings each, which share all but one."""
    answers = {(i, j): [1.0] for i in range(2) for j in range(10) if j != 8 + i}
    assert told(splits(rows_of(answers), "score", ["way"])) == [
        ([0], Design(1, 9, 1)), ([1], Design(1, 9, 1))
    ]  # fmt: skip
