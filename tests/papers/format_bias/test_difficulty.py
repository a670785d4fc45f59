"""Lookups and sums with a dial: exact at every level, and nothing gives the answer away."""

import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from askew.papers.format_bias.generator import LEVELS, generate
from askew.papers.format_bias.items import FormatItem
from askew.papers.format_bias.paper import PAPER
from askew.reading.names import LETTERS
from askew_authoring.baselines import Choice, RankedTitles, of_choices, of_rankings

SUBSETS = PAPER.selection("generated")
N = 60


@pytest.fixture(scope="module")
def at_levels() -> dict[int, list[FormatItem]]:
    return {level: generate([level], N * len(SUBSETS), seed=5).items for level in LEVELS}


def of_subset(items: list[FormatItem], subset: str) -> list[FormatItem]:
    return [item for item in items if item.subset == subset]


# --- a second solver of lookups: it goes back from one run, name by name ---


class Runs:
    """What each run is said to have begun with or taken, and from whom."""

    def __init__(self, text: str) -> None:
        self.told: dict[str, dict[str, str]] = {}
        for run, verb, rest in re.findall(r"Run (\w+) (began with|took) ([^.]*)\.", text):
            pattern = r"the (\w+) ([\w ]+?)" if verb != "took" else r"its (\w+) from (.+?)"
            ends = r"(?=, the | and the |$)" if verb != "took" else r"(?=; its | and its |$)"
            self.told[run] = {k: f"={v}" if verb != "took" else v for k, v in
                              re.findall(pattern + ends, rest)}  # fmt: skip

    def used(self, run: str, kind: str) -> str:
        source = self.told[run][kind]
        if source.startswith("="):
            return source[1:]
        return self.used(self.named(source), kind)

    def named(self, source: str) -> str:
        """The one run that fits what it is named by."""
        if found := re.fullmatch(r"run (\w+)", source):
            return found[1]
        if found := re.fullmatch(r"the run that took its (\w+) from (run \w+)", source):
            fitting = [r for r, told in self.told.items() if told.get(found[1]) == found[2]]
        else:
            kind, value = re.fullmatch(r"the run that began with the (\w+) (.+)", source).groups()
            fitting = [r for r, told in self.told.items() if told.get(kind) == f"={value}"]
        (one,) = fitting
        return one


def looked_up(text: str) -> str:
    found = re.search(r"Which (\w+) did run (\w+) use\?", text)
    return Runs(text).used(found[2], found[1])


@pytest.mark.parametrize("level", LEVELS)
def test_going_back_from_run_to_run_comes_to_every_answer(level, at_levels):
    items = at_levels[level]
    for item in of_subset(items, "hotpotqa"):
        assert looked_up("\n".join(item.context.values())) == item.answer
    for item in of_subset(items, "scirex_hard"):
        run = re.search(r"Only what run (\w+) used counts", item.context["text"])[1]
        runs = Runs(item.context["text"])
        assert item.entities == {key: (runs.used(run, key.lower()),) for key in item.entities}
        assert len(item.entities) == 4
    for item in of_subset(items, "scidocsrr"):
        value, kind = re.match(
            r"Runs that used ([\w ]+) as their (\w+)\.", item.context["query"]
        ).groups()
        runs = Runs(item.context["query"] + " ".join(item.documents))
        marks = [runs.used(document.split()[1], kind) == value for document in item.documents]
        assert marks == [*map(bool, item.relevant)]
        assert sum(marks) == 2
        assert len(marks) == 8


# --- a second solver of sums: one linear equation a sentence ---


