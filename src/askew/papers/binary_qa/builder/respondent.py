"""How simulated models play the writer and the checker of a Binary QA build.

They turn a question round mechanically; what they write is for trying the builder out, not a
data set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from askew.papers.binary_qa.paper import OPPOSITE
from askew.papers.binary_qa.rules import in_words
from askew.respondents.answering import REFUSAL, seeded


@dataclass(frozen=True)
class Tendencies:
    """Probabilities that a simulated writer or checker has.

    Attributes:
        botches: of handing a question back as it was, drawn at every asking.
        misjudges: of answering a rewrite otherwise than its item demands.
        refuses: of declining to answer.
        chatty: whether it puts its question into a sentence about it.
    """

    botches: float = 0.0
    misjudges: float = 0.0
    refuses: float = 0.0
    chatty: bool = False


TENDENCIES: Mapping[str, Tendencies] = {
    "oracle": Tendencies(),
    "typical": Tendencies(botches=0.1, misjudges=0.05),
    "agreeable": Tendencies(botches=1.0),
    "random": Tendencies(botches=0.5, misjudges=0.5),
    "mute": Tendencies(refuses=1.0),
    "chatty": Tendencies(chatty=True),
}


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The reply of a simulated model to one request of the builder."""
    asks = str(truth["asks"])
    rng = seeded(
        seed, name, truth["sample_id"], asks, truth.get("form", ""), truth.get("attempt", 1)
    )
    if rng.random() < tendencies.refuses:
        return REFUSAL
    if asks == "check":
        wrong = rng.random() < tendencies.misjudges
        return OPPOSITE[truth["expected"]] if wrong else str(truth["expected"])
    question = str(truth.get("original") or truth["question"])
    made = question if rng.random() < tendencies.botches else _rewritten(asks, question, truth)
    return f"Rewritten question:\n\n**{made}**\n\nIt keeps the rule." if tendencies.chatty else made


def _rewritten(asks: str, question: str, truth: Mapping[str, Any]) -> str:
    """A crude rewrite that says what its form is to say: it quotes the question in a new one."""
    quoted = f'the right answer to "{question}"'
    if asks == "convert":
        return f'Is {in_words(truth["op"], truth["n"])} the right answer to "{question}"?'
    return {
        "synonym": f"Is yes {quoted}?",
        "hedged": f"Would you say that yes is {quoted}?",
        "contradictory": f"Is no {quoted}?",
        "false_framing": f"Is it false that yes is {quoted}?",
    }[asks]
