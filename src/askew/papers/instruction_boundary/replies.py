"""Replies to Instruction Boundary's questions in a file: each checked, and made a sample."""

from typing import Annotated, Self

from inspect_ai.dataset import Sample
from pydantic import BeforeValidator, Field, model_validator

from askew.logs.replies import AskedReply
from askew.papers.instruction_boundary import paper as boundary
from askew.papers.instruction_boundary.items import index_of
from askew.papers.instruction_boundary.paper import MISCELLANY, PAPER, SETTINGS, SettingVariant
from askew.papers.instruction_boundary.questions import BoundaryItem, classify_form, format_answer
from askew.papers.instruction_boundary.tasks import asked_under
from askew.sources.loading import Text

Label = Annotated[str, BeforeValidator(lambda said: str(said).strip().casefold())]


class Reply(AskedReply):
    """One reply: to a judging question with its `label`, or to a choice with its `options`.

    `options` are those that were shown, in their order; `gold` and, where conformity suggested a
    wrong one, `suggestion` name some of them by text or by index from 0. `shown` numbers them as
    the item's own, from 1 (0 is a statement that all others are false): needed where a setting
    leaves options out or orders them otherwise, so that answers can be compared between settings.
    """

    paper = PAPER

    subset: str = ""
    setting: str
    variant: str = ""
    label: Label = ""
    options: list[Text] = Field(default_factory=list)
    gold: list[int | str] | None = None
    shown: list[Annotated[int, Field(ge=0)]] = Field(default_factory=list)
    suggestion: int | str | None = None
    source: str = ""

    @property
    def family(self) -> boundary.Family:
        return "choice" if self.options else "judging"

    @model_validator(mode="after")
    def _is_a_question(self) -> Self:
        valid = boundary.FAMILIES["judging"].forms
        if bool(self.label) is bool(self.options):
            raise ValueError("a judging question has label, a choice has options with gold")
        if self.label and self.label not in valid:
            raise ValueError(f"no label {self.label!r:.60}; there are: {', '.join(valid)}")
        if self.options and self.gold is None:
            raise ValueError("gold: list the correct options, [] if there are none")
        if len(self.shown or self.options) != len(self.options):
            raise ValueError(f"shown numbers {len(self.shown)} of {len(self.options)} options")
        if len(set(self.shown)) < len(self.shown):
            raise ValueError("shown numbers two options alike")
        if self.options and not self.shown and self.setting in ("missing_choices", MISCELLANY):
            raise ValueError(f"shown: {self.setting} leaves options out; number those shown")
        self._check_variant()
        return self

    def _check_variant(self) -> None:
        valid = SETTINGS[self.setting].variants.get(self.family, ())
        given = self.asked.variant
        several = given.split("+") if SETTINGS[self.setting].parameter == "examples" else [given]
        if [v for v in several if v not in (valid or [""])]:
            there = ", ".join(valid) or "none"
            raise ValueError(f"no variant {given!r:.60} of {self.setting}; there are: {there}")
        if self.asked != SettingVariant(self.setting, self.variant or given):
            raise ValueError(f"variant {self.variant!r:.60}: {given} wrong options are shown")
        _ = self.suggested

    @property
    def asked(self) -> SettingVariant:
        """How it was asked; under miscellany the options say so themselves."""
        if self.setting == MISCELLANY and self.options:
            return SettingVariant(self.setting, str(len(self.options) - len(self.right)))
        return SettingVariant(self.setting, self.variant)

    @property
    def right(self) -> list[int]:
        """Places of the right options among those shown."""
        return sorted({index_of(right, self.options) for right in self.gold or ()})

    @property
    def indexes(self) -> list[int]:
        """Indexes of the options shown among the item's own."""
        return [n - 1 for n in self.shown or range(1, len(self.options) + 1)]

    @property
    def suggested(self) -> str:
        """The canonical answer that conformity suggests."""
        if SETTINGS[self.setting].parameter != "suggest":
            return ""
        if self.variant != "wrong":
            return self.variant
        if self.suggestion is None:
            raise ValueError("suggestion: name the wrong option that was suggested")
        answer = self.suggestion
        # A cell of a table is a text.
        if isinstance(answer, str) and answer.isdecimal() and answer not in self.options:
            answer = int(answer)
        return format_answer([self.indexes[index_of(answer, self.options)]])

    def as_sample(self) -> Sample:
        gold = tuple(sorted(self.indexes[place] for place in self.right))
        item = BoundaryItem(
            self.place["item"], self.subset or self.family, self.place["cluster"], self.family,
            classify_form(gold) if self.options else self.label,  # type: ignore[arg-type]
            "", self.prompt, gold=gold, source=self.source, tier=self.tier,
        )  # fmt: skip
        shown = self.indexes, self.options
        return asked_under(item, self.asked, self.prompt, *shown, suggestion=self.suggested)
