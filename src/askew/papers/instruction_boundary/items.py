"""Instruction Boundary: its items, its settings, and the places its questions come from."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, StrictInt, model_validator

from askew.files import toml_of
from askew.papers.instruction_boundary import questions
from askew.papers.instruction_boundary.paper import PAPER, PUBLISHED, TEN, Family, Form
from askew.papers.instruction_boundary.questions import BoundaryItem, classify_form
from askew.parameters import choose
from askew.schema import LintIssue, clean_id
from askew.sources import loading
from askew.sources.pinned import fetch, on_github
from askew.sources.records import RecordsError, read_records
from askew.untrusted import digest

# The paper's files, and FOLIO's, from which its statements come.
SOURCES = {
    name: source
    for repository in toml_of(__package__, "sources.toml").values()
    for name, source in on_github(PAPER.task, **repository).items()
}
_FILES_OF: Mapping[str, Sequence[str]] = {
    "folio": ("folio-train.jsonl", "folio-validation.jsonl"),
    "mcq_450": ("choice_tfu_format_dataset.json",), "mcq_2700": ("MCQs_2700.json",),
    "judging_questions": ("Judging Questions.json",),
}  # fmt: skip
FILES = loading.Files(
    PAPER.task, PAPER.home,
    {"logic": "logic.jsonl", "choice": "choice.jsonl", TEN: "miscellany.jsonl"}, {}, tiers=True,
    more=("polished.jsonl", "fewshot.jsonl"),
    # Of when a generator made their theories.
    named={"a0b96a6ce477": "3ce3d65ae5", "f6c9bd0754a2": "7dd10175a5"},
)  # fmt: skip
_TEN = 10


def load(
    data: str, subset: str | Sequence[str] | None = None, *, seed: int = 0,
    strict_items: bool = True,
) -> loading.ItemSet[BoundaryItem]:  # fmt: skip
    """Items of `data` ("bundled", "paper" or a path), of the given subsets.

    The seed draws the tense half of FOLIO. With `strict_items` those are left out that `oddities`
    marks as excluded.
    """
    if data == "paper":
        items: list[BoundaryItem] = []
        for name in choose("subset", subset, PUBLISHED, PAPER.selection(data)):
            found = load_published(name)
            items += half_sparse(found, seed) if strict_items and name == "folio" else found
        pins = (SOURCES[name].blob_id for names in _FILES_OF.values() for name in names)
        loaded = loading.ItemSet(items, "paper", digest("/".join(pins)))
    else:
        parse = _our_record if data == "bundled" else parse_record
        loaded = loading.load_items(FILES, data, subset, parse, items_of)
    if not strict_items:
        return loaded
    wrong = {finding.item for finding in oddities(loaded.items) if finding.excluded}
    return replace(loaded, items=[item for item in loaded.items if item.id not in wrong])


def shot_items(seed: int) -> list[BoundaryItem]:
    """Examples for few-shot prompts: theories and choice questions kept aside."""
    file = loading.bundled_file(PAPER.home, "fewshot.jsonl")
    return [item.reordered(seed) for item in items_of(read_records(file, parse_record))]


def load_published(subset: str) -> list[BoundaryItem]:
    """All that the files of a subset hold."""
    texts = {n: fetch(SOURCES[n]).read_text(encoding="utf-8-sig") for n in _FILES_OF[subset]}
    if subset == "folio":
        names = {n: n.removeprefix("folio-").removesuffix(".jsonl") for n in texts}
        return [i for n, text in texts.items() for i in folio_items(text, names[n], subset)]
    (text,) = texts.values()
    return [*(judging_items if subset == "judging_questions" else choice_items)(text, subset)]


class JudgingRecord(loading.FileRecord):
    """Facts, a conclusion, and whether it is true, false or unknown."""

    subset: str = ""
    facts: Annotated[list[loading.Text], Field(min_length=1)] | loading.Text
    conclusion: loading.Text
    label: Annotated[
        Literal["true", "false", "unknown"],
        BeforeValidator(lambda text: text.strip().casefold() if isinstance(text, str) else text),
    ]


# An option, by its index from 0 or by its text; true and false would read as 1 and 0.
Named = StrictInt | str


class ChoiceRecord(loading.FileRecord):
    """A question with its options; `gold` holds indexes from 0, or texts, of the right ones."""

    subset: str = ""
    form: Literal["single", "none", "multiple"] | None = None
    passage: str = ""
    question: loading.Text
    options: list[loading.Text] = Field(min_length=2, max_length=20)
    gold: list[Named]
    missing_gold: str = ""
    polished: str = ""

    @model_validator(mode="after")
    def _gold_fits(self) -> Self:
        indexes = self.indexes
        if self.form is not None and self.form != classify_form(indexes):
            raise ValueError(
                f"form {self.form!r} does not fit {len(indexes)} correct options; omit `form` or "
                "correct `gold`"
            )
        return self

    @property
    def indexes(self) -> tuple[int, ...]:
        return tuple(sorted({index_of(right, self.options) for right in self.gold}))


def index_of(right: int | str, options: Sequence[str]) -> int:
    """The index of an option that is named by its text or by its index."""
    if isinstance(right, str):
        if options.count(right.strip()) != 1:
            where = "is no option" if right.strip() not in options else "is offered twice"
            raise ValueError(f"gold {right!r:.80} {where}")
        return options.index(right.strip())
    if not 0 <= right < len(options):
        raise ValueError(f"gold {right} is no index of the {len(options)} options, from 0")
    return right


Record = JudgingRecord | ChoiceRecord
_FAMILIES: Mapping[str, type[Record]] = {"conclusion": JudgingRecord, "question": ChoiceRecord}


def parse_record(raw: Mapping[str, Any]) -> Record:
    """A validated record of whichever family its fields say it is."""
    return loading.record_of(PAPER.task, raw, _FAMILIES)


def _our_record(raw: Mapping[str, Any]) -> Record:
    """A record of ours: a theory, or a question with its rewrite."""
    if "options" not in raw:
        return JudgingRecord.model_validate({**raw, "subset": "logic"})
    subset = TEN if len(raw["options"]) == _TEN else "choice"
    polished = _rewrites()[raw["id"]]
    return ChoiceRecord.model_validate({**raw, "subset": subset, "polished": polished})


@cache
def _rewrites() -> Mapping[str, str]:
    paths = FILES.beside("polished.jsonl")
    return {r["id"]: str(r["question"]) for path in paths for r in read_records(path, dict)}


def items_of(records: Sequence[Record]) -> list[BoundaryItem]:
    """Items of a file's records."""
    return [_item(record, n) for n, record in enumerate(records, start=1)]


