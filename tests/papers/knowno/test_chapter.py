"""KnowNo's chapter: what it claims about models, and which tables it has when."""

import pandas as pd

from tests.chapters import blocks_of, chapter_of
from tests.report.observed import HINTS, observed


def headline_of(observations):
    *_, gap = chapter_of(observations).headlines
    return gap


def test_the_summary_sentence_reports_a_drop_a_rise_or_inconclusive():
    falls = headline_of(observed(right=lambda hint, i: hint == "with_gold", items=20))
    assert "accuracy drops by 100.0 points (" in falls.sentence
    equal = headline_of(observed(right=lambda hint, i: i % 2 == 0, items=20))
    assert "Inconclusive: about " in equal.sentence
    gains = headline_of(observed(right=lambda hint, i: hint != "with_gold", items=20))
    assert "accuracy rises by 100.0 points (" in gains.sentence
    unasked = headline_of(observed(hints=HINTS[1:]))
    assert unasked.sentence == "Undefined: not asked: with_gold."


def test_the_worst_finding_is_the_largest_fall_of_all():
    def right(hint, i):
        return hint != "no_hint" or i > 15

    asked = [("bank77", right), ("mctest", lambda hint, i: True)]
    two = [observed(right=of, subsets=(name,), items=24) for name, of in asked]
    finding = headline_of(pd.concat(two, ignore_index=True)).finding
    assert finding.startswith("BANK-77, no hint: accuracy 33.3% (")
    assert "with the correct option 100.0% (" in finding
    assert "(n = 24)" in finding
    assert headline_of(observed(correct=1.0)).finding == ""


def test_ranks_need_several_models_and_ties_share_a_rank():
    assert "knowno-ranks-table" not in blocks_of(chapter_of(observed()))
    models = [
        observed("acme/a", lambda hint, i: hint == "with_gold"),
        observed("acme/b", lambda hint, i: True),
        observed("acme/c", lambda hint, i: hint != "with_gold"),
    ]
    chapter = chapter_of(pd.concat(models, ignore_index=True))
    (overall, *_) = blocks_of(chapter)["knowno-ranks-table"].groups
    places = {row.head: (row.cells[0].text, row.cells[2].text) for row in overall.rows}
    assert places == {"a": ("1=", "3"), "b": ("1=", "1="), "c": ("3", "1=")}


def test_labels_that_replies_give_where_none_fits_have_a_share_of_what_was_offered_them():
    rows = observed(subsets=("desk",), items=24).assign(
        kind="intent", pattern="none", answer="none"
    )
    gold = rows["item"].map({item: "abc"[n % 3] for n, item in enumerate(rows["item"].unique())})
    rows = rows.assign(gold=gold)
    attracted = (rows["hint"] != "with_gold") & (rows["gold"] == "a")
    rows.loc[attracted, ["pattern", "answer"]] = ["offered", "b"]
    rows.loc[rows["hint"] == "with_gold", ["pattern", "answer"]] = ["offered", "c"]
    (group,) = blocks_of(chapter_of(rows))["knowno-attraction-table"].groups
    (row,) = group.rows
    assert (row.head, row.cells[0].text) == ("b", "24")
    found = row.cells[1].estimate
    # Of 24 items, the 8 that are labelled b were not offered it.
    assert (found.value, found.n_items) == (0.5, 16)
    assert found.low < 0.5 < found.high
