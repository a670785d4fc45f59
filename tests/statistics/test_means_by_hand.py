"""Means over groups: what each is made of, what it rests on, and why one is not there."""

import math

import numpy as np
import pytest

from askew.schema import Null
from askew.statistics.means import mean_over
from askew.statistics.tables import (
    OVERALL,
    Analysis,
    Counts,
    Interval,
    Quantity,
    Totals,
    UnitTable,
    numbers_of,
    without_effect,
)

# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

NAN = math.nan


def table_of(features, columns=(("n",),), units=None, strata=None):
    """Units a, b, c ... of one stratum, unless told otherwise."""
    features = np.array(features, dtype=float)
    units = units or [("s", "abcdefgh"[i]) for i in range(len(features))]
    return UnitTable(
        features, {key: i for i, key in enumerate(columns)},
        np.zeros(len(features), int) if strata is None else strata, units,
    )  # fmt: skip


def group(numbers, counts=None, exchanges=None, table=None):
    """An analysis whose numbers are as told, in each resample."""

    def statistic(totals):
        def of(value):
            return value if isinstance(value, Quantity) else Quantity(np.full(len(totals), value))

        return {key: of(value) for key, value in numbers.items()}

    return Analysis(table or table_of([[1.0]]), statistic, counts or {}, exchanges or {})


def means_of(*groups, **named):
    parts = {**dict(zip("pqrst", groups, strict=False)), **named}
    made = mean_over(parts)
    return made.statistic(made.table.point())


def number(value, kind="percentile", bounds=(0.0, 1.0), **more):
    return Quantity(np.array([value]), kind, bounds, **more)


def test_a_mean_weighs_its_groups_the_same():
    found = means_of(group({("m",): 0.2}), group({("m",): 0.4}), group({("m",): 0.9}))
    assert found["m",].values.tolist() == [pytest.approx(0.5)]
    assert found["m",].reason == ""
    assert means_of(group({("m",): 0.2}))["m",].values == pytest.approx([0.2])


@pytest.mark.parametrize(
    ("kind", "of_mean"),
    [("rate", "composite"), ("difference", "percentile"), ("paired", "paired"),
     ("spread", "spread"), ("composite", "composite"), ("none", "none")],
)  # fmt: skip
def test_a_mean_of_rates_is_none_and_of_other_kinds_is_one_of_them(kind, of_mean):
    found = means_of(*(group({("m",): number(0.4, kind)}) for _ in range(2)))
    assert found["m",].interval == of_mean


def test_a_mean_can_be_as_small_and_as_large_as_any_of_its_numbers():
    one, two = (group({("m",): number(0.4, bounds=b)}) for b in ((-1.0, 2.0), (0.0, 3.0)))
    assert means_of(one, two)["m",].bounds == (-1.0, 3.0)
    assert means_of(two, one)["m",].bounds == (-1.0, 3.0)


@pytest.mark.parametrize(
    ("null", "kept"),
    [(None, False), (Null("w"), False), (Null("w", "plain"), True), (Null("w", "neither"), True)],
)
def test_noise_of_a_mean_is_known_unless_it_adds_in_squares(null, kept):
    found = means_of(*(group({("m",): number(0.4, null=null)}) for _ in range(2)))
    assert found["m",].null == (null if kept else None)


def test_a_mean_rests_on_the_fewest_of_its_own_numbers_or_of_their_level():
    one = group({("m", "a"): number(0.4, counts=Counts(9, 4, 7, 2))}, {("a",): Counts(1)})
    two = group({("m", "a"): 0.4}, {("a",): Counts(12, 1, 0, 1), ("b",): Counts(1)})
    found = means_of(one, two)["m", "a"]
    assert found.counts == Counts(9, 4, 7, 2)
    assert means_of(two)["m", "a"].counts == Counts(12, 1, 12, 1)
    assert means_of(group({("m", "a"): 0.4}))["m", "a"].counts == Counts(0)


def test_groups_share_units_by_name_and_have_columns_of_their_own():
    columns = [("n",), ("ok",)]
    one = table_of([[1, 2], [3, 4]], columns, [("s", "b"), ("s", "a")])
    two = table_of([[5, 6], [7, 8]], columns, [("r", "c"), ("s", "a")], np.array([0, 1]))
    made = mean_over({"p": group({}, table=one), "q": group({}, table=two)}).table
    assert made.units == [("r", "c"), ("s", "a"), ("s", "b")]
    assert made.strata.tolist() == [0, 1, 1]
    assert made.columns == {
        ("p", ("n",)): 0, ("p", ("ok",)): 1, ("q", ("n",)): 2, ("q", ("ok",)): 3
    }  # fmt: skip
    assert made.features.tolist() == [[0, 0, 5, 6], [3, 4, 7, 8], [1, 2, 0, 0]]


