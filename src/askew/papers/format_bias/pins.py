"""The paper's own files (EvalData of FormatBiasEval): where they lie, and what a row holds.

They are CSV with Python literals in some cells. Traps that are handled here: in the stories file
`target` and `references` repeat the question (the answer is `answer`), in the extraction files
`category` and `top_k` are not what the row holds (its `answer` is), rows have no or repeated ids,
and relevant documents come first (the task shuffles them).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from askew.sources.loading import digest
from askew.sources.pinned import on_github

_BLOB_IDS = {
    "dict_SciREX_easy.csv": "5a9edaa3c01b498928b1819e354011f6c0ce5f4d",
    "dict_SciREX_medium.csv": "b104e2774f0bfe8b6dca36c8422cc43b0bc3c602",
    "dict_SciREX_hard.csv": "1a43c1c13d0dbb01e01a8dab6a1085e6a3c748f9",
    "generation_fairytaleqa_200.csv": "d0738f683d3201362b5b0d4276b99ed071d0fb61",
    "generation_gsm8k_test_200.csv": "a541be80411d9f3f7eee02c1ef2a6936317ced85",
    "generation_hotpotqa_validation_200.csv": "fb4f73c55cdb3492ee28ff77e919bd980e2583d5",
    "list_keyphrases_SemEval2017_200.csv": "dd3f72644b91be7faed1008b78d64e773c51b8cf",
    "list_scidocs_reranking_200.csv": "ce7a07a755353e3ee3dfe8042497cd3944903ea6",
    "mcq_bbh_test_1.csv": "a5c30a3454080a8867c416fc91ae99b6be2b7a11",
    "mcq_mmlu_test_27.csv": "6093a755f111b734b2ce7e881e9b368803036c16",
}
SOURCES = on_github(
    "format_bias",
    repository="dxlong2000/FormatBiasEval",
    commit="6d5e65edb44bf91cd6e92b3692b7765f3f89727a",
    licence="none stated",
    blob_ids={f"EvalData/{name}": blob_id for name, blob_id in _BLOB_IDS.items()},
)
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
    return f"text-{digest(' '.join(text.casefold().split()))}"


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
    # Questions about one section stand or fall together.
    given = {"passage": raw["content"], "question": raw["question"], "answer": raw["answer"]}
    return {"subset": "fairytaleqa", "unit": _unit(raw["content"]), **given}


def _multihop(raw: Mapping[str, Any]) -> dict[str, Any]:
    context = literal(raw["context"], "context")
    if not isinstance(context, dict):
        raise ValueError("context: not a dictionary of titles and sentences")
    # The authors' prompts leave the titles out and set the paragraphs apart with " <SEP> ".
    text = " <SEP> ".join("".join(sentences) for sentences in context["sentences"])
    given = {"unit": raw["id"], "question": raw["question"], "answer": raw["answer"]}
    # One row has no paragraphs at all: its question is asked alone.
    paragraphs = {"paragraphs": [{"text": text}]} if text.strip() else {}
    return {"subset": "hotpotqa", **given, **paragraphs}


def _ranking(raw: Mapping[str, Any]) -> dict[str, Any]:
    documents = [
        {"title": title, "relevant": relevant}
        for column, relevant in (("positive", 1), ("negative", 0))
        for title in literal(raw[column], column)
    ]
    unit = _unit(raw["query"])
    return {"subset": "scidocsrr", "unit": unit, "query": raw["query"], "documents": documents}


def _keyphrases(raw: Mapping[str, Any]) -> dict[str, Any]:
    phrases = literal(raw["keyphrases"], "keyphrases")
    return {
        "id": raw["id"], "subset": "semeval2017", "text": raw["document"], "keyphrases": phrases
    }  # fmt: skip


_LEVEL_OF_KEYS = {1: "scirex_easy", 2: "scirex_medium", 4: "scirex_hard"}


def _extraction(raw: Mapping[str, Any]) -> dict[str, Any]:
    names = literal(raw["answer"], "answer")
    if not isinstance(names, dict) or len(names) not in _LEVEL_OF_KEYS:
        raise ValueError("answer: not a dictionary with one, two or four keys")
    level, unit = _LEVEL_OF_KEYS[len(names)], raw["doc_id"][:12]
    name = f"{level.removeprefix('scirex_')}-{unit}"
    return {"id": name, "subset": level, "unit": unit, "text": raw["document"], **names}


_CONVERTERS: Mapping[frozenset[str], Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    frozenset({"topic", "choices_texts", "correct_key"}): _choice,
    frozenset({"cot_answer", "answer", "question"}): _arithmetic,
    frozenset({"story_name", "content", "answer"}): _story,
    frozenset({"supporting_facts", "context", "answer"}): _multihop,
    frozenset({"query", "positive", "negative"}): _ranking,
    frozenset({"id", "document", "keyphrases"}): _keyphrases,
    frozenset({"doc_id", "document", "answer"}): _extraction,
}
