"""The paper's 300 items are read, checked and asked as they are, or left out with a reason."""

import csv
from collections import Counter
from io import StringIO
from pathlib import Path

import pytest

from askew.papers.mathcomp.arithmetic import evaluate
from askew.papers.mathcomp.framings import (
    FIXES,
    FRAMINGS,
    Scenario,
    label_of,
    name_people,
    paper_phrase,
    question,
)
from askew.papers.mathcomp.items import COLUMNS, EXCLUDED, scenarios
from askew_authoring.mathcomp.generator import PAPER_TOPICS
from askew_authoring.mathcomp.lint import verify
from tests.cases import cases_of

FILE = (
    Path(__file__).resolve().parents[3].parent
    / "shared"
    / "data"
    / "mathcomp"
    / "MathComp_Dataset.csv"
)
real_data = [
    pytest.mark.real_data,
    pytest.mark.skipif(not FILE.exists(), reason=f"the paper's file is not at {FILE}"),
]

OURS = cases_of(__file__, "OURS")


@pytest.fixture(scope="module")
def items() -> list[Scenario]:
    return scenarios(FILE.read_bytes(), strict_items=False)


def test_both_spellings_of_placeholders_become_ours_and_pronouns_fit_everyone() -> None:
    out = StringIO()
    writer = csv.DictWriter(out, COLUMNS)
    writer.writeheader()
    writer.writerow(OURS)
    (item,) = scenarios(out.getvalue().encode())
    assert item.sentence1 == "{A} lent their 3 sisters 20 minutes each; they thanked them."
    assert item.sentence2.startswith("{B} mended")
    assert (item.id, item.verbal, item.wrong) == ("paper-901", True, "")


class TestThePapersFile:
    pytestmark = real_data

    def test_has_300_items_in_the_proportions_of_the_tables(self, items: list[Scenario]) -> None:
        assert len(items) == 300
        assert Counter((item.category, item.quantity) for item in items) == PAPER_TOPICS
        assert sum(item.verbal for item in items) == 142

    def test_leaves_213_181_and_206_opportunities_to_err(self, items: list[Scenario]) -> None:
        labels = Counter(item.label for item in items)
        wrong = {label: len(items) - labels[label] for label in ("more", "less", "equal")}
        assert wrong == {"more": 213, "less": 181, "equal": 206}

    def test_only_three_labels_contradict_their_equations(self, items: list[Scenario]) -> None:
        assert _contradicted(items) == ["paper-126", "paper-129", "paper-242"]

    def test_what_is_kept_is_corrected_and_follows_from_its_equations(self) -> None:
        asked = scenarios(FILE.read_bytes())
        assert {item.id: item.wrong for item in asked if item.wrong} == EXCLUDED
        assert _contradicted([item for item in asked if not item.wrong]) == []

    def test_what_is_odd_is_told(self) -> None:
        found = verify(str(FILE))
        kinds = Counter(finding.kind for finding in found)
        assert {f.item for f in found if f.excluded} == {*EXCLUDED}
        assert kinds == {
            "task_phrase": 129, "number_format": 28, "number_not_in_sentence": 24,
            "number_not_in_equation": 23, "framing_word": 23, "equation": 17, "wrong": 10,
            "open_reading": 10, "label": 3, "date": 1, "pronoun": 1,
        }  # fmt: skip

    def test_every_task_has_its_question_in_all_framings(self, items: list[Scenario]) -> None:
        pairs = {(item.task, item.quantity) for item in items}
        for task, quantity in pairs:
            phrase = paper_phrase(task, quantity)
            for framing in FRAMINGS:
                asked = question(framing.style, framing.term, phrase)
                assert "others" not in asked
                assert name_people(asked, "asian").endswith("?")
                assert "  " not in asked
        assert set(FIXES) <= pairs


def _contradicted(items: list[Scenario]) -> list[str]:
    return [
        item.id
        for item in items
        if label_of(evaluate(item.equation1), evaluate(item.equation2)) != item.label
    ]
