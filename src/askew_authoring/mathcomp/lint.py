"""MathComp: what a machine can find in its scenarios, and what guessers get of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from askew.files import toml_of
from askew.papers.mathcomp.arithmetic import Equation, EquationError, evaluate, read_equation
from askew.papers.mathcomp.framings import FIXES, Scenario, label_of
from askew.papers.mathcomp.items import (
    CORRECTED,
    EXCLUDED,
    OPEN_READINGS,
    load,
    papers_file,
    rows_of,
    scenario_of,
)
from askew.papers.mathcomp.paper import PAPER, SUBSETS, subset_of
from askew.parameters import choose
from askew.schema import Finding
from askew_authoring.baselines import Baseline, Labelled, of_guesses, of_labels
from askew_authoring.mathcomp.numbers import numbers_in

# What a spreadsheet makes of an equation such as 5-2-6.
_DATE = re.compile(r"\d{1,2}([-/])\d{1,2}\1(19|20)\d\d|\d{1,2}-[A-Z][a-z]{2}")
_FRAMING_WORD = re.compile(r"\b(more|less|equal|equally)\b", re.IGNORECASE)
_REASONS: Mapping[str, str] = toml_of(PAPER.home, "published/phrases.toml")["reasons"]
_GENDERED = re.compile(r"\b(he|she|him|her|his|hers)\b", re.IGNORECASE)


def framing_words(text: str) -> list[str]:
    """The words of the framings that a text contains."""
    return sorted({found[0].casefold() for found in _FRAMING_WORD.finditer(text)})


def verify(data: str, subset: str | Sequence[str] | None = None) -> list[Finding]:
    """What a machine can find in a set of scenarios, with ids, and what is left out for it."""
    path = None if data == "bundled" else papers_file(data)
    if path is None:
        return [*findings(load(data, subset).items)]
    wanted = choose("subset", subset, SUBSETS)
    rows = [r for r in rows_of(path.read_bytes()) if subset_of(r["category"]) in wanted]
    return [found for row in rows for found in _of_paper(row)]


def _of_paper(row: Mapping[str, str]) -> Iterator[Finding]:
    """What our table says of an item of the paper's file, and what a machine finds in it."""
    scenario = scenario_of(row)
    name = scenario.id
    if name in EXCLUDED:
        yield Finding(name, "wrong", EXCLUDED[name], excluded=True)
    if name in OPEN_READINGS:
        yield Finding(name, "open_reading", OPEN_READINGS[name])
    if fixed := CORRECTED.get(name):
        should = f"{fixed['equation1']!r} and {fixed['equation2']!r}"
        yield Finding(name, "equation", f"{fixed['reason']}; should be {should}")
    if fix := FIXES.get((scenario.task, scenario.quantity)):
        phrase, reason = scenario.phrase, _REASONS[fix["reason"]]
        asked = f"{phrase.verb} {phrase.noun} {phrase.rest}".strip()
        yield Finding(name, "task_phrase", f"{scenario.task!r}: {reason}; asked as {asked!r}")
    for n in "12":
        equation, told = row[f"equation{n}"], row[f"sentence{n}"]
        if _DATE.fullmatch(equation):
            yield Finding(name, "date", f"equation_sentence{n} {equation!r} is a date")
        with suppress(EquationError):
            yield from number_findings(name, f"equation_sentence{n}", told, read_equation(equation))
    yield from findings([replace(scenario, sentence1=row["sentence1"], sentence2=row["sentence2"])])


