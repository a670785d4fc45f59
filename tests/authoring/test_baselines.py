"""Guessers who understand nothing: what leaks is found, and what does not leak is not."""

import random
from dataclasses import replace

import pytest

from askew_authoring.baselines import (
    Baseline,
    Choice,
    LabelledText,
    RankedTitles,
    of_choices,
    of_labels,
    of_rankings,
)

NAMES = [f"w{i}" for i in range(60)]


def named(found: list[Baseline], name: str) -> Baseline:
    return next(b for b in found if b.name == name)


def choices(make: object = None, seed: str = "a") -> list[Choice]:
    """Questions whose four options are words by lot; `make` spoils the right one."""
    draw = random.Random(seed)
    items = []
    for i in range(80):
        options = [" ".join(draw.sample(NAMES, 3)) for _ in range(4)]
        gold = draw.randrange(4)
        if callable(make):
            options[gold] = make(options[gold])
        text = " ".join(draw.sample(NAMES, 30))
        items.append(Choice(f"q{i}", text, tuple(options), gold, cluster=f"u{i // 4}"))
    return items


@pytest.mark.whole
def test_questions_by_lot_stay_within_chance_but_for_what_chance_lets_out() -> None:
    found = [b for seed in range(12) for b in of_choices(choices(seed=str(seed)))]
    assert sum(not b.within_chance for b in found) <= 0.1 * len(found)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("longest", lambda o: o + " w1 w2 w3"),
        ("shortest", lambda o: o.split()[0]),
        ("bag of words", lambda o: "telltale " + o),
    ],
)
def test_what_gives_the_gold_away_is_found(name: str, make: object) -> None:
    baseline = named(of_choices(choices(make)), name)
    assert not baseline.within_chance
    assert baseline.value > 0.9 * baseline.out_of
    assert "LEAKS" in baseline.line()


def test_the_overlap_baseline_finds_a_target_quoted_in_the_text() -> None:
    items = [replace(i, text=f"{i.text} {i.options[i.gold]}") for i in choices()]
    assert not named(of_choices(items), "most overlapping").within_chance


@pytest.mark.parametrize(
    ("text", "name"),
    [("yes" * 40, "longer half: no"), ("did it", "first word"), ("one telltale", "bag of words")],
)
def test_labels_that_a_text_gives_away_are_found(text: str, name: str) -> None:
    draw = random.Random(0)
    labelled = [
        (text, "yes") if i % 2 else (" ".join(draw.sample(NAMES, 4)), "no") for i in range(60)
    ]
    items = [LabelledText(f"q{i}", *told) for i, told in enumerate(labelled)]
    assert not named(of_labels(items), name).within_chance


def test_titles_that_are_long_because_they_are_relevant_are_found() -> None:
    titles = ("a much longer title", "another long title", "short", "tiny")
    leak = [RankedTitles(f"r{i}", titles, frozenset({0, 1})) for i in range(10)]
    longest = named(of_rankings(leak), "longest first")
    assert (longest.value, longest.within_chance) == (1.0, False)
    same = ("same", "size", "here", "once")
    even = [RankedTitles(f"r{i}", same, frozenset({i % 4})) for i in range(12)]
    assert all(b.within_chance for b in of_rankings(even))
