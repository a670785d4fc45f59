"""Candidates for a Binary QA set, read from the data sets' own files, and which become items.

Each loader knows one file format and its traps: error marks that give a label away, ratings one
error a row, labels that mean different things in two parts of one data set.
"""

import csv
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from askew.files import toml_of
from askew.papers.binary_qa.items import Comparison
from askew.papers.binary_qa.paper import LABELS, Answer
from askew.sources.pinned import Source
from askew.untrusted import digest
from askew_authoring.binary_qa.rules import ASKED_OF_ALL
from askew_authoring.building import largest_remainder

HELD: Mapping[str, Mapping[str, Any]] = toml_of(__package__, "sources.toml")
# By data set; a domain is built from all files of its data set.
FILES: Mapping[str, tuple[Source, ...]] = {
    name: tuple(
        Source(
            f"binary_qa/{file['name']}", f"{held['url']}/{file['path']}", held["revision"],
            held["licence"], sha256=file.get("sha256", ""),
        )
        for file in held["files"]
    )
    for name, held in HELD.items()
}  # fmt: skip
SOURCE_OF = {held["domain"]: name for name, held in HELD.items()}
# Longer scenarios of the common sense part are posts of a forum that ask its readers something.
LONGEST_SCENARIO = 60
# A number asked about must leave room for a smaller one that is not negative or absurd.
SMALLEST_NUMBER = 2
_WHOLE = re.compile(r"[0-9]{1,9}")
_ANSWERS: Mapping[str, Answer] = {label.casefold(): label for label in LABELS}
_ERROR_MARK = re.compile(r"</?v>")
# ETHICS by the column that holds a part's texts: its kind, and the answers to the questions we put.
_ETHICS: Mapping[str, tuple[str, Mapping[str, Answer]]] = {
    "scenario": ("justice", {"1": "Yes", "0": "No"}),
    "input": ("commonsense", {"0": "Yes", "1": "No"}),
}
# Kinds of one label only: whether a translation has an error.
_LABEL_OF_KIND: Mapping[str, Answer] = {"error": "Yes", "correct": "No"}


class SourceFormatError(ValueError):
    """A file does not have the columns or shape of its data set."""


# A domain, a kind and a label.
Quota = tuple[str, str, Answer | None]
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Candidate:
    """A question of a data set that could become an item.

    Numerical ones ask for a number; what is asked about it (`check`) is settled when they are
    drawn, and with it their kind and answer.
    """

    id: str
    subset: str
    kind: str
    passage: str
    question: str
    answer: Answer | None
    number: int | None = None
    check: Comparison | None = None

    @property
    def quota(self) -> Quota:
        return self.subset, self.kind, self.answer


def _boolq(rows: Iterable[Row]) -> Iterator[Candidate]:
    """Questions come without a capital letter and a question mark."""
    for row in rows:
        passage, question = _squeeze(row["passage"]), _as_question(row["question"])
        if passage and question and isinstance(row["answer"], bool):
            name, answer = f"boolq-{digest(question + passage)}", LABELS[not row["answer"]]
            yield Candidate(name, "reading", "reading", passage, question, answer)


def _hotpotqa(rows: Iterable[Row]) -> Iterator[Candidate]:
    """Comparison questions with a yes/no answer, over paragraphs each under its title."""
    for row in rows:
        answer = _ANSWERS.get(str(row["answer"]).strip().casefold())
        level = str(row["level"])
        if row["type"] != "comparison" or not answer or level not in HELD["hotpotqa"]["kinds"]:
            continue
        pages = zip(row["context"]["title"], row["context"]["sentences"], strict=False)
        passage = "\n\n".join(f"{_squeeze(title)}\n{_squeeze(' '.join(s))}" for title, s in pages)
        name, question = f"hotpotqa-{row['id']}", _as_question(row["question"])
        yield Candidate(name, "multi_hop", level, passage, question, answer)


def _drop(rows: Iterable[Row]) -> Iterator[Candidate]:
    """Questions for a whole number, all annotators of one mind."""
    for row in rows:
        spans = row["answers_spans"] or {}
        found = {s.strip().replace(",", "") for s in spans.get("spans") or []}
        numbers = [int(text) for text in found if _WHOLE.fullmatch(text)]
        sure = len(found) == len(numbers) == 1 and {*(spans.get("types") or [])} <= {"number"}
        passage, question = _squeeze(row["passage"]), _squeeze(row["question"])
        if sure and numbers[0] >= SMALLEST_NUMBER and question.casefold().startswith("how many"):
            name = f"drop-{row['query_id']}"
            yield Candidate(name, "numerical", "", passage, question, None, numbers[0])


