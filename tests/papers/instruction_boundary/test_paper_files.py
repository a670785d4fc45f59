"""The published JSON files are read record by record, normalised."""

import json

import pytest

from askew.papers.instruction_boundary.paper_files import choice_items, judging_items
from askew.sources.records import RecordsError
from tests.cases import cases

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


def read(*records):
    return list(choice_items(json.dumps(records), "mcq"))


def test_numbers_in_front_of_options_go_and_the_truth_stays():
    (question,) = read(LARGE)
    assert question.options == ("rafts", "stones")
    assert question.truth == "1"
    assert question.published.numbered


def test_passages_lose_their_sentence_numbers():
    both = read(PASSAGE, SMALL)
    assert both[0].passage == "Mina sailed. So did Ola."
    assert both[1].passage == "Mina rowed."
    assert both[1].question == "Who rowed?"


def test_the_option_taken_out_is_kept_where_the_file_has_it():
    (question,) = read(NONE)
    assert (question.form, question.missing_gold) == ("none", "lead")


@cases("label", "form")
def test_judging_labels_are_read_in_either_spelling(label, form):
    record = {"Facts": "Ola sails.", "Conclusion": "Ola sails.", "proof_label": label}
    (item,) = judging_items(json.dumps([record]), "judging_questions")
    assert (item.family, item.form, item.passage) == ("judging", form, "Ola sails.")


def test_a_judging_record_without_its_parts_is_refused():
    with pytest.raises(RecordsError, match=r"judging-0001: .*label.*there are: Facts"):
        judging_items('[{"Facts": "Ola sails."}]', "judging_questions")
