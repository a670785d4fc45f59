"""A plan as a document, word for word, on plans that are made by hand."""

import math
from dataclasses import replace

import pandas as pd
import pytest

from askew.decide.plan import Expense, Plan
from askew.decide.plan_document import plan_document
from askew.decide.power import Advice, Width
from askew.decide.tiers import TierShown
from askew.decide.workload import Assumptions, Load
from askew.report.ceiling import AtCeiling, Ceilings
from askew.report.document import Column, Estimate, Group, Notes, Table, text_row
from askew.schema import MISSING, PERCENT, POINTS, Unit
from askew.statistics.variance import Design
from askew.untrusted import one_line

NAN = math.nan
UNKNOWN = f"{MISSING} points"
NUMBER = Unit("", digits=2)


def expense(model="a/b", role="model", load=None, cost=0.0, minutes=1.0, thinks=False):
    load = load or Load(2, 1_200, 30)
    return Expense(model, role, load, cost, "your table", thinks, minutes)


def made(**given):
    about = {
        "task": "knowno", "data": "bundled", "n_items": 1_200, "n_samples": 4_800, "epochs": 1,
        "rate": 60.0, "expenses": (expense(),), "widths": (), "assumptions": Assumptions(),
        "like": "typical", "level": 0.9, "seeds": 3,
    }  # fmt: skip
    return Plan(**(about | given))


def blocks(plan, number=0):
    (part,) = plan_document([plan]).parts
    return part.sections[0].blocks


def texts(table):
    return [[row.head, *(cell.text for cell in row.cells)] for row in table.groups[0].rows]


def heads(table):
    return [column.label for column in table.columns]


def test_the_document_has_a_part_a_plan_with_what_is_asked():
    document = plan_document([made(), made(task="mathcomp", epochs=2)])
    assert document.title == "What will it cost, and what will it show?"
    assert (document.lede, document.outcome) == ("", "")
    assert [(p.id, p.title, p.short) for p in document.parts] == [
        ("plan-0", "knowno", ""), ("plan-1", "mathcomp", ""),
    ]  # fmt: skip
    asked, more = (p.sections[0].paragraphs for p in document.parts)
    assert asked == ["knowno (bundled): 1,200 items, 4,800 samples"]
    assert more == ["mathcomp (bundled): 1,200 items, 4,800 samples, 2 epochs"]
    assert [[block.id for block in p.sections[0].blocks] for p in document.parts] == [
        ["expenses-0", "widths-0"], ["expenses-1", "widths-1"],
    ]  # fmt: skip
    for part in document.parts:
        first, then = part.sections
        assert [first.id, first.title, then.id, then.title] == [""] * 4
        assert not then.blocks


def test_expenses_are_told_model_by_model_and_in_all():
    asked = (
        expense("a/b", load=Load(4_800, 1_200_000, 48_000), cost=3.25, minutes=80.0),
        expense("", "grader", Load(480, 96_000, 4_800), cost=0.0, minutes=8.0),
        expense("p/q", "polisher", Load(1, 2, 3), cost=0.005, minutes=0.0167),
    )
    table = blocks(made(expenses=asked))[0]
    assert table == Table(
        id="expenses-0",
        caption="",
        head="model",
        columns=[
            Column("calls"), Column("tokens in"), Column("tokens out"), Column("cost"),
            Column("time"), Column("price", numeric=False),
        ],
        groups=[
            Group([
                text_row("a/b", ["4,800", "1,200,000", "48,000", "$3.25", "80 min", "your table"]),
                text_row("grader: not named",
                         ["480", "96,000", "4,800", "$0.00", "8 min", "your table"]),
                text_row("polisher: p/q", ["1", "2", "3", "under $0.01", "2 s", "your table"]),
            ])
        ],
        source="In all: $3.25",
    )  # fmt: skip


def test_one_expense_needs_no_sum_and_an_unknown_price_has_none():
    assert blocks(made(expenses=(expense(cost=2.0),)))[0].source == ""
    unknown = blocks(made(expenses=(expense(cost=2.0), expense("c/d", cost=None))))[0]
    assert unknown.source == ""
    assert [row[4] for row in texts(unknown)] == ["$2.00", MISSING]
    free = blocks(made(expenses=(expense(), expense("c/d"))))[0]
    assert free.source == "In all: $0.00"


