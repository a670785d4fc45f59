"""The right option is missing: does the model say so? (KnowNo)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage

from askew.treatments.choices import offers_none, right_options, why_not_replaced, with_option
from askew.treatments.options_changed import OptionsChanged
from askew.treatments.shape import Arm, Ask


class Absent(OptionsChanged):
    """The right option's text becomes a statement that none of the others is right."""

    name = "absent"
    source = "KnowNo"
    meaning = "the right option is missing; in its place, that none of the others is right"
    right = "the same letter"
    asked = True

    def fits(self, sample: Sample, arm: Arm) -> str:
        return why_not_replaced(sample)

    def told(self, sample: Sample, ask: Ask) -> dict[str, Any]:
        return {"none_at": right_options(sample)[0]}

    def apply_to_sample(self, sample: Sample, ask: Ask) -> Sample:
        return with_option(sample, ask.told["none_at"], self.words["option"])

    def reached(self, messages: Sequence[ChatMessage], ask: Ask) -> bool:
        return offers_none(messages, ask)


TREATMENT = Absent()
