"""Format bias: the question as the model sees it, and its right answer, whatever the format."""

from __future__ import annotations

from collections.abc import Mapping

from askew.data.format_bias import FormatItem
from askew.parsing.formats import Asked, Format, Kind, Prompting, Value

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def asked_for(item: FormatItem, fmt: Format, prompting: Prompting) -> Asked:
    """The answer that an item asks for in a format."""
    kind: Kind = "text"
    if item.kind == "mcq":
        kind = fmt.example.asked.kind if fmt.category == "mcq" else "letter"
    elif item.kind in ("ranking", "keyphrases"):
        kind = item.kind
    elif item.kind == "extraction":
        kind = "entities"
    return Asked(kind, item.choices, tuple(item.entities), len(item.documents), prompting)


def true_answer(item: FormatItem, kind: Kind) -> Value:
    """The right answer of an item, as a value of its kind."""
    if kind == "option":
        return item.choices[LETTERS.index(item.answer)]
    if kind == "ranking":
        return list(item.relevant)
    if kind == "keyphrases":
        return list(item.keyphrases)
    if kind == "entities":
        return {key: list(names) for key, names in item.entities.items()}
    return item.answer


def body(item: FormatItem) -> str:
    """The question itself, laid out as in the authors' files."""
    if item.kind == "mcq":
        listed = " | ".join(f"{LETTERS[i]}. {c}" for i, c in enumerate(item.choices))
        return BODIES["mcq"].format(choices=listed, **item.context)
    if item.kind == "ranking":
        return BODIES["ranking"].format(documents=list(item.documents), **item.context)
    return BODIES[item.kind].format(**item.context)


# The layout of `input_data` in the authors' files, and of Appendix E.3.
BODIES: Mapping[str, str] = {
    "mcq": "Question: {question}\nAnswer choices: {choices}",
    "arithmetic": "Question: {question}",
    "reading": "Content: {passage}\n\nQuestion: {question}",
    "multihop": "Question: {question}\nContext: {context}",
    "ranking": (
        "Given a query, and a list of documents:\nTopic: {query}\nList of documents: {documents}"
    ),
    "keyphrases": "{text}",
    "extraction": "{text}",
}
