"""Binary QA's numbers of a few items, each worked by hand with what its interval rests on."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from askew.metrics import binary_qa, random_guesser
from askew.papers.binary_qa import numbers
from askew.papers.binary_qa.paper import CORE, FORMS, SPREADS
from askew.papers.binary_qa.score import WEIGHTS
from askew.statistics.nulls import UNKNOWN
from tests.numbers_told import (
    analyses,
    assert_draws_stand_alone,
    assert_trades_hang_on_their_seed,
    lines,
    told,
)
from tests.papers.binary_qa.test_numbers import balanced, right, rows_of


def asked(domain, item, unit, truth, epoch=1, without=(), **other):
    """One item in one epoch, right in every form but those left out and those given."""
    by_form = {f: answer for f, answer in right(truth, **other).items() if f not in without}
    return rows_of({(domain, item, truth): by_form}).assign(unit=unit, epoch=epoch)


# Two questions share a passage, one comes twice, three lack forms, one was asked in none we know.
FEW = pd.concat(
    [
        asked("reading", "a", "p1", "Yes"),
        asked("ethics", "a", "e1", "No"),
        asked("ethics", "a", "e1", "No", epoch=2, synonym="Yes"),
        asked("reading", "b", "p2", "No", without=("false_framing",), original="Yes"),
        asked("reading", "c", "p1", "No", synonym=None),
        asked(
            "ethics", "b", "e2", "Yes", original=None,
            without=("synonym", "hedged", "repeat_2", "repeat_3"),
        ),
        asked("ethics", "c", "e3", "Yes", without=("original",)),
        rows_of({("reading", "d", "No"): {"of_another_time": "Yes"}}),
    ],
    ignore_index=True,
)  # fmt: skip
WORKED = lines(
    """
    mbs all: nan, 3-4 2/2; undefined: stdev_delta_precision
    mbs_core all: 68.9153, 3-4 2/2
    f1 all: 0.738095, 5-2 4/2
    delta_recall all: 0.25, 5-2 4/2 = 0.75/3 0.5/2
    delta_precision all: 0.5, 5-2 4/2 = 1/2 0.5/2
    prc all: 0.4, 4-3 3/2
    nrc all: 0.8, 4-3 3/2
    arc all: 0.666667, 5-2 4/2
    sc all: 0.8, 4-3 3/2
    said_no all: 0.5, 5-2 4/2
    no_answer all: 0.04, 7-0 6/2
    stdev_f1 all: 0, 5-2 4/2
    stdev_delta_recall all: 0.75, 5-2 4/2
    stdev_delta_precision all: nan, 5-2 4/2; Yes or No was never the answer in some domain
    stdev_prc all: 0.083333, 4-3 3/2
    stdev_nrc all: 0.166667, 4-3 3/2
    stdev_arc all: 0, 5-2 4/2
    stdev_sc all: 0.166667, 4-3 3/2
    mbs_core reading: 62.963, 2-2 1/1
    f1 reading: 0.666667, 3-1 2/1
    delta_recall reading: -0.5, 3-1 2/1 = 0.5/2 1/1
    delta_precision reading: 0.5, 3-1 2/1 = 1/1 0.5/2
    prc reading: 0.333333, 3-1 2/1
    nrc reading: 1, 2-2 1/1
    arc reading: 0.666667, 3-1 2/1
    sc reading: 0.666667, 3-1 2/1
    said_no reading: 0.333333, 3-1 2/1
    no_answer reading: 0.043478, 4-0 3/1
    mbs_core ethics: nan, 1-2 1/1; undefined: delta_precision
    f1 ethics: 0.666667, 2-1 2/1
    delta_recall ethics: 1, 2-1 2/1 = 1/1 0/1
    delta_precision ethics: nan, 2-1 2/1 = 1/1 nan/0; Yes or No was never the answer
    prc ethics: 0.5, 1-2 1/1
    nrc ethics: 0.666667, 2-1 2/1
    arc ethics: 0.666667, 2-1 2/1
    sc ethics: 1, 1-2 1/1
    said_no ethics: 0.666667, 2-1 2/1
    no_answer ethics: 0.037037, 3-0 3/1
    """
)


def test_every_number_of_seven_items_with_what_it_rests_on():
    (found,) = analyses(binary_qa, FEW)
    assert told(found) == WORKED
    table = binary_qa(FEW, interval=None)
    rows = table[["metric", "subset", "n_items", "n_dropped"]].itertuples(index=False)
    assert [f"{m} {s}: {n}-{d}" for m, s, n, d in rows] == [
        f"{line.partition(':')[0]}: {line.split(', ')[1].split()[0]}" for line in WORKED
    ]
    assert (table["reason"] != "").equals(table["value"].isna())


def test_units_are_passages_drawn_within_domains_whatever_the_order_of_rows():
    (found,) = analyses(binary_qa, FEW)
    assert found.table.units == [
        ("ethics", "e1"), ("ethics", "e2"), ("ethics", "e3"),
        ("reading", "d"), ("reading", "p1"), ("reading", "p2"),
    ]  # fmt: skip
    assert found.table.strata.tolist() == [0, 0, 0, 1, 1, 1]
    at = found.table.columns
    assert found.table.features[:, at["reading", "replies"]].tolist() == [0, 0, 0, 0, 16, 7]
    assert found.table.features[:, at["ethics", "prc asked"]].tolist() == [2, 0, 0, 0, 0, 0]
    (turned,) = analyses(binary_qa, FEW[::-1].reset_index(drop=True))
    assert turned.table.units == found.table.units
    np.testing.assert_array_equal(turned.table.features, found.table.features)


def test_runs_of_one_item_are_told_apart_and_are_one_item():
    wrong = dict.fromkeys(FORMS, "No")
    two = pd.concat(
        [
            asked("reading", "a", "a", "Yes").assign(run="first"),
            asked("reading", "a", "a", "Yes", **wrong).assign(run="second"),
        ]
    )
    (found,) = analyses(binary_qa, two)
    assert "said_no reading: 0.5, 1-0 1/1" in told(found)
    assert "nrc reading: 0.5, 1-0 1/1" in told(found)


def test_where_items_trade_domains_every_item_lies_in_one_and_nothing_is_lost():
    (found,) = analyses(binary_qa, rows_of(balanced(("reading", "ethics"), 3)).pipe(lapsed))
    draws = found.exchanges["domain"](found.table, 50, 1)
    point = found.table.point()
    names = {name for _, name in found.table.columns}
    for name in names:
        together = draws["reading", name] + draws["ethics", name]
        assert together.tolist() == [(point["reading", name] + point["ethics", name])[0]] * 50
    # Each domain keeps its three items; the two that are never consistent go to either.
    assert set(draws["reading", "prc asked"]) == {3}
    assert set(draws["reading", "prc hit"]) == {1, 2, 3}


def lapsed(rows):
    """No answer in another wording, in one item of either domain."""
    off = rows["item"].isin(["reading-0", "reading-1"]) & (rows["form"] == "synonym")
    return rows.assign(answer=rows["answer"].mask(off, None))


def test_noise_that_is_taken_off_the_spreads_raises_the_score_by_their_weight():
    (found,) = analyses(binary_qa, rows_of(balanced(("reading", "ethics"), 4)))
    point = found.table.point()
    clean = {
        (SPREADS[m].name, "all"): replace(UNKNOWN, without_noise=0.1 * (m == "prc")) for m in CORE
    }
    assert found.recombined(clean, point) == {}
    of_score = {("mbs", "all"): UNKNOWN, **clean}
    # A spread of a fifth of its most, half of a fraction, costs a fifth of a twelfth of a tenth.
    worked = 100 - 100 * 0.1 * WEIGHTS["prc"] / 0.9 * 0.1 / 0.5
    assert found.recombined(of_score, point) == {("mbs", "all"): pytest.approx(worked)}


def test_a_domain_of_one_label_has_no_difference_and_leaves_the_spread_undefined():
    rows = rows_of(balanced(("reading",), 4) | {("ethics", "e", "Yes"): right("Yes")})
    found = told(*analyses(binary_qa, rows))
    one = "the right answers are all Yes or all No"
    assert f"delta_recall ethics: nan, 1-0 1/1 = nan/0 1/1; {one}" in found
    assert f"stdev_delta_recall all: nan, 5-0 5/2; {one} in some domain" in found
    why = "undefined: stdev_delta_recall, stdev_delta_precision"
    assert f"mbs all: nan, 5-0 5/2; {why}" in found
    assert "mbs_core all: 100, 5-0 5/2" in found


def test_one_domain_alone_says_that_there_is_no_spread():
    found = told(*analyses(binary_qa, rows_of(balanced(("reading",), 2))))
    one = "one domain only: no spread over domains to measure"
    assert found[0] == f"mbs all: nan, 2-0 2/1; {one}; see mbs_core"
    assert f"stdev_sc all: nan, 2-0 2/1; {one}" in found


def test_forms_that_nobody_was_asked_are_named_in_their_order():
    rows = rows_of(balanced(("reading", "ethics"), 2))
    some = rows[~rows["form"].isin(["repeat_2", "repeat_3", "hedged"])]
    found = told(*analyses(binary_qa, some))
    assert "sc all: nan, 0-4 0/2; not asked: repeat_2, repeat_3" in found
    assert "prc reading: nan, 0-2 0/1; not asked: hedged" in found
    assert "stdev_prc all: nan, 0-4 0/2; not asked: hedged" in found
    assert "mbs all: nan, 0-4 0/2; undefined: prc, sc" in found


# --- Who guesses --------------------------------------------------------------------------------


def test_a_guesser_of_five_items_has_rows_as_the_metrics_have_and_counts_every_item():
    rows = rows_of(balanced(("reading",), 3) | balanced(("ethics",), 2))
    epochs = pd.concat([rows, rows.assign(epoch=2), rows.assign(model="other")])
    found = random_guesser(epochs, draws=20)
    same = binary_qa(rows, interval=None)
    assert found[["metric", "subset"]].equals(same[["metric", "subset"]])
    assert found.columns.tolist() == [
        "metric", "subset", "value", "low", "high", "n_items", "n_dropped", "reason",
    ]  # fmt: skip
    n_items = dict(zip(found["subset"], found["n_items"], strict=True))
    assert n_items == {"all": 5, "reading": 3, "ethics": 2}
    assert set(found["n_dropped"]) == {0}
    known = found[found["low"].notna()]
    assert {"f1", "prc", "no_answer"} <= set(known["metric"])
    assert (known["low"] <= known["value"]).all()
    assert (known["value"] <= known["high"]).all()


def test_one_guesser_is_enough_and_has_no_room_around_its_value():
    rows = rows_of(balanced(("reading", "ethics"), 40))
    found = random_guesser(rows, draws=1)
    assert found["value"].notna().all()
    assert found["low"].tolist() == pytest.approx(found["value"].tolist())
    assert found["high"].tolist() == pytest.approx(found["value"].tolist())
    assert set(found["reason"]) == {""}


def test_what_no_guesser_has_is_undefined_with_its_reason():
    rows = rows_of({(d, f"{d}-{i}", "Yes"): right("Yes") for d in "ab" for i in range(3)})
    found = random_guesser(rows, draws=30).set_index(["metric", "subset"])
    recall = found.loc["delta_recall", "all"]
    assert math.isnan(recall["value"])
    assert recall["reason"] == "the right answers are all Yes or all No"
    # A guesser that says one thing only has no difference of precision; the others have.
    assert found.loc["delta_precision", "all"]["value"] == -1
    assert found.loc["delta_precision", "all"]["reason"] == ""


@pytest.mark.parametrize("at_once", [1, 48, 100, 4_000_000])
@pytest.mark.parametrize("draws", [1, 2, 7])
def test_guessers_come_in_blocks_of_any_size_and_answer_every_form(monkeypatch, at_once, draws):
    monkeypatch.setattr(numbers, "_BLOCK_ANSWERS", at_once)
    truths = {"reading": np.array(["Yes", "No", "No"]), "ethics": np.array(["Yes"])}
    found = numbers._guessed(truths, draws, 0)
    assert len(found) == draws
    for subset, n in (("reading", 3), ("ethics", 1)):
        assert found[subset, "replies"].tolist() == [n * len(FORMS)] * draws
        assert found[subset, "without answer"].tolist() == [0] * draws
        said = found[subset, "said Yes"] + found[subset, "said No"]
        assert said.tolist() == [n] * draws
    assert found["reading", "is No"].tolist() == [2] * draws


def test_weights_of_a_guesser_reach_its_score():
    rows = rows_of(balanced(("reading", "ethics"), 10))
    on_f1 = random_guesser(rows, draws=5, weights={m: 0.9 * (m == "f1") for m in CORE})
    core = on_f1.set_index(["metric", "subset"])["value"]
    assert core["mbs_core", "all"] == pytest.approx(100 * core["f1", "all"])


def test_numbers_of_many_draws_are_those_of_each():
    for rows in (FEW, rows_of(balanced(("reading", "ethics"), 6)).pipe(lapsed)):
        (found,) = analyses(binary_qa, rows)
        assert_draws_stand_alone(found)


def test_a_thousand_guessers_are_drawn_from_seed_0_unless_said_otherwise():
    rows = rows_of({("reading", "a", "Yes"): right("Yes"), ("reading", "b", "No"): right("No")})
    given = random_guesser(rows, draws=1000, seed=0)
    pd.testing.assert_frame_equal(random_guesser(rows), given)
    assert not given.equals(random_guesser(rows, seed=1))


def test_trades_hang_on_their_seed():
    (found,) = analyses(binary_qa, rows_of(balanced(("reading", "ethics"), 6)).pipe(lapsed))
    assert_trades_hang_on_their_seed(found)


def test_runs_that_are_not_known_are_one():
    assert told(*analyses(binary_qa, FEW.assign(run=None))) == WORKED


def test_of_a_form_that_was_asked_and_never_answered_it_is_not_said_that_it_was_not_asked():
    silent = rows_of({key: dict.fromkeys(by_form) for key, by_form in balanced(n=2).items()})
    found = told(*analyses(binary_qa, silent))
    assert (
        "delta_precision all: nan, 6-0 6/3 = nan/0 nan/0; Yes or No was never the answer" in found
    )
    assert "nrc all: 0, 6-0 6/3" in found


def test_a_draw_tells_of_the_spread_over_the_domains_that_it_knows_if_there_are_two():
    basis = numbers._Basis(["a", "b", "c"], frozenset(FORMS), {}, WEIGHTS)
    by_domain = np.array([[0.5, 0.5, math.nan], [math.nan, 0.1, math.nan], [math.nan, 0.3, 0.2]])
    found = numbers._spread("delta_recall", list(by_domain), basis)
    assert found.values == pytest.approx([math.nan, np.std([0.5, 0.1, 0.3]), math.nan], nan_ok=True)
    two = numbers._spread("delta_recall", list(by_domain[:2]), replace(basis, subsets=["a", "b"]))
    assert two.values == pytest.approx([math.nan, 0.2, math.nan], nan_ok=True)
