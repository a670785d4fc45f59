"""Generated equation questions: one right option each, found again by other ways, and no leak."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from askew_authoring.knowno.generator import Question, generate
from askew_authoring.knowno.generator.derivations import Derivation, derivations
from askew_authoring.knowno.generator.formulas import value
from tests.authoring.knowno.equation_reader import right_side
from tests.papers.knowno.test_bundled_equations import LEAST_UNLIKE_A_SQUARE, _alike

SEEDS = (0, 1, -3)
N = 180
# None of these draws was looked at when options were chosen.
DRAWS = range(1_000, 1_002)


@cache
def made(seed: int) -> list[Question]:
    return generate(N, seed)


def _function(names: Sequence[str], formula: Any, known: Mapping[str, Any]) -> Any:
    seen = dict(known)
    return lambda *at: value(formula, {**seen, **dict(zip(names, at, strict=True))})


def stepwise(of: Derivation, cell: Sequence[int], given: Mapping[str, Any]) -> Any:
    """What is asked for, computed step by step as told, without one formula of it all."""
    known = dict(given)
    for step, way in zip(of.steps, cell, strict=True):
        formula, name = step.ways[way][1], step.quantity.name
        # Indexes that are quantities themselves, such as a place, have their values here.
        by_index = _function(step.indexes, formula, known)
        known[name] = by_index if step.indexes else value(formula, known)
    found = known[of.asked.name]
    return found(*(value(i, known) for i in of.asked.parts)) if callable(found) else found


def _right(question: Question, draw: int) -> list[bool]:
    """Which options, read back from their LaTeX, agree with the steps taken one by one."""
    of, letters = question.derivation, dict(question.letters)
    values = of.values(draw)
    told = stepwise(of, question.cells[question.gold], values)
    by_letter = {letters[name]: v for name, v in values.items()}

    def agrees(option: str) -> bool:
        try:
            return math.isclose(right_side(option)(by_letter), told, rel_tol=1e-9, abs_tol=1e-12)
        except (ValueError, ZeroDivisionError):  # such as the logarithm of a negative number
            return False

    return [*map(agrees, question.options)]


def test_the_gold_alone_is_what_the_steps_give() -> None:
    for question in (q for seed in SEEDS for q in made(seed)):
        for draw in DRAWS:
            assert _right(question, draw) == [i == question.gold for i in range(4)], question.id


def test_four_options_are_alike_in_length_and_no_square() -> None:
    for question in (q for seed in SEEDS for q in made(seed)):
        assert len(set(question.options)) == 4
        assert len({option.partition("=")[0] for option in question.options}) == 1
        signs = [len(re.findall(r"\\[A-Za-z]+|\w|[^\s{}]", option)) for option in question.options]
        assert max(signs) <= 1.45 * min(signs)
        first, *others = _alike(list(question.options))
        for i, opposite in enumerate(others):
            one, other = (others[j] for j in range(3) if j != i)
            here, there = first + opposite, one + other
            assert ((here - there) + (there - here)).total() >= LEAST_UNLIKE_A_SQUARE, question.id


def test_a_seed_gives_the_same_questions_none_twice_and_another_gives_others() -> None:
    questions, other = made(1), {(q.before, q.options) for q in made(0)}
    assert generate(N, 1) == questions
    assert [q.before for q in generate(7, 1)] == [q.before for q in questions[:7]]
    assert sum((q.before, q.options) in other for q in questions) <= N / 50
    assert len({(q.before, q.after) for q in questions}) == len({q.id for q in questions}) == N


def test_cores_derivations_and_gold_places_are_balanced_and_follow_no_pattern() -> None:
    for questions in map(made, SEEDS):
        assert {*Counter(q.derivation.name for q in questions).values()} == {N // 18}
        assert {q.derivation for q in questions} == set(derivations())
        places = [q.gold for q in questions]
        counts = Counter(places)
        assert max(counts.values()) - min(counts.values()) <= 2
        steps = Counter((b - a) % 4 for a, b in pairwise(places))
        assert max(steps.values()) <= 0.4 * len(places)
