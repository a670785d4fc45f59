"""Binary QA: what a machine can find in its items, and what guessers get of them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from askew.papers.binary_qa.items import BinaryItem, load
from askew.schema import LintIssue
from askew_authoring.baselines import Baseline, LabelledText, of_labels
from askew_authoring.binary_qa.rules import (
    ASKED_OF_ALL,
    REWRITES,
    WORDINGS,
    comparison_problems,
    problems,
)
from askew_authoring.linting import by_set


def verify(data: str, subset: str | Sequence[str] | None = None) -> list[LintIssue]:
    """What a machine can find in the items of `data`, with ids."""
    return find(load(data, subset).items)


def find(items: Sequence[BinaryItem]) -> list[LintIssue]:
    """What a machine can find in any set of items: rewrites that break a form's rule, and labels
    that are not balanced."""
    found = [LintIssue(item.id, *problem) for item in items for problem in _broken_rules(item)]
    for subset in dict.fromkeys(item.subset for item in items):
        answers = Counter(item.answer for item in items if item.subset == subset)
        if answers["Yes"] != answers["No"]:
            counts = f"{answers['Yes']} Yes and {answers['No']} No"
            found.append(LintIssue(subset, "labels not balanced", counts))
    return found


def _broken_rules(item: BinaryItem) -> Iterator[tuple[str, str]]:
    for form in REWRITES:
        text = item.question(form)
        if not text:
            yield "form missing", f"{form} is not asked"
            continue
        for problem in problems(form, item.original, text):
            yield "form rule", f"{form}: {problem}"
    # Wordings that compare with the number, but otherwise than `check` and their form demand.
    if item.check is not None:
        op, n = item.check.op, item.check.n
        for form in WORDINGS:
            for problem in comparison_problems(form, item.original, item.question(form), op, n):
                yield "comparison", f"{form}: {problem}"


def statistics(
    data: str, subset: str | Sequence[str] | None = None
) -> Mapping[str, list[Baseline]]:
    """What guessers get of each domain's original questions, by tier.

    A translation or a deed is its passage: the question is the same of all.
    """
    sets = by_set(load(data, subset).items)
    return {name: of_labels([*map(_labels, items)]) for name, items in sets.items()}


def _labels(item: BinaryItem) -> LabelledText:
    of_passage = item.original in ASKED_OF_ALL.values()
    text, about = (item.passage, "") if of_passage else (item.original, item.passage)
    return LabelledText(item.id, text, item.answer, about, item.cluster)
