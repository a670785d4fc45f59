"""Moved to `askew.respondents.answering`."""

from askew.respondents.answering import (
    CHATTY,
    REFUSAL,
    TERSE,
    announced,
    bare,
    bold,
    dotted,
    explained,
    headed,
    labelled,
    pick,
    reasoned,
    seeded,
)
from askew.respondents.answering import Wording as Dress

__all__ = [
    "CHATTY",
    "REFUSAL",
    "TERSE",
    "Dress",
    "announced",
    "bare",
    "bold",
    "dotted",
    "explained",
    "headed",
    "labelled",
    "pick",
    "reasoned",
    "seeded",
]
