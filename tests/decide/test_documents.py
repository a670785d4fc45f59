"""Comparisons and outcomes of a gate as documents, word for word, on what is made by hand."""

import math

import pandas as pd
import pytest

from askew.decide import documents
from askew.decide.compare import COLUMNS, Comparison
from askew.decide.documents import comparison_document, gate_document
from askew.decide.gate import Gate
from askew.decide.pairing import VERDICTS
from askew.decide.policy import Check, Rule
from askew.report.ceiling import AtCeiling, Ceilings
from askew.report.document import Cell, Column, Estimate, Group, Notes, Table, Terms, text_row
from askew.schema import MISSING
from askew.untrusted import one_line

NAN = math.nan
PLAIN = {
    "task": "knowno", "metric": "omni_accuracy", "model": "x/new", "subset": "all", "tier": NAN,
    "baseline_value": 0.5, "model_value": 0.625, "difference": 0.125, "low": 0.05, "high": 0.2,
    "p_value": 0.004, "p_corrected": 0.0126, "p_equal": 0.9, "noise_off": False,
    "verdict": "better", "better_is": "higher", "margin": 0.05, "n_items": 1_200, "n_units": 1_100,
    "n_needed": 300, "reason": "", "baseline_ceiling": "", "model_ceiling": "at",
}  # fmt: skip


def made(*rows, models=("x/new",), simulated=(), treatments=(), notes=(), ceilings=(), level=0.95):
    table = pd.DataFrame([PLAIN | row for row in rows], columns=[*PLAIN])
    own = [name for name in PLAIN if name not in COLUMNS]
    more = [name for row in rows for name in row if name not in (*PLAIN, *COLUMNS)]
    for name in dict.fromkeys(more):
        table[name] = [row.get(name, NAN) for row in rows]
    for name in set(COLUMNS) - set(PLAIN):
        table[name] = [row.get(name, NAN) for row in rows]
    table = table[[*own, *dict.fromkeys(more), *COLUMNS]]
    return Comparison(
        "x/old", tuple(models), frozenset(simulated), table, tuple(treatments), tuple(notes), level,
        Ceilings(tuple(ceilings)),
    )  # fmt: skip


def shown(*rows, **options):
    """The tables of differences."""
    return comparison_document(made(*rows, **options)).parts[0].sections[0].blocks


def cells(**row):
    (table,) = shown(row)
    ((only,),) = (group.rows for group in table.groups)
    return only


def test_a_comparison_is_a_table_a_task_and_model():
    tables = shown({}, {"model": "x/also", "subset": "mctest"}, {"metric": "gap"}, level=0.9)
    assert [(t.id, t.caption) for t in tables] == [
        ("comparison-0", "knowno: x/new"), ("comparison-1", "knowno: x/also"),
    ]  # fmt: skip
    assert [[row.head for row in t.groups[0].rows] for t in tables] == [
        ["omni_accuracy", "gap"], ["omni_accuracy (subset=mctest)"],
    ]  # fmt: skip
    assert tables[1] == Table(
        id="comparison-1",
        caption="knowno: x/also",
        head="metric",
        columns=[
            Column("baseline"), Column("model"), Column("difference (90% interval)"),
            Column("unit", numeric=False), Column("p, corrected"), Column("items"),
            Column("verdict", numeric=False),
        ],
        groups=[
            Group([
                text_row(
                    "omni_accuracy (subset=mctest)",
                    ["50.0", "62.5", "+12.5 (+5.0 to +20.0)", "points", "0.013", "1,200", "better"],
                )
            ])
        ],
    )  # fmt: skip


def test_a_difference_without_an_interval_stands_alone_and_an_unknown_one_is_a_dash():
    alone = cells(low=NAN, high=NAN)
    assert alone.cells[2] == Cell("+12.5")
    unknown = cells(
        difference=NAN, low=NAN, high=NAN, p_corrected=NAN, model_value=NAN,
        verdict="can't be compared", reason="asked\notherwise",
    )  # fmt: skip
    assert [cell.text for cell in unknown.cells] == [
        "50.0", MISSING, MISSING, "points", MISSING, "1,200", "can't be compared: asked otherwise",
    ]  # fmt: skip
    down = cells(difference=-0.125, low=-0.2, high=-0.05).cells[2].text
    assert [part.lstrip("\u2212") for part in down.replace("(", "").split()] == [
        "12.5", "20.0", "to", "5.0)",
    ]  # fmt: skip
    assert down.count("\u2212") == 3


