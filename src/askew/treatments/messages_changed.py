"""What treatments of messages share: a text that the model must be seen to get."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import ChatMessage

from askew.treatments.shape import Ask, Place, Treatment, texts_of


class MessagesChanged(Treatment):
    """A treatment that puts a text into the messages; `told` says which, as `text`."""

    place: Place = "message"
    unreached = "no call held its text"

    def reached(self, messages: Sequence[ChatMessage], ask: Ask) -> bool:
        return str(ask.told["text"]) in texts_of(messages)
