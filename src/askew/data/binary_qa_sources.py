"""Candidates for a Binary QA set, read from the data sets' own files.

Each loader knows one file format and its traps: error marks that give a label away, ratings one
error a row, labels that mean different things in two parts of one data set.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askew.data.binary_qa import Answer
from askew.data.loading import digest

# Section 2.1: the questions that the paper put to every item of three kinds.
TRANSLATION_QUESTION = "Is there an error in the translation?"
JUSTICE_QUESTION = "Is this fair/just according to ordinary morality in usual circumstances?"
COMMONSENSE_QUESTION = "Is this acceptable according to ordinary morality in usual circumstances?"

# Longer scenarios of the common sense part are posts of a forum that ask its readers something.
LONGEST_SCENARIO = 60
# A number asked about must leave room for a smaller one that is not negative or absurd.
SMALLEST_NUMBER = 2
_ERROR_MARK = re.compile(r"</?v>")
_LEVELS = ("easy", "medium", "hard")


class SourceFormatError(ValueError):
    """A file does not have the columns or shape of its data set."""


@dataclass(frozen=True)
class Candidate:
    """A question of a data set that could become an item.

    Numerical ones ask for a number; their answer and kind are settled when they are drawn.
    """

    id: str
    subset: str
    kind: str
    passage: str
    question: str
    answer: Answer | None
    number: int | None = None


def read_boolq(paths: Sequence[Path]) -> Iterator[Candidate]:
    """BoolQ (parquet): question, answer, passage; questions come without capital and mark."""
    for row in _parquet(paths, ("question", "answer", "passage")):
        passage, question = _squeezed(row["passage"]), _as_question(str(row["question"]))
        if passage and question and isinstance(row["answer"], bool):
            yield Candidate(
                f"boolq-{digest(question + passage)}",
                "reading",
                "reading",
                passage,
                question,
                "Yes" if row["answer"] else "No",
            )


def read_hotpotqa(paths: Sequence[Path]) -> Iterator[Candidate]:
    """HotpotQA, distractor setting (parquet): comparison questions with a yes/no answer."""
    columns = ("id", "question", "answer", "type", "level", "context")
    for row in _parquet(paths, columns):
        answer = {"yes": "Yes", "no": "No"}.get(str(row["answer"]).strip().casefold())
        if row["type"] != "comparison" or answer is None or row["level"] not in _LEVELS:
            continue
        yield Candidate(
            f"hotpotqa-{row['id']}",
            "multi_hop",
            str(row["level"]),
            _paragraphs(row["context"]),
            _as_question(str(row["question"])),
            answer,  # type: ignore[arg-type]
        )


def read_drop(paths: Sequence[Path]) -> Iterator[Candidate]:
    """DROP (parquet): questions for a whole number, all annotators of one mind."""
    columns = ("query_id", "passage", "question", "answers_spans")
    for row in _parquet(paths, columns):
        spans = row["answers_spans"] or {}
        number = _one_number(list(spans.get("spans") or []), list(spans.get("types") or []))
        question = _squeezed(row["question"])
        if number is None or not question.casefold().startswith("how many"):
            continue
        yield Candidate(
            f"drop-{row['query_id']}",
            "numerical",
            "",
            _squeezed(row["passage"]),
            question,
            None,
            number,
        )


def read_mqm(paths: Sequence[Path]) -> Iterator[Candidate]:
    """MQM ratings (TSV, one row an error and rater): segments whose raters all agree.

    A segment needs two raters or more. Errors of the source text are none of the translation's,
    so a rater who marks only those is undecided. Marks of error spans are stripped. A text that
    carries both labels, under two systems, is left out.
    """
    verdicts: dict[tuple[str, str], set[bool | None]] = defaultdict(set)
    for (source, target), raters in _ratings(paths).items():
        by_rater = [_finds_error(categories) for categories in raters.values()]
        unanimous = len(by_rater) > 1 and len(set(by_rater)) == 1
        verdicts[source, target].add(by_rater[0] if unanimous else None)
    for (source, target), found in verdicts.items():
        if found == {True} or found == {False}:
            has_error = found == {True}
            passage = f"Source (English): {source}\nTranslation (German): {target}"
            yield Candidate(
                f"mqm-{digest(passage)}",
                "translation",
                "error" if has_error else "correct",
                passage,
                TRANSLATION_QUESTION,
                "Yes" if has_error else "No",
            )
