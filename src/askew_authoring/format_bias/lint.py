"""Format bias: what a machine can find in its items, and what guessers get of them."""

from collections.abc import Iterator, Mapping, Sequence

from askew.papers.format_bias.items import FormatItem, load
from askew.reading.names import LETTERS
from askew.schema import LintIssue
from askew_authoring.baselines import (
    Baseline,
    Choice,
    LabelledText,
    RankedTitles,
    of_choices,
    of_labels,
    of_rankings,
)
from askew_authoring.linting import by_set, repeats


def verify(data: str, subset: str | Sequence[str] | None = None) -> list[LintIssue]:
    """What a machine can find in the items of `data`, with ids."""
    return findings(load(data, subset).items)


def statistics(
    data: str, subset: str | Sequence[str] | None = None
) -> Mapping[str, list[Baseline]]:
    """What guessers get of choices and rankings, by task and tier; of the other kinds there is
    nothing to choose from."""
    sets = by_set(load(data, subset).items)
    found = {name: _guess(items) for name, items in sets.items()}
    return {name: baselines for name, baselines in found.items() if baselines}


def _guess(items: Sequence[FormatItem]) -> list[Baseline]:
    if items[0].kind == "ranking":
        marked = (frozenset(n for n, mark in enumerate(i.relevant) if mark) for i in items)
        ranked = zip(items, marked, strict=True)
        return of_rankings([RankedTitles(item.id, item.documents, good) for item, good in ranked])
    if items[0].kind != "mcq":
        return []
    cases = [(i, i.context["question"], LETTERS.index(i.answer)) for i in items]
    if items[0].subset == "bbh":
        guesses = (
            LabelledText(i.id, q, i.choices[at].lower(), cluster=i.cluster) for i, q, at in cases
        )
        return of_labels([*guesses])
    return of_choices([Choice(i.id, q, i.choices, at, i.cluster) for i, q, at in cases])


def findings(items: Sequence[FormatItem]) -> list[LintIssue]:
    """Repeats, empty truths, and truths whose writing bends a score."""
    odd = (LintIssue(item.id, kind, why) for item in items for kind, why in _item_issues(item))
    return [*repeats(items), *odd]


def _item_issues(item: FormatItem) -> Iterator[tuple[str, str]]:
    """What is odd about an item by itself: its kind, and what is done about it."""
    if "," in item.answer and item.answer.replace(",", "").isdigit():
        yield "thousands separator", f"{item.answer}: punctuation does not count in token F1"
    if item.subset == "hotpotqa" and "context" not in item.context:
        yield "no context", "asked without paragraphs, as in the paper's file"
    if item.kind == "ranking" and sorted(item.relevant, reverse=True) == list(item.relevant):
        yield "relevant first", "all relevant documents come first: the task shuffles them"
    repeats = len(item.keyphrases) - len({phrase.casefold() for phrase in item.keyphrases})
    if repeats:
        text = f"{repeats} keyphrases repeat others in another case: kept, case counts as published"
        yield "differ in case only", f"{text} (reading=casefold=true merges them)"
    for key, names in item.entities.items():
        if not names:
            yield "empty truth", f"no {key}: an empty prediction scores 1"
        if len({name.lower() for name in names}) < len(names):
            text = f"{key}: some names differ in case only, which does not count"
            yield "differ in case only", text
