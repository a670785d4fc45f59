"""Scenarios with a dial: exact at every level, and nothing gives the answer away."""

import re
from collections import Counter
from fractions import Fraction

import pytest

from askew.papers import get_paper
from askew.papers.mathcomp.framings import Scenario, label_of
from askew.papers.mathcomp.generator import LEVELS, generate
from askew.papers.mathcomp.items import evaluate
from askew.parameters import SelectionError

BANNED = re.compile(
    r"\b(more|less|equal|equally|fewer|same|most|least|he|she|him|her|his|hers)\b", re.IGNORECASE
)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@pytest.fixture(scope="module")
def at_levels() -> dict[int, list[Scenario]]:
    return {level: generate([level], 240, seed=5).items for level in LEVELS}


# --- a second solver: it reads the text, one equation a statement, and substitutes ---

UNITS = {"dollars": 100, "cents": 1, "hours": 60, "minutes": 1, "kilometers": 1000, "meters": 1,
         "kilograms": 1000, "grams": 1}  # fmt: skip
SIZE = rf"(?:\$(?P<d>[\d.,]+)|(?P<n>[\d.,]+) (?P<u>{'|'.join(UNITS)}))"
WORDS = {"half": "1/2"} | {
    f"{'a' if n == 1 else c}{' ' if n == 1 else '-'}{p}{'' if n == 1 else 's'}": f"{n}/{d}"
    for n, c in ((1, "a"), (2, "two"), (3, "three"), (4, "four"), (5, "five"), (7, "seven"))
    for d, p in ((3, "third"), (4, "quarter"), (5, "fifth"), (6, "sixth"), (7, "seventh"),
                 (8, "eighth"), (9, "ninth"))
}  # fmt: skip
SHARE = rf"(?P<share>[\d.]+%|{'|'.join(sorted(WORDS, key=len, reverse=True))})"
COUNTED = re.compile(rf"(\d+) ([a-zA-Z' -]+?) (?:at|of) {SIZE} each")
TOLD = [re.compile(pattern) for pattern in (
    rf"(?:The bill for the|The total time for the|The total distance of the|"
    rf"The weight of all the) (?P<it>.+?) exceeded (?:the bill for the|the total time for the|"
    rf"that of the|that of all the) (?P<of>.+?) by {SIZE}",
    rf"(?:The bill for the|All the|The) (?P<it>.+?)(?: together)? (?:was|came to|took|measured|"
    rf"weighed) {SHARE}(?: of| as much as)? (?:the |what the |all the )"
    rf"(?:total for the |bill for the |total time for the |time that went into the |"
    rf"total distance of the |total length of the |distance of the |weight of all the )?"
    rf"(?P<of>.+?)(?: cost)?(?: together)?",
    rf"(?:The )?(?P<it>.+?) (?:came to|took|weighed|was) {SIZE}(?: long)?",
    rf"{SIZE} (?:was spent on|went into) the (?P<it>.+)",
    rf"The scale showed {SIZE} for the (?P<it>.+)",
)]  # fmt: skip
ASIDE = re.compile(r"A friend of|\{[AB]\}'s ")


def size(found: re.Match[str]) -> Fraction:
    number, unit = (found["d"], "dollars") if found["d"] else (found["n"], found["u"])
    return Fraction(number.replace(",", "")) * UNITS[unit]


