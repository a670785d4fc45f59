"""A wrong option becomes "none of the others": does the model fall for it? (KnowNo, Q5)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage

from askew.treatments.choices import offers_none, right_options, why_not_replaced, with_option
from askew.treatments.options_changed import OptionsChanged
from askew.treatments.shape import Arm, Ask

_LEAST = 3


class NoneOffered(OptionsChanged):
    """One wrong option's text becomes a statement that none of the others is right."""

    name = "none_offered"
    source = "KnowNo, Q5"
    meaning = "a wrong option becomes the statement that none of the others is right"
    right = "the same option"

    def fits(self, sample: Sample, arm: Arm) -> str:
        return why_not_replaced(sample, _LEAST)

    def told(self, sample: Sample, ask: Ask) -> dict[str, Any]:
        right = right_options(sample)
        wrong = [i for i in range(len(sample.choices or [])) if i not in right]
        return {"none_at": ask.rng().choice(wrong)}

    def apply_to_sample(self, sample: Sample, ask: Ask) -> Sample:
        return with_option(sample, ask.told["none_at"], self.words["option"])

    def reached(self, messages: Sequence[ChatMessage], ask: Ask) -> bool:
        return offers_none(messages, ask)


TREATMENT = NoneOffered()
