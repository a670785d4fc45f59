"""Candidates for a Binary QA set, read from the data sets' own files, and which become items.

Each loader knows one file format and its traps: error marks that give a label away, ratings one
error a row, labels that mean different things in two parts of one data set.
"""

from __future__ import annotations

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
from askew.sources.loading import digest
from askew.sources.pinned import Source
from askew_authoring.binary_qa.rules import ASKED_OF_ALL
from askew_authoring.drawing import shared_out

# The public files that a set is built from, pinned.
_LIMIT = 400 * 1024 * 1024
HELD: Mapping[str, Mapping[str, Any]] = toml_of(__package__, "sources.toml")
# By data set; a domain is built from all files of its data set.
FILES: Mapping[str, tuple[Source, ...]] = {
    name: tuple(
        Source(
            f"binary_qa/{file['name']}",
            f"{held['url']}/{file['path']}",
            held["revision"],
            held["licence"],
            sha256=file.get("sha256", ""),
            limit=_LIMIT,
        )
        for file in held["files"]
    )
    for name, held in HELD.items()
}
# Longer scenarios of the common sense part are posts of a forum that ask its readers something.
LONGEST_SCENARIO = 60
# A number asked about must leave room for a smaller one that is not negative or absurd.
SMALLEST_NUMBER = 2
_ERROR_MARK = re.compile(r"</?v>")
_ANSWERS: Mapping[str, Answer] = {"yes": "Yes", "no": "No"}
# Whether a translation has an error: its kind, and the answer to the question we put.
_TRANSLATED: Mapping[bool, tuple[str, Answer]] = {True: ("error", "Yes"), False: ("correct", "No")}
# ETHICS by the column that holds a part's texts: its kind, and the answers to the questions we put.
_ETHICS: Mapping[str, tuple[str, Mapping[str, Answer]]] = {
    "scenario": ("justice", {"1": "Yes", "0": "No"}),
    "input": ("commonsense", {"0": "Yes", "1": "No"}),
}


class SourceFormatError(ValueError):
    """A file does not have the columns or shape of its data set."""


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


# A domain, a kind and a label.
Quota = tuple[str, str, Answer | None]


def read_boolq(paths: Sequence[Path]) -> Iterator[Candidate]:
    """BoolQ (parquet): question, answer, passage; questions come without capital and mark."""
    for row in _parquet(paths, ("question", "answer", "passage")):
        passage, question = _squeezed(row["passage"]), _as_question(str(row["question"]))
        if passage and question and isinstance(row["answer"], bool):
            name = f"boolq-{digest(question + passage)}"
            answer: Answer = "Yes" if row["answer"] else "No"
            yield Candidate(name, "reading", "reading", passage, question, answer)


def read_hotpotqa(paths: Sequence[Path]) -> Iterator[Candidate]:
    """HotpotQA, distractor setting (parquet): comparison questions with a yes/no answer."""
    columns = ("id", "question", "answer", "type", "level", "context")
    for row in _parquet(paths, columns):
        answer = _ANSWERS.get(str(row["answer"]).strip().casefold())
        level = str(row["level"])
        if row["type"] != "comparison" or answer is None or level not in SHARES["multi_hop"]:
            continue
        passage, question = _paragraphs(row["context"]), _as_question(str(row["question"]))
        yield Candidate(f"hotpotqa-{row['id']}", "multi_hop", level, passage, question, answer)


def read_drop(paths: Sequence[Path]) -> Iterator[Candidate]:
    """DROP (parquet): questions for a whole number, all annotators of one mind."""
    columns = ("query_id", "passage", "question", "answers_spans")
    for row in _parquet(paths, columns):
        spans = row["answers_spans"] or {}
        number = _one_number(list(spans.get("spans") or []), list(spans.get("types") or []))
        passage, question = _squeezed(row["passage"]), _squeezed(row["question"])
        if number is not None and question.casefold().startswith("how many"):
            name = f"drop-{row['query_id']}"
            yield Candidate(name, "numerical", "", passage, question, None, number)