def _item(record: Record, number: int) -> BoundaryItem:
    family: Family = "judging" if isinstance(record, JudgingRecord) else "choice"
    name, subset = clean_id(record.id or f"{family}-{number:04d}"), record.subset or family
    if isinstance(record, JudgingRecord):
        facts = record.facts if isinstance(record.facts, str) else "\n".join(record.facts)
        about = record.cluster or loading.text_cluster(facts, "facts")
        asked = family, record.label, facts, record.conclusion
        return BoundaryItem(name, subset, about, *asked, tier=record.tier)
    return BoundaryItem(
        name, subset,
        record.cluster or loading.text_cluster(record.passage or record.question, "question"),
        family, classify_form(record.indexes), record.passage, record.question,
        tuple(record.options), record.indexes, record.missing_gold, record.polished,
        tier=record.tier,
    )  # fmt: skip


# --- questions that are no sound items of their form: what `strict_items` leaves out ---

# The commonest endings of words, behind three letters or more.
_ENDING = re.compile(r"(?<=...)(?:ing|ies|ed|es|s)$")


def oddities(items: Sequence[BoundaryItem]) -> list[LintIssue]:
    """Find repeats, and options that are unsound; `excluded` marks what is left out."""
    return [*_repeats(items), *(finding for item in items for finding in _of_options(item))]


def _repeats(items: Sequence[BoundaryItem]) -> Iterator[LintIssue]:
    """Items that ask the same, or the same with another truth."""
    first: dict[tuple[object, ...], BoundaryItem] = {}
    for item in items:
        texts = map(_squeeze, (item.passage, item.question))
        options = frozenset(map(_squeeze, item.options))
        earlier = first.setdefault((item.subset, *texts, options), item)
        if earlier is item:
            continue
        same = f"asks the same as {earlier.id}"
        truths = [{i.form, *(_squeeze(i.options[n]) for n in i.gold)} for i in (earlier, item)]
        if truths[0] == truths[1]:
            yield LintIssue(item.id, "repeat", f"{same}: kept, in one bootstrap cluster")
            continue
        for one in (earlier, item):
            yield LintIssue(one.id, "contradiction", f"{same}, with another answer", excluded=True)


def _of_options(item: BoundaryItem) -> Iterator[LintIssue]:
    """Options about others or offered twice, and the one taken out where it is still offered."""
    if questions.mentions_others(item.options):
        message = "an option speaks of other options: it does not survive a shuffle"
        yield LintIssue(item.id, "option about options", message, excluded=True)
    right = {_squeeze(item.options[i]) for i in item.gold}
    for text, number in Counter(map(_squeeze, item.options)).items():
        if number > 1:
            what = "right" if text in right else "wrong"
            message = f"the {what} option {text!r:.60} is offered {number} times"
            yield LintIssue(item.id, "same option twice", message, excluded=text in right)
    gone = _stems(item.missing_gold)
    for option in item.options if item.missing_gold else ():
        left = _stems(option)
        if left == gone:
            message = f"{option!r:.60} is the option taken out, {item.missing_gold!r:.60}"
            yield LintIssue(item.id, "right option still offered", message, excluded=True)
        elif left and gone and (left < gone or gone < left):
            message = f"{option!r:.60} shares words with {item.missing_gold!r:.60}: look at it"
            yield LintIssue(item.id, "right option resembled", message)


def _squeeze(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .,;:!?\"'")


def _stems(text: str) -> frozenset[str]:
    """Words without their commonest endings and without articles."""
    words = set(re.findall(r"[a-z0-9]+", text.casefold())) - {"a", "an", "the", "to", "in"}
    return frozenset(_ENDING.sub("", word) for word in words)