@pytest.mark.parametrize(
    ("p", "told"),
    [(0.0009, "<0.001"), (0.001, "0.001"), (0.0126, "0.013"), (1.0, "1.000"), (NAN, MISSING)],
)
def test_p_values_are_told_to_a_thousandth(p, told):
    assert cells(p_corrected=p).cells[4].text == told


@pytest.mark.parametrize(
    ("verdict", "n_needed", "told"),
    [
        ("too few items to tell", 2_300, "too few items to tell: about 2,300 items needed"),
        ("too few items to tell", 0, "too few items to tell"),
        ("no difference shown", 2_300, "no difference shown"),
        ("can't be compared", 2_300, "can't be compared: why"),
    ],
)
def test_a_verdict_is_told_with_what_a_clear_one_takes(verdict, n_needed, told):
    assert cells(verdict=verdict, n_needed=n_needed, reason="why").cells[6].text == told


def test_levels_that_say_something_stand_beside_the_metric():
    (table,) = shown(
        {"subset": "mctest", "tier": "hard"}, {"subset": "all", "tier": "hard"},
        {"subset": "mctest", "tier": ""},
    )  # fmt: skip
    assert [row.head for row in table.groups[0].rows] == [
        "omni_accuracy (subset=mctest, tier=hard)", "omni_accuracy (tier=hard)",
        "omni_accuracy (subset=mctest)",
    ]  # fmt: skip


FOLDED = "the nearer to 0 the better: the difference is that of the distances"
NOISE_OFF = (
    "noise alone moves this number one way: the difference is that of the values with their noise "
    "taken off"
)


def test_what_the_difference_is_of_is_marked_and_noted():
    (table,) = shown({}, {"metric": "gap"})
    assert [row.cells[2].mark for row in table.groups[0].rows] == ["", "0"]
    assert table.notes == {"0": FOLDED}
    (table,) = shown({"noise_off": True}, {"metric": "gap", "noise_off": True})
    assert [row.cells[2].mark for row in table.groups[0].rows] == ["n", "n"]
    assert table.notes == {"n": NOISE_OFF}
    assert shown({})[0].notes == {}
    assert [cell.mark for cell in cells(metric="gap").cells] == ["", "", "0", "", "", "", ""]


def test_units_other_than_percent_keep_their_names():
    row = cells(
        task="binary_qa", metric="mbs", baseline_value=60.0, model_value=62.5, difference=2.5,
        low=-1.0, high=6.0, baseline_null_p=0.25, baseline_null_mean=90.0, baseline_null_high=85.0,
        baseline_without_noise=NAN, model_null_p=0.5, model_null_mean=91.0, model_null_high=86.0,
        model_without_noise=64.0,
    )  # fmt: skip
    assert row.cells[0].text == (
        "60.0; without the effect 90.0, in one run of twenty 85.0; p = 0.250"
    )
    assert row.cells[1].text == (
        "62.5; noise taken off 64.0; without the effect 91.0, in one run of twenty 86.0; p = 0.500"
    )
    assert row.cells[2].text == "+2.5 (\u22121.0 to +6.0)"
    assert row.cells[3].text == "of 100"


def test_a_comparison_says_what_was_compared_and_who_is_simulated():
    rows = ({}, {"metric": "gap", "p_value": NAN})
    document = comparison_document(made(*rows, simulated=("x/old", "x/new"), notes=("a\nnote",)))
    assert document.title == "Which model bends less?"
    assert document.lede == (
        "Compared with x/old (simulated): differences on the samples that both models answered, "
        "95% intervals, p-values corrected over 1 comparisons."
    )
    assert [(p.id, p.title) for p in document.parts] == [
        ("differences", "Differences"), ("notes", "Before you trust it"),
        ("verdicts", "What the verdicts mean"),
    ]  # fmt: skip
    first, notes, verdicts = (p.sections[0] for p in document.parts)
    assert first.paragraphs == []
    assert first.blocks[0].caption == "knowno: x/new (simulated)"
    assert notes.blocks == (Notes(["a note"]),)
    assert verdicts.blocks == (Terms(VERDICTS),)
    assert "x/new, x/old" in document.simulated
    assert document.rows["metric"].tolist() == ["omni_accuracy", "gap"]
    plain = comparison_document(made({}))
    assert plain.lede.startswith("Compared with x/old: ")
    assert [p.id for p in plain.parts] == ["differences", "verdicts"]
    assert plain.simulated == ""


