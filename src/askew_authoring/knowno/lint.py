"""KnowNo: what a machine can find in its items, and what guessers get of them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from askew.papers.knowno.items import KnowNoItem, load
from askew.reading.none import denies
from askew.schema import LintIssue
from askew_authoring.baselines import Baseline, Choice, of_choices
from askew_authoring.knowno.latex import oddities
from askew_authoring.linting import by_set, fold, repeats


def verify(data: str, subset: str | Sequence[str] | None = None) -> list[LintIssue]:
    """What a machine can find in the items of `data`, with ids."""
    return find(load(data, subset).items)


def statistics(
    data: str, subset: str | Sequence[str] | None = None
) -> Mapping[str, list[Baseline]]:
    """What guessers get in each set of questions that have options of their own."""
    known = [item for item in load(data, subset).items if item.kind != "intent"]
    return {name: of_choices([*map(_choice, items)]) for name, items in by_set(known).items()}


def _choice(item: KnowNoItem) -> Choice:
    text, formula = "\n".join(item.context.values()), item.kind == "equation"
    gold = item.options.index(item.gold_text)
    return Choice(item.id, text, item.options, gold, item.cluster, formula)


def find(items: Sequence[KnowNoItem]) -> list[LintIssue]:
    """What a machine can find in a set of items, with ids."""
    options = (f for item in items for f in _option_findings(item))
    return [*repeats(items), *options, *_label_findings(items), *_layout_findings(items)]


def _option_findings(item: KnowNoItem) -> Iterator[LintIssue]:
    options = [fold(option) for option in item.options]
    for text, number in Counter(options).items():
        if number > 1:
            yield LintIssue(item.id, "same option twice", f"{text!r} is offered {number} times")
    if item.kind == "equation":
        around = f"{item.context['before']} {item.context['after']}"
        gold = item.options.index(item.gold_text)
        for kind, message in oddities(item.options, gold, around):
            yield LintIssue(item.id, kind, message)
    if item.kind != "story":
        return
    for i, option in enumerate(item.options):
        if i != item.gold and denies(option):
            message = f"{option!r}: without the gold option, choosing it counts as saying none"
            yield LintIssue(item.id, "option that says none", message)
        inside = [o for j, o in enumerate(options) if j != i and options[i] in o]
        if inside:
            yield LintIssue(
                item.id, "option inside another", f"{option!r} is part of {inside[0]!r}"
            )


def _layout_findings(items: Sequence[KnowNoItem]) -> Iterator[LintIssue]:
    """Stories whose text holds marks of layout, one finding a story."""
    for cluster, marks in {item.cluster: item.layout for item in items if item.layout}.items():
        message = f"{' and '.join(marks)} in its text: the prompt gets a line break or a space"
        yield LintIssue(cluster, "layout mark", message)


def _label_findings(items: Sequence[KnowNoItem]) -> Iterator[LintIssue]:
    """Intents that other intents contain, or that are written oddly."""
    labels = dict.fromkeys(o for item in items if item.kind == "intent" for o in item.options)
    for label in labels:
        if not re.fullmatch(r"[a-z0-9_]+", label):
            yield LintIssue(label, "odd label", "read without regard to case and marks")
        longer = [other for other in labels if other != label and label in other]
        if longer:
            yield LintIssue(label, "label inside another", f"{', '.join(longer)}: the longest wins")
