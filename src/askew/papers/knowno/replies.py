"""Replies to KnowNo questions in a file: each checked, and made a sample to score."""

from typing import Annotated, Self

from inspect_ai.dataset import Sample
from pydantic import Field, model_validator

from askew.logs.replies import AskedReply
from askew.papers.knowno.paper import HINTS, PAPER, SUBSET_OF, Kind
from askew.papers.knowno.tasks import asked_under
from askew.reading.none import NONE_OF_THEM, denies
from askew.sources.loading import Text


class Reply(AskedReply):
    """One reply, with the options that were shown, in their order, and the right one.

    `gold` is named also where it was not shown. `kind` says how a reply names an option: by its
    letter or text (story, equation) or by its label alone (intent); the paper's subsets say it too.
    """

    paper = PAPER

    subset: str = ""
    kind: Kind | None = None
    hint: str
    order: int = Field(default=0, ge=0)
    context_length: int | None = Field(default=None, ge=1)
    options: Annotated[list[Text], Field(min_length=1)]
    gold: Text

    @property
    def named(self) -> Kind:
        """How an option is named in a reply."""
        of_subset = next(
            (kind for kind, subset in SUBSET_OF.items() if subset == self.subset), None
        )
        kind = self.kind or of_subset
        if kind is None:
            raise ValueError(f"kind: give the question's kind, one of {', '.join(SUBSET_OF)}")
        return kind

    @model_validator(mode="after")
    def _options_are_those_of_the_hint(self) -> Self:
        _ = self.named
        hint, offered = HINTS[self.hint], self.gold in self.options
        says_none = any(o == NONE_OF_THEM or denies(o) for o in self.options)
        if offered is not (hint.options in ("all", "none_for_a_wrong_one")):
            wrong = "is not among" if not offered else "is among"
            raise ValueError(f"under {self.hint}, gold {self.gold!r:.60} {wrong} the options shown")
        if hint.options in ("none_added", "none_for_a_wrong_one") and not says_none:
            raise ValueError(f"under {self.hint}, one option must be {NONE_OF_THEM!r}")
        return self

    def as_sample(self) -> Sample:
        place = {**self.place, "subset": self.subset or SUBSET_OF[self.named]}
        return asked_under(
            question=self.prompt, options=self.options, gold=self.gold, kind=self.named,
            **place, **self.condition,
        )  # fmt: skip