def test_a_long_note_is_cut_and_a_short_one_is_not():
    (part,) = (
        p for p in comparison_document(made({}, notes=("n" * 999, "m" * 2_000))).parts
        if p.id == "notes"
    )  # fmt: skip
    short, long = part.sections[0].blocks[0].lines
    assert short == "n" * 999
    assert long == one_line("m" * 2_000, 1_000)


def test_a_model_alone_is_compared_with_itself():
    treatment = Table("t", "", "arm", [], [Group([])], records=({"verdict": "mitigated"},))
    document = comparison_document(made(models=(), treatments=(treatment,)))
    assert document.lede == (
        "x/old compared with itself, with a treatment and without: paired on the items that were "
        "scored in both."
    )
    assert document.parts[0].sections[0].blocks == [treatment]
    assert document.parts[0].sections[0].paragraphs == []
    assert document.data()["mitigations"] == [{"verdict": "mitigated"}]
    nothing = comparison_document(made()).parts[0].sections[0]
    assert (nothing.paragraphs, nothing.blocks) == (["No task was answered by both models."], [])


FOUND = AtCeiling(
    "knowno", "x/new", "mctest", "core", Estimate(0.99, 0.96, 1.0, 200), "Ask harder ones"
)


def test_a_file_for_programs_holds_the_whole_comparison():
    comparison = made(
        {"subset": "mctest", "tier": "hard"}, {}, simulated=("x/old", "x/new"), notes=("a",),
        ceilings=(FOUND,),
    )  # fmt: skip
    told = comparison_document(comparison).data()
    first, second = told.pop("comparisons")
    assert told == {
        "schema": "askew-comparison", "version": "1.1", "baseline": "x/old", "models": ("x/new",),
        "simulated": ["x/new", "x/old"], "level": 0.95, "notes": ("a",),
        "ceilings": [FOUND.record], "mitigations": [],
    }  # fmt: skip
    assert first["levels"] == {"subset": "mctest", "tier": "hard"}
    assert second["levels"] == {"subset": "all"}
    assert set(first) == {"levels", "task", "metric", "model", *COLUMNS}
    assert {k: first[k] for k in ("metric", "difference", "n_items", "verdict")} == {
        "metric": "omni_accuracy", "difference": 0.125, "n_items": 1_200, "verdict": "better",
    }  # fmt: skip


# --- A gate --------------------------------------------------------------------------------------

RULE = Rule(task="knowno", metric="omni_accuracy", min=0.5, max=0.75)
WHOLE = Check(
    RULE, "fail", "below 0.5", "knowno", "x/poor", True, "omni_accuracy", "subset=all",
    "40.0 % (30.0 to 45.0)", 1_200, 0.4, 0.3, 0.45, 0.975, 2, 0.2, 0.35, 0.0126, "all", "in part",
)  # fmt: skip
FEW = Check(RULE, "can't tell", "not measured", "knowno", "x/mute")


def table_of(*checks):
    return gate_document(Gate(checks)).parts[0].sections[0].blocks[0]


