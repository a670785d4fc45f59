"""Instruction Boundary: what a machine can find in its items, and what guessers get of them."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from askew.papers.instruction_boundary import paper
from askew.papers.instruction_boundary.items import folio_findings, load, load_published, oddities
from askew.papers.instruction_boundary.questions import BoundaryItem
from askew.parameters import choose
from askew.schema import LintIssue
from askew_authoring.baselines import Baseline, Choice, LabelledText, of_choices, of_labels
from askew_authoring.linting import by_set

# Standard errors above chance from which a favourite place of the right option is no accident.
_FAVOURED = 4.0


def verify(data: str, subset: str | Sequence[str] | None = None) -> list[LintIssue]:
    """What a machine can find odd in the items of `data`, with ids."""
    found: list[LintIssue] = []
    if data == "paper" and "folio" in choose(
        "subset", subset, paper.PUBLISHED, paper.PAPER.selection("paper")
    ):
        found += folio_findings(load_published("folio"))
    # What repeats an item may itself be left out: its first one stands for both.
    out = {finding.item for finding in found if finding.excluded}
    odd = find(load(data, subset, strict_items=False).items)
    return [*found, *(f for f in odd if not (f.item in out and f.kind == "repeat"))]


def statistics(
    data: str, subset: str | Sequence[str] | None = None
) -> Mapping[str, list[Baseline]]:
    """What guessers get in each set, tier by tier: of options, of several, and of labels."""
    choices: dict[str, list[Choice]] = {}
    labels: dict[str, list[LabelledText]] = {}
    for name, items in by_set(load(data, subset).items).items():
        for item in items:
            text = f"{item.passage}\n{item.question}"
            if item.form == "single":
                one = Choice(item.id, text, item.options, item.gold[0], item.cluster)
                choices.setdefault(name, []).append(one)
            for kind, label in _labels(item, text):
                labels.setdefault(f"{name}: {kind}", []).append(label)
    return {
        **{name: of_choices(found) for name, found in choices.items()},
        **{name: of_labels(found) for name, found in labels.items()},
    }


def _labels(item: BoundaryItem, text: str) -> Iterator[tuple[str, LabelledText]]:
    """What of an item has one of two labels: its conclusion, or each of several options."""
    if item.family == "judging":
        asked, about = f"{item.question}\n{item.passage}", (item.question, item.cluster)
        settled = "unknown" if item.sparse else "settled"
        yield "settled or unknown", LabelledText(item.id, asked, settled, *about)
        if not item.sparse:
            yield "true or false", LabelledText(item.id, asked, item.form, *about)
    elif item.form == "multiple":
        for i, option in enumerate(item.options):
            right = "right" if i in item.gold else "wrong"
            name = f"{item.id}/{i}"
            yield "options of several", LabelledText(name, option, right, text, item.cluster)


def find(items: Sequence[BoundaryItem]) -> list[LintIssue]:
    """Every finding; `excluded` marks what is no sound item of its form."""
    choice = [item for item in items if item.family == "choice"]
    return [
        *oddities(items),
        *(f for item in items for f in _label_findings(item)),
        *_position_findings(choice),
        *_passage_findings(choice),
    ]


def _label_findings(item: BoundaryItem) -> Iterator[LintIssue]:
    """Items whose own words name a label; those with ten options are never asked without one."""
    for label in paper.SETTINGS["missing_choices"].variants[item.family]:
        if item.mentions(label) and item.subset != paper.TEN:
            message = f"its text says {label!r}: not asked where that label goes missing"
            yield LintIssue(item.id, "label in the text", message)


def _position_findings(choice: Sequence[BoundaryItem]) -> Iterator[LintIssue]:
    """Sources whose right option has a favourite place."""
    places: defaultdict[tuple[str, int], Counter[int]] = defaultdict(Counter)
    for item in choice:
        if item.form == "single":
            places[(item.source or item.subset, len(item.options))][item.gold[0]] += 1
    for (source, size), counts in places.items():
        n, (place, most) = counts.total(), counts.most_common(1)[0]
        excess = (most - n / size) / math.sqrt(n / size * (1 - 1 / size))
        if excess > _FAVOURED:
            where = f"the right one of {size} options stands at place {place + 1}"
            message = f"{where} in {most} of {n} items: options are shuffled, seeded"
            yield LintIssue(source, "position of the right option", message)


def _passage_findings(choice: Sequence[BoundaryItem]) -> Iterator[LintIssue]:
    """Passages that come with one form only: what the layout cannot hide."""
    for subset in dict.fromkeys(item.subset for item in choice):
        mine = [item for item in choice if item.subset == subset]
        counts = Counter(item.form for item in mine if item.passage)
        if len(counts) == 1 and len({item.form for item in mine}) > 1:
            ((form, number),) = counts.items()
            text = f"only {form} items carry a passage ({number}), and need it"
            message = f"{text}: a passage still gives the form away"
            yield LintIssue(subset, "leaking passage", message)
