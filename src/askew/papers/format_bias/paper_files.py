"""The paper's own files (EvalData of FormatBiasEval): what their rows hold.

They are CSV with Python literals in some cells. Traps that are handled here: in the stories file
`target` and `references` repeat the question (the answer is `answer`), in the extraction files
`category` and `top_k` are not what the row holds (its `answer` is), rows have no or repeated ids,
and relevant documents come first (the task shuffles them).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from askew.papers.format_bias.paper import LEVELS
from askew.reading.literals import LiteralError, read_python
from askew.sources.loading import text_unit

Row = Mapping[str, Any]


def paper_record(raw: Row) -> dict[str, Any] | None:
    """A row of one of the paper's files in our shape; nothing where it is not one."""
    for columns, convert in _CONVERTERS.items():
        if columns <= set(raw):
            return convert(raw)
    return None


def literal(cell: str, column: str) -> Any:
    """The Python literal in a cell: read, never evaluated, and capped."""
    try:
        return read_python(cell)
    except LiteralError as error:
        raise ValueError(f"{column}: {error}: {cell[:60]!r}") from error


def _choice(raw: Row) -> dict[str, Any]:
    return {
        "subset": "bbh" if raw["topic"] == "sports_understanding" else "mmlu",
        "subject": raw["topic"], "unit": text_unit(raw["question"]), "question": raw["question"],
        "choices": literal(raw["choices_texts"], "choices_texts"),
        "answer": raw["correct_key"].strip().upper(),
    }  # fmt: skip


def _arithmetic(raw: Row) -> dict[str, Any]:
    return {"subset": "gsm8k", "question": raw["question"], "answer": raw["answer"]}


def _story(raw: Row) -> dict[str, Any]:
    # Questions about one section stand or fall together.
    given = {"passage": raw["content"], "question": raw["question"], "answer": raw["answer"]}
    return {"subset": "fairytaleqa", "unit": text_unit(raw["content"]), **given}


def _multihop(raw: Row) -> dict[str, Any]:
    context = literal(raw["context"], "context")
    if not isinstance(context, dict):
        raise ValueError("context: not a dictionary of titles and sentences")
    # The authors' prompts leave the titles out and set the paragraphs apart with " <SEP> ".
    text = " <SEP> ".join("".join(sentences) for sentences in context["sentences"])
    given = {"unit": raw["id"], "question": raw["question"], "answer": raw["answer"]}
    # One row has no paragraphs at all: its question is asked alone.
    paragraphs = {"paragraphs": [{"text": text}]} if text.strip() else {}
    return {"subset": "hotpotqa", **given, **paragraphs}


def _ranking(raw: Row) -> dict[str, Any]:
    documents = [
        {"title": title, "relevant": relevant}
        for column, relevant in (("positive", 1), ("negative", 0))
        for title in literal(raw[column], column)
    ]
    unit = text_unit(raw["query"])
    return {"subset": "scidocsrr", "unit": unit, "query": raw["query"], "documents": documents}


def _keyphrases(raw: Row) -> dict[str, Any]:
    given = {"text": raw["document"], "keyphrases": literal(raw["keyphrases"], "keyphrases")}
    return {"id": raw["id"], "subset": "semeval2017", **given}


def _extraction(raw: Row) -> dict[str, Any]:
    names = literal(raw["answer"], "answer")
    n_keys = len(names) if isinstance(names, dict) else 0
    level = next((level for level, keys in LEVELS.items() if len(keys) == n_keys), "")
    if not level:
        raise ValueError("answer: not a dictionary with one, two or four keys")
    unit = raw["doc_id"][:12]
    name = f"{level.removeprefix('scirex_')}-{unit}"
    return {"id": name, "subset": level, "unit": unit, "text": raw["document"], **names}


# By columns that no other file has: how their rows become ours.
_CONVERTERS: Mapping[frozenset[str], Callable[[Row], dict[str, Any]]] = {
    frozenset({"topic", "choices_texts", "correct_key"}): _choice,
    frozenset({"cot_answer", "answer", "question"}): _arithmetic,
    frozenset({"story_name", "content", "answer"}): _story,
    frozenset({"supporting_facts", "context", "answer"}): _multihop,
    frozenset({"query", "positive", "negative"}): _ranking,
    frozenset({"id", "document", "keyphrases"}): _keyphrases,
    frozenset({"doc_id", "document", "answer"}): _extraction,
}