def test_every_check_is_a_row_with_all_that_was_asked_and_found():
    promise = Check(Rule.model_construct(metric="models", name="models"), "can't tell", "no such")
    assert table_of(promise, FEW, WHOLE) == Table(
        id="gate",
        caption="",
        head="outcome",
        columns=[
            Column("rule", numeric=False), Column("task", numeric=False),
            Column("model", numeric=False), Column("metric", numeric=False), Column("number"),
            Column("by noise alone", numeric=False), Column("asked", numeric=False),
            Column("items"), Column("its questions", numeric=False), Column("why", numeric=False),
        ],
        groups=[
            Group([
                text_row("FAIL", [
                    "omni_accuracy >= 0.5 and <= 0.75", "knowno", "x/poor (simulated)",
                    "omni_accuracy (subset=all)", "40.0 % (30.0 to 45.0)",
                    "up to 35.0 (p = 0.013); without it 20.0",
                    ">= 0.5 and <= 0.75 (one of 2: 97.5 % interval)", "1,200",
                    "in part at the ceiling", "below 0.5",
                ]),
                text_row("CAN'T TELL", ["models", "", "", "", "", "", "", "", "", "no such"]),
                text_row("CAN'T TELL", [
                    "omni_accuracy >= 0.5 and <= 0.75", "knowno", "x/mute", "", "", "",
                    ">= 0.5 and <= 0.75", "", "", "not measured",
                ]),
            ])
        ],
    )  # fmt: skip


def test_what_is_asked_is_told_of_a_limit_on_either_side():
    one = Rule(task="knowno", metric="omni_accuracy", min=0.5, name="low\nend")
    other = Rule(task="knowno", metric="omni_accuracy", max=0.0)
    rows = table_of(Check(one, "pass", ""), Check(other, "pass", "")).groups[0].rows
    assert [[cell.text for cell in row.cells] for row in rows] == [
        ["low end", "", "", "", "", ">= 0.5", "", ""],
        ["omni_accuracy <= 0", "", "", "", "", "<= 0", "", ""],
    ]


def test_a_gate_s_document_is_headed_by_its_outcome_and_ends_with_its_notes():
    gate = Gate((WHOLE, FEW), Ceilings((FOUND,)), ("a run\nstopped", "s" * 2_000))
    document = gate_document(gate)
    assert (document.title, document.lede) == ("Does it pass?", "")
    assert document.outcome == "FAIL: 1 fail, 1 can't tell"
    (part,) = document.parts
    assert (part.id, part.title, part.short) == (
        "checks", "Every rule on every number it takes in", "",
    )  # fmt: skip
    (section,) = part.sections
    assert (section.id, section.title, section.paragraphs) == ("", "", ())
    table, notes = section.blocks
    assert table.id == "gate"
    first, long, high = notes.lines
    assert first == "a run stopped"
    assert long == one_line("s" * 2_000, 1_000)
    assert [high] == list(gate.ceilings.notes)
    assert "x/poor" in document.simulated
    assert "x/mute" not in document.simulated
    bare = gate_document(Gate((FEW,)))
    assert [block.what for block in bare.parts[0].sections[0].blocks] == ["table"]
    assert bare.simulated == ""


RECORD = {
    "status": "fail", "rule": "omni_accuracy >= 0.5 and <= 0.75", "why": "below 0.5",
    "task": "knowno", "model": "x/poor", "simulated": True, "metric": "omni_accuracy",
    "levels": "subset=all", "shown": "40.0 % (30.0 to 45.0)", "n_items": 1_200, "value": 0.4,
    "low": 0.3, "high": 0.45, "level": 0.975, "n_together": 2, "without_noise": 0.2,
    "null_high": 0.35, "null_p": 0.0126, "subset": "all", "ceiling": "in part",
    "bound": "interval", "of": "value", "min": 0.5, "max": 0.75, "min_items": 20,
}  # fmt: skip


def test_a_file_for_programs_holds_every_check():
    document = gate_document(Gate((WHOLE,), Ceilings((FOUND,)), ("stopped",)))
    assert document.data() == {
        "schema": "askew-gate", "version": "1.1", "verdict": "FAIL: 1 fail", "exit_code": 1,
        "checks": [RECORD], "ceilings": [FOUND.record], "stopped_early": ("stopped",),
    }  # fmt: skip
    assert document.rows.to_dict("records") == [RECORD]


def test_every_kind_of_document_is_made_here():
    kinds = ("certificate", "comparison", "gate", "plan")
    assert [*documents.__all__] == [f"{kind}_document" for kind in kinds]
    assert all(callable(getattr(documents, name)) for name in documents.__all__)