def read_mqm(paths: Sequence[Path]) -> Iterator[Candidate]:
    """MQM ratings (TSV, one row an error and rater): texts whose raters all agree.

    A rating needs two raters or more. Errors of the source text are none of the translation's,
    so a rater who marks only those is undecided. Marks of error spans are stripped. A text that
    several systems wrote must have one label under all of them.
    """
    labels: dict[tuple[str, str], set[bool | None]] = defaultdict(set)
    for (*_, source, target), by_rater in _rated(paths).items():
        verdicts = {_finds_error(categories) for categories in by_rater.values()}
        agreed = len(by_rater) > 1 and len(verdicts) == 1
        labels[source, target].add(verdicts.pop() if agreed else None)
    for (source, target), found in labels.items():
        if found in ({True}, {False}):
            kind, answer = _TRANSLATED[True in found]
            passage = f"Source (English): {source}\nTranslation (German): {target}"
            asked = ASKED_OF_ALL["translation"]
            yield Candidate(f"mqm-{digest(passage)}", "translation", kind, passage, asked, answer)


def _rated(paths: Iterable[Path]) -> dict[tuple[str, ...], dict[str, list[str]]]:
    """The error categories that each rater gave a segment of a system, by its place and texts."""
    segments: dict[tuple[str, ...], dict[str, list[str]]] = {}
    texts: dict[tuple[str, ...], tuple[str, ...]] = {}
    for path in paths:
        for row in _tsv(path, ("system", "doc", "seg_id", "rater", "source", "target", "category")):
            place = (row["system"], row["doc"], row.get("doc_id", ""), row["seg_id"])
            # Raters mark different spans; the first row's texts stand for all.
            unmarked = tuple(_squeezed(_ERROR_MARK.sub("", row[c])) for c in ("source", "target"))
            key = (*place, *texts.setdefault(place, unmarked))
            by_rater = segments.setdefault(key, defaultdict(list))
            by_rater[row["rater"]].append(row["category"].casefold())
    return segments


def _finds_error(categories: Sequence[str]) -> bool | None:
    """Whether a rater marked an error of the translation; None where that is not clear."""
    clean, of_source = (any(c.startswith(w) for c in categories) for w in ("no-error", "source"))
    if any(not c.startswith(("no-error", "source")) for c in categories):
        return None if clean else True
    return None if of_source else False


def read_ethics(paths: Sequence[Path]) -> Iterator[Candidate]:
    """ETHICS, commonsense and justice (CSV), told apart by their columns.

    The label 1 means wrong in the one (`input`) and just in the other (`scenario`).
    """
    for path in paths:
        for row in _csv(path):
            column = "scenario" if "scenario" in row else "input"
            kind, answers = _ETHICS[column]
            passage, answer = _squeezed(row[column]), answers.get(row["label"])
            short = row.get("is_short", "True") == "True"
            if answer and short and passage and len(passage.split()) <= LONGEST_SCENARIO:
                name = f"ethics-{digest(kind + passage)}"
                yield Candidate(name, "ethics", kind, passage, ASKED_OF_ALL[kind], answer)


