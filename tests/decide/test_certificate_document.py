"""A certificate as a document, word for word, on one that is made by hand."""

import math

import pandas as pd
import pytest

from askew.decide.calibrate import Certificate
from askew.decide.certificate_document import certificate_document
from askew.report.document import Column, Group, Notes, Table, text_row
from askew.schema import MISSING

NAN = math.nan
ROW = {
    "task": "knowno", "respondent": "typical", "metric": "omni_accuracy", "levels": "",
    "planted": 0.5, "measured": 0.515, "bias": 0.015, "deviation": 0.02, "low": 0.42, "high": 0.6,
    "held": 1_100, "given": 1_200, "coverage": 0.92, "alarms": 0, "tested": 0, "excess": NAN,
    "without_noise": NAN, "repetitions": 1_200, "n_items": 1_500, "verdict": "holds",
}  # fmt: skip


def made(*rows, uncovered=(), repetitions=1_200, needed=1_000, unseen=None, judged=()):
    table = pd.DataFrame([ROW | row for row in rows]) if rows else pd.DataFrame()
    return Certificate(table, 0.95, uncovered, repetitions, needed, unseen or {}, judged)


def limits(certificate):
    (notes,) = certificate_document(certificate).parts[1].sections[0].blocks
    return notes.lines


def test_what_was_planted_and_measured_is_a_row_a_number():
    certificate = made(
        {},
        {"metric": "gap", "levels": "subset=mctest", "low": NAN, "high": NAN, "alarms": 3,
         "tested": 40, "without_noise": 0.01, "n_items": 7, "verdict": "off"},
        {"respondent": "even", "measured": NAN, "tested": 40, "without_noise": NAN},
        # Where no p-value was looked at, the number without its noise is not told either.
        {"task": "binary_qa", "metric": "mbs", "planted": 99.0, "measured": 98.25,
         "low": 90.0, "high": 99.0, "without_noise": 99.0},
    )  # fmt: skip
    first = certificate_document(certificate).parts[0]
    assert (first.id, first.title, first.short) == ("calibration", "Planted and measured", "")
    assert first.sections[0].blocks == [
        Table(
            id="planted",
            caption="",
            head="metric",
            columns=[
                Column("planted"), Column("measured"), Column("unit", numeric=False),
                Column("one 95% interval"), Column("coverage"), Column("false alarms"),
                Column("noise taken off"), Column("items"), Column("verdict", numeric=False),
            ],
            groups=[
                Group([
                    text_row("omni_accuracy", ["50.0", "51.5", "%", "42.0 to 60.0",
                                               "1100 of 1200", "", "", "1,500", "holds"]),
                    text_row("gap (subset=mctest)", ["+50.0", "+51.5", "points", "",
                                                     "1100 of 1200", "3 of 40", "+1.0", "7",
                                                     "off"]),
                ], "knowno: respondent/typical"),
                Group([
                    text_row("omni_accuracy", ["50.0", MISSING, "%", "42.0 to 60.0",
                                               "1100 of 1200", "0 of 40", MISSING, "1,500",
                                               "holds"]),
                ], "knowno: respondent/even"),
                Group([
                    text_row("mbs", ["99.0", "98.2", "of 100", "90.0 to 99.0", "1100 of 1200",
                                     "", "", "1,500", "holds"]),
                ], "binary_qa: respondent/typical"),
            ],
        )
    ]  # fmt: skip


def test_the_document_says_how_it_was_tried_and_what_came_of_it():
    rows = ({}, {}, {"verdict": "off"}, {"verdict": "no interval"})
    document = certificate_document(made(*rows, uncovered=("mine", "yours")))
    assert (document.title, document.lede) == ("Does the instrument measure what is there?", "")
    assert document.outcome == (
        "2 numbers hold what was planted, 1 are off; no planted values for mine, yours"
    )
    first, second = document.parts
    assert first.reference == (
        "Simulated models with planted tendencies, measured again and again: what the tendencies "
        "imply, what was measured on average, and how often the 95% interval held what was "
        "planted. Where a model is without the effect that a number looks for: how often it was "
        "called biased (p of at most 0.05), and the number with its noise taken off."
    )
    assert (second.id, second.title) == ("limits", "What it can't see")
    assert [(s.id, s.title, s.paragraphs) for p in document.parts for s in p.sections] == [
        ("", "", ())
    ] * 2
    assert certificate_document(made({})).outcome == "1 numbers hold what was planted, 0 are off"