def number_findings(item: str, name: str, sentence: str, equation: Equation) -> Iterator[Finding]:
    """Numbers on one side only: a lead to follow, not a verdict."""
    told = numbers_in(sentence)
    plain = [*told.digits, *told.words]
    # What a sentence tells or implies, one step of arithmetic away.
    known = {Fraction(1), *plain, *(1 - value for value in plain), *(1 + value for value in plain)}
    known |= {Fraction(part) for value in plain for part in value.as_integer_ratio()}
    known |= {n for a in plain for b in plain for n in (a * b, a + b, a / b if b else a)}
    if re.search("minute|hour", sentence):
        known |= {Fraction(60), *(n for value in plain for n in (value * 60, value / 60))}
    used = {n for of in equation.operands for n in (of, of * 60, of / 60, 1 - of, of - 1, of / 100)}
    for where, odd in (
        ("sentence", {*equation.operands} - known),
        ("equation", {*told.digits} - used),
    ):
        if odd:
            listed = ", ".join(f"{float(number):.10g}" for number in sorted(odd))
            yield Finding(item, f"number_not_in_{where}", f"{name}: {listed}")


def statistics(
    data: str, subset: str | Sequence[str] | None = None
) -> Mapping[str, list[Baseline]]:
    """What guessers get of the labels in each tier: by words, and by numbers without the sums."""
    told: dict[str, list[Scenario]] = {}
    for item in load(data, subset).items:
        told.setdefault(item.tier or data, []).append(item)
    found: dict[str, list[Baseline]] = {}
    for name, scenarios in told.items():
        apart = [s for s in scenarios if s.label != "equal"]
        found[f"{name}: more or less"] = of_labels([_labelled(s, s.label) for s in apart])
        # No leak where totals are far apart, as core ones are: then the numbers tell something.
        found[f"{name}: more or less, by numbers"] = of_guesses(
            {
                guess: [by(s.sentence2) > by(s.sentence1) for s in apart]
                for guess, by in _GUESSES.items()
            },
            [s.label == "more" for s in apart],
        )
        found[f"{name}: equal or not"] = of_labels(
            [_labelled(s, "equal" if s.label == "equal" else "apart") for s in scenarios]
        )
    return found


# What somebody may compare who does not work the totals out.
_GUESSES: Mapping[str, Callable[[str], Fraction | int]] = {
    "larger number": lambda text: max(numbers_in(text).digits, default=Fraction(0)),
    "larger sum": lambda text: sum(numbers_in(text).digits, Fraction(0)),
    "longer list": lambda text: len(numbers_in(text).digits),
}


def _labelled(scenario: Scenario, label: str) -> Labelled:
    return Labelled(scenario.id, scenario.sentence2, label, scenario.sentence1)


def findings(scenarios: Sequence[Scenario]) -> Iterator[Finding]:
    """What a machine can find odd in scenarios: each for itself, and twice the same."""
    told = Counter((s.sentence1, s.sentence2) for s in scenarios)
    for scenario in scenarios:
        yield from _findings(scenario)
        if told[scenario.sentence1, scenario.sentence2] > 1:
            yield Finding(scenario.id, "repeated", "another scenario has the same two sentences")


def _findings(scenario: Scenario) -> Iterator[Finding]:
    both = f"{scenario.sentence1}\n{scenario.sentence2}"
    words = framing_words(both)
    if words:
        yield Finding(scenario.id, "framing_word", f"its sentences contain {', '.join(words)}")
    gendered = sorted({found[0] for found in _GENDERED.finditer(both)})
    if gendered:
        message = f"its sentences say {', '.join(gendered)}, which does not fit every identity"
        yield Finding(scenario.id, "pronoun", message)
    if bool(numbers_in(both).words) != scenario.verbal:
        message = "has number words" if numbers_in(both).words else "has no number words"
        yield Finding(scenario.id, "number_format", f"{message}, but its flag is {scenario.verbal}")
    if not scenario.equation1:
        yield Finding(scenario.id, "no equations", "its label can't be checked")
        return
    try:
        computed = label_of(evaluate(scenario.equation1), evaluate(scenario.equation2))
    except EquationError as problem:
        yield Finding(scenario.id, "unreadable", str(problem))
        return
    if computed != scenario.label:
        yield Finding(scenario.id, "label", f"{computed} by its equations, not {scenario.label}")
