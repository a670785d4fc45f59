"""The section on where the variance comes from: planted sources, sets, and what can't be said."""

import pandas as pd
import pytest

from askew.report.chapters import variance_section
from askew.report.evidence import Evidence
from askew.report.study import Study, summarize
from askew.schema import NOT_APPLICABLE
from tests.report.observed import HINTS, observed


def _table(rows: pd.DataFrame):
    evidence = Evidence("knowno", rows, summarize(rows, None), Study(rows).models)
    (table,) = variance_section(evidence).blocks
    heads = [column.label for column in table.columns]
    return [
        (group.title, row.head, dict(zip(heads, row.cells, strict=True)))
        for group in table.groups
        for row in group.rows
    ]


@pytest.mark.parametrize(
    ("right", "source"),
    [
        (lambda hint, i: i % 2 == 0, "Item"),
        (lambda hint, i: hint == "with_gold", "Variant"),
        (lambda hint, i: (HINTS.index(hint) + i) % 2 == 0, "Item x variant"),
    ],
)
def test_what_makes_answers_differ_has_all_of_the_variance(right, source):
    ((_, head, cells),) = _table(observed(right=right))
    assert head == "model-1"
    shares = {k: cells[k].text for k in ("Item", "Variant", "Item x variant")}
    assert shares == {k: "100%" if k == source else "0%" for k in shares}
    # Asked once, asking again can't be told apart.
    assert cells["Repetition"].text == NOT_APPLICABLE
    assert [cells[k].text for k in ("n", "Variants", "Epochs")] == ["12", "4", "1"]


def test_answers_that_change_from_one_epoch_to_the_next_vary_by_resampling():
    rows = [observed(right=lambda hint, i, e=e: (i + e) % 2 == 0, epoch=e) for e in (1, 2)]
    ((_, _, cells),) = _table(pd.concat(rows, ignore_index=True))
    assert cells["Repetition"].text == "100%"
    assert cells["Epochs"].text == "2"


def test_a_wording_alone_that_matters_lies_far_from_the_next_and_more_wordings_are_best():
    ((_, _, cells),) = _table(observed(right=lambda hint, i: hint == "with_gold"))
    apart = cells["SD of variants"].estimate
    assert apart.low < 0.5 == apart.value == apart.high
    assert cells["New variant"].text == "0 to 100"
    assert int(cells["Best design"].text.split(" x ")[1]) > 4


def test_subsets_with_other_variants_have_their_own_rows():
    few = observed(subsets=("bank77",), hints=HINTS[:2])
    found = _table(pd.concat([observed(subsets=("mctest",)), few], ignore_index=True))
    assert [(g, head, c["Variants"].text) for g, head, c in found] == [
        ("model-1", "MC-Test", "4"),
        ("model-1", "BANK-77", "2"),
    ]


def test_answers_that_never_vary_have_no_shares_and_a_note():
    ((_, _, cells),) = _table(observed(right=lambda hint, i: True))
    assert {cells[k].text for k in ("Item", "Variant", "SD of variants")} == {NOT_APPLICABLE}
    assert "equal" in cells["New variant"].text


def test_a_task_with_one_prompt_variant_has_no_table():
    rows = observed(hints=HINTS[:1])
    evidence = Evidence("knowno", rows, summarize(rows, None), Study(rows).models)
    assert not variance_section(evidence).blocks
