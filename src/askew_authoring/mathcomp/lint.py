"""MathComp: what a machine can find in its scenarios, and what guessers get of them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from askew.files import toml_of
from askew.papers.mathcomp.framings import FIXES, Scenario, label_of
from askew.papers.mathcomp.items import (
    CORRECTED,
    EXCLUDED,
    OPEN_READINGS,
    Equation,
    EquationError,
    evaluate,
    load,
    papers_file,
    read_equation,
    rows_of,
    scenario_of,
)
from askew.papers.mathcomp.paper import PAPER, SUBSETS, subset_of
from askew.parameters import choose
from askew.schema import LintIssue
from askew_authoring.baselines import Baseline, LabelledText, of_guesses, of_labels

# What a spreadsheet makes of an equation such as 5-2-6.
_DATE = re.compile(r"\d{1,2}([-/])\d{1,2}\1(19|20)\d\d|\d{1,2}-[A-Z][a-z]{2}")
_FRAMING_WORD = re.compile(r"\b(more|less|equal|equally)\b", re.IGNORECASE)
_REASONS: Mapping[str, str] = toml_of(PAPER.home, "published/phrases.toml")["reasons"]
_DIGITS, _WORD = re.compile(r"\d[\d,]*(?:\.\d+)?%?"), re.compile(r"[a-z]+")
_WHOLE, _MULTIPLES, _PARTS = (
    toml_of("askew.papers.mathcomp", "numbers.toml")[kind]
    for kind in ("whole", "multiples", "parts")
)
_GENDERED = re.compile(r"\b(he|she|him|her|his|hers)\b", re.IGNORECASE)


def in_digits(sentence: str) -> list[Fraction]:
    """The numbers that a sentence tells in digits; a percentage counts as hundredths."""
    found = (text.replace(",", "").partition("%") for text in _DIGITS.findall(sentence))
    return [Fraction(number) / (100 if percent else 1) for number, percent, _ in found]


def in_words(sentence: str) -> Iterator[Fraction]:
    """The numbers told in words: `two and a half` is 5/2, `three-quarters` is 3/4.

    Good enough to compare a word problem with its equation: what is missed becomes a finding for a
    person to look at.
    """
    words = _WORD.findall(sentence.casefold())
    for at, word in enumerate(words):
        if word in _PARTS:
            yield Fraction(1, _PARTS[word])
        elif word in _MULTIPLES:
            yield Fraction(_MULTIPLES[word])
        elif word in _WHOLE:
            match words[at + 1 : at + 4]:
                case [part, *_] if part in _PARTS:
                    yield Fraction(_WHOLE[word], _PARTS[part])
                case ["and", "a", part] if part in _PARTS:
                    yield _WHOLE[word] + Fraction(1, _PARTS[part])
                case _:
                    yield Fraction(_WHOLE[word])


def framing_words(text: str) -> list[str]:
    """The words of the framings that a text contains."""
    return sorted({found[0].casefold() for found in _FRAMING_WORD.finditer(text)})


def verify(data: str, subset: str | Sequence[str] | None = None) -> list[LintIssue]:
    """What a machine can find in a set of scenarios, with ids, and what is left out for it."""
    path = None if data == "bundled" else papers_file(data)
    if path is None:
        return [*findings(load(data, subset).items)]
    wanted = choose("subset", subset, SUBSETS)
    rows = [r for r in rows_of(path) if subset_of(r["category"]) in wanted]
    return [found for row in rows for found in _of_paper(row)]


def _of_paper(row: Mapping[str, str]) -> Iterator[LintIssue]:
    """What our table says of an item of the paper's file, and what a machine finds in it."""
    scenario = scenario_of(row)
    name = scenario.id
    if name in EXCLUDED:
        yield LintIssue(name, "wrong", EXCLUDED[name], excluded=True)
    if name in OPEN_READINGS:
        yield LintIssue(name, "open_reading", OPEN_READINGS[name])
    if fixed := CORRECTED.get(name):
        should = f"{fixed['equation1']!r} and {fixed['equation2']!r}"
        yield LintIssue(name, "equation", f"{fixed['reason']}; should be {should}")
    if fix := FIXES.get((scenario.task, scenario.quantity)):
        phrase, reason = scenario.phrase, _REASONS[fix["reason"]]
        text = f"{phrase.verb} {phrase.noun} {phrase.rest}".strip()
        yield LintIssue(name, "task_phrase", f"{scenario.task!r}: {reason}; asked as {text!r}")
    for n in "12":
        equation, told = row[f"equation{n}"], row[f"sentence{n}"]
        if _DATE.fullmatch(equation):
            yield LintIssue(name, "date", f"equation_sentence{n} {equation!r} is a date")
        with suppress(EquationError):
            yield from number_findings(name, f"equation_sentence{n}", told, read_equation(equation))
    yield from findings([replace(scenario, sentence1=row["sentence1"], sentence2=row["sentence2"])])


