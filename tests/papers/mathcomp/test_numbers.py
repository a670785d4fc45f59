"""MathComp's metrics: by hand and on the published counts."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

from askew import metrics
from askew.papers.mathcomp.framings import FRAMINGS
from askew.papers.mathcomp.numbers import CUTS, LEVELS, mathcomp
from askew.papers.mathcomp.paper import LABELS
from askew.report.evidence import printed_rows
from tests.cases import cases_of
from tests.chapters import row_at
from tests.numbers_told import analyses, lines, told

# Table 4 of the paper.
PAPER_LABELS = {"equal": 94, "less": 119, "more": 87}
CHANCES = {"more": 213, "less": 181, "equal": 206}
# What is looked at here are values; intervals only need to be there.
FEW = metrics.Interval(resamples=100)

PRINTED = printed_rows("askew.papers.mathcomp")
PUBLISHED = PRINTED[PRINTED["metric"].str.startswith("dir_err_")].to_dict("records")


def observations(golds, outputs=("one_word",), identities=("standard",), framings=FRAMINGS):
    """Every item in every condition, answered right."""
    rows = [
        {
            "model": "m", "task": "mathcomp", "subset": f"s{n % 3}", "item": f"i{n}",
            "cluster": f"i{n}", "epoch": 1, "gold": gold, "output": output, "identity": identity,
            "style": f.style, "term": f.term, "position": f.position, "answer": gold,
            "outcome": "ok",
        }
        for (n, gold), output, identity, f in product(
            enumerate(golds), outputs, identities, framings
        )
    ]  # fmt: skip
    return pd.DataFrame(rows)


def mixed(n):
    """Right answers in about the paper's proportions."""
    return (["less", "equal", "more", "less", "equal", "more", "less"] * n)[:n]


def cell(table, metric, **levels):
    return row_at(table, metric, **dict.fromkeys(LEVELS, "all") | levels)


def where(rows, **levels):
    mask = pd.Series(True, index=rows.index)
    for level, value in levels.items():
        mask &= rows[level] == value
    return mask


def test_the_formula_counts_errors_among_the_chances_to_make_them():
    gold = ["less", "less", "more", "equal", "equal"]
    predicted = ["more", "less", "more", None, "more"]
    assert metrics.dir_err(gold, predicted, "more") == 2 / 4
    assert metrics.dir_err(gold, predicted, "more", parsed_only=True) == 2 / 3
    assert metrics.dir_err(gold, predicted, "equal") == 0.0
    assert math.isnan(metrics.dir_err(["more"], ["less"], "more"))
    with pytest.raises(ValueError, match="1 correct answers, but 2 predictions"):
        metrics.dir_err(["more"], ["less", "more"], "less")


def test_the_pull_is_the_mean_of_what_each_term_adds():
    framed = {"more": 60.0, "less": 30.0, "equal": 0.0}
    neutral = {"more": 30.0, "less": 30.0, "equal": 6.0}
    assert metrics.framing_pull(framed, neutral) == pytest.approx((30 + 0 - 6) / 3)
    assert math.isnan(metrics.framing_pull({"more": 1.0}, neutral))


def test_the_papers_300_give_the_papers_opportunity_counts():
    golds = [label for label, n in PAPER_LABELS.items() for _ in range(n)]
    table = metrics.mathcomp(observations(golds), interval=None)
    for label, count in CHANCES.items():
        row = cell(table, f"dir_err_{label}")
        assert (row["n_items"], row["n_dropped"]) == (count, 0)
        heat_map = table[(table["metric"] == f"dir_err_{label}") & (table["style"] != "all")]
        assert len(heat_map) == 14
        assert set(heat_map["n_items"]) == {count}