def solved(question: str) -> Fraction:
    """The amount that is asked for, by elimination over all sentences at once."""
    equations: list[dict[str, Fraction]] = []
    for sentence in question.replace(" twice ", " 2 times ").split(". ")[:-1]:
        names = re.findall(r"[A-Z]\w+", sentence.removeprefix("Together, "))
        n = Fraction((re.findall(r"\d+", sentence) or ["0"])[0])
        more = n if " more " in sentence else -n if " fewer " in sentence else Fraction(0)
        if "times as many" in sentence:
            of, right = {names[0]: Fraction(1), names[1]: -n}, Fraction(0)
        elif sentence.startswith("Together"):
            of, right = {names[0]: Fraction(1), names[1]: Fraction(1), names[2]: Fraction(-1)}, more
        elif len(names) > 1:
            of, right = {names[0]: Fraction(1), **dict.fromkeys(names[1:], Fraction(-1))}, more
        else:
            of, right = {names[0]: Fraction(1)}, n
        equations.append({**of, "": right})
    asked = re.search(r"did (\w+) \w+\?$", question)[1]
    people = [*{name for e in equations for name in e if name != asked} - {""}, asked]
    for name in people:
        pivot = next(e for e in equations if e.get(name))
        equations.remove(pivot)
        if name == asked:
            assert not any(pivot.get(other) for other in people if other != asked)
            return pivot[""] / pivot[name]
        for each in equations:
            if by := each.get(name, 0) / pivot[name]:
                for key, value in pivot.items():
                    each[key] = each.get(key, Fraction(0)) - by * value
    raise AssertionError(question)


@pytest.mark.parametrize("level", LEVELS)
def test_elimination_over_all_sentences_comes_to_every_sum(level, at_levels):
    for item in of_subset(at_levels[level], "gsm8k"):
        assert solved(item.context["question"]) == int(item.answer), item
    for item in of_subset(at_levels[level], "mmlu"):
        text = item.context["question"]
        found = looked_up(text) if "Which" in text else str(solved(text))
        assert item.choices.index(found) == LETTERS.index(item.answer), item
        assert len(set(item.choices)) == 4


# --- nothing gives the answer away ---


def choices_of(item: FormatItem) -> Choice:
    """A question with four options: those of a lookup are all names of the kind it has."""
    text = "\n".join(item.context.values())
    if item.choices:
        return Choice(item.id, text, item.choices, LETTERS.index(item.answer))
    kind = re.search(r"Which (\w+)", text)[1]
    began = rf"began with[^.]*? the {kind} ([\w ]+?)(?=\.| and )"
    names = tuple(dict.fromkeys(re.findall(began, text)))
    assert len(names) == 4
    return Choice(item.id, text, names, names.index(item.answer))


@pytest.mark.parametrize("subset", ["mmlu", "hotpotqa"])
@pytest.mark.parametrize("level", LEVELS)
def test_guessers_of_options_stay_within_chance(level, subset, at_levels):
    choices = [choices_of(item) for item in of_subset(at_levels[level], subset)]
    hits = Counter({each.name: each.value for each in of_choices(choices)})
    for one in choices:
        last = [one.text.rfind(option) for option in one.options]
        number = [int(o) if o.isdecimal() else -at for o, at in zip(one.options, last, strict=True)]
        hits["last mentioned, or largest"] += (
            int(np.argmax(number if one.options[0].isdecimal() else last)) == one.gold
        )
        hits["first mentioned, or smallest"] += int(np.argmin(number)) == one.gold
    most = N / 4 + 3.5 * (N * 3 / 16) ** 0.5
    assert [name for name, n in hits.items() if n > most] == []


@pytest.mark.parametrize("level", LEVELS)
def test_lengths_rank_no_documents_and_no_number_of_a_text_is_its_sum(level, at_levels):
    ranked = of_subset(at_levels[level], "scidocsrr")
    titles = [
        RankedTitles(i.id, i.documents, frozenset(np.flatnonzero(i.relevant).tolist()))
        for i in ranked
    ]
    chance = PAPER.chances["subset"]["scidocsrr"]
    assert all(abs(each.value - chance) < 0.12 for each in of_rankings(titles))
    sums = of_subset(at_levels[level], "gsm8k")
    assert sum(i.answer in re.findall(r"\d+", i.context["question"]) for i in sums) < 0.25 * N
