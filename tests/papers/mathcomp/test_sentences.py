"""A reader of its own gets every generated total back from the sentence alone.

The reader knows no pattern: it reads digits, number words and what they refer to, as
a careful pupil would. What it can't read, or reads differently, a pupil would too.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from random import Random

import pytest

from askew.papers.mathcomp.arithmetic import evaluate
from askew_authoring.mathcomp.generator import generate
from askew_authoring.mathcomp.patterns import FilledForm, Form, Pattern, all_patterns
from tests.cases import cases_of

MULTIPLIERS = cases_of(__file__, "MULTIPLIERS")
TAKEN_AWAY = re.compile(r"coupon|refund|discount|voucher|traded in|gave away|deleted|put back")
CUT = re.compile(r", | and | with (?:an? )?(?=\$)")
EVERYTHING = re.compile(r"\b(together|combined|total|bill)\b")
EMPTY = {"a", "an", "the", "of", "to", "for", "in", "on", "at", "as", "from", "with", "price",
         "distance", "number", "load", "it"}  # fmt: skip


def total_of(sentence: str) -> Fraction:
    """The total that the sentence tells."""
    for words, factor in MULTIPLIERS.items():
        sentence = re.sub(rf"\b{words}(?= |,)", f"<{factor}>", sentence)
    sentence = sentence.replace("a dozen", "12").removesuffix(".")
    told: list[tuple[str, Fraction]] = []
    for part in CUT.split(sentence):
        amount = amount_of(part, told)
        if amount is not None:
            told.append((part.casefold(), -amount if TAKEN_AWAY.search(part) else amount))
    return sum((amount for _, amount in told), Fraction(0))


def amount_of(part: str, told: list[tuple[str, Fraction]]) -> Fraction | None:
    before, marked, after = part.partition("<")
    factor, _, after = after.partition(">")
    digits = re.findall(r"\d[\d,]*(?:\.\d+)?", f"{before} {after}")
    numbers = [Fraction(number.replace(",", "")) for number in digits]
    percentage = re.search(r"(\d+)%", part)
    if percentage:
        return Fraction(int(percentage[1]), 100) * sum(amount for _, amount in told)
    product = Fraction(1)
    for number in numbers:
        product *= number
    if marked:
        own_base = re.match(r" an? \$", after)
        return Fraction(factor) * product * (1 if own_base else referred_to(after, told))
    return product if numbers else None


def referred_to(after: str, told: list[tuple[str, Fraction]]) -> Fraction:
    """What "half" is half of: everything so far, what is named again, or what came last."""
    if EVERYTHING.search(after):
        return sum((amount for _, amount in told), Fraction(0))
    if after.startswith(" that load"):  # of one lift, not of all of them
        return Fraction(re.findall(r"\d+", told[-1][0])[0])
    compared = after.rpartition(" as ")
    named = compared[2] if re.match(r" as \w+ (.* )?as ", after) else after
    if re.match(r" (as|that)\b", after) and named is after:
        return told[-1][1]
    for word in words_of(named):
        for part, amount in told:
            if word in words_of(part):
                return amount
    return told[-1][1]


def words_of(text: str) -> list[str]:
    words = [word.removesuffix("'s") for word in re.findall(r"[\w'-]+", text.casefold())]
    return [word for word in words if word not in EMPTY]


def forms() -> Iterator[tuple[Pattern, Form]]:
    for pattern in all_patterns():
        for form in (*pattern.arabic, *pattern.verbal):
            yield pattern, form


@pytest.mark.whole
def test_every_form_of_every_pattern_states_its_total() -> None:
    rng = Random(2)
    for pattern, form in forms():
        for _ in range(8):
            drawn = {slot: rng.choice(pattern.domains[slot]) for slot in form.slots}
            told = FilledForm(form, drawn)
            sentence = told.sentence("{A}", rng)
            assert total_of(sentence) == told.total, f"{pattern.key}: {sentence}"
            assert evaluate(told.equation) == told.total, f"{pattern.key}: {sentence}"


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(6))
def test_the_totals_of_generated_sentences_decide_their_label(seed: int) -> None:
    for scenario in generate(300, seed=seed):
        first, second = total_of(scenario.sentence1), total_of(scenario.sentence2)
        label = "equal" if first == second else "more" if second > first else "less"
        assert label == scenario.label, scenario
        assert (evaluate(scenario.equation1), evaluate(scenario.equation2)) == (first, second)