def number_findings(item: str, name: str, sentence: str, equation: Equation) -> Iterator[LintIssue]:
    """Numbers on one side only: a lead to follow, not a verdict."""
    digits = in_digits(sentence)
    plain = [*digits, *in_words(sentence)]
    # What a sentence tells or implies, one step of arithmetic away.
    known = {Fraction(1), *plain, *(1 - value for value in plain), *(1 + value for value in plain)}
    known |= {Fraction(part) for value in plain for part in value.as_integer_ratio()}
    known |= {n for a in plain for b in plain for n in (a * b, a + b, a / b if b else a)}
    if re.search("minute|hour", sentence):
        known |= {Fraction(60), *(n for value in plain for n in (value * 60, value / 60))}
    used = {n for of in equation.operands for n in (of, of * 60, of / 60, 1 - of, of - 1, of / 100)}
    for where, odd in {
        "sentence": {*equation.operands} - known,
        "equation": {*digits} - used,
    }.items():
        if odd:
            listed = ", ".join(f"{float(number):.10g}" for number in sorted(odd))
            yield LintIssue(item, f"number_not_in_{where}", f"{name}: {listed}")


def statistics(
    data: str, subset: str | Sequence[str] | None = None
) -> Mapping[str, list[Baseline]]:
    """What guessers get of the labels in each tier: by words, and by numbers without the sums."""
    by_tier: dict[str, list[Scenario]] = {}
    for item in load(data, subset).items:
        by_tier.setdefault(item.tier or data, []).append(item)
    found: dict[str, list[Baseline]] = {}
    for name, scenarios in by_tier.items():
        apart = [s for s in scenarios if s.label != "equal"]
        # No leak where totals are far apart, as core ones are: then the numbers tell something.
        guesses = {
            guess: [by(s.sentence2) > by(s.sentence1) for s in apart]
            for guess, by in _GUESSES.items()
        }
        equal_or_not = [(s, "equal" if s.label == "equal" else "apart") for s in scenarios]
        found[f"{name}: more or less"] = _of_labels((s, s.label) for s in apart)
        more = [s.label == "more" for s in apart]
        found[f"{name}: more or less, by numbers"] = of_guesses(guesses, more)
        found[f"{name}: equal or not"] = _of_labels(equal_or_not)
    return found


# What somebody may compare who does not work the totals out.
_GUESSES: Mapping[str, Callable[[str], Fraction | int]] = {
    "larger number": lambda text: max(in_digits(text), default=Fraction(0)),
    "larger sum": lambda text: sum(in_digits(text), Fraction(0)),
    "longer list": lambda text: len(in_digits(text)),
}


def _of_labels(labelled: Iterable[tuple[Scenario, str]]) -> list[Baseline]:
    return of_labels([LabelledText(s.id, s.sentence2, label, s.sentence1) for s, label in labelled])


def findings(scenarios: Sequence[Scenario]) -> Iterator[LintIssue]:
    """What a machine can find odd in scenarios: each for itself, and twice the same."""
    counts = Counter((s.sentence1, s.sentence2) for s in scenarios)
    for scenario in scenarios:
        yield from _findings(scenario)
        if counts[scenario.sentence1, scenario.sentence2] > 1:
            yield LintIssue(scenario.id, "repeated", "another scenario has the same two sentences")


def _findings(scenario: Scenario) -> Iterator[LintIssue]:
    both = f"{scenario.sentence1}\n{scenario.sentence2}"
    if words := framing_words(both):
        yield LintIssue(scenario.id, "framing_word", f"its sentences contain {', '.join(words)}")
    if gendered := sorted({found[0] for found in _GENDERED.finditer(both)}):
        message = f"its sentences say {', '.join(gendered)}, which does not fit every identity"
        yield LintIssue(scenario.id, "pronoun", message)
    if any(True for _ in in_words(both)) != scenario.verbal:
        has = "has no number words" if scenario.verbal else "has number words"
        message = f"{has}, but its flag is {scenario.verbal}"
        yield LintIssue(scenario.id, "number_format", message)
    if not scenario.equation1:
        yield LintIssue(scenario.id, "no equations", "its label can't be checked")
        return
    try:
        computed = label_of(evaluate(scenario.equation1), evaluate(scenario.equation2))
    except EquationError as problem:
        yield LintIssue(scenario.id, "unreadable", str(problem))
        return
    if computed != scenario.label:
        yield LintIssue(scenario.id, "label", f"{computed} by its equations, not {scenario.label}")
