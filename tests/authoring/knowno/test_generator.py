"""Generated equation questions: one right option each, found again by other ways, and no leak."""

import math
import re
from collections import Counter
from functools import cache
from itertools import combinations, pairwise

import pytest

from askew.papers.knowno.items import load
from askew.papers.knowno.tasks import knowno
from askew.parameters import SelectionError
from askew_authoring.knowno.generator import N_EQUATIONS, Question, generate
from askew_authoring.knowno.generator.derivations import Derivation, derivations
from askew_authoring.knowno.generator.formulas import Values, latex, put_in, read, value
from tests.authoring.knowno.equation_reader import right_side
from tests.authoring.knowno.test_generator_worlds import stepwise
from tests.conftest import metric_values
from tests.papers.knowno.test_bundled_equations import (
    LEAST_UNLIKE_A_SQUARE,
    _alike,
    braces_balance,
    parentheses_balance,
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
each_derivation = pytest.mark.parametrize(
    "of", derivations(), ids=lambda of: f"{of.name}-{of.last or 'alone'}"
)


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


def test_several_steps_decide_and_two_options_differ_in_one_or_two() -> None:
    for question in all_of_them():
        apart = [
            sum(a != b for a, b in zip(*pair, strict=True))
            for pair in combinations(question.cells, 2)
        ]
        assert set(apart) <= {1, 2}
        deciding = sum(len(set(ways)) > 1 for ways in zip(*question.cells, strict=True))
        assert deciding >= 3, question.id


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


@each_derivation
def test_ways_to_tell_a_step_name_the_same_quantities(of: Derivation) -> None:
    for step in of.steps:
        named = [Counter(set(re.findall(r"\{([^{}]+)\}", text))) for text, _ in step.ways]
        assert all(one == named[0] for one in named), step.ways


@each_derivation
def test_every_step_that_is_told_stands_in_the_text_once(of: Derivation) -> None:
    told = [text[1:] for text in (*of.before, *of.after) if text.startswith("@")]
    assert sorted(told) == sorted(s.quantity.name for s in of.steps if s.ways[0][0])


def test_every_letter_of_an_option_is_introduced_in_the_text() -> None:
    for question in all_of_them():
        text = " ".join(re.findall(r"\$([^$]*)\$", question.before + question.after))
        bound = {dict(question.letters)[n] for n, q in question.derivation.quantities.items()
                 if q.kind == "index"}  # fmt: skip
        known = set(_letters(text)) | bound
        for option in question.options:
            left, _, right = option.partition("=")
            assert set(_letters(right)) <= known, (question.id, set(_letters(right)) - known)
            assert set(_letters(left)) <= known, question.id


_COMMANDS = {
    "frac", "sum", "prod", "log", "exp", "max", "sqrt", "left", "right", "le", "ne",
}  # fmt: skip


def _letters(text: str) -> list[str]:
    found = re.findall(r"\\[A-Za-z]+|[A-Za-z]", text)
    return [x for x in found if x.lstrip("\\") not in _COMMANDS or len(x) == 1]


def test_letters_of_one_question_look_different() -> None:
    for question in all_of_them():
        letters = [letter.replace("\\var", "\\") for _, letter in question.letters]
        assert len(set(letters)) == len(letters), question.id


def test_what_is_asked_for_is_called_like_no_option() -> None:
    for question in all_of_them():
        assert question.options[0].partition(" ")[0] not in "ABCD", question.id


def test_texts_are_clean() -> None:
    for question in all_of_them():
        for text in (question.before, question.after):
            prose = re.sub(r"\$[^$]*\$", "x", re.sub(r"^\\subsection.*\n", "", text))
            assert "{" not in prose, prose
            assert "@" not in prose, prose
            assert not re.search(r"  |\.\.| [.,;]|\bnan\b|None,|\bTODO\b", prose), prose
            for sentence in re.split(r"(?<=[.])\s+", prose):
                assert re.match(r"[A-Zx]", sentence), sentence
            assert text.count("$") % 2 == 0
            assert braces_balance(text)
        assert not question.before.rstrip().endswith((".", "?", "!"))
        words = len(f"{question.before} {question.after}".split())
        assert 70 <= words <= 280, (question.id, words)


def test_options_are_tidy_latex() -> None:
    for question in all_of_them():
        for option in question.options:
            assert braces_balance(option)
            assert parentheses_balance(option)
            assert option.count(r"\left") == option.count(r"\right")
            assert option == " ".join(option.split())
            assert option[-1] not in ".,;:"
            assert not re.search(
                r"\b1 (?!\\le)[a-z\\(]|- -|\+ -|\^1\b|\^\{1\}|\{\}|\b0 [+-]", option
            ), option


def test_no_way_to_write_a_step_is_never_right() -> None:
    right = {(q.derivation.name, i, way) for q in all_of_them()
             for i, way in enumerate(q.cells[q.gold])}  # fmt: skip
    core = [of for of in derivations() if not of.last]
    every = {(of.name, i, way) for of in core for i, n in enumerate(of.sizes) for way in range(n)}
    assert every <= right


def test_gold_places_are_balanced_and_follow_no_pattern() -> None:
    for questions in map(made, SEEDS):
        places = [q.gold for q in questions]
        counts = Counter(places)
        assert max(counts.values()) - min(counts.values()) <= 2
        steps = Counter((b - a) % 4 for a, b in pairwise(places))
        assert max(steps.values()) <= 0.4 * len(places)


LETTERS = {c: c for c in "abcnkx"}


class TestFormulas:
    @pytest.mark.parametrize(
        ("formula", "written"),
        [
            ("a / b / c", r"\frac{a}{b c}"),
            ("a - (b - c)", "a - b + c"),
            ("sum(k, 1, n, x[k]) + a", r"a + \sum_{k=1}^{n} x_k"),
            ("(n - 1 + 1) * a", "n a"),
            ("a * b ** 2 / (b * c)", r"\frac{a b}{c}"),
            ("log(a / b) * (a + b)", r"(a + b) \log \frac{a}{b}"),
            ("sum(k, 1, n, x[k] + a, c)", r"\sum_{1 \le k \le n, k \ne c} (x_k + a)"),
        ],
    )
    def test_are_written_plainly_and_read_back(self, formula: str, written: str) -> None:
        node = read(formula)
        assert latex(node, LETTERS) == written
        values = {"a": 2.5, "b": 0.5, "c": 2, "n": 4, "x": lambda k: k + 0.25}
        assert right_side(f"y = {written}")(values) == pytest.approx(value(node, values))

    def test_a_definition_with_an_index_is_put_in_at_that_index(self) -> None:
        known = {"b": (("k",), read("x[k - 1] + k"))}
        node = put_in(read("sum(k, 1, n, b[k]) - b[n + 1]"), known)
        assert latex(node, LETTERS) == r"\sum_{k=1}^{n} (x_{k - 1} + k) - x_n - n - 1"

    @pytest.mark.parametrize("formula", ["[1]", "a if b else c", "'a'", "a < b"])
    def test_what_is_no_formula_is_refused(self, formula: str) -> None:
        with pytest.raises((ValueError, KeyError)):
            read(formula)

    @pytest.mark.parametrize("text", ["y = a b )", r"y = \frac{a}", "y = a + ", "y = a § b"])
    def test_latex_that_does_not_close_is_refused(self, text: str) -> None:
        with pytest.raises((ValueError, KeyError)):
            right_side(text)({"a": 1.0, "b": 2.0})


class TestTask:
    def test_is_asked_under_every_hint_and_can_be_answered(self, run) -> None:
        log = run(knowno(data="generated", items=3, seed=7))
        assert len(log.samples) == 3 * 6
        values = metric_values(log)
        assert values["omni_accuracy"] == values["equinfer_omni_accuracy"] == 1.0
        assert {sample.metadata["tier"] for sample in log.samples} == {"hard"}
        assert log.eval.metadata["data"] == "generated"
        assert ".seed7." in log.eval.metadata["data_revision"]

    def test_the_gold_is_gone_where_it_is_to_be(self) -> None:
        for sample in knowno(data="generated", items=20).dataset:
            offered = sample.metadata["gold"] in sample.choices
            assert offered == (sample.metadata["hint"].startswith("with_gold"))

    def test_who_always_picks_is_wrong_without_it(self, run) -> None:
        log = run(knowno(data="generated", items=4, n_equations=4), "respondent/agreeable")
        assert metric_values(log)["omni_accuracy"] <= 0.5

    def test_its_size_and_seed_are_parameters(self) -> None:
        assert len(load("generated").items) == N_EQUATIONS
        few = load("generated", seed=4, n_equations=5)
        assert len(few.items) == 5
        assert few.revision != load("generated", seed=5, n_equations=5).revision
        assert few.revision.startswith("equations1.seed4.n5.")

    def test_the_bundled_questions_are_the_same_whatever_the_seed(self) -> None:
        assert load("bundled", seed=5) == load("bundled")

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"n_equations": 5}, "add data=generated"),
            ({"data": "generated", "n_equations": 0}, "n_equations=0"),
            ({"data": "generated", "n_equations": 10**9}, "n_equations="),
            ({"data": "generated", "subset": "mctest"}, "valid: all, equinfer"),
            ({"data": "generated", "tier": "core"}, "none of the questions chosen"),
            ({"data": "generated", "seed": "x"}, "seed="),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, parameters, message: str) -> None:
        with pytest.raises(SelectionError, match=message):
            knowno(**parameters)
