"""Binary QA's items: where they come from, what a user's file may hold, what is odd in it."""

import json
from collections import Counter

import pytest
from pydantic import ValidationError

from askew.papers.binary_qa.items import OPERATORS, BinaryRecord, Comparison, choose_items, load
from askew.parameters import SelectionError
from askew.sources.loading import templates
from askew.sources.records import RecordsError
from tests.cases import cases, cases_of

RECORD, COUNTED = map(json.loads, templates("askew.papers.binary_qa")[0])


def file_of(tmp_path, *records, name="own.jsonl"):
    path = tmp_path / name
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return str(path)


def test_the_papers_set_is_missing_and_the_error_names_how_to_build_one():
    with pytest.raises(SelectionError, match="askew data build binary_qa"):
        load("paper")


@pytest.mark.parametrize("n", [1, 4, 5, 7, 10, 13, 50])
def test_any_number_of_items_spreads_over_domains_and_labels_as_far_as_it_goes(n):
    items = choose_items(load("bundled").items, n, 3)
    by_domain = Counter(i.subset for i in items)
    assert len(items) == len({i.id for i in items}) == n
    assert len(by_domain) == min(n, 5)
    assert max(by_domain.values()) - min(by_domain.values()) <= 1
    if n % 10 == 0:
        counts = Counter((i.subset, i.answer) for i in items)
        assert (len(counts), {*counts.values()}) == (10, {n // 10})


def test_only_questions_on_one_passage_share_a_cluster(tmp_path):
    other = RECORD | {"id": "other", "passage": "The ferry is green."}
    path = file_of(tmp_path, RECORD, RECORD | {"id": "again"}, other)
    first, again, apart = load(path).items
    assert first.cluster == again.cluster != apart.cluster == "other"


@cases("change", "says")
def test_a_wrong_record_is_refused_with_its_line_and_field(tmp_path, change, says):
    path = file_of(tmp_path, RECORD, COUNTED | change)
    with pytest.raises(RecordsError, match=says) as caught:
        load(path)
    assert "line 2" in str(caught.value)


OPERATIONS = cases_of(__file__, "OPERATIONS")


@pytest.mark.parametrize(("op", "holds"), [*OPERATIONS.items()])
def test_an_answer_must_match_its_numeric_check(op, holds):
    for value, so in zip((13, 14, 15), holds, strict=True):
        check = {"value": value, "op": op, "n": 14}
        assert Comparison(**check).holds is so
        answer, other = ("Yes", "No") if so else ("No", "Yes")
        assert BinaryRecord(answer=answer, original="Is it?", check=check).check.holds is so
        with pytest.raises(ValidationError, match=f"answer {other} contradicts check \\({value} "):
            BinaryRecord(answer=other, original="Is it?", check=check)
    assert set(OPERATORS) == set(OPERATIONS)