# By data set: the domain it serves, and its loader.
LOADERS: Mapping[str, tuple[str, Callable[[Sequence[Path]], Iterator[Candidate]]]] = {
    "boolq": ("reading", read_boolq),
    "hotpotqa": ("multi_hop", read_hotpotqa),
    "drop": ("numerical", read_drop),
    "mqm": ("translation", read_mqm),
    "ethics": ("ethics", read_ethics),
}
SOURCE_OF = {domain: source for source, (domain, _) in LOADERS.items()}
# By domain: its kinds with their share of the items of each label. Translation's kinds follow from
# the label, so there each label has one.
SHARES: Mapping[str, Mapping[str, float]] = {
    domain: HELD[name]["kinds"] for name, (domain, _) in LOADERS.items()
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
            names = file.schema_arrow.names
        except (pa.ArrowInvalid, OSError) as error:
            raise SourceFormatError(f"{path} can't be read as parquet: {error}") from error
        _require(path, columns, names)
        for batch in file.iter_batches(batch_size=2_000, columns=list(columns)):
            yield from batch.to_pylist()


def _csv(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines, restval="")
        names = list(reader.fieldnames or [])
        _require(path, ("label", "scenario" if "scenario" in names else "input"), names)
        yield from reader


def _tsv(path: Path, columns: Sequence[str]) -> Iterator[dict[str, str]]:
    """Rows of a TSV file whose cells are quoted as in CSV in some releases and bare in others."""
    with path.open(encoding="utf-8", newline="\n") as lines:
        names = next(lines, "").rstrip("\r\n").split("\t")
        _require(path, columns, names)
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


def _require(path: Path, columns: Sequence[str], names: Sequence[str]) -> None:
    missing = [c for c in columns if c not in names]
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
    texts = {s.strip().replace(",", "") for s in spans}
    if len(texts) != 1 or not set(types) <= {"number"}:
        return None
    whole = re.fullmatch(r"[0-9]{1,9}", texts.pop())
    return int(whole[0]) if whole and int(whole[0]) >= SMALLEST_NUMBER else None


def _as_question(text: str) -> str:
    """A question with a capital letter and one question mark."""
    squeezed = _squeezed(text).rstrip("?").rstrip()
    return f"{squeezed[0].upper()}{squeezed[1:]}?" if squeezed else ""


def _squeezed(text: object) -> str:
    return " ".join(str(text).split())


_LABEL_OF_KIND: Mapping[str, Answer] = {"error": "Yes", "correct": "No"}


def quotas(subset: str, n_items: int) -> dict[Quota, int]:
    """The balance of a domain: how many items of a kind and a label it has, half of them Yes."""
    if n_items < 2 or n_items % 2:
        raise ValueError(f"items={n_items}: ask for an even number of items in each domain")
    found: dict[Quota, int] = {}
    for answer in LABELS:
        kinds = SHARES[subset].items()
        shares = {k: share for k, share in kinds if _LABEL_OF_KIND.get(k, answer) == answer}
        for kind, wanted in shared_out(n_items // 2, shares).items():
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
    if subset == "numerical":
        return list(_numerical(wanted, one_a_passage, rng))
    return [
        candidate
        for quota, n in wanted.items()
        for candidate in islice((c for c in one_a_passage if c.quota == quota), n)
    ]


def _numerical(
    wanted: Mapping[Quota, int], found: Sequence[Candidate], rng: random.Random
) -> Iterator[Candidate]:
    """Any candidate fits any quota: what is asked about its number decides kind and answer."""
    each = [quota for quota, n in wanted.items() for _ in range(n)]
    for candidate, (_, kind, answer) in zip(found, each, strict=False):
        if candidate.number is None:
            return
        check = COMPARISONS[kind](candidate.number, answer == "Yes", rng)
        yield replace(candidate, kind=kind, answer=answer, check=check)


def _threshold(number: int, holds: bool, rng: random.Random) -> Comparison:
    """ "Over n" or "under n", so that the answer comes out as wanted."""
    step = rng.randint(1, max(1, round(number * 0.3)))
    over = rng.random() < 0.5
    # Over a smaller number and under a larger one hold; the boundary itself never does.
    n = number - step if over is holds else number + step
    if not holds and rng.random() < 0.25:
        n = number
    return Comparison(value=number, op=">" if over else "<", n=n)


def _exact(number: int, holds: bool, rng: random.Random) -> Comparison:
    step = rng.randint(1, max(1, round(number * 0.2)))
    lower = number - step if number - step >= 1 else number + step
    n = number if holds else rng.choice((lower, number + step))
    return Comparison(value=number, op="==", n=n)


COMPARISONS: Mapping[str, Callable[[int, bool, random.Random], Comparison]] = {
    "threshold": _threshold,
    "exact": _exact,
}
