"""The paper's own files (EvalData of FormatBiasEval): what their rows hold.

They are CSV with Python literals in some cells. Traps that are handled here: in the stories file
`target` and `references` repeat the question (the answer is `answer`), in the extraction files
`category` and `top_k` are not what the row holds (its `answer` is), rows have no or repeated ids,
and relevant documents come first (the task shuffles them).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askew.papers.format_bias.paper import LEVELS
from askew.reading.literals import LiteralError, read_python
from askew.sources.loading import text_unit

Row = Mapping[str, Any]


def literal(raw: Row, column: str) -> Any:
    """The Python literal in a cell: read, never evaluated, and capped."""
    try:
        return read_python(raw[column])
    except LiteralError as error:
        raise ValueError(f"{column}: {error}: {raw[column][:60]!r}") from error


def paper_record(raw: Row) -> dict[str, Any] | None:
    """A row of one of the paper's files in our shape; nothing where it is not one."""
    asked = {name: raw[name] for name in ("question", "answer") if name in raw}
    match raw:
        case {"topic": topic, "choices_texts": _, "correct_key": key, "question": question}:
            subset = "bbh" if topic == "sports_understanding" else "mmlu"
            choices = {"choices": literal(raw, "choices_texts"), "answer": key.strip().upper()}
            made = {"subject": topic, "unit": text_unit(question), "question": question, **choices}
        case {"cot_answer": _, "answer": _, "question": _}:
            subset, made = "gsm8k", asked
        case {"story_name": _, "content": content, "answer": _}:
            # Questions about one section stand or fall together.
            subset, made = "fairytaleqa", {"unit": text_unit(content), "passage": content, **asked}
        case {"supporting_facts": _, "context": _, "answer": _}:
            subset, made = "hotpotqa", {"unit": raw["id"], **asked, **_paragraphs(raw)}
        case {"query": query, "positive": _, "negative": _}:
            documents = [
                {"title": title, "relevant": relevant}
                for relevant, column in ((1, "positive"), (0, "negative"))
                for title in literal(raw, column)
            ]
            subset = "scidocsrr"
            made = {"unit": text_unit(query), "query": query, "documents": documents}
        case {"id": name, "document": text, "keyphrases": _}:
            phrases = literal(raw, "keyphrases")
            subset, made = "semeval2017", {"id": name, "text": text, "keyphrases": phrases}
        case {"doc_id": name, "document": text, "answer": _}:
            names = literal(raw, "answer")
            n_keys = len(names) if isinstance(names, dict) else 0
            subset = next((level for level, keys in LEVELS.items() if len(keys) == n_keys), "")
            if not subset:
                raise ValueError("answer: not a dictionary with one, two or four keys")
            unit = name[:12]
            at = f"{subset.removeprefix('scirex_')}-{unit}"
            made = {"id": at, "unit": unit, "text": text, **names}
        case _:
            return None
    return {"subset": subset, **made}


def _paragraphs(raw: Row) -> dict[str, Any]:
    """The paragraphs of a question; one row has none at all: its question is asked alone."""
    context = literal(raw, "context")
    if not isinstance(context, dict):
        raise ValueError("context: not a dictionary of titles and sentences")
    # The authors' prompts leave the titles out and set the paragraphs apart with " <SEP> ".
    text = " <SEP> ".join("".join(sentences) for sentences in context["sentences"])
    return {"paragraphs": [{"text": text}]} if text.strip() else {}
