"""MathComp: what a machine can find in its scenarios, and what guessers get of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from askew.papers.mathcomp.arithmetic import EquationError, evaluate, numbers_in
from askew.papers.mathcomp.framings import Scenario, framing_words, label_of
from askew.papers.mathcomp.items import load, papers_file
from askew.papers.mathcomp.paper import SUBSETS, subset_of
from askew.papers.mathcomp.paper_files import read_paper
from askew.papers.mathcomp.paper_files import verify as verify_paper
from askew.parameters import choose
from askew.schema import Finding
from askew_authoring.baselines import Baseline, Labelled, of_guesses, of_labels

_GENDERED = re.compile(r"\b(he|she|him|her|his|hers)\b", re.IGNORECASE)


def verify(data: str, subset: str | Sequence[str] | None = None) -> list[Finding]:
    """What a machine can find in a set of scenarios, with ids, and what is left out for it."""
    path = None if data == "bundled" else papers_file(data)
    if path is None:
        return [*findings([item.scenario for item in load(data, subset).items])]
    items = read_paper(path.read_bytes())
    wanted = choose("subset", subset, SUBSETS)
    ids = {item.id for item in items if subset_of(item.category) in wanted}
    return [found for found in verify_paper(items) if found.item in ids]


def statistics(
    data: str, subset: str | Sequence[str] | None = None
) -> Mapping[str, list[Baseline]]:
    """What guessers get of the labels in each tier: by words, and by numbers without the sums."""
    told: dict[str, list[Scenario]] = {}
    for item in load(data, subset).items:
        told.setdefault(item.tier or data, []).append(item.scenario)
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
