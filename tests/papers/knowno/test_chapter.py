"""KnowNo's chapter: what it claims about models, and which tables it has when."""

import itertools

import pandas as pd
import pytest

from askew.papers.knowno import printed
from askew.papers.knowno.numbers import omni_accuracy
from askew.report.document import Table
from askew.report.report import build_report
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