def test_what_another_s_solver_asks_is_a_lower_bound():
    plan = made(expenses=(expense(cost=2.0), expense("c/d", cost=1_000.5)), at_least=True)
    table = blocks(plan)[0]
    assert texts(table)[1] == [
        "c/d", "from 2", "from 1,200", "from 30", "from $1,000.50", "from 60 s", "your table",
    ]  # fmt: skip
    assert table.source == "In all: from $1,002.50"


@pytest.mark.parametrize(
    ("cost", "told"),
    [
        (0.0, "$0.00"),
        (0.0099, "under $0.01"),
        (0.01, "$0.01"),
        (1, "$1.00"),
        (1e6, "$1,000,000.00"),
    ],
)
def test_dollars_are_told_in_cents(cost, told):
    assert texts(blocks(made(expenses=(expense(cost=cost),)))[0])[0][4] == told


@pytest.mark.parametrize(
    ("minutes", "told"),
    [(0.01, "1 s"), (1.49, "90 s"), (1.5, "2 min"), (89.0, "89 min"), (90.0, "1.5 h"),
     (150.0, "2.5 h"), (600.0, "10.0 h")],
)  # fmt: skip
def test_time_is_told_in_the_unit_that_fits_it(minutes, told):
    assert texts(blocks(made(expenses=(expense(minutes=minutes),)))[0])[0][5] == told


KNOWN = Width(
    "accuracy", PERCENT, 1_200, 0.5, 0.06, width_error=0.002,
    difference=0.031, difference_error=0.004, beside_noise=0.1, beside_noise_error=0.01,
)  # fmt: skip


def test_widths_have_their_errors_and_differences_of_rates_are_points():
    found = (
        KNOWN,
        Width("spread", NUMBER, 40, 1.5, 0.25),
        Width("odd", POINTS, 7, NAN, NAN, reason="no items"),
        replace(KNOWN, metric="no error", width_error=NAN, difference=NAN, beside_noise=0.0),
    )
    table = blocks(made(widths=found))[1]
    assert table == Table(
        id="widths-0",
        caption="What to expect of a model that answers like respondent/typical, over 3 seeds",
        head="metric",
        columns=[
            Column("items"), Column("about"), Column("90% interval's width"),
            Column("difference shown"), Column("more than noise from"),
        ],
        groups=[
            Group([
                text_row("accuracy", ["1,200", "50.0 %", "6.0 ± 0.2 points", "3.1 ± 0.4 points",
                                      "10.0 ± 1.0 %"]),
                text_row("spread", ["40", "1.50", "0.25", MISSING, MISSING]),
                text_row("odd", ["7", MISSING, "no items", MISSING, MISSING]),
                text_row("no error", ["1,200", "50.0 %", "6.0 points", MISSING, "0.0 ± 1.0 %"]),
            ])
        ],
    )  # fmt: skip


def test_items_for_a_width_and_an_effect_stand_beside_only_where_they_are_asked_for():
    width = replace(KNOWN, wanted=0.05, n_needed=1_728, n_needed_error=99.2)
    both = replace(
        width, n_needed=1_200, n_needed_error=NAN, effect=0.02, power=0.5, power_error=0.03,
        n_for_effect=2_900, n_for_effect_error=100.0,
    )  # fmt: skip
    unknown = replace(both, width=NAN, reason="too few", n_needed=None, power=NAN,
                      n_for_effect=None)  # fmt: skip
    table = blocks(made(widths=(width,)))[1]
    assert heads(table)[5:] == ["items for the wanted width"]
    assert [row[6:] for row in texts(table)] == [["1,728 ± 100 (there are 1,200)"]]
    table = blocks(made(widths=(both, unknown)))[1]
    assert heads(table)[5:] == ["items for the wanted width", "power", "items for the effect"]
    assert [row[6:] for row in texts(table)] == [
        ["1,200", "50 ± 3 %", "2,900 ± 100 (there are 1,200)"], [MISSING, MISSING, MISSING],
    ]  # fmt: skip
    only = replace(KNOWN, effect=0.02, power=0.8, n_for_effect=1_201, n_for_effect_error=NAN)
    table = blocks(made(widths=(only,)))[1]
    assert heads(table)[5:] == ["power", "items for the effect"]
    assert [row[6:] for row in texts(table)] == [["80 %", "1,201 (there are 1,200)"]]


