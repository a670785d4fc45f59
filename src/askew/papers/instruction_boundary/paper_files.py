"""Instruction Boundary's published files as items: FOLIO, its choice questions, its judging ones.

All are pinned by what they hold, so their layout is known; nothing of them is bundled. FOLIO's two
files name the third label differently ("Unknown", "Uncertain") and only one of them has ids.
Several of its conclusions share a story, so the distinct story, recognised by its text, is the unit
to resample. In the paper's choice files only some sources number their options, and a passage comes
with sentence numbers; items have one layout whatever their source.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from askew.papers.instruction_boundary.paper import Form
from askew.papers.instruction_boundary.questions import (
    AsPublished,
    BoundaryItem,
    form_of,
)
from askew.schema import Finding, clean_id
from askew.sources.loading import text_unit
from askew.sources.records import RecordsError

_NUMBERED = re.compile(r"\s*(\d+)\. ?")
_SENTENCE = re.compile(r"\s*Sent \d{1,4}: ?")
LABELS: Mapping[str, Form] = {
    "true": "true",
    "false": "false",
    "unknown": "unknown",  # FOLIO's training file
    "uncertain": "unknown",  # and its validation file
    "proved": "true",
    "disproved": "false",
}
# Names under which a judging record may carry its parts: its layout is not documented, and its
# neighbour in the repository uses the first of each.
_FACTS = ("Facts", "facts", "premises", "context")
_CONCLUSION = ("Conclusion", "conclusion", "hypothesis")
_LABEL = ("proof_label", "label", "answer", "world_assump_label")


def choice_items(text: str, subset: str) -> Iterator[BoundaryItem]:
    """The questions of one of the two choice files, in order; repeats keep distinct ids."""
    taken: Counter[str] = Counter()
    for number, raw in enumerate(json.loads(text), start=1):
        told, small = raw.get("Facts", ""), "Facts" in raw
        # The 450 repeat their options inside the facts, behind the passage.
        before = told.partition("Options:")[0] if "Options:" in told else ""
        before = before.removeprefix("Background: ").removesuffix("\n")
        asked, written = raw["Conclusion" if small else "question"], raw.get("passage_text", before)
        options, gold = raw["options"], raw["correct_answers"]
        numbers = [found and found[1] for found in map(_NUMBERED.match, options)]
        numbered = numbers == [str(i) for i in range(len(options))]
        shown = [_NUMBERED.sub("", o, count=1) for o in options] if numbered else options
        name = raw["original_id" if small else "id"] or f"record {number}"
        base = clean_id(f"{subset}-{name.removesuffix('.txt')}")
        taken[base] += 1
        passage = " ".join(_SENTENCE.sub(" ", written).split())
        yield BoundaryItem(
            base if taken[base] == 1 else f"{base}-{taken[base]}", subset,
            text_unit(f"{passage} {asked}", "question"), "choice", form_of(gold), passage,
            asked.strip(), tuple(o.strip() for o in shown), tuple(sorted(set(gold))),
            raw.get("original_correct_answer") or "", source=raw["dataset_source"],
            published=AsPublished(name, asked, written, tuple(options), numbered),
        )  # fmt: skip


def judging_items(text: str, subset: str) -> list[BoundaryItem]:
    """The items of the judging file, in order."""
    content = json.loads(text)
    records = next(iter(content.values())) if isinstance(content, dict) else content
    return [judging_of(raw, subset, f"judging-{n:04d}") for n, raw in enumerate(records, start=1)]


def judging_of(record: Mapping[str, Any], subset: str, name: str) -> BoundaryItem:
    """The item of a judging record, whichever of several names its parts have."""
    facts, conclusion, label = (
        next((record[name] for name in names if name in record), None)
        for names in (_FACTS, _CONCLUSION, _LABEL)
    )
    written = str(label).strip("_ ").casefold()
    if facts is None or conclusion is None or written not in LABELS:
        raise RecordsError(
            f"{name or 'the record'}: facts, a conclusion and a label of {', '.join(LABELS)} are "
            f"wanted; there are: {', '.join(record)[:200]}, and {written[:40]!r}"
        )
    passage = "\n".join(facts) if isinstance(facts, list) else str(facts)
    return BoundaryItem(
        name, subset, text_unit(passage, "facts"), "judging", LABELS[written], passage.strip(),
        str(conclusion).strip(), source=str(record.get("dataset_source", "")),
    )  # fmt: skip


def folio_items(text: str, split: str, subset: str) -> Iterator[BoundaryItem]:
    """The records of one of FOLIO's files, in order, without premises that hold nothing.

    Ids are `folio-<split>-<example id>` or, where the file has none, its line number, padded.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        raw = json.loads(line)
        premises = [text for text in map(_spaced, raw["premises"]) if text]
        # A name that the text alone decides; the order of premises does not matter.
        story = sha256(json.dumps(sorted(map(_folded, premises))).encode()).hexdigest()[:12]
        yield BoundaryItem(
            f"folio-{split}-{raw.get('example_id', f'{number:04d}')}", subset, f"story-{story}",
            "judging", LABELS[raw["label"].strip().lower()], "\n".join(premises),
            _spaced(raw["conclusion"]), source="folio",
        )  # fmt: skip


def half_sparse(records: Sequence[BoundaryItem], seed: int) -> list[BoundaryItem]:
    """FOLIO's sound items, half of them sparse.

    A third of the records are Unknown, so all sound ones of them stay and as many tense ones
    are drawn.
    """
    wrong = {finding.item for finding in folio_findings(records)}
    sound = [item for item in records if item.id not in wrong]
    halves = [[item for item in sound if item.sparse is half] for half in (True, False)]
    rng = random.Random(f"folio/{seed}")
    kept = {item.id for half in halves for item in rng.sample(half, min(map(len, halves)))}
    return [item for item in sound if item.id in kept]


def folio_findings(items: Iterable[BoundaryItem]) -> Iterator[Finding]:
    """FOLIO's unsound items; of the same text twice under one label the first one stays."""
    asked: dict[tuple[str, str], list[BoundaryItem]] = {}
    for item in items:
        asked.setdefault((item.unit, _folded(item.question)), []).append(item)
        if _folded(item.question) in map(_folded, item.passage.split("\n")):
            message = "the conclusion is itself a premise"
            yield Finding(item.id, "conclusion given", message, excluded=True)
    for same in asked.values():
        agree = len({item.form for item in same}) == 1
        for item in same[agree:] if len(same) > 1 else ():
            how = "with the same label, more than once" if agree else "under different labels"
            message = f"the same story and conclusion, {how}: {', '.join(i.id for i in same)}"
            yield Finding(item.id, "duplicate" if agree else "contradiction", message, True)


def _spaced(text: str) -> str:
    """The text with single spaces: the files break and pad some of theirs."""
    return " ".join(text.split())


def _folded(text: str) -> str:
    """The text for comparison: neither case, spacing nor the closing full stop counts."""
    return _spaced(text).rstrip(".").rstrip().casefold()
