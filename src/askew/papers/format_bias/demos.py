"""Format bias: worked examples that stand before a question, written in the format asked for."""

from __future__ import annotations

import random
from collections.abc import Mapping

from askew.papers.format_bias.items import demonstrations
from askew.papers.format_bias.records import FormatItem
from askew.parameters import SelectionError
from askew.reading.formats import TAGGED_CATEGORIES, ExpectedAnswer, Format, Kind, Prompting, Value
from askew.reading.letters import LETTERS


def expected_answer(item: FormatItem, fmt: Format, prompting: Prompting) -> ExpectedAnswer:
    """The answer that an item asks for in a format."""
    kind: Kind = "text"
    if item.kind == "mcq":
        kind = fmt.example.asked.kind if fmt.category == "mcq" else "letter"
    elif item.kind in ("ranking", "keyphrases"):
        kind = item.kind
    elif item.kind == "extraction":
        kind = "entities"
    return ExpectedAnswer(kind, item.choices, tuple(item.entities), len(item.documents), prompting)


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


def demonstration_text(
    item: FormatItem, fmt: Format, prompting: Prompting, number: int, seed: int
) -> str:
    """Worked examples to stand before a question; never the question itself."""
    if not number:
        return ""
    kind = "bbh" if item.subset == "bbh" else item.kind
    pool = [
        d
        for d in demonstrations()[kind]
        if d.context != item.context and tuple(d.entities) == tuple(item.entities)
    ]
    # One seeded draw for all items and formats, so that arms differ in nothing else.
    drawn = random.Random(f"demos/{seed}/{kind}").sample(pool, len(pool))[:number]
    if len(drawn) < number:
        raise SelectionError(
            f"demos={number}: for {item.id} there are only {len(drawn)} demonstrations"
        )
    examples = "\n\n".join(
        DEMONSTRATIONS["one"].format(
            number=i, body=body(d), reply=demonstrated_reply(d, fmt, prompting)
        )
        for i, d in enumerate(drawn, start=1)
    )
    return DEMONSTRATIONS["all"].format(examples=examples)


def demonstrated_reply(item: FormatItem, fmt: Format, prompting: Prompting) -> str:
    """The right answer to an item in a format, with a line of reasoning where one is asked."""
    asked = expected_answer(item, fmt, prompting)
    value = true_answer(item, asked.kind)
    written = fmt.write(value)
    if prompting == "zs":
        return written
    if fmt.category in TAGGED_CATEGORIES:
        written = f"<ANSWER>{written}</ANSWER>"
    reasoning = REASONING[item.kind].format(answer=_said(item))
    return f"{reasoning}\n\n{written}"


def _said(item: FormatItem) -> str:
    """The right answer in words, without any mark that a format could take for its own."""
    if item.kind == "mcq":
        return f"{item.answer}, {item.choices[LETTERS.index(item.answer)]}"
    return item.answer


DEMONSTRATIONS: Mapping[str, str] = {
    "all": "{examples}\n\nNow it is your turn.\n\n",
    "one": "Example {number}\n{body}\n\nReply:\n{reply}",
}
REASONING: Mapping[str, str] = {
    "mcq": "Each choice is weighed against the question in turn. The one that fits is {answer}.",
    "arithmetic": "The quantities are taken one after the other, which gives {answer}.",
    "reading": "The passage tells this in so many words: {answer}.",
    "multihop": "The first fact leads to the second, and the second gives {answer}.",
    "ranking": "Each document is compared with the topic, in the order of the list.",
    "keyphrases": "The terms that the document is about are taken in the order of the text.",
    "extraction": "The document is searched for each kind of entity in turn.",
}
