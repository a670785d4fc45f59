"""Instruction Boundary's published files: questions read, normalised, and what is odd in them.

FOLIO's two files stand beside files of github.com/ZpLing/Instruction-Boundary at revision
720bdfb7700d0728f4133a0eda29c37fa51c902e: the 450 and the 2,700 choice questions, and the judging
questions. Nothing of them is bundled. In the files only some sources number their options, and a
passage comes with sentence numbers; items have one layout whatever their source.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from askew.papers.instruction_boundary.folio import FolioRecord, find_flaws, read_folio
from askew.papers.instruction_boundary.paper import Form
from askew.papers.instruction_boundary.questions import BoundaryItem, form_of, question_unit
from askew.schema import Finding, clean_id
from askew.sources.loading import digest
from askew.sources.record_lines import strict_json
from askew.sources.records import RecordsError

_SIZE_LIMIT = 64 * 1024 * 1024
_NUMBERED = re.compile(r"\s*(\d+)\. ?")
_SENTENCE = re.compile(r"\s*Sent \d{1,4}: ?")
_LABELS: Mapping[str, Form] = {
    "proved": "true",
    "true": "true",
    "disproved": "false",
    "false": "false",
    "unknown": "unknown",
    "uncertain": "unknown",
}
# Names under which a judging record may carry its parts: its layout is not documented, and its
# neighbour in the repository uses the first of each.
_FACTS = ("Facts", "facts", "premises", "context")
_CONCLUSION = ("Conclusion", "conclusion", "hypothesis")
_LABEL = ("proof_label", "label", "answer", "world_assump_label")


@dataclass(frozen=True)
class PaperQuestion:
    """One record of a choice file as published, beside the item it becomes."""

    item: BoundaryItem
    published_id: str
    numbered: bool


def read_choice_file(path: Path, subset: str) -> list[PaperQuestion]:
    """The questions of one of the two choice files, in order; repeats keep distinct ids."""
    questions: list[PaperQuestion] = []
    taken: Counter[str] = Counter()
    for where, record in _records(path):
        question = _question(record, where, subset, taken)
        questions.append(question)
    return questions


def read_judging_file(path: Path, subset: str) -> list[BoundaryItem]:
    """The items of the judging file, in order."""
    items = []
    for number, (where, record) in enumerate(_records(path), start=1):
        facts = _first(record, _FACTS, where)
        passage = "\n".join(facts) if isinstance(facts, list) else str(facts)
        label = str(_first(record, _LABEL, where)).strip("_ ").casefold()
        if label not in _LABELS:
            _refuse(where, f"the label {label[:40]!r} is none of {', '.join(_LABELS)}")
        items.append(
            BoundaryItem(
                f"judging-{number:04d}",
                subset,
                f"facts-{digest(' '.join(passage.casefold().split()))}",
                "judging",
                _LABELS[label],
                passage.strip(),
                str(_first(record, _CONCLUSION, where)).strip(),
                source=str(record.get("dataset_source", "")),
            )
        )
    return items


def read_folio_files(files: Mapping[str, Path]) -> list[FolioRecord]:
    """FOLIO's records, in the order of its files, which are given by split."""
    records: list[FolioRecord] = []
    for split, path in files.items():
        with path.open(encoding="utf-8") as lines:
            records += read_folio(lines, split)
    return records


def folio_items(
    records: Sequence[FolioRecord], subset: str, half_seed: int | None
) -> list[BoundaryItem]:
    """FOLIO's records as items: all, or with a seed its sound ones, half of them sparse.

    A third of the records are Unknown, so all sound ones of them stay and as many tense ones
    are drawn.
    """
    if half_seed is not None:
        wrong = {f.item for f in folio_findings(records) if f.excluded}
        records = [r for r in records if r.id not in wrong]
        sparse = [r for r in records if r.label == "unknown"]
        tense = [r for r in records if r.label != "unknown"]
        size = min(len(sparse), len(tense))
        rng = random.Random(f"folio/{half_seed}")
        kept = {r.id for r in [*rng.sample(sparse, size), *rng.sample(tense, size)]}
        records = [r for r in records if r.id in kept]
    return [_folio_item(record, subset) for record in records]


def _folio_item(record: FolioRecord, subset: str) -> BoundaryItem:
    return BoundaryItem(
        record.id,
        subset,
        record.story,
        "judging",
        record.label,
        "\n".join(record.premises),
        record.conclusion,
        source="folio",
    )


def folio_findings(records: Sequence[FolioRecord]) -> list[Finding]:
    """FOLIO's flaws, one finding an item; of the same text twice under one label one stays."""
    found = []
    for flaw in find_flaws(records):
        excluded = flaw.kind in ("duplicate", "contradiction", "conclusion_given")
        ids = flaw.ids[1:] if flaw.kind == "duplicate" else flaw.ids
        kind = flaw.kind.replace("_", " ")
        found += [Finding(name, kind, str(flaw), excluded) for name in ids]
    return found


