"""Replies to yes/no questions in a file: each checked, and made a sample to score."""

from typing import Annotated

from inspect_ai.dataset import Sample
from pydantic import BeforeValidator

from askew.logs.replies import AskedReply
from askew.papers.binary_qa.items import canonical_answer
from askew.papers.binary_qa.paper import PAPER, Answer
from askew.papers.binary_qa.tasks import make_sample


class Reply(AskedReply):
    """One reply, with the form it was asked in; `answer` is right for the original question."""

    paper = PAPER

    kind: str = ""
    form: str
    answer: Annotated[Answer, BeforeValidator(canonical_answer)]

    def as_sample(self) -> Sample:
        kind = self.kind or self.subset
        return make_sample(self.form, self.prompt, self.answer, **self.place, kind=kind)
