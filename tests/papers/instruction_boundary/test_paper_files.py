"""The published JSON files are read record by record, normalised, and refused with their place."""

import json

import pytest

from askew.papers.instruction_boundary.paper_files import read_choice_file, read_judging_file
from askew.sources.records import RecordsError

LARGE = {
    "id": "quiz_1", "question": "Which boats float?", "options": ["0. rafts", "1. stones"],
    "correct_answers": [0], "dataset_source": "quiz",
}  # fmt: skip
PASSAGE = {
    "id": "tale_1", "question": "Who sailed?", "options": ["Mina", "Ola"],
    "correct_answers": [0, 1], "dataset_source": "tale",
    "passage_text": "Sent 1: Mina sailed.Sent 2: So did Ola.",
}  # fmt: skip
SMALL = {
    "Conclusion": "Who rowed?", "Facts": "Background: Sent 1: Mina rowed.\nOptions:\n0. Mina",
    "options": ["Mina", "Ola"], "correct_answers": [0], "dataset_source": "tale",
    "original_id": "tale_2.txt",
}  # fmt: skip
NONE = {
    "id": "none_1", "question": "What sinks?", "options": ["0. cork", "1. straw"],
    "correct_answers": [], "dataset_source": "gone", "original_correct_answer": "lead",
}  # fmt: skip


@pytest.fixture
def write(tmp_path):
    def _write(content):
        path = tmp_path / "file.json"
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
        return path

    return _write


def test_numbers_in_front_of_options_go_and_the_truth_stays(write):
    (question,) = read_choice_file(write([LARGE]), "mcq")
    assert question.item.options == ("rafts", "stones")
    assert question.item.truth == "1"
    assert question.item.published.numbered


def test_passages_lose_their_sentence_numbers(write):
    both = read_choice_file(write([PASSAGE, SMALL]), "mcq")
    assert both[0].item.passage == "Mina sailed. So did Ola."
    assert both[1].item.passage == "Mina rowed."
    assert both[1].item.question == "Who rowed?"


def test_the_option_taken_out_is_kept_where_the_file_has_it(write):
    (question,) = read_choice_file(write([NONE]), "mcq")
    assert (question.item.form, question.item.missing_gold) == ("none", "lead")


@pytest.mark.parametrize(
    ("label", "form"),
    [("__PROVED__", "true"), ("__DISPROVED__", "false"), ("__UNKNOWN__", "unknown"),
     ("Uncertain", "unknown"), ("True", "true")],
)  # fmt: skip
def test_judging_labels_are_read_in_either_spelling(write, label, form):
    record = {"Facts": "Ola sails.", "Conclusion": "Ola sails.", "proof_label": label}
    (item,) = read_judging_file(write([record]), "judging_questions")
    assert (item.family, item.form, item.passage) == ("judging", form, "Ola sails.")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "can't be read"),
        ("[]", "expected one list"),
        ([1], "record 1 is no object"),
        ([{**LARGE, "options": "rafts"}], "record 1: options"),
        ([LARGE, {**LARGE, "correct_answers": [5]}], "record 2: correct_answers"),
        ([{"id": "x"}], "none of the fields"),
        ('[{"a": 1, "a": 2}]', "given twice"),
    ],
)
def test_a_damaged_choice_file_is_refused_with_its_place(write, content, said):
    with pytest.raises(RecordsError, match=said):
        read_choice_file(write(content), "mcq")