def layout_findings(questions: Sequence[PaperQuestion]) -> Iterator[Finding]:
    """What gives the form away before a question is read, and ids that records share."""
    by_source: defaultdict[str, list[PaperQuestion]] = defaultdict(list)
    for question in questions:
        by_source[question.item.source].append(question)
    for source, of_source in by_source.items():
        forms = ", ".join(dict.fromkeys(q.item.form for q in of_source))
        numbered = sum(q.numbered for q in of_source)
        passages = sum(bool(q.item.passage) for q in of_source)
        where = f"{len(of_source)} items ({forms})"
        yield Finding(
            source,
            "leaking layout",
            f"{where}: {numbered} number their options and {passages} carry a passage; all are "
            "shown in one layout",
        )
        sizes = Counter(len(q.item.gold) for q in of_source)
        if list(sizes) == [2]:
            message = f"{where}: each has exactly two right options, so a pair is always safe"
            yield Finding(source, "leaking layout", message)
        unnamed = [q for q in of_source if q.item.form == "none" and not q.item.missing_gold]
        if unnamed:
            message = (
                f"{len(unnamed)} none items don't say which option was taken out: that none of "
                "the others is right could not be checked"
            )
            yield Finding(source, "right option not recorded", message)
    yield from _repeated_ids(questions)


def _repeated_ids(questions: Sequence[PaperQuestion]) -> Iterator[Finding]:
    shared = Counter(q.published_id for q in questions)
    for question in questions:
        if shared[question.published_id] > 1:
            message = f"{shared[question.published_id]} records have the id {question.published_id}"
            yield Finding(question.item.id, "repeated id", message)


def _question(
    record: Mapping[str, Any], where: str, subset: str, taken: Counter[str]
) -> PaperQuestion:
    text = _text(record, ("question", "Conclusion"), where)
    passage = _spoken(str(record.get("passage_text") or _background(record.get("Facts"))))
    raw = record.get("options")
    if not isinstance(raw, list) or len(raw) < 2 or not all(isinstance(o, str) for o in raw):
        _refuse(where, "options is no list of texts")
    numbered = [_NUMBERED.match(option) for option in raw]
    is_numbered = [m[1] if m else "" for m in numbered] == [str(i) for i in range(len(raw))]
    options = [o[m.end() :] if is_numbered and m else o for o, m in zip(raw, numbered, strict=True)]
    gold = record.get("correct_answers")
    if not isinstance(gold, list) or not all(
        isinstance(g, int) and 0 <= g < len(options) for g in gold
    ):
        _refuse(where, "correct_answers holds no indexes of the options")
    source = str(record.get("dataset_source") or "unnamed")
    published = str(record.get("original_id") if "Facts" in record else record.get("id") or "")
    base = clean_id(f"{subset}-{published.removesuffix('.txt') or where}")
    taken[base] += 1
    return PaperQuestion(
        BoundaryItem(
            base if taken[base] == 1 else f"{base}-{taken[base]}",
            subset,
            question_unit(passage, text),
            "choice",
            form_of(gold),
            passage,
            text,
            tuple(o.strip() for o in options),
            tuple(sorted(set(gold))),
            str(record.get("original_correct_answer") or ""),
            source=source,
        ),
        published or where,
        is_numbered,
    )


def _background(facts: object) -> str:
    """The passage in front of the options that the 450 repeat inside their facts."""
    text = facts if isinstance(facts, str) else ""
    before, marker, _ = text.partition("Options:")
    return before.strip().removeprefix("Background:") if marker else ""


def _spoken(passage: str) -> str:
    """A passage without the numbers of its sentences."""
    return " ".join(_SENTENCE.sub(" ", passage).split())


def _records(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every record of a JSON file that is one list of objects, with its place for messages."""
    if path.stat().st_size > _SIZE_LIMIT:
        raise RecordsError(f"{path} is larger than {_SIZE_LIMIT:,} bytes: not the paper's file")
    try:
        content = strict_json(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise RecordsError(f"{path} can't be read: {error}") from None
    if isinstance(content, dict):
        lists = [value for value in content.values() if isinstance(value, list)]
        content = lists[0] if len(lists) == 1 else content
    if not isinstance(content, list) or not content:
        raise RecordsError(f"{path}: expected one list of records")
    for number, record in enumerate(content, start=1):
        if not isinstance(record, dict):
            raise RecordsError(f"{path}: record {number} is no object")
        yield f"record {number}", record


def _text(record: Mapping[str, Any], names: Sequence[str], where: str) -> str:
    value = _first(record, names, where)
    if not isinstance(value, str) or not value.strip():
        _refuse(where, f"{names[0]} holds no text")
    return value.strip()


def _first(record: Mapping[str, Any], names: Sequence[str], where: str) -> Any:
    for name in names:
        if name in record:
            return record[name]
    _refuse(where, f"none of the fields {', '.join(names)}; there are: {', '.join(record)[:200]}")


def _refuse(where: str, why: str) -> NoReturn:
    raise RecordsError(f"{where}: {why}")
