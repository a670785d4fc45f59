"""How right an extracted answer is: token F1, set F1, and average precision of a ranking.

Each is a pure function with values from 0 to 1, by the definitions that the authors' scripts
use where the paper gives none.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Collection, Iterable, Mapping, Sequence

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def answer_tokens(text: str) -> list[str]:
    """Words in lower case, without ASCII punctuation and articles."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def token_f1(predicted: str, true: str) -> float:
    """Overlap of words; distinct common words over all words, as the authors count them.

    Both without words is 1, one without words 0.
    """
    said, meant = answer_tokens(predicted), answer_tokens(true)
    if not said or not meant:
        return float(said == meant)
    common = len(set(said) & set(meant))
    if not common:
        return 0.0
    precision, recall = common / len(said), common / len(meant)
    return 2 * precision * recall / (precision + recall)


def set_f1(predicted: Iterable[str], true: Iterable[str], casefold: bool = False) -> float:
    """F1 of exact texts as sets, after trimming; both empty is 1, one empty 0.

    Args:
        predicted: what was given.
        true: what is right.
        casefold: whether case does not count.
    """
    said, meant = _as_set(predicted, casefold), _as_set(true, casefold)
    if not said or not meant:
        return float(said == meant)
    common = len(said & meant)
    return 2 * common / (len(said) + len(meant))


def _as_set(texts: Iterable[str], casefold: bool) -> set[str]:
    trimmed = (t.strip() for t in texts)
    return {t.casefold() if casefold else t for t in trimmed if t}


def mapping_f1(
    predicted: Mapping[str, Collection[str]], true: Mapping[str, Collection[str]]
) -> float:
    """Mean over the true keys of the F1 of lower-cased texts as sets."""
    scores = [
        set_f1((t.lower() for t in predicted.get(key, ())), (t.lower() for t in names))
        for key, names in true.items()
    ]
    return sum(scores) / len(scores)


def average_precision(relevance: Sequence[int]) -> float:
    """Mean of the precision at each relevant place of a ranking; 0 where none is relevant."""
    hits, total = 0, 0.0
    for place, relevant in enumerate(relevance, start=1):
        if relevant:
            hits += 1
            total += hits / place
    return total / hits if hits else 0.0


def ranking_score(marks: Sequence[int], truth: Sequence[int], seed: str) -> float:
    """Average precision of documents marked 1 before documents marked 0, against the truth.

    Args:
        marks: 0 or 1 for each document, as given.
        truth: 0 or 1 for each document, as is true; of another length than the marks scores 0.
        seed: names the random order of documents with equal marks; equal seeds, equal order.
    """
    if len(marks) != len(truth):
        return 0.0
    tie = random.Random(f"ties/{seed}")
    order = sorted(range(len(marks)), key=lambda i: (-marks[i], tie.random()))
    return average_precision([truth[i] for i in order])
