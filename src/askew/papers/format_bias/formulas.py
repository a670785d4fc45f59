"""The formulas of the format-bias paper: numbers in, number out; and how right an answer is.

Token F1, set F1 and average precision of a ranking have values from 0 to 1, by the definitions
that the authors' scripts use where the paper gives none.
"""

from __future__ import annotations

import math
import random
import re
import string
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from askew.stats.intervals import t_quantile

MARGIN = 0.05
CONFIDENCE = 0.95
# Differences below this are rounding.
_TINY = 1e-9
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def est_true(systematic: float, format_following: float, *, zero_filled: bool = False) -> float:
    """Estimated true score: the systematic score per reply that follows the format (Eq. 5).

    Args:
        systematic: SysE, in percent or as a fraction; the result has its unit.
        format_following: FI, always as a fraction: the share of the replies that follow.
        zero_filled: 0, as the paper has it, instead of nan where no reply follows the format.
    """
    if format_following > 1 or format_following < 0:
        raise ValueError(f"FI {format_following:g}: give a fraction from 0 to 1; 80 % is 0.8")
    if not format_following > 0:
        return 0.0 if zero_filled and format_following == 0 else math.nan
    return systematic / format_following


def est_true_reliable(
    scores: Sequence[float], n_total: int, margin: float = MARGIN, level: float = CONFIDENCE
) -> bool:
    """Whether EstTrue is within `margin` of the truth at this confidence (Theorem 3.1).

    Args:
        scores: scores, from 0 to 1, of the replies that follow the format.
        n_total: how many replies there are, followed or not.
        margin: the margin of error that is allowed.
        level: the confidence level, such as 0.95; its complement 0.05 means the same.
    """
    k = len(scores)
    if k < 2:
        return False
    needed = fi_needed(float(np.std(scores, ddof=1)), k, n_total, margin, level)
    return k / n_total >= needed


def fi_needed(
    deviation: float, k: int, n_total: int, margin: float = MARGIN, level: float = CONFIDENCE
) -> float:
    """The FI from which on EstTrue is reliable (Eq. 6); 0 where all scores are the same.

    Args:
        deviation: sample standard deviation of the scores of replies that follow the format.
        k: how many these are.
        n_total: how many replies there are.
        margin: the margin of error that is allowed.
        level: the confidence level, or its complement.
    """
    if k < 2:
        return math.nan
    if deviation < _TINY:
        return 0.0
    t = t_quantile(level if level >= 0.5 else 1 - level, k - 1)
    return 1 / (1 + n_total * (margin / (t * deviation)) ** 2)


def bias_f(scores: Iterable[float]) -> float:
    """Population variance of scores over formats (Eq. 8), in the square of their unit."""
    values = np.asarray(list(scores), dtype=float)
    return float(np.var(values)) if values.size else math.nan


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