def test_a_certificate_without_numbers_says_so():
    document = certificate_document(made(repetitions=5))
    assert document.parts[0].sections[0].blocks == []
    assert document.outcome == "0 numbers hold what was planted, 0 are off"
    assert len(limits(made(repetitions=5))) == 2
    assert not document.data()["holds"]


def test_what_it_cannot_see_is_told_in_full():
    rows = [{"n_items": n} for n in (1_500, 12, 40)]
    unseen = {"knowno": {"a": "not asked", "b": "biased", "c": "not asked"}, "mathcomp": {}}
    certificate = made(*rows, repetitions=40, unseen=unseen, judged=("knowno", "mathcomp"))
    said = {c: f"{certificate.sees(c):.0%}" for c in (0.85, 0.88)}
    # Of 40 intervals eight have to miss: seven do so by chance once in 295, more than a 300th.
    assert said == {0.85: "24%", 0.88: "10%"}
    gap = certificate.smallest_gap
    assert certificate.sees(0.95 - gap) >= 0.9 > certificate.sees(0.95 - gap + 0.001)
    assert limits(certificate) == [
        "40 repetitions. A true coverage of 88% would be called off with a chance of "
        f"{said[0.88]}, one of 85% of {said[0.85]}; the coverage that shows 90% of the time: "
        f"{0.95 - gap:.1%} or less.",
        "Too few: 1,000 repetitions show a coverage of 88% 90% of the time (--repetitions 1000).",
        "Numbers rest on 12 to 1,500 items; of fewer or more nothing is said.",
        "knowno, not looked at: a, c (not asked).",
        "knowno, not looked at: b (biased).",
        "No judge was asked (knowno, mathcomp): askew judge-check tries one.",
    ]


def test_enough_repetitions_are_not_called_too_few():
    told = limits(made({}, repetitions=1_000, needed=1_000))
    assert len(told) == 2
    assert told[0].startswith("1,000 repetitions. A true coverage of 88%")
    assert told[1] == "Numbers rest on 1,500 to 1,500 items; of fewer or more nothing is said."
    assert "called off with a chance of 0%" in limits(made({}, repetitions=1))[0]
    assert limits(made({}, repetitions=1))[0].endswith("shows 90% of the time: none.")


def test_a_file_for_programs_holds_the_whole_certificate():
    certificate = made(
        {}, {"verdict": "off"}, uncovered=("mine",), unseen={"knowno": {"a": "why"}},
        judged=("knowno",),
    )  # fmt: skip
    document = certificate_document(certificate)
    told = document.data()
    numbers = told.pop("numbers")
    assert told == {
        "schema": "askew-certificate", "version": "1.1", "level": 0.95, "holds": False,
        "uncovered": ("mine",), "repetitions": 1_200, "repetitions_needed": 1_000,
        "seen": {"0.85": certificate.sees(0.85), "0.88": certificate.sees(0.88)},
        "smallest_gap": certificate.smallest_gap, "unseen": {"knowno": {"a": "why"}},
        "never_judged": ("knowno",),
    }  # fmt: skip
    assert [set(number) for number in numbers] == [set(ROW)] * 2
    assert [number["verdict"] for number in numbers] == ["holds", "off"]
    assert document.rows is certificate.table
    assert certificate_document(made({})).data()["holds"]


@pytest.mark.parametrize("name", [name for name, value in ROW.items() if value is not NAN])
def test_every_column_is_in_the_file_for_programs(name):
    (number,) = certificate_document(made({})).data()["numbers"]
    assert number[name] == ROW[name]


def test_notes_are_one_block():
    (block,) = certificate_document(made({})).parts[1].sections[0].blocks
    assert isinstance(block, Notes)
