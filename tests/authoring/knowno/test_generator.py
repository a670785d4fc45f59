"""Generated equation questions: one right option each, found again by other ways, and no leak."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from askew_authoring.knowno.generator import Question, generate
from askew_authoring.knowno.generator.derivations import Derivation, derivations
from askew_authoring.knowno.generator.formulas import Values, value
from tests.authoring.knowno.equation_reader import right_side
from tests.papers.knowno.test_bundled_equations import (
    LEAST_UNLIKE_A_SQUARE,
    _alike,
)

SEEDS = (0, 1, 2, -3)
N = 180
# None of these draws was looked at when options were chosen.
DRAWS = range(1_000, 1_004)


@cache
def made(seed: int) -> list[Question]:
    return generate(N, seed)


@cache
def all_of_them() -> list[Question]:
    return [question for seed in SEEDS for question in made(seed)]


each_seed = pytest.mark.parametrize("seed", SEEDS)


def _function(names: Sequence[str], formula: Any, known: Mapping[str, Any]) -> Any:
    seen = dict(known)
    return lambda *at: value(formula, {**seen, **dict(zip(names, at, strict=True))})


def stepwise(of: Derivation, cell: Sequence[int], given: Mapping[str, Any]) -> Any:
    """What is asked for, computed step by step as told, without one formula of it all."""
    known = dict(given)
    for step, way in zip(of.steps, cell, strict=True):
        formula = step.ways[way][1]
        if not step.indexes:
            known[step.quantity.name] = value(formula, known)
            continue
        # Indexes that are quantities themselves, such as a place, have their values here.
        known[step.quantity.name] = _function(step.indexes, formula, known)
    found = known[of.asked.name]
    at = [value(i, known) for i in of.asked.parts]
    return found(*at) if callable(found) else found


def _right(question: Question, draw: int) -> list[bool]:
    """Which options, read back from their LaTeX, agree with the steps taken one by one."""
    of, letters = question.derivation, dict(question.letters)
    values = of.values(draw)
    told = stepwise(of, question.cells[question.gold], values)
    by_letter = {letters[name]: v for name, v in values.items()}
    return [_comes_to(told, option, by_letter) for option in question.options]


def _comes_to(told: float, option: str, by_letter: Values) -> bool:
    try:
        found = right_side(option)(by_letter)
    except (ValueError, ZeroDivisionError):  # such as the logarithm of a negative number
        return False
    return math.isclose(found, told, rel_tol=1e-9, abs_tol=1e-12)


@each_seed
def test_the_gold_alone_is_what_the_steps_give(seed: int) -> None:
    for question in made(seed):
        for draw in DRAWS:
            expected = [i == question.gold for i in range(4)]
            assert _right(question, draw) == expected, question.id


def test_an_option_that_is_changed_by_one_sign_is_noticed() -> None:
    seen = 0
    for question in made(0):
        gold = question.options[question.gold]
        head, sign, tail = gold.rpartition(" + ")
        if sign:
            bent = [*question.options]
            bent[question.gold] = f"{head} - {tail}"
            changed = Question(**{**vars(question), "options": tuple(bent)})
            assert not any(_right(changed, DRAWS[0])), question.id
            seen += 1
    assert seen > N / 3


def test_four_options_are_alike_in_length_and_no_square() -> None:
    for question in all_of_them():
        assert len(set(question.options)) == 4
        assert len({option.partition("=")[0] for option in question.options}) == 1
        signs = [len(re.findall(r"\\[A-Za-z]+|\w|[^\s{}]", option)) for option in question.options]
        assert max(signs) <= 1.45 * min(signs)
        first, *others = _alike(list(question.options))
        for i, opposite in enumerate(others):
            one, other = (others[j] for j in range(3) if j != i)
            here, there = first + opposite, one + other
            assert ((here - there) + (there - here)).total() >= LEAST_UNLIKE_A_SQUARE, question.id


@each_seed
def test_a_seed_gives_the_same_questions_and_another_gives_others(seed: int) -> None:
    again = generate(N, seed)
    told = [(q.id, q.before, q.after, q.options, q.gold) for q in made(seed)]
    assert [(q.id, q.before, q.after, q.options, q.gold) for q in again] == told
    assert [q.before for q in generate(7, seed)] == [q.before for q in again[:7]]
    other = {(q.before, q.options) for q in made(next(s for s in SEEDS if s != seed))}
    shared = sum((q.before, q.options) in other for q in made(seed))
    assert shared <= N / 50


def test_no_question_of_a_set_stands_there_twice() -> None:
    for questions in map(made, SEEDS):
        assert len({(q.before, q.after) for q in questions}) == N
        assert len({q.id for q in questions}) == N


@each_seed
def test_every_core_comes_equally_often_and_every_derivation_at_all(seed: int) -> None:
    counts = Counter(q.derivation.name for q in made(seed))
    assert len(counts) == 18
    assert set(counts.values()) == {N // 18}
    assert {q.derivation for q in made(seed)} == set(derivations())


def test_gold_places_are_balanced_and_follow_no_pattern() -> None:
    for questions in map(made, SEEDS):
        places = [q.gold for q in questions]
        counts = Counter(places)
        assert max(counts.values()) - min(counts.values()) <= 2
        steps = Counter((b - a) % 4 for a, b in pairwise(places))
        assert max(steps.values()) <= 0.4 * len(places)