def test_a_tier_says_whether_it_has_room():
    tiers = (TierShown("core", 1_000, 900, 0.031, 0.9), TierShown("hard", 20, 20, 0.03, NAN))
    table = blocks(made(tiers=tiers))[2]
    assert table == Table(
        id="tiers-0",
        caption="What each tier can show of two models' accuracy where nothing bends them",
        head="tier",
        columns=[
            Column("items"), Column("shown near 97 %"),
            Column("tells models there apart", numeric=False), Column("shown near 70 %"),
        ],
        groups=[
            Group([
                text_row("core", ["1,000", "3.1 points", "no: 3.0 points are left", "90.0 points"]),
                text_row("hard", ["20", "3.0 points", "yes", MISSING]),
            ])
        ],
        source="A model at 97 % or more is at the ceiling of a tier: ask the hard one (-T "
        "tier=hard). Texts count once, and mistakes as if they had nothing in common.",
    )  # fmt: skip


def plan_note(found):
    (note,) = Ceilings((found,)).notes
    return note


FOUND = AtCeiling(
    "knowno", "a/b", "mctest", "core", Estimate(0.99, 0.96, 1.0, 200), "Ask harder ones"
)


def test_what_is_at_its_ceiling_is_told_before_what_to_buy():
    plan = made(ceilings=Ceilings((FOUND,)), advice=(ADVICE,))
    told = blocks(plan)[2]
    assert isinstance(told, Notes)
    assert list(told.lines) == list(plan.ceilings.notes)
    assert "Ask harder ones" in told.lines[0]
    assert [block.id for block in blocks(plan) if isinstance(block, Table)] == [
        "expenses-0", "widths-0", "next-0-0",
    ]  # fmt: skip
    wordy = replace(FOUND, instead="y" * 2_000)
    (line,) = blocks(made(ceilings=Ceilings((wordy,))))[2].lines
    assert line == one_line(plan_note(wordy), 1_000)
    assert len(line) < len(plan_note(wordy))


ADVICE = Advice(
    "respondent/typical", "correct", Design(30, 4, 2),
    {"item": 0.5, "wording": 0.125, "resampling": 0.375},
    {"": 0.05, "items": 0.04, "wordings": 0.03, "epochs": 0.045},
    {"": 0.02, "items": 0.015, "epochs": 0.018},
)  # fmt: skip


def test_what_twice_the_replies_buy_is_told_by_what_is_doubled():
    noted = replace(ADVICE, model="real\nmodel", note="one epoch only")
    plan = made(advice=(ADVICE, noted))
    table, other = blocks(plan)[2:]
    assert table == Table(
        id="next-0-0",
        caption="What twice the replies would buy, by the answers of respondent/typical",
        head="asked",
        columns=[
            Column("items"), Column("wordings"), Column("epochs"),
            Column("error over these wordings"), Column("over wordings at large"),
        ],
        groups=[
            Group([
                text_row("as planned", ["30", "4", "2", "2.00 points", "5.00 points"]),
                text_row("twice the items", ["60", "4", "2", "1.50 points", "4.00 points"]),
                text_row("twice the wordings", ["30", "8", "2", UNKNOWN, "3.00 points"]),
                text_row("twice the epochs", ["30", "4", "4", "1.80 points", "4.50 points"]),
            ])
        ],
        source="Most for the money: items for these wordings, wordings for wordings at large. "
        "Variance of single answers (correct): item 50%, wording 12%, resampling 38%",
    )  # fmt: skip
    assert other.id == "next-0-1"
    assert other.caption.endswith("by the answers of real model")
    assert other.source == f"{table.source}; resampling: one epoch only"


def test_where_there_is_nothing_to_split_the_reason_is_told():
    table = blocks(made(advice=(replace(ADVICE, reason="one wording"),)))[2]
    assert texts(table) == [["as planned", *[MISSING] * 5]]
    assert table.source == "None: one wording"
    assert len(heads(table)) == 5


def assumed(plan):
    (part,) = plan_document([plan]).parts
    return part.sections[1].paragraphs


def test_what_a_plan_assumes_is_told_in_full():
    assert assumed(made(rate=12.5)) == [
        "Difference shown: the smallest between two models, asked the same items, that a "
        "comparison shows 80% of the time; as if their mistakes had nothing in common. "
        "Of models that fail at the same items, smaller ones show. More than noise: values that "
        "80% of runs show to be more than a model without the effect has. "
        "± are standard errors over 3 seeds of the simulated model; where a number has none, too "
        "few seeds know it.",
        "Estimates, made offline: 4 characters a token; a reply is as long as the right answer "
        "and 10 tokens more, 300 more where it is asked to reason.",
        "Time: 12.5 requests a minute, without retries. Cost: without any cache.",
    ]