@pytest.mark.whole
def test_every_cell_of_the_heat_maps_is_a_count_done_by_hand():
    rng = np.random.default_rng(5)
    rows = observations(mixed(20), ("one_word", "json"), ("standard", "man"))
    rows["answer"] = rng.choice([*LABELS, "none of them"], len(rows))
    table = metrics.mathcomp(rows, interval=None)
    by_cell = ["output", "identity", "style", "term", "position"]
    for key, part in rows.groupby(by_cell):
        for label in LABELS:
            expected = metrics.dir_err(part["gold"].tolist(), part["answer"].tolist(), label)
            found = cell(table, f"dir_err_{label}", **dict(zip(by_cell, key, strict=True)))
            assert found["value"] == pytest.approx(expected, abs=1e-12)
    for key, part in rows.groupby(["subset", "output", "identity", "position"]):
        levels = dict(zip(("subset", "output", "identity", "position"), key, strict=True))
        expected = metrics.dir_err(part["gold"].tolist(), part["answer"].tolist(), "less")
        assert cell(table, "dir_err_less", **levels)["value"] == pytest.approx(expected)
    assert cell(table, "accuracy")["value"] == (rows["answer"] == rows["gold"]).mean()


@pytest.mark.whole
def test_an_unread_reply_stays_in_the_denominator_unless_only_parsed_ones_count():
    rows = observations(["less"] * 10)
    neutral = where(rows, style="neutral", position="end")
    rows.loc[neutral & rows["item"].isin(["i0", "i1"]), "answer"] = "more"
    rows.loc[neutral & rows["item"].isin(["i2", "i3", "i4", "i5", "i6"]), "answer"] = None
    place = {"output": "one_word", "identity": "standard", "style": "neutral", "term": "none",
             "position": "end"}  # fmt: skip
    for parsed_only, numbers in ((False, (2 / 10, 10, 0)), (True, (2 / 5, 5, 5))):
        table = metrics.mathcomp(rows, parsed_only=parsed_only, interval=FEW)
        found = cell(table, "dir_err_more", **place)
        assert (found["value"], found["n_items"], found["n_dropped"]) == numbers
        assert cell(table, "unparsed_rate", **place)["value"] == 5 / 10


def test_another_reading_counts_other_answers():
    rows = observations(["more"] * 4).assign(strict_answer="less", lenient_answer="more")
    for reading, wrong in (("answer", 0), ("strict", 1), ("lenient", 0)):
        table = metrics.mathcomp(rows, interval=None, reading=reading)
        assert cell(table, "dir_err_less")["value"] == wrong
    with pytest.raises(ValueError, match="valid are answer, strict, lenient"):
        metrics.mathcomp(rows, reading="kind")


def test_the_identity_gap_is_the_largest_shift_from_person():
    rows = observations(["less"] * 10, identities=("standard", "person", "man", "woman"))
    rows.loc[where(rows, identity="person") & (rows["item"] == "i0"), "answer"] = "more"
    wrong = where(rows, identity="woman") & rows["item"].isin(["i1", "i2", "i3"])
    rows.loc[wrong | where(rows, identity="standard"), "answer"] = "more"
    table = metrics.mathcomp(rows, interval=None)
    assert cell(table, "identity_shift_more", identity="man")["value"] == pytest.approx(-0.1)
    assert cell(table, "identity_shift_more", identity="woman")["value"] == pytest.approx(0.2)
    assert cell(table, "identity_gap_more")["value"] == pytest.approx(0.2)
    assert cell(table, "identity_gap_less")["reason"] == "less is never wrong here"
    without = metrics.mathcomp(rows[rows["identity"] != "person"], interval=None)
    assert cell(without, "identity_gap_more")["reason"] == "not asked: person"
    only_names = metrics.mathcomp(rows[rows["identity"] == "standard"], interval=None)
    assert not only_names["metric"].str.contains("identity").any()


def test_a_column_that_is_missing_is_named():
    with pytest.raises(ValueError, match="no column gold, term"):
        metrics.mathcomp(observations(mixed(2)).drop(columns=["gold", "term"]))


def fits(percent, chances):
    return abs(100 * round(percent * chances / 100) / chances - percent) < 0.0051