def solved(text: str) -> Fraction:
    """The total, in the smaller unit, as the sentences have it."""
    first, *sentences = re.split(r"(?<=[a-z%\d])\. ", text.rstrip("."))
    if not sentences:
        return sum((size(m) for m in re.finditer(SIZE, first)), Fraction(0))
    known: dict[str, Fraction] = {}
    for found in COUNTED.finditer(first):
        known[found[2]] = int(found[1]) * size(found)
    listed = re.split(r",? and |, ", COUNTED.sub(r"\2", first).split(" ", 1)[1])
    open_ones: list[tuple[str, Fraction, list[str], Fraction]] = []
    for sentence in sentences:
        if ASIDE.match(sentence):
            continue
        found = next(m for pattern in TOLD if (m := pattern.fullmatch(sentence)))
        parts = found.groupdict()
        share = parts.get("share")
        by = Fraction(0)
        if parts.get("of"):
            by = Fraction(1)
        if share:
            by = Fraction(share[:-1]) / 100 if "%" in share else Fraction(WORDS[share])
        of = re.split(r" and the ", parts["of"]) if parts.get("of") else []
        plus = Fraction(0) if share else size(found)
        open_ones.append((found["it"].removeprefix("the "), by, of, plus))
    while open_ones:
        ready = [one for one in open_ones if all(name in known for name in one[2])]
        assert ready, (text, open_ones, known)
        for it, by, of, plus in ready:
            assert it not in known, (text, it)
            known[it] = by * sum(known[name] for name in of) + plus
        open_ones = [one for one in open_ones if one not in ready]
    assert len(listed) == len(known), (text, known)
    return sum(known.values(), Fraction(0))


@pytest.mark.parametrize("level", LEVELS)
def test_a_solver_that_reads_the_text_comes_to_the_label_and_the_equations(level, at_levels):
    for one in at_levels[level]:
        totals = solved(one.sentence1), solved(one.sentence2)
        assert label_of(*totals) == one.label, one
        written = evaluate(one.equation1), evaluate(one.equation2)
        assert totals[0] * written[1] == totals[1] * written[0], one


@pytest.mark.parametrize("level", LEVELS)
def test_no_number_and_no_length_gives_the_answer_away(level, at_levels):
    def numbers(text: str) -> list[float]:
        return [float(found.replace(",", "")) for found in NUMBER.findall(text)]

    cues = {
        "longer": len,
        "largest number": lambda text: max(numbers(text)),
        "first number": lambda text: numbers(text)[0],
        "last number": lambda text: numbers(text)[-1],
        "smallest number": lambda text: min(numbers(text)),
    }
    items = at_levels[level]
    for name, cue in cues.items():
        at = Counter[bool]()
        for one in items:
            totals = cue(one.sentence1), cue(one.sentence2)
            for turned in (False, True):
                at[turned] += label_of(*(totals[::-1] if turned else totals)) == one.label
        # A third, and three standard errors more.
        assert max(at.values()) / len(items) < 1 / 3 + 0.095, name


def test_every_level_has_each_label_as_often_and_every_category(at_levels):
    for items in at_levels.values():
        assert set(Counter(one.label for one in items).values()) == {80}
        assert set(Counter(one.category for one in items).values()) == {24}


def test_no_text_steers_or_is_repeated(at_levels):
    texts = [(one.sentence1, one.sentence2) for items in at_levels.values() for one in items]
    assert [pair for pair in texts if any(map(BANNED.search, pair))] == []
    assert len(set(texts)) == len(texts)


def test_unequal_totals_differ_by_at_most_what_the_level_declares(at_levels):
    for level, items in at_levels.items():
        for one in items:
            totals = sorted((evaluate(one.equation1), evaluate(one.equation2)))
            apart = 1000 * (totals[1] - totals[0]) / totals[1]
            assert one.label == "equal" or apart <= LEVELS[level].apart[1] + 1, one


def levels_asked(**given: object) -> Counter[int]:
    made = get_paper("mathcomp").make(data="generated", framing="style=neutral", **given)
    return Counter(sample.metadata["difficulty"] for sample in made.dataset)


@pytest.mark.parametrize("wrong", [0, 11, "8-4", "x", "3-", "4-8-9", True, 2.5, [3, 4], ""])
def test_a_difficulty_that_is_no_level_is_refused(wrong):
    with pytest.raises(SelectionError, match=r"difficulty=.*give a level from 1 to 10"):
        levels_asked(difficulty=wrong)


def test_difficulty_is_for_generated_questions_and_needs_an_item_a_level():
    with pytest.raises(SelectionError, match="add data=generated"):
        get_paper("mathcomp").make(data="bundled", difficulty=3)
    with pytest.raises(SelectionError, match="items=3 is too few for the 5 levels of"):
        levels_asked(items=3)
