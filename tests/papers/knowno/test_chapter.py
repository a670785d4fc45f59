"""KnowNo's chapter: what it claims about models, and which tables it has when."""

import pandas as pd
import pytest

from askew.papers.knowno.paper import PATTERNS
from askew.papers.knowno.numbers import omni_accuracy
from askew.papers.knowno.paper import HINTS as ALL_HINTS
from askew.papers.knowno.paper import PATTERNS
from askew.report.document import Table
from askew.report.published import knowno_table3, knowno_table4
from askew.report.report import build_report
from tests.report.observed import HINTS, observed


def chapter_of(observations):
    (chapter,) = build_report(observations, transcripts=False).chapters
    return chapter


def tables_of(observations):
    blocks = [b for s in chapter_of(observations).sections for b in s.blocks]
    return {b.id: b for b in blocks if isinstance(b, Table)}


def headline_of(observations):
    (headline,) = chapter_of(observations).headlines
    return headline


def test_the_sentence_says_whether_a_difference_is_shown():
    falls = headline_of(observed(right=lambda hint, i: hint == "with_gold", items=20))
    assert "the model falls by 100.0 points (" in falls.sentence
    equal = headline_of(observed(right=lambda hint, i: i % 2 == 0, items=20))
    assert "no difference shown (" in equal.sentence
    gains = headline_of(observed(right=lambda hint, i: hint != "with_gold", items=20))
    assert "the model gains 100.0 points (" in gains.sentence
    unasked = headline_of(observed(hints=HINTS[1:]))
    assert unasked.sentence == "Can't be said: not asked: with_gold."


def test_the_worst_finding_is_the_largest_fall_of_all():
    def right(hint, i):
        return hint != "no_hint" or i > 3

    two = [observed(right=right, subsets=("bank77",)), observed(subsets=("mctest",), correct=1.0)]
    finding = headline_of(pd.concat(two, ignore_index=True)).finding
    assert finding.sentence.startswith("BANK-77, no hint: 33.3% (")
    assert "against 100.0% (" in finding.sentence
    assert "(n = 6)" in finding.sentence
    assert finding.target == "knowno-table3-bank77"
    assert headline_of(observed(correct=1.0)).finding is None


def test_ranks_stand_where_there_are_several_models_and_ties_share_a_place():
    assert "knowno-ranks-table" not in tables_of(observed())
    models = [
        observed("acme/a", lambda hint, i: hint == "with_gold"),
        observed("acme/b", lambda hint, i: True),
        observed("acme/c", lambda hint, i: hint != "with_gold"),
    ]
    (overall, *_) = tables_of(pd.concat(models, ignore_index=True))["knowno-ranks-table"].groups
    places = {row.head: (row.cells[0].text, row.cells[2].text) for row in overall.rows}
    assert places == {"a": ("1=", "3"), "b": ("1=", "1="), "c": ("3", "1=")}


def test_the_ablation_has_its_table_only_where_it_was_asked():
    assert "knowno-table4" not in tables_of(observed())
    asked = observed(right=lambda hint, i: hint == "with_gold", hints=tuple(ALL_HINTS))
    groups = tables_of(asked)["knowno-table4"].groups
    mctest = next(g for g in groups if g.title == "MC-Test")
    assert mctest.rows[0].cells[0].estimate.value == pytest.approx(-1.0)
    printed = {r.head: r.cells[0].written() for r in mctest.rows if r.kind == "published"}
    assert printed["GPT-4"] == "+0.93"
    assert printed["Llama3"].replace("\N{MINUS SIGN}", "-") == "-2.53"


def test_the_delimiter_probe_stands_only_where_labels_were_rewritten():
    assert "knowno-delimiter" not in tables_of(observed())
    probe = observed(gold="a-label", delimiter_leak=1.0)
    row = tables_of(probe)["knowno-delimiter"].groups[0].rows[0]
    assert row.cells[0].estimate.value == 1.0


def test_letters_of_new_answers_are_counted():
    new = observed(correct=1.0, pattern="new_gold", letter_kind="next")
    (row,) = tables_of(new)["knowno-letters"].groups[0].rows
    assert [c.text for c in row.cells] == ["12", "0", "0", "12"]


def test_published_rows_are_said_to_compare_in_shape_unless_the_questions_are_the_papers():
    def words(data):
        observations = observed()
        log = {
            "log": "a", "location": "a", "task": "knowno", "model": "acme/model-1",
            "model_name": "acme/model-1", "run": "r", "created": "2030", "packages": {},
            "settings": {"data": data}, "planned": 1, "scored": 1, "left_out": [],
        }  # fmt: skip
        observations.attrs["askew"] = {"version": 1, "logs": [log], "notes": []}
        return chapter_of(observations).sections[0].paragraphs[-1]

    assert "levels compare" in words("paper")
    assert "askew's own" in words("bundled")
    assert "not the paper's" in words("mine.jsonl")


def test_table_3_is_shown_by_its_definitions_and_one_cell_is_corrected():
    table, corrections = knowno_table3()
    assert len(table) == 16
    assert set(table["subset"]) == {"mctest", "bank77", "equinfer"}
    for row in table.to_dict("records"):
        parts = [row[h] for h in HINTS[1:]]
        assert row["e_wo_gold"] == pytest.approx(sum(parts) / 3, abs=0.02)
        assert row["omni_accuracy"] == pytest.approx(
            omni_accuracy(row["with_gold"], parts), abs=0.02
        )
    ((cell),) = corrections
    assert (cell.subset, cell.model, cell.metric) == ("bank77", "GPT-4", "e_wo_gold")
    assert (cell.printed, cell.by_definition) == (3.0, 3.2)


def test_table_4_has_both_subsets_of_every_model():
    table = knowno_table4()
    assert len(table) == 10
    assert set(table["subset"]) == {"mctest", "equinfer"}
    llama = table[(table["subset"] == "equinfer") & (table["model"] == "Llama3")].iloc[0]
    assert llama["ablation_change"] == pytest.approx(15.3 - 30.31)


def test_every_pattern_has_words():
    assert tuple(PATTERN_WORDS) == PATTERNS
    assert set(RIGHT_PATTERNS) <= set(PATTERNS)