def test_each_group_reads_its_own_sums_of_the_same_resamples():
    """Units that two groups share are drawn for both: one is ten times the other throughout."""

    def ratio_of(totals):
        return {("m",): Quantity(totals["ok",] / 10), ("missing",): Quantity(totals["no",])}

    units = np.column_stack([np.ones(6), np.arange(6.0)])
    one = Analysis(table_of(units, [("n",), ("ok",)]), ratio_of, {})
    two = Analysis(table_of(10 * units, [("n",), ("ok",)]), ratio_of, {})
    made = mean_over({"p": one, "q": two})
    drawn = made.table.resampled(50, 3)
    alone = one.statistic(one.table.resampled(50, 3))["m",].values
    found = made.statistic(drawn)
    assert found["m",].values == pytest.approx(5.5 * alone)
    assert len(set(alone.tolist())) > 5
    assert (found["missing",].values == 0).all()
    assert len(drawn) == 50
    # Once more, in whatever order groups are read.
    assert drawn["q", ("ok",)] == pytest.approx(10 * drawn["p", ("ok",)])
    assert drawn["p", ("ok",)] == pytest.approx(10 * alone)
    assert [("q", ("ok",)) in drawn, ("q", ("no",)) in drawn, ("r", ("ok",)) in drawn] == [
        True, False, False
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["", 0, False, "p"])
def test_a_group_may_have_any_name(name):
    made = mean_over({name: group({}, table=table_of([[1.0]] * 3))})
    assert made.table.resampled(4, 0)[name, ("n",)].tolist() == [3.0] * 4


def test_a_group_sees_its_own_sums_and_what_is_wanted():
    met = []

    def statistic(totals):
        met.append((len(totals), ("n",) in totals, ("x",) in totals, totals.wants("a"),
                    totals.wants("b"), totals.only([("b",)]).wants("b")))  # fmt: skip
        return {("m",): Quantity(totals["n",])}

    made = mean_over({"p": Analysis(table_of([[1.0]] * 3), statistic, {})})
    met.clear()
    made.statistic(made.table.point().only([("a",)]))
    made.statistic(made.table.resampled(7, 0).only([("a",)]))
    made.statistic(made.table.point())
    assert met == [
        (1, True, False, True, False, True),
        (7, True, False, True, False, True),
        (1, True, False, True, True, True),
    ]


def test_what_a_group_lacks_is_named_three_at_most():
    """Beneath "all" lie the cells; five of them one group has not, and it lacks one itself."""
    cells = {("m", letter): 0.5 for letter in "abcdef"}
    whole = group({**cells, ("m", OVERALL): 0.5})
    for lacking, said in (
        ("f", "q lacks f"),
        ("def", "q lacks d, e, f"),
        ("cdef", "q lacks c, d, e and 1 more"),
        ("bcdef", "q lacks b, c, d and 2 more"),
    ):
        has = {key: v for key, v in cells.items() if key[1] not in lacking}
        found = means_of(whole, group({**has, ("m", OVERALL): 0.4}))
        assert found["m", OVERALL].reason == said
        assert math.isnan(found["m", OVERALL].values[0])
        assert found["m", "f"].reason == "q lacks it"
        assert math.isnan(found["m", "f"].values[0])
        assert (found["m", "a"].reason, found["m", "a"].values.tolist()) == ("", [0.5])


def test_cells_of_two_levels_lie_beneath_what_pools_one_of_them():
    def of(*cells):
        over = {("m", a, OVERALL): 0.5 for a in "ab"} | {("m", OVERALL, b): 0.5 for b in "xy"}
        return group({("m", *cell): 0.5 for cell in cells} | over | {("m", OVERALL, OVERALL): 0.5})

    found = means_of(of("ax", "ay", "bx"), of("ax", "ay"), of("ax", "ay", "by"))
    assert {key[1:]: quantity.reason for key, quantity in found.items()} == {
        ("a", "x"): "", ("a", "y"): "", ("a", OVERALL): "",
        ("b", "x"): "q lacks it; r lacks it",
        ("b", "y"): "p lacks it; q lacks it",
        ("b", OVERALL): "p lacks b y; q lacks b x, b y; r lacks b x",
        (OVERALL, "x"): "q lacks b x; r lacks b x",
        (OVERALL, "y"): "p lacks b y; q lacks b y",
        (OVERALL, OVERALL): "p lacks b y; q lacks b x, b y; r lacks b x",
    }  # fmt: skip


