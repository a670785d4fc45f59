"""Documents: one set of writers, and none of them loses or trusts what a document holds."""

import json
import math
from html import unescape

import numpy as np
import pytest

from askew.report.blocks import (
    Cell,
    Column,
    Definitions,
    Document,
    Group,
    Headline,
    Note,
    Part,
    Row,
    Section,
    SummaryCell,
    SummaryRow,
    SummaryTable,
    Table,
)
from askew.report.estimates import Estimate, Model
from askew.report.render import kind_of, plain, terminal_text, write_document
from tests.cases import cases_of

HOSTILE = "<b>x</b>\x1b[31m [link](http://evil) [bold]no[/bold]"
GEMMA = Model("google/gemma", "gemma")
HEADLINE = Headline(
    "knowno", "KnowNo", GEMMA, "omni", "OmniAccuracy", Estimate(0.5, 0.4, 0.6, 40),
    "Half of the time.",
)  # fmt: skip
SUMMARY = SummaryTable(
    "g", [("knowno", "KnowNo", "a missing right option", "points")],
    [SummaryRow(GEMMA, [SummaryCell(HEADLINE)], ["Nothing is shown."])], ["How to read it."],
)  # fmt: skip


def document():
    rows = [Row("first row", [Cell("one"), Cell("1")]), Row(HOSTILE, [Cell(HOSTILE), Cell("22")])]
    table = Table(
        "t", "A caption", "head", [Column("words", numeric=False), Column("number")],
        [Group(rows, "a group")], {"a": "a footnote"}, "In all: 23",
    )  # fmt: skip
    parts = [
        Part("glance", "At a glance", [], summary_table=SUMMARY),
        Part("numbers", "Numbers", [Section("", "", ["A paragraph."], [table])]),
        Part("notes", "Notes", [Section("", "", (), [Note(["be careful"])])]),
        Part("terms", "Terms", [Section("", "", (), [Definitions({"word": "what it means"})])]),
    ]
    data = {"value": math.nan, "n": np.int64(3), "all": (1.5, None)}
    told = {"outcome": "PASS: 1 pass", "simulated": "gemma: a program."}
    return Document("A title", "What it rests on.", parts, lambda: data, **told)


SAID, SHOWN = cases_of(__file__, "SAID"), cases_of(__file__, "SHOWN")


@pytest.mark.parametrize("kind", ["html", "md"])
def test_pages_contain_everything_of_a_document(tmp_path, kind):
    text = write_document(document(), tmp_path / f"d.{kind}").read_text(encoding="utf-8")
    shown = " ".join(unescape(text).replace("\\", "").split())
    for part in SAID + SHOWN:
        assert part in shown, part


def test_the_terminal_shows_all_but_titles_and_definitions():
    text = terminal_text(document())
    for part in SAID:
        assert part in text, part
    assert "\x1b" not in text
    assert "[bold]no[/bold]" in text
    assert text.splitlines()[-1] == "PASS: 1 pass"


def test_json_has_null_for_what_is_not_defined_and_plain_numbers(tmp_path):
    told = json.loads(write_document(document(), tmp_path / "d.json").read_text())
    assert told == {"value": None, "n": 3, "all": [1.5, None]}
    assert plain({"a": [math.nan, np.float64(2.0), "x"]}) == {"a": [None, 2.0, "x"]}


def test_what_is_hostile_is_text_on_a_page_that_runs_nothing(tmp_path):
    page = write_document(document(), tmp_path / "d.html").read_text(encoding="utf-8")
    assert "<b>x</b>" not in page
    assert "<script" not in page
    assert "script-src 'none'" in unescape(page)


@pytest.mark.parametrize("name", ["x.pdf", "x", "x.htm", "x.csv"])
def test_an_unknown_file_type_is_rejected_with_the_valid_ones(name):
    with pytest.raises(ValueError, match=r"valid: \.html, \.md, \.json$"):
        kind_of(name)