def _mqm(rows: Iterable[Row]) -> Iterator[Candidate]:
    """Texts whose raters all agree; ratings have a row an error and rater.

    A rating needs two raters or more. Errors of the source text are none of the translation's,
    so a rater who marks only those is undecided. Marks of error spans are stripped; raters mark
    different ones, and the first row's texts stand for all. A text that several systems wrote must
    have one label under all of them.
    """
    texts: dict[tuple[str, ...], tuple[str, ...]] = {}
    found: dict[tuple[str, ...], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        place = (row["system"], row["doc"], row.get("doc_id", ""), row["seg_id"])
        unmarked = tuple(_squeeze(_ERROR_MARK.sub("", row[c])) for c in ("source", "target"))
        segment = (*place, *texts.setdefault(place, unmarked))
        found[segment][row["rater"]].append(row["category"].casefold())
    labels: dict[tuple[str, ...], set[bool | None]] = defaultdict(set)
    for (*_, source, target), by_rater in found.items():
        verdicts = {_finds_error(categories) for categories in by_rater.values()}
        agreed = len(by_rater) > 1 and len(verdicts) == 1
        labels[source, target].add(verdicts.pop() if agreed else None)
    for (source, target), labels_of in labels.items():
        if labels_of in ({True}, {False}):
            kind = "error" if True in labels_of else "correct"
            passage = f"Source (English): {source}\nTranslation (German): {target}"
            name, question = f"mqm-{digest(passage)}", ASKED_OF_ALL["translation"]
            yield Candidate(name, "translation", kind, passage, question, _LABEL_OF_KIND[kind])


def _finds_error(categories: Sequence[str]) -> bool | None:
    """Whether a rater marked an error of the translation; None where that is not clear."""
    clean, of_source = (any(c.startswith(w) for c in categories) for w in ("no-error", "source"))
    if any(not c.startswith(("no-error", "source")) for c in categories):
        return None if clean else True
    return None if of_source else False


def _ethics(rows: Iterable[Row]) -> Iterator[Candidate]:
    """Commonsense and justice, told apart by their columns.

    The label 1 means wrong in the one (`input`) and just in the other (`scenario`).
    """
    for row in rows:
        column = "scenario" if "scenario" in row else "input"
        kind, answers = _ETHICS[column]
        passage, answer = _squeeze(row[column]), answers.get(row["label"])
        short = row.get("is_short", "True") == "True" and len(passage.split()) <= LONGEST_SCENARIO
        if answer and passage and short:
            name = f"ethics-{digest(kind + passage)}"
            yield Candidate(name, "ethics", kind, passage, ASKED_OF_ALL[kind], answer)


LOADERS: Mapping[str, Callable[[Iterable[Row]], Iterator[Candidate]]] = {
    "boolq": _boolq, "hotpotqa": _hotpotqa, "drop": _drop, "mqm": _mqm, "ethics": _ethics,
}  # fmt: skip


def candidates(source: str, paths: Sequence[Path]) -> list[Candidate]:
    """All candidates of a data set, each text once; texts with two labels are left out."""
    found: dict[str, Candidate] = {}
    contradicted = set()
    rows = (row for path in paths for row in _rows(path, HELD[source]["columns"]))
    for candidate in LOADERS[source](rows):
        first = found.setdefault(candidate.id, candidate)
        if (first.answer, first.number) != (candidate.answer, candidate.number):
            contradicted.add(candidate.id)
    return [c for c in found.values() if c.id not in contradicted]


def _rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """Rows of a file by the form that its name tells, if it has the columns; `a|b` is one of both.

    Of Parquet some at a time: the largest source has ninety thousand.
    """
    if path.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            file = pq.ParquetFile(path)
        except (pa.ArrowInvalid, OSError) as error:
            raise SourceFormatError(f"{path} can't be read as parquet: {error}") from error
        _require(path, columns, file.schema_arrow.names)
        for batch in file.iter_batches(batch_size=2_000, columns=list(columns)):
            yield from batch.to_pylist()
        return
    with path.open(encoding="utf-8", newline="\n" if path.suffix == ".tsv" else "") as lines:
        if path.suffix == ".csv":
            reader = csv.DictReader(lines, restval="")
            _require(path, columns, reader.fieldnames or [])
            yield from reader
            return
        names = next(lines, "").rstrip("\r\n").split("\t")
        _require(path, columns, names)
        for line in lines:
            cells = [_strip_quotes(cell) for cell in line.rstrip("\r\n").split("\t")]
            if len(cells) >= len(columns):
                yield dict(zip(names, cells, strict=False))


def _strip_quotes(cell: str) -> str:
    """A cell of a TSV file without the quotes of CSV, which some releases have: all doubled."""
    if len(cell) < 2 or cell[0] != '"' or cell[-1] != '"':
        return cell
    inner = cell[1:-1]
    return cell if '"' in inner.replace('""', "") else inner.replace('""', '"')


def _require(path: Path, columns: Sequence[str], names: Sequence[str]) -> None:
    missing = [c for c in columns if not {*c.split("|")} & {*names}]
    if missing:
        raise SourceFormatError(
            f"{path} has no column {', '.join(missing)}; it has {', '.join(names)[:300]}. "
            "Is it the file of another data set, or of another revision?"
        )


def _as_question(text: object) -> str:
    """A question with a capital letter and one question mark."""
    squeezed = _squeeze(text).rstrip("?").rstrip()
    return f"{squeezed[0].upper()}{squeezed[1:]}?" if squeezed else ""


def _squeeze(text: object) -> str:
    return " ".join(str(text).split())


def quotas(subset: str, n_items: int) -> dict[Quota, int]:
    """The balance of a domain: how many items of a kind and a label it has, half of them Yes."""
    if n_items < 2 or n_items % 2:
        raise ValueError(f"items={n_items}: give an even number of items per domain")
    kinds = HELD[SOURCE_OF[subset]]["kinds"].items()
    found: dict[Quota, int] = {}
    for answer in LABELS:
        shares = {k: share for k, share in kinds if _LABEL_OF_KIND.get(k, answer) == answer}
        for kind, wanted in largest_remainder(n_items // 2, shares).items():
            found[subset, kind, answer] = wanted
    return found


def draw(
    subset: str, found: Sequence[Candidate], n_items: int, spares: int, seed: int
) -> list[Candidate]:
    """A seeded, balanced choice of so many items of a domain.

    Each quota has its spares, for rewrites that a person will not accept, after its items.
    """
    rng = random.Random(f"{seed}/{subset}")
    shuffled = sorted(found, key=lambda c: c.id)
    rng.shuffle(shuffled)
    # Questions over one passage stand or fall together, so a set asks one of them.
    one_a_passage = list({c.passage: c for c in reversed(shuffled)}.values())[::-1]
    wanted = {quota: n + spares for quota, n in quotas(subset, n_items).items()}
    if subset != "numerical":
        by_quota = (((c for c in one_a_passage if c.quota == q), n) for q, n in wanted.items())
        return [candidate for fitting, n in by_quota for candidate in islice(fitting, n)]
    # Any fits any quota: what is asked about its number decides kind and answer.
    each = [quota for quota, n in wanted.items() for _ in range(n)]
    return [
        replace(
            c,
            kind=kind,
            answer=answer,
            check=_comparison_phrase(kind, c.number, answer == "Yes", rng),
        )
        for c, (_, kind, answer) in zip(one_a_passage, each, strict=False)
        if c.number is not None
    ]


def _comparison_phrase(kind: str, number: int, holds: bool, rng: random.Random) -> Comparison:
    """ "Over n", "under n" or "exactly n", so that the answer comes out as wanted."""
    exact = kind == "exact"
    step = rng.randint(1, max(1, round(number * (0.2 if exact else 0.3))))
    if exact:
        lower = number - step if number - step >= 1 else number + step
        n = number if holds else rng.choice((lower, number + step))
        return Comparison(value=number, op="==", n=n)
    over = rng.random() < 0.5
    # Over a smaller number and under a larger one hold; the boundary itself never does.
    n = number - step if over is holds else number + step
    if not holds and rng.random() < 0.25:
        n = number
    return Comparison(value=number, op=">" if over else "<", n=n)