def test_what_is_assumed_of_solvers_reasoning_and_judges_is_told_where_they_are():
    asked = (
        expense("r/one", thinks=True), expense("r/two", thinks=True),
        expense("r/one", "polisher", thinks=True), expense("j/k", "grader"),
    )  # fmt: skip
    told = assumed(made(expenses=asked, at_least=True))
    assert told[2:5] == [
        "At least so much: the author's solver counts as one call a sample, without its own "
        "prompt. An agent makes a call a step and sends what came before again: multiply by "
        "the calls a sample in a log of a few (inspect eval ... --limit 2).",
        "Reasoning models (r/one, r/two): 600 hidden tokens a call, billed as output; the real "
        "number may be many times that.",
        "Judge: where rules read first, 10% of the replies are left to it.",
    ]
    assert len(told) == 6


def test_a_file_for_programs_holds_every_number():
    width = replace(KNOWN, wanted=0.05, n_needed=1_728)
    tier = TierShown("hard", 20, 20, 0.02, 0.1)
    plan = made(
        expenses=(expense(cost=1.5), expense("c/d", cost=0.25)), widths=(width,),
        advice=(ADVICE,), tiers=(tier,), ceilings=Ceilings((FOUND,)),
    )  # fmt: skip
    document = plan_document([plan])
    told = document.data()
    assert (told["schema"], told["version"]) == ("askew-plan", "1.2")
    (only,) = told["plans"]
    assert only["cost"] == 1.75
    assert only["ceilings"] == plan.ceilings.records
    assert only["ceilings"][0]["ceiling"] == "at"
    assert only["expenses"][1]["load"] == {"calls": 2, "tokens_in": 1_200, "tokens_out": 30}
    (found,) = only["widths"]
    assert (found["unit"], found["metric"], found["n_needed"]) == ("%", "accuracy", 1_728)
    assert only["advice"][0]["next"] == "wordings"
    assert only["advice"][0]["shares"] == ADVICE.shares
    assert only["tiers"] == [
        {"tier": "hard", "n_items": 20, "n_units": 20, "at_ceiling": 0.02, "in_the_middle": 0.1,
         "has_room": True}
    ]  # fmt: skip
    assert {"task": "knowno", "data": "bundled", "like": "typical"}.items() <= only.items()


def test_rows_tell_expenses_widths_purchases_tiers_and_ceilings():
    plan = made(
        widths=(KNOWN,), advice=(ADVICE,), tiers=(TierShown("hard", 20, 19, 0.02, 0.1),),
        ceilings=Ceilings((FOUND,)), epochs=2,
    )  # fmt: skip
    rows = plan_document([plan]).rows
    assert set(rows["epochs"]) == {2}
    assert set(rows["task"]) == {"knowno"}
    assert set(rows["data"]) == {"bundled"}
    told = [{k: v for k, v in row.items() if not pd.isna(v)} for row in rows.to_dict("records")]
    about = {"task": "knowno", "data": "bundled", "epochs": 2}
    assert told[0] == about | {
        "calls": 2, "tokens_in": 1_200, "tokens_out": 30, "model": "a/b", "role": "model",
        "cost": 0.0, "price_from": "your table", "thinks": False, "minutes": 1.0,
    }  # fmt: skip
    assert told[1] == about | {
        "metric": "accuracy", "unit": "%", "n_items": 1_200, "value": 0.5, "width": 0.06,
        "reason": "", "width_error": 0.002, "difference": 0.031, "difference_error": 0.004,
        "beside_noise": 0.1, "beside_noise_error": 0.01,
    }  # fmt: skip
    bought = {"model": "respondent/typical"}
    assert told[2:6] == [
        about | bought | {"twice": "", "error": 0.05, "these": 0.02},
        about | bought | {"twice": "items", "error": 0.04, "these": 0.015},
        about | bought | {"twice": "wordings", "error": 0.03},
        about | bought | {"twice": "epochs", "error": 0.045, "these": 0.018},
    ]
    assert told[6] == about | {
        "tier": "hard", "n_items": 20, "n_units": 19, "at_ceiling": 0.02, "in_the_middle": 0.1,
        "has_room": True,
    }  # fmt: skip
    assert told[7] == about | {
        "model": "a/b", "subset": "mctest", "tier": "core", "ceiling": "at", "value": 0.99,
        "low": 0.96, "high": 1.0, "n_items": 200, "instead": "Ask harder ones",
    }  # fmt: skip
    assert len(told) == 8