# --- the published files: FOLIO, the choice questions, the judging ones ---
#
# They are pinned by what they hold, so their layout is known; nothing of them is bundled. FOLIO's
# two files name the third label differently, and only one of them has ids. Conclusions share
# stories, so the distinct story, recognised by its text, is the cluster to resample. In the choice
# files only some sources number their options, and a passage comes with sentence numbers.

_NUMBERED = re.compile(r"\s*(\d+)\. ?")
_SENTENCE = re.compile(r"\s*Sent \d{1,4}: ?")
LABELS: Mapping[str, Form] = {
    "true": "true", "false": "false", "proved": "true", "disproved": "false",
    "unknown": "unknown", "uncertain": "unknown",  # FOLIO's training and its validation file
}  # fmt: skip
# Names under which a judging record may carry its parts: its layout is not documented, and its
# neighbour in the repository uses the first of each.
_FACTS = ("Facts", "facts", "premises", "context")
_CONCLUSION = ("Conclusion", "conclusion", "hypothesis")
_LABEL = ("proof_label", "label", "answer", "world_assump_label")


def choice_items(text: str, subset: str) -> Iterator[BoundaryItem]:
    """The questions of one of the two choice files, in order; repeats keep distinct ids."""
    taken: Counter[str] = Counter()
    for number, raw in enumerate(json.loads(text), start=1):
        facts, small = raw.get("Facts", ""), "Facts" in raw
        # The 450 repeat their options inside the facts, behind the passage.
        before = facts.partition("Options:")[0] if "Options:" in facts else ""
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
            loading.text_cluster(passage or asked, "question"), "choice", classify_form(gold),
            passage, asked.strip(), tuple(o.strip() for o in shown), tuple(sorted(set(gold))),
            raw.get("original_correct_answer") or "", source=raw["dataset_source"],
            published=questions.PublishedQuestion(asked, written, tuple(options), numbered),
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
            f"{name or 'the record'}: needs facts, a conclusion and a label, one of "
            f"{', '.join(LABELS)}; found: {', '.join(record)[:200]}, with label {written[:40]!r}"
        )
    passage = "\n".join(facts) if isinstance(facts, list) else str(facts)
    return BoundaryItem(
        name, subset, loading.text_cluster(passage, "facts"), "judging", LABELS[written],
        passage.strip(), str(conclusion).strip(), source=str(record.get("dataset_source", "")),
    )  # fmt: skip


def folio_items(text: str, split: str, subset: str) -> Iterator[BoundaryItem]:
    """The records of one of FOLIO's files, in order, without premises that hold nothing.

    Ids are `folio-<split>-<example id>` or, where the file has none, its line number, padded.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        raw = json.loads(line)
        premises = [text for text in map(_collapse_spaces, raw["premises"]) if text]
        # A name that the text alone decides; the order of premises does not matter.
        story = digest(json.dumps(sorted(map(_comparison_key, premises))), 12)
        yield BoundaryItem(
            f"folio-{split}-{raw.get('example_id', f'{number:04d}')}", subset, f"story-{story}",
            "judging", LABELS[raw["label"].strip().lower()], "\n".join(premises),
            _collapse_spaces(raw["conclusion"]), source="folio",
        )  # fmt: skip


def half_sparse(records: Sequence[BoundaryItem], seed: int) -> list[BoundaryItem]:
    """FOLIO's sound items: all sparse ones (a third are Unknown), and as many tense ones drawn."""
    wrong = {finding.item for finding in folio_findings(records)}
    sound = [item for item in records if item.id not in wrong]
    halves = [[item for item in sound if item.sparse is half] for half in (True, False)]
    rng = random.Random(f"folio/{seed}")
    kept = {item.id for half in halves for item in rng.sample(half, min(map(len, halves)))}
    return [item for item in sound if item.id in kept]


def folio_findings(items: Iterable[BoundaryItem]) -> Iterator[LintIssue]:
    """FOLIO's unsound items; of the same text twice under one label the first one stays."""
    groups: dict[tuple[str, str], list[BoundaryItem]] = {}
    for item in items:
        groups.setdefault((item.cluster, _comparison_key(item.question)), []).append(item)
        if _comparison_key(item.question) in map(_comparison_key, item.passage.split("\n")):
            message = "the conclusion is itself a premise"
            yield LintIssue(item.id, "conclusion given", message, excluded=True)
    for same in groups.values():
        agree = len({item.form for item in same}) == 1
        for item in same[agree:] if len(same) > 1 else ():
            how = "with the same label, more than once" if agree else "under different labels"
            message = f"the same story and conclusion, {how}: {', '.join(i.id for i in same)}"
            yield LintIssue(item.id, "duplicate" if agree else "contradiction", message, True)


def _collapse_spaces(text: str) -> str:
    """The text with single spaces: the files break and pad some of theirs."""
    return " ".join(text.split())


def _comparison_key(text: str) -> str:
    """The text for comparison: neither case, spacing nor the closing full stop counts."""
    return _collapse_spaces(text).rstrip(".").rstrip().casefold()
