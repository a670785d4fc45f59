"""MathComp's scenarios: bundled, from the paper's file and from a user's own."""

import csv
import json
from collections import Counter
from dataclasses import replace
from importlib.resources import files

import pytest

from askew.papers.mathcomp.items import COLUMNS, EXCLUDED, load
from askew.sources.loading import templates
from askew.sources.records import RecordsError
from askew_authoring.mathcomp.lint import findings, verify
from tests.cases import cases, cases_of

OURS = cases_of(__file__, "OURS")


@pytest.fixture
def own_file(tmp_path):
    def write(*changes, name="own.jsonl"):
        path = tmp_path / name
        rows = [{**OURS, "id": f"kites-{i}", **change} for i, change in enumerate(changes)]
        kept = [{k: v for k, v in row.items() if v is not None} for row in rows]
        path.write_text("\n".join(json.dumps(row) for row in kept))
        return str(path)

    return write


def test_the_bundled_set_reproduces_the_papers_distribution_exactly():
    scenarios = [item for item in load("bundled").items if item.tier == "core"]
    found = Counter()
    for s in scenarios:
        found["category", s.category] += 1
        found["quantity", s.quantity.capitalize()] += 1
        found["label", s.label] += 1
        found["number_format", "verbal" if s.verbal else "arabic"] += 1
    assert len(scenarios) == 300
    with (files("askew.papers.mathcomp") / "published" / "distribution.csv").open() as lines:
        assert found == {(r["field"], r["value"]): int(r["count"]) for r in csv.DictReader(lines)}


def test_the_templates_load(tmp_path):
    own = ("own.jsonl", "own.csv")
    for name, lines in zip(own, templates("askew.papers.mathcomp"), strict=True):
        path = tmp_path / name
        path.write_text("\n".join(lines))
        items = load(str(path)).items
        assert items[0].id == "allotment"
        assert (items[0].label, items[0].verbal) == ("equal", True)
        assert items[0].phrase.rest == "on garden work"


def test_a_record_may_leave_its_label_to_the_equations_and_word_its_question(own_file):
    words = {"noun": "repair work", "verb": "do", "verb_s": "does", "rest": "on kites"}
    path = own_file({"label": None}, {"quantity": "effort", **words})
    first, second = (item for item in load(path).items)
    assert first.label == "less"
    assert second.phrase.noun == "repair work"
    assert load(path).origin == "file"
    assert load(path, "fairs_feasts").items == load(path).items


def test_the_papers_columns_and_placeholders_are_understood(tmp_path):
    path = tmp_path / "like_the_paper.csv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(COLUMNS)
        writer.writerow(
            ["10", "[PERSON_A] lent his 3 sisters 20 minutes each; they thanked him.", "[Person_B] "
             "lent her saw for 45 minutes.", "Fairs", "time", "less", "3*20", "45", "kite mending",
             "TRUE"]
        )  # fmt: skip
    (item,) = load(str(path)).items
    assert item.sentence1 == "{A} lent their 3 sisters 20 minutes each; they thanked them."
    assert item.sentence2 == "{B} lent their saw for 45 minutes."


@cases("change", "message")
def test_a_record_that_is_no_question_is_refused_with_its_line(own_file, change, message):
    path = own_file({}, change)
    with pytest.raises(RecordsError, match=message) as caught:
        load(path)
    assert "line 2" in str(caught.value)


@pytest.mark.whole
@pytest.mark.real_data
def test_the_papers_file_is_recognized_by_its_content_anywhere(shared_data, tmp_path):
    original = shared_data / "mathcomp" / "MathComp_Dataset.csv"
    copy = tmp_path / "renamed.csv"
    copy.write_bytes(original.read_bytes())
    assert sum(bool(item.wrong) for item in load(str(copy)).items) == len(EXCLUDED)
    lax = load(str(copy), strict_items=False).items
    assert len(lax) == 300
    assert not any(item.wrong for item in lax)
    assert {f.item for f in verify(str(copy), "travel")} < {f.item for f in verify(str(copy))}


# --- What is odd in scenarios -------------------------------------------------------------------


def test_verify_reports_what_can_not_be_checked(own_file):
    path = own_file(
        {"equation1": "", "equation2": ""},
        {"sentence1": "{A} mended 3 more kites in 20 minutes each."},
    )
    found = [(f.item, f.kind) for f in verify(path)]
    assert found == [("kites-0", "no equations"), ("kites-1", "framing_word")]
    same = load(own_file({}, {})).items
    assert [f.kind for f in findings(same)] == ["repeated", "repeated"]


@cases("change", "kind")
def test_each_known_flaw_of_a_scenario_is_found(own_file, change, kind):
    plain = {"sentence2": "{B} mended 1 kite in 30 minutes and sewed for 15 minutes."}
    (item,) = load(own_file(plain)).items
    assert [f.kind for f in findings([item])] == []
    spoilt = replace(item, **change)
    assert [f.kind for f in findings([spoilt])] == [kind]
