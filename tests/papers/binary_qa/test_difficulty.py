"""Questions with a dial: exact at every level in all forms, with no leaks."""

import re
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from askew.files import toml_of
from askew.papers import get_paper
from askew.papers.binary_qa.generator import LEVELS, generate
from askew.papers.binary_qa.items import OPERATORS, BinaryItem, BinaryRecord
from askew.papers.binary_qa.paper import PAPER
from askew.parameters import SelectionError
from askew_authoring.binary_qa.rules import REWRITES, comparison_problems, problems

N = 480
WORDS = toml_of(PAPER.home, "passage_words.toml")
SUBSETS = ("multi_hop", "numerical")


@pytest.fixture(scope="module")
def at_levels() -> dict[int, list[BinaryItem]]:
    return {level: generate([level], N, seed=5).items for level in LEVELS}


# --- solvers of other kinds: they read the sentences, and solve all equations at once ---

SHARES = {"half": 1 / 2, "a third": 1 / 3, "two-thirds": 2 / 3, "a quarter": 1 / 4,
          "three-quarters": 3 / 4, "two-fifths": 2 / 5, "three-fifths": 3 / 5,
          "twice": 2, "three times": 3, "four times": 4}  # fmt: skip
MANY = "|".join(sorted(SHARES, key=len, reverse=True))
IN = "(?:in|for|against|on) "


def equation(at: str, told: str) -> tuple[dict[str, float], float]:
    """A sentence as what it makes of places, and what that comes to."""
    of = re.split(
        rf" and {IN}", re.split(rf" (?:than|as) {IN}", told.removesuffix(" together"))[-1]
    )
    if change := re.match(r"(\d+)(%?) (more|fewer) ", told):
        size = int(change[1]) * (1 if change[3] == "more" else -1)
        return {at: 1, of[0]: -1 - size / 100 * bool(change[2])}, 0 if change[2] else size
    if share := re.match(rf"({MANY}) as many ", told):
        return {at: 1, of[0]: -SHARES[share[1]]}, 0
    if told.startswith("as many "):
        return {at: 1} | dict.fromkeys(of, -1), 0
    amount = re.fullmatch(r"(\d+) [a-z ]+", told)
    assert amount, told
    return {at: 1}, int(amount[1])


def total_of(item: BinaryItem) -> float:
    """The sum that a numerical question is about."""
    scene = WORDS["scenes"][item.cluster.split("-")[1]]
    told = [
        equation(found[1], found[2])
        for sentence in item.passage.removesuffix(".").split(". ")
        if (found := re.fullmatch(rf"{IN}(.+?) {scene['who']} {scene['did']} (.+)", sentence, re.I))
    ]
    names = sorted({name for row, _ in told for name in row})
    matrix = [[row.get(name, 0) for name in names] for row, _ in told]
    values = np.linalg.solve(matrix, [size for _, size in told])
    asked = re.split(f"{scene['things']} {IN}", clause_of(item).removesuffix(" together"))[1]
    found = dict(zip(names, values, strict=True))
    return round(float(sum(found[name] for name in re.split(r", | and ", asked))), 6)


def apart(item: BinaryItem) -> int:
    """How far the first of a multi-hop question is from the second, by growing what is known."""
    relation = WORDS["relations"][item.cluster.split("-")[1]]

    def named(template: str) -> re.Pattern[str]:
        parts = {"k": r"(?P<k>\d+) \w+", "v": r"(?P<v>\w+)"}
        parts |= {name: f"(?P<{name}>.+?)" for name in ("a", "b", "name")}
        return re.compile(template.removesuffix(".").format(**parts))

    who: dict[str, str] = {}
    steps: list[tuple[str, str, int]] = []
    sentences = item.passage.removesuffix(".").split(". ")
    for sentence in (s[0].lower() + s[1:] for s in sentences):
        for sign, fact in zip((1, -1), relation["fact"], strict=True):
            if found := named(fact).fullmatch(sentence):
                steps.append((found["a"], found["b"], sign * int(found["k"])))
                break
        else:
            for _, tell, call in relation["traits"]:
                if found := named(tell).fullmatch(sentence):
                    who[call.format(v=found["v"]).casefold()] = found["name"].casefold()
    same = lambda text: who.get(text.casefold(), text.casefold())  # noqa: E731
    found = next(m for sign, text in zip((1, -1), relation["clause"], strict=True)
                 if (m := named(text).fullmatch(clause_of(item))))  # fmt: skip
    known = {same(found["b"]): 0}
    while same(found["a"]) not in known:
        before = len(known)
        for a, b, k in steps:
            if same(b) in known:
                known[same(a)] = known[same(b)] + k
            elif same(a) in known:
                known[same(b)] = known[same(a)] - k
        assert len(known) > before, item
    sign = 1 if named(relation["clause"][0]).fullmatch(clause_of(item)) else -1
    return sign * known[same(found["a"])]