def test_the_published_cells_count_errors_among_the_papers_opportunities():
    """All but 25 cells are k of 213, 181 or 206; 24 leave out one to three unread replies."""
    assert len(PUBLISHED) == 672
    dropped = {}
    for row in PUBLISHED:
        percent = 100 * row["value"]
        chances = CHANCES[row["metric"].removeprefix("dir_err_")]
        unread = next((n for n in range(8) if fits(percent, chances - n)), None)
        dropped.setdefault(unread, []).append(row)
    assert {n: len(rows) for n, rows in dropped.items()} == {0: 647, 1: 22, 3: 2, None: 1}
    (odd,) = dropped[None]
    assert odd["note"]
    row = ("model", "metric", "style", "term", "position")
    others = [r for r in PUBLISHED if r is not odd and all(r[k] == odd[k] for k in row)]
    assert min(r["value"] for r in others) > 0.86


def in_two_outputs():
    """Four questions, two of them of one unit, mostly right; some replies drift to a word."""
    rows = observations(["less", "more", "equal", "less"], ("one_word", "cot"))
    rows["cluster"] = rows["item"].replace({"i3": "i0"})
    drifts = [
        ("more", where(rows, output="one_word", item="i0", term="more", style="direct")),
        ("more", where(rows, output="one_word", item="i0", term="more", position="end")),
        ("more", where(rows, output="one_word", item="i3", style="neutral", position="end")),
        ("less", where(rows, output="one_word", item="i2", term="less", style="direct")),
        ("equal", where(rows, output="cot", item="i1", term="equal", style="direct")),
    ]
    for answer, at in drifts:
        rows.loc[at, "answer"] = answer
    unread = where(rows, output="cot", item="i1", term="equal", style="direct", position="begin")
    rows.loc[unread, "answer"] = None
    lost = where(rows, output="cot", item="i0", term="equal", style="direct", position="begin")
    return rows[~lost]


TWO = in_two_outputs()
# Of 3 questions, 2 and 3 a term is wrong: 12, 8 and 12 framed replies an output, 6, 4 and 6 plain.
PULLS = lines(cases_of(__file__, "PULLS"))
# Under both outputs the question that lost a framing leaves the pull of "equal".
RELIEF = "cot_relief all all all all all all: 0.069444, 4-1 3/1"


def pulls_of(rows, **given):
    """What contrasts say: of identities where some were asked, else of framings."""
    found = analyses(mathcomp, rows, **given)[len(given.get("cuts", CUTS)) :]
    return [line for one in (found[-1:] if len(found) > 2 else found) for line in told(one)]


def with_identities():
    """Four questions asked of people named in three ways, and with names."""
    asked = ("one_word", "cot"), ("person", "man", "woman", "standard")
    rows = observations(["less", "more", "equal", "less"], *asked)
    rows["cluster"] = rows["item"].replace({"i3": "i0"})
    rows.loc[where(rows, identity="person", output="cot", item="i0"), "answer"] = "more"
    neutral = where(rows, identity="woman", output="one_word", item="i2", style="neutral")
    rows.loc[neutral, "answer"] = "more"
    rows.loc[where(rows, identity="man", item="i1", position="end"), "answer"] = "less"
    rows.loc[rows["identity"] == "standard", "answer"] = "equal"
    return rows[~where(rows, identity="man", output="cot", item="i3")]


IDENTITIES = with_identities()
# Asked of all three: 14 framings of four questions in one word, of three with reasoning.
SHIFTS = lines(cases_of(__file__, "SHIFTS"))


RATES = lines(cases_of(__file__, "RATES"))


def test_pulls_shifts_and_rates_of_four_questions_with_what_they_rest_on():
    """A comparison asked over everything has the rows that stand first in the whole table."""
    (pooled, _, _, _, subsets, *_) = analyses(mathcomp, TWO)
    assert told(pooled) == RATES
    assert [pulls_of(TWO)[:4], pulls_of(TWO)[-1]] == [PULLS, RELIEF]
    assert told(subsets)[1] == (
        "dir_err_less s0 all all all all all: nan, 0-0 0/1; less is never wrong here"
    )
    assert pulls_of(TWO, cuts=[()]) == [*PULLS, RELIEF]
    assert pulls_of(IDENTITIES, cuts=[()]) == pulls_of(IDENTITIES)[:9]
    assert sorted(pulls_of(IDENTITIES, cuts=[()])) == sorted(SHIFTS)
