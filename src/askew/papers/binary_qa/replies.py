"""Replies to yes/no questions in a file: each checked, and made a sample to score."""

from __future__ import annotations

from typing import Annotated

from inspect_ai.dataset import Sample
from pydantic import BeforeValidator

from askew.logs.reply_records import AskedReply, Text
from askew.papers.binary_qa.items import spelled
from askew.papers.binary_qa.paper import PAPER, Answer
from askew.papers.binary_qa.tasks import sample_of
from askew.schema import clean_id


class Reply(AskedReply):
    """One reply, with the form it was asked in; `answer` is right for the original question."""

    paper = PAPER

    item: Text
    subset: Text = "own"
    kind: str = ""
    unit: str = ""
    form: str
    answer: Annotated[Answer, BeforeValidator(spelled)]

    def as_sample(self) -> Sample:
        item = clean_id(self.item)
        return sample_of(
            self.prompt,
            item=item,
            unit=self.unit or item,
            subset=self.subset,
            tier=self.tier,
            kind=self.kind or self.subset,
            form=self.form,
            truth=self.answer,
        )
