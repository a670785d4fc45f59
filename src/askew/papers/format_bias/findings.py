"""What a machine finds odd in format-bias questions, with ids, and what is done about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askew.papers.format_bias.records import FormatItem
from askew.schema import Finding


def find(items: Sequence[FormatItem]) -> list[Finding]:
    """Repeats, empty truths, and truths whose writing bends a score."""
    return [*_repeats(items), *(f for item in items for f in _of_item(item))]


def _repeats(items: Sequence[FormatItem]) -> Iterator[Finding]:
    seen: dict[tuple[str, ...], str] = {}
    for item in items:
        asked = tuple(" ".join(text.casefold().split()) for text in item.context.values())
        first = seen.setdefault((item.subset, *asked), item.id)
        if first != item.id:
            message = f"asks the same as {first}: kept, in one bootstrap unit"
            yield Finding(item.id, "repeat", message)


def _of_item(item: FormatItem) -> Iterator[Finding]:
    if "," in item.answer and item.answer.replace(",", "").isdigit():
        message = f"{item.answer}: punctuation does not count in token F1"
        yield Finding(item.id, "thousands separator", message)
    if item.subset == "hotpotqa" and "context" not in item.context:
        yield Finding(item.id, "no context", "asked without paragraphs, as in the paper's file")
    if item.kind == "ranking" and sorted(item.relevant, reverse=True) == list(item.relevant):
        yield Finding(
            item.id, "relevant first", "all relevant documents come first: the task shuffles them"
        )
    folded = {phrase.casefold() for phrase in item.keyphrases}
    if len(folded) < len(item.keyphrases):
        yield Finding(
            item.id,
            "differ in case only",
            f"{len(item.keyphrases) - len(folded)} keyphrases repeat others in another case: "
            "kept, case counts as published (casefold=true merges them)",
        )
    for key, names in item.entities.items():
        if not names:
            message = f"no {key}: an empty prediction scores 1"
            yield Finding(item.id, "empty truth", message)
        if len({name.lower() for name in names}) < len(names):
            message = f"{key}: some names differ in case only, which does not count"
            yield Finding(item.id, "differ in case only", message)
