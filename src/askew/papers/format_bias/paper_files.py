"""The paper's own files (EvalData of FormatBiasEval) as records of ours.

They are CSV with Python literals in some cells. Traps that are handled here: in the stories file
`target` and `references` repeat the question (the answer is `answer`), in the extraction files
`category` and `top_k` are not what the row holds (its `answer` is), rows have no or repeated ids,
and relevant documents come first (the task shuffles them).
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Mapping
from typing import Any

# Far more than the longest cell (a context of 15,000 characters), and than its nesting of 3.
_MAX_CELL = 1_000_000
_MAX_NESTING = 20


def paper_record(raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """A row of one of the paper's files in our shape; nothing where it is not one."""
    for columns, convert in _CONVERTERS.items():
        if columns <= set(raw):
            return convert(raw)
    return None


def literal(cell: str, column: str) -> Any:
    """The Python literal in a cell: read, never evaluated, and capped."""
    if len(cell) > _MAX_CELL:
        raise ValueError(f"{column}: a cell of {len(cell):,} characters")
    depth = deepest = 0
    for character in cell:
        depth += (character in "[{(") - (character in "]})")
        deepest = max(deepest, depth)
    if deepest > _MAX_NESTING:
        raise ValueError(f"{column}: nested deeper than {_MAX_NESTING} levels")
    try:
        return ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(f"{column}: not a Python literal: {cell[:60]!r}") from error


def _unit(text: str) -> str:
    return f"text-{hashlib.sha256(' '.join(text.casefold().split()).encode()).hexdigest()[:10]}"


def _choice(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "subset": "bbh" if raw["topic"] == "sports_understanding" else "mmlu",
        "subject": raw["topic"],
        "unit": _unit(raw["question"]),
        "question": raw["question"],
        "choices": literal(raw["choices_texts"], "choices_texts"),
        "answer": raw["correct_key"].strip().upper(),
    }


def _arithmetic(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {"subset": "gsm8k", "question": raw["question"], "answer": raw["answer"]}


def _story(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "subset": "fairytaleqa",
        # Questions about one section stand or fall together.
        "unit": _unit(raw["content"]),
        "passage": raw["content"],
        "question": raw["question"],
        "answer": raw["answer"],
    }


def _multihop(raw: Mapping[str, Any]) -> dict[str, Any]:
    context = literal(raw["context"], "context")
    if not isinstance(context, dict):
        raise ValueError("context: not a dictionary of titles and sentences")
    # The authors' prompts leave the titles out and set the paragraphs apart with " <SEP> ".
    text = " <SEP> ".join("".join(sentences) for sentences in context["sentences"])
    record = {
        "subset": "hotpotqa",
        "unit": raw["id"],
        "question": raw["question"],
        "answer": raw["answer"],
    }
    # One row has no paragraphs at all: its question is asked alone.
    return {**record, "paragraphs": [{"text": text}]} if text.strip() else record


def _ranking(raw: Mapping[str, Any]) -> dict[str, Any]:
    columns = (("positive", 1), ("negative", 0))
    return {
        "subset": "scidocsrr",
        "unit": _unit(raw["query"]),
        "query": raw["query"],
        "documents": [
            {"title": title, "relevant": relevant}
            for column, relevant in columns
            for title in literal(raw[column], column)
        ],
    }


def _keyphrases(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": raw["id"],
        "subset": "semeval2017",
        "text": raw["document"],
        "keyphrases": literal(raw["keyphrases"], "keyphrases"),
    }


_LEVEL_OF_KEYS = {1: "scirex_easy", 2: "scirex_medium", 4: "scirex_hard"}


def _extraction(raw: Mapping[str, Any]) -> dict[str, Any]:
    names = literal(raw["answer"], "answer")
    if not isinstance(names, dict) or len(names) not in _LEVEL_OF_KEYS:
        raise ValueError("answer: not a dictionary with one, two or four keys")
    level = _LEVEL_OF_KEYS[len(names)]
    return {
        "id": f"{level.removeprefix('scirex_')}-{raw['doc_id'][:12]}",
        "subset": level,
        "unit": raw["doc_id"][:12],
        "text": raw["document"],
        **names,
    }


_CONVERTERS: Mapping[frozenset[str], Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    frozenset({"topic", "choices_texts", "correct_key"}): _choice,
    frozenset({"cot_answer", "answer", "question"}): _arithmetic,
    frozenset({"story_name", "content", "answer"}): _story,
    frozenset({"supporting_facts", "context", "answer"}): _multihop,
    frozenset({"query", "positive", "negative"}): _ranking,
    frozenset({"id", "document", "keyphrases"}): _keyphrases,
    frozenset({"doc_id", "document", "answer"}): _extraction,
}
