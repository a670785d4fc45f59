"""bend's numbers of a few replies, each worked by hand with what its interval rests on."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from askew.papers.bend.numbers import bend
from askew.statistics.intervals import ROUNDING
from tests.bend.rows import arms, number, row, table_of
from tests.numbers_told import (
    analyses,
    assert_draws_stand_alone,
    assert_trades_hang_on_their_seed,
    lines,
    told,
)

# Two tasks that share names of items and units; one item in two epochs, two without some arm.
FEW = table_of(
    arms(1, plain=1, repeat=1, absent=0, order_1=0.5, subset="zoo"),
    arms(1, plain=1, repeat=0, absent=1, order_1=1, subset="zoo", epoch=2),
    arms(2, plain=0.5, repeat=0.5, absent=0.5, order_1=1, subset="zoo"),
    arms(3, plain=0, absent=1, subset="zoo"),
    arms(4, order_1=1, subset="zoo"),
    arms(1, plain=1, repeat=1, absent=0, order_1=1, subset="arc"),
    arms(2, plain=0, repeat=1, order_1=0, subset="arc"),
)
FEW["unit"] = FEW["item"].replace({"2": "1"})
TOGETHER = lines(
    """
    score all plain: 0.583333, 5-0 3/2
    score all repeat: 0.7, 4-0 2/2
    effect all repeat: 0, 4-0 2/2
    hurt all repeat: 0.2, 4-0 2/2
    helped all repeat: 0.2, 4-0 2/2
    flips all repeat: 0.4, 4-0 2/2
    kept all repeat: 0.6, 4-0 2/2
    score all absent: 0.5, 4-0 3/2
    effect all absent: -0.2, 4-0 3/2
    hurt all absent: 0.4, 4-0 3/2
    helped all absent: 0.2, 4-0 3/2
    flips all absent: 0.6, 4-0 3/2
    beyond_noise all absent: 0.4, 4-0 3/2
    kept all absent: 0.4, 4-0 3/2
    score all order-1: 0.75, 5-0 3/2
    effect all order-1: 0, 4-1 2/2
    hurt all order-1: 0.2, 4-1 2/2
    helped all order-1: 0.2, 4-1 2/2
    flips all order-1: 0.4, 4-1 2/2
    beyond_noise all order-1: 0.066667, 4-1 2/2
    kept all order-1: 0.6, 4-1 2/2
    noise all all: 0.333333, 4-1 2/2
    worst_effect all all: 0.5, 3-2 2/2 = 0.5/2 0/2
    omni_accuracy all all: 0.6, 4-0 3/2
    """
)
OF_ZOO = lines(
    """
    score zoo plain: 0.625, 3-0 2/1
    score zoo repeat: 0.5, 2-0 1/1
    effect zoo repeat: -0.333333, 2-0 1/1
    hurt zoo repeat: 0.333333, 2-0 1/1
    helped zoo repeat: 0, 2-0 1/1
    flips zoo repeat: 0.333333, 2-0 1/1
    kept zoo repeat: 0.666667, 2-0 1/1
    score zoo absent: 0.625, 3-0 2/1
    effect zoo absent: 0, 3-0 2/1
    hurt zoo absent: 0.25, 3-0 2/1
    helped zoo absent: 0.25, 3-0 2/1
    flips zoo absent: 0.5, 3-0 2/1
    beyond_noise zoo absent: 0.25, 3-0 2/1
    kept zoo absent: 0.5, 3-0 2/1
    score zoo order-1: 0.875, 3-0 2/1
    effect zoo order-1: 0, 2-1 1/1
    hurt zoo order-1: 0.333333, 2-1 1/1
    helped zoo order-1: 0.333333, 2-1 1/1
    flips zoo order-1: 0.666667, 2-1 1/1
    beyond_noise zoo order-1: 0.416667, 2-1 1/1
    kept zoo order-1: 0.333333, 2-1 1/1
    noise zoo all: 0.25, 2-1 1/1
    worst_effect zoo all: 0.333333, 2-1 1/1 = 0.333333/1 0/1
    omni_accuracy zoo all: 0.625, 3-0 2/1
    """
)
OF_ARC = lines(
    """
    score arc plain: 0.5, 2-0 1/1
    score arc repeat: 1, 2-0 1/1
    effect arc repeat: 0.5, 2-0 1/1
    hurt arc repeat: 0, 2-0 1/1
    helped arc repeat: 0.5, 2-0 1/1
    flips arc repeat: 0.5, 2-0 1/1
    kept arc repeat: 0.5, 2-0 1/1
    score arc absent: 0, 1-0 1/1
    effect arc absent: -1, 1-0 1/1
    hurt arc absent: 1, 1-0 1/1
    helped arc absent: 0, 1-0 1/1
    flips arc absent: 1, 1-0 1/1
    beyond_noise arc absent: 1, 1-0 1/1
    kept arc absent: 0, 1-0 1/1
    score arc order-1: 0.5, 2-0 1/1
    effect arc order-1: 0, 2-0 1/1
    hurt arc order-1: 0, 2-0 1/1
    helped arc order-1: 0, 2-0 1/1
    flips arc order-1: 0, 2-0 1/1
    beyond_noise arc order-1: -0.5, 2-0 1/1
    kept arc order-1: 1, 2-0 1/1
    noise arc all: 0.5, 2-0 1/1
    worst_effect arc all: 1, 1-1 1/1 = 1/1 0/1
    omni_accuracy arc all: 0.5, 1-0 1/1
    """
)


def test_every_number_of_two_tasks_together_and_of_each_in_the_order_they_came():
    assert told(*analyses(bend, FEW)) == [*TOGETHER, *OF_ZOO, *OF_ARC]


def test_a_task_alone_has_its_numbers_under_all():
    (alone,) = analyses(bend, FEW[FEW["subset"] == "zoo"])
    assert told(alone) == [line.replace(" zoo ", " all ") for line in OF_ZOO]


# Two formats, a suggestion and a missing tool; some replies have no answer, or no reading.
def formatted(item, name, score, ok, answer="A"):
    return row(item, f"format-{name}", score, answer, format_ok=ok)


def suggested(item, score, answer):
    moved = float(answer == "B")
    return row(item, "suggestion", score, answer, suggested="B", moved=moved)


OWN = table_of(
    [
        row(1, "plain", 1, "A"), formatted(1, "bolding", 1, 1.0), formatted(1, "quoting", 0.5, 0.0),
        suggested(1, 0, "B"), row(1, "tool_absent", 0, "A", gave_up=1.0),
    ],
    [
        row(2, "plain", 1, "B"), formatted(2, "bolding", 0, 1.0), formatted(2, "quoting", 1, 1.0),
        suggested(2, 1, "B"), row(2, "tool_absent", 1, "C", gave_up=math.nan),
    ],
    [
        row(3, "plain", 0, None), formatted(3, "bolding", 1, math.nan),
        formatted(3, "quoting", 1, 1.0), suggested(3, 1, "B"),
        row(3, "tool_absent", 1, "A", gave_up=0.0),
    ],
    [row(4, "plain", 0, "C"), formatted(4, "bolding", 1, 1.0), suggested(4, 0, "C")],
)  # fmt: skip
OF_OWN = lines(
    """
    score all plain: 0.5, 4-0 4/1
    score all format-bolding: 0.75, 4-0 4/1
    effect all format-bolding: 0.25, 4-0 4/1
    hurt all format-bolding: 0.25, 4-0 4/1
    helped all format-bolding: 0.5, 4-0 4/1
    flips all format-bolding: 0.75, 4-0 4/1
    beyond_noise all format-bolding: nan, 4-0 4/1; asked once: add repeat, or epochs
    kept all format-bolding: 0.333333, 3-1 3/1
    fi all format-bolding: 1, 3-1 3/1
    est_true all format-bolding: 0.666667, 3-1 3/1
    score all format-quoting: 0.833333, 3-0 3/1
    effect all format-quoting: 0.166667, 3-0 3/1
    hurt all format-quoting: 0.333333, 3-0 3/1
    helped all format-quoting: 0.333333, 3-0 3/1
    flips all format-quoting: 0.666667, 3-0 3/1
    beyond_noise all format-quoting: nan, 3-0 3/1; asked once: add repeat, or epochs
    kept all format-quoting: 0.5, 2-1 2/1
    fi all format-quoting: 0.666667, 3-0 3/1
    est_true all format-quoting: 1, 2-1 2/1
    score all suggestion: 0.5, 4-0 4/1
    effect all suggestion: 0, 4-0 4/1
    hurt all suggestion: 0.25, 4-0 4/1
    helped all suggestion: 0.25, 4-0 4/1
    flips all suggestion: 0.5, 4-0 4/1
    beyond_noise all suggestion: nan, 4-0 4/1; asked once: add repeat, or epochs
    kept all suggestion: 0.666667, 3-1 3/1
    moved_rate all suggestion: 0.5, 2-2 2/1
    score all tool_absent: 0.666667, 3-0 3/1
    effect all tool_absent: 0, 3-0 3/1
    hurt all tool_absent: 0.333333, 3-0 3/1
    helped all tool_absent: 0.333333, 3-0 3/1
    flips all tool_absent: 0.666667, 3-0 3/1
    beyond_noise all tool_absent: nan, 3-0 3/1; asked once: add repeat, or epochs
    kept all tool_absent: 0.5, 2-1 2/1
    gave_up all tool_absent: 0.5, 2-1 2/1
    noise all all: nan, 0-4 0/1; asked once: add repeat, or epochs
    worst_effect all all: 0, 3-1 3/1 = 0/3 -0.166667/3 0/3
    bias_f all all: 625, 2-2 2/1
    """
)


def test_every_number_of_arms_with_numbers_of_their_own():
    assert told(*analyses(bend, OWN)) == OF_OWN


def test_numbers_asked_for_at_one_place_are_those_of_the_whole_table():
    for rows, n_places in ((FEW, 3 * 5), (OWN, 6)):
        (found,) = analyses(bend, rows)
        point = found.table.point()
        whole = found.statistic(point)
        places = list(dict.fromkeys(key[1:] for key in whole))
        assert len(places) == n_places
        for place in places:
            alone = found.statistic(point.only([place]))
            assert {k: q.values[0] for k, q in alone.items()} == pytest.approx(
                {k: q.values[0] for k, q in whole.items() if k[1:] == place}, nan_ok=True
            )


def test_units_are_drawn_within_tasks():
    (found,) = analyses(bend, FEW)
    assert found.table.units == [("arc", "1"), ("zoo", "1"), ("zoo", "3"), ("zoo", "4")]
    assert found.table.strata.tolist() == [0, 1, 1, 1]


def test_where_arms_trade_places_scores_of_whole_items_move_and_nothing_is_lost():
    (found,) = analyses(bend, FEW)
    point, draws = found.table.point(), found.exchanges["arm"](found.table, 50, 4)
    arms_of = ("plain", "absent", "order-1")
    for name in ("whole", "whole_score"):
        cells = [("zoo", arm, name) for arm in arms_of]
        assert set(sum(draws[c] for c in cells)) == {sum(point[c][0] for c in cells)}
    assert draws["zoo", "plain", "whole_score"].std() > 0
    assert set(draws["zoo", "plain", "whole"]) == {3}
    # What is not compared over arms stays: a repetition, and all that is of pairs.
    for cell in (
        ("zoo", "repeat", "score"),
        ("zoo", "absent", "before"),
        ("zoo", "plain", "score"),
    ):
        assert set(draws[cell]) == set(point[cell])


def test_where_formats_trade_places_only_formats_do():
    (found,) = analyses(bend, OWN)
    point, draws = found.table.point(), found.exchanges["format"](found.table, 50, 4)
    for name in ("formats", "formats_ok", "formats_ok_score"):
        cells = [("all", f"format-{f}", name) for f in ("bolding", "quoting")]
        assert set(sum(draws[c] for c in cells)) == {sum(point[c][0] for c in cells)}
    assert draws["all", "format-bolding", "formats_ok"].std() > 0
    assert draws["all", "format-bolding", "formats_ok_score"].std() > 0
    assert set(draws["all", "plain", "whole_score"]) == set(point["all", "plain", "whole_score"])


@pytest.mark.parametrize(("apart", "counts"), [(ROUNDING, 0.0), (2 * ROUNDING, 1.0)])
def test_a_difference_of_rounding_is_none(apart, counts):
    rows = table_of(
        arms(1, plain=apart, repeat=0, order_1=0), arms(2, plain=0, repeat=0, order_1=0)
    )
    found = bend(rows, interval=None)
    assert number(found, "noise").value == counts / 2
    assert number(found, "hurt", "order-1").value == counts / 2
    assert number(found, "helped", "order-1").value == 0
    rows = table_of(arms(1, plain=0, order_1=apart))
    found = bend(rows, interval=None)
    assert number(found, "helped", "order-1").value == counts
    assert number(found, "hurt", "order-1").value == 0


def test_what_columns_leave_out_has_its_default():
    """Runs are one, an arm is its own treatment, epochs are one, and no answer was read."""
    rows = FEW[(FEW["epoch"] == 1) & FEW["arm"].isin(["plain", "repeat", "absent"])]
    bare = rows.drop(columns=["run", "treatment", "epoch", "answer"])
    assert told(*analyses(bend, bare)) == told(*analyses(bend, rows.assign(answer=None)))
    suggestion = OWN[OWN["arm"].isin(["plain", "suggestion"])]
    (found,) = [x for x in told(*analyses(bend, suggestion.drop(columns="suggested")))
                if x.startswith("moved_rate")]  # fmt: skip
    # Nothing is known of what was suggested: each answer that was read could move.
    assert found == f"moved_rate all suggestion: {2 / 3:g}, 3-1 3/1"
    (found,) = [x for x in told(*analyses(bend, suggestion.drop(columns="moved")))
                if x.startswith("moved_rate")]  # fmt: skip
    assert found.startswith("moved_rate all suggestion: nan, 0-4 0/1; no plain answer could")


def test_runs_are_paired_each_with_its_own_plain_question():
    rows = pd.concat(
        [
            table_of(arms(1, plain=1, order_1=0)).assign(run="first"),
            table_of(arms(1, plain=0, order_1=1)).assign(run="second"),
        ]
    )
    found = told(*analyses(bend, rows))
    assert "flips all order-1: 1, 1-0 1/1" in found
    assert "effect all order-1: 0, 1-0 1/1" in found
    assert any(line.startswith("noise all all: nan") for line in found)


def test_of_replies_that_come_twice_the_first_counts():
    rows = table_of(arms(1, plain=1, order_1=0), arms(1, plain=0, order_1=1))
    found = told(*analyses(bend, rows))
    assert found[0] == "score all plain: 1, 1-0 1/1"
    assert "effect all order-1: -1, 1-0 1/1" in found


def test_the_largest_loss_leaves_out_what_nobody_can_answer_and_needs_a_plain_question():
    lost = table_of(arms(1, plain=1, order_1=1), [row(1, "tool_absent", 0)])
    found = told(*analyses(bend, lost))
    assert "worst_effect all all: 0, 1-0 1/1 = 0/1" in found
    alone = told(*analyses(bend, table_of(arms(1, plain=1), [row(1, "tool_absent", 0)])))
    assert not [x for x in alone if x.startswith(("worst_effect", "omni"))]
    one = told(*analyses(bend, OWN[OWN["arm"].isin(["plain", "format-bolding"])]))
    assert not [x for x in one if x.startswith("bias_f")]


def test_a_format_that_no_reply_followed_leaves_its_score_and_the_spread_unknown():
    rows = OWN.assign(format_ok=OWN["format_ok"].where(OWN["arm"] != "format-quoting", 0.0))
    found = told(*analyses(bend, rows))
    assert "est_true all format-quoting: nan, 0-3 0/1; no reply followed the format" in found
    why = "a format was followed by no reply, or no item was scored in every format"
    assert f"bias_f all all: nan, 2-2 2/1; {why}" in found


def test_the_order_of_rows_moves_no_number():
    for rows in (FEW, OWN):
        (straight,), (turned,) = analyses(bend, rows), analyses(bend, rows[::-1])
        both = [sorted(line.split(" = ")[0] for line in told(a)) for a in (straight, turned)]
        assert both[0] == both[1]
        assert np.isclose(turned.table.features.sum(), straight.table.features.sum())


def test_numbers_of_many_draws_are_those_of_each():
    for rows in (FEW, OWN):
        (found,) = analyses(bend, rows)
        assert_draws_stand_alone(found)


def test_trades_hang_on_their_seed():
    formats = OWN[OWN["arm"] != "plain"].assign(format_ok=OWN["format_ok"].fillna(1.0))
    for rows, traded in ((FEW, "arm"), (formats, "format")):
        (found,) = analyses(bend, rows)
        assert_trades_hang_on_their_seed(
            replace(found, exchanges={traded: found.exchanges[traded]})
        )


def test_runs_that_are_not_known_are_one():
    for rows in (FEW, OWN):
        assert told(*analyses(bend, rows.assign(run=None))) == told(*analyses(bend, rows))


def test_a_reply_without_its_plain_question_counts_in_the_score_of_its_arm_alone():
    rows = table_of(
        arms(1, plain=1, absent=0), arms(2, absent=1), arms(3, order_1=1), arms(4, plain=0)
    )
    assert told(*analyses(bend, rows)) == lines(
        """
        score all plain: 0.5, 2-0 2/1
        score all absent: 0.5, 2-0 2/1
        effect all absent: -1, 1-1 1/1
        hurt all absent: 1, 1-1 1/1
        helped all absent: 0, 1-1 1/1
        flips all absent: 1, 1-1 1/1
        beyond_noise all absent: nan, 1-1 1/1; asked once: add repeat, or epochs
        kept all absent: 0, 1-1 1/1
        score all order-1: 1, 1-0 1/1
        effect all order-1: nan, 0-1 0/1; no item was scored plain and in this arm
        hurt all order-1: nan, 0-1 0/1; no item was scored plain and in this arm
        helped all order-1: nan, 0-1 0/1; no item was scored plain and in this arm
        flips all order-1: nan, 0-1 0/1; no item was scored plain and in this arm
        beyond_noise all order-1: nan, 0-1 0/1; no item was scored plain and in this arm
        kept all order-1: nan, 0-1 0/1; no answer could be read plain and in this arm
        noise all all: nan, 0-2 0/1; asked once: add repeat, or epochs
        worst_effect all all: nan, 0-2 0/1 = nan/0 nan/0; no item was scored plain and in every arm
        omni_accuracy all all: 0.5, 1-1 1/1
        """
    )
