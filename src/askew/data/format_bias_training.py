"""Multiple-choice questions to train on: made by rule, right by construction, never tested.

The paper trains on MMLU's auxiliary questions. These are ours and as many as one wants: what
they teach is the format, so they are easy and of several kinds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from askew.data.format_bias_records import FormatItem

_N_CHOICES = 4
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# A question is made up again where it was made before; no kind has fewer than this many.
_ATTEMPTS = 200

Question = tuple[str, str, Sequence[str]]
"""A question, its right choice, and wrong ones, of which some are taken."""


def training_questions(seed: int) -> Iterator[FormatItem]:
    """Questions without end and without repeats, kinds in turn; equal seeds, equal questions."""
    rng = random.Random(f"format_bias/training/{seed}")
    seen: set[str] = set()
    number = 0
    while True:
        for make in _KINDS:
            for _ in range(_ATTEMPTS):
                question, right, wrong = make(rng)
                if question not in seen:
                    break
            else:
                continue
            seen.add(question)
            yield _item(number, question, right, wrong, rng)
            number += 1


def _item(
    number: int, question: str, right: str, wrong: Sequence[str], rng: random.Random
) -> FormatItem:
    distinct = [w for w in dict.fromkeys(wrong) if w != right]
    choices = [right, *rng.sample(distinct, min(_N_CHOICES - 1, len(distinct)))]
    rng.shuffle(choices)
    name = f"training-{number:05d}"
    return FormatItem(
        id=name,
        subset="training",
        unit=name,
        kind="mcq",
        context={"question": question},
        answer=_LETTERS[choices.index(right)],
        choices=tuple(choices),
    )


def _sum(rng: random.Random) -> Question:
    a, b = rng.randint(12, 989), rng.randint(12, 989)
    return f"What is {a} plus {b}?", str(a + b), _near(a + b, rng)


def _difference(rng: random.Random) -> Question:
    a, b = sorted((rng.randint(12, 989), rng.randint(12, 989)), reverse=True)
    return f"What is {a} minus {b}?", str(a - b), _near(a - b, rng)


def _product(rng: random.Random) -> Question:
    a, b = rng.randint(3, 60), rng.randint(3, 30)
    return f"What is {a} times {b}?", str(a * b), _near(a * b, rng)


def _near(value: int, rng: random.Random) -> list[str]:
    """Numbers that are wrong by a slip."""
    slips = [1, 2, 10, 11, 20, rng.randint(3, 9), rng.randint(12, 19)]
    return [str(abs(value + sign * slip)) for slip in slips for sign in (1, -1)]


def _extreme(rng: random.Random) -> Question:
    numbers = rng.sample(range(100, 10_000), _N_CHOICES)
    word, right = rng.choice((("largest", max(numbers)), ("smallest", min(numbers))))
    listed = ", ".join(map(str, numbers[:-1]))
    question = f"Which number is the {word}: {listed} or {numbers[-1]}?"
    return question, str(right), [str(n) for n in numbers]


def _alphabet(rng: random.Random) -> Question:
    words = rng.sample(_WORDS, _N_CHOICES)
    place, right = rng.choice((("first", min(words)), ("last", max(words))))
    listed = f"{', '.join(words[:-1])} and {words[-1]}"
    return f"Which of the words {listed} comes {place} in a dictionary?", right, words


def _sequence(rng: random.Random) -> Question:
    start, step = rng.randint(2, 400), rng.randint(3, 25)
    shown = [start + step * i for i in range(4)]
    right = start + step * 4
    question = f"Which number comes next: {', '.join(map(str, shown))}?"
    return question, str(right), _near(right, rng)


def _conversion(rng: random.Random) -> Question:
    big, small, factor = rng.choice(_UNITS)
    amount = rng.randint(3, 99)
    right = amount * factor
    wrong = [str(amount * f) for _, _, f in _UNITS] + _near(right, rng)
    return f"How many {small} are there in {amount} {big}?", str(right), wrong


def _weekday(rng: random.Random) -> Question:
    start, days = rng.randrange(7), rng.randint(2, 60)
    right = _DAYS[(start + days) % 7]
    return f"Which day of the week is {days} days after a {_DAYS[start]}?", right, _DAYS


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_UNITS = (
    ("hours", "minutes", 60),
    ("minutes", "seconds", 60),
    ("days", "hours", 24),
    ("weeks", "days", 7),
    ("kilometres", "metres", 1_000),
    ("metres", "centimetres", 100),
    ("dozens", "pieces", 12),
    ("years", "months", 12),
)
_WORDS = (
    "anchor", "basket", "candle", "dancer", "ember", "fiddle", "garden", "hammer", "island",
    "jacket", "kettle", "ladder", "marble", "needle", "orchard", "pebble", "quilt", "ribbon",
    "saddle", "timber", "urchin", "violin", "walnut", "yarrow", "zephyr", "bridge", "copper",
    "fossil", "grotto", "heron", "lantern", "mirror", "nettle", "oyster", "puddle", "rafter",
    "sparrow", "thistle", "velvet", "willow",
)  # fmt: skip
_KINDS: tuple[Callable[[random.Random], Question], ...] = (
    _sum, _alphabet, _difference, _extreme, _conversion, _product, _weekday, _sequence
)  # fmt: skip
