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

from askew.papers.binary_qa.paper import Answer
from askew.papers.binary_qa.rules import ASKED_OF_ALL
from askew.sources.loading import digest

# Longer scenarios of the common sense part are posts of a forum that ask its readers something.
LONGEST_SCENARIO = 60
# A number asked about must leave room for a smaller one that is not negative or absurd.
SMALLEST_NUMBER = 2
_ERROR_MARK = re.compile(r"</?v>")
_LEVELS = ("easy", "medium", "hard")
_ANSWERS: Mapping[str, Answer] = {"yes": "Yes", "no": "No"}
# What the labels of ETHICS say of the questions we put.
_JUST: Mapping[str, Answer] = {"1": "Yes", "0": "No"}
_ACCEPTABLE: Mapping[str, Answer] = {"0": "Yes", "1": "No"}


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
        answer = _ANSWERS.get(str(row["answer"]).strip().casefold())
        if row["type"] != "comparison" or answer is None or row["level"] not in _LEVELS:
            continue
        yield Candidate(
            f"hotpotqa-{row['id']}",
            "multi_hop",
            str(row["level"]),
            _paragraphs(row["context"]),
            _as_question(str(row["question"])),
            answer,
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
    """MQM ratings (TSV, one row an error and rater): texts whose raters all agree.

    A rating needs two raters or more. Errors of the source text are none of the translation's,
    so a rater who marks only those is undecided. Marks of error spans are stripped. A text that
    several systems wrote must have one label under all of them.
    """
    labels: dict[tuple[str, str], set[bool | None]] = defaultdict(set)
    for rated in _rated(paths).values():
        verdicts = {_finds_error(categories) for categories in rated.by_rater.values()}
        agreed = len(rated.by_rater) > 1 and len(verdicts) == 1
        labels[rated.source, rated.target].add(verdicts.pop() if agreed else None)
    for (source, target), found in labels.items():
        if found not in ({True}, {False}):
            continue
        passage = f"Source (English): {source}\nTranslation (German): {target}"
        yield Candidate(
            f"mqm-{digest(passage)}",
            "translation",
            "error" if True in found else "correct",
            passage,
            ASKED_OF_ALL["translation"],
            "Yes" if True in found else "No",
        )


@dataclass
class _Rated:
    """A translated segment of one system, and the error categories that each rater gave it."""

    source: str
    target: str
    by_rater: dict[str, list[str]]


def _rated(paths: Iterable[Path]) -> dict[tuple[str, ...], _Rated]:
    segments: dict[tuple[str, ...], _Rated] = {}
    for path in paths:
        for row in _tsv(path, ("system", "doc", "seg_id", "rater", "source", "target", "category")):
            key = (row["system"], row["doc"], row.get("doc_id", ""), row["seg_id"])
            source, target = (_unmarked(row[column]) for column in ("source", "target"))
            segment = segments.setdefault(key, _Rated(source, target, defaultdict(list)))
            segment.by_rater[row["rater"]].append(row["category"].casefold())
    return segments


def _unmarked(text: str) -> str:
    return _squeezed(_ERROR_MARK.sub("", text))


def _finds_error(categories: Sequence[str]) -> bool | None:
    """Whether a rater marked an error of the translation; None where that is not clear."""
    clean = [c.startswith("no-error") for c in categories]
    of_source = [c.startswith("source") for c in categories]
    errors = [not (c or s) for c, s in zip(clean, of_source, strict=True)]
    if any(errors):
        return None if any(clean) else True
    return None if any(of_source) else False


def read_ethics(paths: Sequence[Path]) -> Iterator[Candidate]:
    """ETHICS, commonsense and justice (CSV), told apart by their columns.

    The label 1 means wrong in the one (`input`) and just in the other (`scenario`).
    """
    for path in paths:
        for row in _csv(path):
            if "scenario" in row:
                kind, answer = "justice", _JUST.get(row["label"])
                passage = _squeezed(row["scenario"])
            else:
                kind, answer = "commonsense", _ACCEPTABLE.get(row["label"])
                passage = _squeezed(row["input"])
            short = row.get("is_short", "True") == "True"
            if answer and short and passage and len(passage.split()) <= LONGEST_SCENARIO:
                yield Candidate(
                    f"ethics-{digest(kind + passage)}",
                    "ethics",
                    kind,
                    passage,
                    ASKED_OF_ALL[kind],
                    answer,
                )


# By data set: the domain it serves, and its loader.
LOADERS: Mapping[str, tuple[str, Callable[[Sequence[Path]], Iterator[Candidate]]]] = {
    "boolq": ("reading", read_boolq),
    "hotpotqa": ("multi_hop", read_hotpotqa),
    "drop": ("numerical", read_drop),
    "mqm": ("translation", read_mqm),
    "ethics": ("ethics", read_ethics),
}


def candidates(source: str, paths: Sequence[Path]) -> list[Candidate]:
    """All candidates of a data set, each text once; texts with two labels are left out."""
    _, read = LOADERS[source]
    found: dict[str, Candidate] = {}
    contradicted = set()
    for candidate in read(paths):
        first = found.setdefault(candidate.id, candidate)
        if (first.answer, first.number) != (candidate.answer, candidate.number):
            contradicted.add(candidate.id)
    return [c for c in found.values() if c.id not in contradicted]


def _parquet(paths: Iterable[Path], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Rows of parquet files, some at a time: the largest source has ninety thousand."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for path in paths:
        try:
            file = pq.ParquetFile(path)
            missing = [c for c in columns if c not in file.schema_arrow.names]
        except (pa.ArrowInvalid, OSError) as error:
            raise SourceFormatError(f"{path} can't be read as parquet: {error}") from error
        _require(path, missing, file.schema_arrow.names)
        for batch in file.iter_batches(batch_size=2_000, columns=list(columns)):
            yield from batch.to_pylist()


def _csv(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        names = list(reader.fieldnames or [])
        _require(path, [c for c in ("label",) if c not in names], names)
        if "scenario" not in names:
            _require(path, [c for c in ("input",) if c not in names], names)
        for row in reader:
            yield {k: v or "" for k, v in row.items() if isinstance(k, str)}


def _tsv(path: Path, columns: Sequence[str]) -> Iterator[dict[str, str]]:
    """Rows of a TSV file whose cells are quoted as in CSV in some releases and bare in others."""
    with path.open(encoding="utf-8", newline="\n") as lines:
        names = next(lines, "").rstrip("\r\n").split("\t")
        _require(path, [c for c in columns if c not in names], names)
        for line in lines:
            cells = [_unquoted(cell) for cell in line.rstrip("\r\n").split("\t")]
            if len(cells) >= len(columns):
                yield dict(zip(names, cells, strict=False))


def _unquoted(cell: str) -> str:
    """A cell without the quotes of CSV, where all quotes within them are doubled."""
    if len(cell) < 2 or cell[0] != '"' or cell[-1] != '"':
        return cell
    inner = cell[1:-1]
    return cell if '"' in inner.replace('""', "") else inner.replace('""', '"')


def _require(path: Path, missing: Sequence[str], names: Sequence[str]) -> None:
    if missing:
        raise SourceFormatError(
            f"{path} has no column {', '.join(missing)}; it has {', '.join(names)[:300]}. "
            "Is it the file of another data set, or of another revision?"
        )


def _paragraphs(context: Mapping[str, Any]) -> str:
    """HotpotQA's titles and sentences as paragraphs, each under its title."""
    pairs = zip(context["title"], context["sentences"], strict=False)
    return "\n\n".join(
        f"{_squeezed(title)}\n{_squeezed(' '.join(s.strip() for s in sentences))}"
        for title, sentences in pairs
    )


def _one_number(spans: Sequence[str], types: Sequence[str]) -> int | None:
    """The whole number that all answers agree on, if they are numbers and do."""
    if not spans or any(t != "number" for t in types):
        return None
    texts = {s.strip().replace(",", "") for s in spans}
    text = texts.pop()
    if texts or not text.isascii() or not text.isdigit() or len(text) > 9:
        return None
    return int(text) if int(text) >= SMALLEST_NUMBER else None


def _as_question(text: str) -> str:
    """A question with a capital letter and one question mark."""
    squeezed = _squeezed(text).rstrip("?").rstrip()
    return f"{squeezed[0].upper()}{squeezed[1:]}?" if squeezed else ""


def _squeezed(text: object) -> str:
    return " ".join(str(text).split())
