"""Format bias: its items, its conditions, and the three places its questions come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from askew.papers.format_bias.bundle_checks import broken_promises, read_bundle
from askew.papers.format_bias.paper import PAPER
from askew.papers.format_bias.pins import SOURCES
from askew.papers.format_bias.records import (
    LEVELS,
    FormatItem,
    items_of,
    parse_record,
)
from askew.schema import Finding
from askew.sources.loading import Files, Loaded, bundled, load_items
from askew.sources.records import read_records

FILES = Files(
    task=PAPER.task,
    home=PAPER.home,
    bundled={
        "mmlu": "mcq.jsonl",
        "bbh": "bbh.jsonl",
        "gsm8k": "arithmetic.jsonl",
        "hotpotqa": "multihop.jsonl",
        "fairytaleqa": "reading.jsonl",
        "scidocsrr": "ranking.jsonl",
        "semeval2017": "keyphrases.jsonl",
        **dict.fromkeys(LEVELS, "extraction.jsonl"),
    },
    paper={
        "mmlu": SOURCES["mcq_mmlu_test_27.csv"],
        "bbh": SOURCES["mcq_bbh_test_1.csv"],
        "gsm8k": SOURCES["generation_gsm8k_test_200.csv"],
        "hotpotqa": SOURCES["generation_hotpotqa_validation_200.csv"],
        "fairytaleqa": SOURCES["generation_fairytaleqa_200.csv"],
        "scidocsrr": SOURCES["list_scidocs_reranking_200.csv"],
        "semeval2017": SOURCES["list_keyphrases_SemEval2017_200.csv"],
        "scirex_easy": SOURCES["dict_SciREX_easy.csv"],
        "scirex_medium": SOURCES["dict_SciREX_medium.csv"],
        "scirex_hard": SOURCES["dict_SciREX_hard.csv"],
    },
)


def load(data: str, subset: str | Sequence[str] | None = None) -> Loaded[FormatItem]:
    """Items of `data` ("bundled", "paper" or a path), of the given subsets."""
    return load_items(FILES, data, subset, parse_record, items_of)


DEMOS_FILE = bundled(PAPER.home, "demos.jsonl")


@lru_cache(maxsize=1)
def demonstrations() -> Mapping[str, tuple[FormatItem, ...]]:
    """Our own worked examples, never tested, by kind of item; yes-or-no questions are "bbh"."""
    by_kind: dict[str, list[FormatItem]] = {}
    for item in items_of(read_records(DEMOS_FILE, parse_record)):
        # An extraction demonstration is shown at the level of the item it stands before.
        by_kind.setdefault("bbh" if item.subset == "bbh" else item.kind, []).append(item)
    return {kind: tuple(items) for kind, items in by_kind.items()}


def verify(data: str, subset: str | Sequence[str] | None = None) -> list[Finding]:
    """What a machine can find in the items of `data`, with ids.

    Our own questions promise more than others can: all files of the bundle are checked for it,
    whichever subset is asked for.
    """
    loaded = load(data, subset)
    promised = broken_promises(*read_bundle(DEMOS_FILE.parent)) if data == "bundled" else ()
    return [*findings(loaded.items), *promised]


def findings(items: Sequence[FormatItem]) -> list[Finding]:
    """Repeats, empty truths, and truths whose writing bends a score."""
    return [*_repeats(items), *(f for item in items for f in _of_item(item))]


def _repeats(items: Sequence[FormatItem]) -> Iterator[Finding]:
    seen: dict[tuple[str, ...], str] = {}
    for item in items:
        asked = tuple(" ".join(text.casefold().split()) for text in item.context.values())
        first = seen.setdefault((item.subset, *asked), item.id)
        if first != item.id:
            message = f"asks the same as {first}: kept, in one bootstrap unit"
            yield Finding(item.id, "repeat", message)


def _of_item(item: FormatItem) -> Iterator[Finding]:
    if "," in item.answer and item.answer.replace(",", "").isdigit():
        message = f"{item.answer}: punctuation does not count in token F1"
        yield Finding(item.id, "thousands separator", message)
    if item.subset == "hotpotqa" and "context" not in item.context:
        yield Finding(item.id, "no context", "asked without paragraphs, as in the paper's file")
    if item.kind == "ranking" and sorted(item.relevant, reverse=True) == list(item.relevant):
        yield Finding(
            item.id, "relevant first", "all relevant documents come first: the task shuffles them"
        )
    folded = {phrase.casefold() for phrase in item.keyphrases}
    if len(folded) < len(item.keyphrases):
        yield Finding(
            item.id,
            "differ in case only",
            f"{len(item.keyphrases) - len(folded)} keyphrases repeat others in another case: "
            "kept, case counts as published (reading=casefold=true merges them)",
        )
    for key, names in item.entities.items():
        if not names:
            message = f"no {key}: an empty prediction scores 1"
            yield Finding(item.id, "empty truth", message)
        if len({name.lower() for name in names}) < len(names):
            message = f"{key}: some names differ in case only, which does not count"
            yield Finding(item.id, "differ in case only", message)


TEMPLATE = (
    '{"id": "tide-1", "subject": "geography", "question": "What causes most tides?", "choices": '
    '["the Moon", "the wind", "rivers", "whales"], "answer": "A"}',
    '{"id": "plausible-1", "question": "Is the following sentence plausible? \\"The goalkeeper '
    'hit a home run.\\"", "choices": ["yes", "no"], "answer": "B"}',
    '{"id": "eggs-1", "question": "A box holds 12 eggs. How many eggs do 4 boxes hold?", '
    '"answer": "48"}',
    '{"id": "ferry-1", "passage": "The ferry left late because a cow stood on the ramp.", '
    '"question": "Why did the ferry leave late?", "answer": "a cow stood on the ramp"}',
    '{"id": "hop-1", "paragraphs": [{"title": "Ovar", "text": "Ovar was founded by Ilse Brand."}, '
    '{"title": "Ilse Brand", "text": "Ilse Brand was born in Tarn."}], "question": "Where was the '
    'founder of Ovar born?", "answer": "Tarn"}',
    '{"id": "rank-1", "query": "How bees find home", "documents": [{"title": "Landmarks and bees", '
    '"relevant": 1}, {"title": "Loans for farmers", "relevant": 0}]}',
    '{"id": "keys-1", "text": "We measure tidal energy in a salt marsh.", "keyphrases": '
    '["tidal energy", "salt marsh"]}',
    '{"id": "names-1", "text": "TideNet does tide prediction.", "Task": ["tide prediction"], '
    '"Method": ["TideNet"], "Material": [], "Metric": []}',
)
TEMPLATE_CSV = (
    "id,subject,question,choices,answer",
    'tide-1,geography,What causes most tides?,"[""the Moon"", ""the wind"", ""rivers""]",A',
)
