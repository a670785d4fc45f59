"""The printed results of MathComp (Tables 1 and 9 to 13) as directional errors by condition."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

# As the paper's text spells them, in its order.
MODELS: Mapping[str, str] = {
    "claude-3.7-sonnet": "Claude 3.7 Sonnet",
    "gpt-4o-mini": "GPT-4o mini",
}
# All printed cells come from one-word prompts.
OUTPUT = "one_word"
TERMS = ("more", "less", "equal")


@dataclass(frozen=True)
class Cell:
    """Where a printed number stands; `toward` is the wrong answer that it counts."""

    model: str
    toward: str
    style: str
    term: str
    position: str
    identity: str


# Table 10 prints 15.13, which is no count out of 206; the rest of its row is 86 to 94.
ODD = Cell("Claude 3.7 Sonnet", "equal", "indirect", "equal", "end", "standard")


@lru_cache(maxsize=1)
def published() -> Mapping[Cell, float]:
    """All printed cells, as fractions."""
    text = (files(__package__) / "published" / "direrr.csv").read_text(encoding="utf-8")
    return {
        Cell(
            MODELS[row["model"]],
            row["error_toward"],
            row["style"],
            row["term"],
            row["position"],
            row["identity"],
        ): float(row["direrr_pct"]) / 100
        for row in csv.DictReader(text.splitlines())
    }


def published_pull(model: str, term: str, identity: str = "standard") -> float:
    """`framing_pull` of one term as the printed cells imply it, each cell weighing the same."""
    mine = {
        cell: value
        for cell, value in published().items()
        if (cell.model, cell.toward, cell.identity) == (model, term, identity)
    }
    framed = [value for cell, value in mine.items() if cell.term == term]
    neutral = [value for cell, value in mine.items() if cell.style == "neutral"]
    if not framed or not neutral:
        return math.nan
    return math.fsum(framed) / len(framed) - math.fsum(neutral) / len(neutral)
