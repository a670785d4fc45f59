"""Replies to MathComp questions in a file: each checked, and made a sample to score."""

from typing import Literal, Self

from inspect_ai.dataset import Sample
from pydantic import model_validator

from askew.assembly import sample_of
from askew.logs.replies import AskedReply
from askew.papers.mathcomp.framings import FRAMINGS, Framing, Phrase, Words
from askew.papers.mathcomp.items import framings
from askew.papers.mathcomp.paper import ONE_WORD, PAPER, STANDARD, Label, MathCompMeta

# Whom a prompt names last, and how, does not hang on what the two people did.
_SENTENCES, _PHRASE = ("{A}.", "{B}."), Phrase("time", "spend", "spends")


class Reply(AskedReply):
    """One reply, with its framing and what is right; people are named as its prompt ends."""

    paper = PAPER

    style: str
    term: str
    position: str
    output: str = ONE_WORD
    identity: str = STANDARD
    gold: Label
    quantity: str = ""
    number_format: Literal["arabic", "verbal"] = "arabic"
    person_a: str = ""
    person_b: str = ""
    judge_question: str = ""

    @property
    def framed(self) -> Framing:
        return Framing(self.style, self.term, self.position)

    @model_validator(mode="after")
    def _is_a_framing(self) -> Self:
        if self.framed not in FRAMINGS:
            framings(self.style, self.term, self.position)
        if bool(self.person_a) is not bool(self.person_b):
            raise ValueError("person_a and person_b come together or not at all")
        return self

    def as_sample(self) -> Sample:
        named = Words().told(_SENTENCES, self.framed, _PHRASE, self.identity)
        return sample_of(
            PAPER, MathCompMeta, self.prompt, self.gold, **self.place, **self.condition,
            gold=self.gold, quantity=self.quantity, number_format=self.number_format,
            person_a=self.person_a or named.first, person_b=self.person_b or named.second,
            judge_question=self.judge_question,
        )  # fmt: skip