def clause_of(item: BinaryItem) -> str:
    return item.false_framing.removeprefix("Is it false that ").removesuffix("?")


@pytest.mark.parametrize("level", LEVELS)
def test_a_solver_that_reads_the_passage_comes_to_each_answer(level, at_levels):
    for item in at_levels[level][:160]:
        if item.subset == "multi_hop":
            assert (apart(item) > 0) is (item.answer == "Yes"), item
            continue
        total = total_of(item)
        assert total == item.check.value, item
        assert OPERATORS[item.check.op](total, item.check.n) is (item.answer == "Yes"), item


@pytest.mark.parametrize("level", LEVELS)
def test_every_form_keeps_the_rules_for_rewrites(level, at_levels):
    found = []
    for item in at_levels[level]:
        BinaryRecord.model_validate(item.model_dump(exclude={"difficulty"}))
        for form in REWRITES:
            found += [(item.id, p) for p in problems(form, item.original, item.question(form))]
            if item.check:
                text, (op, n) = item.question(form), (item.check.op, item.check.n)
                found += comparison_problems(form, item.original, text, op, n)
    assert found == []


# --- leaks ---


def numbers(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", text)]


def first_of(item: BinaryItem) -> str:
    """The one that a multi-hop question is about, else the question."""
    verbs = " (?:is|finished|was|arrived|scored|lies|paid|stood|read) "
    return re.split(verbs, clause_of(item))[0]


FURTHER = re.compile(r"ahead|older|taller|before|above|heavier|more|left|front")
CUES: dict[str, Callable[[BinaryItem], float]] = {
    "longer passage": lambda item: len(item.passage),
    "longer question": lambda item: len(item.original),
    "first word": lambda item: item.original.startswith("Did"),
    "words such as more in the question": lambda item: bool(FURTHER.search(item.original)),
    "at most or at least": lambda item: " at " in item.original,
    "words such as more in the passage": lambda item: len(FURTHER.findall(item.passage)),
    "place of the first": lambda item: item.passage.find(first_of(item)),
    "largest number": lambda item: max(numbers(item.passage)),
    "sum of the numbers": lambda item: sum(numbers(item.passage)),
    "number in the question": lambda item: sum(numbers(item.original)),
    "against the largest": lambda item: against(item, max(numbers(item.passage))),
    "number stands in the passage": lambda item: bool(
        {*numbers(item.original)} & {*numbers(item.passage)}
    ),
    "the same word in question and passage": lambda item: same_way(item),
    "against the sum": lambda item: against(item, sum(numbers(item.passage))),
}  # fmt: skip


def against(item: BinaryItem, value: float) -> bool:
    """Whether the answer would be Yes if this were the true number."""
    return bool(item.check) and OPERATORS[item.check.op](value, item.check.n)


def same_way(item: BinaryItem) -> float:
    """How often the passage has the direction of the question, beside the other one."""
    asked = bool(FURTHER.search(item.original))
    told = len(FURTHER.findall(item.passage))
    return told if asked else -told


@pytest.mark.parametrize("subset", SUBSETS)
@pytest.mark.parametrize("level", LEVELS)
def test_nothing_that_is_counted_gives_the_answer_away(level, subset, at_levels):
    items = [item for item in at_levels[level] if item.subset == subset]
    yes = np.array([item.answer == "Yes" for item in items])
    assert yes.mean() == 0.5
    # Of two amounts, the sum is what is to be found.
    for name, cue in CUES.items() if level > 1 else [*CUES.items()][:-1]:
        values = np.array([float(cue(item)) for item in items])
        high = values > np.median(values) if len(set(values)) > 2 else values == values.max()
        hits = max((high == yes).mean(), (high != yes).mean())
        # A half, and three and a half standard errors more.
        assert hits < 0.5 + 3.5 * 0.5 / len(items) ** 0.5, name


def test_subsets_kinds_and_answers_are_as_frequent_at_each_level(at_levels):
    for items in at_levels.values():
        assert Counter((i.subset, i.kind, i.answer) for i in items) == {
            ("multi_hop", "chain", answer): N // 4 for answer in ("Yes", "No")
        } | {("numerical", kind, answer): N // 8
             for kind in ("threshold", "exact") for answer in ("Yes", "No")}  # fmt: skip


def test_domains_without_a_generator_are_refused():
    with pytest.raises(SelectionError, match="ethics"):
        get_paper("binary_qa").make(data="generated", subset="ethics")
