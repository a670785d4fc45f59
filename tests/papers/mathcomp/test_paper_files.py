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
    label_of,
    name_people,
    paper_phrase,
    question,
)
from askew.papers.mathcomp.generator import PAPER_TOPICS
from askew.papers.mathcomp.paper_files import (
    COLUMNS,
    EXCLUDED,
    PaperItem,
    read_paper,
    scenarios,
    verify,
)

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

OURS = {
    "ID": "901",
    "sentence1": "[PERSON_A] mended 3 kites in 20 minutes each.",
    "sentence2": "[Person_B] mended a kite for half an hour and sewed for 15 minutes.",
    "category": "Entertainment",
    "studied_quantity": "time",
    "result_comparison": "less",
    "equation_sentence1": "3\u00d720",
    "equation_sentence2": "30+15",
    "task": "kite mending",
    "natural_language_coefficient": "TRUE",
}


def written(*changes: dict[str, str]) -> str:
    """A file in the paper's shape, with a row of our own for every change."""
    out = StringIO()
    writer = csv.DictWriter(out, COLUMNS)
    writer.writeheader()
    for number, change in enumerate(changes):
        writer.writerow({**OURS, "ID": str(901 + number), **change})
    return out.getvalue()


def kinds(**change: str) -> set[tuple[str, bool]]:
    return {(found.kind, found.excluded) for found in verify(read_paper(written(change)))}


@pytest.fixture(scope="module")
def items() -> list[PaperItem]:
    return read_paper(FILE.read_bytes())


def test_both_spellings_of_the_placeholders_become_ours() -> None:
    (item,) = read_paper(written({}))
    assert item.sentence1 == "{A} mended 3 kites in 20 minutes each."
    assert item.sentence2.startswith("{B} mended")
    assert item.id == "paper-901"


def paper_id(number: int) -> str:
    return f"paper-{number:03d}"


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"equation_sentence1": "3-20-2006"}, ("date", True)),
        ({"equation_sentence1": "4-Mar"}, ("date", True)),
        ({"equation_sentence1": "three kites"}, ("unreadable", True)),
        ({"result_comparison": "more"}, ("label", True)),
        ({"equation_sentence1": "3*20 = 61"}, ("stated_total", False)),
        ({"equation_sentence1": "3*20 + 7 - 7"}, ("number_not_in_sentence", False)),
        ({"equation_sentence1": "60"}, ("number_not_in_equation", False)),
        ({"sentence1": "Someone mended 3 kites in 20 minutes each."}, ("placeholder", True)),
        ({"sentence1": "[PERSON_A] sewed 3 more kites, 20 minutes each."}, ("framing_word", False)),
        (
            {"sentence1": "[PERSON_A] and her 3 aunts sewed for 20 minutes each."},
            ("pronoun", False),
        ),
        ({"natural_language_coefficient": "FALSE"}, ("number_format", False)),
        ({"task": "spending time"}, ("task_phrase", False)),
    ],
)
def test_what_is_odd_is_found(change: dict[str, str], finding: tuple[str, bool]) -> None:
    assert finding in kinds(**change)
    assert finding not in kinds()


def test_strict_items_say_why_the_wrong_ones_are_and_lax_takes_all_as_published() -> None:
    read = read_paper(written({}, {"result_comparison": "equal"}))
    assert [(s.id, bool(wrong)) for s, wrong in scenarios(read)] == [
        ("paper-901", False), ("paper-902", True),
    ]  # fmt: skip
    assert "the label is equal" in scenarios(read)[1][1]
    assert [(s.id, wrong) for s, wrong in scenarios(read, strict_items=False)] == [
        ("paper-901", ""), ("paper-902", ""),
    ]  # fmt: skip


def test_gendered_pronouns_are_made_to_fit_everyone() -> None:
    change = {"sentence1": "[PERSON_A] lent his 3 sisters 20 minutes each; they thanked him."}
    (item,) = read_paper(written(change))
    assert item.sentence1 == "{A} lent their 3 sisters 20 minutes each; they thanked them."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ID,sentence1\n1,x\n", "no column sentence2"),
        ("", "no column ID"),
        (written({"ID": "nine"}), "line 2: ID 'nine' is not a number"),
        (written({"result_comparison": "bigger"}), "line 2: result_comparison 'bigger'"),
        (written({"studied_quantity": "joy"}), "line 2: studied_quantity 'joy'"),
        (written({"ID": "5"}, {"ID": "5"}), "an ID comes twice"),
    ],
)
def test_another_file_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_paper(text)


class TestThePapersFile:
    pytestmark = real_data

    def test_has_300_items_in_the_proportions_of_the_tables(self, items: list[PaperItem]) -> None:
        assert len(items) == 300
        assert Counter((item.category, item.quantity) for item in items) == PAPER_TOPICS
        assert sum(item.verbal for item in items) == 142

    def test_leaves_213_181_and_206_opportunities_to_err(self, items: list[PaperItem]) -> None:
        labels = Counter(item.label for item in items)
        wrong = {label: len(items) - labels[label] for label in ("more", "less", "equal")}
        assert wrong == {"more": 213, "less": 181, "equal": 206}

    def test_only_three_labels_contradict_their_equations(self, items: list[PaperItem]) -> None:
        odd = [
            item.number
            for item in items
            if label_of(evaluate(item.equation1), evaluate(item.equation2)) != item.label
        ]
        assert odd == [126, 129, 242]

    @pytest.mark.whole
    def test_what_is_left_out_is_what_the_table_lists(self, items: list[PaperItem]) -> None:
        left_out = {found.item for found in verify(items) if found.excluded}
        assert left_out == {paper_id(number) for number in EXCLUDED}
        wrong = {item.id: why for item, why in scenarios(items) if why}
        assert wrong == {paper_id(number): why for number, why in EXCLUDED.items()}
        assert len(scenarios(items)) == len(scenarios(items, strict_items=False)) == 300

    def test_every_task_has_its_question_in_all_framings(self, items: list[PaperItem]) -> None:
        pairs = {(item.task, item.quantity) for item in items}
        for task, quantity in pairs:
            phrase = paper_phrase(task, quantity)
            for framing in FRAMINGS:
                asked = question(framing.style, framing.term, phrase)
                assert "others" not in asked
                assert name_people(asked, "asian").endswith("?")
                assert "  " not in asked
        assert set(FIXES) <= pairs
