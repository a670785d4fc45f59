"""KnowNo's chapter: what it claims about models, and which tables it has when."""

import itertools

import pandas as pd
import pytest

from askew.papers.knowno import printed
from askew.papers.knowno.numbers import omni_accuracy
from askew.papers.knowno.paper import HINTS as ALL_HINTS
from askew.report.document import Table
from askew.report.report import build_report
from askew.schema import MISSING
from tests.report.observed import HINTS, observed


def chapter_of(observations):
    (chapter,) = build_report(observations, transcripts=False).chapters
    return chapter


def tables_of(observations):
    blocks = [b for s in chapter_of(observations).sections for b in s.blocks]
    return {b.id: b for b in blocks if isinstance(b, Table)}


def headline_of(observations):
    *_, gap = chapter_of(observations).headlines
    return gap


def test_the_sentence_says_whether_a_difference_is_shown():
    falls = headline_of(observed(right=lambda hint, i: hint == "with_gold", items=20))
    assert "the model falls by 100.0 points (" in falls.sentence
    equal = headline_of(observed(right=lambda hint, i: i % 2 == 0, items=20))
    assert "can't tell: about " in equal.sentence
    gains = headline_of(observed(right=lambda hint, i: hint != "with_gold", items=20))
    assert "the model gains 100.0 points (" in gains.sentence
    unasked = headline_of(observed(hints=HINTS[1:]))
    assert unasked.sentence == "Can't be said: not asked: with_gold."


def test_the_worst_finding_is_the_largest_fall_of_all():
    def right(hint, i):
        return hint != "no_hint" or i > 15

    asked = [("bank77", right), ("mctest", lambda hint, i: True)]
    two = [observed(right=of, subsets=(name,), items=24) for name, of in asked]
    finding = headline_of(pd.concat(two, ignore_index=True)).finding
    assert finding.sentence.startswith("BANK-77, no hint: 33.3% (")
    assert "against 100.0% (" in finding.sentence
    assert "(n = 24)" in finding.sentence
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


def printed_of(metric, source="Table 3"):
    rows = printed.rows()
    kept = rows[(rows["metric"] == metric) & (rows["source"] == source)]
    return kept.set_index(["subset", "model"])


def test_printed_numbers_follow_their_definitions():
    """All but one printed cell recompute to within rounding; that one is noted and replaced."""
    omni, offered = printed_of("omni_accuracy"), printed_of("with_gold")
    gone = [printed_of(h) for h in ("hint_as_option", "hint_in_instruction", "no_hint")]
    for place in omni.index:
        parts = [float(g.loc[place, "value"]) for g in gone]
        defined = omni_accuracy(float(offered.loc[place, "value"]), parts)
        assert omni.loc[place, "value"] == pytest.approx(defined, abs=5e-4)
    without = printed_of("e_wo_gold")
    noted = without[without["note"] != ""]
    assert list(noted.index) == [("bank77", "GPT-4")]
    assert float(noted["value"].iloc[0]) == pytest.approx(0.032)
    assert "printed 3," in noted["note"].iloc[0]


def test_table_4_has_both_subsets_of_every_model():
    change = printed_of("ablation_change", "Table 4")
    assert len(change) == 10
    assert {subset for subset, _ in change.index} == {"mctest", "equinfer"}
    assert change.loc[("equinfer", "Llama3"), "value"] == pytest.approx((15.3 - 30.31) / 100)


def test_the_curve_stands_only_where_several_lengths_were_asked():
    assert "knowno-lengths-table" not in tables_of(observed())
    asked = [
        observed(
            right=lambda hint, i, n=n: i < n / 100, subsets=("equinfer",), context_length=n,
        )
        for n in (100, 500)
    ]  # fmt: skip
    both = pd.concat(asked, ignore_index=True)
    both["sample_id"] += "/" + both["context_length"].astype(str) + "-words"
    chapter = chapter_of(pd.concat([both, observed()], ignore_index=True))
    section = next(s for s in chapter.sections if s.id == "knowno-lengths")
    figure, shown = section.blocks
    assert figure.table_id == shown.id == "knowno-lengths-table"
    values = [[row["value"] for row in panel.spec["data"]["values"]] for panel in figure.panels]
    assert values[0] == pytest.approx([100 / 6, 500 / 6], abs=1e-3)
    assert [g.title for g in shown.groups] == ["EquInfer, 100 words", "EquInfer, 500 words"]
    assert shown.groups[1].rows[0].cells[0].estimate.value == pytest.approx(5 / 6)
    # A reply in one length is never laid beside one in another.
    flips = next(s for s in chapter.sections if s.id == "knowno-items").blocks[0].flips
    for flip in flips:
        assert flip.before.sample_id.rpartition("/")[2] == flip.after.sample_id.rpartition("/")[2]


def test_lowest_and_highest_people_stand_beside_models_but_in_no_rank():
    mctest = next(g for g in tables_of(observed())["knowno-table3"].groups if g.title == "MC-Test")
    shown = {r.head: [c.written() for c in r.cells[:4]] for r in mctest.rows}
    assert shown["Human, lowest of four"] == ["100.00", "92.00", MISSING, MISSING]
    assert shown["Human, highest of four"] == ["100.00", "100.00", "100.00", "96.00"]
    both = pd.concat([observed(), observed("acme/b")], ignore_index=True)
    ranked = tables_of(both)["knowno-ranks-published"]
    assert not any("Human" in r.head for g in ranked.groups for r in g.rows)


def test_the_people_of_figure_3_are_what_the_printed_means_leave_possible():
    """Four people, 25 questions each: their mean is printed, their range is 4 to 8 points."""
    rows = printed.rows()
    told = rows[rows["model"].isin(printed.PEOPLE)].set_index(["metric", "model"])["value"]
    mean, lowest, highest = printed.PEOPLE
    for hint in HINTS:
        total = round(told[hint, mean] * 100)
        reach = (0, 0) if total == 100 else (1, 2)
        possible = [
            people
            for people in itertools.combinations_with_replacement(range(26), 4)
            if sum(people) == total and reach[0] <= people[-1] - people[0] <= reach[1]
        ]
        for name, ends in (
            (lowest, {p[0] for p in possible}),
            (highest, {p[-1] for p in possible}),
        ):
            shown = {round(25 * told[hint, name])} if (hint, name) in told else set()
            assert shown == (ends if len(ends) == 1 else set()), (hint, name)
