"""Short questions with one-word answers."""

from pydantic import BaseModel, ConfigDict

from askew.sources.loading import Files, load_items

from .paper import PAPER


class Question(BaseModel):
    """A question with its answer, as a line of a file holds it; it is its own unit."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: str
    subset: str = "sums"
    question: str
    answer: str

    @property
    def unit(self) -> str:
        return self.id


FILES = Files(PAPER.task, PAPER.home, dict.fromkeys(PAPER.subsets, "questions.jsonl"), {})
TEMPLATE = ('{"id": "four", "question": "What is 1 + 3?", "answer": "4"}',)
TEMPLATE_CSV = ("id,question,answer", "four,What is 1 + 3?,4")


def load(data, subset=None):
    return load_items(FILES, data, subset, Question.model_validate, list)
