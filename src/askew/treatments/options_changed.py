"""What treatments of a sample's options share: they reached the model where it is shown these."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import ChatMessage

from askew.treatments.choices import shows
from askew.treatments.shape import Ask, Place, Treatment


class OptionsChanged(Treatment):
    """A treatment of a sample's options."""

    place: Place = "sample"
    unreached = "no call showed the options so"

    def reached(self, messages: Sequence[ChatMessage], ask: Ask) -> bool:
        return shows(messages, ask.told.get("options", ()))
