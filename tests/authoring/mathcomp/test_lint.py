"""What is odd in scenarios is found: each kind where it is planted, and nothing where it is not."""

import json
from dataclasses import replace

import pytest

from askew.papers.mathcomp.items import load
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


def test_verify_tells_what_can_not_be_checked(own_file):
    path = own_file(
        {"equation1": "", "equation2": ""},
        {"sentence1": "{A} mended 3 more kites in 20 minutes each."},
    )
    assert [(f.item, f.kind) for f in verify(path)] == [
        ("kites-0", "no equations"),
        ("kites-1", "framing_word"),
    ]


@cases("change", "kind")
def test_what_is_planted_in_a_scenario_is_found(own_file, change, kind):
    plain = {"sentence2": "{B} mended 1 kite in 30 minutes and sewed for 15 minutes."}
    (item,) = load(own_file(plain)).items
    assert [f.kind for f in findings([item])] == []
    spoilt = replace(item, **change)
    assert [f.kind for f in findings([spoilt])] == [kind]


def test_two_scenarios_that_are_the_same_are_found(own_file):
    same = load(own_file({}, {})).items
    assert [f.kind for f in findings(same)] == ["repeated", "repeated"]
