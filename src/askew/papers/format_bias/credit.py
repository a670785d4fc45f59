"""How right an answer is, from 0 to 1: the paper's measures, and credit for more than one string.

Token F1, set F1 and average precision are the paper's or, where it has none, the scripts'.
The paper takes one right string each (`reading="credit=exact"`); questions may list more.
"""

import random
import re
import string
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from askew.files import toml_of

Credit = Literal["declared", "exact", "contained"]
# A part of a phrase earns its overlap from here on; less is another phrase.
LEAST_OVERLAP = 0.5
_LARGEST = 10**15
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_TOLD = toml_of(__package__, "credit.toml")
_UNITS: Mapping[str, int] = _TOLD["units"]
_TENS: Mapping[str, int] = _TOLD["tens"]
_SCALES: Mapping[str, int] = _TOLD["scales"]
_WORD = r"[^\w\s]*(?:{0})(?:-(?:{0}))*".format("|".join((*_UNITS, *_TENS, *_SCALES)))
_AND = f"(?:(?:{'|'.join(f'(?<={scale})' for scale in _SCALES)})\\s+[^\\w\\s]*and[^\\w\\s]*)?"
# Words that are one number: marks may stand around them, and end it behind one.
_IN_WORDS = re.compile(rf"(?<!\S){_WORD}(?:{_AND}\s+{_WORD})*[^\w\s]*(?!\S)", re.IGNORECASE)


def answer_tokens(text: str) -> list[str]:
    """Words in lower case, without ASCII punctuation and articles."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def token_f1(predicted: str, true: str) -> float:
    """F1 of distinct common words, as the authors count; both without words is 1, one 0."""
    given, meant = answer_tokens(predicted), answer_tokens(true)
    return _f1(len(set(given) & set(meant)), len(given) + len(meant))


def _f1(common: int, said_and_meant: int) -> float:
    return 2 * common / said_and_meant if said_and_meant else 1.0


def set_f1(predicted: Iterable[str], true: Iterable[str], casefold: bool = False) -> float:
    """F1 of trimmed texts as sets, with `casefold` of any case; both empty is 1, one empty 0."""
    given, meant = (
        {t.casefold() if casefold else t for t in map(str.strip, texts)} - {""}
        for texts in (predicted, true)
    )
    return _f1(len(given & meant), len(given) + len(meant))


def mapping_f1(
    predicted: Mapping[str, Collection[str]], true: Mapping[str, Collection[str]]
) -> float:
    """Mean over the true keys of the F1 of lower-cased texts as sets."""
    scores = [
        set_f1(map(str.lower, predicted.get(key, ())), map(str.lower, names))
        for key, names in true.items()
    ]
    return sum(scores) / len(scores)


def average_precision(relevance: Sequence[int]) -> float:
    """Mean of the precision at each relevant place of a ranking; 0 where none is relevant."""
    places = [place for place, relevant in enumerate(relevance, start=1) if relevant]
    return sum(hits / place for hits, place in enumerate(places, start=1)) / max(1, len(places))


def ranking_score(marks: Sequence[int], truth: Sequence[int], seed: str) -> float:
    """Average precision of documents marked 1 before documents marked 0, against the truth.

    A truth of another length than the marks scores 0. Equal seeds put documents with equal marks in
    the same random order.
    """
    if len(marks) != len(truth):
        return 0.0
    tie = random.Random(f"ties/{seed}")
    order = sorted(range(len(marks)), key=lambda i: (-marks[i], tie.random()))
    return average_precision([truth[i] for i in order])


def token_credit(predicted: str, accepted: Collection[str]) -> float:
    """The token F1 against whichever accepted answer is nearest; numbers may stand in words."""
    text = with_digits(predicted)
    return max(token_f1(text, with_digits(answer)) for answer in accepted)


def contained_credit(predicted: str, accepted: Collection[str]) -> float:
    """1 where an accepted answer is in the reply, however verbose that may be; else the F1."""
    text, *answers = (answer_tokens(with_digits(given)) for given in (predicted, *accepted))
    if any(answer and f" {' '.join(answer)} " in f" {' '.join(text)} " for answer in answers):
        return 1.0
    return token_credit(predicted, accepted)


def phrase_credit(
    predicted: Collection[str], true: Collection[str], optional: Collection[str]
) -> float:
    """The F1 of phrases without optional ones, in base forms, with credit for parts of a phrase."""
    phrases, wanted, free = (
        list(dict.fromkeys(filter(None, map(_base_forms, texts))))
        for texts in (predicted, true, optional)
    )
    found = [p for p in phrases if p in wanted or p not in free]
    if not found or not wanted:
        return float(not found and not wanted)
    precision = sum(max(_overlap(p, w) for w in wanted) for p in found) / len(found)
    recall = sum(max(_overlap(p, w) for p in found) for w in wanted) / len(wanted)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def with_digits(text: str) -> str:
    """A text with its numbers in digits: "twenty-one sheep" is "21 sheep"."""
    return _IN_WORDS.sub(lambda words: str(_number(words[0].casefold())), text)


def _number(words: str) -> int:
    total = part = 0
    for word in re.findall(r"[a-z]+", words):
        if _SCALES.get(word, 0) > 100:
            total, part = total + max(part, 1) * _SCALES[word], 0
        elif word in _SCALES:
            # Of a reply that says "hundred" again and again: nobody writes out such numbers.
            part = min(max(part, 1) * _SCALES[word], _LARGEST)
        else:
            part += _UNITS.get(word, 0) + _TENS.get(word, 0)
    return total + part


def _base_forms(phrase: str) -> tuple[str, ...]:
    return tuple(map(_singular, re.findall(r"\w+", phrase.casefold())))


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and re.search(r"(?:s|x|z|ch|sh)es$", word):
        return word[:-2]
    return word[:-1] if len(word) > 3 and re.search(r"[^siu]s$", word) else word


def _overlap(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    shared = len(set(one) & set(other))
    overlap = 2 * shared / (len(set(one)) + len(set(other)))
    return overlap if overlap >= LEAST_OVERLAP else 0.0
