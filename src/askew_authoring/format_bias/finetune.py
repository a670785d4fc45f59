"""The paper's training data against format bias (Section 6, Appendix D.2), in chat format.

Formats are shared out in ratios inverse to their systematic scores, so that a model sees most
of what it does worst.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any

import pandas as pd

from askew.files import toml_of
from askew.papers.format_bias.items import FILES, FormatItem, demonstrations, load
from askew.papers.format_bias.tasks import demonstrated_reply, render_item
from askew.reading.formats import get_format
from askew.reading.names import LETTERS
from askew.schema import named_now
from askew.solvers.chain import planned_dialogue
from askew.sources.pinned import is_cached
from askew_authoring.building import largest_remainder

_N_CHOICES = 4
_MADE_OF = toml_of(__package__, "finetune.toml")
_DAYS, _UNITS, _WORDS = _MADE_OF["days"], _MADE_OF["units"], _MADE_OF["words"]
# A question is made up again where it was made before; no kind has fewer than this many.
_ATTEMPTS = 200
# Categories whose training questions can be made by rule; others need the user's own.
_MADE_BY_RULE = ("mcq", "wrapping")

Question = tuple[str, object, Sequence[object]]
"""A question, its right choice, and wrong ones, of which some are taken."""


def training_questions(seed: int) -> Iterator[FormatItem]:
    """Questions without end and without repeats, kinds in turn; equal seeds, equal questions."""
    rng = random.Random(f"format_bias/training/{seed}")
    seen: set[str] = set()
    for make in cycle(_KINDS):
        made = (make(rng) for _ in range(_ATTEMPTS))
        fresh = next((question for question in made if question[0] not in seen), None)
        if fresh is None:
            continue
        question, right, wrong = fresh[0], str(fresh[1]), map(str, fresh[2])
        distinct = [w for w in dict.fromkeys(wrong) if w != right]
        choices = [right, *rng.sample(distinct, min(_N_CHOICES - 1, len(distinct)))]
        rng.shuffle(choices)
        name, answer = f"training-{len(seen):05d}", LETTERS[choices.index(right)]
        parts = {"question": question}
        yield FormatItem(name, "training", name, "mcq", parts, answer, tuple(choices))
        seen.add(question)


def _calculation(sign: str, rng: random.Random) -> Question:
    large, small = ((3, 60), (3, 30)) if sign == "times" else ((12, 989), (12, 989))
    a, b = rng.randint(*large), rng.randint(*small)
    a, b = (max(a, b), min(a, b)) if sign == "minus" else (a, b)
    right = {"plus": a + b, "minus": a - b, "times": a * b}[sign]
    return f"What is {a} {sign} {b}?", right, _near(right, rng)


def _near(value: int, rng: random.Random) -> list[int]:
    """Numbers that are wrong by a slip."""
    slips = [1, 2, 10, 11, 20, rng.randint(3, 9), rng.randint(12, 19)]
    return [abs(value + sign * slip) for slip in slips for sign in (1, -1)]


def _extreme(rng: random.Random) -> Question:
    numbers = rng.sample(range(100, 10_000), _N_CHOICES)
    word, right = rng.choice((("largest", max(numbers)), ("smallest", min(numbers))))
    listed = ", ".join(map(str, numbers[:-1]))
    return f"Which number is the {word}: {listed} or {numbers[-1]}?", right, numbers


def _alphabet(rng: random.Random) -> Question:
    words = rng.sample(_WORDS, _N_CHOICES)
    place, right = rng.choice((("first", min(words)), ("last", max(words))))
    listed = f"{', '.join(words[:-1])} and {words[-1]}"
    return f"Which of the words {listed} comes {place} in a dictionary?", right, words


def _sequence(rng: random.Random) -> Question:
    start, step = rng.randint(2, 400), rng.randint(3, 25)
    *shown, right = (start + step * i for i in range(5))
    query = f"Which number comes next: {', '.join(map(str, shown))}?"
    return query, right, _near(right, rng)


def _conversion(rng: random.Random) -> Question:
    big, small, factor = rng.choice(_UNITS)
    amount = rng.randint(3, 99)
    right = amount * factor
    wrong = [amount * f for _, _, f in _UNITS] + _near(right, rng)
    return f"How many {small} are there in {amount} {big}?", right, wrong


def _weekday(rng: random.Random) -> Question:
    start, days = rng.randrange(7), rng.randint(2, 60)
    right = _DAYS[(start + days) % 7]
    return f"Which day of the week is {days} days after a {_DAYS[start]}?", right, _DAYS


_KINDS: tuple[Callable[[random.Random], Question], ...] = (
    partial(_calculation, "plus"), _alphabet, partial(_calculation, "minus"), _extreme,
    _conversion, partial(_calculation, "times"), _weekday, _sequence,
)  # fmt: skip


@dataclass(frozen=True)
class TrainingSet:
    """Examples to train on, and how they were shared out."""

    rows: tuple[dict[str, Any], ...]
    """Chats, each as {"messages": [system, user, assistant]}."""
    systematic: Mapping[str, float]
    """SysE by format, as a fraction, that the ratios rest on."""
    ratios: Mapping[str, float]
    """How often each format comes, relative to the one that scores best."""
    counts: Mapping[str, int]
    notes: tuple[str, ...]
    """What a reader of the set has to know."""


def finetune_set(
    observations: pd.DataFrame,
    number: int = 1_000,
    *,
    category: str = "wrapping",
    pool: str | Path | None = None,
    seed: int = 0,
) -> TrainingSet:
    """Training examples for one model's formats, in ratios inverse to its systematic scores.

    Scores are taken, as in the paper, from the zero-shot runs without demonstrations and
    repetition where there are any, else from all runs.

    Args:
        observations: of one model.
        number: how many examples.
        category: whose formats to train.
        pool: a JSONL or CSV file of questions to train on; default our own, made by rule, which
            are there for mcq and wrapping.
        seed: for the questions and their order.
    """
    observations = named_now(observations)
    if number < 1:
        raise ValueError(f"number={number}: give at least 1")
    if pool is None and category not in _MADE_BY_RULE:
        raise ValueError(
            f"there are no questions of our own to train {category} formats on: give a file of "
            "yours as pool (its records: askew data template format_bias)"
        )
    systematic, notes = systematic_scores(observations, category)
    ratios = training_ratios(systematic)
    counts = largest_remainder(number, ratios)
    notes += [
        f"{name} has a systematic score of 0: it gets the largest finite ratio"
        for name, value in systematic.items()
        if value == 0
    ]
    seen = set(observations["item"]) | set(observations["cluster"])
    own = training_questions(seed) if pool is None else load(str(pool)).items
    # Spread evenly, so that any stretch has the ratios.
    places = sorted(((i + 0.5) / n, name) for name, n in counts.items() for i in range(n))
    items = list(islice(_new_items(own, seen), len(places)))
    if len(items) < len(places):
        raise ValueError(
            f"{pool} has {len(items)} questions that are not tested, but {len(places)} examples "
            "need one each: give more questions, or fewer examples"
        )
    rows = tuple(_chat(item, name) for item, (_, name) in zip(items, places, strict=True))
    return TrainingSet(rows, systematic, ratios, counts, tuple(notes))


def systematic_scores(
    observations: pd.DataFrame, category: str
) -> tuple[dict[str, float], list[str]]:
    """SysE by format, the unweighted mean over paper tasks, and notes on what it rests on."""
    rows = observations[observations["category"] == category]
    if not len(rows):
        raise ValueError(f"the logs contain no scored reply in a {category} format")
    if "model" in rows and rows["model"].nunique() > 1:
        models = ", ".join(map(str, rows["model"].unique()))
        raise ValueError(f"training data is for one model; the logs have {models}")
    plain = rows[(rows["prompting"] == "zs") & (rows["demos"] == 0) & (rows["repeat"] == 1)]
    notes = ["no zero-shot run without demonstrations: scores are those of all runs"]
    if len(plain):
        rows, notes = plain, []
    by_cell = rows.groupby(["format", "subset", "prompting", "demos", "repeat"], sort=False)
    means = by_cell["score"].mean().groupby(level="format", sort=False).mean()
    return {str(name): float(value) for name, value in means.items()}, notes


def _new_items(items: Iterable[FormatItem], seen: Set[str]) -> Iterator[FormatItem]:
    """Items not among those `seen`, that ask nothing the bundled or downloaded questions ask."""
    downloaded = [s for s, source in FILES.paper.items() if is_cached(source)]
    ours = [load("bundled").items, *demonstrations().values()]
    known = chain(*ours, *(load("paper", subset).items for subset in downloaded))
    tested = {_fingerprint(item) for item in known}
    return (i for i in items if not {i.id, i.cluster} & seen and _fingerprint(i) not in tested)


def _fingerprint(item: FormatItem) -> str:
    text = " ".join(item.context.values())
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())


def _chat(item: FormatItem, name: str) -> dict[str, Any]:
    """One example: the prompt as the task asks it, and the right answer in its format."""
    fmt = get_format(name)
    dialogue = planned_dialogue(render_item(item, fmt, "zs", demos=0, repeat=1, seed=0))
    turns = [*dialogue, ("assistant", demonstrated_reply(item, fmt, "zs"))]
    return {"messages": [{"role": role, "content": text} for role, text in turns]}


def training_ratios(systematic: Mapping[str, float]) -> dict[str, float]:
    """How often to train on each format, relative to the best: inverse to its SysE (Section 6).

    A format whose SysE is 0 would need infinitely many examples: it gets the largest finite
    ratio. Where all are 0, all get the same.
    """
    positive = [score for score in systematic.values() if score > 0] or [1.0]
    best, worst = max(positive), min(positive)
    return {name: best / (score if score > 0 else worst) for name, score in systematic.items()}
