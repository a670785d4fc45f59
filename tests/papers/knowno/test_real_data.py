"""KnowNo on the paper's real files: from a mirror and by path, whole and limited."""

import pytest

from askew.papers.knowno.items import load
from askew.papers.knowno.paper import CORE_HINTS
from askew.papers.knowno.tasks import knowno
from askew_authoring.knowno.lint import find

pytestmark = pytest.mark.real_data
FILES = {"mctest": "MCTest_1000.jsonl", "bank77": "Bank77_1000.jsonl"}


def test_the_papers_files_give_six_thousand_samples_a_subset(published):
    dataset = knowno(data="paper", subset="mctest,bank77").dataset
    counts = {}
    for sample in dataset:
        key = (sample.metadata["subset"], sample.metadata["hint"])
        counts[key] = counts.get(key, 0) + 1
    assert counts == {(s, h): 1_000 for s in FILES for h in CORE_HINTS}
    assert len({sample.id for sample in dataset}) == 12_000


def test_verify_finds_the_known_traps(shared_data):
    stories = find(load(str(shared_data / "knowno" / FILES["mctest"])).items)
    utterances = find(load(str(shared_data / "knowno" / FILES["bank77"])).items)
    found = {(f.kind, f.item) for f in [*stories, *utterances]}
    assert ("option that says none", "mc500.train.70-q4") in found
    assert ("option that says none", "mc500.train.186-q1") in found
    assert ("odd label", "reverted_card_payment?") in found
    assert ("odd label", "Refund_not_showing_up") in found
    assert any(kind == "repeat" for kind, _ in found)
    assert any(kind == "label inside another" for kind, _ in found)


def test_layout_marks_of_the_stories_reach_no_prompt(shared_data):
    dataset = knowno(data=str(shared_data / "knowno" / FILES["mctest"]), hint="no_hint").dataset
    raw = (shared_data / "knowno" / FILES["mctest"]).read_text(encoding="utf-8")
    assert "\\\\newline" in raw
    assert not any("\\newline" in s.input or "\\tab" in s.input for s in dataset)
    assert len(dataset) == 1_000
