"""Short questions with one-word answers."""

from askew.sources.loading import FileRecord, Files, load_items

from .paper import PAPER


class Question(FileRecord):
    subset: str = "sums"
    question: str
    answer: str


def load(data, subset=None):
    files = Files(PAPER.task, PAPER.home, dict.fromkeys(PAPER.subsets, "questions.jsonl"), {})
    return load_items(files, data, subset, Question.model_validate, list)
