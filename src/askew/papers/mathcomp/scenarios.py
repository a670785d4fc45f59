"""One MathComp item: two people, two amounts, and which is larger."""

from dataclasses import dataclass
from typing import Literal

from askew.papers.mathcomp.phrases import Phrase

Label = Literal["more", "less", "equal"]
LABELS: tuple[Label, ...] = ("more", "less", "equal")

CATEGORIES = (
    "Dining",
    "Education",
    "Entertainment",
    "Health & Fitness",
    "Home & Living",
    "Personal Care",
    "Shopping",
    "Technology",
    "Transportation",
    "Travel",
)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Two sentences to compare; `label` says what the second total is against the first.

    `sentence1` speaks of `{A}` and `sentence2` of `{B}`; `equation1` and
    `equation2` are their totals, written out. `verbal` is true where an amount
    is told in words ("twice that"), false where every number is in digits.
    """

    id: str
    sentence1: str
    sentence2: str
    category: str
    quantity: str
    task: str
    label: Label
    equation1: str
    equation2: str
    verbal: bool
    phrase: Phrase