def test_what_is_not_defined_in_a_group_says_why():
    unknown = group({("m",): number(NAN, reason="not asked")}), group({("m",): number(NAN)})
    found = means_of(group({("m",): 0.5}), *unknown)
    assert found["m",].reason == "q: not asked; r: not defined"
    assert np.isnan(found["m",].values).all()


def test_a_number_that_a_resample_of_one_group_has_not_is_not_defined_there():
    def sometimes(totals):
        return {("m",): Quantity(totals["n",])} if len(totals) == 1 else {}

    table = table_of([[1.0], [2.0]])
    made = mean_over({"p": Analysis(table, sometimes, {}), "q": group({("m",): 0.5}, table=table)})
    drawn = made.statistic(made.table.resampled(5, 0))
    assert np.isnan(drawn["m",].values).all()
    assert made.statistic(made.table.point())["m",].values == pytest.approx([1.75])
    # Nor is it there where no group has it.
    alone = mean_over({"p": Analysis(table, sometimes, {})})
    assert alone.statistic(alone.table.resampled(5, 0)) == {}


class Doubled:
    """Twice each mean, and two numbers that are not asked for or not defined."""

    def numbers_of(self, name, part, totals):
        return part.statistic(totals)

    def made(self, means):
        return {
            ("m",): Quantity(means["m",].values * 2),
            ("new",): Quantity(np.ones(1)),
            ("k",): Quantity(np.ones(1), reason="not so"),
        }


def test_what_is_put_in_the_place_of_means_is_what_there_is_a_mean_of():
    parts = {name: group({("m",): 0.2, ("k",): 0.3}) for name in "pq"}
    made = mean_over(parts, Doubled)
    found = made.statistic(made.table.point())
    assert {key: q.values.tolist() for key, q in found.items()} == {
        ("m",): [pytest.approx(0.4)], ("k",): [pytest.approx(0.3)]
    }  # fmt: skip


def test_labels_trade_places_in_every_group_alike():
    asked = []

    def exchange(of):
        def drawn(table, draws, seed):
            asked.append((of, draws, seed))
            place = {("n",): 0, (of,): 1}
            return Totals(
                np.column_stack([np.full(draws, len(asked) + 1.0), np.ones(draws)]), place
            )

        return drawn

    def statistic(totals):
        assert totals.wants("x")
        met.append((totals.wants("y"), ("p",) in totals, ("n",) in totals, len(totals)))
        return {("m", "x"): Quantity(totals["n",] / 10, null=Null("swap", "plain"))}

    met = []
    parts = {
        name: Analysis(table_of([[1.0]]), statistic, {}, {"swap": exchange(name), name: None})
        for name in "pq"
    }
    made = mean_over(parts)
    assert list(made.exchanges) == ["swap"]
    point = made.statistic(made.table.point())
    met.clear()
    found = without_effect(made, point, Interval(seed=4))
    assert asked == [("p", 499, 4), ("q", 499, 4)]
    assert found["m", "x"] == pytest.approx(np.full(499, 0.25))
    assert met == [(False, True, True, 499), (False, False, True, 499)]
    (row,) = (said for _, said in numbers_of(made, Interval(resamples=20), ("all",)))
    assert (row["value"], row["null_mean"]) == (pytest.approx(0.1), pytest.approx(0.45))


def test_what_trades_places_in_all_groups_counts_for_as_many_draws_as_each_has():
    parts = {
        name: group(
            {("m",): 0.5},
            exchanges={"swap": lambda table, draws, seed, n=n: Totals(np.zeros((n, 0)), {})},
        )
        for name, n in (("p", 7), ("q", 5))
    }
    made = mean_over(parts)
    assert len(made.exchanges["swap"](made.table, 9, 0)) == 5
    drawn = made.exchanges["swap"](made.table, 9, 0)
    assert [drawn.only([("a",)]).wants("a"), drawn.only([("a",)]).wants("b")] == [True, False]
