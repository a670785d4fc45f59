# ruff: noqa: RUF001
"""Formulas are shown readable on a page, and nowhere else."""

import base64
import json
import zlib

import pytest

from askew.logs.samples import Reply
from askew.papers import get_paper
from askew.report import explorer, flips
from askew.report.latex import readable
from askew.report.render import write_document
from askew.report.report import build_report, write_report
from askew.report.study import Study
from tests.cases import cases
from tests.report.observed import HINTS, observed


@cases("written", "read")
def test_a_formula_is_written_in_signs(written, read):
    assert readable(written) == read


@cases("text")
def test_what_is_not_known_or_no_formula_stays_as_it_is(text):
    assert readable(text).replace("α", r"\alpha") == text


def test_bundled_options_that_differ_stay_different():
    items = get_paper("knowno").items.load("bundled", "equinfer").items
    for options in ([*item.options] for item in items):
        assert len({readable(option) for option in options}) == len(set(options))
        assert not any("\\" in readable(option) for option in options)


@pytest.mark.parametrize("unit", ["\\frac{", "{", "_{", "\\a{x", "\\hat{x}_", "}"])
def test_hostile_formulas_take_no_time(unit):
    readable("\\x\\y" + unit * 5_000)


FORMULA = r"s_{ij} = \frac{\mathbf{q}_i}{2}"
SIGNS = "sᵢⱼ = 𝐪ᵢ/2"


@pytest.fixture
def replied(monkeypatch):
    """Observations that flip, and logs in which every prompt, reply and answer is a formula."""
    reply = Reply(FORMULA, FORMULA, "read", FORMULA, compared=FORMULA)
    for reader in (explorer, flips):
        monkeypatch.setattr(reader, "read_replies", lambda _, wanted: [(a, reply) for a in wanted])
    rows = observed(right=lambda hint, i: hint == HINTS[0])
    return rows.assign(log="a.eval", answer=FORMULA, gold=FORMULA)


def test_flip_cards_and_replies_of_a_page_show_signs(replied, tmp_path):
    report = build_report(Study(replied))
    page = write_document(report.document, tmp_path / "a.html").read_text("utf-8")
    cards = page[page.index('class="flip"') :].split("</article>")[0]
    assert SIGNS in cards
    assert "frac" not in cards
    assert "shown in signs" in cards
    packed = explorer.collect_replies(Study(replied), report.summary)
    for part in (packed.index, *packed.chunks):
        text = zlib.decompress(base64.b64decode(part)).decode()
        assert SIGNS in text
        assert "frac" not in text


def test_json_keeps_replies_as_written(replied, tmp_path):
    file = write_report(Study(replied), tmp_path / "a.json")
    said = file.read_text("utf-8")
    assert json.dumps(FORMULA)[1:-1] in said
    assert "𝐪" not in said
    assert "\\ud835" not in said
